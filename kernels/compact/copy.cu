/*
 * copy.cu
 *	  A copy on the device, which is also the baseline of the benchmarks.
 */
#include "kernels/common/kernels.h"

cudaError_t
whole_array_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->in[0] = request->count * input_size(request, 0);
	sizes->out[0] = request->count * output_size(request, 0);
	return cudaSuccess;
}

static cudaError_t
copy_whole(const DeviceWork *work)
{
	return cudaMemcpyAsync(work->out[0], work->in[0],
						   work->count * input_size(work->request, 0),
						   cudaMemcpyDeviceToDevice, work->stream);
}

const DeviceOperation cuda_copy = {
	.gathers = true,
	.sizes = whole_array_sizes,
	.reads_only = device_always,
	.whole = copy_whole
};
