/*
 * array_reader.h
 *	  An array datum, or one of bytes, as a stream of pieces.
 */
#ifndef GPUCOMPACT_ARRAY_READER_H
#define GPUCOMPACT_ARRAY_READER_H

#include "compat.h"

#include "utils/array.h"

#include "array/deferred.h"
#include "array/element.h"
#include "array/value_source.h"

/*
 * Engines cache no smaller values.  Reading a smaller value again takes less
 * time than asking whether it is cached.
 */
#define MIN_KEPT		(64 * 1024)

/* Room for any value that is stored without alignment, and for its header. */
#define SHORT_WORDS \
	((VARATT_SHORT_MAX - VARHDRSZ_SHORT + VARHDRSZ) / sizeof(int64) + 1)

/*
 * The treatment of NULL elements, which never reach an engine.  They are left
 * out: DROPPED; COUNTED, where an array that is not packed has no bitmap if
 * only leading elements are NULL; and FILTERED, which is the same, but a
 * deferred value whose length is not known yet counts with the most elements
 * that it may have.  Or a value replaces each NULL: FILLED;
 * LATER_NULLS_FILLED, where leading NULLs are left out, and there is no bitmap
 * in the same case; and FILLED_WITHIN, where NULLs are COUNTED if only leading
 * elements are NULL.  Or the last value before a NULL replaces it, and leading
 * NULLs are left out: FORWARD.
 */
typedef enum NullHandling
{
	NULLS_DROPPED,
	NULLS_FILTERED,
	NULLS_COUNTED,
	NULLS_FILLED,
	NULLS_FILLED_WITHIN,
	LATER_NULLS_FILLED,
	NULLS_FILLED_FORWARD
} NullHandling;

/* How far a reader has come.  To read again, restore an earlier place. */
typedef struct ReaderPlace
{
	int64		next;			/* next element to hand out */
	int64		position;		/* of the last value whose position was told */
	const char *values;			/* next value in memory */
	int64		values_at_hand; /* how many follow there */
	int64		value;			/* that the source has next */
	char		fill[8];		/* the value that stands for NULLs */
} ReaderPlace;

typedef struct ArrayReader
{
	/* What the array is; valid from array_reader_open on. */
	Datum		datum;			/* as it was given to array_reader_open */
	bool		is_packed;		/* or to array_reader_open_packed */
	ElementType type;
	int			ndim;			/* of "dims" and "lbounds" below */
	int64		nitems;			/* elements, NULLs among them */
	int64		nvalues;		/* elements that are not NULL */
	int64		leading_nulls;	/* before the first value, or all */
	int64		count;			/* elements that the pieces hold together */
	Size		size;			/* size of the detoasted datum */
	const char *origin;			/* how its bytes come in, in words */
	bool		in_memory;		/* the pieces are ready in memory */
	ValueIdentity *identity;	/* if the pieces together are a large stored
								 * value; or NULL */
	DeferredValue *deferred;	/* which has the elements, or NULL */
	ValueSource *source;		/* has values that are not in memory, or NULL */
	const uint8 *nulls;			/* the bitmap, or NULL if nothing is NULL, or
								 * as NullHandling says; there until
								 * array_reader_close */

	/* The rest is the reader's own. */
	bool		filled;			/* a value stands for NULLs */
	NullHandling filling;		/* which */
	int64		first;			/* element that is handed out */
	bool		attached;		/* a sink gets what is read */
	ReaderPlace at;				/* where it is */
	Size		offset;			/* of the values in a deferred array */
	void	   *copy;			/* palloc'd: the datum, or its first piece */
	struct varlena *whole;		/* palloc'd: what the source has loaded */
	void	   *nulls_copy;		/* palloc'd: a bitmap longer than that */

	/* What follows is not cleared when the array is opened. */
	int			dims[MAXDIM];
	int			lbounds[MAXDIM];
	int64		short_value[SHORT_WORDS];	/* if stored without alignment */
} ArrayReader;

extern void array_reader_open(ArrayReader *reader, Datum datum,
							  NullHandling null_handling,
							  const ElementValue *fill);
extern void array_reader_open_slice(ArrayReader *reader, Datum datum,
									int64 first, int64 last);
extern void array_reader_open_packed(ArrayReader *reader, Datum packed,
									 int64 first, int64 last);
extern void array_reader_restart(ArrayReader *reader);
extern void array_reader_choose_blocks(ArrayReader *reader, int32 *blocks,
									   int64 nblocks);
extern bool array_reader_is_filtered(const ArrayReader *reader);
extern void array_reader_open_bytes(ArrayReader *reader, Datum datum);
extern bool array_reader_load(ArrayReader *reader);
extern void array_reader_open_values(ArrayReader *reader,
									 const ElementType *type,
									 const void *values, int64 count);
extern const void *array_reader_peek(ArrayReader *reader, int64 *count);
extern void array_reader_skip(ArrayReader *reader, int64 count);
extern const void *array_reader_next(ArrayReader *reader, void *buffer,
									 int64 count);
extern const int32 *array_reader_positions(ArrayReader *reader, int32 *buffer,
										   int64 count);
extern bool array_reader_attach(ArrayReader *reader, SpanSink sink,
								int arrays);
extern void array_reader_settle(ArrayReader *reader, bool all);
extern void array_reader_detach(ArrayReader *reader);
extern void array_reader_copy(ArrayReader *reader, char *dest, int64 count);
extern const char *array_reader_all(ArrayReader *reader, char **copy);
extern void array_reader_free_values(ArrayReader *reader);
extern void array_reader_close(ArrayReader *reader);

/* Booleans are changed on the way: all bytes but 0 are true. */
static inline bool
reader_holds_booleans(const ArrayReader *reader)
{
	return reader->type.base == BOOLOID;
}

/* How many elements are NULL. */
static inline int64
array_reader_nulls(const ArrayReader *reader)
{
	return reader->nitems - reader->nvalues;
}

/* Returns whether an element is not NULL; the bitmap is there if one is. */
static inline bool
array_reader_is_value(const ArrayReader *reader, int64 element)
{
	return reader->nulls == NULL ||
		null_bitmap_is_value(reader->nulls, element);
}

#endif							/* GPUCOMPACT_ARRAY_READER_H */
