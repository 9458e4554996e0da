/*
 * scan_job.cu
 *	  Scans and reductions, piece by piece: what all pieces so far come to
 *	  stays on the device, for the next one.
 */
#include "device.h"
#include "kernels.h"

static EngineStatus
scan_sizes(const EngineJob *job, size_t *sizes)
{
	const EngineRequest *request = &job->request;

	if (!scan_blocks_can(request->scan_operator, request->kind,
						 request->sum_kind))
		return not_supported("The CUDA engine does not know this operation.");
	sizes[BUFFER_SCRATCH] = scan_blocks_scratch_bytes(job->capacity);
	return ENGINE_OK;
}

/* Where the piece that comes next begins, and the one before it has ended. */
static long long *
next_start(const EngineJob *job)
{
	return &job->session->carry[job->pieces % 2];
}

/* Queues the scan of a piece, which goes on where the one before ended. */
static EngineStatus
scan_piece(EngineJob *job, Slot *slot, int64_t count)
{
	const EngineRequest *request = &job->request;
	Session    *session = job->session;
	long long  *start = &session->carry[(job->pieces - 1) % 2];
	bool		reduces = request->operation == ENGINE_REDUCE;

	slot->bytes_out = reduces ? 0 : count * job->result_size;
	if (job->pushed == 0)
		start = NULL;
	if (request->scan_operator == SCAN_ADD && !reduces &&
		!kind_is_float(request->kind))
		return scan_add(session->compute, &session->ahead, request->kind,
						request->sum_kind, slot->device_in, slot->device_out,
						count, start, next_start(job), session->overflow);
	return scan_blocks(session->compute, request->scan_operator,
					   request->kind, request->sum_kind, slot->device_in,
					   reduces ? NULL : slot->device_out, count, start,
					   next_start(job),
					   session->buffers[BUFFER_SCRATCH].memory,
					   session->overflow);
}

/* Where a scan has ended, there is the reduction's result. */
static EngineStatus
reduce_finish(EngineJob *job)
{
	TRY_CUDA(cudaMemcpy(job->request.result, next_start(job),
						job->result_size, cudaMemcpyDeviceToHost));
	job->written = job->result_size;
	return ENGINE_OK;
}

const DeviceOperation device_scan = {
	false, scan_sizes, NULL, scan_piece, NULL, NULL
};

const DeviceOperation device_reduce = {
	false, scan_sizes, NULL, scan_piece, NULL, reduce_finish
};
