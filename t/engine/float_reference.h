/*
 * float_reference.h
 *	  A reference implementation of sums of floats, and of what comes of them:
 *	  one element after the other, in the order that float_order.h lays down.
 *
 * The sum or product of two floats in double precision, rounded to a float, is
 * that in single precision.
 */
#ifndef GPUCOMPACT_FLOAT_REFERENCE_H
#define GPUCOMPACT_FLOAT_REFERENCE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "contract/engine.h"
#include "contract/float_order.h"
#include "engines.h"

/* As PostgreSQL compares: NaN is greater than every number. */
static inline bool
is_less(double a, double b)
{
	return isnan(b) ? !isnan(a) : a < b;
}

static inline void
note(EngineOverflow *noted, EngineOverflow overflow)
{
	if (*noted != OVERFLOW_UP)
		*noted = overflow;
}

/* Rounds to the kind, and notes whether that overflows. */
static inline double
rounded(ElementKind kind, double real, double a, double b, bool product,
		EngineOverflow *overflow)
{
	if (kind == KIND_FLOAT4)
		real = (float) real;
	if (isinf(real) && !isinf(a) && !isinf(b))
		note(overflow, OVERFLOW_UP);
	if (product && real == 0 && a != 0 && b != 0)
		note(overflow, OVERFLOW_DOWN);
	return isnan(real) ? NAN : real;
}

static inline double
plus(ElementKind kind, double a, double b, EngineOverflow *overflow)
{
	return rounded(kind, a + b, a, b, false, overflow);
}

static inline double
minus(ElementKind kind, double a, double b, EngineOverflow *overflow)
{
	return rounded(kind, a - b, a, b, false, overflow);
}

static inline double
times(ElementKind kind, double a, double b, EngineOverflow *overflow)
{
	return rounded(kind, a * b, a, b, true, overflow);
}

/* The sum of elements of a kind. */
static inline double
sum_in_order(ElementKind kind, const double *elements, int64_t count,
			 EngineOverflow *overflow)
{
	double		c = -0.0;
	double		r = -0.0;
	double		s = -0.0;

	for (int64_t i = 0; i < count; i++)
	{
		if (i % FLOAT_TILE == 0)
		{
			c = plus(kind, plus(kind, c, r, overflow), s, overflow);
			r = s = -0.0;
		}
		else if (i % FLOAT_SEGMENT == 0)
		{
			r = plus(kind, r, s, overflow);
			s = -0.0;
		}
		s = plus(kind, s, elements[i], overflow);
	}
	return plus(kind, plus(kind, c, r, overflow), s, overflow);
}

/* The sums of some pairs, and of their differences from their averages. */
typedef struct PairSums
{
	double		count;
	double		sum[2];
	double		squares[2];
	double		products;
} PairSums;

static inline PairSums
merge_sums(PairSums a, PairSums b, EngineOverflow *overflow)
{
	PairSums	both = {.count = a.count + b.count};
	double		apart[2];

	if (a.count == 0)
		return b;
	if (b.count == 0)
		return a;
	for (int i = 0; i < 2; i++)
	{
		apart[i] = a.sum[i] / a.count - b.sum[i] / b.count;
		both.sum[i] = plus(KIND_FLOAT8, a.sum[i], b.sum[i], overflow);
		both.squares[i] =
			rounded(KIND_FLOAT8, a.squares[i] + b.squares[i] + a.count *
					b.count * apart[i] * apart[i] / both.count,
					a.squares[i], b.squares[i], false, overflow);
	}
	both.products =
		rounded(KIND_FLOAT8, a.products + b.products + a.count * b.count *
				apart[1] * apart[0] / both.count, a.products, b.products,
				false, overflow);
	return both;
}

static inline PairSums
sum_segment(const double *const numbers[2], int64_t from, int64_t to,
			EngineOverflow *overflow)
{
	PairSums	sums = {to - from, {-0.0, -0.0}};
	double		average[2];
	bool		finite[2] = {true, true};

	for (int j = 0; j < 2; j++)
	{
		for (int64_t i = from; i < to; i++)
		{
			sums.sum[j] = plus(KIND_FLOAT8, sums.sum[j], numbers[j][i],
							   overflow);
			finite[j] &= isfinite(numbers[j][i]);
		}
		average[j] = sums.sum[j] / sums.count;
		for (int64_t i = from; i < to; i++)
			sums.squares[j] += (numbers[j][i] - average[j]) *
				(numbers[j][i] - average[j]);
		if (finite[j] && !isfinite(sums.squares[j]))
			note(overflow, OVERFLOW_UP);
	}
	for (int64_t i = from; i < to; i++)
		sums.products += (numbers[0][i] - average[0]) *
			(numbers[1][i] - average[1]);
	if (finite[0] && finite[1] && !isfinite(sums.products))
		note(overflow, OVERFLOW_UP);
	return sums;
}

/* The sums of all pairs of two arrays. */
static inline PairSums
sum_pairs(const double *y, const double *x, int64_t count,
		  EngineOverflow *overflow)
{
	const double *const numbers[2] = {y, x};
	PairSums	c = {0};

	for (int64_t tile = 0; tile < count; tile += FLOAT_TILE)
	{
		int64_t		end = tile + FLOAT_TILE < count ? tile + FLOAT_TILE : count;
		PairSums	r = {0};
		PairSums	s = {0};

		for (int64_t i = tile; i < end; i += FLOAT_SEGMENT)
		{
			r = merge_sums(r, s, overflow);
			s = sum_segment(numbers, i, i + FLOAT_SEGMENT < end ?
							i + FLOAT_SEGMENT : end, overflow);
		}
		c = merge_sums(merge_sums(c, r, overflow), s, overflow);
	}
	return c;
}

/* Makes an array of doubles.  The caller frees it. */
static inline double *
doubles_of(ElementKind kind, const void *elements, int64_t count)
{
	double	   *doubles = malloc(count * sizeof(double));

	for (int64_t i = 0; i < count; i++)
		doubles[i] = number_at(kind, elements, i);
	return doubles;
}

/* The same bits, or both a NaN. */
static inline bool
same_double(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

#endif							/* GPUCOMPACT_FLOAT_REFERENCE_H */
