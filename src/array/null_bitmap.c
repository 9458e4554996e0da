/*
 * null_bitmap.c
 *	  The bitmap of an array's elements that are not NULL, as core stores it.
 */
#include "compat.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"

#include "array/null_bitmap.h"

/* Counts the values from element "from" to before "to". */
int64
null_bitmap_count_values(const uint8 *bitmap, int64 from, int64 to)
{
	int64		values = 0;

	for (; from < to && from % 8 != 0; from++)
		values += null_bitmap_is_value(bitmap, from);
	if (from < to)
	{
		values += pg_popcount((const char *) bitmap + from / 8,
							  (int) ((to - from) / 8));
		for (from = to - (to - from) % 8; from < to; from++)
			values += null_bitmap_is_value(bitmap, from);
	}
	return values;
}

/* The bits of an element and some after it; those behind the bitmap are 0. */
static uint64
bits_from(const uint8 *bitmap, int64 from, int64 nitems)
{
	Size		left = null_bitmap_bytes(nitems) - from / 8;
	uint64		bits = 0;

	memcpy(&bits, bitmap + from / 8, Min(left, sizeof(bits)));
#ifdef WORDS_BIGENDIAN
	bits = pg_bswap64(bits);
#endif
	return bits >> from % 8;
}

/* The end of the run that begins at "from". */
static int64
run_end(const uint8 *bitmap, int64 from, int64 nitems)
{
	bool		value = null_bitmap_is_value(bitmap, from);

	while (from < nitems)
	{
		uint64		bits = bits_from(bitmap, from, nitems);
		uint64		others = value ? ~bits : bits;
		int			alike = others != 0 ? pg_rightmost_one_pos64(others) : 64;
		int			known = 64 - from % 8;

		if (alike < known)
			return Min(from + alike, nitems);
		from += known;
	}
	return nitems;
}

/*
 * Goes on to the next run; if all fields of "run" are zero, to the first run.
 * Returns false after the last run.
 */
bool
null_bitmap_next_run(const uint8 *bitmap, int64 nitems, NullRun *run)
{
	CHECK_FOR_INTERRUPTS();
	if (!run->isnull)
		run->values += run->to - run->from;
	run->from = run->to;
	if (run->from >= nitems)
		return false;
	run->isnull = bitmap != NULL && !null_bitmap_is_value(bitmap, run->from);
	run->to = bitmap != NULL ? run_end(bitmap, run->from, nitems) : nitems;
	return true;
}

/* Marks the elements from "from" to before "to" as values. */
void
null_bitmap_set_values(uint8 *bitmap, int64 from, int64 to)
{
	for (; from < to && from % 8 != 0; from++)
		null_bitmap_set_value(bitmap, from);
	if (from < to)
	{
		memset(bitmap + from / 8, 0xFF, (to - from) / 8);
		for (from = to - (to - from) % 8; from < to; from++)
			null_bitmap_set_value(bitmap, from);
	}
}

/* Marks the elements before "to" as NULL. */
void
null_bitmap_clear_values(uint8 *bitmap, int64 to)
{
	memset(bitmap, 0, to / 8);
	if (to % 8 != 0)
		bitmap[to / 8] &= 0xFF << (to % 8);
}

/* Clears the bits after the last element. */
static void
clear_rest(uint8 *bitmap, int64 nitems)
{
	if (nitems % 8 != 0)
		bitmap[nitems / 8] &= (1 << (nitems % 8)) - 1;
}

/* The eight elements from "from" on; those before the first count as values. */
static uint8
eight_elements(const uint8 *bitmap, int64 from)
{
	if (from <= -8)
		return 0xFF;
	if (from < 0)
		return (bitmap[0] << -from) | (0xFF >> (8 + from));
	if (from % 8 == 0)
		return bitmap[from / 8];
	return (bitmap[from / 8] | bitmap[from / 8 + 1] << 8) >> (from % 8);
}

/* Copies the elements from "from" to before "to". */
void
null_bitmap_copy(uint8 *bitmap, const uint8 *of, int64 from, int64 to)
{
	int64		bytes = null_bitmap_bytes(to - from);
	int			shift = from % 8;

	of += from / 8;
	for (int64 i = 0; i < bytes; i++)
	{
		bitmap[i] = of[i] >> shift;
		if (8 * (i + 1) - shift < to - from)
			bitmap[i] |= of[i + 1] << (8 - shift);
	}
	clear_rest(bitmap, to - from);
}

/*
 * Marks the elements that are values, if the element "lag" before them is a
 * value, too.  The first "lag" elements have none before them, and are marked
 * if they are values.
 */
void
null_bitmap_pair(uint8 *bitmap, const uint8 *of, int64 nitems, int64 lag)
{
	int64		bytes = null_bitmap_bytes(nitems);

	for (int64 i = 0; i < bytes; i++)
		bitmap[i] = of[i] & eight_elements(of, 8 * i - lag);
	clear_rest(bitmap, nitems);
}

/*
 * Marks the elements that are values in both bitmaps, or in either of them.  A
 * bitmap that is NULL is one of values.
 */
void
null_bitmap_combine(uint8 *bitmap, const uint8 *a, const uint8 *b,
					int64 nitems, bool either)
{
	int64		bytes = null_bitmap_bytes(nitems);

	for (int64 i = 0; i < bytes; i++)
	{
		uint8		x = a != NULL ? a[i] : 0xFF;
		uint8		y = b != NULL ? b[i] : 0xFF;

		bitmap[i] = either ? x | y : x & y;
	}
	clear_rest(bitmap, nitems);
}
