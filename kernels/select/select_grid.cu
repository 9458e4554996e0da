/*
 * select_grid.cu
 *	  The selection of one rank or two in one launch, by thread blocks that run
 *	  at the same time (a cooperative launch), one on each multiprocessor.
 *
 * A sample of the keys brackets the keys of the ranks.  Each block goes through
 * its part of the array once: it counts the keys below the bracket and at its
 * ends, and keeps the keys inside in shared memory.  (Floyd and Rivest,
 * "Expected time bounds for selection", 1975.)  The sample errs very rarely;
 * then the bracket is widened to all keys.  If two ranks of a large array are
 * far from each other, as only the device knows, the launch leaves the second
 * one to another launch, so that each has a bracket of its own.
 *
 * The blocks search the keys inside together.  As soon as few keys are left,
 * the first block gets them, and searches them alone.
 */
#include <utility>

#include "kernels/common/cooperative_launch.h"
#include "kernels/common/sample.h"
#include "kernels/common/vector.h"
#include "kernels/select/rank_search.h"
#include "kernels/select/select.h"

#define THREADS			SEARCH_THREADS

/*
 * The ends of a bracket, which are not inside: so keys inside are few, even if
 * many are equal.
 */
template <typename Key>
struct Bracket
{
	Key			low;
	Key			high;

	/* The search begins with all keys inside. */
	__device__ RankRange<Key> range(unsigned rank, unsigned count) const
	{
		if ((Key) (high - low) < 2)
			return {low, low};
		return {(Key) (low + 1), (Key) (high - 1), rank, count};
	}
};

/* Where keys are relative to a bracket. */
struct BracketCounts
{
	unsigned	below;
	unsigned	at_low;
	unsigned	inside;
	unsigned	at_high;		/* unless the ends are the same */
};

/* The exchange of the blocks, in the scratch memory. */
template <typename Key>
struct SelectExchange
{
	bool		far;			/* each rank needs a bracket of its own */
	BracketCounts brackets[2];	/* the sample's, then all */
	unsigned	counts[3][SEARCH_RANKS][THREADS];	/* of a round of three */
	unsigned	nrest;
	Key			rest[SELECT_REST];
};

template <typename Key>
struct GridSelection
{
	const Key  *in;
	long long	count;
	int			sample;			/* keys of each thread */
	long long	part;			/* elements of each block; the last has fewer */
	int			room;			/* of a block for keys, in shared memory */
	int			ranks;
	bool		far_apart;		/* a far rank may be left to another launch */
	bool		is_other;		/* this is the other launch */
	const long long *wanted;	/* the ranks, ascending */
	KeyOrder	order;
	SelectExchange<Key> *exchange;
	Key		   *spilled;		/* keys that have no room there, by parts */
	Key		   *out;
	long long  *results;
};

template <typename Key>
struct SelectMemory
{
	RankSearch<Key> search;
	BracketCounts counts;		/* of the block's part */
	unsigned	nkept;
	unsigned	warps[SEARCH_WARPS];
	unsigned	rest;			/* where the block's keys go */
	Key			kept[1];		/* "room" of them */
};

/* Vectors that a lane loads at once. */
template <typename Key>
constexpr int grid_vectors = Vector<Key>::count >= SELECT_GRID_ITEMS ? 1 :
	SELECT_GRID_ITEMS / Vector<Key>::count;

/*
 * The margin of a rank in a sample, on each side of its expected place: four
 * standard deviations of a binomial distribution, and some more for a
 * distribution that is not normal.
 */
__device__ static inline int
bracket_margin(int place, int sample)
{
	float		expected = (float) place / sample;

	return (int) (4 * sqrtf(place * (1 - expected))) + 10;
}

/* A thread's part in the selection, in the phases of run(). */
template <typename Key>
struct SelectAgent
{
	const GridSelection<Key> &selection;
	SelectMemory<Key> *memory;
	int			first;			/* of the ranks that this launch searches */
	int			ranks;
	Bracket<Key> bracket;

	__device__ Key *spilled() const
	{
		return selection.spilled + blockIdx.x * selection.part;
	}

	/* If there is only one rank, it is searched twice at once. */
	__device__ long long wanted(int rank) const
	{
		return selection.wanted[first + min(rank, ranks - 1)];
	}

	/*
	 * The bracket from one place in the sample to another.  The places may be
	 * outside of the sample.
	 */
	__device__ void search_bracket(const Key *keys, int low, int high)
	{
		RankSearch<Key> *search = &memory->search;
		unsigned	sample = selection.sample * THREADS;

		auto		for_each = [&] (auto function) {
#pragma unroll
			for (int i = 0; i < SELECT_MAX_SAMPLE; i++)
			{
				if (i < selection.sample)
					function(keys[i]);
			}
		};

		search->begin(low, high, sample, for_each);
		if (threadIdx.x == 0 && low < 0)
			search->ranges[0] = {0, 0};
		if (threadIdx.x == 0 && high >= (int) sample)
			search->ranges[1] = {(Key) ~(Key) 0, (Key) ~(Key) 0};
		__syncthreads();
		search->narrow_alone(SELECT_ENDS, for_each);
		bracket = {search->ranges[0].low, search->ranges[1].high};
		__syncthreads();
	}

	/*
	 * All blocks take the same sample.  If the ranks are far from each other,
	 * the second one is left to another launch.
	 */
	__device__ void find_bracket()
	{
		long long	count = selection.count;
		int			sample = selection.sample * THREADS;
		int			low[SEARCH_RANKS];
		int			high[SEARCH_RANKS];
		Key			keys[SELECT_MAX_SAMPLE] = {};

#pragma unroll
		for (int i = 0; i < SELECT_MAX_SAMPLE; i++)
		{
			if (i < selection.sample)
				keys[i] = selection.in[sample_position
									   (i * THREADS + threadIdx.x, 0, count)];
		}
#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			/* Floats are exact enough, and all threads divide. */
			int			place = (int) (wanted(i) * ((float) sample / count));
			int			margin = bracket_margin(place, sample);

			low[i] = place - margin;
			high[i] = place + margin;
		}
		if (selection.far_apart && high[0] < low[1])
		{
			ranks = 1;
			high[1] = high[0];
		}
		if (!selection.is_other && blockIdx.x == 0 && threadIdx.x == 0)
			selection.exchange->far = ranks < selection.ranks;
#pragma unroll
		for (int i = 0; i < SELECT_MAX_SAMPLE; i++)
			keys[i] = ordered(keys[i], selection.order);
		search_bracket(keys, low[0], high[1]);
	}

	__device__ void put(unsigned at, Key key)
	{
		if (at < selection.room)
			memory->kept[at] = key;
		else
			spilled()[at - selection.room] = key;
	}

	template <typename Function>
	__device__ void for_each_kept(Function function) const
	{
		unsigned	kept = memory->nkept;
		unsigned	room = min(kept, (unsigned) selection.room);
		const Key  *rest = spilled() - room;

#pragma unroll 4
		for (unsigned i = threadIdx.x; i < room; i += THREADS)
			function(memory->kept[i]);
		for (unsigned i = room + threadIdx.x; i < kept; i += THREADS)
			function(rest[i]);
	}

	/* Appends the keys of a lane that are in the mask, in any order. */
	template <int N>
	__device__ __forceinline__ void append(const Vector<Key> (&vectors)[N],
										   unsigned mask)
	{
		const int	each = Vector<Key>::count;
		unsigned	count = __popc(mask);
		unsigned	through = warp_inclusive_scan(count);
		unsigned	to = 0;

		if (threadIdx.x % WARP == WARP - 1)
			to = atomicAdd(&memory->nkept, through);
		to = __shfl_sync(ALL_LANES, to, WARP - 1) + through - count;
#pragma unroll
		for (int i = 0; i < N * each; i++)
		{
			if (mask >> i & 1)
				put(to++, vectors[i / each].items[i % each]);
		}
	}

	__device__ __forceinline__ void add_counts(BracketCounts own)
	{
		BracketCounts *all = &memory->counts;
		bool		single = bracket.low == bracket.high;

		own = {warp_sum(own.below), warp_sum(own.at_low), 0,
			single ? 0 : warp_sum(own.at_high)};
		if (threadIdx.x % WARP > 0)
			return;
		atomicAdd(&all->below, own.below);
		atomicAdd(&all->at_low, own.at_low);
		atomicAdd(&all->at_high, own.at_high);
	}

	/* Counts the keys of the block's part, and keeps those inside. */
	__device__ __forceinline__ void keep(KeyOrder order)
	{
		const int	vectors_at_once = grid_vectors<Key>;
		const int	each = Vector<Key>::count;
		const int	step = vectors_at_once * WARP * each;
		long long	begin = blockIdx.x * selection.part;
		long long	end = min(begin + selection.part, selection.count);
		BracketCounts own = {};

		for_each_of_warp<vectors_at_once>(selection.in,
										  begin + threadIdx.x / WARP * step,
										  SEARCH_WARPS * step, end,
										  [&] (auto &vectors, int left) {
			unsigned	mask = 0;

#pragma unroll
			for (int i = 0; i < vectors_at_once * each; i++)
			{
				Key		   &key = vectors[i / each].items[i % each];
				bool		exists = i / each * WARP * each + i % each < left;

				key = ordered(key, order);
				own.below += exists && key < bracket.low;
				own.at_low += exists && key == bracket.low;
				own.at_high += exists && key == bracket.high;
				if (exists && key > bracket.low && key < bracket.high)
					mask |= 1u << i;
			}
			if (__any_sync(ALL_LANES, mask != 0))
				append(vectors, mask);
		});
		add_counts(own);
		__syncthreads();
		if (threadIdx.x == 0)
			memory->counts.inside = memory->nkept;
	}

	__device__ void keep_inside()
	{
		if (threadIdx.x < SEARCH_RANKS)
			memory->search.ranges[threadIdx.x] = bracket.range(0, 0);
		if (threadIdx.x == 0)
		{
			memory->counts = {};
			memory->nkept = 0;
		}
		__syncthreads();
		with_order(selection.order, [&] (KeyOrder order) { keep(order); });
		__syncthreads();
	}

	/*
	 * Clears the exchange of the first round.  The exchange of each next round
	 * is cleared in the round before.
	 */
	__device__ void clear_exchange()
	{
		SelectExchange<Key> *exchange = selection.exchange;

		if (blockIdx.x > 0)
			return;
		for (int i = 0; i < SEARCH_RANKS; i++)
			exchange->counts[0][i][threadIdx.x] = 0;
		if (threadIdx.x < 2)
			exchange->brackets[threadIdx.x] = {};
		if (threadIdx.x == 0)
			exchange->nrest = 0;
	}

	/*
	 * Begins the search in the ranges that have the ranks.  Returns false if a
	 * rank is outside of its bracket.
	 */
	__device__ bool enter(BracketCounts count)
	{
		bool		outside = false;

#pragma unroll
		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			RankRange<Key> *range = &memory->search.ranges[i];
			unsigned	rank = (unsigned) wanted(i) - count.below;

			if (threadIdx.x != i)
				continue;
			outside = wanted(i) < count.below;
			if (rank < count.at_low)
				*range = {bracket.low, bracket.low};
			else if (rank - count.at_low < count.inside)
				*range = bracket.range(rank - count.at_low, count.inside);
			else
			{
				*range = {bracket.high, bracket.high};
				outside |= rank - count.at_low - count.inside >= count.at_high;
			}
		}
		return !__syncthreads_or(outside);
	}

	/* Searches the keys that the first block keeps: all that are left. */
	__device__ void finish()
	{
		RankRange<Key> *ranges = memory->search.ranges;

		memory->search.find_alone([&] (auto function) {
			for_each_kept(function);
		});
		if (threadIdx.x < ranks)
			selection.out[first + threadIdx.x] =
				restored(ranges[threadIdx.x].low, selection.order);
		if (threadIdx.x == 0)
			*selection.results = selection.ranks;
	}

	/* Adds the block's counts to the counts of all blocks. */
	__device__ void share_bins(int round)
	{
		SelectExchange<Key> *exchange = selection.exchange;

		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			unsigned	count = memory->search.take_count(i);

			if (count > 0)
				atomicAdd(&exchange->counts[round % 3][i][threadIdx.x], count);
			if (blockIdx.x == 0)
				exchange->counts[(round + 1) % 3][i][threadIdx.x] = 0;
		}
	}

	/* Searches until few keys are left. */
	__device__ void search_together()
	{
		auto		grid = cooperative_groups::this_grid();
		auto		cleared = grid.barrier_arrive();
		RankSearch<Key> *search = &memory->search;
		auto		kept = [&] (auto function) { for_each_kept(function); };
		SelectExchange<Key> *exchange = selection.exchange;
		unsigned	count;
		int			round = 0;

		find_bracket();
		for (;; round++)
		{
			keep_inside();
			search->count_bins(kept);
			if (round == 0)
				grid.barrier_wait(std::move(cleared));
			share_bins(round);
			if (threadIdx.x < sizeof(memory->counts) / sizeof(unsigned))
				atomicAdd((unsigned *) &exchange->brackets[round] + threadIdx.x,
						  ((const unsigned *) &memory->counts)[threadIdx.x]);
			grid_sync();

			/* Ranges that were the same were divided as the first one. */
			count = exchange->counts[round % 3][0][threadIdx.x];
			if (enter(exchange->brackets[round]))
				break;
			bracket = {0, (Key) ~(Key) 0};
		}
		search->narrow([&] (int rank) { return count; });
		while (search->keys_left(0) > SELECT_REST)
		{
			round++;
			search->count_bins(kept);
			share_bins(round);
			grid_sync();
			search->narrow([&] (int rank) {
				return exchange->counts[round % 3][rank][threadIdx.x];
			});
		}
	}

	/*
	 * Gives the first block the keys that are left.  The keys may spill into
	 * the parts of other blocks, which no longer need them.
	 */
	__device__ void hand_over()
	{
		SelectExchange<Key> *exchange = selection.exchange;
		const RankSearch<Key> *search = &memory->search;
		RankRange<Key> ranges[SEARCH_RANKS];
		bool		left[SEARCH_RANKS];
		unsigned	count = 0;
		unsigned	before;

		for (int i = 0; i < SEARCH_RANKS; i++)
		{
			ranges[i] = search->ranges[i];
			left[i] = search->is_divided(i);
		}
		auto		is_left = [&] (Key key) {
			return (left[0] && ranges[0].has(key)) ||
				(left[1] && ranges[1].has(key));
		};

		for_each_kept([&] (Key key) { count += is_left(key); });
		before = block_exclusive_scan<SEARCH_WARPS>(count, memory->warps);
		if (threadIdx.x == THREADS - 1)
			memory->rest = atomicAdd(&exchange->nrest, before + count);
		__syncthreads();
		before += memory->rest;
		for_each_kept([&] (Key key) {
			if (is_left(key))
				exchange->rest[before++] = key;
		});
		grid_sync();
		if (blockIdx.x > 0)
			return;
		for (unsigned i = threadIdx.x; i < exchange->nrest; i += THREADS)
			put(i, exchange->rest[i]);
		if (threadIdx.x == 0)
			memory->nkept = exchange->nrest;
		__syncthreads();
	}

	__device__ void run()
	{
		memory->search.clear();
		clear_exchange();
		search_together();
		if (memory->search.keys_left(0) > 0)
			hand_over();
		if (blockIdx.x == 0)
			finish();
	}
};

template <typename Key>
__global__ void __launch_bounds__(THREADS)
select_grid(const __grid_constant__ GridSelection<Key> selection)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	SelectAgent<Key> agent = {
		selection, (SelectMemory<Key> *) shared, 0, selection.ranks
	};

	if (selection.is_other)
	{
		if (!selection.exchange->far)
			return;
		agent.first = agent.ranks = 1;
	}
	agent.run();
}

template <typename Key>
static int
most_blocks()
{
	static const int shared = device_shared_bytes();
	static const int found = shared <= (int) sizeof(SelectMemory<Key>) ? 0 :
		find_cooperative_blocks((const void *) select_grid<Key>, THREADS,
								shared);

	return found;
}

/* Keys of all sizes need the same registers and the same shared memory. */
bool
select_fits_grid(const EngineRequest *request)
{
	return most_results(request) <= SEARCH_RANKS &&
		!select_fits_block(request) && most_blocks<uint64_t>() > 0;
}

size_t
select_grid_scratch_bytes(const EngineRequest *request)
{
	return sizeof(SelectExchange<uint64_t>) +
		request->count * input_size(request, 0);
}

/* The elements of a block. */
template <typename Key>
static int64_t
part_of_block(int64_t count)
{
	const int64_t row = WARP * Vector<Key>::count;
	int64_t		part = count_tiles(count, most_blocks<Key>());

	return count_tiles(part > SELECT_MIN_PART ? part : SELECT_MIN_PART, row) *
		row;
}

template <typename Key>
static cudaError_t
select_keys(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	Sort		keys = {.kind = request->kinds[0]};
	int64_t		part = part_of_block<Key>(request->count);
	int64_t		blocks = count_tiles(request->count, part);
	int64_t		room = (device_shared_bytes() -
						sizeof(SelectMemory<Key>)) / sizeof(Key);
	int			sample = request->count < SELECT_LARGE_ITEMS ?
		SELECT_MIN_SAMPLE : SELECT_MAX_SAMPLE;
	bool		far_apart = most_results(request) > 1 &&
		request->count >= SELECT_LARGE_ITEMS;
	SelectExchange<Key> *exchange = (SelectExchange<Key> *) work->scratch;
	GridSelection<Key> selection = {
		.in = (const Key *) work->in[0],
		.count = request->count,
		.sample = sample,
		.part = part,
		.room = (int) (room < part ? room : part),
		.ranks = (int) most_results(request),
		.far_apart = far_apart,
		.wanted = (const long long *) work->table,
		.order = sort_order(&keys),
		.exchange = exchange,
		.spilled = (Key *) (exchange + 1),
		.out = (Key *) work->out[0],
		.results = work->results
	};
	size_t		shared = sizeof(SelectMemory<Key>) +
		selection.room * sizeof(Key);

	TRY(launch_cooperative(work->stream, select_grid<Key>, blocks, THREADS,
						   shared, selection));
	if (!far_apart)
		return cudaSuccess;
	selection.is_other = true;
	return launch_cooperative(work->stream, select_grid<Key>, blocks, THREADS,
							  shared, selection);
}

cudaError_t
select_in_grid(const DeviceWork *work)
{
	RETURN_BY_SIZE(work->request->kinds[0], select_keys, work);
}
