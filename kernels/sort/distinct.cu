/*
 * distinct.cu
 *	  The distinct elements: a sort, and the heads of the runs of sorted keys.
 *	  For a mode, the head of the longest run.
 */
#include "contract/operations/sort.h"
#include "kernels/common/kernels.h"
#include "kernels/common/block.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort.h"

/* A run's length, above the complement of its number. */
typedef unsigned long long RunRank;

/*
 * Returns whether only the longest run is wanted.  The starts of the runs
 * suffice to find it.
 */
static bool
wants_mode(const EngineRequest *request)
{
	return PARAMETERS(request, SortParameters)->longest_run &&
		request->outputs[1].memory != NULL;
}

static cudaError_t
distinct_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	TRY(cuda_sort.sizes(request, sizes));
	if (request->outputs[1].memory)
		sizes->out[1] = request->count * sizeof(int);
	if (wants_mode(request))
		sizes->scratch += sizeof(RunRank);
	return cudaSuccess;
}

/*
 * Moves the head of the first of the longest runs to the front, as if it were
 * the only one.  The heads are where the sorted keys are not.  *longest is 0
 * at first.
 */
template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
keep_longest_run(T *first, T *second, const int *selector, const int *starts,
				 long long count, RunRank *longest, GridState *grid,
				 long long *found)
{
	__shared__ long long runs;
	RunRank		rank = 0;

	if (threadIdx.x == 0)
		runs = *found;
	__syncthreads();
	for (long long i = (long long) blockIdx.x * ELEMENT_THREADS + threadIdx.x;
		 i < runs; i += gridDim.x * ELEMENT_THREADS)
	{
		long long	end = i + 1 < runs ? starts[i + 1] : count + 1;

		rank = max(rank, (RunRank) (end - starts[i]) << 32 | ~(unsigned) i);
	}
	rank = warp_max(rank);
	if (threadIdx.x % WARP == 0)
		atomicMax(longest, rank);
	if (is_last_block(&grid->done) && threadIdx.x == 0)
	{
		T		   *heads = *selector ? first : second;

		heads[0] = heads[~(unsigned) *(volatile RunRank *) longest];
		*found = 1;
	}
}

/*
 * The rank of the longest run is behind the memory of the sort, whose size is a
 * multiple of 8 bytes.
 */
template <typename T>
static cudaError_t
find_mode(const DeviceWork *work, const Sort *sort)
{
	RunRank    *longest = (RunRank *)
		((char *) sort->scratch + sort_scratch_bytes(sort));
	int64_t		blocks = count_blocks(count_tiles(work->count, ELEMENT_THREADS),
									  MODE_BLOCKS_PER_SM);

	TRY(cudaMemsetAsync(longest, 0, sizeof(*longest), work->stream));
	return launch_kernel(work->stream, keep_longest_run<T>, blocks,
						 ELEMENT_THREADS, 0, (T *) work->in[0],
						 (T *) work->out[0], sort_selector(sort),
						 (const int *) work->out[1], work->count, longest,
						 work->grid, work->results);
}

/*
 * find_runs moves the heads from the buffer that has the sorted keys to the
 * other one.  So they are in place if the sorted keys are not.
 */
template <typename T>
static cudaError_t
distinct_of(const DeviceWork *work)
{
	Sort		sort = sort_of(work);

	TRY(sort_array(work->stream, &sort));
	TRY(find_runs(work, sort_selector(&sort)));
	if (wants_mode(work->request))
		TRY(find_mode<T>(work, &sort));
	return cudaMemcpyAsync(&work->report->in_place, sort_selector(&sort),
						   sizeof(int), cudaMemcpyDeviceToHost, work->stream);
}

const DeviceOperation cuda_distinct = {
	.sizes = distinct_sizes,
	.traits = TRAIT_CHANGES,
	.run = RUN_BY(RETURN_BY_SIZE, distinct_of)
};
