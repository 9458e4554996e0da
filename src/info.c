/*
 * info.c
 *	  SQL functions that tell what there is and what happened.
 */
#include "compat.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "engine/call.h"

#define MAX_DEVICES		64

PG_FUNCTION_INFO_V1(gpu_devices);
PG_FUNCTION_INFO_V1(gpu_last_call);

/* A row's next column. */
typedef struct Row
{
	Datum		values[16];
	bool		nulls[16];
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
put_device(FunctionCallInfo fcinfo, const EngineDevice *device)
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
	add_text(&row, device->open ? "in use by this session" : "ready");
	put_row(fcinfo, &row);
}

/* Without a device to tell of, or only its index. */
static void
put_status(FunctionCallInfo fcinfo, int index, const char *why)
{
	Row			row = {0};

	add_column(&row, Int32GetDatum(index), index < 0);
	while (row.columns < 7)
		add_column(&row, (Datum) 0, true);
	add_text(&row, why);
	put_row(fcinfo, &row);
}

/*
 * gpu_devices() returns setof record
 *
 * A row for each GPU, or one whose status says why there is none, or which one
 * this session has lost.  Opens no GPU.
 */
Datum
gpu_devices(PG_FUNCTION_ARGS)
{
	SessionEngine *engine = &session_engines[ENGINE_CUDA];
	EngineDevice devices[MAX_DEVICES];
	int			count;
	EngineStatus status;

	InitMaterializedSRF(fcinfo, 0);
	status = session_engine_devices(engine, devices, MAX_DEVICES, &count);
	if (engine->engine == NULL)
		put_status(fcinfo, engine->failed_device, engine->why_not);
	else if (status != ENGINE_OK)
		put_status(fcinfo, -1, engine->engine->message(engine->context));
	else
	{
		for (int i = 0; i < Min(count, MAX_DEVICES); i++)
			put_device(fcinfo, &devices[i]);
	}
	return (Datum) 0;
}

/*
 * gpu_last_call() returns setof record
 *
 * How the last call in this session went; no row before the first.
 */
Datum
gpu_last_call(PG_FUNCTION_ARGS)
{
	const LastCall *call = &last_call;
	bool		ran = call->choice.engine != NULL;
	Row			row = {0};

	InitMaterializedSRF(fcinfo, 0);
	if (call->function == NULL)
		return (Datum) 0;

	add_text(&row, call->function);
	add_text(&row, ran ? call->choice.engine->name : NULL);
	add_text(&row, ran ? choice_in_words(&call->choice) : "nothing to do");
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
	put_row(fcinfo, &row);
	return (Datum) 0;
}
