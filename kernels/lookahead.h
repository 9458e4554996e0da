/*
 * lookahead.h
 *	  The way of a single-pass kernel through the tiles of an array.
 *
 * Scan and compaction read each tile once and write its results once.  Between
 * the two they need the sum over all tiles before.  With a decoupled look-back
 * (Merrill and Garland, "Single-pass parallel prefix scan with decoupled
 * look-back", 2016) a block waits until the tile before it knows its own prefix;
 * here no block waits for the prefix of another one:
 *
 * - As many blocks run as fit on the device at once, and each goes through the
 *   array in strides: the tiles of all blocks in one round are neighbours.
 * - Tiles arrive in shared memory some rounds ahead, by bulk asynchronous
 *   copies (on Hopper and later), so that bytes are always in flight.
 * - When a tile has arrived, one round ahead of its turn, its block publishes its
 *   sum as the tile's state.  When its turn comes, the block adds up the sums
 *   that all blocks have published for that round: those of the tiles before it
 *   give its prefix, and all together that of the next round.
 * - Warps are specialized: the load warp starts the copies and publishes, the
 *   look-ahead warp adds up, and the compute warps, which work on the tiles,
 *   rarely wait for these, and for each other once a round.
 *
 * A tile's state has the number of the launch that published it, so that nothing
 * has to be cleared before a launch.
 */
#ifndef GPUCOMPACT_LOOKAHEAD_H
#define GPUCOMPACT_LOOKAHEAD_H

#include <pthread.h>

#include <cuda_runtime.h>

#include "stages.h"

/* The state of a tile: 48 bits of sum, and 16 of the launch's number. */
typedef unsigned long long TileState;

#define TILE_EPOCHS		65536

/*
 * The same for sums of 64 bits: half of the sum in each of two words, which are
 * written and read at once, but may arrive one after the other.  As the launch's
 * number is in the same place, no launch takes a state of the other type, of a
 * launch before it, for one of its own.
 */
typedef struct __align__(16) WideTileState
{
	TileState	low;
	TileState	high;
} WideTileState;

__device__ static inline void
publish(TileState *state, long long sum, unsigned epoch)
{
	*(volatile TileState *) state = (TileState) sum << 16 | epoch;
}

__device__ static inline void
publish(WideTileState *state, long long sum, unsigned epoch)
{
	TileState	low = (TileState) (unsigned) sum << 16 | epoch;
	TileState	high = (TileState) sum >> 32 << 16 | epoch;

	asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};"
				 :: "l" (state), "l" (low), "l" (high) : "memory");
}

/* Reads a state as it is now. */
__device__ static inline TileState
read_state(const TileState *state)
{
	return *(const volatile TileState *) state;
}

__device__ static inline WideTileState
read_state(const WideTileState *state)
{
	WideTileState seen;

	asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
				 : "=l" (seen.low), "=l" (seen.high) : "l" (state) : "memory");
	return seen;
}

/* Was it published in this launch? */
__device__ static inline bool
is_published(TileState seen, unsigned epoch)
{
	return (seen & 0xFFFF) == epoch;
}

__device__ static inline bool
is_published(WideTileState seen, unsigned epoch)
{
	return is_published(seen.low, epoch) && is_published(seen.high, epoch);
}

__device__ static inline long long
sum_in(TileState seen)
{
	return (long long) seen >> 16;
}

__device__ static inline long long
sum_in(WideTileState seen)
{
	return (long long) (seen.high >> 16 << 32 | seen.low >> 16);
}

/*
 * Adds up what the tiles of a round have published, by a warp: over the tiles
 * before this block's own, and over all of them.  The second sum is made only if
 * "all": in the last round no block needs it, nor should wait for the blocks
 * behind it.
 */
template <typename State>
__device__ static inline void
add_up_round(const State *states, int tiles, bool all, unsigned epoch,
			 long long *before_own, long long *total)
{
	int			own = blockIdx.x;
	int			last = all ? tiles : own;
	long long	before = 0;
	long long	sum = 0;

	for (int at = threadIdx.x % WARP; at < last; at += LOOKAHEAD_POLLS * WARP)
	{
		State		seen[LOOKAHEAD_POLLS] = {};
		unsigned	missing = 0;

#pragma unroll
		for (int i = 0; i < LOOKAHEAD_POLLS; i++)
			missing |= (at + i * WARP < last) << i;

		/* All states that are missing are on their way at once. */
		while (missing != 0)
		{
#pragma unroll
			for (int i = 0; i < LOOKAHEAD_POLLS; i++)
			{
				if (missing >> i & 1)
					seen[i] = read_state(&states[at + i * WARP]);
			}
#pragma unroll
			for (int i = 0; i < LOOKAHEAD_POLLS; i++)
			{
				if (is_published(seen[i], epoch))
					missing &= ~(1u << i);
			}
		}
#pragma unroll
		for (int i = 0; i < LOOKAHEAD_POLLS; i++)
		{
			sum += sum_in(seen[i]);
			if (at + i * WARP < own)
				before += sum_in(seen[i]);
		}
	}
	*before_own = warp_sum(before);
	*total = warp_sum(sum);
}

/*
 * What a block has in shared memory.
 */
template <typename Agent>
struct TileMemory
{
	Stages<typename Agent::Item, Agent::tile> stages;
	long long	warps[TILE_STAGES][COMPUTE_WARPS + 1];	/* see tiles_kernel */
	long long	before;			/* the tile that is written */
};

/* What a block goes through. */
template <typename Agent>
struct Rounds
{
	const typename Agent::Item *in;
	long long	count;
	int			tiles;			/* of all blocks */
	int			rounds;			/* of this one */

	__device__ int tile(int round) const
	{
		return round * gridDim.x + blockIdx.x;
	}

	__device__ long long first(int round) const
	{
		return (long long) tile(round) * Agent::tile;
	}

	/* Items of the tile. */
	__device__ int items(int round) const
	{
		return (int) min((long long) Agent::tile, count - first(round));
	}
};

/*
 * A tile that a compute warp is at: its items in shared memory, its stage there,
 * where in the array it begins, and how many items of the array it has.  The
 * other items of the last tile are zeros.
 */
template <typename Item>
struct TileView
{
	Item	   *items;
	int			stage;
	long long	first;
	int			count;
	bool		last;			/* is it the array's last tile? */
};

template <typename Agent>
__device__ static inline TileView<typename Agent::Item>
view_tile(TileMemory<Agent> *memory, const Rounds<Agent> &rounds, int round)
{
	int			stage = round % TILE_STAGES;

	return {memory->stages.stages[stage].items, stage, rounds.first(round),
		rounds.items(round), rounds.tile(round) == rounds.tiles - 1};
}

/* Begins to load the tile of a round, if it has one. */
template <typename Agent>
__device__ static inline void
start_round(TileMemory<Agent> *memory, const Rounds<Agent> &rounds, int round)
{
	long long	first = rounds.first(round);

	if (round < rounds.rounds && threadIdx.x == LOAD_THREAD)
		start_loading(&memory->stages, round % TILE_STAGES, rounds.in + first,
					  rounds.items(round), first > 0);
}

/*
 * Waits until the compute warps have filled in what the last tile lacks.  Only
 * they need to; but racecheck (of CUDA 13.0) takes what the load warp reads for a
 * hazard if it has waited at fewer barriers than those who wrote it.
 */
template <typename Agent>
__device__ static inline void
sync_filled(const Rounds<Agent> &rounds, int round)
{
	if (rounds.items(round) < Agent::tile)
		barrier_sync(BARRIER_FILLED);
}

/*
 * Scans the sums over the warps' parts of a tile, exclusively, and publishes the
 * sum over the tile.
 */
template <typename State, typename Agent>
__device__ static inline void
publish_round(TileMemory<Agent> *memory, const Rounds<Agent> &rounds,
			  int round, State *states, unsigned epoch)
{
	long long  *warps = memory->warps[round % TILE_STAGES];
	int			lane = threadIdx.x % WARP;
	long long	own;
	long long	sum;

	sync_filled(rounds, round);
	barrier_sync(BARRIER_SUMMED);
	own = lane < COMPUTE_WARPS ? warps[lane] : 0;
	sum = warp_inclusive_scan(own);
	if (lane <= COMPUTE_WARPS)
		warps[lane] = sum - own;
	if (lane == COMPUTE_WARPS)
		publish(&states[rounds.tile(round)], sum, epoch);
}

/* The load warp. */
template <typename State, typename Agent>
__device__ static inline void
load_rounds(TileMemory<Agent> *memory, const Rounds<Agent> &rounds,
			State *states, unsigned epoch)
{
	publish_round(memory, rounds, 0, states, epoch);
	barrier_sync(BARRIER_READY);
	for (int round = 0; round < rounds.rounds; round++)
	{
		if (round + 1 < rounds.rounds)
			publish_round(memory, rounds, round + 1, states, epoch);
		barrier_arrive(BARRIER_READY);
		barrier_sync(BARRIER_WRITTEN);
		start_round(memory, rounds, round + TILE_STAGES);
	}
}

/* The look-ahead warp's part while a tile is summed up: it does not wait. */
template <typename Agent>
__device__ static inline void
pass_sum(const Rounds<Agent> &rounds, int round)
{
	sync_filled(rounds, round);
	barrier_arrive(BARRIER_SUMMED);
}

/*
 * The look-ahead warp.  It begins to read only when the block has written its
 * tile: what a block reads while it writes arrives late, behind the writes.
 */
template <typename State, typename Agent>
__device__ static inline void
look_ahead(TileMemory<Agent> *memory, const Rounds<Agent> &rounds,
		   const State *states, unsigned epoch, long long round_start)
{
	int			blocks = gridDim.x;

	pass_sum(rounds, 0);
	barrier_sync(BARRIER_READY);
	for (int round = 0; round < rounds.rounds; round++)
	{
		int			left = rounds.tiles - round * blocks;
		long long	before;
		long long	total;

		if (round + 1 < rounds.rounds)
			pass_sum(rounds, round + 1);
		add_up_round(states + round * blocks, min(blocks, left),
					 left > blocks, epoch, &before, &total);
		if (threadIdx.x == LOOKAHEAD_THREAD)
			memory->before = round_start + before;
		round_start += total;
		barrier_sync(BARRIER_READY);
		barrier_sync(BARRIER_WRITTEN);
	}
}

/* Waits until the tile of a round has arrived, and sums it up. */
template <typename Agent>
__device__ static inline void
sum_round(TileMemory<Agent> *memory, const Rounds<Agent> &rounds, Agent *agent,
		  int round)
{
	TileView<typename Agent::Item> tile = view_tile(memory, rounds, round);

	finish_loading(&memory->stages, tile.stage, round / TILE_STAGES,
				   rounds.in + tile.first, tile.count, tile.first > 0);
	agent->sum(tile, memory->warps[tile.stage]);
	barrier_arrive(BARRIER_SUMMED);
}

/* The compute warps. */
template <typename Agent>
__device__ static inline void
compute_rounds(TileMemory<Agent> *memory, const Rounds<Agent> &rounds,
			   Agent *agent)
{
	sum_round(memory, rounds, agent, 0);
	barrier_sync(BARRIER_READY);
	for (int round = 0; round < rounds.rounds; round++)
	{
		TileView<typename Agent::Item> tile = view_tile(memory, rounds, round);
		const long long *warps = memory->warps[tile.stage];

		if (round + 1 < rounds.rounds)
			sum_round(memory, rounds, agent, round + 1);
		agent->arrange(tile, warps);
		barrier_sync(BARRIER_READY);
		agent->write(tile, memory->before, warps);
		barrier_arrive(BARRIER_WRITTEN);
	}
}

/*
 * Goes through an array.  The agent is a struct with a tile's size, and with
 * functions that all compute threads call: sum(), which puts the sum over each
 * warp's part of a tile into "warps"; arrange(), which may move items within the
 * tile; and write(), after all threads have arranged theirs, which is given the
 * sum over all tiles before.  That begins with *start, or with zero if that is
 * NULL.  The latter two find in "warps" the sums over the parts before each
 * warp's, and behind the last one that over the tile.
 *
 * The 16 bytes before the items of a tile are those that precede it in the array,
 * unless it is the first.  The state is one that has room for the sum over a
 * tile.
 *
 * What sum() leaves in shared memory for write() must be apart for each stage:
 * while some warps write a tile, others may sum up the one after the next.
 *
 * The agent's source() may say that the array is elsewhere, as only the device
 * knows after a sort.
 *
 * All blocks must be on the device at once, unless there is only one round.
 */
template <typename State, typename Agent>
__global__ void __launch_bounds__(TILE_BLOCK, TILE_BLOCKS_PER_SM)
tiles_kernel(Agent agent, const typename Agent::Item *in, long long count,
			 State *states, unsigned epoch, const long long *start)
{
	extern __shared__ __align__(LEAD_ROOM) char shared[];
	TileMemory<Agent> *memory = (TileMemory<Agent> *) shared;
	int			blocks = gridDim.x;
	int			tiles = (int) ((count + Agent::tile - 1) / Agent::tile);
	Rounds<Agent> rounds = {
		agent.source(in), count, tiles,
		(tiles - (int) blockIdx.x + blocks - 1) / blocks
	};

	if (threadIdx.x == LOAD_THREAD)
		init_stages(&memory->stages);
	__syncwarp();
	for (int round = 0; round < TILE_STAGES; round++)
		start_round(memory, rounds, round);
	__syncthreads();
	if (threadIdx.x < LOAD_THREAD)
		compute_rounds(memory, rounds, &agent);
	else if (threadIdx.x < LOOKAHEAD_THREAD)
		load_rounds(memory, rounds, states, epoch);
	else
		look_ahead(memory, rounds, states, epoch, start ? *start : 0);
}

/* The part of an agent that most have in common. */
template <typename T>
struct TileAgent
{
	typedef T	Item;

	/* Where the array is: as the host has said, unless the device knows better. */
	__device__ const T *source(const T *in) const
	{
		return in;
	}

	__device__ void arrange(const TileView<T> &tile,
							const long long *warps) const {}
};

/*
 * The host's side: the states of the tiles on a device, and the number of the
 * next launch.  Launches that use them must be on one stream.
 */
typedef struct LookAhead
{
	pthread_mutex_t lock;		/* of "epoch", from its reading to the launch */
	void	   *states;			/* on the device, of the most tiles */
	unsigned	epoch;			/* of the last launch; 0 before the first */
	int			device;
	int			processors;
	bool		small_only;		/* is shared memory too small for more? */
} LookAhead;

/* How many blocks of a kernel fit on a device. */
#define MOST_DEVICES		64

typedef struct Resident
{
	int			blocks[MOST_DEVICES];	/* 0: not known yet */
} Resident;

/* lookahead.cu */
extern cudaError_t lookahead_open(LookAhead *ahead);
extern void lookahead_close(LookAhead *ahead);
extern cudaError_t lookahead_launch(cudaStream_t stream, LookAhead *ahead,
									const void *kernel, size_t shared,
									int64_t tiles, void **arguments,
									unsigned *epoch, Resident *resident);

/* Queues an agent's work on an array. */
template <typename State = TileState, typename Agent>
static cudaError_t
launch_tiles(cudaStream_t stream, LookAhead *ahead, Agent agent,
			 const typename Agent::Item *in, int64_t count,
			 const long long *start)
{
	static Resident resident;
	int64_t		tiles = (count + Agent::tile - 1) / Agent::tile;
	long long	items = count;
	unsigned	epoch;
	void	   *arguments[] = {
		&agent, &in, &items, &ahead->states, &epoch, &start
	};

	return lookahead_launch(stream, ahead,
							(const void *) tiles_kernel<State, Agent>,
							sizeof(TileMemory<Agent>), tiles, arguments,
							&epoch, &resident);
}

/* Is an array of so many items to be cut into small tiles? */
static inline bool
takes_small_tiles(const LookAhead *ahead, int64_t items)
{
	return items <= SMALL_TILE_ITEMS || ahead->small_only;
}

#endif							/* GPUCOMPACT_LOOKAHEAD_H */
