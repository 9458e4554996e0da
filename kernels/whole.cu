/*
 * whole.cu
 *	  The single-pass scan and compaction of a whole array at once.
 *
 * As a rule they take an array piece by piece, as it arrives.  When they are
 * asked for by name, to stand beside the algorithms of the laboratory, they
 * get it as those do.
 */
#include "device.h"
#include "kernels.h"

static EngineStatus
whole_sizes(const EngineJob *job, size_t *sizes)
{
	sizes[BUFFER_GATHERED] = job->request.count * job->input_sizes[0];
	sizes[BUFFER_OTHER] = job->request.count * job->result_size;
	return ENGINE_OK;
}

static EngineStatus
whole_finish(EngineJob *job)
{
	DeviceResult *result = &job->results[0];
	int64_t		count = job->request.count;

	if (job->request.operation == ENGINE_COMPACT)
		count = *job->session->survivors;
	result->from = job->session->buffers[BUFFER_OTHER].memory;
	result->to = job->request.result;
	result->bytes = count * job->result_size;
	return ENGINE_OK;
}

static EngineStatus
scan_sizes(const EngineJob *job, size_t *sizes)
{
	const EngineRequest *request = &job->request;

	if (request->scan_operator != SCAN_ADD || kind_is_float(request->kind) ||
		!scan_blocks_can(SCAN_ADD, request->kind, request->sum_kind))
		return not_supported("This algorithm scans only sums of integers.");
	return whole_sizes(job, sizes);
}

static EngineStatus
scan_start(EngineJob *job)
{
	const EngineRequest *request = &job->request;
	Session    *session = job->session;

	return scan_add(session->compute, &session->ahead, request->kind,
					request->sum_kind,
					session->buffers[BUFFER_GATHERED].memory,
					session->buffers[BUFFER_OTHER].memory, request->count,
					NULL, NULL, session->overflow);
}

static EngineStatus
compact_sizes(const EngineJob *job, size_t *sizes)
{
	if (job->request.masked || job->request.positions)
		return not_supported("This algorithm compacts only by what the "
							 "elements are, and into elements.");
	return whole_sizes(job, sizes);
}

static EngineStatus
compact_start(EngineJob *job)
{
	const EngineRequest *request = &job->request;
	Session    *session = job->session;

	return compact_array(session->compute, &session->ahead, request->kind,
						 &request->predicate,
						 session->buffers[BUFFER_GATHERED].memory,
						 session->buffers[BUFFER_OTHER].memory,
						 request->count, session->survivors);
}

const DeviceOperation device_whole_scan = {
	true, scan_sizes, NULL, NULL, scan_start, whole_finish
};

const DeviceOperation device_whole_compact = {
	true, compact_sizes, NULL, NULL, compact_start, whole_finish
};
