/*
 * pairs.c
 *	  The pairs of two arrays, element by element, without those that have a
 *	  NULL.
 *
 * Arrays without NULLs go to the engine as they are.  Else both are read with
 * a value in place of each NULL, and the pairs that have one are left out: by
 * the session, or by requests whose results a GPU keeps for the last request.
 */
#include "compat.h"

#include "call/passed.h"
#include "contract/operations/compact.h"
#include "sql/pairs.h"

/*
 * The fewest elements of arrays of which engines leave pairs out.  With two
 * processors and no GPU, the session takes less time for smaller arrays, and as
 * much for larger ones: h200-cached-inputs.md.
 */
#define SELECTED_ITEMS	(256 * 1024)

/* Finds the pairs without a NULL. */
static void
find_values(ArrayPairs *pairs)
{
	int64		nitems = pairs->first.nitems;

	pairs->values = NULL;
	pairs->count = nitems;
	if (pairs->first.nulls == NULL && pairs->second.nulls == NULL)
		return;
	pairs->values = palloc(null_bitmap_bytes(nitems));
	null_bitmap_combine(pairs->values, pairs->first.nulls,
						pairs->second.nulls, nitems, false);
	pairs->count = null_bitmap_count_values(pairs->values, 0, nitems);
}

/*
 * Opens the first two arguments of a function, which have these names.
 *
 * Raises 0A000 if they are no arrays of numbers or have several dimensions,
 * and 2202E if they differ in length.
 */
void
pairs_open(ArrayPairs *pairs, FunctionCallInfo fcinfo,
		   const char *first_name, const char *second_name)
{
	call_open_list(&pairs->first, fcinfo, 0, NULLS_FILLED);
	check_number(&pairs->first.type);
	call_open_list(&pairs->second, fcinfo, 1, NULLS_FILLED);
	check_number(&pairs->second.type);
	call_check_pair(&pairs->first, first_name, &pairs->second, second_name);
	find_values(pairs);
}

/* Runs a request over all pairs, in which a zero stands for each NULL. */
EngineResult
pairs_run_filled(ArrayPairs *pairs, EngineRequest *request)
{
	CallInput	second = array_input(&pairs->second);

	request->count = pairs->first.nitems;
	return call_engine_beside(request, &pairs->first, &second);
}

/* An array, and the bitmap of its elements in pairs without a NULL. */
typedef struct MarkedArray
{
	Datum		datum;
	const uint8 *bitmap;
} MarkedArray;

/* The request that writes the elements of a reader that a bitmap marks. */
static EngineRequest
select_request(const ArrayReader *reader, const uint8 *bitmap)
{
	return (EngineRequest) {
		.operation = ENGINE_COMPACT,
		.count = reader->count,
		.outputs[0].kind = reader->type.kind,
		.table = bitmap,
		.table_bytes = null_bitmap_bytes(reader->nitems),
		.parameters = PARAMETERS_OF(CompactParameters, .by_bitmap = true)
	};
}

/* The marked elements, anew. */
static void
make_selected(void *argument, char *values)
{
	const MarkedArray *marked = argument;
	ArrayReader again;
	EngineRequest request;

	array_reader_open(&again, marked->datum, NULLS_FILLED, NULL);
	request = select_request(&again, marked->bitmap);
	request.outputs[0].memory = values;
	(void) call_engine(&request, &again);
	array_reader_close(&again);
}

/* The marked elements, of which there are "count", for a later request. */
static PassedArray *
pass_selected(MarkedArray *marked, ArrayReader *reader, int64 count)
{
	PassedArray *values = passed_begin(&reader->type, count, make_selected,
									   marked);
	EngineRequest request = select_request(reader, marked->bitmap);
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};

	(void) passed_run(values, &request, inputs, lengthof(inputs));
	return values;
}

/*
 * Runs a request over the pairs without a NULL, of large arrays: the requests
 * before it leave out the other elements.  Several threads do this, or a GPU,
 * which may have cached the arrays.
 */
static EngineResult
run_selected(ArrayPairs *pairs, EngineRequest *request)
{
	MarkedArray marked = {pairs->first.datum, pairs->values};
	MarkedArray marked_second = {pairs->second.datum, pairs->values};
	PassedArray *first = pass_selected(&marked, &pairs->first, pairs->count);
	PassedArray *second = pass_selected(&marked_second, &pairs->second,
										pairs->count);
	CallInput	beside = array_input(&second->reader);
	EngineResult result;

	request->count = pairs->count;
	result = call_engine_beside(request, &first->reader, &beside);
	passed_end(second);
	passed_end(first);
	return result;
}

/* The same, of other arrays: the session leaves out what it reads. */
static EngineResult
run_beside_nulls(ArrayPairs *pairs, EngineRequest *request)
{
	BesideNulls *inputs[2];
	CallInput  *bases[2];
	EngineResult result;

	request->count = pairs->count;
	request->kinds[0] = pairs->first.type.kind;
	request->kinds[1] = pairs->second.type.kind;
	for (int i = 0; i < 2; i++)
	{
		inputs[i] = beside_nulls_begin(i == 0 ? &pairs->first : &pairs->second,
									   pairs->values, pairs->first.nitems,
									   NULL);
		bases[i] = &inputs[i]->base;
	}
	result = call_engine_inputs(request, bases, 2);
	beside_nulls_finish(inputs[0]);
	beside_nulls_finish(inputs[1]);
	return result;
}

/* Runs a request over the pairs without a NULL. */
EngineResult
pairs_run(ArrayPairs *pairs, EngineRequest *request)
{
	if (pairs->values == NULL)
		return pairs_run_filled(pairs, request);
	return pairs->first.nitems >= SELECTED_ITEMS ?
		run_selected(pairs, request) : run_beside_nulls(pairs, request);
}

/* Ends the call, with a result of "bytes_out" bytes. */
void
pairs_end(ArrayPairs *pairs, int64 bytes_out)
{
	if (pairs->values != NULL)
		pfree(pairs->values);
	array_reader_close(&pairs->second);
	call_end_bytes(&pairs->first, bytes_out);
}
