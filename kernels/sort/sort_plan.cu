/*
 * sort_plan.cu
 *	  The plan of a sort: which digits take a pass, and where bins start.
 *
 * A pass is needed for each digit in which any two keys differ.  But if a few
 * of the highest digits divide the keys into small groups, passes over these
 * digits are enough, and sort_local.cu sorts the groups.  The number of groups
 * of which a sample has keys tells whether groups are small.
 */
#include <cmath>

#include "kernels/common/sample.h"
#include "kernels/sort/sort.h"

/*
 * PLAN_SAMPLE is the size of the sample.  Up to a mean of PLAN_MAX_EQUAL equal
 * keys, groups are sorted by themselves; but not if more than
 * 1 / PLAN_CROWDED_PART of all keys have the same digit below the bits that a
 * group shares.  Other limits were not compared.
 */
#define PLAN_SAMPLE			1024
#define PLAN_MAX_EQUAL		32
#define PLAN_CROWDED_PART	32

/* The most digits that are to divide keys into small groups. */
#define PLAN_LEVELS		4

#define PLAN_SLOTS		(2 * PLAN_SAMPLE)

static_assert(PLAN_SAMPLE >= SORT_BINS / 2, "a thread for two bins");

/*
 * The fewest groups of which a sample has keys, if groups are small enough; and
 * the fewest different keys of the sample, if few keys are equal.
 */
typedef struct PlanLimits
{
	unsigned	groups;
	unsigned	keys;
} PlanLimits;

/* Shared memory: hash tables of the sample's groups, by open addressing. */
struct SampleTables
{
	unsigned	slots[PLAN_LEVELS + 1][PLAN_SLOTS]; /* hashes, or 0 */
	unsigned	groups[PLAN_LEVELS + 1];	/* their number */
	unsigned long long differing;	/* bits in which keys differ */
};

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
		seen = atomicCAS(&tables->slots[table][slot++ % PLAN_SLOTS], 0, hash);
	} while (seen != 0 && seen != hash);
	__syncwarp();
	added = __ballot_sync(ALL_LANES, seen == 0);
	if (threadIdx.x % WARP == 0)
		atomicAdd(&tables->groups[table], __popc(added));
}

/*
 * Returns the lowest digit that needs a pass if groups are sorted then, or 0 if
 * groups would be too large, or have many equal keys.  At least two digits are
 * below the returned digit.
 */
template <typename Key>
__device__ static inline int
find_lowest_digit(const Key *keys, long long count, KeyOrder order,
				  PlanLimits limits)
{
	__shared__ SampleTables tables;
	Key			key = keys[sample_position(threadIdx.x, 0, count)];
	unsigned long long differing;
	int			highest;

	for (int i = threadIdx.x; i < (PLAN_LEVELS + 1) * PLAN_SLOTS;
		 i += PLAN_SAMPLE)
		tables.slots[0][i] = 0;
	if (threadIdx.x <= PLAN_LEVELS)
		tables.groups[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		tables.differing = 0;
	key = ordered(key, order);
	differing = warp_or((unsigned long long) (key ^ ordered(keys[0], order)));
	__syncthreads();
	if (threadIdx.x % WARP == 0)
		atomicOr(&tables.differing, differing);
	add_groups(&tables, 0, key, 0);
	__syncthreads();
	highest = (63 - __clzll((long long) tables.differing)) / SORT_BITS;
#pragma unroll
	for (int level = 0; level < PLAN_LEVELS; level++)
	{
		if (highest - level >= 2)
			add_groups(&tables, level + 1, key, (highest - level) * SORT_BITS);
	}
	__syncthreads();
	for (int level = 0; level < PLAN_LEVELS && highest - level >= 2; level++)
	{
		if (tables.groups[0] >= limits.keys &&
			tables.groups[level + 1] >= limits.groups)
			return highest - level;
	}
	return 0;
}

/*
 * Plans a pass for each digit of "live", a set of bits; and then the sort of
 * the groups that share the digits from "lowest" on, unless that is 0.
 */
__device__ static inline void
plan_passes(SortPlan *plan, unsigned live, int digits, int lowest)
{
	SortPass	source = 0;
	int			first = __ffs(live) - 1;
	int			last = 31 - __clz(live);

	for (int digit = 0; digit < digits; digit++)
	{
		bool		is_live = live >> digit & 1;

		plan->passes[digit] = source | (is_live ? PASS_LIVE : 0) |
			(digit == first ? PASS_FIRST : 0) |
			(digit == last && lowest == 0 ? PASS_LAST : 0);
		source ^= is_live ? PASS_SOURCE : 0;
	}
	plan->local = source | (lowest > 0 ? PASS_LIVE : 0);
	plan->group_bits = lowest * SORT_BITS;
	source ^= lowest > 0 ? PASS_SOURCE : 0;
	plan->selector = source != 0;
	plan->in_first = source == 0;
}

/* Sets of digits, as bits. */
typedef struct DigitSets
{
	unsigned	single;			/* all keys have the same digit */
	unsigned	crowded;		/* many keys have the same digit */
} DigitSets;

/*
 * Turns the histograms into each bin's start.  The first threads have two bins
 * of each digit.
 */
template <typename Key>
__device__ static inline DigitSets
make_starts(uint2 *starts, long long count)
{
	const int	threads = SORT_BINS / 2;
	const int	digits = (int) sizeof(Key);
	__shared__ unsigned warps[PLAN_SAMPLE / WARP];
	__shared__ DigitSets sets;
	bool		has_bins = threadIdx.x < threads;
	uint2		found[digits];

	if (threadIdx.x == 0)
		sets = {0, 0};
#pragma unroll
	for (int digit = 0; digit < digits; digit++)
		found[digit] = has_bins ? starts[digit * threads + threadIdx.x] :
			make_uint2(0, 0);
	__syncthreads();
#pragma unroll
	for (int digit = 0; digit < digits; digit++)
	{
		unsigned	own = found[digit].x;
		unsigned	most = max(own, found[digit].y);
		unsigned	start = block_exclusive_scan<threads / WARP>(
			own + found[digit].y, warps);

		if (most == count)
			atomicOr(&sets.single, 1u << digit);
		if (most > count / PLAN_CROWDED_PART)
			atomicOr(&sets.crowded, 1u << digit);
		if (has_bins)
			starts[digit * threads + threadIdx.x] =
				make_uint2(start, start + own);
		__syncthreads();
	}
	return sets;
}

/*
 * Makes the plan.  For one thread block.  If "move", there is a pass even if no
 * keys differ.
 *
 * The sample is taken while the preceding kernel counts the keys.  All keys are
 * there by then, because that kernel waited for the kernels before it.
 */
template <typename Key>
__global__ void __launch_bounds__(PLAN_SAMPLE)
make_plan(SortPlan *plan, uint2 *starts, const Key *keys, long long count,
		  KeyOrder order, PlanLimits limits, bool move)
{
	const int	digits = (int) sizeof(Key);
	DigitSets	sets;
	unsigned	live;
	int			lowest = 0;

	let_next_start();
	if constexpr (sizeof(Key) >= 4)
		lowest = find_lowest_digit(keys, count, order, limits);
	wait_for_preceding();
	sets = make_starts<Key>(starts, count);
	live = ~sets.single & ((1u << digits) - 1);
	if (move && live == 0)
		live = 1u << (digits - 1);

	/*
	 * A pass more or less is not worth it.  And if many keys have the same
	 * digit below those that groups share, few are spread evenly.
	 */
	if (lowest > 0 && (__popc(live & ((1u << lowest) - 1)) < 2 ||
					   (sets.crowded >> (lowest - 1) & 1)))
		lowest = 0;
	live &= ~0u << lowest;
	if (threadIdx.x == 0)
		plan_passes(plan, live, digits, lowest);
}

/* The number of groups of "size" keys of which a sample is expected to have. */
static unsigned
expected_groups(int64_t count, int size)
{
	double		groups = (double) count / size;

	return (unsigned) (groups * -expm1(-PLAN_SAMPLE / groups));
}

template <typename Key>
static cudaError_t
plan_keys(cudaStream_t stream, const Sort *sort)
{
	int			most = sort_most_in_group(sort);
	PlanLimits	limits = {
		most > 0 ? expected_groups(sort->count, most) : PLAN_SAMPLE + 1,
		expected_groups(sort->count, PLAN_MAX_EQUAL)
	};

	return launch_dependent(stream, make_plan<Key>, 1, PLAN_SAMPLE, 0,
							(SortPlan *) sort->scratch,
							(uint2 *) sort_starts(sort),
							(const Key *) sort->keys[0],
							(long long) sort->count, sort_order(sort), limits,
							sort->positions);
}

/* Queues the making of the plan, directly after the last histograms. */
cudaError_t
sort_make_plan(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_SIZE(sort->kind, plan_keys, stream, sort);
}
