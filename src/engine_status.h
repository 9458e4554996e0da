/*
 * engine_status.h
 *	  What an engine says of a failure, as an error of PostgreSQL's.
 */
#ifndef GPUCOMPACT_ENGINE_STATUS_H
#define GPUCOMPACT_ENGINE_STATUS_H

#include "compat.h"

#include "engine.h"

extern void raise_status(EngineStatus status, const char *detail)
			pg_attribute_noreturn();

#endif							/* GPUCOMPACT_ENGINE_STATUS_H */
