/*
 * device_fact.h
 *	  Facts about the device of the process, each of which is found out once.
 */
#ifndef GPUCOMPACT_DEVICE_FACT_H
#define GPUCOMPACT_DEVICE_FACT_H

#include <cuda_runtime.h>

/* Returns 0 if the attribute is not known. */
extern int	find_attribute(cudaDeviceAttr attribute);

/* "each" thread blocks for each multiprocessor. */
extern int	device_blocks(int each);

/*
 * The most shared memory of a block, in bytes, if a multiprocessor has "blocks"
 * of them; or 0.
 */
extern int	device_shared_bytes(int blocks = 1);

/* Whether the code that the device runs is for Hopper or later. */
extern bool is_for_hopper();

#endif							/* GPUCOMPACT_DEVICE_FACT_H */
