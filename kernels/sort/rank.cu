/*
 * rank.cu
 *	  The ranks of elements: a sort of their positions, and a scan of the places
 *	  where one of the sorted keys differs from the one before it.
 */
#include "contract/operations/sort.h"
#include "kernels/common/kernels.h"
#include "kernels/common/number.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort.h"

/*
 * The two buffers of the sort's payloads.  One has the positions in the end.
 */
typedef struct RankBuffers
{
	int		   *buffers[2];
	const int  *selector;		/* which one */
} RankBuffers;

/* Memory behind the memory of the sort. */
typedef struct RankMemory
{
	void	   *keys;			/* as they are before the sort */
	int		   *heads;			/* 1 where a run of equal keys begins; then the
								 * rank of each run */
	int		   *dense;			/* dense ranks in sorted order */
	size_t		bytes;			/* of all, and of the sort's memory */
} RankMemory;

__device__ static inline long long
own_place()
{
	return (long long) blockIdx.x * ELEMENT_THREADS + threadIdx.x;
}

/* Marks the places in sorted order where runs of equal keys begin. */
template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
mark_heads(const T *keys, RankBuffers sorted, int *heads, long long count)
{
	const int  *positions = sorted.buffers[*sorted.selector];
	long long	i = own_place();

	if (i < count)
		heads[i] = i == 0 || order_of(keys[positions[i] - 1]) !=
			order_of(keys[positions[i - 1] - 1]);
}

/*
 * Finds the rank of each run by the places where it begins and ends.  RANK_SUM
 * adds both.  The ranks are zeros before.
 */
__global__ void __launch_bounds__(ELEMENT_THREADS)
find_tied_ranks(const int *dense, int *ranks, RankMethod method,
				long long count)
{
	long long	i = own_place();

	if (i >= count)
		return;
	if (method != RANK_MAX && (i == 0 || dense[i] != dense[i - 1]))
		atomicAdd(&ranks[dense[i] - 1], (int) i + 1);
	if (method != RANK_MIN && (i == count - 1 || dense[i] != dense[i + 1]))
		atomicAdd(&ranks[dense[i] - 1], (int) i + 1);
}

/*
 * Writes the ranks to the positions, in the other buffer.  If there are ranks
 * of runs, these are the ranks; otherwise those in sorted order; and if there
 * are none either, the places there.
 */
template <typename Rank>
__global__ void __launch_bounds__(ELEMENT_THREADS)
scatter_ranks(RankBuffers sorted, const int *in_order, const int *of_runs,
			  long long count)
{
	const int  *positions = sorted.buffers[*sorted.selector];
	Rank	   *ranks = (Rank *) sorted.buffers[1 - *sorted.selector];
	long long	i = own_place();
	int			rank;

	if (i >= count)
		return;
	rank = in_order ? in_order[i] : (int) i + 1;
	ranks[positions[i] - 1] = (Rank) (of_runs ? of_runs[rank - 1] : rank);
}

/* Divides the scratch memory, which may be NULL. */
static RankMemory
rank_memory(const Sort *sort, RankMethod method)
{
	char	   *base = (char *) sort->scratch;
	size_t		ints = aligned(sort->count * sizeof(int));
	RankMemory	memory = {};

	memory.bytes = aligned(sort_scratch_bytes(sort));
	if (method == RANK_FIRST)
		return memory;
	memory.keys = base + memory.bytes;
	memory.bytes += aligned(sort->count * kind_size(sort->kind));
	memory.heads = (int *) (base + memory.bytes);
	memory.bytes += ints;
	if (method == RANK_HEADS)
		return memory;
	memory.dense = (int *) (base + memory.bytes);
	memory.bytes += ints;
	return memory;
}

static RankMethod
method_of(const EngineRequest *request)
{
	return PARAMETERS(request, SortParameters)->method;
}

static cudaError_t
rank_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	DeviceWork	work = {.request = request};
	Sort		sort = sort_of(&work);

	TRY(cuda_sort.sizes(request, sizes));
	sizes->scratch = rank_memory(&sort, method_of(request)).bytes;
	return cudaSuccess;
}

/*
 * Queues the sort, which writes no keys, and then the ranks.  These are in
 * place, that is, in the buffer of the input, if the sorted positions are not.
 */
template <typename T>
static cudaError_t
rank_of(const DeviceWork *work)
{
	cudaStream_t stream = work->stream;
	Sort		sort = sort_of(work);
	RankMethod	method = method_of(work->request);
	RankMemory	memory = rank_memory(&sort, method);
	bool		tied = method != RANK_DENSE && method != RANK_FIRST;
	RankBuffers sorted = {
		{(int *) sort.payloads[0], (int *) sort.payloads[1]},
		sort_selector(&sort)
	};
	int64_t		blocks = count_tiles(work->count, ELEMENT_THREADS);

	if (memory.keys)
		TRY(cudaMemcpyAsync(memory.keys, work->in[0], work->count * sizeof(T),
							cudaMemcpyDeviceToDevice, stream));
	TRY(sort_array(stream, &sort));
	if (memory.heads)
		TRY(launch_kernel(stream, mark_heads<T>, blocks, ELEMENT_THREADS, 0,
						  (const T *) memory.keys, sorted, memory.heads,
						  work->count));
	if (memory.dense)
		TRY(scan_add(work, KIND_INT4, KIND_INT4, memory.heads, memory.dense,
					 work->count));
	if (memory.dense && tied)
	{
		TRY(cudaMemsetAsync(memory.heads, 0, work->count * sizeof(int),
							stream));
		TRY(launch_kernel(stream, find_tied_ranks, blocks, ELEMENT_THREADS, 0,
						  memory.dense, memory.heads, method, work->count));
	}
	if (method == RANK_HEADS)
		TRY(launch_kernel(stream, scatter_ranks<uint8_t>, blocks,
						  ELEMENT_THREADS, 0, sorted, memory.heads,
						  (const int *) NULL, work->count));
	else
		TRY(launch_kernel(stream, scatter_ranks<int>, blocks, ELEMENT_THREADS,
						  0, sorted, memory.dense, tied ? memory.heads : NULL,
						  work->count));
	return cudaMemcpyAsync(&work->report->in_place, sort_selector(&sort),
						   sizeof(int), cudaMemcpyDeviceToHost, stream);
}

const DeviceOperation cuda_rank = {
	.sizes = rank_sizes,
	.traits = TRAIT_CHANGES,
	.run = RUN_BY(RETURN_BY_KIND, rank_of)
};
