/*
 * copy.h
 *	  COPY: the elements of the input, which is the baseline of benchmarks.
 */
#ifndef GPUCOMPACT_OPERATIONS_COPY_H
#define GPUCOMPACT_OPERATIONS_COPY_H

#include "contract/engine.h"

#endif							/* GPUCOMPACT_OPERATIONS_COPY_H */
