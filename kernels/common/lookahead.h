/*
 * lookahead.h
 *	  What launches of single-pass kernels share on a device.
 *
 * The kernels themselves are instances of tiles_kernel.h.
 */
#ifndef GPUCOMPACT_LOOKAHEAD_H
#define GPUCOMPACT_LOOKAHEAD_H

#include <pthread.h>

#include <cuda_runtime.h>

#include "kernels/common/device_fact.h"

/* The launches must be on one stream. */
typedef struct LookAhead
{
	pthread_mutex_t lock;		/* from a change of "epoch" to the launch */
	void	   *descriptors;	/* on the device, enough for any array */
	unsigned	epoch;			/* of the last launch; 0 before the first */
} LookAhead;

/* lookahead.cu */
extern cudaError_t lookahead_open(LookAhead *ahead);
extern cudaError_t lookahead_launch(cudaStream_t stream, LookAhead *ahead,
									const void *kernel, int64_t count,
									int row, size_t row_bytes, int *rows,
									void **arguments, unsigned *epoch);

#endif							/* GPUCOMPACT_LOOKAHEAD_H */
