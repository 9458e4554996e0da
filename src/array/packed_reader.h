/*
 * packed_reader.h
 *	  The elements of a packed array, a few at a time.
 *
 * Values are the elements that are not NULL, numbered from 0.
 */
#ifndef GPUCOMPACT_PACKED_READER_H
#define GPUCOMPACT_PACKED_READER_H

#include "compat.h"

#include "array/value_source.h"
#include "packed/packed.h"

typedef struct PackedReader
{
	ValueSource base;
	PackedArray array;			/* what the header says */
	const char *memory;			/* has the bytes, or NULL */
	const char *head;			/* the first bytes: a chunk, if stored */
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
	int			failed;			/* a PackedStatus, once a thread has one */
} PackedReader;

extern const SourceMethods packed_methods;

/*
 * The packed reader of a source; NULL if there is no source, or one of another
 * kind.
 */
static inline PackedReader *
packed_reader_of(ValueSource *source)
{
	return source != NULL && source->methods == &packed_methods ?
		(PackedReader *) source : NULL;
}

extern PackedReader *packed_reader_open(Datum packed, int damaged);
extern void packed_reader_nulls(PackedReader *reader, int64 first, int64 count,
								uint8 *bitmap, int64 *before, int64 *values);
extern const PackedBlock *packed_reader_block(PackedReader *reader,
											  int64 block);
extern void packed_reader_choose(PackedReader *reader, int32 *blocks,
								 int64 nblocks);
extern void packed_reader_check(PackedReader *reader);

#endif							/* GPUCOMPACT_PACKED_READER_H */
