/*
 * runs.cu
 *	  The first of each run of equal elements: a compaction in which what
 *	  differs from the element before survives.
 */
#include "compact.h"
#include "device.h"

typedef EngineStatus (*FindRuns) (cudaStream_t stream, LookAhead *ahead,
								  const void *in, void *out, int *starts,
								  int64_t count, long long *found);

/* The choice of what differs from the item before, in this tile or before. */
template <typename T>
struct Differing
{
	__device__ int counted(int found, int past_end) const
	{
		return found;
	}

	__device__ void choose(const RowItems<T> &own, const T *items, int at,
						   long long first, int count, bool *chosen) const
	{
		bool		starts = first + at == 0;
		T			before = starts ? 0 : items[at - 1];

		for (int i = 0; i < ROW_ITEMS; i++)
		{
			chosen[i] = at + i < count &&
				(starts || order_of(own.items[i]) != order_of(before));
			before = own.items[i];
			starts = false;
		}
	}
};

template <typename T>
static EngineStatus
find_runs(cudaStream_t stream, LookAhead *ahead, const void *in, void *out,
		  int *starts, int64_t count, long long *found)
{
	Differing<T> choice;

	return scatter_survivors(stream, ahead, choice, (const T *) in, (T *) out,
							 starts, 0, count, found);
}

/*
 * The first element of each run goes to "out", and its position, from 1 on,
 * to "starts", unless that is NULL; how many runs there are to *found, in
 * memory of the device, or mapped.  "in" and "out" must not overlap.
 */
EngineStatus
runs_array(cudaStream_t stream, LookAhead *ahead, ElementKind kind,
		   const void *in, void *out, int *starts, int64_t count,
		   long long *found)
{
	static const FindRuns by_kind[] = BY_KIND(find_runs);

	return by_kind[kind] (stream, ahead, in, out, starts, count, found);
}

static EngineStatus
runs_sizes(const EngineJob *job, size_t *sizes)
{
	sizes[BUFFER_GATHERED] = job->request.count * job->result_size;
	sizes[BUFFER_OTHER] = sizes[BUFFER_GATHERED];
	if (job->request.starts)
		sizes[BUFFER_SECOND] = job->request.count * sizeof(int);
	return ENGINE_OK;
}

/* Queues the work on the array, all of which has arrived. */
static EngineStatus
runs_start(EngineJob *job)
{
	Session    *session = job->session;
	const DeviceBuffer *buffers = session->buffers;
	int		   *starts = job->request.starts ?
		(int *) buffers[BUFFER_SECOND].memory : NULL;

	return runs_array(session->compute, &session->ahead, job->request.kind,
					  buffers[BUFFER_GATHERED].memory,
					  buffers[BUFFER_OTHER].memory, starts,
					  job->request.count, session->survivors);
}

static EngineStatus
runs_finish(EngineJob *job)
{
	const DeviceBuffer *buffers = job->session->buffers;
	int64_t		found = *job->session->survivors;

	job->results[0].from = buffers[BUFFER_OTHER].memory;
	job->results[0].to = job->request.result;
	job->results[0].bytes = found * job->result_size;
	if (job->request.starts)
	{
		job->results[1].from = buffers[BUFFER_SECOND].memory;
		job->results[1].to = job->request.starts;
		job->results[1].bytes = found * sizeof(int);
	}
	return ENGINE_OK;
}

const DeviceOperation device_runs = {
	true, runs_sizes, NULL, NULL, runs_start, runs_finish
};
