/*
 * job.c
 *	  The run of an engine's job: it begins, takes its inputs piece by piece,
 *	  and finishes.
 */
#include "compat.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/wait_event.h"

#include "array/packed_reader.h"
#include "call/job.h"
#include "contract/operations/compact.h"
#include "settings.h"

/*
 * Calls on fewer elements are not published to other sessions, because they
 * end before another session could take account of them.
 */
#define MIN_NOTED		(256 * 1024)

/* CPU threads for a call, if no setting limits them. */
#define DEFAULT_THREADS	4

/* The context of the running job, which must end before the process exits. */
static EngineContext *running = NULL;

/*
 * CPU threads for a call on "count" elements, including the session's own.  An
 * engine uses another thread for a short job only if it has to.  More threads
 * than processors would keep the session's own thread from running, and from
 * checking for interrupts.
 */
int
call_threads(int64 count)
{
	EngineContext *context = session_contexts[ENGINE_CUDA];
	int			processors;
	int			threads;
	int			idle;

	if (count <= MAX_SHORT_JOB || IsParallelWorker() ||
		setting_algorithm == ALGORITHM_SEQUENTIAL)
		return 1;
	processors = session_processors();
	threads = Min(processors, DEFAULT_THREADS);
	if (setting_cpu_threads > 0)
		return Min(setting_cpu_threads, Max(processors, DEFAULT_THREADS));
	if (context == NULL)
		return threads;

	/* It changes at any time, and Min and Max look twice. */
	idle = processors - gpu_engine_busy_threads(context);
	return Max(1, Min(threads, idle));
}

/* The next elements of an array as they are. */
const void *
array_input_next(CallInput *input, void *buffer, int64 count)
{
	return array_reader_next(input->reader, buffer, count);
}

/*
 * The piece that has the end of the first array and the beginning of the second
 * one is put together in the buffer.
 */
static const void *
next_joined(CallInput *input, void *buffer, int64 count)
{
	ArrayReader *first = input->reader;
	int64		left = Min(count, first->count - first->at.next);

	if (left == count)
		return array_reader_next(first, buffer, count);
	if (left == 0)
		return array_reader_next(input->second, buffer, count);
	array_reader_copy(first, buffer, left);
	array_reader_copy(input->second, (char *) buffer + left * first->type.size,
					  count - left);
	return buffer;
}

/*
 * The elements of two arrays of one type, one behind the other.
 */
CallInput
joined_input(ArrayReader *reader, ArrayReader *second)
{
	CallInput	input = array_input(reader);

	input.next = next_joined;
	input.second = second;
	return input;
}

/* The array that a source of a request is, or NULL. */
ArrayReader *
source_reader(const EngineRequest *request, CallInput *const inputs[],
			  int source)
{
	if (source == ENGINE_TABLE)
		return inputs[0]->table == NULL ? NULL : inputs[0]->table->reader;
	if (source == 1 && inputs[0]->second != NULL)
		return inputs[0]->second;
	return source < request->inputs ? inputs[source]->reader : NULL;
}

static const void *
next_positions(CallInput *input, void *buffer, int64 count)
{
	return array_reader_positions(input->reader, buffer, count);
}

/*
 * The positions of the array's values among its elements.
 */
CallInput
positions_input(ArrayReader *reader)
{
	return (CallInput) {next_positions, .reader = reader};
}

/*
 * The elements of an array as a table, to be read when an engine needs them.
 */
CallTable
call_table(ArrayReader *reader)
{
	return (CallTable) {.reader = reader};
}

/* Gives a request the elements. */
void
call_table_read(CallTable *table, EngineRequest *request)
{
	if (table->elements == NULL)
		table->elements = array_reader_all(table->reader, &table->copy);
	request->table = table->elements;
}

void
call_table_free(CallTable *table)
{
	if (table->copy != NULL)
		pfree(table->copy);
	table->copy = NULL;
}

/* Lets other sessions know how many threads are at work on the CPU. */
static void
note_cpu_threads(int threads)
{
	EngineContext *context = session_contexts[ENGINE_CUDA];

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
 * A session that is terminated exits without unwinding.  Its threads must not
 * go on working when the transaction's memory is given back.
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

	Assert(running == NULL);
	running = context;
	if (context == session_contexts[ENGINE_CPU] &&
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

/* Settles all arrays that the inputs come from. */
static void
settle_readers(const EngineRequest *request, CallInput *const inputs[],
			   bool all)
{
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		ArrayReader *reader = source_reader(request, inputs, i);

		if (reader != NULL)
			array_reader_settle(reader, all);
	}
}

/*
 * Like begin_job, but an idle GPU process may end before it gets the job.
 * Then this requests another process, and waits for it if no other engine may
 * be tried.
 */
static EngineStatus
begin_job_again(const Choice *choice, const EngineRequest *request)
{
	EngineContext *context = session_contexts[choice->engine];
	EngineStatus status = begin_job(context, request);
	const char *why_not;

	if (status != ENGINE_NO_DEVICE)
		return status;
	end_job();
	if (session_gpu_state(choice_is_final(choice), &why_not) != GPU_READY)
		return status;
	return begin_job(context, request);
}

/* Returns whether an engine has cached a source of a request. */
static bool
has_cached(EngineContext *context, const EngineRequest *request, int source)
{
	return context->engine->has_cached != NULL &&
		context->engine->has_cached(context, request, source);
}

/* Fetches what the chosen engine has to be given. */
static void
fetch_inputs(const Choice *choice, EngineRequest *request,
			 CallInput *const inputs[])
{
	EngineContext *context = session_contexts[choice->engine];
	CallTable  *table = inputs[0]->table;

	if (table != NULL && !has_cached(context, request, ENGINE_TABLE))
	{
		call_table_read(table, request);
		record_lap(&this_call.detoast_ms);
	}
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		ArrayReader *reader = source_reader(request, inputs, i);

		if (reader != NULL && reader->deferred != NULL &&
			(request->residents[i] == 0 || choice->engine != ENGINE_CUDA))
			(void) deferred_array(reader->deferred);
	}
}

/* Returns whether the inputs' pieces come without any work. */
static bool
is_in_memory(const EngineRequest *request, CallInput *const inputs[])
{
	for (int i = 0; i < request->inputs; i++)
	{
		if (!inputs[i]->plain || inputs[i]->second != NULL ||
			!inputs[i]->reader->in_memory)
			return false;
	}
	return true;
}

/*
 * Lets the engine's threads copy the arrays from their pages, if they can.
 * Returns whether they do.
 */
static bool
attach_inputs(EngineContext *context, const EngineRequest *request,
			  CallInput *const inputs[])
{
	int			arrays = 0;
	bool		attached = false;

	if (is_in_memory(request, inputs))
		return false;
	for (int i = 0; i < ENGINE_INPUTS; i++)
		arrays += source_reader(request, inputs, i) != NULL;
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		ArrayReader *reader = source_reader(request, inputs, i);
		int			input = i < request->inputs ? i : 0;

		if (reader == NULL || !inputs[input]->plain)
			continue;
		attached |= array_reader_attach(reader, (SpanSink) {context, input},
										arrays);
	}
	return attached;
}

/*
 * Pushes the next piece of the inputs, and takes it from what is left.  Returns
 * ENGINE_MORE if the engine has no buffer for it yet.
 *
 * All that this thread does and waits for to get the bytes counts as reading.
 * If the engine's threads copy the bytes, this thread only finds and pins
 * pages, and waits for pages to be copied.  While it waits, it may help with
 * the copying, and with the work on the pieces.
 */
static EngineStatus
push_piece(EngineContext *context, const EngineRequest *request,
		   CallInput *const inputs[], bool in_memory, int64 *left)
{
	const Engine *engine = context->engine;
	void	   *buffers[ENGINE_INPUTS];
	const void *data[ENGINE_INPUTS];
	int64		count;

	TRY_STATUS(engine->buffer(context, buffers, &count));
	Assert(count > 0);
	Assert(count >= *left || request->nstages > 0 || request->absent > 0 ||
		   count % PIECE_MULTIPLE == 0);
	count = Min(count, *left);

	if (!in_memory)
		record_lap(&this_call.kernel_ms);
	for (int i = 0; i < request->inputs; i++)
	{
		bool		has = engine_has_piece(context, request, i,
										   request->count - *left, &count);

		data[i] = has ? NULL :
			inputs[i]->next(inputs[i], buffers[i], count);
		if (has)
			inputs[i]->reader->at.next = inputs[i]->reader->count;
	}
	if (!in_memory)
		record_lap(&this_call.detoast_ms);

	Assert(count > 0 && count <= *left);
	TRY_STATUS(engine->push(context, data, count));
	*left -= count;
	return ENGINE_OK;
}

/* Pushes the inputs that the engine has not cached. */
static EngineStatus
push_inputs(EngineContext *context, const EngineRequest *request,
			CallInput *const inputs[])
{
	bool		in_memory = is_in_memory(request, inputs);
	int64		left = request->count;

	if (engine_has_inputs(context, request))
		return ENGINE_OK;
	while (left > 0)
	{
		EngineStatus status;

		CHECK_FOR_INTERRUPTS();
		status = push_piece(context, request, inputs, in_memory, &left);
		/* A page that is pinned while a device hangs holds up VACUUM. */
		if (status == ENGINE_MORE)
			settle_readers(request, inputs, false);
		else if (status != ENGINE_OK)
			return status;
	}
	return ENGINE_OK;
}

static EngineStatus
finish_job(EngineContext *context, EngineResult *result)
{
	EngineStatus status;

	while ((status = context->engine->finish(context, result)) == ENGINE_MORE)
		CHECK_FOR_INTERRUPTS();

	record_lap(&this_call.kernel_ms);
	if (status == ENGINE_OK && result->on_device)
	{
		this_call.upload_ms = result->upload_ms;
		this_call.kernel_ms = result->kernel_ms;
		this_call.download_ms = result->download_ms;
		this_call.result_ms = result->result_ms;
	}
	return status;
}

/* Returns whether a source of a request has stayed on the device. */
static bool
has_residents(const EngineRequest *request)
{
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (request->residents[i] != 0)
			return true;
	}
	return false;
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
	settle_readers(request, inputs, true);
	record_lap(&this_call.detoast_ms);

	/*
	 * A blocking operation has gathered the array, and needs scratch memory
	 * now.  The array can be freed, unless the job may have to be done again:
	 * by another engine, or without what has stayed on the device, or with
	 * elements instead of packed blocks.
	 */
	if (blocking && choice_is_final(choice) && !has_residents(request) &&
		!request->packed)
		array_reader_free_values(inputs[0]->reader);
	return finish_job(running, result);
}

/* Returns whether the first array of the call is read from the cache. */
static bool
first_is_cached(const EngineRequest *request, CallInput *const inputs[])
{
	int			first = inputs[0]->table != NULL ? ENGINE_TABLE : 0;

	return running->has[first] && request->residents[first] == 0;
}

/* Returns whether an operation may count more results than have room. */
static bool
may_exceed_room(EngineOperation operation)
{
	return operation == ENGINE_SET || operation == ENGINE_RESAMPLE ||
		operation == ENGINE_UTF8_DECODE || operation == ENGINE_UTF8_REPAIR;
}

/* Returns whether the number of results is possible. */
static bool
is_possible(const EngineRequest *request, const EngineResult *result)
{
	int64		most = most_results(request);

	if (operation_facts[request->operation].shape != RESULT_SOME)
		return result->count == most;
	return result->count >= 0 && result->count <= most &&
		(result->count <= request->room || may_exceed_room(request->operation));
}

/*
 * Does a short job without stages, on an engine that has "run".  All elements
 * are here, and are read before, so that no error is raised while the engine
 * has the job.
 */
EngineStatus
job_run_short(EngineContext *context, const EngineRequest *request,
			  CallInput *const inputs[], EngineResult *result)
{
	static int64 buffers[ENGINE_INPUTS][MAX_SHORT_JOB];
	const void *data[ENGINE_INPUTS] = {0};
	EngineStatus status;

	Assert(request_is_short(request) && request->nstages == 0);
	Assert(running == NULL);
	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < request->inputs; i++)
		data[i] = inputs[i]->next(inputs[i], buffers[i], request->count);
	record_lap(&this_call.detoast_ms);
	status = context->engine->run(context, request, data, result);
	record_lap(&this_call.kernel_ms);
	Assert(status != ENGINE_OK || is_possible(request, result));
	return status;
}

/*
 * Does a job on the chosen engine.  If the engine cannot do it, returns the
 * status that says why.
 */
static EngineStatus
job_try(const Choice *choice, EngineRequest *request,
		CallInput *const inputs[], EngineResult *result)
{
	EngineContext *context = session_contexts[choice->engine];
	EngineStatus status;

	*result = (EngineResult) {0};
	request->memory_limit = (int64) setting_device_memory_limit << 20;
	Assert(request->count > 0);
	fetch_inputs(choice, request, inputs);
	if (context->engine->run != NULL && request->nstages == 0 &&
		request_is_short(request))
		return job_run_short(context, request, inputs, result);
	request->paged = attach_inputs(context, request, inputs);
	PG_TRY();
	{
		status = begin_job_again(choice, request);
		if (status == ENGINE_OK && request->table_bytes > 0 &&
			request->table == NULL && !context->has[ENGINE_TABLE])
		{
			/* The engine has lost the table that it seemed to have. */
			end_job();
			call_table_read(inputs[0]->table, request);
			status = begin_job_again(choice, request);
		}
		if (status == ENGINE_OK && first_is_cached(request, inputs))
			this_call.source = "cache";
		if (status == ENGINE_OK)
			status = run_job(choice, request, inputs, result);
	}
	PG_FINALLY();
	{
		end_job();				/* before an error gives up pins */
	}
	PG_END_TRY();
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		ArrayReader *reader = source_reader(request, inputs, i);

		if (reader != NULL)
			array_reader_detach(reader);
	}
	if (status == ENGINE_OK && !is_possible(request, result))
		elog(ERROR, "engine \"%s\" returned " INT64_FORMAT " elements of "
			 INT64_FORMAT,
			 context->engine->name, result->count, most_results(request));
	return status;
}

/* Returns whether batches of the input may have packed blocks, for a GPU. */
static bool
is_packed(const Choice *choice, const EngineRequest *request,
		  CallInput *const inputs[])
{
	const CallInput *input = inputs[0];

	return choice->engine == ENGINE_CUDA &&
		request->inputs == 1 &&
		(packed_reader_of(input->reader->source) != NULL ||
		 (input->second != NULL &&
		  packed_reader_of(input->second->source) != NULL));
}

/*
 * Returns whether an engine has failed to unpack a block.  From now on it gets
 * elements.  If the block is damaged, unpacking it here raises an error.
 */
static bool
is_not_unpacked(EngineRequest *request, EngineStatus status)
{
	bool		failed = status == ENGINE_NOT_UNPACKED && request->packed;

	request->packed = request->packed && !failed;
	return failed;
}

/* The device no longer has to have the elements. */
void
resident_give_back(DeferredValue *value)
{
	if (value->resident != 0)
		gpu_engine_give_back(session_contexts[ENGINE_CUDA],
							 value->device, value->resident);
	value->resident = 0;
}

/*
 * Fetches the inputs that are on the device, which may be gone, and they with
 * it.  They are pushed from now on, and the results come here.  Returns false
 * if there are none.
 */
static bool
fetch_residents(EngineRequest *request, CallInput *const inputs[])
{
	bool		any = has_residents(request);

	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		DeferredValue *value;

		if (request->residents[i] == 0)
			continue;
		value = source_reader(request, inputs, i)->deferred;
		(void) deferred_array(value);
		resident_give_back(value);
		request->residents[i] = 0;
	}
	request->stays = request->stays && !any;
	return any;
}

/*
 * Does a job on the engine that is chosen for it, or on the CPU if that engine
 * fails and was not set.  Before each retry, the inputs are rewound.
 */
EngineStatus
job_run(Choice *choice, EngineRequest *request, CallInput *const inputs[],
		EngineResult *result)
{
	ArrayReader *readers[ENGINE_INPUTS];
	ReaderPlace starts[ENGINE_INPUTS];
	EngineStatus status;

	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		readers[i] = source_reader(request, inputs, i);
		if (readers[i] == NULL)
			continue;

		/* Decompressed before a job begins, so that no lane waits meanwhile. */
		if (!has_cached(session_contexts[choice->engine], request, i) &&
			array_reader_load(readers[i]))
			record_lap(&this_call.detoast_ms);
		starts[i] = readers[i]->at;
	}
	request->packed = is_packed(choice, request, inputs);
	while ((status = job_try(choice, request, inputs, result)) != ENGINE_OK &&
		   (is_not_unpacked(request, status) ||
			choice_failed(choice, status) ||
			fetch_residents(request, inputs)))
	{
		for (int i = 0; i < ENGINE_INPUTS; i++)
		{
			if (readers[i] != NULL)
				readers[i]->at = starts[i];
		}
	}
	return status;
}

/*
 * Does a job with one input that is no request of a call: on the CPU, or on the
 * device on which the input has stayed.  The caller sets the operation, its
 * output, and what it needs besides.  If the job cannot be done, returns the
 * status that says why.
 */
EngineStatus
job_alone(EngineRequest *request, ArrayReader *reader, EngineResult *result)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};
	Choice		choice = {0};

	choose_cpu(&choice, reader->nitems, CHOSEN_ONLY);
	if (has_residents(request))
	{
		choice.engine = ENGINE_CUDA;
		choice.reason = CHOSEN_BY_COST; /* no process is waited for */
	}
	request->count = request->room = reader->count;
	request->inputs = lengthof(inputs);
	request->kinds[0] = reader->type.kind;
	request->threads = call_threads(reader->count);
	return job_try(&choice, request, inputs, result);
}

/* Does such a job on the CPU, or raises the error. */
EngineResult
call_alone(EngineRequest *request, ArrayReader *reader)
{
	EngineResult result;
	EngineStatus status = job_alone(request, reader, &result);

	if (status != ENGINE_OK)
		raise_status(status, cpu_engine.message
					 (session_contexts[ENGINE_CPU]));
	return result;
}

/*
 * Writes all values of a packed reader to "values": directly in one thread, or
 * by a job in several.
 */
void
unpack(ArrayReader *reader, void *values)
{
	EngineRequest request = {
		.operation = ENGINE_COPY,
		.outputs[0] = {values, reader->type.kind}
	};

	if (call_threads(reader->count) == 1)
		array_reader_copy(reader, values, reader->count);
	else
		(void) call_alone(&request, reader);
}

/*
 * Removes the NULLs from a writer's elements, as null_results_leave_out does,
 * in several threads.  If "stayed" is not NULL, the elements are on the
 * device, and are removed there.  Returns how many are left; or -1 if the
 * device has lost them.
 */
static int64
compact_values(ArrayWriter *writer, const EngineResult *stayed)
{
	ElementKind kind = writer->type.kind;
	int64		nitems = array_writer_nitems(writer);
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.outputs[0] = {writer->values, kind},
		.table = writer->bitmap,
		.table_bytes = null_bitmap_bytes(nitems),
		.parameters = PARAMETERS_OF(CompactParameters, .by_bitmap = true)
	};
	ArrayReader reader;
	EngineResult result;
	double		detoast_ms = this_call.detoast_ms;
	double		kernel_ms = this_call.kernel_ms;

	array_reader_open_values(&reader, &writer->type, writer->values, nitems);
	if (stayed == NULL)
		result = call_alone(&request, &reader);
	else
	{
		request.residents[0] = stayed->resident;
		request.device = stayed->device;
		if (job_alone(&request, &reader, &result) != ENGINE_OK)
			return -1;
	}

	/* All of this counts as making the result. */
	this_call.result_ms += this_call.detoast_ms - detoast_ms +
		this_call.kernel_ms - kernel_ms;
	this_call.detoast_ms = detoast_ms;
	this_call.kernel_ms = kernel_ms;
	return result.count;
}

/*
 * Removes the NULLs from a writer's elements.  There is a value in place of
 * each NULL; the bitmap says which these are.  Returns how many elements are
 * left.
 */
int64
null_results_leave_out(ArrayWriter *writer)
{
	int64		nitems = array_writer_nitems(writer);

	return call_threads(nitems) > 1 ? compact_values(writer, NULL) :
		nulls_pack(writer, nitems);
}

/* Ends the call with the writer's array, without the results that are NULL. */
Datum
call_end_null_results(ArrayReader *reader, ArrayWriter *writer)
{
	if (writer->bitmap == NULL)
		return call_end(reader, array_writer_finish(writer));
	return call_end(reader,
					array_writer_finish_values(writer,
											   null_results_leave_out(writer)));
}

/*
 * Like null_results_leave_out, for results that have stayed on a device, which
 * may have lost them.  Then this returns -1.
 */
int64
null_results_fetch(ArrayWriter *writer, const EngineResult *stayed)
{
	int64		left;

	PG_TRY();
	{
		left = compact_values(writer, stayed);
	}
	PG_FINALLY();
	{
		gpu_engine_give_back(session_contexts[ENGINE_CUDA],
							 stayed->device, stayed->resident);
	}
	PG_END_TRY();
	return left;
}
