/*
 * short_stages.h
 *	  Steps of a chain over short arrays, done as stages of the next step.
 */
#ifndef GPUCOMPACT_SHORT_STAGES_H
#define GPUCOMPACT_SHORT_STAGES_H

#include "call/call.h"

/* Stages that make an array of another one, and the array. */
typedef struct ShortStages ShortStages;

extern ShortStages *short_stages_make(const ShortStages *before,
									  const EngineStage *stage, Datum source,
									  Datum result);
extern bool short_stages_run(ShortStages *stages, Datum source,
							 Datum *result);

#endif							/* GPUCOMPACT_SHORT_STAGES_H */
