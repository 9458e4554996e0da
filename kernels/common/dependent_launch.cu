/*
 * dependent_launch.cu
 *	  Whether programmatic dependent launch is available.
 */
#include "kernels/common/dependent_launch.h"
#include "kernels/common/device_fact.h"

/*
 * Returns whether the code that the current device runs is for Hopper or later.
 * The code of all kernels is, if the code of one kernel is.
 */
bool
is_for_hopper(const void *kernel)
{
	static int	known[MAX_DEVICES];	/* 0: not known yet; 1: no; 2: yes */
	cudaFuncAttributes attributes;
	int			device;
	int			answer;

	if (cudaGetDevice(&device) != cudaSuccess || device >= MAX_DEVICES)
		return false;
	answer = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
	if (answer == 0)
	{
		if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess)
			return false;
		answer = attributes.ptxVersion >= 90 ? 2 : 1;
		__atomic_store_n(&known[device], answer, __ATOMIC_RELAXED);
	}
	return answer == 2;
}
