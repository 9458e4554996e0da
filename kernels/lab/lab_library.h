/*
 * lab_library.h
 *	  The library of the laboratory's algorithms, which the GPU process loads
 *	  when a request first names one of them.
 *
 * C and CUDA C++ compilers read it.
 */
#ifndef GPUCOMPACT_LAB_LIBRARY_H
#define GPUCOMPACT_LAB_LIBRARY_H

#include "contract/engine.h"

/* Its file, in the program's directory, and its symbol, a LabLibrary. */
#define LAB_FILE		"gpucompact_lab.so"
#define LAB_SYMBOL		"gpucompact_lab"

#ifdef __cplusplus
extern "C"
{
#endif

struct DeviceOperation;

typedef struct LabLibrary
{
	uint32_t	version;		/* LANES_VERSION */

	/* Returns what implements a request, or NULL if nothing does. */
	const struct DeviceOperation *(*operation) (const EngineRequest *request);
} LabLibrary;

extern const LabLibrary gpucompact_lab __attribute__((visibility("default")));

/* Returns true if an algorithm is in the library. */
static inline bool
is_lab_algorithm(EngineAlgorithm algorithm)
{
	return algorithm == ALGORITHM_NAIVE ||
		algorithm == ALGORITHM_WORK_EFFICIENT || algorithm == ALGORITHM_CUB;
}

#ifdef __cplusplus
}
#endif

#endif							/* GPUCOMPACT_LAB_LIBRARY_H */
