/*
 * device_fact.cu
 *	  Facts about the device that many kernels need.
 */
#include "kernels/common/device_fact.h"

int
find_attribute(cudaDeviceAttr attribute)
{
	int			device;
	int			value;

	if (cudaGetDevice(&device) == cudaSuccess &&
		cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess)
		return value;
	(void) cudaGetLastError();
	return 0;
}

int
device_blocks(int each)
{
	static const int multiprocessors =
		find_attribute(cudaDevAttrMultiProcessorCount);

	return each * (multiprocessors > 0 ? multiprocessors : 1);
}

int
device_shared_bytes(int blocks)
{
	/* What the driver keeps of the shared memory for each thread block. */
	static const int reserved =
		find_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
	static const int all = reserved +
		find_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);

	return all / blocks - reserved;
}

/* The code of all kernels is for Hopper or later, if that of one kernel is. */
__global__ void
any_kernel()
{
}

static bool
find_for_hopper()
{
	cudaFuncAttributes attributes;

	return cudaFuncGetAttributes(&attributes, any_kernel) == cudaSuccess &&
		attributes.ptxVersion >= 90;
}

bool
is_for_hopper()
{
	static const bool found = find_for_hopper();

	return found;
}
