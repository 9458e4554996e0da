/*
 * sort_sample.cu
 *	  The first part of a sort: what a sample tells about the keys.
 *
 * A pass is needed for each digit in which any two keys differ.  Two things
 * save passes, and a sample tells whether they apply:
 *
 * - The keys are in a range that needs fewer digits than the keys have, such as
 *   integers around zero.  Then the digits are those of the keys' distances
 *   from a base.
 * - A few of the highest digits divide the keys into small groups.  Then passes
 *   over these digits are enough, and sort_local.cu sorts the groups.  The
 *   number of groups of which the sample has keys tells whether groups are
 *   small.
 *
 * The sort is right whatever the sample says.
 */
#include <cmath>
#include <random>

#include "kernels/common/sample.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort_part.h"

/*
 * SAMPLE_SIZE is the size of the sample.  Up to a mean of SAMPLE_MAX_EQUAL
 * equal keys, groups are sorted by themselves.  Other limits were not compared.
 */
#define SAMPLE_SIZE			1024
#define SAMPLE_MAX_EQUAL	32

/* The most digits that are to divide keys into small groups. */
#define SAMPLE_LEVELS	4

#define SAMPLE_SLOTS	(2 * SAMPLE_SIZE)

/* Thread blocks on a multiprocessor that clear the scratch memory. */
#define CLEAR_BLOCKS_PER_SM	2

/*
 * The fewest groups of which a sample has keys, if groups are small enough; and
 * the fewest different keys of the sample, if few keys are equal.
 */
typedef struct SampleLimits
{
	unsigned	groups;
	unsigned	keys;
} SampleLimits;

/*
 * Groups are not sorted by themselves if more than 1 / SAMPLE_CROWDED_PART of
 * the sample have the same digit below the bits that a group shares: then few
 * are spread evenly.  Other limits were not compared.
 */
#define SAMPLE_CROWDED_PART	32

/* Shared memory: hash tables of the sample's groups, by open addressing. */
struct __align__(16) SampleTables
{
	unsigned	slots[SAMPLE_LEVELS + 1][SAMPLE_SLOTS]; /* hashes, or 0 */
	unsigned	groups[SAMPLE_LEVELS + 1];	/* their number */
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
 * in the middle of the distances that need as many, because other keys may be
 * less or greater.  The base is a multiple of the highest digit's unit, so that
 * no group has keys both below the base and far above it.
 */
template <typename Key>
__device__ static inline SampleDigits<Key>
choose_digits(SortRange<Key> range)
{
	int			count = range.distance_digits();
	Key			middle = range.least + (range.greatest - range.least) / 2;
	Key			unit;

	if (!range.saves_digits())
		return {0, digit_count(range.differing)};
	unit = (Key) 1 << ((count - 1) * SORT_BITS);
	return {(Key) ((middle - unit * (SORT_BINS / 2)) & -unit), count};
}

/*
 * Adds the groups of a sample's keys, one for each thread, that differ in the
 * lowest bits alone.  The groups of each table are counted.
 */
__device__ static inline void
add_groups(SampleTables *tables, int table, unsigned long long key, int bits)
{
	unsigned	hash = (unsigned) ((key >> bits) * 0x9E3779B97F4A7C15ull >> 32);
	unsigned	slot = hash;
	unsigned	seen;
	unsigned	added;

	hash |= 1;					/* not an empty slot's 0 */
	do
	{
		seen = atomicCAS(&tables->slots[table][slot++ % SAMPLE_SLOTS], 0, hash);
	} while (seen != 0 && seen != hash);
	__syncwarp();
	added = __ballot_sync(ALL_LANES, seen == 0);
	if (threadIdx.x % WARP == 0)
		atomicAdd(&tables->groups[table], __popc(added));
}

/*
 * Returns the lowest digit that needs a pass if groups are small then, and do
 * not have many equal keys; or 0.  "key" is the thread's distance from the
 * base.
 */
__device__ static inline int
find_groups(SampleTables *tables, unsigned long long key, int highest,
			SampleLimits limits)
{
	add_groups(tables, 0, key, 0);
#pragma unroll
	for (int level = 0; level < SAMPLE_LEVELS; level++)
	{
		if (highest - level >= 2)
			add_groups(tables, level + 1, key, (highest - level) * SORT_BITS);
	}
	__syncthreads();
	for (int level = 0; level < SAMPLE_LEVELS && highest - level >= 2; level++)
	{
		if (tables->groups[0] >= limits.keys &&
			tables->groups[level + 1] >= limits.groups)
			return highest - level;
	}
	return 0;
}

/*
 * Returns whether groups are to be sorted that share the digits from "lowest"
 * on: if that saves more than a pass, and if the digit below tells that keys
 * are spread evenly.
 */
template <typename Key>
__device__ static inline bool
are_worth_it(SampleTables *tables, Key key, int lowest, Key differing)
{
	int			live = 0;
	unsigned	bin;

	for (int digit = 0; digit < lowest; digit++)
		live += digit_of(differing, digit) != 0;
	bin = atomicAdd(&tables->bins[digit_of(key, lowest - 1)], 1);
	return !__syncthreads_or(live < 2 ||
							 bin >= SAMPLE_SIZE / SAMPLE_CROWDED_PART);
}

/* Begins the plan.  For one thread block, which has cleared the tables. */
template <typename Key>
__device__ static inline void
begin_plan(SortPlan *plan, const Key *keys, long long count, KeyOrder order,
		   SampleLimits limits, int seed, SampleTables *tables)
{
	__shared__ SortRange<Key> warps[SAMPLE_SIZE / WARP];
	Key			key = ordered(keys[sample_position(threadIdx.x, seed, count)],
							  order);
	SortRange<Key> range =
		block_merge<SAMPLE_SIZE>(range_of_key(key, ordered(keys[0], order)),
								 warps);
	SampleDigits<Key> digits = choose_digits(range);
	int			lowest = 0;

	key -= digits.base;
	if constexpr (sizeof(Key) >= 4)
		lowest = find_groups(tables, key, digits.count - 1, limits);
	if (lowest > 0 && !are_worth_it(tables, key, lowest, range.differing))
		lowest = 0;
	if (threadIdx.x == 0)
	{
		*plan = {};
		plan->base = digits.base;
		plan->lowest = lowest;
	}
}

/* Clears vectors of 16 bytes, by "blocks" thread blocks. */
__device__ static inline void
clear_vectors(void *memory, long long vectors, unsigned block, unsigned blocks)
{
	for (long long i = block * (long long) SAMPLE_SIZE + threadIdx.x;
		 i < vectors; i += blocks * SAMPLE_SIZE)
		((uint4 *) memory)[i] = make_uint4(0, 0, 0, 0);
}

/* The first block begins the plan, and the others clear what is behind it. */
template <typename Key>
__global__ void __launch_bounds__(SAMPLE_SIZE)
sample_keys(SortPlan *plan, long long vectors, const Key *keys,
			long long count, KeyOrder order, SampleLimits limits, int seed)
{
	__shared__ SampleTables tables;

	let_next_start();
	if (blockIdx.x == 0)
		clear_vectors(&tables, sizeof(tables) / sizeof(uint4), 0, 1);
	wait_for_preceding();
	if (blockIdx.x == 0)
		begin_plan(plan, keys, count, order, limits, seed, &tables);
	else
		clear_vectors(plan + 1, vectors, blockIdx.x - 1, gridDim.x - 1);
}

/* The number of groups of "size" keys of which a sample is expected to have. */
static unsigned
expected_groups(int64_t count, int size)
{
	double		groups = (double) count / size;

	return (unsigned) (groups * -expm1(-SAMPLE_SIZE / groups));
}

/*
 * Returns a number that nobody can foresee, so that nobody can choose keys of
 * which the sample is misleading.
 */
static int
sample_seed()
{
	static thread_local std::minstd_rand generator(std::random_device {} ());

	return (int) generator();
}

template <typename Key>
static cudaError_t
sample(cudaStream_t stream, const Sort *sort)
{
	int			most = sort_most_in_group(sort);
	int64_t		vectors = (sort_scratch_bytes(sort) - sizeof(SortPlan)) /
		sizeof(uint4);
	SampleLimits limits = {
		most > 0 ? expected_groups(sort->count, most) : SAMPLE_SIZE + 1,
		expected_groups(sort->count, SAMPLE_MAX_EQUAL)
	};

	return launch_dependent(stream, sample_keys<Key>,
							1 + count_vector_blocks<uint4>
							(vectors, SAMPLE_SIZE,
							 device_blocks(CLEAR_BLOCKS_PER_SM)),
							SAMPLE_SIZE, 0, (SortPlan *) sort->scratch,
							(long long) vectors, (const Key *) sort->keys[0],
							(long long) sort->count, sort_order(sort), limits,
							sample_seed());
}

/* Queues the sample, which begins the plan. */
cudaError_t
sort_sample(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_SIZE(sort->kind, sample, stream, sort);
}
