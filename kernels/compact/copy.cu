/*
 * copy.cu
 *	  A copy on the device, which is also the baseline of the benchmarks.
 */
#include "kernels/common/operation.h"

static cudaError_t
copy_run(const DeviceWork *work)
{
	return cudaMemcpyAsync(work->out[0], work->in[0],
						   work->count * input_size(work->request, 0),
						   cudaMemcpyDeviceToDevice, work->stream);
}

const DeviceOperation cuda_copy = {
	.run = copy_run
};
