/*
 * temporary.c
 *	  An array that a request makes for a later request of the same call.
 *
 * If a GPU has made the elements, they stay there.  If the later request runs
 * elsewhere, or the function looks at the elements itself, they are fetched; or
 * made once more if the GPU has gone.
 */
#include "compat.h"

#include "array/large_value.h"
#include "call/job.h"
#include "call/temporary.h"
#include "contract/operations/compact.h"

/* Room for "most" elements, or for one. */
TemporaryArray *
temporary_begin(const ElementType *type, int64 most, MakeElements make,
				void *argument)
{
	TemporaryArray *temporary = palloc0(sizeof(TemporaryArray));
	ArrayType  *array = large_value_allocate(ARR_OVERHEAD_NONULLS(1) +
											 Max(most, 1) * type->size);

	memset(array, 0, ARR_OVERHEAD_NONULLS(1));
	array->ndim = 1;
	array->elemtype = type->oid;
	ARR_LBOUND(array)[0] = 1;
	temporary->array = array;
	temporary->reader.type = *type;
	temporary->make = make;
	temporary->argument = argument;
	return temporary;
}

/*
 * The request that needs the elements still runs on the engine that was chosen
 * for it.
 */
static ArrayType *
compute(DeferredValue *value)
{
	TemporaryArray *temporary = value->argument;
	ArrayType  *array = deferred_room(value);
	Choice		choice = this_call.choice;

	temporary->make(temporary->argument, ARR_DATA_PTR(array));
	this_call.choice = choice;
	return array;
}

/* Leaves the elements on the device. */
static void
defer(TemporaryArray *temporary, const EngineResult *result)
{
	DeferredValue *value = defer_resident(result);

	value->compute = compute;
	value->argument = temporary;
	deferred_set_header(value, temporary->array, 0);
	pfree(temporary->array);
	temporary->array = NULL;
	temporary->deferred = value;
}

/*
 * Runs the request that makes the elements, and opens their reader.  Returns
 * their number.
 */
int64
temporary_run(TemporaryArray *temporary, EngineRequest *request,
			  CallInput *const inputs[], int ninputs)
{
	ElementType type = temporary->reader.type;
	EngineResult result;

	request->outputs[0].kind = type.kind;
	request->outputs[0].memory = ARR_DATA_PTR(temporary->array);
	request->stays = request->temporary = true;
	result = call_engine_inputs(request, inputs, ninputs);
	ARR_DIMS(temporary->array)[0] = (int) result.count;
	SET_VARSIZE(temporary->array,
				ARR_OVERHEAD_NONULLS(1) + result.count * type.size);
	if (result.resident != 0)
		defer(temporary, &result);
	temporary_reopen(temporary);
	return result.count;
}

/* Opens the reader at the beginning. */
void
temporary_reopen(TemporaryArray *temporary)
{
	array_reader_open(&temporary->reader, temporary->deferred != NULL ?
					  deferred_datum(temporary->deferred) :
					  PointerGetDatum(temporary->array), NULLS_DROPPED, NULL);
}

/* The elements. */
char *
temporary_values(TemporaryArray *temporary)
{
	return ARR_DATA_PTR(temporary->deferred != NULL ?
						deferred_array(temporary->deferred) :
						temporary->array);
}

/* Frees the elements.  The rest is freed with its memory context. */
void
temporary_end(TemporaryArray *temporary)
{
	if (temporary->deferred != NULL)
		deferred_free(temporary->deferred);
	else
		pfree(temporary->array);
}

/*
 * Begins the request for the "count" elements that a bitmap marks.  Rewinds
 * the array.
 */
static EngineRequest
begin_request(const SelectedElements *selected, const uint8 *bitmap,
			  int64 count)
{
	ArrayReader *array = selected->array;

	array->at = selected->start;
	return (EngineRequest) {
		.operation = ENGINE_COMPACT,
		.count = array->count,
		.outputs[0].kind = array->type.kind,
		.table = bitmap,
		.table_bytes = null_bitmap_bytes(array->nitems),
		.room = Max(count, 1),	/* zero would be all */
		.parameters = PARAMETERS_OF(CompactParameters, .by_bitmap = true)
	};
}

/*
 * A compaction may have any number of results, but this one must have as many
 * as are marked: with fewer, an input would be read beyond its end.
 */
static void
check_count(int64 selected, int64 count)
{
	if (selected != count)
		elog(ERROR, "engine selected " INT64_FORMAT " elements, not "
			 INT64_FORMAT, selected, count);
}

static void
put_elements(const SelectedElements *selected, const uint8 *bitmap,
			 int64 count, char *values)
{
	EngineRequest request = begin_request(selected, bitmap, count);

	request.outputs[0].memory = values;
	check_count(call_engine(&request, selected->array).count, count);
}

/* Makes the elements that a device has lost. */
static void
make_selected(void *argument, char *values)
{
	const SelectedElements *selected = argument;

	put_elements(selected, selected->bitmap, selected->count, values);
}

static void
put_others(const SelectedElements *selected, char *others)
{
	int64		nitems = selected->array->nitems;
	uint8	   *bitmap = palloc(null_bitmap_bytes(nitems));

	null_bitmap_combine(bitmap, NULL, selected->bitmap, nitems, BITMAP_AND_NOT);
	put_elements(selected, bitmap, nitems - selected->count, others);
	pfree(bitmap);
}

/*
 * Begins an input of the elements of an array that a bitmap marks, "count" of
 * them, and puts the other elements to "others", unless that is NULL.
 * The reader hands out a value for each NULL.  It and the bitmap have to stay
 * until selected_end.
 */
void
selected_begin(SelectedElements *selected, ArrayReader *array,
			   const uint8 *bitmap, int64 count, char *others)
{
	CallInput	input = array_input(array);
	CallInput  *inputs[] = {&input};
	EngineRequest request;

	Assert(array->count == array->nitems);
	*selected = (SelectedElements) {
		.array = array, .start = array->at, .bitmap = bitmap, .count = count
	};
	if (others != NULL)
		put_others(selected, others);
	request = begin_request(selected, bitmap, count);
	selected->temporary = temporary_begin(&array->type, count, make_selected,
										  selected);
	check_count(temporary_run(selected->temporary, &request, inputs,
							  lengthof(inputs)), count);
	selected->input = array_input(&selected->temporary->reader);
}

void
selected_end(SelectedElements *selected)
{
	temporary_end(selected->temporary);
}
