/*
 * rows.c
 *	  Arrays of one length, folded position by position.
 *
 * Each loop is free of branches, so that the compiler vectorises it.  What is
 * out of range is noted on the way.
 */

#include <math.h>

#include "contract/cpu_clones.h"
#include "contract/order.h"
#include "loops/rows.h"

/* Sums of integers, as int8. */
#define SUM_INTEGERS(name, element) \
	CPU_CLONES static bool \
	name(void *results, const void *elements, int64_t count) \
	{ \
		int64_t    *sums = results; \
		const element *in = elements; \
		int64_t		over = 0; \
		\
		for (int64_t i = 0; i < count; i++) \
		{ \
			int64_t		item = in[i]; \
			int64_t		sum = (int64_t) ((uint64_t) sums[i] + \
										 (uint64_t) item); \
			\
			over |= (sums[i] ^ sum) & (item ^ sum); \
			sums[i] = sum; \
		} \
		return over < 0; \
	}

SUM_INTEGERS(sum_int2, int16_t)
SUM_INTEGERS(sum_int4, int32_t)
SUM_INTEGERS(sum_int8, int64_t)

/* Sums of floats; one is out of range if it is infinite and no operand is. */
#define SUM_FLOATS(name, element, result, flag) \
	CPU_CLONES static bool \
	name(void *results, const void *elements, int64_t count) \
	{ \
		result	   *sums = results; \
		const element *in = elements; \
		flag		over = 0; \
		\
		for (int64_t i = 0; i < count; i++) \
		{ \
			result		item = in[i]; \
			result		sum = sums[i] + item; \
			flag		infinite = sum - sum != 0 ? -1 : 0; \
			flag		finite = sums[i] - sums[i] == 0 ? -1 : 0; \
			flag		finite_item = item - item == 0 ? -1 : 0; \
			\
			over |= infinite & finite & finite_item; \
			sums[i] = sum; \
		} \
		return over != 0; \
	}

SUM_FLOATS(sum_float4, float, float, int32_t)
SUM_FLOATS(sum_float8, double, double, int64_t)
SUM_FLOATS(sum_float4_to_float8, float, double, int64_t)

static bool
sum_int8_to_wide(void *results, const void *elements, int64_t count)
{
	RowsWideSum *sums = results;
	const int64_t *in = elements;

	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	low = sums[i].low + (uint64_t) in[i];

		sums[i].high += (in[i] < 0 ? -1 : 0) + (low < sums[i].low);
		sums[i].low = low;
	}
	return false;
}

static bool
sum_wide(void *results, const void *elements, int64_t count)
{
	RowsWideSum *sums = results;
	const RowsWideSum *in = elements;

	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	low = sums[i].low + in[i].low;

		sums[i].high += in[i].high + (low < sums[i].low);
		sums[i].low = low;
	}
	return false;
}

/* Of equal elements the later one stays, as in core. */
#define EXTREME(name, element, before) \
	CPU_CLONES static bool \
	name(void *results, const void *elements, int64_t count) \
	{ \
		element    *extremes = results; \
		const element *in = elements; \
		\
		for (int64_t i = 0; i < count; i++) \
		{ \
			element		a = extremes[i]; \
			element		b = in[i]; \
			\
			extremes[i] = before ? a : b; \
		} \
		return false; \
	}

#define MINIMUM(KIND, element)	EXTREME(min_##KIND, element, FLOAT_LESS(a, b))
#define MAXIMUM(KIND, element)	EXTREME(max_##KIND, element, FLOAT_LESS(b, a))

FOR_EACH_KIND(MINIMUM)
FOR_EACH_KIND(MAXIMUM)

/* The sums of integers and of their squares. */
#define INTEGER_MOMENTS(name, element) \
	static bool \
	name(void *results, const void *elements, int64_t count) \
	{ \
		RowsIntegerMoments *moments = results; \
		const element *in = elements; \
		\
		for (int64_t i = 0; i < count; i++) \
		{ \
			unsigned __int128 square = (WideSum) in[i] * in[i]; \
			WideInteger wide = {{(uint64_t) square, square >> 64, 0}}; \
			\
			wide_add(&moments[i].sum, wide_integer(in[i], 0)); \
			wide_add(&moments[i].squares, wide); \
		} \
		return false; \
	}

INTEGER_MOMENTS(moments_int2, int16_t)
INTEGER_MOMENTS(moments_int4, int32_t)
INTEGER_MOMENTS(moments_int8, int64_t)

static bool
merge_integer_moments(void *results, const void *elements, int64_t count)
{
	RowsIntegerMoments *moments = results;
	const RowsIntegerMoments *in = elements;

	for (int64_t i = 0; i < count; i++)
	{
		wide_add(&moments[i].sum, in[i].sum);
		wide_add(&moments[i].squares, in[i].squares);
	}
	return false;
}

/*
 * The moments with one more value, by the recurrence of Youngs and Cramer, as
 * core adds one.
 */
static Moments
add_moment(Moments before, double value, bool *overflow)
{
	Moments		after = {before.count + 1, before.sum + value, before.squares};
	double		apart = value * after.count - after.sum;

	if (before.count > 0)
		after.squares += apart * apart / (after.count * before.count);
	if (isinf(after.sum) || isinf(after.squares))
	{
		*overflow |= before.count > 0 && !isinf(before.sum) && !isinf(value);
		after.squares = NAN;
	}
	if (before.count == 0 && isnan(value))
		after.squares = NAN;
	return after;
}

#define FLOAT_MOMENTS(name, element) \
	static bool \
	name(void *results, const void *elements, int64_t count) \
	{ \
		Moments    *moments = results; \
		const element *in = elements; \
		bool		overflow = false; \
		\
		for (int64_t i = 0; i < count; i++) \
			moments[i] = add_moment(moments[i], in[i], &overflow); \
		return overflow; \
	}

FLOAT_MOMENTS(moments_float4, float)
FLOAT_MOMENTS(moments_float8, double)

static bool
merge_float_moments(void *results, const void *elements, int64_t count)
{
	Moments    *moments = results;
	const Moments *in = elements;
	bool		overflow = false;

	for (int64_t i = 0; i < count; i++)
		moments[i] = moments_merge(moments[i], in[i], &overflow);
	return overflow;
}

#define FOLD_MINIMUM(KIND, element) \
	[KIND_##KIND] = {KIND_##KIND, 0, min_##KIND, min_##KIND},
#define FOLD_MAXIMUM(KIND, element) \
	[KIND_##KIND] = {KIND_##KIND, 0, max_##KIND, max_##KIND},

const RowsFolds cpu_rows_folds[ROWS_OPERATORS][ELEMENT_KINDS] = {
	[ROWS_SUM] = {
		[KIND_INT2] = {KIND_INT8, 0, sum_int2, sum_int8},
		[KIND_INT4] = {KIND_INT8, 0, sum_int4, sum_int8},
		[KIND_INT8] = {KIND_INT8, 0, sum_int8, sum_int8},
		[KIND_FLOAT4] = {KIND_FLOAT4, 0, sum_float4, sum_float4},
		[KIND_FLOAT8] = {KIND_FLOAT8, 0, sum_float8, sum_float8}
	},
	[ROWS_MIN] = {FOR_EACH_KIND(FOLD_MINIMUM)},
	[ROWS_MAX] = {FOR_EACH_KIND(FOLD_MAXIMUM)},
	[ROWS_AVG] = {
		[KIND_INT2] = {KIND_INT8, 0, sum_int2, sum_int8},
		[KIND_INT4] = {KIND_INT8, 0, sum_int4, sum_int8},
		[KIND_INT8] = {KIND_INT8, sizeof(RowsWideSum),
			sum_int8_to_wide, sum_wide},
		[KIND_FLOAT4] = {KIND_FLOAT8, 0, sum_float4_to_float8, sum_float8},
		[KIND_FLOAT8] = {KIND_FLOAT8, 0, sum_float8, sum_float8}
	},
	[ROWS_STDDEV] = {
		[KIND_INT2] = {KIND_INT8, sizeof(RowsIntegerMoments),
			moments_int2, merge_integer_moments},
		[KIND_INT4] = {KIND_INT8, sizeof(RowsIntegerMoments),
			moments_int4, merge_integer_moments},
		[KIND_INT8] = {KIND_INT8, sizeof(RowsIntegerMoments),
			moments_int8, merge_integer_moments},
		[KIND_FLOAT4] = {KIND_FLOAT8, sizeof(Moments),
			moments_float4, merge_float_moments},
		[KIND_FLOAT8] = {KIND_FLOAT8, sizeof(Moments),
			moments_float8, merge_float_moments}
	}
};
