/*
 * device_fact.cu
 *	  Facts about devices that many kernels need.
 */
#include "kernels/common/device_fact.h"

/* Returns 0 if the attribute is not known. */
static int
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

static int
find_multiprocessors()
{
	return find_attribute(cudaDevAttrMultiProcessorCount);
}

static int
find_shared_bytes()
{
	return find_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/* What the driver keeps of the shared memory for each thread block. */
static int
find_reserved_bytes()
{
	return find_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
}

int
device_blocks(int each)
{
	int			multiprocessors = device_fact<find_multiprocessors>();

	return each * (multiprocessors > 0 ? multiprocessors : 1);
}

int
device_shared_bytes(int blocks)
{
	int			reserved = device_fact<find_reserved_bytes>();
	int			all = device_fact<find_shared_bytes>() + reserved;

	return all / blocks - reserved;
}

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
