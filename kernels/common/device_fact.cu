/*
 * device_fact.cu
 *	  Facts about devices that many kernels need.
 */
#include "kernels/common/device_fact.h"

/* Returns 0 if the attribute is not known. */
template <cudaDeviceAttr ATTRIBUTE>
static int
find_attribute()
{
	int			device;
	int			value;

	if (cudaGetDevice(&device) == cudaSuccess &&
		cudaDeviceGetAttribute(&value, ATTRIBUTE, device) == cudaSuccess)
		return value;
	(void) cudaGetLastError();
	return 0;
}

int
device_blocks(int each)
{
	int			multiprocessors =
		device_fact<find_attribute<cudaDevAttrMultiProcessorCount>>();

	return each * (multiprocessors > 0 ? multiprocessors : 1);
}

int
device_shared_bytes(int blocks)
{
	/* What the driver keeps of the shared memory for each thread block. */
	int			reserved = device_fact
		<find_attribute<cudaDevAttrReservedSharedMemoryPerBlock>>();
	int			all = reserved + device_fact
		<find_attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>>();

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
