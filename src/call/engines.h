/*
 * engines.h
 *	  The engines of this session.
 */
#ifndef GPUCOMPACT_ENGINES_H
#define GPUCOMPACT_ENGINES_H

#include "compat.h"

#include "contract/engine.h"
#include "gpuclient/gpu_process.h"

/* An engine, with the context in which this session's jobs run. */
typedef struct SessionEngine
{
	const char *name;
	const Engine *engine;

	/* Returns whether it is installed.  NULL if it always is. */
	bool		(*installed) (void);

	/* Returns whether jobs can run.  NULL if they always can. */
	GpuState	(*state) (EngineContext *context, int device,
						  const char **why_not);

	/*
	 * Attaches to processes that other sessions have started; starts none.
	 * NULL if the engine has no processes.
	 */
	void		(*meet) (EngineContext *context, int device);

	EngineContext *context;		/* NULL before it is used */
} SessionEngine;

extern SessionEngine session_engines[ENGINES];	/* by number */

extern bool session_engine_installed(const SessionEngine *engine);
extern EngineContext *session_engine_open(SessionEngine *engine);
extern GpuState session_engine_await(SessionEngine *engine, bool wait,
									 const char **why_not);
extern int	session_processors(void);

/* The context of this session's jobs. */
static inline EngineContext *
session_engine_context(SessionEngine *engine)
{
	return engine->context != NULL ? engine->context :
		session_engine_open(engine);
}

/*
 * Returns GPU_READY if a job can run on the engine now.  Otherwise requests
 * the missing process and, if "wait", waits while it starts.
 */
static inline GpuState
session_engine_state(SessionEngine *engine, bool wait, const char **why_not)
{
	(void) session_engine_context(engine);
	return engine->state == NULL ? GPU_READY :
		session_engine_await(engine, wait, why_not);
}

#endif							/* GPUCOMPACT_ENGINES_H */
