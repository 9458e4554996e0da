/*
 * packed_reader.h
 *	  The elements of a packed array, a few at a time.
 *
 * Values are the elements that are not NULL, numbered from 0.
 */
#ifndef GPUCOMPACT_PACKED_READER_H
#define GPUCOMPACT_PACKED_READER_H

#include "compat.h"

#include "array/element_spread.h"
#include "array/toast_reader.h"
#include "packed/packed.h"

struct PackedPart;

typedef struct PackedReader
{
	PackedArray array;			/* what the header says */
	ToastReader *stored;		/* has the bytes, or NULL */
	const char *memory;			/* has the bytes, or NULL */
	const char *head;			/* the first bytes: a chunk of those stored */
	int64		begin;			/* the first value that is to be read */
	int64		end;			/* the value after the last one */
	int32	   *chosen;			/* palloc'd: the blocks that have the values, or
								 * NULL if all blocks have */

	/* The rest is the reader's own. */
	int			damaged;		/* the SQLSTATE of damage */
	void	   *copy;			/* palloc'd: the bytes in memory, or the head */
	int64		page;			/* whose entries are "blocks", or -1 */
	PackedBlock blocks[PACKED_PAGE];
	char	   *directory;		/* palloc'd: pages of it that are stored */
	int64		first_page;		/* of these */
	int64		last_page;
	char	   *buffer;			/* palloc'd: for stored bytes */
	Size		buffer_size;
	struct PackedPart *parts;	/* palloc'd: on their way to a sink, or NULL */
	int			nparts;			/* so far */
	int			failed;			/* a PackedStatus, once a thread has one */
} PackedReader;

/* The element whose bits the directory has. */
static inline const void *
packed_element(const uint64 *bits, int size)
{
#ifdef WORDS_BIGENDIAN
	return (const char *) (bits + 1) - size;
#else
	return bits;
#endif
}

extern PackedReader *packed_reader_open(Datum packed, int damaged);
extern void packed_reader_nulls(PackedReader *reader, int64 first, int64 count,
								uint8 *bitmap, int64 *before, int64 *values);
extern const PackedBlock *packed_reader_block(PackedReader *reader,
											  int64 block);
extern void packed_reader_choose(PackedReader *reader, int32 *blocks,
								 int64 nblocks);
extern int64 packed_reader_send(PackedReader *reader, int64 first, int64 count,
								char *dest, const ElementSpread *spread);
extern void packed_reader_read(PackedReader *reader, int64 first, int64 count,
							   char *dest);
extern bool packed_reader_attach(PackedReader *reader, SpanSink *sink,
								 int values);
extern void packed_reader_unpin(PackedReader *reader);
extern void packed_reader_drain(PackedReader *reader);
extern void packed_reader_detach(PackedReader *reader);
extern void packed_reader_check(PackedReader *reader);
extern void packed_reader_close(PackedReader *reader);

#endif							/* GPUCOMPACT_PACKED_READER_H */
