/*
 * runs.c
 *	  SQL functions that replace several equal elements by one.
 *
 * NULLs are equal to each other here, as in GROUP BY.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/large_value.h"
#include "array/run_writer.h"
#include "call/call.h"
#include "contract/operations/compact.h"
#include "contract/operations/sort.h"
#include "sql/runs.h"

PG_FUNCTION_INFO_V1(gpu_distinct);
PG_FUNCTION_INFO_V1(gpu_distinct_in_order);
PG_FUNCTION_INFO_V1(gpu_distinct_counts);
PG_FUNCTION_INFO_V1(gpu_mode);
PG_FUNCTION_INFO_V1(gpu_run_lengths);

/* The runs that the engine finds among the values. */
static void
find_runs(RunWriter *writer, EngineRequest *request, ArrayReader *reader)
{
	request->count = reader->count;
	request->outputs[0].kind = reader->type.kind;
	request->outputs[0].memory = writer->elements.values;
	request->outputs[1].kind = KIND_INT4;
	request->outputs[1].memory = writer->starts.values;
	writer->runs = writer->values = call_engine(request, reader).count;
}

/*
 * Writes the distinct values of an array, and of a second one unless that is
 * NULL, in order.  Returns how many they are.
 */
int64
distinct_values(ArrayReader *reader, ArrayReader *second, void *values)
{
	CallInput	joined = joined_input(reader, second);
	CallInput  *inputs[] = {&joined};
	EngineRequest request = {
		.operation = ENGINE_DISTINCT,
		.count = reader->count + (second == NULL ? 0 : second->count),
		.outputs[0].kind = reader->type.kind,
		.outputs[0].memory = values
	};

	return second == NULL ? call_engine(&request, reader).count :
		call_engine_inputs(&request, inputs, lengthof(inputs)).count;
}

/* As distinct_values, for a later request of the call. */
void
distinct_pass(ArrayReader *reader, PassedArray *values)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};
	EngineRequest request = {
		.operation = ENGINE_DISTINCT,
		.count = reader->count
	};

	(void) passed_run(values, &request, inputs, lengthof(inputs));
}

/* The distinct elements in order, NULL last. */
static Datum
distinct_sorted(FunctionCallInfo fcinfo)
{
	ArrayReader reader;
	ArrayWriter writer;
	int64		count;

	call_begin("gpu_distinct");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin_null_last(&writer, &reader.type, reader.nvalues,
								 reader.nulls != NULL);
	count = distinct_values(&reader, NULL, writer.values);
	return call_end(&reader, array_writer_finish_null_last(&writer, count));
}

/* Opens a second reader of an array. */
static void
open_again(ArrayReader *again, ArrayReader *reader, Datum datum)
{
	int64		at_hand;
	const void *values = array_reader_peek(reader, &at_hand);

	if (at_hand == reader->count)
		array_reader_open_values(again, &reader->type, values, at_hand);
	else
		array_reader_open(again, datum, NULLS_DROPPED, NULL);
}

/*
 * Finds where, in sorted order, each distinct value begins.  Returns the number
 * of distinct values.
 */
static int64
find_starts(ArrayReader *reader, Datum datum, int32 *starts)
{
	int64		count = reader->count;
	EngineRequest request = {.operation = ENGINE_DISTINCT, .count = count};
	void	   *values = large_value_allocate(count * reader->type.size);
	ArrayReader again;

	open_again(&again, reader, datum);
	request.outputs[0] = (EngineOutput) {values, reader->type.kind};
	request.outputs[1] = (EngineOutput) {starts, KIND_INT4};
	count = call_engine(&request, &again).count;
	array_reader_close(&again);
	pfree(values);
	return count;
}

/* The positions of the values in sorted order, from 1 on; a stable sort. */
static void
find_places(ArrayReader *reader, Datum datum, int32 *places)
{
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.count = reader->count,
		.outputs[0].kind = KIND_INT4,
		.outputs[0].memory = places,
		.parameters = PARAMETERS_OF(SortParameters, .positions = true)
	};
	ArrayReader again;

	open_again(&again, reader, datum);
	(void) call_engine(&request, &again);
	array_reader_close(&again);
}

/* Marks the first of equal values.  Returns how many are marked. */
static int64
mark_first(ArrayReader *reader, Datum datum, bool *first)
{
	Size		bytes = reader->count * sizeof(int32);
	int32	   *starts = large_value_allocate(bytes);
	int32	   *places = large_value_allocate(bytes);
	int64		different = find_starts(reader, datum, starts);

	find_places(reader, datum, places);
	memset(first, false, reader->count);
	for (int64 i = 0; i < different; i++)
	{
		CHECK_FOR_INTERRUPTS();
		first[places[starts[i] - 1] - 1] = true;
	}
	pfree(starts);
	pfree(places);
	return different;
}

/* The number of values before the first NULL. */
static int64
values_before_null(const ArrayReader *reader)
{
	NullRun		run = {0};

	while (null_bitmap_next_run(reader->nulls, reader->nitems, &run) &&
		   !run.isnull)
		;
	return run.from;
}

/* Counts the marked values before a value. */
static int64
count_first(const bool *first, int64 before)
{
	int64		count = 0;

	for (int64 i = 0; i < before; i++)
		count += first[i];
	return count;
}

/* The distinct elements in the order in which they first occur. */
static Datum
distinct_in_order(FunctionCallInfo fcinfo)
{
	ElementType bool_type = element_type(BOOLOID);
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.parameters = PARAMETERS_OF(CompactParameters, .masked = true)
	};
	ArrayReader reader;
	ArrayReader mask;
	CallInput	second = array_input(&mask);
	ArrayWriter writer;
	bool	   *first;
	int64		count;
	int			null;

	call_begin("gpu_distinct");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	null = reader.nulls != NULL ? 1 : 0;
	first = large_value_allocate(reader.count + 1);
	count = mark_first(&reader, PG_GETARG_DATUM(0), first);
	array_writer_begin_null_list(&writer, &reader.type, count + null, null);
	if (null)
	{
		int64		before = count_first(first, values_before_null(&reader));

		null_bitmap_set_values(writer.bitmap, 0, before);
		null_bitmap_set_values(writer.bitmap, before + 1, count + 1);
	}
	array_reader_open_values(&mask, &bool_type, first, reader.count);
	request.count = reader.count;
	request.room = count;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	(void) call_engine_beside(&request, &reader, &second);
	array_reader_close(&mask);
	pfree(first);
	return call_end(&reader, array_writer_finish_null_list(&writer,
														   count + null,
														   count));
}

/*
 * gpu_distinct(a anyarray) returns anyarray
 *
 * As array_agg(DISTINCT x): in order, and NULL last.
 */
Datum
gpu_distinct(PG_FUNCTION_ARGS)
{
	return distinct_sorted(fcinfo);
}

/*
 * gpu_distinct(a anyarray, in_order boolean) returns anyarray
 *
 * As gpu_distinct(a); or, if "in_order", the distinct elements, NULL included,
 * in the order in which they first occur, as in GROUP BY x ORDER BY min(i).
 */
Datum
gpu_distinct_in_order(PG_FUNCTION_ARGS)
{
	return PG_GETARG_BOOL(1) ? distinct_in_order(fcinfo) :
		distinct_sorted(fcinfo);
}

/*
 * gpu_distinct_counts(a anyarray, OUT "values" anyarray, OUT counts integer[])
 *
 * As SELECT x, count(*) ... GROUP BY x ORDER BY x.
 */
Datum
gpu_distinct_counts(PG_FUNCTION_ARGS)
{
	EngineRequest request = {.operation = ENGINE_DISTINCT};
	ArrayReader reader;
	RunWriter	writer;
	int			null;

	call_begin("gpu_distinct_counts");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	null = reader.nulls != NULL ? 1 : 0;
	run_writer_begin(&writer, &reader.type, reader.nvalues + null, null);
	find_runs(&writer, &request, &reader);
	if (null)
	{
		/* The NULLs come after the values. */
		((int32 *) writer.starts.values)[writer.runs++] = reader.nvalues + 1;
		null_bitmap_set_values(writer.elements.bitmap, 0, writer.values);
	}
	return call_end(&reader, run_writer_finish(&writer, reader.nitems + 1,
											   call_row_type(fcinfo)));
}

/*
 * gpu_run_lengths(a anyarray, OUT "values" anyarray, OUT lengths integer[])
 *
 * Each run of equal elements: one of them, and how many they are.
 */
Datum
gpu_run_lengths(PG_FUNCTION_ARGS)
{
	EngineRequest request = {.operation = ENGINE_RUNS};
	ArrayReader reader;
	RunWriter	writer;

	call_begin("gpu_run_lengths");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	run_writer_begin(&writer, &reader.type, reader.nitems,
					 reader.nitems - reader.nvalues);
	find_runs(&writer, &request, &reader);
	if (reader.nulls != NULL)
		run_writer_merge_nulls(&writer, &reader);
	return call_end(&reader, run_writer_finish(&writer, reader.nitems + 1,
											   call_row_type(fcinfo)));
}

/* The index of the first of the longest runs over "count" elements. */
static int64
longest_run(const int32 *starts, int64 runs, int64 count)
{
	int64		longest = 0;
	int64		most = 0;

	for (int64 i = 0; i < runs; i++)
	{
		int64		length =
			(i + 1 < runs ? starts[i + 1] : count + 1) - starts[i];

		CHECK_FOR_INTERRUPTS();
		if (length > most)
		{
			most = length;
			longest = i;
		}
	}
	return longest;
}

/*
 * gpu_mode(a anyarray) returns anyelement
 *
 * As mode() WITHIN GROUP (ORDER BY x): the least of the most frequent elements;
 * NULL if the array has no value.
 */
Datum
gpu_mode(PG_FUNCTION_ARGS)
{
	EngineRequest request = {
		.operation = ENGINE_DISTINCT,
		.parameters = PARAMETERS_OF(SortParameters, .longest_run = true)
	};
	ElementValue mode;
	ArrayReader reader;
	char	   *values;
	int32	   *starts;
	int64		runs;
	int			size;

	call_begin("gpu_mode");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (reader.count == 0)
	{
		call_end_bytes(&reader, 0);
		PG_RETURN_NULL();
	}
	size = reader.type.size;
	values = large_value_allocate(reader.count * size);
	starts = large_value_allocate(reader.count * sizeof(int32));
	request.count = reader.count;
	request.outputs[0] = (EngineOutput) {values, reader.type.kind};
	request.outputs[1] = (EngineOutput) {starts, KIND_INT4};
	runs = call_engine(&request, &reader).count;
	memcpy(&mode, values + size * longest_run(starts, runs, reader.count),
		   size);
	pfree(values);
	pfree(starts);
	call_end_bytes(&reader, size);
	return element_datum(&reader.type, &mode);
}
