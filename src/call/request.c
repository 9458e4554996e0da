/*
 * request.c
 *	  A call's requests to the engines.
 */
#include "compat.h"

#include "access/parallel.h"

#include "call/call.h"
#include "call/job.h"
#include "call/record.h"
#include "call/status.h"
#include "gpuclient/oids.h"
#include "settings.h"

/* CPU threads for a call if the settings do not tell. */
#define DEFAULT_THREADS	4

/*
 * CPU threads for a call on "count" elements, including the session's own.  No
 * engine uses another one for a short job, unless it has to.  More threads than
 * processors would keep the session's own from running, and from checking for
 * interrupts.
 */
static int
call_threads(int64 count)
{
	EngineContext *context = session_engines[ENGINE_CUDA].context;
	int			processors = session_processors();
	int			threads = Min(processors, DEFAULT_THREADS);
	int			idle;

	if (IsParallelWorker() || setting_algorithm == ALGORITHM_SEQUENTIAL ||
		(setting_algorithm == ALGORITHM_AUTO && count <= MAX_SHORT_JOB))
		return 1;
	if (setting_cpu_threads > 0)
		return Min(setting_cpu_threads, Max(processors, DEFAULT_THREADS));
	if (context == NULL)
		return threads;

	/* It changes at any time, and Min and Max look twice. */
	idle = processors - gpu_engine_busy_threads(context);
	return Max(1, Min(threads, idle));
}

/* Checks that the number of results is possible. */
static void
check_result(const Engine *engine, const EngineRequest *request,
			 const EngineResult *result)
{
	ResultShape shape = operation_facts[request->operation].shape;
	int64		most = most_results(request);
	int64		least = shape == RESULT_SOME ? 0 : most;

	if (result->count < least || result->count > most)
		elog(ERROR, "engine \"%s\" returned " INT64_FORMAT " elements, not "
			 INT64_FORMAT " to " INT64_FORMAT,
			 engine->name, result->count, least, most);
}

/*
 * Tells the engines which stored value an input is, if all of it is pushed.
 */
static void
identify_input(EngineRequest *request, int number, const CallInput *input)
{
	const ArrayReader *reader = input->reader;

	if (!input->plain || input->second != NULL || reader->identity == NULL ||
		reader->at.next != 0 || reader->count != request->count)
		return;
	request->identities[number] = reader->identity;
	request->next_oid = next_oid();
}

/* Completes a request, and chooses an engine for it. */
static void
prepare_request(EngineRequest *request, CallInput *const inputs[], int ninputs)
{
	request->inputs = ninputs;
	for (int i = 0; i < ninputs; i++)
	{
		if (inputs[i]->plain)
			request->kinds[i] = inputs[i]->reader->type.kind;
		identify_input(request, i, inputs[i]);
	}
	request->algorithm = setting_algorithm;
	request->device = setting_device;
	request->memory_limit = (int64) setting_device_memory_limit << 20;
	request->threads = call_threads(request->count);
	if (request->room == 0)
		request->room = most_results(request);
	choose_engine(&this_call.choice, request, inputs[0]->reader);
	if (this_call.choice.reason == CHOSEN_ONLY)
		request->algorithm = ALGORITHM_AUTO;
}

/* The engine that a request over the reader's elements would run on. */
const SessionEngine *
call_choose_engine(EngineRequest *request, ArrayReader *reader)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};

	prepare_request(request, inputs, lengthof(inputs));
	return this_call.choice.engine;
}

/*
 * Chooses an engine, and runs a request over inputs that are pushed together.
 * The caller sets the operation and its parameters, the number of elements, the
 * kinds of inputs that are not plain, and the outputs; and the room, if it is
 * less than for all possible results.
 */
EngineResult
call_engine_inputs(EngineRequest *request, CallInput *const inputs[],
				   int ninputs)
{
	Choice	   *choice = &this_call.choice;
	EngineResult result = {0};
	EngineStatus status;

	if (request->count == 0)
		return result;
	prepare_request(request, inputs, ninputs);
	status = job_run(choice, request, inputs, &result);
	if (status != ENGINE_OK)
		raise_status(status, choice->why_not);
	check_result(choice->engine->engine, request, &result);
	return result;
}

/* As call_engine_inputs, over the reader's elements alone. */
EngineResult
call_engine(EngineRequest *request, ArrayReader *reader)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};

	return call_engine_inputs(request, inputs, lengthof(inputs));
}

/* As call_engine, with another input beside the reader's elements. */
EngineResult
call_engine_beside(EngineRequest *request, ArrayReader *reader,
				   CallInput *beside)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input, beside};

	return call_engine_inputs(request, inputs, lengthof(inputs));
}

/* To be called where the function itself does the work, on the CPU. */
void
call_on_cpu(const ArrayReader *reader)
{
	choose_cpu(&this_call.choice, reader->nitems);
}
