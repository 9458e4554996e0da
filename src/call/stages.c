/*
 * stages.c
 *	  Requests that become stages of the next one.
 *
 * An element-wise step of a chain is not run by itself on the CPU.  Its
 * results would go through memory, which takes longer than computing them.
 * Instead, the request of the next step does it as a stage, and reads the
 * array that the first stage starts from.
 */
#include "compat.h"

#include "array/large_value.h"
#include "call/call.h"
#include "call/job.h"
#include "settings.h"

/*
 * Returns whether the array that an input comes from can be read again when the
 * stages are run: it takes no work to find its elements, and they are all.
 */
static bool
can_be_source(const EngineRequest *request, const CallInput *input)
{
	const ArrayReader *reader = input->reader;

	return input->plain && input->second == NULL && reader->nulls == NULL &&
		!reader->is_packed &&
		reader->at.next == 0 && reader->count == request->count &&
		(reader->copy == NULL || reader->at.values_at_hand < reader->count);
}

/* Returns whether a request with one input can be a stage on the CPU. */
static bool
can_be_stage(const EngineRequest *request, const CallInput *input)
{
	return setting_algorithm == ALGORITHM_AUTO &&
		can_be_source(request, input) && cpu_engine.can_be_stage(request);
}

/* The stage that a request is. */
static EngineStage
stage_of(const EngineRequest *request)
{
	return (EngineStage)
	{
		request->operation, request->kinds[0], request->outputs[0].kind,
			request->parameters, request->absent
	};
}

/* Records in a step whether its request can be a stage, and which one. */
void
stage_tell(CallStep *step, const EngineRequest *request,
		   CallInput *const inputs[], int ninputs)
{
	step->requests++;
	step->is_stage = request->stays && ninputs == 1 &&
		can_be_stage(request, inputs[0]);
	step->stage = stage_of(request);
}

/*
 * Returns the stages of a request on the CPU with one input, if the request can
 * be deferred; else NULL.
 */
DeferredStages *
stages_of(const EngineRequest *request, const CallInput *input)
{
	const DeferredStages *before = deferred_stages(input->reader->deferred);
	EngineRequest whole = *request;
	DeferredStages *stages;

	if (before != NULL)
	{
		whole.stages = before->stages;
		whole.nstages = before->nstages;
	}
	if (!can_be_stage(&whole, input) ||
		(before != NULL ? before->nstages == ENGINE_STAGES :
		 input->reader->deferred != NULL))
		return NULL;
	stages = palloc0(sizeof(DeferredStages));
	if (before != NULL)
		*stages = *before;
	else
		stages->source = input->reader->datum;
	stages->stages[stages->nstages++] = stage_of(request);
	if (operation_facts[request->operation].shape == RESULT_SOME)
		stages->filtered = true;
	return stages;
}

/*
 * Returns whether a request on an array that is still to be computed can have
 * its stages.  A request that leaves out the last element, as an exclusive scan
 * does, cannot: a stage may fail there, and the frames before it need it.
 */
bool
stages_support(const DeferredStages *stages, const EngineRequest *request,
			   CallInput *const inputs[], int ninputs)
{
	EngineRequest whole = *request;

	if (ninputs != 1 || setting_algorithm != ALGORITHM_AUTO ||
		setting_engine == ENGINE_CUDA || !inputs[0]->plain ||
		inputs[0]->second != NULL || inputs[0]->reader->at.next != 0 ||
		inputs[0]->reader->filled ||
		request->count != inputs[0]->reader->count)
		return false;
	whole.inputs = 1;
	whole.kinds[0] = stages->stages[0].from;
	whole.threads = 1;
	whole.stages = stages->stages;
	whole.nstages = stages->nstages;
	return cpu_engine.cost_us(NULL, &whole) >= 0;
}

/* Shortens an array to its first "count" elements. */
static ArrayType *
cut(ArrayType *array, int64 count, int size)
{
	Size		room = VARSIZE(array);

	if (count == 0)
	{
		Oid			element = ARR_ELEMTYPE(array);

		pfree(array);
		return construct_empty_array(element);
	}
	ARR_DIMS(array)[0] = (int) count;
	SET_VARSIZE(array, ARR_OVERHEAD_NONULLS(1) + count * size);
	return large_value_cut(array, room, VARSIZE(array));
}

/* Makes the operation a copy if the last stage cannot be one behind stages. */
static void
copy_instead(EngineRequest *request)
{
	if (cpu_engine.cost_us(NULL, request) >= 0)
		return;
	request->operation = ENGINE_COPY;
	request->absent = 0;
	request->nstages++;
}

/*
 * Computes an array by its stages: the last one is the operation.  Returns NULL
 * if one fails.
 */
ArrayType *
stages_run(const DeferredValue *value)
{
	const DeferredStages *stages = value->stages;
	const EngineStage *last = &stages->stages[stages->nstages - 1];
	ArrayType  *array = deferred_room(value);
	EngineRequest request = {
		.operation = last->operation,
		.kinds[0] = stages->stages[0].from,
		.inputs = 1,
		.threads = 1,
		.outputs[0] = {ARR_DATA_PTR(array), last->kind},
		.stages = stages->stages,
		.nstages = stages->nstages - 1,
		.absent = last->absent,
		.parameters = last->parameters
	};
	EngineResult result;
	EngineStatus status;
	ArrayReader source;

	array_reader_open(&source, stages->source, NULLS_DROPPED, NULL);
	request.count = source.count;
	copy_instead(&request);
	status = job_alone(&request, &source, &result);
	array_reader_close(&source);
	if (status != ENGINE_OK || result.stage_failed ||
		result.overflow != OVERFLOW_NONE)
	{
		pfree(array);
		return NULL;
	}
	return stages->filtered ?
		cut(array, result.count, kind_size(last->kind)) : array;
}
