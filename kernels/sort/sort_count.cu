/*
 * sort_count.cu
 *	  The second part of a sort: the histograms of the digits, and the plan,
 *	  which says which of them take a pass.
 */
#include "kernels/common/block.h"
#include "kernels/common/launch.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort.h"

static_assert(COUNT_THREADS >= SORT_BINS / 2, "a thread for two bins");

/* The counts of a thread block, in shared memory. */
template <typename Key>
struct DigitCounts
{
	unsigned	bins[sizeof(Key)][SORT_BINS];
	unsigned	below_base;		/* keys */

	/*
	 * Counts the digits of a warp's distances from the base, from the lowest
	 * digit on that takes a pass.  If all of them have the same digit, they are
	 * counted together, because their atomic operations would wait for each
	 * other.
	 */
	__device__ void count_warp(int lowest, const Vector<Key> &own)
	{
		const int	count = Vector<Key>::count;
		Key			first = __shfl_sync(ALL_LANES, own.items[0], 0);
		Key			differing = 0;

		for (int j = 0; j < count; j++)
			differing |= own.items[j] ^ first;
		for (int digit = 0; digit < (int) sizeof(Key); digit++)
		{
			if (digit < lowest)
				continue;
			if (__any_sync(ALL_LANES, digit_of(differing, digit) != 0))
			{
				for (int j = 0; j < count; j++)
					atomicAdd(&bins[digit][digit_of(own.items[j], digit)], 1);
			}
			else if (threadIdx.x % WARP == 0)
				atomicAdd(&bins[digit][digit_of(first, digit)], WARP * count);
		}
	}

	__device__ void count_distance(int lowest, Key distance)
	{
		for (int digit = lowest; digit < (int) sizeof(Key); digit++)
			atomicAdd(&bins[digit][digit_of(distance, digit)], 1);
	}

	__device__ void count_keys(const Key *keys, long long count,
							   KeyOrder order, const SortPlan *plan)
	{
		Key			base = (Key) plan->base;
		int			lowest = plan->lowest;
		const int	vector_count = Vector<Key>::count;
		long long	vectors = (count + vector_count - 1) / vector_count;
		long long	stride = (long long) gridDim.x * COUNT_THREADS;
		int			lane = threadIdx.x % WARP;
		unsigned	below = 0;

		for (long long row = (long long) blockIdx.x * COUNT_THREADS +
			 threadIdx.x - lane; row < vectors; row += stride)
		{
			long long	at = (row + lane) * vector_count;
			int			number = (int) min((long long) vector_count,
										   max(0ll, count - at));
			Vector<Key> own = load_vector(keys, at, number);

			for (int j = 0; j < vector_count; j++)
			{
				Key			key = ordered(own.items[j], order);

				below += j < number && key < base;
				own.items[j] = key - base;
			}
			if ((row + WARP) * vector_count <= count)
				count_warp(lowest, own);
			else
			{
				for (int j = 0; j < number; j++)
					count_distance(lowest, own.items[j]);
			}
		}
		below = warp_sum(below);
		if (lane == 0 && below > 0)
			atomicAdd(&below_base, below);
	}
};

/*
 * Plans a pass for each digit of "live", a set of bits; and then the sort of
 * the groups that share the digits from plan->lowest on, unless that is 0.
 */
__device__ static inline void
plan_passes(SortPlan *plan, unsigned live, int digits)
{
	bool		groups = plan->lowest > 0;
	SortPass	source = 0;
	int			first = __ffs(live) - 1;
	int			top = 31 - __clz(live);

	for (int digit = 0; digit < digits; digit++)
	{
		bool		is_live = live >> digit & 1;

		plan->passes[digit] = source | (is_live ? PASS_LIVE : 0) |
			(digit == first ? PASS_FIRST : 0) |
			(digit == top ? PASS_TOP : 0) |
			(digit == top && !groups ? PASS_LAST : 0);
		source ^= is_live ? PASS_SOURCE : 0;
	}
	plan->local = source | (groups ? PASS_LIVE : 0);
	source ^= groups ? PASS_SOURCE : 0;
	plan->selector = source != 0;
	plan->in_first = source == 0;
}

/*
 * Turns the histograms into each bin's start.  Returns the set of digits in
 * which all keys are equal, as bits.  The first threads have two bins of each
 * digit.
 */
template <typename Key>
__device__ static inline unsigned
make_starts(uint2 *starts, long long count)
{
	const int	threads = SORT_BINS / 2;
	const int	digits = (int) sizeof(Key);
	__shared__ unsigned warps[COUNT_THREADS / WARP];
	__shared__ unsigned single;
	bool		has_bins = threadIdx.x < threads;
	uint2		found[digits];

	if (threadIdx.x == 0)
		single = 0;
#pragma unroll
	for (int digit = 0; digit < digits; digit++)
		found[digit] = has_bins ? __ldcg(&starts[digit * threads + threadIdx.x])
			: make_uint2(0, 0);
	__syncthreads();
#pragma unroll
	for (int digit = 0; digit < digits; digit++)
	{
		unsigned	own = found[digit].x;
		unsigned	start = block_exclusive_scan<threads / WARP>(
			own + found[digit].y, warps);

		if (own == count || found[digit].y == count)
			atomicOr(&single, 1u << digit);
		if (has_bins)
			starts[digit * threads + threadIdx.x] =
				make_uint2(start, start + own);
		__syncthreads();
	}
	return single;
}

/*
 * Makes the plan.  For one thread block.  If "move", there is a pass even if no
 * keys differ.
 */
template <typename Key>
__device__ static inline void
make_plan(SortPlan *plan, uint2 *starts, long long count, bool move)
{
	const int	digits = (int) sizeof(Key);
	unsigned	live = ~make_starts<Key>(starts, count);

	live &= ((1u << digits) - 1) & ~0u << plan->lowest;
	if (move && live == 0)
		live = 1u << (digits - 1);
	if (threadIdx.x == 0)
		plan_passes(plan, live, digits);
}

/* Counts the digits.  The last block makes the plan. */
template <typename Key>
__global__ void
__launch_bounds__(COUNT_THREADS,
				  resident_blocks(COUNT_BLOCKS_PER_SM, COUNT_THREADS))
count_digits(const Key *keys, long long count, KeyOrder order,
			 SortPlan *plan, unsigned *histogram, bool move)
{
	const int	all_bins = (int) sizeof(Key) * SORT_BINS;
	__shared__ DigitCounts<Key> counts;

	for (int i = threadIdx.x; i < all_bins; i += COUNT_THREADS)
		counts.bins[0][i] = 0;
	if (threadIdx.x == 0)
		counts.below_base = 0;
	wait_for_preceding();
	let_next_start();
	__syncthreads();
	counts.count_keys(keys, count, order, plan);
	__syncthreads();
	for (int i = threadIdx.x; i < all_bins; i += COUNT_THREADS)
	{
		if (counts.bins[0][i] > 0)
			atomicAdd(&histogram[i], counts.bins[0][i]);
	}
	if (threadIdx.x == 0 && counts.below_base > 0)
		atomicAdd(&plan->below_base, counts.below_base);
	if (is_last_block(&plan->counted))
		make_plan<Key>(plan, (uint2 *) histogram, count, move);
}

template <typename Key>
static cudaError_t
count_by_key(cudaStream_t stream, const Sort *sort)
{
	int64_t		blocks = count_vector_blocks<Key>
		(sort->count, COUNT_THREADS * COUNT_VECTORS, COUNT_BLOCKS_PER_SM);

	return launch_dependent(stream, count_digits<Key>, blocks,
							COUNT_THREADS, 0, (const Key *) sort->keys[0],
							(long long) sort->count, sort_order(sort),
							(SortPlan *) sort->scratch, sort_starts(sort),
							sort->positions);
}

cudaError_t
sort_count(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_SIZE(sort->kind, count_by_key, stream, sort);
}
