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
#include "call/call.h"
#include "call/defer.h"
#include "call/temporary.h"

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
