/*
 * null_bitmap.h
 *	  The bitmap of an array's elements that are not NULL, as core stores it.
 *
 * A set bit is a value.  Where there is no bitmap, all elements are values.
 */
#ifndef GPUCOMPACT_NULL_BITMAP_H
#define GPUCOMPACT_NULL_BITMAP_H

#include "compat.h"

/* Neighbours that are all NULL, or all values. */
typedef struct NullRun
{
	bool		isnull;
	int64		from;
	int64		to;				/* the element after them */
	int64		values;			/* values before "from" */
} NullRun;

/* Which elements of two bitmaps are marked. */
typedef enum BitmapOperator
{
	BITMAP_AND,
	BITMAP_OR,
	BITMAP_AND_NOT
} BitmapOperator;

extern int64 null_bitmap_count_values(const uint8 *bitmap,
									  int64 from, int64 to);
extern int64 null_bitmap_values_end(const uint8 *bitmap, int64 from,
									int64 to, int64 values);
extern bool null_bitmap_next_run(const uint8 *bitmap, int64 nitems,
								 NullRun *run);
extern void null_bitmap_set_values(uint8 *bitmap, int64 from, int64 to);
extern void null_bitmap_begin_with(uint8 *bitmap, int64 nulls, int64 nitems);
extern void null_bitmap_copy(uint8 *bitmap, const uint8 *of, int64 from,
							 int64 to);
extern void null_bitmap_combine(uint8 *bitmap, const uint8 *a, const uint8 *b,
								int64 nitems, BitmapOperator op);
extern void null_bitmap_from_booleans(uint8 *bitmap, const bool *values,
									  int64 count);
extern int64 null_bitmap_positions(int32 *positions, const uint8 *bitmap,
								   int64 from, int64 to);
extern void null_bitmap_append(uint8 *bitmap, int64 nitems, const uint8 *bits,
							   int64 count);
extern int64 null_bitmap_select(uint8 *bitmap, const uint8 *of,
								const uint8 *at, int64 nitems);

static inline Size
null_bitmap_bytes(int64 nitems)
{
	return (nitems + 7) / 8;
}

static inline bool
null_bitmap_is_value(const uint8 *bitmap, int64 element)
{
	return (bitmap[element / 8] >> (element % 8)) & 1;
}

static inline void
null_bitmap_set_value(uint8 *bitmap, int64 element)
{
	bitmap[element / 8] |= 1 << (element % 8);
}

#endif							/* GPUCOMPACT_NULL_BITMAP_H */
