/*
 * lab_job.cu
 *	  A job done by an algorithm of the laboratory, on the gathered array.
 */
#include "lab.h"

/* The textbooks' elements are integers. */
static bool
lab_can(const EngineRequest *request)
{
	static const EnginePredicate not_zero = {0, 0, true};
	const EnginePredicate *predicate = &request->predicate;

	if (request->kind != KIND_INT4)
		return false;
	switch (request->operation)
	{
		case ENGINE_SCAN:
			return request->scan_operator == SCAN_ADD &&
				request->sum_kind == KIND_INT8;
		case ENGINE_COMPACT:
			return !request->masked && !request->positions &&
				predicate->low == not_zero.low &&
				predicate->span == not_zero.span &&
				predicate->outside == not_zero.outside;
		case ENGINE_SORT:
			return request->payload == PAYLOAD_NONE;
		default:
			return false;
	}
}

static EngineStatus
lab_sizes(const EngineJob *job, size_t *sizes)
{
	const LabAlgorithm *lab = job->lab;
	int64_t		count = job->request.count;
	size_t	   *scratch = &sizes[BUFFER_SCRATCH];

	if (!lab_can(&job->request))
		return not_supported("This algorithm takes only prefix sums of "
							 "integers, compaction of integers that are "
							 "not zero, and sorts of integers.");
	sizes[BUFFER_GATHERED] = count * sizeof(int);
	sizes[BUFFER_OTHER] = count * job->result_size;
	switch (job->request.operation)
	{
		case ENGINE_SCAN:
			return lab->scan_scratch(count, sizeof(long long), scratch);
		case ENGINE_COMPACT:
			return lab->compact_scratch(lab, count, scratch);
		default:
			return lab->sort_scratch(lab, count, scratch);
	}
}

/* Queues the work. */
static EngineStatus
lab_start(EngineJob *job)
{
	const LabAlgorithm *lab = job->lab;
	Session    *session = job->session;
	cudaStream_t stream = session->compute;
	int64_t		count = job->request.count;
	int		   *gathered = (int *) session->buffers[BUFFER_GATHERED].memory;
	void	   *other = session->buffers[BUFFER_OTHER].memory;
	void	   *scratch = session->buffers[BUFFER_SCRATCH].memory;
	int		   *sorted = NULL;

	job->results[0].from = other;
	switch (job->request.operation)
	{
		case ENGINE_SCAN:
			return lab->scan(stream, gathered, (long long *) other, count,
							 false, scratch);
		case ENGINE_COMPACT:
			return lab->compact(lab, stream, gathered, (int *) other, count,
								session->survivors, scratch);
		default:
			TRY(lab->sort(lab, stream, gathered, (int *) other, count,
						  job->request.descending ? LAB_DESCENDING :
						  LAB_ASCENDING, scratch, &sorted));
			job->results[0].from = sorted;
			return ENGINE_OK;
	}
}

/* Notes how long the result is. */
static EngineStatus
lab_finish(EngineJob *job)
{
	int64_t		count = job->request.count;

	if (job->request.operation == ENGINE_COMPACT)
		count = *job->session->survivors;
	job->results[0].to = job->request.result;
	job->results[0].bytes = count * job->result_size;
	return ENGINE_OK;
}

const DeviceOperation device_lab = {
	true, lab_sizes, NULL, NULL, lab_start, lab_finish
};
