/*
 * histogram.c
 *	  SQL functions that put the elements of an array into buckets.
 *
 * An engine knows only thresholds, by their index in the order of the elements.
 */
#include "sql/function.h"

#include "sql/aggregate.h"

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
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("thresholds must be in ascending order")));
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
