/*
 * info.c
 *	  SQL functions about GPUs, their processes, and calls.
 */
#include "sql/function.h"

#include <math.h>

#include "funcapi.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "call/call_stat.h"

/* A row's next column. */
typedef struct Row
{
	Datum		values[24];
	bool		nulls[24];
	int			columns;
} Row;

static void
add_column(Row *row, Datum value, bool isnull)
{
	row->values[row->columns] = value;
	row->nulls[row->columns] = isnull;
	row->columns++;
}

static void
add_text(Row *row, const char *text)
{
	add_column(row, text ? CStringGetTextDatum(text) : (Datum) 0, !text);
}

/* Milliseconds, to three places. */
static void
add_time(Row *row, const LastCall *call, double ms)
{
	add_column(row, Float8GetDatum(rint(ms * 1000) / 1000), !call->timed);
}

/*
 * Puts a row.  Columns that the function's definition lacks, as in an earlier
 * version of the extension, are left out.
 */
static void
put_row(FunctionCallInfo fcinfo, Row *row)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc,
						 row->values, row->nulls);
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
	Row			row = {0};

	add_column(&row, Int32GetDatum(device->index), false);
	add_text(&row, device->name);
	add_text(&row, psprintf("%d.%d", device->major, device->minor));
	add_column(&row, Int64GetDatum(device->memory_total), false);
	add_column(&row, Int64GetDatum(device->memory_free),
			   device->memory_free < 0);
	add_text(&row, version_text(device->driver_version));
	add_text(&row, version_text(device->runtime_version));
	add_text(&row, status);
	put_row(fcinfo, &row);
}

/* Puts a row that has a status and no device. */
static void
put_status(FunctionCallInfo fcinfo, const char *why)
{
	Row			row = {0};

	while (row.columns < 7)
		add_column(&row, (Datum) 0, true);
	add_text(&row, why);
	put_row(fcinfo, &row);
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

static void
add_integer(Row *row, int64 value)
{
	add_column(row, Int64GetDatum(value), false);
}

/* The columns from a process's shared memory; NULL without one. */
static void
add_shared(Row *row, const GpuConnection *connection)
{
	const SharedLanes *shared = connection ? connection->shared : NULL;

	if (shared == NULL)
	{
		for (int i = 0; i < 11 + CACHE_MISSES; i++)
			add_column(row, (Datum) 0, true);
		return;
	}
	add_column(row, Int32GetDatum(connection->layout.nlanes), false);
	add_column(row, Int32GetDatum(lanes_leased(shared, &connection->layout)),
			   false);
	add_column(row, Int32GetDatum(shared->waiting), false);
	add_integer(row, shared->calls);
	add_integer(row, shared->bytes_in);
	add_integer(row, shared->bytes_out);
	add_integer(row, shared->device_bytes);
	add_integer(row, connection->layout.bytes);
	add_integer(row, shared->cache_limit);
	add_integer(row, shared->cache_bytes);
	add_integer(row, shared->cache_hits);
	for (int i = 0; i < CACHE_MISSES; i++)
		add_integer(row, shared->cache_misses[i]);
}

static void
put_process(FunctionCallInfo fcinfo, int device, const WorkerStatus *status)
{
	EngineContext *context = session_context(ENGINE_CUDA);
	const GpuConnection *connection = NULL;
	Row			row = {0};

	if (status->state == WORKER_SERVING &&
		gpu_engine_connect(context, device) == GPU_CONNECTED)
		connection = gpu_engine_connection(context, device);
	add_column(&row, Int32GetDatum(device), false);
	add_column(&row, Int32GetDatum(status->process_pid),
			   status->process_pid == 0 || status->state == WORKER_NONE);
	add_text(&row, worker_states[status->state]);
	add_column(&row, TimestampTzGetDatum(time_t_to_timestamptz(status->since)),
			   status->since == 0);
	add_shared(&row, connection);
	add_column(&row, Int32GetDatum(status->failures), false);
	add_text(&row, status->last_failure[0] ? status->last_failure : NULL);
	put_row(fcinfo, &row);
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
			put_process(fcinfo, i, &status);
	}
	return (Datum) 0;
}

/*
 * gpu_last_call() returns setof record
 *
 * How the last call in this session went; no row before the first.
 */
SQL_FUNCTION(gpu_last_call)
{
	const LastCall *call = &this_call;
	Row			row = {0};
	bool		ran;

	InitMaterializedSRF(fcinfo, 0);
	call_settle();
	ran = call->choice.engine != NO_ENGINE;
	if (call->function == NULL)
		return (Datum) 0;

	add_text(&row, call->function);
	add_text(&row, ran ? session_engines[call->choice.engine]->name : NULL);
	add_text(&row, ran ? choice_in_words(&call->choice) :
			 choice_reason_name(call->choice.reason));
	add_text(&row, call->source);
	add_column(&row, Int64GetDatum(call->elements), false);
	add_column(&row, Int64GetDatum(call->bytes_in), false);
	add_column(&row, Int64GetDatum(call->bytes_out), false);
	add_time(&row, call, call->total_ms);
	add_time(&row, call, call->detoast_ms);
	add_time(&row, call, call->upload_ms);
	add_time(&row, call, call->kernel_ms);
	add_time(&row, call, call->download_ms);
	add_time(&row, call, call->result_ms);
	add_text(&row, call->error ? unpack_sql_state(call->error) : NULL);
	add_text(&row, chain_record_text());
	put_row(fcinfo, &row);
	return (Datum) 0;
}

static void
put_stat(FunctionCallInfo fcinfo, const CallStat *stat, TimestampTz since)
{
	Row			row = {0};

	add_text(&row, stat->function);
	add_text(&row, stat->engine < 0 ? NULL :
			 session_engines[stat->engine]->name);
	add_text(&row, choice_reason_name(stat->reason));
	add_column(&row, Int64GetDatum(stat->calls), false);
	add_column(&row, Int64GetDatum(stat->elements), false);
	add_column(&row, Int64GetDatum(stat->bytes_in), false);
	add_column(&row, Int64GetDatum(stat->bytes_out), false);
	add_column(&row, Int64GetDatum(stat->timed_calls), false);
	add_column(&row, Float8GetDatum(rint(stat->total_ms * 1000) / 1000), false);
	add_column(&row, TimestampTzGetDatum(since), false);
	add_column(&row, Int64GetDatum(stat->failed_calls), false);
	put_row(fcinfo, &row);
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
