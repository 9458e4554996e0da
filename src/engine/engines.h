/*
 * engines.h
 *	  The engines of this session.
 */
#ifndef GPUCOMPACT_ENGINES_H
#define GPUCOMPACT_ENGINES_H

#include "compat.h"

#include "engine/engine.h"

/*
 * An engine, as far as this session knows it: looked for by the first call that
 * wants it.
 */
typedef struct SessionEngine
{
	const char *name;

	/* Is it a part of this installation?  NULL if it always is. */
	bool		(*installed) (void);

	/* Finds the engine, or returns NULL and says why there is none. */
	const Engine *(*find) (const char **why_not);

	/* What it costs to open a device; the CPU needs none. */
	double		opening_us;

	bool		looked;			/* has "find" been called? */
	const Engine *engine;		/* NULL where there is none to be called: */
	EngineStatus status;		/* as ENGINE_NO_DEVICE or _DEVICE_FAILED is */
	const char *why_not;		/* the reason, in memory that stays */
	EngineContext *context;
	int			open_device;	/* the last one on which a job ran, or -1 */
	int			absent_device;	/* one that turned out not to exist, or -1 */
	int			failed_device;	/* the one that has failed, or -1 */
	double		lost_us;		/* by calls elsewhere, as it was not open */
} SessionEngine;

extern SessionEngine session_engines[ENGINES];	/* by number */

extern bool session_engine_usable(SessionEngine *engine);
extern void session_engine_failed(SessionEngine *engine, int device,
								  const char *why);
extern EngineStatus session_engine_devices(SessionEngine *engine,
										   EngineDevice *devices,
										   int capacity, int *count);

#endif							/* GPUCOMPACT_ENGINES_H */
