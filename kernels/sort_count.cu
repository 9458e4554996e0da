/*
 * sort_count.cu
 *	  The first part of a sort: the keys of each digit's bins are counted, and
 *	  the counts make the plan.
 */
#include "sort.h"

#define COUNT_THREADS	1024
#define COUNT_BLOCKS	264		/* at most */
#define COUNT_VECTORS	4		/* that a thread has to count, at least */

typedef EngineStatus (*CountKeys) (cudaStream_t stream, const Sort *sort,
								   const void *keys, int64_t count);
typedef EngineStatus (*PlanPasses) (cudaStream_t stream, const Sort *sort);

/* So many keys as are loaded at once. */
template <typename Key>
struct __align__(16) KeyVector
{
	static const int count = 16 / sizeof(Key);
	Key			keys[count];
};

/*
 * Counts the digits of a warp's keys.  Where no two of them differ in a digit
 * they are counted together, as they would wait for each other.
 */
template <typename Key>
__device__ static inline void
count_warp(unsigned *bins, const KeyVector<Key> &own)
{
	const int	count = KeyVector<Key>::count;
	Key			some = __shfl_sync(ALL_LANES, own.keys[0], 0);
	Key			differing = 0;

	for (int j = 0; j < count; j++)
		differing |= own.keys[j] ^ some;
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		if (__any_sync(ALL_LANES, digit_of(differing, digit) != 0))
		{
			for (int j = 0; j < count; j++)
				atomicAdd(&bins[digit_of(own.keys[j], digit)], 1);
		}
		else if (threadIdx.x % WARP == 0)
			atomicAdd(&bins[digit_of(some, digit)], WARP * count);
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

/* Adds the counts of all digits of the keys to the histogram. */
template <typename Key>
__global__ void __launch_bounds__(COUNT_THREADS)
count_digits(const Key *keys, long long count, KeyOrder order,
			 unsigned *histogram)
{
	const int	all_bins = (int) sizeof(Key) * SORT_BINS;
	__shared__ unsigned bins[all_bins];
	const int	vector_count = KeyVector<Key>::count;
	long long	vectors = count / vector_count;
	long long	stride = (long long) gridDim.x * COUNT_THREADS;
	int			lane = threadIdx.x % WARP;

	for (int i = threadIdx.x; i < all_bins; i += COUNT_THREADS)
		bins[i] = 0;
	__syncthreads();

	for (long long row = (long long) blockIdx.x * COUNT_THREADS +
		 threadIdx.x - lane; row < vectors; row += stride)
	{
		KeyVector<Key> own = {};

		if (row + lane < vectors)
			own = ((const KeyVector<Key> *) keys)[row + lane];
		for (int j = 0; j < vector_count; j++)
			own.keys[j] = ordered(own.keys[j], order);
		if (row + WARP <= vectors)
			count_warp(bins, own);
		else if (row + lane < vectors)
		{
			for (int j = 0; j < vector_count; j++)
				count_key(bins, own.keys[j]);
		}
	}

	/* What does not fill a vector. */
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
 * Makes the plan, and of the counts, each bin's start.  One block, a thread
 * for two bins of each digit.  "move" is to have a pass though no keys differ.
 */
template <typename Key>
__global__ void __launch_bounds__(SORT_BINS / 2)
make_plan(SortPlan *plan, uint2 *starts, unsigned count, bool move)
{
	const int	threads = SORT_BINS / 2;
	__shared__ unsigned warps[threads / WARP];
	int			source = 0;
	int			first = -1;
	int			last = -1;

	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		uint2	   *own = &starts[digit * threads + threadIdx.x];
		uint2		found = *own;
		bool		live = !__syncthreads_or(found.x == count ||
											 found.y == count);
		unsigned	start =
			block_exclusive_scan<threads / WARP>(found.x + found.y, warps);

		if (move && last < 0 && digit == (int) sizeof(Key) - 1)
			live = true;
		*own = make_uint2(start, start + found.x);
		if (threadIdx.x == 0)
			plan->passes[digit] = {live, source, 0, 0};
		source ^= live;
		if (live)
			last = digit;
		if (live && first < 0)
			first = digit;
	}
	if (threadIdx.x == 0)
	{
		plan->in_other = source;
		if (last >= 0)
		{
			plan->passes[first].first = true;
			plan->passes[last].last = true;
		}
	}
}

template <typename Key>
static EngineStatus
count_keys(cudaStream_t stream, const Sort *sort, const void *keys,
		   int64_t count)
{
	int64_t		each = (int64_t) COUNT_THREADS * COUNT_VECTORS *
		KeyVector<Key>::count;
	int64_t		blocks = (count + each - 1) / each;

	if (blocks > COUNT_BLOCKS)
		blocks = COUNT_BLOCKS;
	count_digits<Key><<<(unsigned) blocks, COUNT_THREADS, 0, stream>>>
		((const Key *) keys, (long long) count, sort_order(sort),
		 sort_starts(sort));
	TRY_CUDA(cudaGetLastError());
	return ENGINE_OK;
}

template <typename Key>
static EngineStatus
plan_passes(cudaStream_t stream, const Sort *sort)
{
	make_plan<Key><<<1, SORT_BINS / 2, 0, stream>>>
		((SortPlan *) sort->scratch, (uint2 *) sort_starts(sort),
		 (unsigned) sort->count, sort->payload == PAYLOAD_POSITIONS);
	TRY_CUDA(cudaGetLastError());
	return ENGINE_OK;
}

/* Counts the digits of some of the keys. */
EngineStatus
sort_count_keys(cudaStream_t stream, const Sort *sort, const void *keys,
				int64_t count)
{
	static const CountKeys by_width[] = BY_KEY_WIDTH(count_keys);

	return by_width[key_width(sort)] (stream, sort, keys, count);
}

/* Queues the making of the plan, when all keys are counted. */
EngineStatus
sort_make_plan(cudaStream_t stream, const Sort *sort)
{
	static const PlanPasses by_width[] = BY_KEY_WIDTH(plan_passes);

	return by_width[key_width(sort)] (stream, sort);
}
