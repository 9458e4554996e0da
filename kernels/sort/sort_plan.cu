/*
 * sort_plan.cu
 *	  The beginning of Onesweep: what a sample says about the keys; and the
 *	  histograms of the digits, and the plan, which says which of them take a
 *	  pass.
 *
 * A pass is needed for each digit in which any two keys differ.  Two things
 * save passes, and a sample shows whether they apply:
 *
 * - The keys are in a range that needs fewer digits than the keys have, such as
 *   integers around zero.  Then the digits are those of the keys' distances
 *   from a base.
 * - A few of the highest digits divide the keys into small groups.  Then passes
 *   over these digits are enough, and sort_local.cu sorts the groups.  If the
 *   sample has keys of many groups, the groups are small.
 *
 * The sort is right whatever the sample says.
 */
#include <climits>
#include <cmath>
#include <random>

#include "kernels/common/block.h"
#include "kernels/common/sample.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort_part.h"

typedef struct SampleOptions
{
	int			rows;			/* keys of each thread */
	int			seed;
	KeyOrder	order;
	unsigned	groups;			/* the fewest that are small enough */
	unsigned	sampled_groups; /* of so many the sample has keys then */
	unsigned	sampled_keys;	/* different ones, if few keys are equal */
} SampleOptions;

struct __align__(16) SampleMemory
{
	unsigned	slots[2 * SAMPLE_ROWS * SAMPLE_THREADS];	/* hash and count */
	unsigned	different;		/* hashes */
	unsigned	most;			/* keys of one hash */
	unsigned	bins[SORT_BINS];	/* keys, by the digit below groups */
};

/* The digits in which the sample's distances from a base differ. */
template <typename Key>
struct SampleDigits
{
	Key			base;
	int			count;			/* the highest one is below that */
};

/*
 * Chooses the base from which distances need the fewest digits.  The sample is
 * in the middle of the distances that need as many, and in the middle of those
 * that need a digit more, because other keys may be less or greater.  The base
 * is a multiple of the highest digit's unit, so that no group has keys both
 * below the base and far above it.
 */
template <typename Key>
__device__ static inline SampleDigits<Key>
choose_digits(SortRange<Key> range)
{
	int			count = range.distance_digits();
	Key			middle = range.least + (range.greatest - range.least) / 2;
	Key			unit;
	Key			half;

	/* No digits: all keys of the sample are equal, but the first key is not. */
	if (count == 0 || !range.saves_digits())
		return {0, digit_count(range.differing)};
	unit = (Key) 1 << ((count - 1) * SORT_BITS);
	half = unit * (SORT_BINS / 2);
	return {(Key) ((middle - half - half * SORT_BINS) & -unit), count};
}

/* Clears vectors of 16 bytes, by "blocks" thread blocks. */
__device__ static inline void
clear_vectors(void *memory, long long vectors, unsigned block, unsigned blocks)
{
	for (long long i = block * (long long) SAMPLE_THREADS + threadIdx.x;
		 i < vectors; i += blocks * SAMPLE_THREADS)
		((uint4 *) memory)[i] = make_uint4(0, 0, 0, 0);
}

/*
 * Adds a number to a hash table with open addressing, whose slots are a power
 * of two.  Returns how often the table has the number now.
 */
__device__ static inline unsigned
add_hash(unsigned *table, unsigned slots, unsigned long long number)
{
	const unsigned times = 4 * SAMPLE_ROWS * SAMPLE_THREADS - 1;
	unsigned	hash = (unsigned) (number * 0x9E3779B97F4A7C15ull >> 32);
	unsigned	slot = hash & (slots - 1);
	unsigned	seen;

	while ((seen = atomicCAS(&table[slot], 0, (hash & ~times) | 1)) != 0)
	{
		if (((seen ^ hash) & ~times) == 0)
			return (atomicAdd(&table[slot], 1) & times) + 1;
		slot = (slot + 1) & (slots - 1);
	}
	return 1;
}

/* How many groups have keys in the sample, and the most keys of one group. */
typedef struct SampledGroups
{
	unsigned	groups;
	unsigned	most;
} SampledGroups;

/* A thread's part in the look at the sample, in the phases of begin_plan(). */
template <typename Key>
struct SampleAgent
{
	const SampleOptions &options;
	SampleMemory *memory;
	Key			keys[SAMPLE_ROWS];	/* then their distances from the base */

	__device__ void clear_counts()
	{
		clear_vectors(memory->slots, 2 * options.rows * SAMPLE_THREADS *
					  sizeof(unsigned) / sizeof(uint4), 0, 1);
		if (threadIdx.x < SORT_BINS)
			memory->bins[threadIdx.x] = 0;
		if (threadIdx.x == 0)
			memory->different = memory->most = 0;
	}

	/*
	 * Counts the groups of keys of the sample that are equal except for their
	 * lowest bits.  The memory is cleared before and after.
	 */
	__device__ SampledGroups count_groups(int bits)
	{
		unsigned	slots = 2 * options.rows * SAMPLE_THREADS;
		unsigned	added = 0;
		unsigned	most = 0;
		SampledGroups counts;

#pragma unroll
		for (int j = 0; j < SAMPLE_ROWS; j++)
		{
			if (j < options.rows)
			{
				unsigned	times = add_hash(memory->slots, slots,
											 keys[j] >> bits);

				added += times == 1;
				most = max(most, times);
			}
		}
		added = warp_sum(added);
		most = warp_max(most);
		if (threadIdx.x % WARP == 0)
		{
			atomicAdd(&memory->different, added);
			atomicMax(&memory->most, most);
		}
		__syncthreads();
		counts = {memory->different, memory->most};
		__syncthreads();
		clear_counts();
		__syncthreads();
		return counts;
	}

	/*
	 * Returns the lowest digit that needs a pass if groups are small then, and
	 * do not have many equal keys; or 0.
	 */
	__device__ int find_groups(int highest)
	{
		for (int digits = 1; digits <= MOST_GROUP_DIGITS &&
			 highest - digits >= 1; digits++)
		{
			int			lowest = highest + 1 - digits;
			SampledGroups sampled;

			if (1ull << digits * SORT_BITS < options.groups)
				continue;
			sampled = count_groups(lowest * SORT_BITS);
			if (sampled.groups >= options.sampled_groups &&
				sampled.most <= SAMPLE_MAX_IN_GROUP)
				return count_groups(0).groups >= options.sampled_keys ?
					lowest : 0;
		}
		return 0;
	}

	/*
	 * Returns whether to sort groups of keys that share the digits from
	 * "lowest" on: if that saves more than a pass, and the digit below shows
	 * that the keys are spread evenly.
	 */
	__device__ bool are_worth_it(int lowest, Key differing)
	{
		unsigned	most = options.rows * SAMPLE_THREADS / SAMPLE_CROWDED_PART;
		bool		crowded = false;
		int			live = 0;

		for (int digit = 0; digit < lowest; digit++)
			live += digit_of(differing, digit) != 0;
#pragma unroll
		for (int j = 0; j < SAMPLE_ROWS; j++)
		{
			if (j < options.rows)
				crowded |= atomicAdd(&memory->bins[digit_of(keys[j],
															lowest - 1)],
									 1) >= most;
		}
		return !__syncthreads_or(live < 2 || crowded);
	}

	/* Begins the plan, after the memory was cleared. */
	__device__ void begin_plan(SortPlan *plan, const Key *in, long long count)
	{
		__shared__ SortRange<Key> warps[SAMPLE_THREADS / WARP];
		Key			first = ordered(in[0], options.order);
		SortRange<Key> range;
		SampleDigits<Key> digits;
		int			lowest = 0;

#pragma unroll
		for (int j = 0; j < SAMPLE_ROWS; j++)
		{
			if (j < options.rows)
				keys[j] = in[sample_position(j * SAMPLE_THREADS + threadIdx.x,
											 options.seed, count)];
		}
#pragma unroll
		for (int j = 0; j < SAMPLE_ROWS; j++)
		{
			if (j < options.rows)
			{
				keys[j] = ordered(keys[j], options.order);
				range.merge(range_of_key(keys[j], first));
			}
		}
		range = block_merge<SAMPLE_THREADS>(range, warps);
		digits = choose_digits(range);
		for (int j = 0; j < SAMPLE_ROWS; j++)
			keys[j] -= digits.base;
		if constexpr (sizeof(Key) >= 4)
			lowest = find_groups(digits.count - 1);
		if (lowest > 0 && !are_worth_it(lowest, range.differing))
			lowest = 0;
		if (threadIdx.x == 0)
		{
			*plan = {};
			plan->base = digits.base;
			plan->lowest = lowest;
		}
	}
};

/* The first block begins the plan, and the others clear what is behind it. */
template <typename Key>
__global__ void __launch_bounds__(SAMPLE_THREADS)
sample_keys(SortPlan *plan, long long vectors, const Key *keys,
			long long count, const __grid_constant__ SampleOptions options)
{
	__shared__ SampleMemory memory;
	SampleAgent<Key> agent = {options, &memory};

	let_next_start();
	if (blockIdx.x == 0)
		agent.clear_counts();
	wait_for_preceding();
	if (blockIdx.x == 0)
		agent.begin_plan(plan, keys, count);
	else
		clear_vectors(plan + 1, vectors, blockIdx.x - 1, gridDim.x - 1);
}

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

/*
 * The number of groups that a sample of "sample" keys is expected to hit, if
 * the groups have "size" keys each.
 */
static unsigned
expected_groups(int64_t count, int size, int sample)
{
	double		groups = (double) count / size;

	return (unsigned) (groups * -expm1(-sample / groups));
}

/*
 * Returns a number that nobody can foresee, so that nobody can choose keys
 * that mislead the sample.
 */
int
sort_seed(void)
{
	static thread_local std::minstd_rand generator(std::random_device {} ());

	return (int) generator();
}

template <typename Key>
static cudaError_t
plan_by_key(cudaStream_t stream, const Sort *sort)
{
	int			most = sort_most_in_group(sort);
	int			rows = sort->count > SAMPLE_LARGE_ITEMS ? SAMPLE_ROWS : 1;
	int			size = rows * SAMPLE_THREADS;
	int64_t		vectors = (sort_scratch_bytes(sort) - sizeof(SortPlan)) /
		sizeof(uint4);
	SampleOptions options = {
		.rows = rows,
		.seed = sort_seed(),
		.order = sort_order(sort),
		.groups = most > 0 ? (unsigned) (sort->count / most) : UINT_MAX,
		.sampled_groups = most > 0 ?
			expected_groups(sort->count, most, size) : size + 1,
		.sampled_keys = expected_groups(sort->count, SAMPLE_MAX_EQUAL, size)
	};

	TRY(launch_dependent(stream, sample_keys<Key>,
						 1 + count_vector_blocks<uint4>
						 (vectors, SAMPLE_THREADS, CLEAR_BLOCKS_PER_SM),
						 SAMPLE_THREADS, 0, (SortPlan *) sort->scratch,
						 vectors, (const Key *) sort->keys[0], sort->count,
						 options));
	return launch_dependent(stream, count_digits<Key>,
							count_vector_blocks<Key>
							(sort->count, COUNT_THREADS * COUNT_VECTORS,
							 COUNT_BLOCKS_PER_SM), COUNT_THREADS, 0,
							(const Key *) sort->keys[0], sort->count,
							options.order, (SortPlan *) sort->scratch,
							sort_starts(sort), sort->positions);
}

cudaError_t
sort_plan(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_SIZE(sort->kind, plan_by_key, stream, sort);
}
