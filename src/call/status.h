/*
 * status.h
 *	  Raises failures of an engine as errors.
 */
#ifndef GPUCOMPACT_STATUS_H
#define GPUCOMPACT_STATUS_H

#include "compat.h"

#include "contract/engine.h"

pg_noreturn extern void raise_status(EngineStatus status, const char *detail);

#endif							/* GPUCOMPACT_STATUS_H */
