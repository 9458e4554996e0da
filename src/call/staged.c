/*
 * staged.c
 *	  Requests that become stages of the next one.
 *
 * An element-wise step of a chain is not run by itself on the CPU.  Its results
 * would go through memory, which takes longer than to compute them.  Instead,
 * the request of the step that takes the results gets the stages, and reads the
 * array from which they come.
 */
#include "compat.h"

#include "call/call.h"
#include "call/job.h"
#include "call/staged.h"
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
		reader->at.next == 0 && reader->count == request->count &&
		(reader->copy == NULL || reader->at.values_at_hand < reader->count);
}

/* Returns whether a request with one input can be a stage on the CPU. */
bool
staged_can_be_stage(const EngineRequest *request, const CallInput *input)
{
	return setting_algorithm == ALGORITHM_AUTO &&
		can_be_source(request, input) && cpu_engine.can_be_stage(request);
}

/* The stage that a request is. */
EngineStage
staged_stage(const EngineRequest *request)
{
	return (EngineStage)
	{
		request->operation, request->kinds[0], request->outputs[0].kind,
			request->parameters
	};
}

/*
 * Returns the stages of a request on the CPU with one input, if the request can
 * be put off; else NULL.
 */
StagedArray *
staged_from(const EngineRequest *request, const CallInput *input)
{
	const StagedArray *before = staged_array(input->reader);
	EngineRequest whole = *request;
	StagedArray *staged;

	if (before != NULL)
	{
		whole.stages = before->stages;
		whole.nstages = before->nstages;
	}
	if (!staged_can_be_stage(&whole, input) ||
		(before != NULL ? before->nstages == ENGINE_STAGES :
		 input->reader->absent != NULL))
		return NULL;
	staged = palloc0(sizeof(StagedArray));
	if (before != NULL)
		*staged = *before;
	else
		staged->source = input->reader->datum;
	staged->stages[staged->nstages++] = staged_stage(request);
	if (operation_facts[request->operation].shape == RESULT_SOME)
		staged->filtered = true;
	return staged;
}

/*
 * Returns whether a request gets all that a stage needs.  A frame may end
 * behind the elements of a request that leaves out the last ones, as an
 * exclusive scan does.
 */
static bool
gets_frames(const StagedArray *staged, const EngineRequest *request,
			const ArrayReader *reader)
{
	if (request->count == reader->count)
		return true;
	for (int i = 0; i < staged->nstages; i++)
	{
		if (staged->stages[i].operation == ENGINE_WINDOW)
			return false;
	}
	return true;
}

/*
 * Returns whether a request on an array that is still to be computed can have
 * its stages.
 */
bool
staged_supports(const StagedArray *staged, const EngineRequest *request,
				CallInput *const inputs[], int ninputs)
{
	EngineRequest whole = *request;

	if (ninputs != 1 || setting_algorithm != ALGORITHM_AUTO ||
		setting_engine == ENGINE_CUDA || !inputs[0]->plain ||
		inputs[0]->second != NULL || inputs[0]->reader->at.next != 0 ||
		!gets_frames(staged, request, inputs[0]->reader))
		return false;
	whole.inputs = 1;
	whole.kinds[0] = staged->stages[0].from;
	whole.threads = 1;
	whole.stages = staged->stages;
	whole.nstages = staged->nstages;
	return cpu_engine.cost_us(NULL, &whole) >= 0;
}

/* The array has only "count" elements. */
static void
shrink(ArrayType *array, int64 count, int size)
{
	ARR_DIMS(array)[0] = (int) count;
	SET_VARSIZE(array, ARR_OVERHEAD_NONULLS(1) + count * size);
}

/* Makes the operation a copy if the last stage cannot be one behind stages. */
static void
copy_instead(EngineRequest *request)
{
	if (cpu_engine.cost_us(NULL, request) >= 0)
		return;
	request->operation = ENGINE_COPY;
	request->nstages++;
}

/*
 * Computes an array by its stages: the last one is the operation.  Returns
 * false if there are none, if one fails, or if no elements are left: an empty
 * array has another header.
 */
bool
staged_fetch(AbsentArray *absent)
{
	StagedArray *staged = absent->staged;
	const EngineStage *last;
	EngineRequest request;
	EngineResult result;
	EngineStatus status;
	ArrayReader source;
	CallInput	input = array_input(&source);
	CallInput  *inputs[] = {&input};
	Choice		choice = {0};

	if (staged == NULL)
		return false;
	last = &staged->stages[staged->nstages - 1];
	array_reader_open(&source, staged->source, NULLS_DROPPED, NULL);
	request = (EngineRequest)
	{
		.operation = last->operation,
			.count = source.count,
			.inputs = lengthof(inputs),
			.kinds[0] = source.type.kind,
			.outputs[0] = {ARR_DATA_PTR(absent->array), last->kind},
			.stages = staged->stages,
			.nstages = staged->nstages - 1,
			.room = source.count,
			.threads = call_threads(source.count),
			.parameters = last->parameters
	};
	copy_instead(&request);
	choose_cpu(&choice, source.count);
	status = job_try(&choice, &request, inputs, &result);
	array_reader_close(&source);
	if (status != ENGINE_OK || result.stage_failed ||
		result.overflow != OVERFLOW_NONE || result.count == 0)
		return false;
	if (staged->filtered)
		shrink(absent->array, result.count, kind_size(last->kind));
	return true;
}
