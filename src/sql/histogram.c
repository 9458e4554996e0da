/*
 * histogram.c
 *	  Buckets: SQL functions that put the elements of an array into them, and
 *	  gpu_histogram_agg, an aggregate over the values of rows.
 *
 * An engine knows only thresholds, by their index in the order of the elements.
 * The thresholds of even buckets are the least elements that core's
 * width_bucket puts into each bucket.  Those of floats are found by calling it,
 * so that the answers are the server's, however its version rounds.
 */
#include "sql/function.h"

#include <math.h>

#include "common/hashfn.h"
#include "nodes/primnodes.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"

#include "sql/aggregate.h"

/*
 * Thresholds in ascending order, each as an unsigned integer of "size" bytes.
 */
typedef struct Thresholds
{
	int			size;
	int64		count;
	char	   *indexes;
} Thresholds;

static inline void
put_threshold(Thresholds *thresholds, int64 i, uint64 index)
{
	put_element_bits(thresholds->indexes + i * thresholds->size, index,
					 thresholds->size);
}

static inline uint64
get_threshold(const Thresholds *thresholds, int64 i)
{
	return element_bits(thresholds->indexes + i * thresholds->size,
						thresholds->size);
}

/*
 * Even buckets between two bounds, as width_bucket(x, low, high, buckets) has
 * them.  They are cached from call to call.  If "reversed", low > high, and the
 * elements of the first bucket are the greatest: then the thresholds begin with
 * that of the last bucket.  For floats, NaN is one more threshold at the end.
 */
typedef struct EvenBuckets
{
	ElementKind kind;
	uint64		hash;			/* for aggregates; or zero */
	Datum		low;
	Datum		high;
	int32		buckets;
	bool		constant;		/* all calls of this site name these */
	bool		reversed;
	double		first;			/* the lower bound, about */
	double		scale;			/* buckets per unit, about */
	Thresholds	thresholds;
	MemoryContext context;		/* has all that is above */
} EvenBuckets;

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
static int64
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
 * greater.
 */
static void
divide_evenly(EvenBuckets *even, int64 low, int64 high)
{
	WideSum		width = (WideSum) Max(low, high) - Min(low, high);
	int64		greatest = integer_at(even->kind, last_index(even->kind));
	Thresholds *thresholds = &even->thresholds;

	for (int64 i = 0; i <= even->buckets; i++)
	{
		WideSum		part = i * width;
		WideSum		threshold = Min(low, high) + (even->reversed ?
			part / even->buckets + 1 :
			(part + even->buckets - 1) / even->buckets);

		CHECK_FOR_INTERRUPTS();
		if (threshold > greatest)
			return;
		put_threshold(thresholds, thresholds->count++,
					  threshold <= integer_at(even->kind, 0) ? 0 :
					  element_index(even->kind, (uint64) threshold));
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
static EvenBuckets *
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
static int64
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

/*
 * Counts the elements of each bucket.  There is one bucket more than
 * thresholds.
 */
static void
count_elements(ArrayReader *reader, const Thresholds *thresholds,
			   int32 *counts)
{
	EngineRequest request = {
		.operation = ENGINE_HISTOGRAM,
		.count = reader->count,
		.outputs[0].kind = KIND_INT4,
		.table = thresholds->indexes,
		.table_bytes = thresholds->count * thresholds->size,
		.summary = counts,
		.summary_bytes = (thresholds->count + 1) * sizeof(int32)
	};

	if (request.count == 0)
		set_bytes(counts, 0, request.summary_bytes);
	(void) call_engine(&request, reader);
}

/*
 * gpu_histogram(a T[], low, high, buckets integer) returns integer[]
 * gpu_histogram(p gpu_packed, low double precision, high double precision,
 *				 buckets integer) returns integer[]
 *
 * How many elements width_bucket(x, low, high, buckets) puts into each bucket,
 * from 0 to buckets + 1.  The bounds are numeric for integers, and float8 for
 * floats; those of integers in a packed array are cast to numeric.
 *
 * Raises 2201G where width_bucket does: if a bound or an element is NaN, a
 * bound is infinite, the bounds are equal, or buckets < 1.
 */
SQL_CALL_FUNCTION(gpu_histogram_even, "gpu_histogram", 0)
{
	int64		results = PG_GETARG_INT32(3) + INT64CONST(2);
	int64		thresholds;
	EvenBuckets *even;
	ArrayReader reader;
	ArrayWriter writer;
	int32	   *counts;

	call_open_array(&reader, fcinfo, 0, NULLS_FILTERED, NULL);
	call_check_list(&reader);
	check_number(&reader.type);
	(void) array_writer_list_size(int4_type, Max(results, 0), 0);
	even = even_buckets(fcinfo, 1, reader.type.kind, reader.is_packed);

	/* There is a count for NaNs, too. */
	array_writer_begin_list(&writer, int4_type, results + 1);
	counts = (int32 *) writer.values;
	count_elements(&reader, &even->thresholds, counts);
	thresholds = even->thresholds.count;
	set_bytes(counts + thresholds + 1, 0,
			  (results - thresholds) * sizeof(int32));
	for (int64 i = 0; even->reversed && i < results / 2; i++)
	{
		int32		other = counts[results - 1 - i];

		CHECK_FOR_INTERRUPTS();
		counts[results - 1 - i] = counts[i];
		counts[i] = other;
	}
	if (kind_is_float(even->kind) && counts[results] > 0)
		counts[core_bucket(even, last_index(even->kind))] += counts[results];
	return call_end(&reader, array_writer_finish_list(&writer, results));
}

/*
 * The thresholds in an argument, for elements of a type.
 *
 * Raises 42804 if they are of another one, 22004 if one is NULL, and 22023 if
 * they are not in order.
 */
static Thresholds
threshold_argument(FunctionCallInfo fcinfo, int argument,
				   const ElementType *type)
{
	ArrayReader reader;
	Thresholds	thresholds;
	uint64		before = 0;

	call_open_list(&reader, fcinfo, argument, NULLS_DROPPED);
	rows_check_type(type->base, reader.type.base);
	if (reader.nulls != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("thresholds array must not contain NULLs")));
	thresholds.size = reader.type.size;
	thresholds.count = reader.nvalues;
	thresholds.indexes = large_value_allocate(thresholds.count *
											  thresholds.size + 1);
	array_reader_copy(&reader, thresholds.indexes, thresholds.count);
	for (int64 i = 0; i < thresholds.count; i++)
	{
		uint64		index = element_index(reader.type.kind,
										  get_threshold(&thresholds, i));

		CHECK_FOR_INTERRUPTS();
		if (index < before)
			raise_descending("thresholds", NULL);
		put_threshold(&thresholds, i, index);
		before = index;
	}
	array_reader_close(&reader);
	return thresholds;
}

/*
 * gpu_histogram(a anycompatiblearray, thresholds anycompatiblearray)
 *		returns integer[]
 *
 * How many elements width_bucket(x, thresholds) puts into each bucket, from 0
 * to the number of thresholds.
 */
SQL_CALL_FUNCTION(gpu_histogram, "gpu_histogram", 0)
{
	ArrayReader reader;
	ArrayWriter writer;
	Thresholds	thresholds;

	call_open_array(&reader, fcinfo, 0, NULLS_FILTERED, NULL);
	call_check_list(&reader);
	thresholds = threshold_argument(fcinfo, 1, &reader.type);
	array_writer_begin_list(&writer, int4_type, thresholds.count + 1);
	count_elements(&reader, &thresholds, (int32 *) writer.values);
	pfree(thresholds.indexes);
	return call_end(&reader, array_writer_finish(&writer));
}

/*
 * gpu_bucket(a anycompatiblearray, thresholds anycompatiblearray)
 *		returns integer[]
 *
 * width_bucket(x, thresholds) of each element: the number of thresholds that
 * are not greater than the element.
 */
SQL_CALL_FUNCTION(gpu_bucket, "gpu_bucket", 0)
{
	EngineRequest request = {.operation = ENGINE_BUCKET};
	ArrayReader reader;
	ArrayWriter writer;
	Thresholds	thresholds;

	call_open_list(&reader, fcinfo, 0, NULLS_COUNTED);
	thresholds = threshold_argument(fcinfo, 1, &reader.type);
	array_writer_begin_like(&writer, int4_type, &reader);
	request.stays = reader.nulls == NULL;
	request.table = thresholds.indexes;
	request.table_bytes = thresholds.count * thresholds.size;
	(void) call_engine_into(&request, &reader, &writer);
	pfree(thresholds.indexes);
	return call_end_writer(&reader, &writer);
}

/*
 * A state of the aggregate has the counts of the buckets, in one chunk of
 * memory, and does not grow with the rows.  It has a hash of the thresholds,
 * too, which must be the same for all rows of a group.
 */
typedef struct HistogramState
{
	uint64		hash;			/* of the buckets */
	int64		results;		/* counts; 0: an argument is NULL */
	int64		counts[FLEXIBLE_ARRAY_MEMBER];
} HistogramState;

static Size
state_size(int64 results)
{
	return offsetof(HistogramState, counts) + results * sizeof(int64);
}

/* A state without rows. */
static HistogramState *
make_state(MemoryContext context, uint64 hash, int64 results)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	HistogramState *state = large_value_allocate(state_size(results));

	set_bytes(state, 0, state_size(results));
	state->hash = hash;
	state->results = results;
	MemoryContextSwitchTo(caller);
	return state;
}

/* Raises 22023 if a state has other buckets than a row or another state. */
static void
check_buckets(FunctionCallInfo fcinfo, const HistogramState *state, uint64 hash,
			  int64 results)
{
	if (state->hash != hash || state->results != results)
		raise_differs(fcinfo, "buckets differ within a group",
					  _("Pass constants, or add what differs to GROUP BY."));
}

/* Returns whether the arguments that name buckets are known to be constants. */
static bool
are_constants(FunctionCallInfo fcinfo)
{
	Aggref	   *aggregate = AggGetAggref(fcinfo);

	if (aggregate == NULL || list_length(aggregate->args) != PG_NARGS() - 1)
		return false;
	for (int i = 1; i < list_length(aggregate->args); i++)
		if (!IsA(list_nth_node(TargetEntry, aggregate->args, i)->expr, Const))
			return false;
	return true;
}

/*
 * The buckets of a row, or NULL if an argument for them is NULL.
 *
 * Raises 54000 if the result would be too large, before there are thresholds
 * of as many buckets.
 */
static EvenBuckets *
buckets_of_row(FunctionCallInfo fcinfo)
{
	EvenBuckets *even = call_site(fcinfo)->own;
	ElementKind kind;

	if (even != NULL && even->constant)
		return even;
	kind = even != NULL ? even->kind :
		gather_column_type(fcinfo, get_fn_expr_argtype(fcinfo->flinfo, 1),
						   true).kind;
	if (PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		return NULL;
	(void) array_writer_list_size(int8_type, Max(PG_GETARG_INT32(4), 0) +
								  INT64CONST(2), 0);
	even = even_buckets(fcinfo, 2, kind, false);
	even->constant = are_constants(fcinfo);
	if (even->hash == 0)
		even->hash = hash_bytes_extended((unsigned char *)
										 even->thresholds.indexes,
										 (int) (even->thresholds.count *
												even->thresholds.size),
										 even->reversed) | 1;
	return even;
}

SQL_FUNCTION(gpucompact_histogram_agg_step)
{
	EvenBuckets *even = buckets_of_row(fcinfo);
	uint64		hash = even != NULL ? even->hash : 0;
	int64		results = even != NULL ? even->buckets + INT64CONST(2) : 0;
	HistogramState *state = state_argument(fcinfo, 0);

	if (state == NULL)
		state = make_state(rows_context(fcinfo), hash, results);
	check_buckets(fcinfo, state, hash, results);
	if (even != NULL && !PG_ARGISNULL(1))
		state->counts[even_bucket(even, PG_GETARG_DATUM(1))]++;
	PG_RETURN_POINTER(state);
}

SQL_FUNCTION(gpucompact_histogram_agg_combine)
{
	MemoryContext context = rows_context(fcinfo);
	HistogramState *state = state_argument(fcinfo, 0);
	const HistogramState *other = state_argument(fcinfo, 1);

	if (other != NULL)
	{
		if (state == NULL)
			state = make_state(context, other->hash, other->results);
		check_buckets(fcinfo, state, other->hash, other->results);
		for (int64 i = 0; i < state->results; i++)
		{
			CHECK_FOR_INTERRUPTS();
			state->counts[i] += other->counts[i];
		}
	}
	return return_state(fcinfo, state);
}

SQL_FUNCTION(gpucompact_histogram_agg_serialize)
{
	const HistogramState *state = aggregate_state(fcinfo);

	return state_to_bytes(state, state_size(state->results));
}

/*
 * gpu_histogram_agg(x T, low, high, buckets integer) returns bigint[]
 *
 * How many values width_bucket(x, low, high, buckets) puts into each bucket,
 * from 0 to buckets + 1.
 *
 * Raises 2201G where width_bucket does.
 */
SQL_FUNCTION(gpucompact_histogram_agg_result)
{
	const HistogramState *state = aggregate_state(fcinfo);
	ArrayWriter writer;

	if (state == NULL || state->results == 0)
		PG_RETURN_NULL();
	array_writer_begin_list(&writer, int8_type, state->results);
	move_bytes(writer.values, state->counts, state->results * sizeof(int64));
	return array_writer_finish(&writer);
}
