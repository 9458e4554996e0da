/*
 * call.c
 *	  A call of an SQL function, from its arguments to its result.
 *
 * A family's function calls, in this order, call_begin, call_open_array (or
 * one like it), array_writer_begin, call_engine and call_end.  These record
 * the statistics of the call.  Arguments are checked after call_begin, so that
 * a call with a wrong argument is recorded as a failed one.
 */
#include "compat.h"

#include <unistd.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/parallel.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/wait_event.h"

#include "array/array_writer.h"
#include "call/argument.h"
#include "call/call.h"
#include "call/call_stat.h"
#include "call/status.h"
#include "gpuclient/oids.h"
#include "settings.h"

LastCall	last_call;

static LastCall this_call;		/* no function between two calls */
static instr_time last_lap;

/* On the stack of error contexts while a call is under way. */
static void note_error(void *arg);
static ErrorContextCallback at_error = {.callback = note_error};

/* The context of the running job, which must end before the process exits. */
static EngineContext *running = NULL;

/*
 * Calls on fewer elements are not published to other sessions, as they are over
 * before another session could take account of them.
 */
#define MIN_NOTED		(256 * 1024)

/*
 * Calls on arrays of fewer bytes are not timed, because reading the clock
 * takes as long as some 40 elements; unless slow calls are to be logged.
 */
#define MIN_TIMED		4096

/* Adds the time since the last lap to a part of the call. */
static void
lap(double *part_ms)
{
	instr_time	now;
	instr_time	since;

	if (!this_call.timed)
		return;
	INSTR_TIME_SET_CURRENT(now);
	since = now;
	INSTR_TIME_SUBTRACT(since, last_lap);
	*part_ms += INSTR_TIME_GET_MILLISEC(since);
	this_call.total_ms += INSTR_TIME_GET_MILLISEC(since);
	last_lap = now;
}

/*
 * Notes the SQLSTATE of what is reported in a call.  It may be less than an
 * error, such as a notice; if the call ends all the same, it is forgotten.
 */
static void
note_error(void *arg)
{
	double		unfinished_ms = 0;

	lap(&unfinished_ms);
	this_call.error = geterrcode();
}

/*
 * Records the last call if it has failed: an error has left it without its
 * end.  To be called before the call is looked at or counted.
 */
void
call_settle(void)
{
	if (this_call.function == NULL)
		return;
	if (this_call.choice.reason == CHOSEN_NONE)
	{
		this_call.choice.engine = NULL;
		this_call.choice.reason = CHOSEN_FAILED_BEFORE;
	}
	last_call = this_call;
	this_call.function = NULL;
	call_stat_add(&last_call);
}

/* CPU threads for a call if the settings do not tell. */
#define DEFAULT_THREADS	4

/* The machine's processors. */
int
call_processors(void)
{
	static int	processors = 0;

	if (processors == 0)
		processors = Max(1, (int) sysconf(_SC_NPROCESSORS_ONLN));
	return processors;
}

/*
 * CPU threads for a call, including the session's own.  More threads than
 * processors would keep the session's own from running, and from checking for
 * interrupts.
 */
static int
call_threads(void)
{
	EngineContext *context = session_engines[ENGINE_CUDA].context;
	int			processors = call_processors();
	int			threads = Min(processors, DEFAULT_THREADS);
	int			idle;

	if (IsParallelWorker() || setting_algorithm == ALGORITHM_SEQUENTIAL)
		return 1;
	if (setting_cpu_threads > 0)
		return Min(setting_cpu_threads, Max(processors, DEFAULT_THREADS));
	if (context == NULL)
		return threads;

	/* It changes at any time, and Min and Max look twice. */
	idle = processors - gpu_engine_busy_threads(context);
	return Max(1, Min(threads, idle));
}

/* Tells other sessions how many threads are at work on the CPU. */
static void
note_cpu_threads(int threads)
{
	EngineContext *context = session_engines[ENGINE_CUDA].context;

	if (context != NULL)
		gpu_engine_on_cpu(context, threads);
}

static void
end_job(void)
{
	EngineContext *context = running;

	running = NULL;
	if (context != NULL)
	{
		context->engine->end(context);
		note_cpu_threads(0);
	}
}

/*
 * A session that is terminated exits without unwinding; its threads must not
 * work on when the transaction's memory is given back.
 */
static void
end_job_at_exit(int code, Datum arg)
{
	end_job();
}

/* Begins the job, which end_job ends. */
static EngineStatus
begin_job(EngineContext *context, const EngineRequest *request)
{
	static bool registered = false;
	EngineStatus status;

	if (!registered)
		before_shmem_exit(end_job_at_exit, (Datum) 0);
	registered = true;

	running = context;
	if (context == session_engines[ENGINE_CPU].context &&
		request->count >= MIN_NOTED)
		note_cpu_threads(request->threads);
	while ((status = context->engine->begin(context,
											request)) == ENGINE_MORE)
	{
		/* For a lane; the CPU engine never waits here. */
		pgstat_report_wait_start(gpu_wait_event());
		CHECK_FOR_INTERRUPTS();
	}
	pgstat_report_wait_end();
	return status;
}

/* The engine copies what a reader finds, into its buffers for an input. */
typedef struct EngineSink
{
	SpanSink	base;
	EngineContext *context;
	int			input;
} EngineSink;

static void
sink_copy(SpanSink *base, void *dest, const ByteSpan *spans, int nspans,
		  int *pending)
{
	EngineSink *sink = (EngineSink *) base;

	sink->context->engine->fill(sink->context, sink->input, dest, spans,
								nspans, pending);
}

static void
sink_wait(SpanSink *base, const int *pending)
{
	EngineSink *sink = (EngineSink *) base;

	sink->context->engine->wait(sink->context, pending);
}

/* Does something with all arrays that the inputs come from. */
static void
for_each_reader(CallInput *const inputs[], int ninputs,
				void (*action) (ArrayReader *))
{
	for (int i = 0; i < ninputs; i++)
	{
		action(inputs[i]->reader);
		if (inputs[i]->second != NULL)
			action(inputs[i]->second);
	}
}

/*
 * As begin_job.  A GPU process that was idle may end before it gets the job.
 * Then another process is asked for, and is waited for if no other engine is to
 * be tried.
 */
static EngineStatus
begin_job_anew(const Choice *choice, const EngineRequest *request)
{
	SessionEngine *engine = choice->engine;
	EngineStatus status;
	const char *why_not;

	for (bool again = false;; again = true)
	{
		status = begin_job(engine->context, request);
		if (status != ENGINE_NO_DEVICE || again)
			return status;
		end_job();
		if (session_engine_state(engine, choice_is_final(choice),
								 &why_not) != GPU_READY)
			return status;
	}
}

/* Returns whether the input's pieces come without any work. */
static inline bool
is_in_memory(CallInput *const inputs[], int ninputs)
{
	return ninputs == 1 && inputs[0]->second == NULL &&
		inputs[0]->reader->in_memory;
}

/*
 * Lets the engine's threads copy the arrays from their pages, if they can.
 * Returns whether they do.
 */
static bool
attach_inputs(EngineContext *context, CallInput *const inputs[], int ninputs,
			  EngineSink sinks[ENGINE_INPUTS])
{
	int			arrays = ninputs;
	bool		attached = false;

	if (context->engine->fill == NULL || is_in_memory(inputs, ninputs))
		return false;
	for (int i = 0; i < ninputs; i++)
		arrays += inputs[i]->second != NULL;
	for (int i = 0; i < ninputs; i++)
	{
		const CallInput *input = inputs[i];

		if (!input->plain)
			continue;
		sinks[i].base = (SpanSink) {sink_copy, sink_wait};
		sinks[i].context = context;
		sinks[i].input = i;
		attached |= array_reader_attach(input->reader, &sinks[i].base, arrays);
		if (input->second != NULL)
			attached |= array_reader_attach(input->second, &sinks[i].base,
											arrays);
	}
	return attached;
}

/*
 * Pushes the inputs, piece by piece, except those that the engine has cached.
 *
 * All that this thread does and waits for to get the bytes counts as reading.
 * If the engine's threads copy the bytes, this thread only finds and pins
 * pages, and waits for pages to be copied.  While it waits, it may help with
 * the copying, and with the work on the pieces.
 */
static EngineStatus
push_inputs(EngineContext *context, const EngineRequest *request,
			CallInput *const inputs[])
{
	const Engine *engine = context->engine;
	int			ninputs = request->inputs;
	bool		in_memory = is_in_memory(inputs, ninputs);
	int64		left = request->count;

	if (context->has[0] && (ninputs == 1 || context->has[1]))
		return ENGINE_OK;

	while (left > 0)
	{
		void	   *buffers[ENGINE_INPUTS];
		const void *data[ENGINE_INPUTS];
		EngineStatus status;
		int64		count;

		CHECK_FOR_INTERRUPTS();
		while ((status = engine->buffer(context, buffers,
										&count)) == ENGINE_MORE)
		{
			/* A page that is pinned while a device hangs holds up VACUUM. */
			for_each_reader(inputs, ninputs, array_reader_unpin);
			CHECK_FOR_INTERRUPTS();
		}
		if (status != ENGINE_OK)
			return status;
		if (count <= 0)
			elog(ERROR, "engine \"%s\" takes no piece", engine->name);
		count = Min(count, left);

		if (!in_memory)
			lap(&this_call.kernel_ms);
		for (int i = 0; i < ninputs; i++)
			data[i] = context->has[i] ? NULL :
				inputs[i]->next(inputs[i], buffers[i], count);
		if (!in_memory)
			lap(&this_call.detoast_ms);

		status = engine->push(context, data, count);
		if (status != ENGINE_OK)
			return status;
		left -= count;
	}
	return ENGINE_OK;
}

static EngineStatus
finish_job(EngineContext *context, EngineResult *result)
{
	EngineStatus status;

	while ((status = context->engine->finish(context, result)) == ENGINE_MORE)
		CHECK_FOR_INTERRUPTS();

	lap(&this_call.kernel_ms);
	if (status == ENGINE_OK && result->on_device)
	{
		this_call.upload_ms = result->upload_ms;
		this_call.kernel_ms = result->kernel_ms;
		this_call.download_ms = result->download_ms;
		this_call.result_ms = result->result_ms;
	}
	return status;
}

/* Runs a job that has begun. */
static EngineStatus
run_job(const Choice *choice, const EngineRequest *request,
		CallInput *const inputs[], EngineResult *result)
{
	bool		blocking = operation_facts[request->operation].blocking;
	EngineStatus status = push_inputs(running, request, inputs);

	if (status != ENGINE_OK)
		return status;

	/* No page is pinned while we wait for a device. */
	for_each_reader(inputs, request->inputs, array_reader_drain);
	lap(&this_call.detoast_ms);

	/*
	 * A blocking operation has gathered the array: it needs scratch memory
	 * now, but the array no longer, unless another engine may have to begin
	 * anew.
	 */
	if (blocking && choice_is_final(choice))
		array_reader_close(inputs[0]->reader);
	return finish_job(running, result);
}

/* Does the job, unless the engine returns a status that says why it cannot. */
static EngineStatus
do_job(const Choice *choice, EngineRequest *request,
	   CallInput *const inputs[], EngineResult *result)
{
	EngineContext *context = choice->engine->context;
	EngineSink	sinks[ENGINE_INPUTS];
	EngineStatus status;

	*result = (EngineResult) {0};
	request->paged = attach_inputs(context, inputs, request->inputs, sinks);
	PG_TRY();
	{
		status = begin_job_anew(choice, request);
		if (status == ENGINE_OK && running->has[0])
			this_call.source = "cache";
		if (status == ENGINE_OK)
			status = run_job(choice, request, inputs, result);
	}
	PG_FINALLY();
	{
		end_job();				/* before an error gives up pins */
	}
	PG_END_TRY();
	for_each_reader(inputs, request->inputs, array_reader_detach);
	return status;
}

/* Where the arrays that an input comes from are. */
typedef struct InputPlace
{
	ReaderPlace reader;
	ReaderPlace second;
} InputPlace;

static InputPlace
input_place(const CallInput *input)
{
	InputPlace	place = {.reader = input->reader->at};

	if (input->second != NULL)
		place.second = input->second->at;
	return place;
}

static void
rewind_input(CallInput *input, const InputPlace *place)
{
	input->reader->at = place->reader;
	if (input->second != NULL)
		input->second->at = place->second;
	if (input->rewind != NULL)
		input->rewind(input);
}

/*
 * As do_job; if the first choice fails, the job is done on the CPU, if that is
 * chosen instead.  It starts over with the inputs rewound.
 */
static EngineStatus
do_job_or_rescue(Choice *choice, EngineRequest *request,
				 CallInput *const inputs[], EngineResult *result)
{
	InputPlace	starts[ENGINE_INPUTS];
	EngineStatus status;

	for (int i = 0; i < request->inputs; i++)
		starts[i] = input_place(inputs[i]);
	while ((status = do_job(choice, request, inputs, result)) != ENGINE_OK &&
		   choice_failed(choice, status))
	{
		for (int i = 0; i < request->inputs; i++)
			rewind_input(inputs[i], &starts[i]);
	}
	return status;
}

/* Does the job on the chosen engine. */
static void
do_job_by_choice(Choice *choice, EngineRequest *request,
				 CallInput *const inputs[], EngineResult *result)
{
	EngineStatus status;

	if (!choice_is_final(choice))
		status = do_job_or_rescue(choice, request, inputs, result);
	else if ((status = do_job(choice, request, inputs,
							  result)) != ENGINE_OK)
		(void) choice_failed(choice, status);
	if (status != ENGINE_OK)
		raise_status(status, choice->why_not);
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
 * Begins a call, which one of the functions call_end... ends.  Calls do not
 * nest: an argument that is a call has ended before.
 */
void
call_begin(const char *function)
{
	if (this_call.function != NULL)
		call_settle();
	memset(&this_call, 0, offsetof(LastCall, choice));
	this_call.choice.engine = NULL;
	this_call.choice.reason = CHOSEN_NONE;
	this_call.function = function;
	this_call.error = ERRCODE_INTERNAL_ERROR;	/* unless it ends */
	at_error.previous = error_context_stack;
	error_context_stack = &at_error;
}

/* To be called before a reader of the datum is opened. */
static void
begin_opening(Datum datum)
{
	if (!this_call.timed && (setting_log_min_duration >= 0 ||
							 toast_raw_datum_size(datum) >= MIN_TIMED))
	{
		this_call.timed = true;
		INSTR_TIME_SET_CURRENT(last_lap);
	}
}

/* To be called after the reader is opened. */
static void
end_opening(const ArrayReader *reader)
{
	if (reader->copy != NULL)
		lap(&this_call.detoast_ms);
	if (this_call.source == NULL)
	{
		this_call.source = reader->source;
		this_call.elements = reader->nitems;
	}
	this_call.bytes_in += reader->size;
}

/*
 * Opens an array.  gpu_last_call() shows the first one opened.
 */
void
call_open_datum(ArrayReader *reader, Datum datum, NullHandling null_handling,
				const ElementValue *fill)
{
	begin_opening(datum);
	array_reader_open(reader, datum, null_handling, fill);
	end_opening(reader);
}

/* As call_open_datum, for an argument. */
void
call_open_array(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				NullHandling null_handling, const ElementValue *fill)
{
	Oid			declared = get_fn_expr_argtype(fcinfo->flinfo, argument);

	if (!is_supported_array(declared))
		check_argument(this_call.function, fcinfo, argument, declared);
	call_open_datum(reader, PG_GETARG_DATUM(argument), null_handling, fill);
	check_declared(&reader->type, declared);
}

/* As call_open_datum, for a bytea or a text. */
void
call_open_bytes(ArrayReader *reader, Datum datum)
{
	begin_opening(datum);
	array_reader_open_bytes(reader, datum);
	end_opening(reader);
}

/* Raises 0A000 if an array has more than one dimension. */
void
call_check_list(const ArrayReader *reader)
{
	if (reader->ndim > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not support multidimensional arrays",
						this_call.function)));
}

/* As call_open_array, for an array that must have at most one dimension. */
void
call_open_list(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
			   NullHandling null_handling)
{
	call_open_array(reader, fcinfo, argument, null_handling, NULL);
	call_check_list(reader);
}

/*
 * Raises 2202E if an array, the argument "name", differs in length from
 * "array", with whose elements its own are paired.
 */
void
call_check_beside(const ArrayReader *reader, const ArrayReader *array,
				  const char *name)
{
	if (reader->nitems != array->nitems)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays \"a\" and \"%s\" differ in length", name),
				 errdetail("They have lengths " INT64_FORMAT " and " INT64_FORMAT
						   ".", array->nitems, reader->nitems)));
}

/* Opens an array that is paired with another one, as call_open_list does. */
void
call_open_beside(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				 NullHandling null_handling, const ArrayReader *array,
				 const char *name)
{
	call_open_list(reader, fcinfo, argument, null_handling);
	call_check_beside(reader, array, name);
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

static void
decompress(ArrayReader *reader)
{
	if (reader->compressed == NULL)
		return;
	array_reader_decompress(reader);
	lap(&this_call.detoast_ms);
}

/*
 * Decompresses the inputs that the chosen engine has to be given, before a job
 * begins, so that nobody waits for us meanwhile.
 */
static void
decompress_inputs(EngineContext *context, const EngineRequest *request,
				  CallInput *const inputs[])
{
	const Engine *engine = context->engine;

	for (int i = 0; i < request->inputs; i++)
	{
		if (engine->has_cached == NULL ||
			!engine->has_cached(context, request, i))
			for_each_reader(&inputs[i], 1, decompress);
	}
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
	request->threads = call_threads();
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

	if (request->count == 0)
		return result;
	prepare_request(request, inputs, ninputs);
	decompress_inputs(choice->engine->context, request, inputs);
	do_job_by_choice(choice, request, inputs, &result);
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

/* The type of a row that a function returns, looked up once in a query. */
TupleDesc
call_row_type(FunctionCallInfo fcinfo)
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
 * A row of two arrays of "elements" elements each.
 *
 * Raises 54000 if there cannot be such a row.
 */
Datum
call_make_row(TupleDesc type, Datum first, Datum second, int64 elements)
{
	Datum		arrays[] = {first, second};
	bool		nulls[] = {false, false};

	check_row_size(MAXALIGN(SizeofHeapTupleHeader) +
				   VARSIZE(DatumGetPointer(first)) +
				   VARSIZE(DatumGetPointer(second)) + MAXIMUM_ALIGNOF,
				   elements);
	return HeapTupleGetDatum(heap_form_tuple(type, arrays, nulls));
}

/* Logs how a call went, by the names that gpu_last_call() has for it. */
static void
log_call(const LastCall *call)
{
	bool		ran = call->choice.engine != NULL;

	ereport(LOG,
			(errmsg("%s took %.3f ms: source=\"%s\" "
					"elements=" INT64_FORMAT " bytes_in=" INT64_FORMAT " "
					"bytes_out=" INT64_FORMAT " detoast_ms=%.3f "
					"upload_ms=%.3f kernel_ms=%.3f download_ms=%.3f "
					"result_ms=%.3f; %s",
					call->function, call->total_ms, call->source,
					call->elements, call->bytes_in, call->bytes_out,
					call->detoast_ms, call->upload_ms, call->kernel_ms,
					call->download_ms, call->result_ms,
					ran ? choice_in_words(&call->choice) : "nothing to do")));
}

static void
leave_call(void)
{
	error_context_stack = at_error.previous;
	this_call.function = NULL;
}

/*
 * Ends the call without recording it, because it was only a part of a call.  A
 * part that fails is recorded all the same.
 */
void
call_end_unrecorded(void)
{
	leave_call();
}

/* Ends the call, and returns its result. */
Datum
call_end(ArrayReader *reader, Datum result)
{
	call_end_bytes(reader, VARSIZE(DatumGetPointer(result)));
	return result;
}

/* Ends the call, with a result of "bytes_out" bytes. */
void
call_end_bytes(ArrayReader *reader, int64 bytes_out)
{
	array_reader_close(reader);
	this_call.bytes_out = bytes_out;
	this_call.error = 0;
	lap(&this_call.result_ms);
	last_call = this_call;
	leave_call();
	call_stat_add(&last_call);
	if (setting_log_min_duration >= 0 &&
		last_call.total_ms >= setting_log_min_duration)
		log_call(&last_call);
}
