/*
 * stats.c
 *	  gpu_stats: core's aggregates over an array of numbers, in one read; and
 *	  functions for single ones, such as gpu_avg.
 *
 * NULLs are ignored, as by aggregates.  Sums of integers are exact, so averages
 * and variances equal core's, digit for digit.  Sums of floats are added in the
 * order of contract/operations/stats.h.
 */
#include "sql/function.h"

#include <math.h>

#include "utils/fmgrprotos.h"

/* Count, nulls, sum, min, max, avg, variance, stddev. */
#define STATS_COLUMNS	8

static WideInteger
wide_negate(WideInteger wide)
{
	WideInteger result = wide_integer(1, 0);

	for (int i = 0; i < WIDE_WORDS; i++)
		wide.words[i] = ~wide.words[i];
	wide_add(&result, wide);
	return result;
}

/* A function of numeric, or of one and an integer. */
#define NUMERIC1(function, a)	DirectFunctionCall1(function, a)
#define NUMERIC2(function, a, b)	DirectFunctionCall2(function, a, b)

/* The integer as a numeric without a fraction, put together of 32 bits each. */
Datum
wide_numeric(WideInteger wide)
{
	uint64		sign = (int64) wide.words[0] < 0 ? PG_UINT64_MAX : 0;
	Datum		number;

	if (wide.words[1] == sign && wide.words[2] == sign)
		return numeric_datum((int64) wide.words[0]);
	number = numeric_datum((int64) wide.words[WIDE_WORDS - 1]);
	for (int i = 2 * WIDE_WORDS - 3; i >= 0; i--)
	{
		int64		bits = (uint32) (wide.words[i / 2] >> 32 * (i % 2));

		number = NUMERIC2(numeric_mul, number,
						  numeric_datum(INT64CONST(1) << 32));
		number = NUMERIC2(numeric_add, number, numeric_datum(bits));
	}
	return number;
}

/* The product of two integers that are not negative, if it fits. */
static WideInteger
multiply(WideInteger a, WideInteger b)
{
	WideInteger product = wide_integer(0, 0);

	for (int i = 0; i < WIDE_WORDS; i++)
	{
		uint128		carry = 0;

		for (int j = 0; i + j < WIDE_WORDS; j++)
		{
			carry += (uint128) a.words[i] * b.words[j] +
				product.words[i + j];
			product.words[i + j] = (uint64) carry;
			carry >>= 64;
		}
	}
	return product;
}

/*
 * The square root of a variance, rounded to the variance's scale, as core's
 * stddev() has it.  numeric_sqrt may return more digits.  If it returns one
 * more, that may be a 5 that is itself rounded, and must not be rounded again:
 * then the root is computed with digits enough to rule this out.  (The variance
 * is a multiple of 10^-scale, and the square of a number halfway between two
 * roots is a multiple of 10^-(2 * scale + 2).  So the root is halfway, or
 * differs from halfway by more than its last digit.)
 */
static Datum
numeric_stddev(Datum variance)
{
	Datum		root = NUMERIC1(numeric_sqrt, variance);
	Datum		scale = NUMERIC1(numeric_scale, variance);
	int			digits = DatumGetInt32(scale);

	if (DatumGetInt32(NUMERIC1(numeric_min_scale, root)) == digits + 1)
		root = NUMERIC1(numeric_sqrt,
						NUMERIC2(numeric_round, variance,
								 Int32GetDatum(2 * digits + 32)));
	return NUMERIC2(numeric_round, root, scale);
}

/*
 * (count * squares - sum^2) / (count * (count - 1)), as core divides; of 0, an
 * integer.
 */
static Datum
integer_variance(WideInteger sum, WideInteger squares, int64 count)
{
	WideInteger absolute = (int64) sum.words[WIDE_WORDS - 1] < 0 ?
		wide_negate(sum) : sum;
	WideInteger numerator = multiply(squares, wide_integer(count, 0));

	wide_add(&numerator, wide_negate(multiply(absolute, absolute)));
	if ((numerator.words[0] | numerator.words[1] | numerator.words[2]) == 0)
		return numeric_datum(0);
	return NUMERIC2(numeric_div, wide_numeric(numerator),
					wide_numeric(multiply(wide_integer(count, 0),
										  wide_integer(count - 1, 0))));
}

/*
 * stddev(x) of at least two integers, as a float8.  What it allocates is freed.
 */
double
integer_stddev(WideInteger sum, WideInteger squares, int64 count)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext,
												 "gpucompact deviation",
												 ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(memory);
	Datum		variance = integer_variance(sum, squares, count);
	Datum		result = DirectFunctionCall1(numeric_float8,
											 numeric_stddev(variance));
	double		stddev = DatumGetFloat8(result);

	MemoryContextSwitchTo(caller);
	MemoryContextDelete(memory);
	return stddev;
}

/* As avg(x) of at least one element.  Core begins with 0, not -0. */
static Datum
average_datum(ElementKind kind, const EngineStats *stats, int64 count)
{
	if (kind_is_float(kind))
		return Float8GetDatum(one_nan((stats->moments.sum + 0.0) / count));
	return NUMERIC2(numeric_div, wide_numeric(stats->sum),
					numeric_datum(count));
}

/* As variance(x) of at least two elements. */
static Datum
variance_datum(ElementKind kind, const EngineStats *stats, int64 count)
{
	if (kind_is_float(kind))
		return Float8GetDatum(one_nan(stats->moments.squares / (count - 1)));
	return integer_variance(stats->sum, stats->squares, count);
}

static Datum
stddev_datum(ElementKind kind, Datum variance)
{
	if (kind_is_float(kind))
		return Float8GetDatum(one_nan(sqrt(DatumGetFloat8(variance))));
	return numeric_stddev(variance);
}

/*
 * A sum of elements of a kind: of floats, in their type; of integers, as
 * numeric if it is wide, or else as bigint.
 */
Datum
sum_datum(ElementKind kind, double floats, WideInteger integers, bool wide)
{
	if (kind == KIND_FLOAT4)
		return Float4GetDatum(one_nan(floats));
	if (kind == KIND_FLOAT8)
		return Float8GetDatum(one_nan(floats));
	return wide ? wide_numeric(integers) :
		Int64GetDatum((int64) integers.words[0]);
}

/* The least element or the greatest: as an integer, or by a float's order. */
static Datum
extreme_datum(const ElementType *type, int64 integer, uint64 order)
{
	ElementValue value;

	if (type->kind == KIND_FLOAT4)
		value.float4 = (float4) float_at(type->kind, order);
	else if (type->kind == KIND_FLOAT8)
		value.float8 = float_at(type->kind, order);
	else
		put_element_bits(&value, (uint64) integer, type->size);
	return element_datum(type, &value);
}

/* Core's casts to double precision, from what the columns of a kind have. */
static const PGFunction casts[ELEMENT_KINDS][STATS_COLUMNS] = {
	[KIND_INT2] = {NULL, NULL, i8tod, i2tod, i2tod, numeric_float8,
	numeric_float8, numeric_float8},
	[KIND_INT4] = {NULL, NULL, i8tod, i4tod, i4tod, numeric_float8,
	numeric_float8, numeric_float8},
	[KIND_INT8] = {NULL, NULL, numeric_float8, i8tod, i8tod, numeric_float8,
	numeric_float8, numeric_float8},
	[KIND_FLOAT4] = {NULL, NULL, ftod, ftod, ftod}
};

/*
 * Opens the array of a call that begins, and computes its statistics.
 * Result.elements is the number of values.
 */
static EngineResult
compute_stats(FunctionCallInfo fcinfo, const char *function,
			  ArrayReader *reader, EngineStats *stats)
{
	EngineRequest request = {
		.operation = ENGINE_STATS,
		.summary = stats,
		.summary_bytes = sizeof(*stats)
	};

	*stats = (EngineStats) {0};
	call_begin(function);
	call_open_array(reader, fcinfo, 0, NULLS_FILTERED, NULL);
	check_number(&reader->type);
	/* The sums of floats depend on their places. */
	if (kind_is_float(reader->type.kind))
		call_open_counted(reader, fcinfo, 0, NULLS_COUNTED);
	request.count = reader->count;
	request.outputs[0].kind = reader->type.kind;
	return call_engine(&request, reader);
}

/*
 * gpu_stats(a T[]) returns (count bigint, nulls bigint, sum, min T, max T, avg,
 *							 variance, stddev)
 *
 * As count(x), sum(x), min(x), max(x), avg(x), variance(x) and stddev(x), with
 * their types.
 *
 * gpu_stats(p gpu_packed) returns (count bigint, nulls bigint, others
 *									double precision)
 *
 * The same, cast, whatever the type of the elements.
 */
SQL_FUNCTION(gpu_stats)
{
	EngineStats stats;
	ArrayReader reader;
	EngineResult result = compute_stats(fcinfo, "gpu_stats", &reader, &stats);
	ElementKind kind = reader.type.kind;
	int64		count = result.elements;
	bool		none = count == 0;
	bool		few = count < 2;
	Datum		variance = few ? (Datum) 0 :
		variance_datum(kind, &stats, count);
	NullableDatum row[STATS_COLUMNS] = {
		{Int64GetDatum(count)},
		{Int64GetDatum(array_reader_nulls(&reader))},
		{sum_datum(kind, stats.own_sum, stats.sum, kind == KIND_INT8), none},
		{extreme_datum(&reader.type, stats.least, stats.least_order), none},
		{extreme_datum(&reader.type, stats.greatest, stats.greatest_order),
		none},
		{none ? (Datum) 0 : average_datum(kind, &stats, count), none},
		{variance, few},
		{few ? (Datum) 0 : stddev_datum(kind, variance), few}
	};
	Oid			base = reader.is_packed ? FLOAT8OID : reader.type.base;
	bool		floats = reader.is_packed || kind_is_float(kind);
	Oid			average = floats ? FLOAT8OID : NUMERICOID;
	Oid			types[STATS_COLUMNS] = {
		INT8OID, INT8OID,
		floats ? base : kind == KIND_INT8 ? NUMERICOID : INT8OID,
		base, base, average, average, average
	};
	TupleDesc	type = call_row_type(fcinfo, STATS_COLUMNS, types);

	check_overflow(kind, result.overflow);
	for (int i = 0; reader.is_packed && i < STATS_COLUMNS; i++)
	{
		if (casts[kind][i] != NULL && !row[i].isnull)
			row[i].value = DirectFunctionCall1(casts[kind][i], row[i].value);
	}
	return call_end(&reader,
					HeapTupleGetDatum(form_row(type, row, STATS_COLUMNS)));
}

/* gpu_sum(a bigint[]) returns numeric, as sum(x) */
SQL_FUNCTION(gpu_sum_numeric)
{
	EngineStats stats;
	ArrayReader reader;
	EngineResult result = compute_stats(fcinfo, "gpu_sum", &reader, &stats);

	if (result.elements > 0)
		return call_end(&reader, wide_numeric(stats.sum));
	return call_end_null(fcinfo, &reader);
}

/* A sum of reals may leave the range of their type. */
static Datum
average(FunctionCallInfo fcinfo, bool as_float)
{
	EngineStats stats;
	ArrayReader reader;
	EngineResult result = compute_stats(fcinfo, "gpu_avg", &reader, &stats);
	ElementKind kind = reader.type.kind;
	Datum		value;

	if (kind == KIND_FLOAT8)
		check_overflow(kind, result.overflow);
	if (result.elements == 0)
		return call_end_null(fcinfo, &reader);
	value = average_datum(kind, &stats, result.elements);
	if (as_float && !kind_is_float(kind))
		value = NUMERIC1(numeric_float8, value);
	call_end_bytes(&reader, as_float ? sizeof(double) :
				   VARSIZE(DatumGetPointer(value)));
	return value;
}

/*
 * gpu_avg(a T[]) returns numeric, for integers
 * gpu_avg(a anyarray) returns double precision, for floats
 *
 * As avg(x).  Integers come to the latter in the arrays of pg_stats, which are
 * of the type anyarray itself.
 */
SQL_FUNCTION_AS(gpu_avg, average(fcinfo, false))
SQL_FUNCTION_AS(gpu_avg_float, average(fcinfo, true))
