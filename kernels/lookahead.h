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
 *
 * A sum shares a word with the number of the launch that published it, so that
 * nothing has to be cleared before a launch.
 */
#ifndef GPUCOMPACT_LOOKAHEAD_H
#define GPUCOMPACT_LOOKAHEAD_H

#include <cuda_runtime.h>

#include "engine.h"
#include "warp.h"

#define TILE_THREADS	384
#define TILE_WARPS		(TILE_THREADS / WARP)
#define STAGES			3

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

/* Waits until the sum is published in this launch. */
__device__ static inline long long
published_sum(const TileWord *word, unsigned epoch)
{
	TileWord	seen;

	do
		seen = *(const volatile TileWord *) word;
	while ((seen & 0xFFFF) != epoch);
	return (long long) seen >> 16;
}

__device__ static inline long long
published_sum(const WideTileWord *word, unsigned epoch)
{
	TileWord	low;
	TileWord	high;

	do
		asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
					 : "=l" (low), "=l" (high) : "l" (word) : "memory");
	while ((low & 0xFFFF) != epoch || (high & 0xFFFF) != epoch);
	return (long long) (high >> 16 << 32 | low >> 16);
}

/*
 * The tiles that arrive in a block's shared memory.
 */
template <typename T, int TILE>
struct Stages
{
	T			items[STAGES][TILE];
	unsigned long long arrived[STAGES]; /* mbarriers */
};

#if __CUDA_ARCH__ >= 900

__device__ static inline unsigned
shared_address(const void *pointer)
{
	return (unsigned) __cvta_generic_to_shared(pointer);
}

template <typename T, int TILE>
__device__ static inline void
init_stages(Stages<T, TILE> *stages)
{
	if (threadIdx.x == 0)
	{
		for (int i = 0; i < STAGES; i++)
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
						 :: "r" (shared_address(&stages->arrived[i])));
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncthreads();
}

/*
 * Begins to load items into a stage.  The bulk copy moves multiples of 16
 * bytes; the few items that are left over at the end of the array come with
 * finish_loading.
 */
template <typename T, int TILE>
__device__ static inline void
start_loading(Stages<T, TILE> *stages, int stage, const T *from, int count)
{
	unsigned	bytes = count * sizeof(T) / 16 * 16;
	unsigned	barrier = shared_address(&stages->arrived[stage]);

	if (threadIdx.x != 0)
		return;

	/* What was done with the stage before comes before the copy. */
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
				 :: "r" (barrier), "r" (bytes) : "memory");
	if (bytes > 0)
		asm volatile("cp.async.bulk.shared::cluster.global"
					 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
					 :: "r" (shared_address(stages->items[stage])),
					 "l" (from), "r" (bytes), "r" (barrier) : "memory");
}

/* Waits for a stage; "turn" is how often it was loaded before. */
template <typename T, int TILE>
__device__ static inline void
finish_loading(Stages<T, TILE> *stages, int stage, int turn, const T *from,
			   int count)
{
	int			copied = count * sizeof(T) / 16 * 16 / sizeof(T);
	unsigned	done = 0;

	while (!done)
		asm volatile("{ .reg .pred p;\n"
					 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
					 "selp.u32 %0, 1, 0, p; }"
					 : "=r" (done)
					 : "r" (shared_address(&stages->arrived[stage])),
					 "r" (turn & 1) : "memory");
	if (count < TILE)
	{
		for (int i = copied + threadIdx.x; i < TILE; i += TILE_THREADS)
			stages->items[stage][i] = i < count ? from[i] : 0;
		__syncthreads();
	}
}

#else							/* before Hopper */

template <typename T, int TILE>
__device__ static inline void
init_stages(Stages<T, TILE> *stages)
{
}

template <typename T, int TILE>
__device__ static inline void
start_loading(Stages<T, TILE> *stages, int stage, const T *from, int count)
{
}

template <typename T, int TILE>
__device__ static inline void
finish_loading(Stages<T, TILE> *stages, int stage, int turn, const T *from,
			   int count)
{
	int			vectors = count * sizeof(T) / sizeof(int4);
	int			copied = vectors * sizeof(int4) / sizeof(T);

	for (int i = threadIdx.x; i < vectors; i += TILE_THREADS)
		((int4 *) stages->items[stage])[i] = ((const int4 *) from)[i];
	for (int i = copied + threadIdx.x; i < TILE; i += TILE_THREADS)
		stages->items[stage][i] = i < count ? from[i] : 0;
	__syncthreads();
}

#endif

/*
 * What a round has published, added up by the block: over the tiles before
 * this block's own, and over all of them.  "words" are the round's, "tiles"
 * how many there are in it.  The second sum is only there if "all": in the
 * last round no block needs it, nor should wait for the blocks behind it.
 */
struct RoundSums
{
	long long	before[TILE_WARPS];
	long long	all[TILE_WARPS];
};

template <typename Word>
__device__ static inline void
add_up_round(RoundSums *sums, const Word *words, int tiles, bool all,
			 unsigned epoch, long long *before_own, long long *total)
{
	int			own = blockIdx.x;
	int			last = all ? tiles : own;
	long long	before = 0;
	long long	sum = 0;

	for (int i = threadIdx.x; i < last; i += TILE_THREADS)
	{
		long long	published = published_sum(&words[i], epoch);

		sum += published;
		before += i < own ? published : 0;
	}
	before = warp_sum(before);
	sum = warp_sum(sum);
	if (threadIdx.x % WARP == 0)
	{
		sums->before[threadIdx.x / WARP] = before;
		sums->all[threadIdx.x / WARP] = sum;
	}
	__syncthreads();
	before = sum = 0;
	for (int i = 0; i < TILE_WARPS; i++)
	{
		before += sums->before[i];
		sum += sums->all[i];
	}
	*before_own = before;
	*total = sum;
}

/*
 * What a block has in shared memory.
 */
template <typename Work>
struct TileMemory
{
	__align__(128) Stages<typename Work::Item, Work::tile> stages;
	long long	warps[2][TILE_WARPS];	/* sums of the warps' parts of a tile,
										 * of this round and of the next */
	RoundSums	round;
};

/* Begins to load the tile of a round, if it has one. */
template <typename Work>
__device__ static inline void
start_round(TileMemory<Work> *memory, const typename Work::Item *in,
			long long count, int round, int rounds)
{
	long long	tile = (long long) round * gridDim.x + blockIdx.x;
	long long	first = tile * Work::tile;

	if (round < rounds)
		start_loading(&memory->stages, round % STAGES, in + first,
					  (int) min((long long) Work::tile, count - first));
}

/*
 * Goes through an array.  The work is a struct with a tile's size, and with
 * functions to be called by all threads of a block: sum(), which puts the sum
 * over each warp's part of a tile into "warps"; arrange(), which may move
 * items within the tile; and write(), which is told what the sums over all
 * tiles before come to.  It starts at *start, or at zero if that is NULL.  All
 * three are told where in the array the tile begins, and how many items of it
 * there are: those of the last tile that are past the end are zeros.  The word
 * is one that has room for the sum over a tile.
 *
 * All blocks must be on the device at once, unless there is but one round.
 */
template <typename Word, typename Work>
__global__ void __launch_bounds__(TILE_THREADS, 2)
tiles_kernel(Work work, const typename Work::Item *in, long long count,
			 Word *words, unsigned epoch, const long long *start)
{
	extern __shared__ __align__(128) char shared[];
	TileMemory<Work> *memory = (TileMemory<Work> *) shared;
	int			blocks = gridDim.x;
	int			tiles = (int) ((count + Work::tile - 1) / Work::tile);
	int			rounds = (tiles - (int) blockIdx.x + blocks - 1) / blocks;
	long long	round_start = start ? *start : 0;

	init_stages(&memory->stages);
	for (int round = 0; round < STAGES; round++)
		start_round<Work>(memory, in, count, round, rounds);

	/* In round -1, only the first tile's sum is published. */
	for (int round = -1; round < rounds; round++)
	{
		int			next = round + 1;
		long long	before;
		long long	total;

		if (next < rounds)
		{
			int			tile = next * blocks + blockIdx.x;
			long long	first = (long long) tile * Work::tile;
			int			tile_count = (int) min((long long) Work::tile,
											   count - first);
			long long  *warps = memory->warps[next & 1];

			finish_loading(&memory->stages, next % STAGES, next / STAGES,
						   in + first, tile_count);
			work.sum(memory->stages.items[next % STAGES], first, tile_count,
					 warps);
			__syncthreads();
			if (threadIdx.x < WARP)
			{
				long long	sum = warp_sum(threadIdx.x < TILE_WARPS ?
										   warps[threadIdx.x] : 0);

				if (threadIdx.x == 0)
					publish_sum(&words[tile], sum, epoch);
			}
		}
		if (round < 0)
			continue;

		int			tile = round * blocks + blockIdx.x;
		long long	first = (long long) tile * Work::tile;
		int			tile_count = (int) min((long long) Work::tile,
										   count - first);
		bool		last_round = (round + 1) * blocks >= tiles;
		typename Work::Item *items = memory->stages.items[round % STAGES];

		work.arrange(items, first, tile_count, memory->warps[round & 1]);
		add_up_round(&memory->round, words + round * blocks,
					 min(blocks, tiles - round * blocks), !last_round, epoch,
					 &before, &total);
		work.write(items, first, tile_count, round_start + before,
				   memory->warps[round & 1], tile == tiles - 1);
		round_start += total;

		/* The stage is free again. */
		__syncthreads();
		start_round<Work>(memory, in, count, round + STAGES, rounds);
	}
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
