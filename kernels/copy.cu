/*
 * copy.cu
 *	  A copy on the device, which other operations' times are measured by.
 */
#include "device.h"

static EngineStatus
copy_sizes(const EngineJob *job, size_t *sizes)
{
	sizes[BUFFER_GATHERED] = job->request.count * job->result_size;
	sizes[BUFFER_OTHER] = sizes[BUFFER_GATHERED];
	return ENGINE_OK;
}

static EngineStatus
copy_start(EngineJob *job)
{
	Session    *session = job->session;

	TRY_CUDA(cudaMemcpyAsync(session->buffers[BUFFER_OTHER].memory,
							 session->buffers[BUFFER_GATHERED].memory,
							 job->request.count * job->result_size,
							 cudaMemcpyDeviceToDevice, session->compute));
	return ENGINE_OK;
}

static EngineStatus
copy_finish(EngineJob *job)
{
	DeviceResult *result = &job->results[0];

	result->from = job->session->buffers[BUFFER_OTHER].memory;
	result->to = job->request.result;
	result->bytes = job->request.count * job->result_size;
	return ENGINE_OK;
}

const DeviceOperation device_copy = {
	true, copy_sizes, NULL, NULL, copy_start, copy_finish
};
