/*
 * sort_count.cu
 *	  The first part of a sort: the histograms of all digits, and the plan of
 *	  the passes.
 */
#include "sort.h"
#include "vector.h"

/*
 * Counts the digits of a warp's keys.  If all of them have the same digit,
 * they are counted together, because their atomic operations would be
 * serialized.
 */
template <typename Key>
__device__ static inline void
count_warp(unsigned *bins, const Vector<Key> &own)
{
	const int	count = Vector<Key>::count;
	Key			first = __shfl_sync(ALL_LANES, own.items[0], 0);
	Key			differing = 0;

	for (int j = 0; j < count; j++)
		differing |= own.items[j] ^ first;
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		if (__any_sync(ALL_LANES, digit_of(differing, digit) != 0))
		{
			for (int j = 0; j < count; j++)
				atomicAdd(&bins[digit_of(own.items[j], digit)], 1);
		}
		else if (threadIdx.x % WARP == 0)
			atomicAdd(&bins[digit_of(first, digit)], WARP * count);
		bins += SORT_BINS;
	}
}

template <typename Key>
__device__ static inline void
count_key(unsigned *bins, Key key)
{
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
		atomicAdd(&bins[digit * SORT_BINS + digit_of(key, digit)], 1);
}

/* Adds the digits of the keys to the histograms of all digits. */
template <typename Key>
__global__ void __launch_bounds__(COUNT_THREADS)
count_digits(const Key *keys, long long count, KeyOrder order,
			 unsigned *histogram)
{
	const int	all_bins = (int) sizeof(Key) * SORT_BINS;
	__shared__ unsigned bins[all_bins];
	const int	vector_count = Vector<Key>::count;
	long long	vectors = count / vector_count;
	long long	stride = (long long) gridDim.x * COUNT_THREADS;
	int			lane = threadIdx.x % WARP;

	let_next_start();
	for (int i = threadIdx.x; i < all_bins; i += COUNT_THREADS)
		bins[i] = 0;
	wait_for_preceding();
	__syncthreads();

	for (long long row = (long long) blockIdx.x * COUNT_THREADS +
		 threadIdx.x - lane; row < vectors; row += stride)
	{
		Vector<Key> own = {};

		if (row + lane < vectors)
			own = ((const Vector<Key> *) keys)[row + lane];
		for (int j = 0; j < vector_count; j++)
			own.items[j] = ordered(own.items[j], order);
		if (row + WARP <= vectors)
			count_warp(bins, own);
		else if (row + lane < vectors)
		{
			for (int j = 0; j < vector_count; j++)
				count_key(bins, own.items[j]);
		}
	}

	/* The keys that do not fill a vector. */
	for (long long i = vectors * vector_count + threadIdx.x;
		 i < count && blockIdx.x == 0; i += COUNT_THREADS)
		count_key(bins, ordered(keys[i], order));

	__syncthreads();
	for (int i = threadIdx.x; i < all_bins; i += COUNT_THREADS)
	{
		if (bins[i] > 0)
			atomicAdd(&histogram[i], bins[i]);
	}
}

/*
 * Makes the plan, and turns the histograms into each bin's start.  For one
 * thread block, in which a thread has two bins of each digit.  If "move",
 * there is a pass even if no keys differ.
 */
template <typename Key>
__global__ void __launch_bounds__(SORT_BINS / 2)
make_plan(SortPlan *plan, uint2 *starts, unsigned count, bool move)
{
	const int	threads = SORT_BINS / 2;
	const int	digits = (int) sizeof(Key);
	__shared__ unsigned warps[threads / WARP];
	uint2		found[digits];
	int			source = 0;
	int			first = -1;
	int			last = -1;

	let_next_start();
	wait_for_preceding();
#pragma unroll
	for (int digit = 0; digit < digits; digit++)
		found[digit] = starts[digit * threads + threadIdx.x];
#pragma unroll
	for (int digit = 0; digit < digits; digit++)
	{
		unsigned	own = found[digit].x;
		bool		live = !__syncthreads_or(own == count ||
											 found[digit].y == count);
		unsigned	start = block_exclusive_scan<threads / WARP>(
			own + found[digit].y, warps);

		if (move && last < 0 && digit == digits - 1)
			live = true;
		starts[digit * threads + threadIdx.x] =
			make_uint2(start, start + own);
		if (threadIdx.x == 0)
			plan->passes[digit] = (live ? PASS_LIVE : 0) |
				(source ? PASS_SOURCE : 0);
		source ^= live;
		if (live)
			last = digit;
		if (live && first < 0)
			first = digit;
	}
	if (threadIdx.x == 0)
	{
		plan->in_other = source;
		plan->in_first = !source;
		if (last >= 0)
		{
			plan->passes[first] |= PASS_FIRST;
			plan->passes[last] |= PASS_LAST;
		}
	}
}

template <typename Key>
static cudaError_t
count_keys(cudaStream_t stream, const Sort *sort, const void *keys,
		   int64_t count)
{
	unsigned	blocks = count_vector_blocks<Key>
		(count, COUNT_THREADS * COUNT_VECTORS, COUNT_BLOCKS);

	return launch_dependent(stream, count_digits<Key>, blocks,
							COUNT_THREADS, 0, (const Key *) keys,
							(long long) count, sort_order(sort),
							sort_starts(sort));
}

template <typename Key>
static cudaError_t
plan_passes(cudaStream_t stream, const Sort *sort)
{
	return launch_dependent(stream, make_plan<Key>, 1, SORT_BINS / 2, 0,
							(SortPlan *) sort->scratch,
							(uint2 *) sort_starts(sort),
							(unsigned) sort->count, sort->positions);
}

/* Queues the histograms of some of the keys, if the passes need them. */
cudaError_t
sort_count_keys(cudaStream_t stream, const Sort *sort, const void *keys,
				int64_t count)
{
	if (sort_fits_cluster(sort))
		return cudaSuccess;
	RETURN_BY_SIZE(sort->kind, count_keys, stream, sort, keys, count);
}

/* Queues the making of the plan, after all keys are counted. */
cudaError_t
sort_make_plan(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_SIZE(sort->kind, plan_passes, stream, sort);
}
