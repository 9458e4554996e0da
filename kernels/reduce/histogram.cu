/*
 * histogram.cu
 *	  The bucket of each element among thresholds, and how many elements are in
 *	  each bucket.
 *
 * The thresholds are in shared memory if they fit there, and are searched by
 * way of cells, or by computing the nearest one (cells.h).
 * The counters of a block are in shared memory, too, if they fit there: in
 * several copies if there is room, so that the warps are not in each other's
 * way.  In global memory, the lanes of a warp whose elements are in the same
 * bucket count together.
 */
#include "kernels/common/cells.h"

template <typename Thresholds, typename T>
__device__ static inline int
bucket_among(const Thresholds &thresholds, T item)
{
	bool		ignored;

	return thresholds.bucket_of(item, &ignored);
}

/*
 * Counts in shared memory if there are FEW counters, in several copies; else in
 * global memory.
 */
template <bool FEW, typename T>
__global__ void __launch_bounds__(CELLS_THREADS)
count_buckets(const T *in, long long count, Cells<T> cells, CellMemory memory,
			  int copies, unsigned *counts)
{
	extern __shared__ __align__(16) char histogram_memory[];
	int			counters = cells.nthresholds + 1;
	unsigned   *all = (unsigned *) (histogram_memory +
									cell_memory_bytes<T>(memory));
	int			lane = threadIdx.x % WARP;

	for (int i = threadIdx.x; i < copies * counters; i += CELLS_THREADS)
		all[i] = 0;
	__syncthreads();
	with_thresholds(cells, memory, histogram_memory,
					[=] (const auto &thresholds) {
		if constexpr (FEW)
		{
			unsigned   *own = all + threadIdx.x / WARP % copies * counters;

			for_each_vector(in, count, [=] (const Vector<T> &vector, int number,
											long long) {
#pragma unroll
				for (int i = 0; i < Vector<T>::count; i++)
				{
					if (i < number)
						atomicAdd(&own[bucket_among(thresholds,
													vector.items[i])], 1u);
				}
			});
		}
		else
		{
			long long	stride = (long long) gridDim.x * CELLS_THREADS;
			long long	i = (long long) blockIdx.x * CELLS_THREADS +
				threadIdx.x;

			for (; i - lane < count; i += stride)
			{
				unsigned	active = __ballot_sync(ALL_LANES, i < count);

				if (i < count)
				{
					int			bucket = bucket_among(thresholds, in[i]);
					unsigned	same = __match_any_sync(active, bucket);

					if (lane == __ffs(same) - 1)
						atomicAdd(&counts[bucket], (unsigned) __popc(same));
				}
			}
		}
	});
	if (!FEW)
		return;
	__syncthreads();
	for (int i = threadIdx.x; i < counters; i += CELLS_THREADS)
	{
		unsigned	sum = 0;

		for (int copy = 0; copy < copies; copy++)
			sum += all[copy * counters + i];
		if (sum > 0)
			atomicAdd(&counts[i], sum);
	}
}

template <typename T>
static cudaError_t
bucket_of(const DeviceWork *work)
{
	return launch_look_up(work, cells_of<T>(work), (int *) work->out[0],
						  false);
}

/*
 * The counters come behind the cells, if there is room for a counter of each
 * bucket.
 */
template <typename T>
static cudaError_t
histogram_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	int64_t		counter_bytes = request->summary_bytes;
	CellMemory	memory = divide_cell_memory<T>(request->table_bytes,
											   SHARED_BYTES -
											   counter_bytes);
	int64_t		copies = (SHARED_BYTES - cell_memory_bytes<T>(memory)) /
		counter_bytes;

	if (copies > CELLS_THREADS / WARP)
		copies = CELLS_THREADS / WARP;
	if (memory.thresholds < request->table_bytes)
		copies = 0;
	if (copies == 0)
		memory = divide_cell_memory<T>(request->table_bytes, SHARED_BYTES);
	return launch_kernel(work->stream, copies > 0 ? count_buckets<true, T> :
						 count_buckets<false, T>,
						 cells_blocks<T>(work->count), CELLS_THREADS,
						 cell_memory_bytes<T>(memory) + copies * counter_bytes,
						 (const T *) work->in[0], work->count,
						 cells_of<T>(work), memory, copies,
						 (unsigned *) work->summary);
}

const DeviceOperation cuda_bucket = {
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = RUN_BY(RETURN_BY_KIND, bucket_of)
};

const DeviceOperation cuda_histogram = {
	.traits = TRAIT_DIRECT | TRAIT_ALONE,
	.run = RUN_BY(RETURN_BY_KIND, histogram_of)
};
