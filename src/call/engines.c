/*
 * engines.c
 *	  The engines of this session.
 */
#include "compat.h"

#include <unistd.h>

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/wait_event.h"

#include "call/engines.h"
#include "settings.h"

/* How often to look whether a GPU process has come up. */
#define LOOK_MS		5

SessionEngine session_engines[ENGINES] = {
	[ENGINE_CPU] = {.name = "cpu", .engine = &cpu_engine},
	[ENGINE_CUDA] = {
		.name = "cuda",
		.engine = &gpu_engine,
		.installed = gpu_program_installed,
		.state = gpu_process_state,
		.meet = gpu_process_meet
	}
};

/* Returns whether the engine is a part of this installation. */
bool
session_engine_installed(const SessionEngine *engine)
{
	return engine->installed == NULL || engine->installed();
}

/* Opens an engine that is used for the first time. */
EngineContext *
session_engine_open(SessionEngine *engine)
{
	engine->context = engine->engine->open();
	if (engine->context == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return engine->context;
}

/* The part of session_engine_state for an open engine that has a state. */
GpuState
session_engine_await(SessionEngine *engine, bool wait, const char **why_not)
{
	GpuState	state;

	while ((state = engine->state(engine->context, setting_device,
								  why_not)) == GPU_STARTING && wait)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT |
						 WL_EXIT_ON_PM_DEATH, LOOK_MS, gpu_wait_event());
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return state;
}

/* The machine's processors. */
int
session_processors(void)
{
	static int	processors = 0;

	if (processors == 0)
		processors = Max(1, (int) sysconf(_SC_NPROCESSORS_ONLN));
	return processors;
}
