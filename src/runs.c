/*
 * runs.c
 *	  SQL functions that make one element of several equal ones.
 *
 * NULLs are equal to each other here, as in GROUP BY.
 */
#include "compat.h"

#include "access/tupmacs.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"

#include "engine/call.h"
#include "array/large_value.h"
#include "array/run_writer.h"

PG_FUNCTION_INFO_V1(gpu_distinct);
PG_FUNCTION_INFO_V1(gpu_distinct_counts);
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
	writer->runs = writer->values = call_engine(request, reader, NULL).count;
}

/* The type of the row, looked up once in a query. */
static TupleDesc
row_type(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;

	if (flinfo->fn_extra == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(flinfo->fn_mcxt);
		TupleDesc	type;

		if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		flinfo->fn_extra = BlessTupleDesc(type);
		MemoryContextSwitchTo(caller);
	}
	return flinfo->fn_extra;
}

/*
 * gpu_distinct(a anyarray) returns anyarray
 *
 * As array_agg(DISTINCT x): in order, and NULL last.
 */
Datum
gpu_distinct(PG_FUNCTION_ARGS)
{
	EngineRequest request = {.operation = ENGINE_DISTINCT};
	ArrayReader reader;
	ArrayWriter writer;
	int			null;
	int64		count;

	call_begin("gpu_distinct");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	null = reader.nulls != NULL ? 1 : 0;
	array_writer_begin_null_list(&writer, &reader.type,
								 reader.nvalues + null, null);
	request.count = reader.count;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	count = call_engine(&request, &reader, NULL).count;
	if (null)
		array_writer_put_values(&writer, 0, count);
	return call_end(&reader, array_writer_finish_null_list(&writer,
														   count + null,
														   count));
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
		array_writer_put_values(&writer.elements, 0, writer.values);
	}
	return call_end(&reader, run_writer_finish(&writer, reader.nitems + 1,
											   row_type(fcinfo)));
}

/* Adds a run; of NULLs, if there is no value. */
static pg_always_inline void
put_run(RunWriter *writer, int64 start, const ElementValue *value, int size)
{
	((int32 *) writer->starts.values)[writer->runs] = start;
	if (value != NULL)
	{
		memcpy(writer->elements.values + writer->values * size, value, size);
		array_writer_put_value(&writer->elements, writer->runs);
		writer->values++;
	}
	writer->runs++;
}

/*
 * Makes of the runs of values, of which there are so many at those places,
 * those of all elements.
 */
static pg_always_inline void
merge_runs(RunWriter *writer, const ArrayReader *reader,
		   const char *from_values, const int32 *from_starts, int64 left,
		   int size)
{
	int64		values = 0;		/* before "to" */
	ElementValue value = {0};	/* of the last run of values */
	int64		to;

	for (int64 from = 0; from < reader->nitems; from = to)
	{
		to = array_reader_stretch(reader, from);
		if (att_isnull(from, reader->nulls))
		{
			CHECK_FOR_INTERRUPTS();
			put_run(writer, from + 1, NULL, size);
			continue;
		}
		if (left == 0 || *from_starts > values + 1)
			put_run(writer, from + 1, &value, size);
		for (; left > 0 && *from_starts <= values + to - from; left--)
		{
			CHECK_FOR_INTERRUPTS();
			memcpy(&value, from_values, size);
			put_run(writer, *from_starts - values + from, &value, size);
			from_values += size;
			from_starts++;
		}
		values += to - from;
	}
}

/*
 * Has NULLs be a run of their own, which interrupts that of the values around
 * them.
 *
 * The runs of values are moved to the end of the room that there is for all,
 * and from there to their places.  None is written over before it is read, as
 * there are never more runs to come than room.
 */
static void
interrupt_runs(RunWriter *writer, const ArrayReader *reader)
{
	int			size = reader->type.size;
	int64		runs = writer->runs;
	char	   *values = writer->elements.values +
		(reader->nvalues - runs) * size;
	int32	   *starts = (int32 *) writer->starts.values +
		(reader->nitems - runs);

	move_bytes(values, writer->elements.values, runs * size);
	move_bytes(starts, writer->starts.values, runs * sizeof(int32));
	writer->runs = writer->values = 0;
	CALL_WITH_SIZE(size, merge_runs, writer, reader, values, starts, runs);
}

/*
 * gpu_run_lengths(a anyarray, OUT "values" anyarray, OUT lengths integer[])
 *
 * Each stretch of elements that are equal: one of them, and how many they are.
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
		interrupt_runs(&writer, &reader);
	return call_end(&reader, run_writer_finish(&writer, reader.nitems + 1,
											   row_type(fcinfo)));
}
