/*
 * defer.c
 *	  Results whose elements are not put into an array.
 *
 * A chain allows a step to return a deferred value.  The step's request has to
 * allow it, too: most functions put NULLs into their results, or change them
 * in another way.
 */
#include "compat.h"

#include "call/call.h"
#include "call/job.h"
#include "settings.h"

/*
 * Results of fewer bytes are written to their array at once, which takes no
 * longer than deferring them.
 */
#define MIN_DEFERRED	(256 * 1024)

/* Returns whether the call may defer a result that is large enough. */
static bool
may_defer(void)
{
	return this_call.step != NULL && this_call.step->may_defer;
}

/* Returns whether a request, which allows it, may defer its results. */
bool
defer_allowed(const EngineRequest *request)
{
	return (request->temporary || may_defer()) &&
		request->outputs[1].memory == NULL &&
		most_results(request) * output_size(request, 0) >= MIN_DEFERRED;
}

/* The device no longer has to have the elements. */
void
resident_give_back(DeferredValue *value)
{
	if (value->resident != 0)
		gpu_engine_give_back(session_engines[ENGINE_CUDA].context,
							 value->device, value->resident);
	value->resident = 0;
}

static void
give_back_at_reset(void *value)
{
	resident_give_back(value);
}

/*
 * Gives the engine the identity of a source that has stayed on a device.  A
 * source on another device than the first one gets none.
 */
void
resident_identify(EngineRequest *request, int source,
				  const DeferredValue *value)
{
	if (value->resident == 0)
		return;
	for (int i = 0; i < source; i++)
	{
		if (request->residents[i] != 0 && request->device != value->device)
			return;
	}
	request->residents[source] = value->resident;
	request->device = value->device;
}

/* The array, with its elements from the device; NULL if that has lost them. */
static ArrayType *
fetch_resident(DeferredValue *value)
{
	ArrayType  *array = deferred_room(value);
	ElementType type = element_type(ARR_ELEMTYPE(array));
	int64		count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) -
		value->leading_nulls;
	EngineRequest request = {
		.operation = ENGINE_COPY,
		.residents[0] = value->resident,
		.device = value->device,
		.outputs[0] = {ARR_DATA_PTR(array), type.kind}
	};
	ArrayReader reader;
	EngineResult result;

	if (count == 0)
		return array;
	array_reader_open_values(&reader, &type, NULL, count);
	if (job_alone(&request, &reader, &result) == ENGINE_OK)
		return array;
	resident_give_back(value);
	pfree(array);
	return NULL;
}

static ArrayType *
fetch_packed(const DeferredValue *value)
{
	ArrayType  *array = deferred_room(value);
	ArrayReader reader;

	array_reader_open_packed(&reader, value->packed, 1, PG_INT32_MAX);
	unpack(&reader, ARR_DATA_PTR(array));
	array_reader_close(&reader);
	return array;
}

static ArrayType *
fetch(DeferredValue *value)
{
	ArrayType  *array = NULL;

	if (value->resident != 0)
		array = fetch_resident(value);
	else if (value->stages != NULL)
		array = stages_run(value);
	else if (value->packed != (Datum) 0)
		array = fetch_packed(value);
	return array != NULL ? array : value->compute(value);
}

/* A deferred value.  When it is freed, the device frees its elements, too. */
static DeferredValue *
begin(void)
{
	DeferredValue *value = deferred_make(fetch);

	value->at_reset.func = give_back_at_reset;
	value->at_reset.arg = value;
	MemoryContextRegisterResetCallback(value->base.eoh_context,
									   &value->at_reset);
	return value;
}

/* The value whose elements a request has left on a device. */
DeferredValue *
defer_resident(const EngineResult *result)
{
	DeferredValue *value = begin();

	value->resident = result->resident;
	value->device = result->device;
	return value;
}

/*
 * Defers a request, to be a stage of the next one.  Returns whether that is
 * possible.
 */
bool
defer_request(EngineRequest *request, CallInput *const inputs[], int ninputs)
{
	DeferredStages *stages;

	if (!request->stays || request->temporary || !defer_allowed(request) ||
		ninputs != 1)
		return false;
	request->inputs = ninputs;
	request->kinds[0] = inputs[0]->reader->type.kind;
	stages = stages_of(request, inputs[0]);
	if (stages == NULL)
		return false;
	this_call.step->deferred = begin();
	this_call.step->deferred->stages = stages;
	choose_cpu(&this_call.choice, request->count, CHOSEN_AS_STAGE);
	return true;
}

/*
 * Leaves the values of a packed array packed, if the next step can take them
 * from there.  The reader has the whole array.  Returns false if it cannot.
 */
bool
defer_packed(const ArrayReader *reader)
{
	if (!may_defer() ||
		reader->count * reader->type.size < MIN_DEFERRED)
		return false;
	this_call.step->deferred = begin();
	this_call.step->deferred->packed = reader->datum;
	choose_cpu(&this_call.choice, reader->nitems, CHOSEN_AS_STAGE);
	return true;
}

/* The request that has made the result is repeated. */
void
defer_not(void)
{
	CallStep   *step = this_call.step;

	if (step == NULL || step->deferred == NULL)
		return;
	deferred_free(step->deferred);
	step->deferred = NULL;
}
