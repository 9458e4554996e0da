/*
 * engine_status.h
 *	  What an engine says of a failure, as an error of PostgreSQL's.
 */
#ifndef GPUCOMPACT_ENGINE_STATUS_H
#define GPUCOMPACT_ENGINE_STATUS_H

#include "compat.h"

#include "engine/engine.h"

pg_noreturn extern void raise_status(EngineStatus status, const char *detail);

#endif							/* GPUCOMPACT_ENGINE_STATUS_H */
