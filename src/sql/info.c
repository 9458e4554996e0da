/*
 * info.c
 *	  SQL functions about GPUs, their processes, and calls.
 */
#include "sql/function.h"

#include <math.h>

#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "call/call_stat.h"

/* The most columns of a row that form_row makes. */
#define MOST_COLUMNS	24

/*
 * A row of that type.  Columns that the type lacks, as the definition of a
 * function in an earlier version of the extension, are left out.
 */
HeapTuple
form_row(TupleDesc type, const NullableDatum *columns, int n)
{
	Datum		values[MOST_COLUMNS];
	bool		nulls[MOST_COLUMNS];

	Assert(type->natts <= n && n <= MOST_COLUMNS);
	for (int i = 0; i < n; i++)
	{
		values[i] = columns[i].value;
		nulls[i] = columns[i].isnull;
	}
	return heap_form_tuple(type, values, nulls);
}

/* Adds a row to the set that a function returns. */
void
put_row(FunctionCallInfo fcinfo, const NullableDatum *columns, int n)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	tuplestore_puttuple(result->setResult,
						form_row(result->setDesc, columns, n));
}

static NullableDatum
text_column(const char *text)
{
	return text == NULL ? (NullableDatum) {.isnull = true} :
		(NullableDatum) {CStringGetTextDatum(text)};
}

static NullableDatum
integer_column(int64 value)
{
	return (NullableDatum) {Int64GetDatum(value)};
}

/* Milliseconds, to three places. */
static NullableDatum
time_column(double ms, bool timed)
{
	return (NullableDatum) {Float8GetDatum(rint(ms * 1000) / 1000), !timed};
}

/* CUDA writes version 13.2 as 13020. */
static char *
version_text(int version)
{
	return psprintf("%d.%d", version / 1000, version % 1000 / 10);
}

static void
put_device(FunctionCallInfo fcinfo, const EngineDevice *device,
		   const char *status)
{
	NullableDatum row[] = {
		{Int32GetDatum(device->index)},
		text_column(device->name),
		text_column(psprintf("%d.%d", device->major, device->minor)),
		integer_column(device->memory_total),
		{Int64GetDatum(device->memory_free), device->memory_free < 0},
		text_column(version_text(device->driver_version)),
		text_column(version_text(device->runtime_version)),
		text_column(status)
	};

	put_row(fcinfo, row, lengthof(row));
}

/* Puts a row that has a status and no device. */
static void
put_status(FunctionCallInfo fcinfo, const char *why)
{
	const NullableDatum none = {.isnull = true};
	NullableDatum row[] = {
		none, none, none, none, none, none, none, text_column(why)
	};

	put_row(fcinfo, row, lengthof(row));
}

/* What the worker of a GPU does, as gpu_processes() says it. */
static const char *const worker_states[] = {
	[WORKER_NONE] = "ended",
	[WORKER_STARTING] = "opening the GPU",
	[WORKER_SERVING] = "serving",
	[WORKER_WAITING] = "waiting to be started again",
	[WORKER_NO_DEVICE] = "no such GPU",
	[WORKER_DONE] = "ended"
};

/* The state of a GPU's process; "ready" if there is none. */
static const char *
process_in_words(int device)
{
	WorkerStatus status;

	if (!gpu_process_status(device, &status) ||
		status.state == WORKER_NONE || status.state == WORKER_DONE ||
		status.state == WORKER_NO_DEVICE)
		return "ready";
	return status.state == WORKER_SERVING ? "in use by the GPU process" :
		worker_states[status.state];
}

/*
 * gpu_devices() returns setof record
 *
 * A row for each GPU, or one row whose status says why there is no GPU.  The
 * program of the GPU process is executed to list the GPUs; it opens none.
 */
SQL_FUNCTION(gpu_devices)
{
	EngineDevice devices[MAX_GPUS];
	const char *why_not = NULL;
	char		path[MAXPGPATH];
	int			count;

	InitMaterializedSRF(fcinfo, 0);
	if (!gpu_program_installed())
	{
		gpu_program_path(path);
		put_status(fcinfo, psprintf("no GPU program is installed: there is no "
									"file \"%s\"", path));
		return (Datum) 0;
	}
	count = gpu_list_devices(devices, MAX_GPUS, &why_not);
	for (int i = 0; i < count; i++)
		put_device(fcinfo, &devices[i], process_in_words(devices[i].index));
	if (count == 0)
		put_status(fcinfo, why_not);
	return (Datum) 0;
}

/*
 * The connection to a GPU's process, or NULL if it does not serve.  The worker
 * may not know yet that it serves.
 */
const GpuConnection *
gpu_serving(int device)
{
	EngineContext *context = session_context(ENGINE_CUDA);
	WorkerStatus status;

	if (!gpu_process_status(device, &status) ||
		gpu_engine_connect(context, device) != GPU_CONNECTED)
		return NULL;
	return gpu_engine_connection(context, device);
}

/* A column from a process's shared memory; NULL without one. */
#define SHARED(value) \
	{connection != NULL ? Int64GetDatum(value) : (Datum) 0, connection == NULL}

static void
put_process(FunctionCallInfo fcinfo, int device, const WorkerStatus *status,
			const GpuConnection *connection)
{
	const SharedLanes *shared = connection ? connection->shared : NULL;
	NullableDatum row[] = {
		{Int32GetDatum(device)},
		{Int32GetDatum(status->process_pid),
		status->process_pid == 0 || status->state == WORKER_NONE},
		text_column(worker_states[status->state]),
		{TimestampTzGetDatum(time_t_to_timestamptz(status->since)),
		status->since == 0},
		SHARED(connection->layout.nlanes),
		SHARED(lanes_leased(shared, &connection->layout)),
		SHARED(shared->waiting),
		SHARED(shared->calls),
		SHARED(shared->bytes_in),
		SHARED(shared->bytes_out),
		SHARED(shared->device_bytes),
		SHARED(connection->layout.bytes),
		SHARED(shared->cache_limit),
		SHARED(shared->cache_bytes),
		SHARED(shared->cache_hits),
		SHARED(shared->cache_misses[MISS_NEW]),
		SHARED(shared->cache_misses[MISS_CHANGED]),
		SHARED(shared->cache_misses[MISS_EXPIRED]),
		SHARED(shared->cache_misses[MISS_EVICTED]),
		{Int32GetDatum(status->failures)},
		text_column(status->last_failure[0] ? status->last_failure : NULL)
	};

	put_row(fcinfo, row, lengthof(row));
}

/*
 * gpu_processes() returns setof record
 *
 * A row for each GPU for which a process was ever started in this data
 * directory.
 */
SQL_FUNCTION(gpu_processes)
{
	WorkerStatus status;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < MAX_GPUS; i++)
	{
		if (gpu_process_status(i, &status))
			put_process(fcinfo, i, &status, status.state == WORKER_SERVING ?
						gpu_serving(i) : NULL);
	}
	return (Datum) 0;
}

static void
put_call(FunctionCallInfo fcinfo, const LastCall *call)
{
	bool		ran = call->choice.engine != NO_ENGINE;
	NullableDatum row[] = {
		text_column(call->function),
		text_column(ran ? session_engines[call->choice.engine]->name : NULL),
		text_column(ran ? choice_in_words(&call->choice) :
					choice_reason_name(call->choice.reason)),
		text_column(call->source),
		integer_column(call->elements),
		integer_column(call->bytes_in),
		integer_column(call->bytes_out),
		time_column(call->total_ms, call->timed),
		time_column(call->detoast_ms, call->timed),
		time_column(call->upload_ms, call->timed),
		time_column(call->kernel_ms, call->timed),
		time_column(call->download_ms, call->timed),
		time_column(call->result_ms, call->timed),
		text_column(call->error ? unpack_sql_state(call->error) : NULL),
		text_column(chain_record_text())
	};

	put_row(fcinfo, row, lengthof(row));
}

/*
 * gpu_last_call() returns setof record
 *
 * How the last call in this session went; no row before the first.
 */
SQL_FUNCTION(gpu_last_call)
{
	InitMaterializedSRF(fcinfo, 0);
	call_settle();
	if (this_call.function != NULL)
		put_call(fcinfo, &this_call);
	return (Datum) 0;
}

static void
put_stat(FunctionCallInfo fcinfo, const CallStat *stat, TimestampTz since)
{
	NullableDatum row[] = {
		text_column(stat->function),
		text_column(stat->engine < 0 ? NULL :
					session_engines[stat->engine]->name),
		text_column(choice_reason_name(stat->reason)),
		integer_column(stat->calls),
		integer_column(stat->elements),
		integer_column(stat->bytes_in),
		integer_column(stat->bytes_out),
		integer_column(stat->timed_calls),
		time_column(stat->total_ms, true),
		{TimestampTzGetDatum(since)},
		integer_column(stat->failed_calls)
	};

	put_row(fcinfo, row, lengthof(row));
}

/*
 * gpu_stat() returns setof record
 *
 * The calls of all sessions, by function, engine and reason.
 */
SQL_FUNCTION(gpu_stat)
{
	TimestampTz since;
	int			count;
	CallStat   *stats;

	call_settle();
	stats = call_stat_list(&count, &since);
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < count; i++)
		put_stat(fcinfo, &stats[i], since);
	pfree(stats);
	return (Datum) 0;
}

SQL_FUNCTION(gpu_stat_reset)
{
	call_settle();
	call_stat_reset();
	PG_RETURN_VOID();
}
