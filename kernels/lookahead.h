/*
 * lookahead.h
 *	  The way of a single-pass kernel through the tiles of an array.
 *
 * Scan and compaction read each tile once and write its results once.  What
 * stands between is the sum over all tiles before.  A decoupled look-back
 * (Merrill and Garland, "Single-pass parallel prefix scan with decoupled
 * look-back", 2016) has a block wait until the tile before it knows its own;
 * here no block waits for another's prefix:
 *
 * - As many blocks run as fit on the device at once, and each goes through the
 *   array in strides: the tiles of all blocks in one round stand side by side.
 * - Tiles arrive in shared memory some rounds ahead, by bulk asynchronous
 *   copies (on Hopper and later), so that bytes are always in flight.
 * - As soon as a tile has arrived, one round ahead of its turn, its sum is
 *   published.  When its turn comes the block adds up the sums that all blocks
 *   have published for that round: those of the tiles before it give what it
 *   needs, and all together where the next round starts.
 * - Two warps of a block do nothing else: the loader starts the copies, and
 *   publishes; the adder adds up.  The others, who work on the tiles, rarely
 *   wait for these, and for each other once a round.
 *
 * A sum shares a word with the number of the launch that published it, so that
 * nothing has to be cleared before a launch.
 */
#ifndef GPUCOMPACT_LOOKAHEAD_H
#define GPUCOMPACT_LOOKAHEAD_H

#include <cuda_runtime.h>

#include "engine/engine.h"
#include "stages.h"

/* How many words a lane of the adder reads at once. */
#define POLLS			10

/* Rows of a warp in a tile, where a row is 128 items of 4 bytes. */
#define SMALL_ROWS		1
#define LARGE_ROWS		6

/* Where tiles publish: 48 bits of sum, 16 of the launch's number. */
typedef unsigned long long TileWord;

#define TILE_EPOCHS		65536

/*
 * The same for sums of 64 bits: half of the sum in each of two words, which
 * are written and read at once, but may arrive one after the other.  As the
 * number is in the same place, no launch takes a word of the other type, of a
 * launch before, for one of its own.
 */
typedef struct __align__(16) WideTileWord
{
	TileWord	low;
	TileWord	high;
} WideTileWord;

__device__ static inline void
publish_sum(TileWord *word, long long sum, unsigned epoch)
{
	*(volatile TileWord *) word = (TileWord) sum << 16 | epoch;
}

__device__ static inline void
publish_sum(WideTileWord *word, long long sum, unsigned epoch)
{
	TileWord	low = (TileWord) (unsigned) sum << 16 | epoch;
	TileWord	high = (TileWord) sum >> 32 << 16 | epoch;

	asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};"
				 :: "l" (word), "l" (low), "l" (high) : "memory");
}

/* As it is now. */
__device__ static inline TileWord
read_word(const TileWord *word)
{
	return *(const volatile TileWord *) word;
}

__device__ static inline WideTileWord
read_word(const WideTileWord *word)
{
	WideTileWord seen;

	asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
				 : "=l" (seen.low), "=l" (seen.high) : "l" (word) : "memory");
	return seen;
}

/* Was it published in this launch? */
__device__ static inline bool
is_published(TileWord seen, unsigned epoch)
{
	return (seen & 0xFFFF) == epoch;
}

__device__ static inline bool
is_published(WideTileWord seen, unsigned epoch)
{
	return is_published(seen.low, epoch) && is_published(seen.high, epoch);
}

__device__ static inline long long
sum_in(TileWord seen)
{
	return (long long) seen >> 16;
}

__device__ static inline long long
sum_in(WideTileWord seen)
{
	return (long long) (seen.high >> 16 << 32 | seen.low >> 16);
}

/*
 * What a round has published, added up by a warp: over the tiles before this
 * block's own, and over all of them.  "words" are the round's, "tiles" how many
 * there are in it.  The second sum is only there if "all": in the last round no
 * block needs it, nor should wait for the blocks behind it.
 */
template <typename Word>
__device__ static inline void
add_up_round(const Word *words, int tiles, bool all, unsigned epoch,
			 long long *before_own, long long *total)
{
	int			own = blockIdx.x;
	int			last = all ? tiles : own;
	long long	before = 0;
	long long	sum = 0;

	for (int at = threadIdx.x % WARP; at < last; at += POLLS * WARP)
	{
		Word		seen[POLLS] = {};
		unsigned	missing = 0;

#pragma unroll
		for (int i = 0; i < POLLS; i++)
			missing |= (at + i * WARP < last) << i;

		/* those that are missing are all on their way at once */
		while (missing != 0)
		{
#pragma unroll
			for (int i = 0; i < POLLS; i++)
			{
				if (missing >> i & 1)
					seen[i] = read_word(&words[at + i * WARP]);
			}
#pragma unroll
			for (int i = 0; i < POLLS; i++)
			{
				if (is_published(seen[i], epoch))
					missing &= ~(1u << i);
			}
		}
#pragma unroll
		for (int i = 0; i < POLLS; i++)
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
template <typename Work>
struct TileMemory
{
	Stages<typename Work::Item, Work::tile> stages;
	long long	warps[STAGES][TILE_WARPS + 1];	/* see tiles_kernel */
	long long	before;			/* the tile that is written */
};

/* What a block goes through. */
template <typename Work>
struct Rounds
{
	const typename Work::Item *in;
	long long	count;
	int			tiles;			/* of all blocks */
	int			rounds;			/* of this one */

	__device__ int tile(int round) const
	{
		return round * gridDim.x + blockIdx.x;
	}

	__device__ long long first(int round) const
	{
		return (long long) tile(round) * Work::tile;
	}

	/* Items of the tile. */
	__device__ int items(int round) const
	{
		return (int) min((long long) Work::tile, count - first(round));
	}
};

/* Begins to load the tile of a round, if it has one. */
template <typename Work>
__device__ static inline void
start_round(TileMemory<Work> *memory, const Rounds<Work> &rounds, int round)
{
	long long	first = rounds.first(round);

	if (round < rounds.rounds && threadIdx.x == LOADER)
		start_loading(&memory->stages, round % STAGES, rounds.in + first,
					  rounds.items(round), first > 0);
}

/*
 * Waits until the workers have filled in what the last tile lacks.  Only they
 * need to; but racecheck (of CUDA 13.0) takes what the loader reads for a
 * hazard if it has waited at fewer barriers than those who wrote it.
 */
template <typename Work>
__device__ static inline void
sync_filled(const Rounds<Work> &rounds, int round)
{
	if (rounds.items(round) < Work::tile)
		barrier_sync(BARRIER_FILLED);
}

/*
 * Makes of the sums over the warps' parts of a tile those over the parts
 * before, and publishes that over the tile.
 */
template <typename Word, typename Work>
__device__ static inline void
publish_round(TileMemory<Work> *memory, const Rounds<Work> &rounds, int round,
			  Word *words, unsigned epoch)
{
	long long  *warps = memory->warps[round % STAGES];
	int			lane = threadIdx.x % WARP;
	long long	own;
	long long	sum;

	sync_filled(rounds, round);
	barrier_sync(BARRIER_SUMMED);
	own = lane < TILE_WARPS ? warps[lane] : 0;
	sum = warp_inclusive_scan(own);
	if (lane <= TILE_WARPS)
		warps[lane] = sum - own;
	if (lane == TILE_WARPS)
		publish_sum(&words[rounds.tile(round)], sum, epoch);
}

/* What the loader does. */
template <typename Word, typename Work>
__device__ static inline void
load_rounds(TileMemory<Work> *memory, const Rounds<Work> &rounds, Word *words,
			unsigned epoch)
{
	publish_round(memory, rounds, 0, words, epoch);
	barrier_sync(BARRIER_READY);
	for (int round = 0; round < rounds.rounds; round++)
	{
		if (round + 1 < rounds.rounds)
			publish_round(memory, rounds, round + 1, words, epoch);
		barrier_arrive(BARRIER_READY);
		barrier_sync(BARRIER_WRITTEN);
		start_round(memory, rounds, round + STAGES);
	}
}

/* The adder's part while a tile is summed up, which it does not wait for. */
template <typename Work>
__device__ static inline void
pass_sum(const Rounds<Work> &rounds, int round)
{
	sync_filled(rounds, round);
	barrier_arrive(BARRIER_SUMMED);
}

/*
 * What the adder does.  It begins to look only when the block has written its
 * tile: as long as it writes, what is read comes late.
 */
template <typename Word, typename Work>
__device__ static inline void
add_up_rounds(TileMemory<Work> *memory, const Rounds<Work> &rounds,
			  const Word *words, unsigned epoch, long long round_start)
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
		add_up_round(words + round * blocks, min(blocks, left), left > blocks,
					 epoch, &before, &total);
		if (threadIdx.x == ADDER)
			memory->before = round_start + before;
		round_start += total;
		barrier_sync(BARRIER_READY);
		barrier_sync(BARRIER_WRITTEN);
	}
}

/* Waits until the tile of a round is there, and sums it up. */
template <typename Work>
__device__ static inline void
sum_round(TileMemory<Work> *memory, const Rounds<Work> &rounds, Work *work,
		  int round)
{
	int			stage = round % STAGES;
	long long	first = rounds.first(round);
	int			items = rounds.items(round);

	finish_loading(&memory->stages, stage, round / STAGES, rounds.in + first,
				   items, first > 0);
	work->sum(memory->stages.stages[stage].items, first, items,
			  memory->warps[stage]);
	barrier_arrive(BARRIER_SUMMED);
}

/* What the workers do. */
template <typename Work>
__device__ static inline void
work_through(TileMemory<Work> *memory, const Rounds<Work> &rounds, Work *work)
{
	sum_round(memory, rounds, work, 0);
	barrier_sync(BARRIER_READY);
	for (int round = 0; round < rounds.rounds; round++)
	{
		typename Work::Item *items =
			memory->stages.stages[round % STAGES].items;
		const long long *warps = memory->warps[round % STAGES];
		long long	first = rounds.first(round);
		int			count = rounds.items(round);

		if (round + 1 < rounds.rounds)
			sum_round(memory, rounds, work, round + 1);
		work->arrange(items, first, count, warps);
		barrier_sync(BARRIER_READY);
		work->write(items, first, count, memory->before, warps,
					rounds.tile(round) == rounds.tiles - 1);
		barrier_arrive(BARRIER_WRITTEN);
	}
}

/*
 * Goes through an array.  The work is a struct with a tile's size, and with
 * functions to be called by all workers: sum(), which puts the sum over each
 * warp's part of a tile into "warps"; arrange(), which may move items within
 * the tile; and write(), after all have arranged theirs, which is told what
 * the sums over all tiles before come to.  These begin with *start, or with
 * zero if that is NULL.  The latter two find in "warps" the sums over the
 * parts before each warp's, and behind the last one that over the tile.
 *
 * All three are told where in the array the tile begins, and how many items of
 * it there are: those of the last tile that are past the end are zeros.  The
 * 16 bytes before the items are what precedes them, unless nothing does.  The
 * word is one that has room for the sum over a tile.
 *
 * What sum() leaves in shared memory for write() must be apart for each of the
 * stages: while some warps write a tile, others may sum up the one after the
 * next.
 *
 * All blocks must be on the device at once, unless there is but one round.
 */
template <typename Word, typename Work>
__global__ void __launch_bounds__(TILES_BLOCK, 2)
tiles_kernel(Work work, const typename Work::Item *in, long long count,
			 Word *words, unsigned epoch, const long long *start)
{
	extern __shared__ __align__(LEAD_ROOM) char shared[];
	TileMemory<Work> *memory = (TileMemory<Work> *) shared;
	int			blocks = gridDim.x;
	int			tiles = (int) ((count + Work::tile - 1) / Work::tile);
	Rounds<Work> rounds = {
		in, count, tiles, (tiles - (int) blockIdx.x + blocks - 1) / blocks
	};

	if (threadIdx.x == LOADER)
		init_stages(&memory->stages);
	__syncwarp();
	for (int round = 0; round < STAGES; round++)
		start_round(memory, rounds, round);
	__syncthreads();
	if (threadIdx.x < LOADER)
		work_through(memory, rounds, &work);
	else if (threadIdx.x < ADDER)
		load_rounds(memory, rounds, words, epoch);
	else
		add_up_rounds(memory, rounds, words, epoch, start ? *start : 0);
}

/*
 * The host's side: the words, and the number of the next launch.
 */
typedef struct LookAhead
{
	void	   *words;			/* on the device, of the most tiles */
	unsigned	epoch;			/* of the last launch; 0 before the first */
	bool		small_only;		/* is shared memory too small for more? */
	int			opening;		/* how many there were before, and this one */
} LookAhead;

/* How many blocks of a kernel fit on the device, as of an opening. */
typedef struct Resident
{
	int			blocks;
	int			opening;		/* 0: not known yet */
} Resident;

/* lookahead.cu */
extern EngineStatus lookahead_open(LookAhead *ahead);
extern EngineStatus lookahead_launch(cudaStream_t stream, LookAhead *ahead,
									 const void *kernel, size_t shared,
									 int64_t tiles, void **arguments,
									 Resident *resident);

/* Queues some work on an array. */
template <typename Word = TileWord, typename Work>
static EngineStatus
launch_tiles(cudaStream_t stream, LookAhead *ahead, Work work,
			 const typename Work::Item *in, int64_t count,
			 const long long *start)
{
	static Resident resident = {0, 0};
	int64_t		tiles = (count + Work::tile - 1) / Work::tile;
	long long	items = count;
	void	   *arguments[] = {
		&work, &in, &items, &ahead->words, &ahead->epoch, &start
	};

	return lookahead_launch(stream, ahead,
							(const void *) tiles_kernel<Word, Work>,
							sizeof(TileMemory<Work>), tiles, arguments,
							&resident);
}

#endif							/* GPUCOMPACT_LOOKAHEAD_H */
