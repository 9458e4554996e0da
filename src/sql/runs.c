/*
 * runs.c
 *	  SQL functions that replace several equal elements by one.
 *
 * NULLs are equal to each other here, as in GROUP BY.
 */
#include "sql/function.h"

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
 * NULL, in order; or if they may stay, defers them in a chain.  Returns how
 * many they are.
 */
int64
distinct_values(ArrayReader *reader, ArrayReader *second, void *values,
				bool stays)
{
	CallInput	input = second == NULL ? array_input(reader) :
		joined_input(reader, second);
	int64		behind = second == NULL ? 0 : second->count;
	EngineRequest request = {
		.operation = ENGINE_DISTINCT,
		.count = reader->count + behind,
		.joined = behind,
		.outputs[0] = {values, reader->type.kind},
		.stays = stays
	};

	return call_engine_inputs(&request, (CallInput *[]) {&input}, 1).count;
}

/* Counts the distinct values of an array, with room for all of its values. */
int64
count_distinct_values(ArrayReader *reader, void *room)
{
	EngineRequest request = {
		.operation = ENGINE_DISTINCT,
		.count = reader->count,
		.outputs[0] = {room, reader->type.kind},
		.parameters = PARAMETERS_OF(SortParameters, .count_only = true)
	};

	return call_engine(&request, reader).count;
}

/* A request on an array, which is made again if a device loses its results. */
typedef struct Repeatable
{
	Datum		datum;
	EngineRequest request;
} Repeatable;

static void
run_again(void *argument, char *values)
{
	Repeatable *repeatable = argument;
	EngineRequest request = repeatable->request;
	ArrayReader again;

	array_reader_open(&again, repeatable->datum, NULLS_DROPPED, NULL);
	request.outputs[0].memory = values;
	(void) call_engine(&request, &again);
	array_reader_close(&again);
}

/*
 * The results of a request on an array's values, for later requests of the
 * call.  The values come from a reader of all of them.
 */
static TemporaryArray *
run_temporary(Datum datum, ArrayReader *reader, const ElementType *type,
			  EngineRequest request)
{
	Repeatable *repeatable = palloc(sizeof(Repeatable));
	TemporaryArray *results = temporary_begin(type, reader->count, run_again,
											  repeatable);
	CallInput	input = array_input(reader);

	request.count = reader->count;
	request.outputs[0].kind = type->kind;
	*repeatable = (Repeatable) {datum, request};
	(void) temporary_run(results, &request, (CallInput *[]) {&input}, 1);
	return results;
}

/*
 * The distinct values of an array in order.  The reader has to stay until they
 * have ended.
 */
TemporaryArray *
temporary_distinct(ArrayReader *reader)
{
	return run_temporary(reader->datum, reader, &reader->type,
						 (EngineRequest) {.operation = ENGINE_DISTINCT});
}

/*
 * Opens a second reader of the first values of an array, or of all.  Values on
 * a device are not fetched for that.
 */
void
open_again(ArrayReader *again, ArrayReader *reader, int64 count)
{
	int64		at_hand = -1;
	const void *values = NULL;
	int64		wanted = Min(count, reader->count);

	if (reader->deferred == NULL)
		values = array_reader_peek(reader, &at_hand);
	if (at_hand >= wanted)
		array_reader_open_values(again, &reader->type, values, wanted);
	else if (count < reader->nitems)
		array_reader_open_slice(again, reader->datum, 1, count);
	else
		array_reader_open(again, reader->datum, NULLS_DROPPED, NULL);
}

/* Marks the values that no value before them is equal to. */
static TemporaryArray *
mark_first(ArrayReader *reader)
{
	EngineRequest request = {
		.operation = ENGINE_RANK,
		.parameters = PARAMETERS_OF(SortParameters, .method = RANK_HEADS)
	};
	ArrayReader again;
	TemporaryArray *mask;

	open_again(&again, reader, reader->nitems);
	mask = run_temporary(reader->datum, &again, bool_type, request);
	array_reader_close(&again);
	return mask;
}

/* Counts the marked values before the first NULL. */
static int64
count_first(TemporaryArray *mask, const ArrayReader *reader)
{
	const char *first = temporary_values(mask);
	NullRun		run = {0};
	int64		count = 0;

	while (null_bitmap_next_run(reader->nulls, reader->nitems, &run) &&
		   !run.isnull)
		;
	for (int64 from = 0, to; from < run.from; from = to)
	{
		CHECK_FOR_INTERRUPTS();
		to = Min(from + CHECK_STEP, run.from);
		for (int64 i = from; i < to; i++)
			count += first[i];
	}
	return count;
}

/* The distinct elements in the order in which they first occur. */
static Datum
distinct_in_order(FunctionCallInfo fcinfo)
{
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.parameters = PARAMETERS_OF(CompactParameters, .masked = true)
	};
	ArrayReader reader;
	TemporaryArray *mask;
	CallInput	second;
	ArrayWriter writer;
	int64		count;
	int			null;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	null = reader.nulls != NULL ? 1 : 0;
	array_writer_begin_null_list(&writer, &reader.type, reader.count + null,
								 null);
	mask = mark_first(&reader);
	second = array_input(&mask->reader);
	request.count = reader.count;
	request.outputs[0] = (EngineOutput) {writer.values, reader.type.kind};
	request.stays = null == 0;
	count = call_engine_paired(&request, &reader, &second).count;
	if (null)
	{
		int64		before = count_first(mask, &reader);

		null_bitmap_set_values(writer.bitmap, 0, before);
		null_bitmap_set_values(writer.bitmap, before + 1, count + 1);
	}
	temporary_end(mask);
	return call_end(&reader, array_writer_finish_null_list(&writer,
														   count + null,
														   count));
}

/*
 * gpu_distinct(a anyarray, in_order boolean) returns anyarray
 *
 * As array_agg(DISTINCT x): in order, and NULL last; or, if "in_order", NULL
 * included, in the order in which they first occur, as in GROUP BY x ORDER BY
 * min(i).
 */
SQL_CALL_FUNCTION(gpu_distinct, "gpu_distinct", 0)
{
	ArrayReader reader;
	ArrayWriter writer;
	int64		count;

	if (PG_GETARG_BOOL(1))
		return distinct_in_order(fcinfo);
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin_null_list(&writer, &reader.type, reader.nvalues +
								 (reader.nulls != NULL), reader.nulls != NULL);
	count = distinct_values(&reader, NULL, writer.values,
							reader.nulls == NULL);
	return call_end(&reader, array_writer_finish_null_last(&writer, count));
}

/*
 * gpu_distinct_counts(a anyarray, OUT "values" anyarray, OUT counts integer[])
 *
 * As SELECT x, count(*) ... GROUP BY x ORDER BY x.
 */
SQL_CALL_FUNCTION(gpu_distinct_counts, "gpu_distinct_counts", 0)
{
	EngineRequest request = {.operation = ENGINE_DISTINCT};
	ArrayReader reader;
	RunWriter	writer;
	int			null;

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
											   call_row_type(fcinfo, 2, NULL)));
}

/*
 * gpu_run_lengths(a anyarray, OUT "values" anyarray, OUT lengths integer[])
 *
 * Each run of equal elements: one of them, and how many they are.
 */
SQL_CALL_FUNCTION(gpu_run_lengths, "gpu_run_lengths", 0)
{
	EngineRequest request = {.operation = ENGINE_RUNS};
	ArrayReader reader;
	RunWriter	writer;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	run_writer_begin(&writer, &reader.type, reader.nitems,
					 array_reader_nulls(&reader));
	find_runs(&writer, &request, &reader);
	if (reader.nulls != NULL)
		run_writer_merge_nulls(&writer, &reader);
	return call_end(&reader, run_writer_finish(&writer, reader.nitems + 1,
											   call_row_type(fcinfo, 2, NULL)));
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
SQL_CALL_FUNCTION(gpu_mode, "gpu_mode", 0)
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

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (reader.count == 0)
		return call_end_null(fcinfo, &reader);
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
