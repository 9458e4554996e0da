/*
 * request.c
 *	  A call's requests to the engines.
 */
#include "compat.h"

#include "miscadmin.h"

#include "array/packed_reader.h"
#include "call/job.h"
#include "settings.h"

/* Returns whether a source has all elements of an array, unchanged. */
static bool
is_array(const EngineRequest *request, int source, CallInput *const inputs[],
		 const ArrayReader *reader)
{
	return reader != NULL && reader->at.next == 0 &&
		(reader->deferred == NULL || !reader->filled) &&
		(source == ENGINE_TABLE || inputs[0]->second != NULL ||
		 inputs[source]->plain) &&
		reader->count * reader->type.size == source_bytes(request, source);
}

/*
 * Identifies the sources of a request for the engines: stored values, or
 * results that have stayed on a device.
 */
static void
identify_sources(EngineRequest *request, CallInput *const inputs[])
{
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		const ArrayReader *reader = source_reader(request, inputs, i);

		request->identities[i] = NULL;
		request->residents[i] = 0;
		if (!is_array(request, i, inputs, reader))
			continue;
		request->identities[i] = reader->identity;
		if (reader->identity != NULL)
			request->next_oid = next_oid();
		if (reader->deferred != NULL)
			resident_identify(request, i, reader->deferred);
	}
}

/* Bytes of a request's table, before it is read. */
static int64
table_bytes(const CallTable *table)
{
	return table->reader->count * table->reader->type.size;
}

/* Completes a request, for one thread, by its inputs and the settings. */
static inline void
complete_request(EngineRequest *request, CallInput *const inputs[])
{
	for (int i = 0; i < request->inputs; i++)
	{
		if (inputs[i]->plain)
			request->kinds[i] = inputs[i]->reader->type.kind;
	}
	if (inputs[0]->table != NULL)
	{
		request->table = inputs[0]->table->elements;
		request->table_bytes = table_bytes(inputs[0]->table);
	}
	request->device = setting_device;
	request->algorithm = setting_algorithm;
	request->threads = 1;
	if (request->room == 0)
		request->room = most_results(request);
	if (this_call.step != NULL && this_call.step->wants_stage)
		stage_tell(this_call.step, request, inputs);
	request->stays = request->stays && defer_allowed(request);
}

/* Bytes of an input as they are read, if it is packed; or zero. */
static int64
packed_bytes(const CallInput *input)
{
	const PackedReader *packed = packed_reader_of(input->reader->source);

	if (packed == NULL || !input->plain || packed->array.count == 0)
		return 0;
	return (int64) ((double) packed->array.length * input->reader->count /
					packed->array.count);
}

/* Chooses an engine for a request. */
static inline void
choose(EngineRequest *request, ArrayReader *reader)
{
	const CallStep *step = this_call.step;

	choose_engine(&this_call.choice, request, reader,
				  step != NULL && step->may_defer ? step->self.next : NULL);
}

/* Completes a request, and chooses an engine for it. */
static void
prepare_request(EngineRequest *request, CallInput *const inputs[])
{
	complete_request(request, inputs);
	request->threads = call_threads(shared_elements(request));
	identify_sources(request, inputs);
	request->packed_bytes = packed_bytes(inputs[0]);
	choose(request, inputs[0]->reader);
}

/* The engine that a request over the reader's elements would run on. */
int
call_choose_engine(EngineRequest *request, ArrayReader *reader)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};

	request->inputs = lengthof(inputs);
	prepare_request(request, inputs);
	return this_call.choice.engine;
}

/* Returns whether an input has elements that are not here. */
static bool
is_deferred(const CallInput *input)
{
	const CallTable *table = input->table;

	return input->reader->deferred != NULL ||
		(input->second != NULL && input->second->deferred != NULL) ||
		(table != NULL && table->reader->deferred != NULL);
}

/* Returns whether a request is short, with all of its elements here. */
static inline bool
is_short(const EngineRequest *request, CallInput *const inputs[])
{
	if (!request_is_short(request) ||
		(inputs[0]->table != NULL &&
		 table_bytes(inputs[0]->table) > MAX_SHORT_TABLE))
		return false;
	for (int i = 0; i < request->inputs; i++)
	{
		if (is_deferred(inputs[i]))
			return false;
	}
	return true;
}

/* Runs a short request, if the CPU is chosen for it. */
static bool
run_short(EngineRequest *request, CallInput *const inputs[],
		  EngineResult *result)
{
	EngineContext *context;
	EngineStatus status;

	complete_request(request, inputs);
	choose(request, inputs[0]->reader);
	if (this_call.choice.engine != ENGINE_CPU)
		return false;
	context = session_contexts[ENGINE_CPU];
	if (inputs[0]->table != NULL)
		call_table_read(inputs[0]->table, request);
	status = job_run_short(context, request, inputs, result);
	if (status != ENGINE_OK)
		raise_status(status, context->engine->message(context));
	return true;
}

/* Runs a request on the engine that is chosen for it. */
static void
run_request(EngineRequest *request, CallInput *const inputs[],
			EngineResult *result)
{
	Choice	   *choice = &this_call.choice;
	EngineStatus status = job_run(choice, request, inputs, result);

	if (status != ENGINE_OK)
		raise_status(status, choice->why_not);
	if (request->nstages == 0)
		result->elements = request->count;
}

/*
 * Runs a request on an array that stages have yet to compute.  If a stage
 * fails, the functions that the stages stand for compute the array, so that
 * the function that fails raises its own error.
 */
static void
run_stages(EngineRequest *request, CallInput *last, DeferredStages *stages,
		   EngineResult *result)
{
	EngineRequest without = *request;
	ArrayReader source;
	CallInput	input = array_input(&source);
	CallInput  *inputs[] = {&input};
	CallInput  *last_inputs[] = {last};

	input.table = last->table;
	array_reader_open(&source, stages->source, NULLS_DROPPED, NULL);
	request->stages = stages->stages;
	request->nstages = stages->nstages;
	request->count += stages_absent(request);
	prepare_request(request, inputs);
	run_request(request, inputs, result);
	array_reader_close(&source);
	if (!result->stage_failed)
	{
		stages->done = true;
		return;
	}
	(void) deferred_array(last->reader->deferred);
	call_run(&without, last_inputs, lengthof(last_inputs), result);
}

/*
 * Chooses an engine, and runs a request over inputs that are pushed together.
 * The caller sets the operation and its parameters, the number of elements, the
 * kinds of inputs that are not plain, and the outputs; and the room, if it is
 * less than for all possible results.  "stays" says that the results may be
 * deferred in a chain: what the output's memory has is not looked at then.
 */
void
call_run(EngineRequest *request, CallInput *const inputs[], int ninputs,
		 EngineResult *result)
{
	DeferredStages *stages;

	request->inputs = ninputs;
	*result = (EngineResult) {0};
	result->count = result->elements = request->count;
	if (request->count == 0 ||
		(is_short(request, inputs) && run_short(request, inputs, result)))
		return;
	stages = deferred_stages(inputs[0]->reader->deferred);
	if (stages != NULL)
	{
		if (request->stays && defer_request(request, inputs))
			return;
		if (stages_support(stages, request, inputs))
		{
			run_stages(request, inputs[0], stages, result);
			return;
		}
	}
	prepare_request(request, inputs);
	if (stages == NULL && request->stays &&
		this_call.choice.engine == ENGINE_CPU &&
		defer_request(request, inputs))
		return;
	run_request(request, inputs, result);
	if (result->resident != 0 && !request->temporary)
		this_call.step->deferred = defer_resident(result);
}
