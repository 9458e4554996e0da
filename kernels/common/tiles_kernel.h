/*
 * tiles_kernel.h
 *	  Single-pass kernels: the tiles of an array, with a decoupled look-ahead.
 *
 * A single-pass scan or compaction reads each tile once and writes its results
 * once.  In between, a tile needs its exclusive prefix, the sum over all tiles
 * before it.  With a decoupled look-back (Merrill and Garland, "Single-pass
 * parallel prefix scan with decoupled look-back", 2016) a thread block waits
 * until a preceding tile knows its prefix.  Here no thread block waits for the
 * prefix of another one:
 *
 * - The grid has as many thread blocks as the device can hold.  Each has one
 *   tile, if the shared memory of all has room for the array.  If not, it goes
 *   through the array with the stride of the grid.  In each round, the thread
 *   blocks have adjacent tiles.
 * - Bulk asynchronous copies (on Hopper and later) load tiles into shared
 *   memory some rounds ahead, so that loads are always in flight.
 * - A thread block reduces a tile one round before it writes the tile, and
 *   stores the aggregate in the tile's descriptor.  To write a tile, it adds
 *   up the aggregates of that round's tiles: those before its own give its
 *   prefix, and all of them give the prefix of the next round.
 * - Warps are specialized.  The producer warp starts the copies and stores the
 *   aggregates, the look-ahead warp adds up the aggregates, and the consumer
 *   warps work on the tiles.  The consumer warps rarely wait for the other
 *   two, and for each other only once a round.
 *
 * A descriptor is valid if it has the number of the current launch, its epoch.
 * So descriptors need not be cleared before a launch.
 */
#ifndef GPUCOMPACT_TILES_KERNEL_H
#define GPUCOMPACT_TILES_KERNEL_H

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/common/launch.h"
#include "kernels/common/lookahead.h"
#include "kernels/common/block.h"

/* The consumer warps come first, then the producer and the look-ahead warp. */
#define CONSUMER_WARPS		(CONSUMER_THREADS / WARP)
#define PRODUCER_THREAD		CONSUMER_THREADS
#define LOOKAHEAD_THREAD	(PRODUCER_THREAD + WARP)
#define TILE_THREADS		(LOOKAHEAD_THREAD + WARP)

/*
 * The named barriers of a thread block, by number; __syncthreads() uses number
 * 0.  All threads take part in each of them except the first, and either wait
 * or only arrive.
 *
 * Warps wait at a barrier in different places of the code, as PTX allows.
 * compute-sanitizer's synccheck (of CUDA 13.0) reports that, even of a kernel
 * that has but two warps and a barrier in two places; with "barrier.sync" in
 * place of "bar.sync", which makes scans a quarter longer, it reports nothing.
 */
typedef enum Barrier
{
	BARRIER_CONSUMERS = 1,		/* the consumer warps wait for each other */
	BARRIER_PADDED,				/* the last tile has been padded */
	BARRIER_REDUCED,			/* the producer warp waits until the consumer
								 * warps have reduced the next tile */
	BARRIER_READY,				/* the consumer warps wait for each other and
								 * the other two warps: a tile may be written */
	BARRIER_WRITTEN				/* the other two warps wait until it is
								 * written */
} Barrier;

__device__ static inline void
barrier_sync(Barrier barrier)
{
	__syncwarp();
	asm volatile("bar.sync %0, %1;"
				 :: "r" ((int) barrier), "r" (TILE_THREADS) : "memory");
}

/* Arrives, and does not wait. */
__device__ static inline void
barrier_arrive(Barrier barrier)
{
	__syncwarp();
	asm volatile("bar.arrive %0, %1;"
				 :: "r" ((int) barrier), "r" (TILE_THREADS) : "memory");
}

/* For all consumer warps. */
__device__ static inline void
sync_consumers(void)
{
	__syncwarp();
	asm volatile("bar.sync %0, %1;"
				 :: "r" ((int) BARRIER_CONSUMERS), "r" (CONSUMER_THREADS)
				 : "memory");
}

/*
 * While one stage's tile is written and another one's is reduced, the others
 * are loaded.
 *
 * A halo precedes each tile: the last HALO_BYTES before the items are those
 * that precede the tile in the array.  HALO_ROOM keeps the items aligned.
 */
#define HALO_ROOM		128
#define HALO_BYTES		16

/* The size of a bulk copy is a multiple of this many bytes. */
#define BULK_COPY_MULTIPLE	16

#if __CUDA_ARCH__ >= 900

/*
 * Instructions.  CUDA 12.4 has no functions for some of them, and those of
 * <cuda/ptx> double the time to compile.  A pointer to shared memory has 32
 * bits.
 */
__device__ static inline uint32_t
shared_address(const void *pointer)
{
	return (uint32_t) __cvta_generic_to_shared(pointer);
}

__device__ static inline void
init_mbarrier(uint64_t *mbarrier, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;"
				 :: "r"(shared_address(mbarrier)), "r"(arrivals) : "memory");
}

/* Arrives, and says how many bytes are still to come. */
__device__ static inline void
expect_bytes(uint64_t *mbarrier, uint32_t bytes)
{
	asm volatile("{ .reg .b64 state;"
				 " mbarrier.arrive.expect_tx.release.cta.shared::cta.b64"
				 " state, [%0], %1; }"
				 :: "r"(shared_address(mbarrier)), "r"(bytes) : "memory");
}

/* Returns whether a phase is over, perhaps after a while. */
__device__ static inline bool
try_wait(uint64_t *mbarrier, uint32_t parity)
{
	uint32_t	is_over;

	asm volatile("{ .reg .pred over;"
				 " mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;"
				 " selp.b32 %0, 1, 0, over; }"
				 : "=r"(is_over)
				 : "r"(shared_address(mbarrier)), "r"(parity) : "memory");
	return is_over;
}

/* Starts a copy, at whose end the barrier counts its bytes. */
__device__ static inline void
start_bulk_copy(void *to, const void *from, uint32_t bytes, uint64_t *mbarrier)
{
	asm volatile("cp.async.bulk.shared::cluster.global"
				 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
				 :: "r"(shared_address(to)),
				 "l"(__cvta_generic_to_global(from)), "r"(bytes),
				 "r"(shared_address(mbarrier))
				 : "memory");
}

#endif

/* Where a thread block's stages are, each for "tile" items. */
template <typename T>
struct Stages
{
	uint64_t   *full;			/* mbarriers: the stage is loaded */
	char	   *memory;
	int			tile;

	__device__ T *items(int stage) const
	{
		return (T *) (memory + stage * (HALO_ROOM + tile * sizeof(T)) +
					  HALO_ROOM);
	}

#if __CUDA_ARCH__ >= 900

	/* For one thread. */
	__device__ void init() const
	{
		for (int i = 0; i < TILE_STAGES; i++)
			init_mbarrier(&full[i], 1);
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}

	/*
	 * Starts to load a tile and its halo into a stage.  The halo is a copy of
	 * its own, because a copy that begins at a memory line is faster.  The last
	 * items of the array that do not fill a bulk copy are loaded by
	 * finish_loading.  For one thread.
	 */
	__device__ void start_loading(int stage, const T *from, int count,
								  bool has_halo) const
	{
		char	   *to = (char *) items(stage);
		uint32_t	halo = has_halo ? HALO_BYTES : 0;
		uint32_t	bytes = count * sizeof(T) / BULK_COPY_MULTIPLE *
			BULK_COPY_MULTIPLE;

		/* Order all earlier accesses to the stage before the copies. */
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		expect_bytes(&full[stage], halo + bytes);
		if (bytes > 0)
			start_bulk_copy(to, from, bytes, &full[stage]);
		if (halo > 0)
			start_bulk_copy(to - halo, (const char *) from - halo, halo,
							&full[stage]);
	}

	/*
	 * Waits until a stage is loaded, and pads the array's last tile with zeros.
	 * "turn" is the number of tiles that the stage has held before.  All
	 * consumer threads call this.
	 */
	__device__ void finish_loading(int stage, int turn, const T *from,
								   int count, bool has_halo) const
	{
		int			copied = count * sizeof(T) / BULK_COPY_MULTIPLE *
			BULK_COPY_MULTIPLE / sizeof(T);

		while (!try_wait(&full[stage], turn & 1))
			;
		if (count < tile)
		{
			for (int i = copied + threadIdx.x; i < tile; i += CONSUMER_THREADS)
				items(stage)[i] = i < count ? from[i] : 0;
			barrier_sync(BARRIER_PADDED);
		}
	}

#else							/* before Hopper: consumers load the tile */

	__device__ void init() const {}

	__device__ void start_loading(int stage, const T *from, int count,
								  bool has_halo) const {}

	__device__ void finish_loading(int stage, int turn, const T *from,
								   int count, bool has_halo) const
	{
		T		   *to = items(stage);
		int			vectors = count * sizeof(T) / sizeof(int4);
		int			copied = vectors * sizeof(int4) / sizeof(T);

		static_assert(HALO_BYTES == sizeof(int4), "the halo is one vector");
		if (has_halo && threadIdx.x == 0)
			((int4 *) to)[-1] = ((const int4 *) from)[-1];
		for (int i = threadIdx.x; i < vectors; i += CONSUMER_THREADS)
			((int4 *) to)[i] = ((const int4 *) from)[i];
		for (int i = copied + threadIdx.x; i < tile; i += CONSUMER_THREADS)
			to[i] = i < count ? from[i] : 0;
		if (count < tile)
			barrier_sync(BARRIER_PADDED);
		else
			sync_consumers();
	}

#endif
};

#define EPOCH_BITS		16
#define EPOCHS			(1 << EPOCH_BITS)

/*
 * A tile's aggregate, half of it in each word, above the epoch.  Both words are
 * stored and loaded at once, but may become visible one after the other, so
 * each has the epoch.
 */
typedef struct __align__(16) TileDescriptor
{
	unsigned long long low;
	unsigned long long high;
} TileDescriptor;

__device__ static inline void
store_aggregate(TileDescriptor *descriptor, long long aggregate,
				unsigned epoch)
{
	unsigned long long low = (unsigned long long) (unsigned) aggregate <<
		EPOCH_BITS | epoch;
	unsigned long long high = (unsigned long long) aggregate >> 32 <<
		EPOCH_BITS | epoch;

	asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};"
				 :: "l" (descriptor), "l" (low), "l" (high) : "memory");
}

__device__ static inline TileDescriptor
load_descriptor(const TileDescriptor *descriptor)
{
	TileDescriptor loaded;

	asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
				 : "=l" (loaded.low), "=l" (loaded.high) : "l" (descriptor)
				 : "memory");
	return loaded;
}

__device__ static inline bool
is_valid(TileDescriptor descriptor, unsigned epoch)
{
	return (descriptor.low & (EPOCHS - 1)) == epoch &&
		(descriptor.high & (EPOCHS - 1)) == epoch;
}

__device__ static inline long long
aggregate_of(TileDescriptor descriptor)
{
	return (long long) (descriptor.high >> EPOCH_BITS << 32 |
						descriptor.low >> EPOCH_BITS);
}

/*
 * Adds up the aggregates of a round's tiles: of those before this thread
 * block's own, and of all.  The second sum is computed only if "all": in the
 * last round nothing needs it, and waiting for later thread blocks would be
 * useless.  For a warp.
 */
__device__ static inline void
sum_aggregates(const TileDescriptor *descriptors, int tiles, bool all,
			   unsigned epoch, long long *before_own, long long *total)
{
	int			own = blockIdx.x;
	int			last = all ? tiles : own;
	long long	before = 0;
	long long	sum = 0;

	for (int at = threadIdx.x % WARP; at < last; at += LOOKAHEAD_POLLS * WARP)
	{
		unsigned	missing = 0;

#pragma unroll
		for (int i = 0; i < LOOKAHEAD_POLLS; i++)
			missing |= (at + i * WARP < last) << i;

		/* The loads of all missing descriptors are in flight at once. */
		while (missing != 0)
		{
			TileDescriptor loaded[LOOKAHEAD_POLLS];

#pragma unroll
			for (int i = 0; i < LOOKAHEAD_POLLS; i++)
			{
				if (missing >> i & 1)
					loaded[i] = load_descriptor(&descriptors[at + i * WARP]);
			}
#pragma unroll
			for (int i = 0; i < LOOKAHEAD_POLLS; i++)
			{
				if (!(missing >> i & 1) || !is_valid(loaded[i], epoch))
					continue;
				missing &= ~(1u << i);
				sum += aggregate_of(loaded[i]);
				if (at + i * WARP < own)
					before += aggregate_of(loaded[i]);
			}
		}
	}
	*before_own = warp_sum(before);
	*total = warp_sum(sum);
}

/* The shared memory of a thread block, before its stages. */
struct __align__(HALO_ROOM) TileMemory
{
	long long	warps[TILE_STAGES][CONSUMER_WARPS + 1]; /* see tiles_kernel */
	long long	prefix;			/* of the tile that is written */
	uint64_t	full[TILE_STAGES];	/* of the stages */
};

/* A tile that the consumer warps work on. */
template <typename Item>
struct TileView
{
	Item	   *items;			/* in shared memory; zeros after the last */
	int			rows;			/* of each warp */
	int			stage;
	long long	first;			/* items of the array before the tile */
	int			count;			/* items of the array in the tile */
	bool		last;			/* it is the array's last tile */
};

/* A thread's part in the rounds of its thread block. */
template <typename Agent>
struct Rounds
{
	typedef typename Agent::Item Item;

	const Item *in;
	long long	count;
	int			rows;			/* of a warp in a tile */
	Stages<Item> stages;
	int			tiles;			/* of all thread blocks */
	int			rounds;			/* of this thread block */
	TileMemory *memory;
	TileDescriptor *descriptors;
	unsigned	epoch;

	__device__ int tile(int round) const
	{
		return round * gridDim.x + blockIdx.x;
	}

	__device__ long long first(int round) const
	{
		return (long long) tile(round) * stages.tile;
	}

	/* Items in the tile, without padding. */
	__device__ int items(int round) const
	{
		return (int) min((long long) stages.tile, count - first(round));
	}

	__device__ TileView<Item> view_tile(int round) const
	{
		int			stage = round % TILE_STAGES;

		return {stages.items(stage), rows, stage, first(round), items(round),
			tile(round) == tiles - 1};
	}

	/* Starts to load the tile of a round, unless there is no such round. */
	__device__ void start_round(int round) const
	{
		long long	before = first(round);

		if (round < rounds && threadIdx.x == PRODUCER_THREAD)
			stages.start_loading(round % TILE_STAGES, in + before,
								 items(round), before > 0);
	}

	/*
	 * Waits until the consumer warps have padded the last tile.  Only these
	 * need to wait, but racecheck (of CUDA 13.0) reports a hazard if the
	 * producer warp reads what they wrote after waiting at fewer barriers than
	 * they did.
	 */
	__device__ void sync_padded(int round) const
	{
		if (items(round) < stages.tile)
			barrier_sync(BARRIER_PADDED);
	}

	/*
	 * The producer warp's part in reducing a tile: it turns the warps'
	 * aggregates into exclusive prefixes, and stores the tile's aggregate in
	 * its descriptor.
	 */
	__device__ void store_round_aggregate(int round) const
	{
		long long  *warps = memory->warps[round % TILE_STAGES];
		int			lane = threadIdx.x % WARP;
		long long	own;
		long long	inclusive;

		sync_padded(round);
		barrier_sync(BARRIER_REDUCED);
		own = lane < CONSUMER_WARPS ? warps[lane] : 0;
		inclusive = warp_inclusive_scan(own);
		if (lane <= CONSUMER_WARPS)
			warps[lane] = inclusive - own;
		if (lane == CONSUMER_WARPS)
			store_aggregate(&descriptors[tile(round)], inclusive, epoch);
	}

	__device__ void produce() const
	{
		store_round_aggregate(0);
		barrier_sync(BARRIER_READY);
		for (int round = 0; round < rounds; round++)
		{
			if (round + 1 < rounds)
				store_round_aggregate(round + 1);
			barrier_arrive(BARRIER_READY);
			barrier_sync(BARRIER_WRITTEN);
			start_round(round + TILE_STAGES);
		}
	}

	/* The look-ahead warp has no part in reducing a tile, and does not wait. */
	__device__ void skip_reduction(int round) const
	{
		sync_padded(round);
		barrier_arrive(BARRIER_REDUCED);
	}

	/*
	 * The look-ahead warp.  It starts to load descriptors only after the thread
	 * block has written its tile: loads that are issued during the writes
	 * complete late, behind the writes.
	 */
	__device__ void look_ahead() const
	{
		int			blocks = gridDim.x;
		long long	round_prefix = 0;

		skip_reduction(0);
		barrier_sync(BARRIER_READY);
		for (int round = 0; round < rounds; round++)
		{
			int			left = tiles - round * blocks;
			long long	before = 0;
			long long	total = 0;

			if (round + 1 < rounds)
				skip_reduction(round + 1);
			if (Agent::has_results)
				sum_aggregates(descriptors + round * blocks, min(blocks, left),
							   left > blocks, epoch, &before, &total);
			if (threadIdx.x == LOOKAHEAD_THREAD)
				memory->prefix = round_prefix + before;
			round_prefix += total;
			barrier_sync(BARRIER_READY);
			barrier_sync(BARRIER_WRITTEN);
		}
	}

	/* Waits until the tile of a round is loaded, and reduces it. */
	__device__ void reduce_round(Agent *agent, int round) const
	{
		TileView<Item> view = view_tile(round);

		stages.finish_loading(view.stage, round / TILE_STAGES, in + view.first,
							  view.count, view.first > 0);
		agent->reduce(view, memory->warps[view.stage]);
		barrier_arrive(BARRIER_REDUCED);
	}

	__device__ void consume(Agent *agent) const
	{
		reduce_round(agent, 0);
		barrier_sync(BARRIER_READY);
		for (int round = 0; round < rounds; round++)
		{
			TileView<Item> view = view_tile(round);
			const long long *warps = memory->warps[view.stage];

			if (round + 1 < rounds)
				reduce_round(agent, round + 1);
			agent->scatter_to_shared(view, warps);
			barrier_sync(BARRIER_READY);
			agent->write(view, memory->prefix, warps);
			barrier_arrive(BARRIER_WRITTEN);
		}
	}
};

/*
 * Goes through an array, in tiles of "rows" rows of each consumer warp.  The
 * agent is a struct with the number of items in a warp's row, and with
 * functions that all consumer threads call:
 *
 * - reduce() stores the aggregate of each warp's part of a tile in "warps".
 * - scatter_to_shared() may move items within the tile.
 * - write() writes the results of a tile, after all threads have returned from
 *   scatter_to_shared().  "before" is the tile's exclusive prefix.
 *
 * The latter two find in "warps" each warp's exclusive prefix in the tile, and
 * after these the tile's aggregate.
 *
 * The halo of a tile is what precedes it in the array; the first tile has
 * none.
 *
 * Shared memory in which reduce() leaves something for write() must be
 * separate for each stage: some warps may reduce the next tile but one while
 * others still write a tile.
 *
 * The agent's source() may return another address of the array, if only the
 * device knows it, as after a sort.
 *
 * All thread blocks must be resident at once, unless there is only one round.
 */
template <typename Agent>
__global__ void __launch_bounds__(TILE_THREADS, TILE_BLOCKS_PER_SM)
tiles_kernel(Agent agent, const typename Agent::Item *in, long long count,
			 int rows, TileDescriptor *descriptors, unsigned epoch)
{
	extern __shared__ __align__(HALO_ROOM) char shared[];
	TileMemory *memory = (TileMemory *) shared;
	int			blocks = gridDim.x;
	int			tile = rows * CONSUMER_WARPS * Agent::row;
	int			tiles = (int) ((count + tile - 1) / tile);
	Rounds<Agent> rounds = {
		in, count, rows,
		{memory->full, shared + sizeof(TileMemory), tile}, tiles,
		(tiles - (int) blockIdx.x + blocks - 1) / blocks,
		memory, descriptors, epoch
	};

	let_next_start();
	if (threadIdx.x == PRODUCER_THREAD)
		rounds.stages.init();
	__syncwarp();
	wait_for_preceding();
	rounds.in = agent.source(in);
	for (int round = 0; round < TILE_STAGES; round++)
		rounds.start_round(round);
	__syncthreads();
	if (threadIdx.x < PRODUCER_THREAD)
		rounds.consume(&agent);
	else if (threadIdx.x < LOOKAHEAD_THREAD)
		rounds.produce();
	else
		rounds.look_ahead();
}

/* The functions that most agents have in common. */
template <typename T>
struct TileAgent
{
	typedef T	Item;
	static const bool has_results = true;	/* else no prefix is waited for */

	__device__ const T *source(const T *in) const
	{
		return in;
	}

	__device__ void scatter_to_shared(const TileView<T> &tile,
									  const long long *warps) const {}
};

/*
 * Queues an agent's work on an array.  The tiles have "rows" rows; by default,
 * so many that each thread block has one tile, if these fit into shared memory:
 * such a launch waits for no thread block behind, and may begin while the
 * kernel before it ends.
 */
template <typename Agent>
static cudaError_t
launch_tiles(const DeviceWork *work, Agent agent,
			 const typename Agent::Item *in, int64_t count, int rows = 0)
{
	const int	row = CONSUMER_WARPS * Agent::row;
	long long	items = count;
	unsigned	epoch;
	void	   *arguments[] = {
		&agent, &in, &items, &rows, &work->ahead->descriptors, &epoch
	};

	return lookahead_launch(work->stream, work->ahead,
							(const void *) tiles_kernel<Agent>, count, row,
							row * sizeof(typename Agent::Item), &rows,
							arguments, &epoch);
}

#endif							/* GPUCOMPACT_TILES_KERNEL_H */
