/*
 * job.h
 *	  The run of an engine's job.
 */
#ifndef GPUCOMPACT_JOB_H
#define GPUCOMPACT_JOB_H

#include "call/choice.h"
#include "call/input.h"

extern int	call_threads(int64 count);
extern bool has_residents(const EngineRequest *request);
extern EngineStatus job_run_short(EngineContext *context,
								  const EngineRequest *request,
								  CallInput *const inputs[],
								  EngineResult *result);
extern EngineStatus job_try(const Choice *choice, EngineRequest *request,
							CallInput *const inputs[], EngineResult *result);
extern EngineStatus job_run(Choice *choice, EngineRequest *request,
							CallInput *const inputs[], EngineResult *result);

#endif							/* GPUCOMPACT_JOB_H */
