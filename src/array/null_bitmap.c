/*
 * null_bitmap.c
 *	  The bitmap of an array's elements that are not NULL, as core stores it.
 */
#include "compat.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "array/null_bitmap.h"
#include "loops/bitmaps.h"
#include "loops/numbers.h"

/* Counts the values from element "from" to before "to". */
int64
null_bitmap_count_values(const uint8 *bitmap, int64 from, int64 to)
{
	return count_bits(bitmap, from, to);
}

/* Bits that are taken together. */
#define WORD_BITS		64

/* Elements whose positions are found together. */
#define POSITIONS_BLOCK	1024

/*
 * The bits of the byte of element "from" and of seven more bytes.  Bits behind
 * the bitmap are 0.
 */
static inline uint64
get_word(const uint8 *bitmap, int64 from, int64 nitems)
{
	Size		left = null_bitmap_bytes(nitems) - from / 8;
	uint64		bits = 0;

	if (likely(left >= sizeof(bits)))
		memcpy(&bits, bitmap + from / 8, sizeof(bits));
	else
		memcpy(&bits, bitmap + from / 8, left);
	return bits;
}

/* Sets the elements from "from" on, which is the first one of a byte. */
static inline void
put_word(uint8 *bitmap, int64 from, int64 nitems, uint64 bits)
{
	Size		left = null_bitmap_bytes(nitems) - from / 8;

	if (likely(left >= sizeof(bits)))
		memcpy(bitmap + from / 8, &bits, sizeof(bits));
	else
		memcpy(bitmap + from / 8, &bits, left);
}

/* The bits of an element and some after it; 0 behind the bitmap. */
static inline uint64
bits_from(const uint8 *bitmap, int64 from, int64 nitems)
{
	return get_word(bitmap, from, nitems) >> from % 8;
}

/* The bits of 64 elements; 0 behind the bitmap. */
static inline uint64
word_from(const uint8 *bitmap, int64 from, int64 nitems)
{
	uint64		bits = bits_from(bitmap, from, nitems);
	int64		ninth = from / 8 + sizeof(bits);

	if (from % 8 != 0 && ninth < (int64) null_bitmap_bytes(nitems))
		bits |= (uint64) bitmap[ninth] << (WORD_BITS - from % 8);
	return bits;
}

/*
 * Returns the element behind the first "values" values from element "from" on,
 * which has as many before "to".
 */
int64
null_bitmap_values_end(const uint8 *bitmap, int64 from, int64 to, int64 values)
{
	while (from < to)
	{
		int			count;

		CHECK_FOR_INTERRUPTS();
		count = pg_popcount64(bits_from(bitmap, from, to));

		if (count >= values)
			break;
		values -= count;
		from += 64 - from % 8;
	}
	for (; values > 0; from++)
		values -= null_bitmap_is_value(bitmap, from);
	return from;
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

		CHECK_FOR_INTERRUPTS();
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
	uint8		first = 0xFF << (from % 8);
	uint8		last = (1 << (to % 8)) - 1;

	if (from / 8 < to / 8)
	{
		bitmap[from / 8] |= first;
		memset(bitmap + from / 8 + 1, 0xFF, to / 8 - from / 8 - 1);
		first = 0xFF;
	}
	if (from < to && last != 0)
		bitmap[to / 8] |= first & last;
}

/* Clears the bits after the last element. */
static void
clear_rest(uint8 *bitmap, int64 nitems)
{
	if (nitems % 8 != 0)
		bitmap[nitems / 8] &= (1 << (nitems % 8)) - 1;
}

/* Makes a bitmap of "nulls" NULLs, and of values behind them. */
void
null_bitmap_begin_with(uint8 *bitmap, int64 nulls, int64 nitems)
{
	memset(bitmap, 0, null_bitmap_bytes(nitems));
	null_bitmap_set_values(bitmap, nulls, nitems);
}

/* Copies the elements from "from" to before "to". */
void
null_bitmap_copy(uint8 *bitmap, const uint8 *of, int64 from, int64 to)
{
	int64		nitems = to - from;

	for (int64 i = 0; i < nitems; i += WORD_BITS)
	{
		CHECK_FOR_INTERRUPTS();
		put_word(bitmap, i, nitems, word_from(of, from + i, to));
	}
	clear_rest(bitmap, nitems);
}

/*
 * Marks the elements that are values in both bitmaps, in either of them, or in
 * "a" alone.  A bitmap that is NULL has values alone.
 */
void
null_bitmap_combine(uint8 *bitmap, const uint8 *a, const uint8 *b,
					int64 nitems, BitmapOperator op)
{
	for (int64 i = 0; i < nitems; i += WORD_BITS)
	{
		uint64		x = a != NULL ? get_word(a, i, nitems) : PG_UINT64_MAX;
		uint64		y = b != NULL ? get_word(b, i, nitems) : PG_UINT64_MAX;

		CHECK_FOR_INTERRUPTS();
		put_word(bitmap, i, nitems, op == BITMAP_AND ? x & y :
				 op == BITMAP_OR ? x | y : x & ~y);
	}
	clear_rest(bitmap, nitems);
}

/* A bit for each of eight booleans, which are bytes of 0 and 1. */
static inline uint8
bits_of_eight(const bool *booleans)
{
	uint64		bytes;

	memcpy(&bytes, booleans, sizeof(bytes));
	return bytes * UINT64CONST(0x0102040810204080) >> (WORD_BITS - 8);
}

/* Marks the elements that are true; the bits behind the last one are 0. */
void
null_bitmap_from_booleans(uint8 *bitmap, const bool *values, int64 count)
{
	int64		whole = count / 8 * 8;
	bool		rest[8] = {0};

	for (int64 i = 0; i < whole; i += 8)
		bitmap[i / 8] = bits_of_eight(values + i);
	if (whole == count)
		return;
	memcpy(rest, values + whole, count - whole);
	bitmap[whole / 8] = bits_of_eight(rest);
}

/*
 * The positions, from 1 on, of the values from element "from" to before "to".
 * Returns how many there are.
 */
int64
null_bitmap_positions(int32 *positions, const uint8 *bitmap, int64 from,
					  int64 to)
{
	int32		block[POSITIONS_BLOCK];
	int64		count = 0;

	for (int64 end; from < to; from = end)
	{
		int64		values;

		end = Min(from + POSITIONS_BLOCK, to);
		values = null_bitmap_count_values(bitmap, from, end);
		number_from(block, (int32) from + 1, end - from);
		compress_by_bitmap(positions + count, values, block, bitmap, from, end,
						   sizeof(int32));
		count += values;
	}
	return count;
}

/*
 * Adds "count" elements to a bitmap, in which there are "nitems" so far.  The
 * other bits of the last one's byte are 0.
 */
void
null_bitmap_append(uint8 *bitmap, int64 nitems, const uint8 *bits, int64 count)
{
	int			first = Min(count, (8 - nitems % 8) % 8);	/* for that byte */

	if (first > 0)
		bitmap[nitems / 8] |= (bits[0] & ((1 << first) - 1)) << nitems % 8;
	null_bitmap_copy(bitmap + (nitems + first) / 8, bits, first, count);
}

/*
 * Moves the bits of a word that "marks" has to its lowest places: each mark
 * moves over the marks that lack below it, by powers of two.
 */
static uint64
pack_bits(uint64 bits, uint64 marks)
{
	uint64		lacks = ~marks << 1;

	bits &= marks;
	for (int places = 1; places < WORD_BITS; places *= 2)
	{
		uint64		odd = lacks;	/* below which an odd number lacks */
		uint64		moved;

		for (int shift = 1; shift < WORD_BITS; shift *= 2)
			odd ^= odd << shift;
		moved = marks & odd;
		marks = (marks ^ moved) | moved >> places;
		moved = bits & odd;
		bits = (bits ^ moved) | moved >> places;
		lacks &= ~odd;
	}
	return bits;
}

/*
 * Puts the elements that are values in "at", one behind the other, to a bitmap
 * of zeros.  Returns how many there are.
 */
int64
null_bitmap_select(uint8 *bitmap, const uint8 *of, const uint8 *at,
				   int64 nitems)
{
	int64		selected = 0;

	for (int64 from = 0; from < nitems; from += WORD_BITS)
	{
		int64		to = Min(from + WORD_BITS, nitems);
		uint64		marks = get_word(at, from, nitems) &
			(PG_UINT64_MAX >> (WORD_BITS - (to - from)));
		int			count = pg_popcount64(marks);
		uint8		bits[sizeof(marks)];

		CHECK_FOR_INTERRUPTS();
		put_word(bits, 0, WORD_BITS,
				 pack_bits(get_word(of, from, nitems), marks));
		null_bitmap_append(bitmap, selected, bits, count);
		selected += count;
	}
	return selected;
}
