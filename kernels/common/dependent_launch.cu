/*
 * dependent_launch.cu
 *	  Whether programmatic dependent launch is available.
 */
#include "kernels/common/dependent_launch.h"
#include "kernels/common/device_fact.h"

/* The code of all kernels is for Hopper or later, if that of one kernel is. */
__global__ void
any_kernel()
{
}

static int
find_for_hopper()
{
	cudaFuncAttributes attributes;

	return cudaFuncGetAttributes(&attributes, any_kernel) == cudaSuccess &&
		attributes.ptxVersion >= 90;
}

bool
is_for_hopper()
{
	return device_fact<find_for_hopper>();
}
