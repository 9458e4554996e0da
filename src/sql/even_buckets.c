/*
 * even_buckets.c
 *	  Buckets of equal width.
 *
 * Their thresholds are the least elements that core's width_bucket puts into
 * each bucket.  Those of floats are found by calling it, so that the answers
 * are the server's, however its version rounds.
 */
#include "sql/function.h"

#include <math.h>

#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/float.h"

/* Where core would overflow, this makes numbers small enough. */
#define FAR_FACTOR		0x1p-40

/*
 * Core's function of floats.  Before PostgreSQL 16 it may overflow; then core's
 * roundings are the same for smaller numbers.
 */
static int32
core_bucket_float8(float8 x, float8 low, float8 high, int32 buckets)
{
	bool		scaled = (x >= Min(low, high) && x <= Max(low, high) &&
						  x != high &&
						  (isinf(high - low) || isinf(buckets * (x - low))));
	float8		factor = scaled ? FAR_FACTOR : 1;
	Datum		bucket = DirectFunctionCall4(width_bucket_float8,
											 Float8GetDatum(x * factor),
											 Float8GetDatum(low * factor),
											 Float8GetDatum(high * factor),
											 Int32GetDatum(buckets));

	/* The least floats are zero then, and may equal the last bound. */
	return scaled ? Min(DatumGetInt32(bucket), buckets) : DatumGetInt32(bucket);
}

/*
 * The bucket of an element by core's function, counted from the last one if
 * reversed.
 */
int64
core_bucket(const EvenBuckets *even, uint64 index)
{
	int32		bucket;

	if (kind_is_float(even->kind))
		bucket = core_bucket_float8(float_at(even->kind, index),
									DatumGetFloat8(even->low),
									DatumGetFloat8(even->high), even->buckets);
	else
	{
		Numeric		x = int64_to_numeric(integer_at(even->kind, index));
		Datum		buckets = Int32GetDatum(even->buckets);

		bucket = DatumGetInt32(DirectFunctionCall4(width_bucket_numeric,
												   NumericGetDatum(x),
												   even->low, even->high,
												   buckets));
		pfree(x);
	}
	Assert(bucket >= 0 && bucket <= even->buckets + INT64CONST(1));
	return even->reversed ? even->buckets + INT64CONST(1) - bucket : bucket;
}

static float8
bound_float8(const EvenBuckets *even, Datum bound)
{
	return kind_is_float(even->kind) ? DatumGetFloat8(bound) :
		DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, bound));
}

/* The index of an element near a number, as a guess. */
static uint64
index_near(ElementKind kind, float8 number)
{
	float8		least = float_at(kind, 0);
	ElementValue value;

	if (kind == KIND_FLOAT4)
		value.float4 = (float4) number;
	else if (kind == KIND_FLOAT8)
		value.float8 = number;
	else if (!(number > least))
		return 0;
	else if (number >= -least)
		return last_index(kind);
	else
		return element_index(kind, (uint64) (int64) number);
	return element_index(kind, element_bits(&value, kind_size(kind)));
}

/*
 * Finds the first element, from "from" on, in "bucket" or a later bucket, by an
 * exponential search from a guess and then a binary search.  Returns false if
 * no element is there.
 */
static bool
search_threshold(const EvenBuckets *even, int64 bucket, uint64 from,
				 uint64 guess, uint64 *found)
{
	uint64		last = kind_is_float(even->kind) ?
		index_near(even->kind, get_float8_infinity()) : last_index(even->kind);
	uint64		low = Min(Max(guess, from), last);
	uint64		high = low;
	uint64		step = 1;
	bool		is_below;

	Assert(!isnan(float_at(even->kind, last)));
	for (; low > from && core_bucket(even, low) >= bucket; step *= 2)
	{
		high = low;
		low -= Min(step, low - from);
	}
	is_below = high == low;
	for (; is_below && high < last && core_bucket(even, high) < bucket;
		 step *= 2)
	{
		low = high + 1;
		high += Min(step, last - high);
	}
	if (high == last && core_bucket(even, last) < bucket)
		return false;
	while (low < high)
	{
		uint64		middle = low + (high - low) / 2;

		if (core_bucket(even, middle) >= bucket)
			high = middle;
		else
			low = middle + 1;
	}
	*found = low;
	return true;
}

/* Finds the thresholds by core's function, until no element reaches one. */
static void
search_thresholds(EvenBuckets *even, float8 first, float8 last)
{
	Thresholds *thresholds = &even->thresholds;
	uint64		index = 0;

	for (int64 i = 0; i <= even->buckets; i++)
	{
		float8		part = (float8) i / even->buckets;
		uint64		guess = index_near(even->kind,
									   first * (1 - part) + last * part);

		CHECK_FOR_INTERRUPTS();
		if (!search_threshold(even, i + 1, index, guess, &index))
			return;
		put_threshold(thresholds, thresholds->count++, index);
	}
}

/*
 * Returns whether a numeric is an integer between -PG_INT64_MAX and
 * PG_INT64_MAX, and which.
 */
static bool
is_int8(Datum number, int64 *integer)
{
	Datum		greatest = NumericGetDatum(int64_to_numeric(PG_INT64_MAX));
	Datum		absolute = DirectFunctionCall1(numeric_abs, number);

	if (DatumGetInt32(DirectFunctionCall1(numeric_min_scale, number)) > 0 ||
		!DatumGetBool(DirectFunctionCall2(numeric_le, absolute, greatest)))
		return false;
	*integer = DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
	return true;
}

/*
 * The thresholds of integers: threshold i is the least integer that is not
 * less than first + i * width / buckets, or, if reversed, the least that is
 * greater.  The fraction is represented by its whole part and a remainder.
 */
static void
divide_evenly(EvenBuckets *even, int64 low, int64 high)
{
	int64		first = Min(low, high);
	uint64		buckets = even->buckets;
	uint64		width = (uint64) Max(low, high) - (uint64) first;
	int64		least = integer_at(even->kind, 0);
	int64		greatest = integer_at(even->kind, last_index(even->kind));
	Thresholds *thresholds = &even->thresholds;
	uint64		whole = 0;
	uint64		rest = 0;

	for (uint64 i = 0; i <= buckets; i++)
	{
		uint64		offset = whole + (even->reversed || rest > 0 ? 1 : 0);
		int64		threshold = (int64) ((uint64) first + offset);

		CHECK_FOR_INTERRUPTS();
		if (offset > (uint64) PG_INT64_MAX - (uint64) first ||
			threshold > greatest)
			return;
		put_threshold(thresholds, thresholds->count++,
					  threshold <= least ? 0 :
					  element_index(even->kind, (uint64) threshold));
		whole += width / buckets;
		rest += width % buckets;
		if (rest >= buckets)
		{
			rest -= buckets;
			whole++;
		}
	}
}

/* Makes the thresholds, after core's function has checked the arguments. */
static void
make_thresholds(EvenBuckets *even)
{
	Thresholds *thresholds = &even->thresholds;
	bool		floats = kind_is_float(even->kind);
	float8		low = bound_float8(even, even->low);
	float8		high = bound_float8(even, even->high);
	int64		low_integer;
	int64		high_integer;

	(void) core_bucket(even, element_index(even->kind, 0));
	even->reversed = floats ? low > high :
		DatumGetBool(DirectFunctionCall2(numeric_gt, even->low, even->high));
	even->first = Min(low, high);
	even->scale = even->buckets / fabs(high - low);
	thresholds->size = kind_size(even->kind);
	thresholds->indexes = large_value_allocate((even->buckets + INT64CONST(2)) *
											   thresholds->size);
	if (!floats && is_int8(even->low, &low_integer) &&
		is_int8(even->high, &high_integer))
		divide_evenly(even, low_integer, high_integer);
	else
		search_thresholds(even, even->first, Max(low, high));
	Assert(!floats || thresholds->count == even->buckets + INT64CONST(1));
	if (floats)
		put_threshold(thresholds, thresholds->count++, last_index(even->kind));
}

/*
 * The buckets that a call's arguments name, from the "first" on, often as the
 * last call did.  The bounds of integers are numeric, unless all are float8.
 */
EvenBuckets *
even_buckets(FunctionCallInfo fcinfo, int first, ElementKind kind,
			 bool float_bounds)
{
	CallSite   *site = call_site(fcinfo);
	EvenBuckets *even = site->own;
	int			length = kind_is_float(kind) ? sizeof(float8) : -1;
	bool		byval = kind_is_float(kind);
	Datum		low = PG_GETARG_DATUM(first);
	Datum		high = PG_GETARG_DATUM(first + 1);
	int32		buckets = PG_GETARG_INT32(first + 2);
	MemoryContext context;
	MemoryContext caller;

	if (!kind_is_float(kind) && float_bounds)
	{
		low = DirectFunctionCall1(float8_numeric, low);
		high = DirectFunctionCall1(float8_numeric, high);
	}
	else if (!kind_is_float(kind))
	{
		low = NumericGetDatum(DatumGetNumeric(low));
		high = NumericGetDatum(DatumGetNumeric(high));
	}
	if (even != NULL && even->kind == kind &&
		even->buckets == buckets &&
		datumIsEqual(even->low, low, byval, length) &&
		datumIsEqual(even->high, high, byval, length))
		return even;
	if (even != NULL)
		MemoryContextDelete(even->context);
	site->own = NULL;

	context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt,
									"gpucompact buckets",
									ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(context);
	even = palloc0(sizeof(EvenBuckets));
	even->context = context;
	even->kind = kind;
	even->low = datumCopy(low, byval, length);
	even->high = datumCopy(high, byval, length);
	even->buckets = buckets;
	make_thresholds(even);
	MemoryContextSwitchTo(caller);
	site->own = even;
	return even;
}

/* How many thresholds are not above an element, which a division guesses. */
static int64
count_below(const EvenBuckets *even, double value, uint64 index)
{
	const Thresholds *thresholds = &even->thresholds;
	double		guess = (value - even->first) * even->scale + 1;
	int64		from = 0;
	int64		to = thresholds->count;
	int64		below = guess >= 0 ? (int64) Min(guess, (double) to) : 0;

	if ((below == 0 || get_threshold(thresholds, below - 1) <= index) &&
		(below == to || get_threshold(thresholds, below) > index))
		return below;
	while (from < to)
	{
		int64		middle = from + (to - from) / 2;

		if (get_threshold(thresholds, middle) <= index)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The bucket of a value.  Raises 2201G if it is NaN, as core's function. */
int64
even_bucket(const EvenBuckets *even, Datum value)
{
	ElementKind kind = even->kind;
	int64		bits = element_integer(&value, kind_size(kind));
	double		number = kind == KIND_FLOAT8 ? DatumGetFloat8(value) :
		kind == KIND_FLOAT4 ? DatumGetFloat4(value) : (double) bits;
	uint64		index = element_index(kind, bits);
	int64		below = count_below(even, number, index);

	if (kind_is_float(kind) && below == even->thresholds.count)
		return core_bucket(even, index);
	return even->reversed ? even->buckets + INT64CONST(1) - below : below;
}
