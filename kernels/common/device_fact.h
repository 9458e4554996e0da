/*
 * device_fact.h
 *	  Facts that are found out once for each device.
 */
#ifndef GPUCOMPACT_DEVICE_FACT_H
#define GPUCOMPACT_DEVICE_FACT_H

#include <cuda_runtime.h>

#define MAX_DEVICES		64

/*
 * Returns the result of a function for the current device, which is not
 * negative; or 0 if there is none.  Threads may call this at the same time.
 */
template <int (*FIND) ()>
static int
device_fact()
{
	static int	known[MAX_DEVICES];	/* 0: not known yet; otherwise one more
									 * than the fact */
	int			device;
	int			fact;

	if (cudaGetDevice(&device) != cudaSuccess || device >= MAX_DEVICES)
		return 0;
	fact = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
	if (fact == 0)
	{
		fact = FIND() + 1;
		__atomic_store_n(&known[device], fact, __ATOMIC_RELAXED);
	}
	return fact - 1;
}

/* "each" thread blocks for each multiprocessor of the current device. */
extern int	device_blocks(int each);

/*
 * The most shared memory of a block on the current device, in bytes, if a
 * multiprocessor has "blocks" of them; or 0.
 */
extern int	device_shared_bytes(int blocks = 1);

/* Whether the code that the current device runs is for Hopper or later. */
extern bool is_for_hopper();

#endif							/* GPUCOMPACT_DEVICE_FACT_H */
