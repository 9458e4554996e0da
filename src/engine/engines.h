/*
 * engines.h
 *	  The engines of this session.
 */
#ifndef GPUCOMPACT_ENGINES_H
#define GPUCOMPACT_ENGINES_H

#include "compat.h"

#include "engine/engine.h"

/*
 * An engine in this session.  The first call that needs the engine looks for
 * it.
 */
typedef struct SessionEngine
{
	const char *name;

	/* Is it installed?  NULL if it always is. */
	bool		(*installed) (void);

	/* Returns the engine, or NULL and the reason. */
	const Engine *(*find) (const char **why_not);

	/* The time to open a device; the CPU needs none. */
	double		opening_us;

	bool		looked;			/* has "find" been called? */
	const Engine *engine;		/* NULL if it cannot be called: then */
	EngineStatus status;		/* is ENGINE_NO_DEVICE or _DEVICE_FAILED */
	const char *why_not;		/* the reason, in permanent memory */
	EngineContext *context;
	int			open_device;	/* the last one on which a job ran, or -1 */
	int			absent_device;	/* one that does not exist, or -1 */
	int			failed_device;	/* the one that has failed, or -1 */
	double		lost_us;		/* by calls elsewhere while it was not open */
} SessionEngine;

extern SessionEngine session_engines[ENGINES];	/* by number */

extern bool session_engine_usable(SessionEngine *engine);
extern void session_engine_failed(SessionEngine *engine, int device,
								  const char *why);
extern EngineStatus session_engine_devices(SessionEngine *engine,
										   EngineDevice *devices,
										   int capacity, int *count);

#endif							/* GPUCOMPACT_ENGINES_H */
