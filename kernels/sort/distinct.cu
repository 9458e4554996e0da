/*
 * distinct.cu
 *	  The distinct elements: a sort, and the heads of the runs of sorted keys.
 */
#include "kernels/common/kernels.h"
#include "kernels/sort/sort.h"

static cudaError_t
distinct_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	TRY(cuda_sort.sizes(request, sizes));
	if (request->outputs[1].memory)
		sizes->out[1] = request->count * sizeof(int);
	return cudaSuccess;
}

/*
 * find_runs moves the heads from the buffer that has the sorted keys to the
 * other one.  So they are in place if the sorted keys are not.
 */
static cudaError_t
distinct_whole(const DeviceWork *work)
{
	Sort		sort = sort_of(work);

	TRY(sort_array(work->stream, &sort));
	TRY(find_runs(work->stream, work->ahead, sort.kind, work->in[0],
				  work->out[0], (int *) work->out[1], work->count,
				  sort_selector(&sort), work->results));
	return cudaMemcpyAsync(&work->report->in_place, sort_selector(&sort),
						   sizeof(int), cudaMemcpyDeviceToHost, work->stream);
}

const DeviceOperation cuda_distinct = {
	.gathers = true,
	.counts = true,
	.sizes = distinct_sizes,
	.whole = distinct_whole
};
