/*
 * call.c
 *	  A call of an SQL function, from its arguments to its result.
 *
 * A family's function calls, in this order, call_begin, call_open_array (or
 * one like it), array_writer_begin, call_engine and call_end; what went where,
 * and how long it took, is noted on the way.
 */
#include "compat.h"

#include <unistd.h>

#include "access/detoast.h"
#include "access/parallel.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/ipc.h"

#include "engine/call.h"
#include "engine/status.h"
#include "settings.h"

LastCall	last_call;

static LastCall this_call;
static instr_time last_lap;

/* Where a job is running, for the case that the process has to exit. */
static EngineContext *running = NULL;

/*
 * Calls on arrays of fewer bytes are not timed: looking at the clock takes as
 * long as working on some 40 elements.
 */
#define LEAST_TIMED		4096

/* Counts the time since the last lap as that of a part of the call. */
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

/* CPU threads for a call if the settings do not say how many. */
#define DEFAULT_THREADS	4

/*
 * CPU threads for a call, the session's own included.  More than the machine
 * has processors would only keep the session's own from running, and so from
 * looking for interrupts.
 */
static int
call_threads(void)
{
	static int	processors = 0;

	if (IsParallelWorker() || setting_algorithm == ALGORITHM_SEQUENTIAL)
		return 1;
	if (processors == 0)
		processors = Max(1, (int) sysconf(_SC_NPROCESSORS_ONLN));
	if (setting_cpu_threads > 0)
		return Min(setting_cpu_threads, Max(processors, DEFAULT_THREADS));
	return Min(processors, DEFAULT_THREADS);
}

static void
end_job(void)
{
	EngineContext *context = running;

	running = NULL;
	if (context != NULL)
		context->engine->end(context);
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

static EngineStatus
begin_job(const Choice *choice, const EngineRequest *request)
{
	static bool registered = false;
	EngineContext *context = choice->engine->context;
	EngineStatus status;

	if (!registered)
		before_shmem_exit(end_job_at_exit, (Datum) 0);
	registered = true;

	while ((status = context->engine->begin(context,
											request)) == ENGINE_MORE)
		CHECK_FOR_INTERRUPTS();
	if (status == ENGINE_OK)
	{
		running = context;
		choice_begun(choice);
	}
	return status;
}

/* Pushes the array, piece by piece, and the second input with it. */
static EngineStatus
push_array(EngineContext *context, const EngineRequest *request,
		   ArrayReader *reader, SecondInput *second)
{
	const Engine *engine = context->engine;
	bool		buffered = reader->in_memory && second == NULL;
	int64		left = request->count;

	while (left > 0)
	{
		void	   *buffers[ENGINE_INPUTS];
		const void *data[ENGINE_INPUTS];
		EngineStatus status;
		int64		count;

		do
			CHECK_FOR_INTERRUPTS();
		while ((status = engine->buffer(context, buffers,
										&count)) == ENGINE_MORE);
		if (status != ENGINE_OK)
			return status;
		if (count <= 0)
			elog(ERROR, "engine \"%s\" takes no piece", engine->name);
		count = Min(count, left);

		if (!buffered)
			lap(&this_call.kernel_ms);
		data[0] = array_reader_next(reader, buffers[0], count);
		data[1] = second == NULL ?
			NULL : second->next(second, buffers[1], count);
		if (!buffered)
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

/* Does the job, unless the engine returns a status that says why it cannot. */
static EngineStatus
do_job(const Choice *choice, const EngineRequest *request,
	   ArrayReader *reader, SecondInput *second, EngineResult *result)
{
	bool		gathers = operation_facts[request->operation].gathers;
	EngineStatus status = begin_job(choice, request);

	*result = (EngineResult) {0};
	if (status != ENGINE_OK)
		return status;
	PG_TRY();
	{
		status = push_array(running, request, reader, second);

		/*
		 * An operation that has gathered the array needs scratch memory now,
		 * but the array no longer; unless another engine may have to begin
		 * anew.
		 */
		if (gathers && choice_is_final(choice))
			array_reader_close(reader);
		if (status == ENGINE_OK)
			status = finish_job(running, result);
	}
	PG_FINALLY();
	{
		end_job();
	}
	PG_END_TRY();
	return status;
}

/*
 * Has the chosen engine do the job.  If it fails and another one is chosen
 * instead, that one begins anew: the inputs are where they were.
 */
static void
do_job_by_choice(Choice *choice, const EngineRequest *request,
				 ArrayReader *reader, SecondInput *second,
				 EngineResult *result)
{
	ArrayReader reader_before = *reader;
	ArrayReader second_before = second != NULL ? *second->reader : *reader;
	EngineStatus status;

	while ((status = do_job(choice, request, reader, second,
							result)) != ENGINE_OK)
	{
		if (!choice_failed(choice, status))
			raise_status(status, choice->why_not);
		*reader = reader_before;
		if (second != NULL)
			*second->reader = second_before;
		if (second != NULL && second->rewind != NULL)
			second->rewind(second);
	}
}

/* Checks that the number of results is one that there can be. */
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

void
call_begin(const char *function)
{
	memset(&this_call, 0, sizeof(this_call));
	this_call.function = function;
}

/* Before a reader of the datum is opened. */
static void
begin_opening(Datum datum)
{
	if (!this_call.timed && toast_raw_datum_size(datum) >= LEAST_TIMED)
	{
		this_call.timed = true;
		INSTR_TIME_SET_CURRENT(last_lap);
	}
}

/* And after that. */
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
 * Opens an argument that is an array.  gpu_last_call() shows the first one
 * that is opened.
 */
void
call_open_array(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				NullHandling null_handling, const ElementValue *fill)
{
	Datum		datum = PG_GETARG_DATUM(argument);

	begin_opening(datum);
	array_reader_open(reader, datum, null_handling, fill);
	check_declared(&reader->type,
				   get_fn_expr_argtype(fcinfo->flinfo, argument));
	end_opening(reader);
}

/* The same for a bytea or a text. */
void
call_open_bytes(ArrayReader *reader, Datum datum)
{
	begin_opening(datum);
	array_reader_open_bytes(reader, datum);
	end_opening(reader);
}

/*
 * The same for an array that must not have more than one dimension.
 *
 * Raises 0A000 if it has.
 */
void
call_open_list(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
			   NullHandling null_handling)
{
	call_open_array(reader, fcinfo, argument, null_handling, NULL);
	if (reader->ndim > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not support multidimensional arrays",
						this_call.function)));
}

/*
 * The same for an array, the argument of that name, whose elements go with those
 * of another one.
 *
 * Raises 2202E if the two differ in length.
 */
void
call_open_beside(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				 NullHandling null_handling, const ArrayReader *array,
				 const char *name)
{
	call_open_list(reader, fcinfo, argument, null_handling);
	if (reader->nitems != array->nitems)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays \"a\" and \"%s\" differ in length", name),
				 errdetail("They have lengths " INT64_FORMAT " and " INT64_FORMAT
						   ".", array->nitems, reader->nitems)));
}

/*
 * Runs a request over the elements that the reader gives, and a second input or
 * NULL, on the engine of choice.  The caller fills in the operation with its
 * parameters, how many of the reader's elements to take, the kind of the second
 * input's elements, and the outputs; and the room, if it is less than for all
 * results that there can be.
 */
EngineResult
call_engine(EngineRequest *request, ArrayReader *reader, SecondInput *second)
{
	Choice	   *choice = &this_call.choice;
	EngineResult result = {0};

	if (request->count == 0)
		return result;

	request->kinds[0] = reader->type.kind;
	request->inputs = second == NULL ? 1 : 2;
	request->algorithm = setting_algorithm;
	request->device = setting_device;
	request->memory_limit = (int64) setting_device_memory_limit << 20;
	request->threads = call_threads();
	if (request->room == 0)
		request->room = most_results(request);
	*choice = choose_engine(request, reader->nitems);
	do_job_by_choice(choice, request, reader, second, &result);
	check_result(choice->engine->engine, request, &result);
	return result;
}

/* The type of the row that the function returns, looked up once in a query. */
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

/* Ends the call, and returns its result. */
Datum
call_end(ArrayReader *reader, Datum result)
{
	call_end_bytes(reader, VARSIZE(DatumGetPointer(result)));
	return result;
}

/* Ends the call, with a result of so many bytes. */
void
call_end_bytes(ArrayReader *reader, int64 bytes_out)
{
	array_reader_close(reader);
	this_call.bytes_out = bytes_out;
	lap(&this_call.result_ms);
	last_call = this_call;
}
