/*
 * device_fact.h
 *	  Facts that are found out once for each device.
 */
#ifndef GPUCOMPACT_DEVICE_FACT_H
#define GPUCOMPACT_DEVICE_FACT_H

#include "kernels/common/lookahead.h"

/*
 * Returns the result of a function for the current device, which is not
 * negative; or 0 if there is none.  Threads may call this at the same time.
 */
template <int (*FIND) ()>
static int
device_fact()
{
	static int	known[MAX_DEVICES];	/* 0: not known yet; else one more */
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

#endif							/* GPUCOMPACT_DEVICE_FACT_H */
