/*
 * distinct.cu
 *	  The distinct elements: a sort, and the runs of the sorted keys.
 */
#include "kernels.h"
#include "sort.h"

static EngineStatus
distinct_sizes(const EngineJob *job, size_t *sizes)
{
	TRY(sort_sizes(job, sizes));
	if (job->request.starts)
		sizes[BUFFER_SECOND] = job->request.count * sizeof(int);
	return ENGINE_OK;
}

/* Queues the search for the runs of the sorted keys. */
static EngineStatus
find_runs(EngineJob *job, const void *sorted, void *out)
{
	Session    *session = job->session;
	const Span *span = &session->compute_span;
	int		   *starts = job->request.starts ?
		(int *) session->buffers[BUFFER_SECOND].memory : NULL;

	TRY_CUDA(cudaEventRecord(span->begin, session->compute));
	TRY(runs_array(session->compute, &session->ahead, job->request.kind,
				   sorted, out, starts, job->request.count,
				   session->survivors));
	TRY_CUDA(cudaEventRecord(span->end, session->compute));
	return ENGINE_OK;
}

/*
 * Called when the keys are sorted, as it is known only then where they are;
 * and again when their runs are found, in the other buffer.
 */
static EngineStatus
distinct_finish(EngineJob *job)
{
	const DeviceBuffer *buffers = job->session->buffers;
	bool		other = *job->session->in_other;
	void	   *sorted = buffers[other ? BUFFER_OTHER : BUFFER_GATHERED].memory;
	void	   *out = buffers[other ? BUFFER_GATHERED : BUFFER_OTHER].memory;

	if (job->results[0].from == NULL)
	{
		job->results[0].from = out;
		TRY(find_runs(job, sorted, out));
		return ENGINE_MORE;
	}
	TRY(device_runs.finish(job));
	job->results[0].from = out;
	return ENGINE_OK;
}

const DeviceOperation device_distinct = {
	true, distinct_sizes, sort_begin, sort_piece, sort_start, distinct_finish
};
