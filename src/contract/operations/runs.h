/*
 * runs.h
 *	  RUNS: the first of each run of equal elements that are next to each
 *	  other.
 *
 * The second output has the int4 position of each run's first element, from 1
 * on.
 */
#ifndef GPUCOMPACT_OPERATIONS_RUNS_H
#define GPUCOMPACT_OPERATIONS_RUNS_H

#include "contract/engine.h"

#endif							/* GPUCOMPACT_OPERATIONS_RUNS_H */
