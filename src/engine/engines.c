/*
 * engines.c
 *	  The engines of this session.
 */
#include "compat.h"

#include <stdlib.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/memutils.h"

#include "engine/cuda_library.h"
#include "engine/engines.h"

static const Engine *
find_cpu_engine(const char **why_not)
{
	return &cpu_engine;
}

SessionEngine session_engines[ENGINES] = {
	[ENGINE_CPU] = {
		.name = "cpu",
		.find = find_cpu_engine,
	},
	[ENGINE_CUDA] = {
		.name = "cuda",
		.installed = cuda_library_installed,
		.find = cuda_library_open,
		.opening_us = 330000.0, /* with an H200 */
		.open_device = -1,
		.absent_device = -1,
		.failed_device = -1
	}
};

/*
 * exit() calls this first, before the functions that the CUDA runtime has
 * registered, and after the server's own part of the exit.
 */
static int	exit_code;

static void
leave_at_once(void)
{
	_exit(exit_code);
}

/*
 * The CUDA runtime cleans up when a process exits.  If the device has failed
 * or is busy, that could hang, and it is not necessary: the driver cleans up
 * after any process.
 */
static void
engine_at_exit(int code, Datum context)
{
	EngineContext *at = (EngineContext *) DatumGetPointer(context);

	exit_code = code;
	if (!at->engine->idle(at))
		(void) atexit(leave_at_once);
}

/* Looks for an engine: once in a session. */
static void
look_for(SessionEngine *engine)
{
	MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);

	engine->status = ENGINE_NO_DEVICE;
	engine->engine = engine->find(&engine->why_not);
	if (engine->engine != NULL)
	{
		engine->context = engine->engine->open();
		if (engine->context == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
		on_proc_exit(engine_at_exit, PointerGetDatum(engine->context));
	}
	engine->looked = true;
	MemoryContextSwitchTo(before);
}

/* Can an engine be called?  If not, its status and "why_not" tell why. */
bool
session_engine_usable(SessionEngine *engine)
{
	if (!engine->looked)
		look_for(engine);
	return engine->engine != NULL;
}

/*
 * Must be called when a device has failed.  After that the engine is not
 * called again, because a process cannot recover from such an error (CUDA
 * Runtime API, cudaError_t).
 */
void
session_engine_failed(SessionEngine *engine, int device, const char *why)
{
	MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);

	engine->why_not = psprintf("This session has lost GPU %d: %s",
							   device, why);
	engine->status = ENGINE_DEVICE_FAILED;
	engine->failed_device = device;
	engine->engine = NULL;
	MemoryContextSwitchTo(before);
}

/* Describes up to "capacity" devices of an engine, and counts all. */
EngineStatus
session_engine_devices(SessionEngine *engine, EngineDevice *devices,
					   int capacity, int *count)
{
	EngineStatus status;

	*count = 0;
	if (!session_engine_usable(engine))
		return engine->status;
	while ((status = engine->engine->devices(engine->context, devices,
											 capacity, count)) == ENGINE_MORE)
		CHECK_FOR_INTERRUPTS();
	return status;
}
