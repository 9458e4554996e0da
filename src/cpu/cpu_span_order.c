/*
 * cpu_span_order.c
 *	  The order of the keys of a span that fits into the cache.
 *
 * A key's difference from the least key and its place become one integer,
 * which is sorted.  If the integer has no room for all bits of a difference,
 * the lowest are left out, and keys that differ only in these are sorted again
 * by them.
 *
 * Few integers are sorted by a network, in columns of a tile, whose sorted
 * columns are then merged, two by two (Batcher, "Sorting networks and their
 * applications", 1968); and then by merges in four places at once, in which no
 * branch depends on the integers.  More than a tile are sorted by digits.
 */
#include <stdbool.h>
#include <string.h>

#include "contract/cpu_clones.h"
#include "cpu/cpu_search.h"
#include "cpu/cpu_span_order.h"
#include "loops/numbers.h"

/* Integers of a tile: a power of four times TILE_ROWS. */
#define TILE_ROWS			16
#define TILE_LEAST			256
#define TILE_MOST			1024

/* The columns that are left of a tile. */
#define TILE_COLUMNS		4

#define DIGIT_BITS			11
#define DIGIT_BINS			(1 << DIGIT_BITS)

/* Digits of the differences of many keys: few keys have these in common. */
#define DIGITS				3

/* Fewer keys than these are sorted again by insertion. */
#define INSERT				32

#define INLINE				static inline __attribute__((always_inline))

/* Puts two integers of a column in order, of which it may have one alone. */
#define ORDER(a, b) \
	do { \
		if ((b) < rows) \
		{ \
			int64_t		x = v[a]; \
			int64_t		y = v[b]; \
\
			v[a] = x < y ? x : y; \
			v[b] = x < y ? y : x; \
		} \
	} while (0)

/* Puts 16 integers of a column in order, two by two, "apart" from each other. */
#define ORDER_APART(apart) \
	_Pragma("GCC unroll 8") \
	for (int i = 0; i < TILE_ROWS / 2; i++) \
		ORDER(i / (apart) * 2 * (apart) + i % (apart), \
			  i / (apart) * 2 * (apart) + i % (apart) + (apart))

/*
 * Sorts rows in each column: 16 by 60 comparisons (Green, 1969), fewer by those
 * of the 60 that have two of the rows.
 */
INLINE void
sort_rows(int64_t *restrict to, const int64_t *from, int stride, int rows,
		  int columns)
{
#pragma GCC ivdep
	for (int j = 0; j < columns; j++)
	{
		int64_t		v[TILE_ROWS];

#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
			v[i] = from[i * stride + j];
		ORDER_APART(1);
		ORDER_APART(2);
		ORDER_APART(4);
		ORDER_APART(8);
		ORDER(5, 10);
		ORDER(6, 9);
		ORDER(3, 12);
		ORDER(13, 14);
		ORDER(4, 8);
		ORDER(7, 11);
		ORDER(1, 2);
		ORDER(1, 4);
		ORDER(7, 13);
		ORDER(2, 8);
		ORDER(11, 14);
		ORDER(2, 4);
		ORDER(5, 6);
		ORDER(9, 10);
		ORDER(11, 13);
		ORDER(3, 8);
		ORDER(7, 12);
		ORDER(6, 8);
		ORDER(10, 12);
		ORDER(3, 5);
		ORDER(7, 9);
		ORDER(3, 4);
		ORDER(5, 6);
		ORDER(7, 8);
		ORDER(9, 10);
		ORDER(11, 12);
		ORDER(6, 7);
		ORDER(8, 9);
#pragma GCC unroll 16
		for (int i = 0; i < rows; i++)
			to[i * columns + j] = v[i];
	}
}

/* Sorts 16 rows that are bitonic in each column. */
INLINE void
merge_rows(int64_t *tile, int columns)
{
	const int	rows = TILE_ROWS;

#pragma GCC ivdep
	for (int j = 0; j < columns; j++)
	{
		int64_t		v[TILE_ROWS];

#pragma GCC unroll 16
		for (int i = 0; i < TILE_ROWS; i++)
			v[i] = tile[i * columns + j];
		ORDER_APART(8);
		ORDER_APART(4);
		ORDER_APART(2);
		ORDER_APART(1);
#pragma GCC unroll 16
		for (int i = 0; i < TILE_ROWS; i++)
			tile[i * columns + j] = v[i];
	}
}

/* Puts integers that are far from each other in order. */
INLINE void
order_far(int64_t *restrict a, int64_t *restrict b, int count)
{
	for (int i = 0; i < count; i++)
	{
		int64_t		x = a[i];
		int64_t		y = b[i];

		a[i] = x < y ? x : y;
		b[i] = x < y ? y : x;
	}
}

/*
 * Merges each sorted column of the left half of a tile with one of the right
 * half.  Half as many columns, of twice as many rows, are left.
 */
INLINE void
merge_columns(int64_t *restrict to, const int64_t *restrict from, int rows,
			  int left)
{
	for (int i = 0; i < rows; i++)
	{
		const int64_t *a = from + i * 2 * left;
		const int64_t *b = from + (rows - 1 - i) * 2 * left + left;

		for (int j = 0; j < left; j++)
		{
			int64_t		x = a[j];
			int64_t		y = b[j];

			to[i * left + j] = x < y ? x : y;
			to[(rows + i) * left + j] = x < y ? y : x;
		}
	}
	for (int d = rows / 2; d >= TILE_ROWS; d /= 2)
	{
		for (int i = 0; i < 2 * rows; i += 2 * d)
			order_far(to + i * left, to + (i + d) * left, d * left);
	}
	for (int i = 0; i < 2 * rows; i += TILE_ROWS)
		merge_rows(to + i * left, left);
}

/* Sorts tiles of 256 integers, or of 1024, into runs of 64 or of 256. */
CPU_CLONES static void
sort_tiles(int64_t *restrict to, int64_t *restrict from, int count, int tile)
{
	for (int first = 0; first < count; first += tile)
	{
		int64_t		a[TILE_MOST];
		int64_t		b[TILE_MOST];
		const int64_t *sorted = a;
		int			rows = tile / TILE_COLUMNS;

		if (tile == TILE_MOST)
		{
			sort_rows(a, from + first, 64, TILE_ROWS, 64);
			merge_columns(b, a, 16, 32);
			merge_columns(a, b, 32, 16);
			merge_columns(b, a, 64, 8);
			merge_columns(a, b, 128, 4);
		}
		else
		{
			sort_rows(a, from + first, 16, TILE_ROWS, 16);
			merge_columns(b, a, 16, 8);
			merge_columns(a, b, 32, 4);
		}
		for (int i = 0; i < rows; i++)
		{
			for (int j = 0; j < TILE_COLUMNS; j++)
				to[first + j * rows + i] = sorted[i * TILE_COLUMNS + j];
		}
	}
}

/* How many of the least "count" integers of two runs are of the first one. */
static int64_t
split_runs(const int64_t *a, const int64_t *b, int64_t length, int64_t count)
{
	int64_t		low = count > length ? count - length : 0;
	int64_t		high = count < length ? count : length;

	SEARCH(low, high, at, a[at] <= b[count - 1 - at]);
	return low;
}

/*
 * Merges two runs of an even length.  Four quarters are made side by side: the
 * lower ones upwards, and the upper ones downwards, in which directions neither
 * run ends before its quarter does.
 */
static void
merge_runs(int64_t *restrict to, const int64_t *a, const int64_t *b,
		   int64_t length)
{
	int64_t		half = length / 2;
	int64_t		first = 0;		/* of a, before what is next */
	int64_t		second = split_runs(a, b, length, half);
	int64_t		third = split_runs(a, b, length, length + half);
	int64_t		fourth = length;

	for (int64_t i = 0; i < half; i++)
	{
		int64_t		up = half + i;
		int64_t		down = length + half - 1 - i;
		int64_t		end = 2 * length - 1 - i;
		int64_t		x = a[first];
		int64_t		y = b[i - first];
		int64_t		z = a[second];
		int64_t		w = b[up - second];

		to[i] = y < x ? y : x;
		first += y >= x;
		to[up] = w < z ? w : z;
		second += w >= z;

		x = a[third - 1];
		y = b[down - third];
		z = a[fourth - 1];
		w = b[end - fourth];
		to[down] = y < x ? x : y;
		third -= y < x;
		to[end] = w < z ? z : w;
		fourth -= w < z;
	}
}

/* Moves integers by a digit. */
static void
move_digit(int64_t *to, const int64_t *from, int count, int shift, int width)
{
	uint32_t	places[DIGIT_BINS] = {0};
	uint32_t	mask = (1 << width) - 1;
	uint32_t	place = 0;

	for (int i = 0; i < count; i++)
		places[(uint32_t) (from[i] >> shift) & mask]++;
	for (uint32_t bin = 0; bin <= mask; bin++)
	{
		uint32_t	next = place + places[bin];

		places[bin] = place;
		place = next;
	}
	for (int i = 0; i < count; i++)
		to[places[(uint32_t) (from[i] >> shift) & mask]++] = from[i];
}

/*
 * Sorts integers, as many as a power of two, by the "width" bits from "shift"
 * on; the others are in order where these are equal.  Returns which of the two
 * arrays has them.
 */
static int64_t *
sort(int64_t *from, int64_t *to, int count, int shift, int width)
{
	int			tile = count < TILE_MOST ? TILE_LEAST : TILE_MOST;
	int			run = tile / TILE_COLUMNS;
	int64_t    *other;

	if (count > TILE_MOST)
	{
		int			passes = (width + DIGIT_BITS - 1) / DIGIT_BITS;
		int			step = (width + passes - 1) / passes;

		for (int end = shift + width; shift < end; shift += step)
		{
			move_digit(to, from, count, shift, step);
			other = from;
			from = to;
			to = other;
		}
		return from;
	}
	sort_tiles(to, from, count, tile);
	for (; run < count; run *= 2)
	{
		other = from;
		from = to;
		to = other;
		for (int i = 0; i < count; i += 2 * run)
			merge_runs(to + i, from + i, from + i + run, run);
	}
	return to;
}

/* Sorts a run of places again, by the low bits of their keys. */
static void
sort_again(const CpuSpan *span, int64_t *places, int64_t *spare, int count,
		   int64_t least, int low)
{
	int64_t		mask = ((int64_t) 1 << span->bits) - 1;
	int			room = 1 << SPAN_LEAST_BITS;
	int64_t    *sorted;

	if (count < INSERT)
	{
		for (int i = 1; i < count; i++)
		{
			int64_t		place = places[i];
			int			to = i;

			for (; to > 0 && span->keys[places[to - 1] & mask] >
				 span->keys[place & mask]; to--)
				places[to] = places[to - 1];
			places[to] = place;
		}
		return;
	}
	while (room < count)
		room *= 2;
	for (int i = 0; i < count; i++)
	{
		uint64_t	key = (uint64_t) span->keys[places[i] & mask] - least;

		key &= ((uint64_t) 1 << low) - 1;
		spare[i] = (int64_t) (key << span->bits | (places[i] & mask));
	}
	for (int i = count; i < room; i++)
		spare[i] = INT64_MAX;
	sorted = sort(spare, span->spare[2], room, span->bits, low);
	for (int i = 0; i < count; i++)
		places[i] = sorted[i];
}

/* Returns whether sorted integers have equal ones next to each other. */
CPU_CLONES static bool
have_ties(const int64_t *places, int count, int bits)
{
	int			ties = 0;

	for (int i = 1; i < count; i++)
		ties |= places[i] >> bits == places[i - 1] >> bits;
	return ties != 0;
}

/* Sorts the keys that have been taken for equal. */
static void
sort_runs(const CpuSpan *span, int64_t *places, int64_t *spare, int64_t least,
		  int low)
{
	int			count = 1 << span->bits;
	int64_t		mask = count - 1;
	int			next;

	if (!have_ties(places, count, span->bits))
		return;
	for (int first = 0; first < count; first = next)
	{
		bool		sorted = true;

		for (next = first + 1; next < count &&
			 places[next] >> span->bits == places[first] >> span->bits; next++)
			sorted &= span->keys[places[next - 1] & mask] <=
				span->keys[places[next] & mask];
		if (!sorted)
			sort_again(span, places + first, spare, next - first, least, low);
	}
}

/*
 * Makes the integers.  Returns whether the keys are in order.  "lost" says
 * whether low bits in which keys differ are left out.
 */
CPU_CLONES static bool
join_places(const CpuSpan *span, int64_t *places, int *width, int64_t *least,
			int *low, bool *lost)
{
	const int64_t *keys = span->keys;
	int			count = 1 << span->bits;
	int			room = 63 - span->bits;
	int64_t		first = keys[0];
	int64_t		last = keys[0];
	int64_t		differ = 0;
	int64_t		falls = 0;

	for (int i = 1; i < count; i++)
	{
		first = keys[i] < first ? keys[i] : first;
		last = keys[i] > last ? keys[i] : last;
		differ |= keys[i] ^ keys[0];
		falls |= keys[i] < keys[i - 1];
	}
	if (!falls)
		return true;
	if (count > TILE_MOST)
		room = DIGITS * DIGIT_BITS;
	*width = 64 - __builtin_clzll((uint64_t) last - first);
	*least = first;
	*low = __builtin_ctzll(differ);
	*lost = *width > room + *low;
	*low = *lost ? *width - room : *low;
	*width -= *low;
	for (int i = 0; i < count; i++)
		places[i] = (int64_t) (((uint64_t) keys[i] - first) >> *low
							   << span->bits | i);
	return false;
}

/* Makes keys of the integers again, which have all bits of theirs. */
CPU_CLONES static void
split_keys(const CpuSpan *span, const int64_t *restrict places, int64_t least,
		   int low)
{
	int			count = 1 << span->bits;
	int64_t    *restrict sorted = span->sorted;

	for (int i = 0; i < count; i++)
		sorted[i] = (int64_t) (((uint64_t) places[i] >> span->bits << low) +
							   least);
}

/* Puts the rank of each key, and with "keys" also these in their order. */
INLINE void
put_ranks(uint32_t *restrict ranks, int64_t *restrict sorted,
		  const int64_t *places, const int64_t *keys, int count)
{
	for (int i = 0; i < count; i++)
	{
		int64_t		place = places[i] & (count - 1);

		if (keys != NULL)
			sorted[i] = keys[place];
		ranks[place] = i;
	}
}

const int64_t *
cpu_span_order(const CpuSpan *span)
{
	int			count = 1 << span->bits;
	int64_t    *places = span->spare[0];
	int64_t		least;
	int			width;
	int			low;
	bool		lost;

	if (join_places(span, places, &width, &least, &low, &lost))
	{
		number_from((int32_t *) span->ranks, 0, count);
		return span->keys;
	}
	places = sort(places, span->spare[1], count, span->bits, width);
	if (lost)
	{
		sort_runs(span, places, span->spare[places == span->spare[0]], least,
				  low);
		put_ranks(span->ranks, span->sorted, places, span->keys, count);
	}
	else
	{
		split_keys(span, places, least, low);
		put_ranks(span->ranks, NULL, places, NULL, count);
	}
	return span->sorted;
}

/* All widths of frames that are sorted, each in a lane. */
#define FRAME_WIDTHS(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) \
	X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

#define SORT_FRAMES(width) \
	CPU_CLONES static void \
	sort_##width(int64_t *restrict to, const int64_t *keys) \
	{ \
		sort_rows(to, keys, 1, width, FRAME_LANES); \
	}
#define FRAME_SORT(width)	[width] = sort_##width,

FRAME_WIDTHS(SORT_FRAMES)

void
cpu_span_sort_frames(int64_t rows[FRAME_ROWS][FRAME_LANES],
					 const int64_t *keys, int width)
{
	static void (*const sorts[]) (int64_t *restrict, const int64_t *) = {
		FRAME_WIDTHS(FRAME_SORT)
	};

	sorts[width] (rows[0], keys);
}
