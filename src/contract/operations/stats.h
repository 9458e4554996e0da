/*
 * stats.h
 *	  STATS: its summary, an EngineStats, and how both engines merge parts of
 *	  it.
 *
 * Sums of integers and of their squares are exact, and merge in any order.
 *
 * Sums of floats are those of float_order.h: with "tile" for its blocks and
 * "segment" for its runs, the moments of an array are
 *
 *	  segment	the sum from left to right, s; and the sum of (x - s / n)^2 over
 *				its n elements, from left to right, in double precision
 *	  tile		all its segments but the last, merged from left to right: r
 *	  array		c is that of the tiles before, merged with r, and then with the
 *				tile's last segment
 *
 * where merging is that of core's float8_combine.  What overflows is an
 * operation on the way to these, whose result is infinite and whose operands
 * are not.
 */
#ifndef GPUCOMPACT_OPERATIONS_STATS_H
#define GPUCOMPACT_OPERATIONS_STATS_H

#include "contract/kinds.h"

/*
 * An integer in two's complement, its least significant word first: the squares
 * of 2^27 elements of 64 bits add up to 153 bits.
 */
#define WIDE_WORDS		3

typedef struct WideInteger
{
	uint64_t	words[WIDE_WORDS];
} WideInteger;

/* Of floats. */
typedef struct Moments
{
	double		count;
	double		sum;
	double		squares;		/* of the differences from the mean, summed */
} Moments;

typedef struct EngineStats
{
	int64_t		least;			/* of integers */
	int64_t		greatest;
	uint64_t	least_order;	/* of floats, in the order of order.h */
	uint64_t	greatest_order;
	WideInteger sum;			/* of integers */
	WideInteger squares;
	Moments		moments;		/* of floats */
	double		own_sum;		/* the sum in the type of the elements */
} EngineStats;

ENGINES_INLINE void
wide_add(WideInteger *to, WideInteger value)
{
	uint64_t	carry = 0;

	for (int i = 0; i < WIDE_WORDS; i++)
	{
		uint64_t	word = to->words[i] + carry;

		carry = word < carry;
		to->words[i] = word + value.words[i];
		carry += to->words[i] < word;
	}
}

/* An integer times 2^shift, which is 0, 32, 64 or 96. */
ENGINES_INLINE WideInteger
wide_integer(int64_t value, int shift)
{
	uint64_t	sign = value < 0 ? UINT64_MAX : 0;
	WideInteger wide = {{(uint64_t) value, sign, sign}};

	if (shift % 64 != 0)
	{
		wide.words[1] = (uint64_t) (value >> 32);
		wide.words[0] = (uint64_t) value << 32;
	}
	if (shift >= 64)
	{
		wide.words[2] = wide.words[1];
		wide.words[1] = wide.words[0];
		wide.words[0] = 0;
	}
	return wide;
}

/*
 * Sums of integers, by the halves of their words, so that none of fewer than
 * 2^31 elements overflows.  A wide element is squared by its magnitude, high *
 * 2^32 + low; in a narrow one "high" is zero.
 */
typedef struct IntegerSums
{
	int64_t		low;
	int64_t		high;
	uint64_t	low_low[2];		/* low^2: the lower half and the upper one */
	uint64_t	low_high[2];
	uint64_t	high_high[2];
} IntegerSums;

ENGINES_INLINE void
add_halves(uint64_t halves[2], uint64_t value)
{
	halves[0] += (uint32_t) value;
	halves[1] += value >> 32;
}

ENGINES_INLINE void
integer_sums_add_narrow(IntegerSums *sums, int32_t value)
{
	sums->low += value;
	add_halves(sums->low_low, (uint64_t) ((int64_t) value * value));
}

ENGINES_INLINE void
integer_sums_add_wide(IntegerSums *sums, int64_t value)
{
	uint64_t	sign = (uint64_t) 0 - ((uint64_t) value >> 63);
	uint64_t	magnitude = ((uint64_t) value ^ sign) - sign;
	uint64_t	low = (uint32_t) magnitude;
	uint64_t	high = magnitude >> 32;

	sums->low += (uint32_t) value;
	sums->high += (int32_t) ((uint64_t) value >> 32);
	add_halves(sums->low_low, low * low);
	add_halves(sums->low_high, low * high);
	add_halves(sums->high_high, high * high);
}

ENGINES_INLINE void
add_shifted(WideInteger *to, const uint64_t halves[2], int times, int shift)
{
	wide_add(to, wide_integer((int64_t) halves[0] * times, shift));
	wide_add(to, wide_integer((int64_t) halves[1] * times, shift + 32));
}

ENGINES_INLINE void
integer_sums_total(const IntegerSums *sums, EngineStats *stats)
{
	stats->sum = wide_integer(sums->low, 0);
	wide_add(&stats->sum, wide_integer(sums->high, 32));
	stats->squares = wide_integer(0, 0);
	add_shifted(&stats->squares, sums->low_low, 1, 0);
	add_shifted(&stats->squares, sums->low_high, 2, 32);
	add_shifted(&stats->squares, sums->high_high, 1, 64);
}

/* Returns true if an operation on "a" and "b" with this result overflows. */
ENGINES_INLINE bool
stats_overflow(double result, double a, double b)
{
	return result == result && result - result != 0 &&
		a - a == 0 && b - b == 0;
}

/* What two sums of squares lack: the squares of the means' difference. */
ENGINES_INLINE double
moments_between(Moments a, Moments b)
{
	double		apart = a.sum / a.count - b.sum / b.count;

	return a.count * b.count * apart * apart / (a.count + b.count);
}

/* Core's float8_combine; notes whether it overflows. */
ENGINES_INLINE Moments
moments_merge(Moments a, Moments b, bool *overflow)
{
	Moments		both = {a.count + b.count, a.sum + b.sum, 0};

	if (a.count == 0)
		return b;
	if (b.count == 0)
		return a;
	both.squares = a.squares + b.squares + moments_between(a, b);
	*overflow |= stats_overflow(both.sum, a.sum, b.sum) ||
		stats_overflow(both.squares, a.squares, b.squares);
	return both;
}

#endif							/* GPUCOMPACT_OPERATIONS_STATS_H */
