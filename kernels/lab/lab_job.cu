/*
 * lab_job.cu
 *	  A job done by an algorithm of the laboratory, on the gathered array.
 */
#include "lab.h"

EngineStatus
lab_sizes(const EngineJob *job, size_t *sizes)
{
	const LabAlgorithm *lab = job->lab;
	int64_t		count = job->request.count;
	size_t	   *scratch = &sizes[BUFFER_SCRATCH];

	sizes[BUFFER_GATHERED] = count * sizeof(int);
	sizes[BUFFER_OTHER] = count * sizeof(int);
	switch (job->request.operation)
	{
		case ENGINE_SCAN:
			sizes[BUFFER_OTHER] = count * sizeof(long long);
			return lab->scan_scratch(count, sizeof(long long), scratch);
		case ENGINE_COMPACT:
			return lab->compact_scratch(lab, count, scratch);
		case ENGINE_SORT:
			return lab->sort_scratch(lab, count, scratch);
	}
	return ENGINE_OK;
}

/* Queues the work. */
EngineStatus
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

	job->result = other;
	switch (job->request.operation)
	{
		case ENGINE_SCAN:
			return lab->scan(stream, gathered, (long long *) other, count,
							 job->request.exclusive, scratch);
		case ENGINE_COMPACT:
			return lab->compact(lab, stream, gathered, (int *) other, count,
								session->survivors, scratch);
		case ENGINE_SORT:
			TRY(lab->sort(lab, stream, gathered, (int *) other, count,
						  sort_flip(job), scratch, &sorted));
			job->result = sorted;
			break;
	}
	return ENGINE_OK;
}

/* Notes how long the result is. */
void
lab_finish(EngineJob *job)
{
	int64_t		count = job->request.count;

	if (job->request.operation == ENGINE_COMPACT)
		count = *job->session->survivors;
	job->result_bytes = count * (job->request.operation == ENGINE_SCAN ?
								 sizeof(long long) : sizeof(int));
}
