/*
 * stages.h
 *	  The way of tiles into shared memory.
 */
#ifndef GPUCOMPACT_STAGES_H
#define GPUCOMPACT_STAGES_H

#include <cuda_runtime.h>

#include "roles.h"

/*
 * Tiles in shared memory: one that is written, one that is summed up, and one
 * on its way.
 */
#define STAGES			3

/*
 * There is so much room before a tile, and so many bytes in it are what
 * precedes the tile in the array.
 */
#define LEAD_ROOM		128
#define LEAD_BYTES		16

/*
 * The tiles that arrive in a block's shared memory, each after what precedes
 * it in the array.
 */
template <typename T, int TILE>
struct __align__(LEAD_ROOM) Stage
{
	char		lead[LEAD_ROOM];
	T			items[TILE];
};

template <typename T, int TILE>
struct Stages
{
	Stage<T, TILE> stages[STAGES];
	unsigned long long arrived[STAGES]; /* mbarriers */
};

#if __CUDA_ARCH__ >= 900

__device__ static inline unsigned
shared_address(const void *pointer)
{
	return (unsigned) __cvta_generic_to_shared(pointer);
}

/* For one thread. */
template <typename T, int TILE>
__device__ static inline void
init_stages(Stages<T, TILE> *stages)
{
	for (int i = 0; i < STAGES; i++)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
					 :: "r" (shared_address(&stages->arrived[i])));
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Begins to copy a multiple of 16 bytes; for one thread. */
__device__ static inline void
start_copy(void *to, const void *from, unsigned bytes, unsigned barrier)
{
	asm volatile("cp.async.bulk.shared::cluster.global"
				 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
				 :: "r" (shared_address(to)), "l" (from), "r" (bytes),
				 "r" (barrier) : "memory");
}

/*
 * Begins to load items into a stage, and what precedes them, which comes apart,
 * as copies are faster from where a line begins; for one thread.  The few items
 * that are left over at the end of the array come with finish_loading.
 */
template <typename T, int TILE>
__device__ static inline void
start_loading(Stages<T, TILE> *stages, int stage, const T *from, int count,
			  bool precedes)
{
	char	   *items = (char *) stages->stages[stage].items;
	unsigned	lead = precedes ? LEAD_BYTES : 0;
	unsigned	bytes = count * sizeof(T) / 16 * 16;
	unsigned	barrier = shared_address(&stages->arrived[stage]);

	/* What was done with the stage before comes before the copy. */
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
				 :: "r" (barrier), "r" (lead + bytes) : "memory");
	if (bytes > 0)
		start_copy(items, from, bytes, barrier);
	if (lead > 0)
		start_copy(items - lead, (const char *) from - lead, lead, barrier);
}

/* Waits for a stage; "turn" is how often it was loaded before. */
template <typename T, int TILE>
__device__ static inline void
finish_loading(Stages<T, TILE> *stages, int stage, int turn, const T *from,
			   int count, bool precedes)
{
	T		   *items = stages->stages[stage].items;
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
			items[i] = i < count ? from[i] : 0;
		barrier_sync(BARRIER_FILLED);
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
start_loading(Stages<T, TILE> *stages, int stage, const T *from, int count,
			  bool precedes)
{
}

template <typename T, int TILE>
__device__ static inline void
finish_loading(Stages<T, TILE> *stages, int stage, int turn, const T *from,
			   int count, bool precedes)
{
	T		   *items = stages->stages[stage].items;
	int			vectors = count * sizeof(T) / sizeof(int4);
	int			copied = vectors * sizeof(int4) / sizeof(T);

	static_assert(LEAD_BYTES == sizeof(int4), "one vector precedes a tile");
	if (precedes && threadIdx.x == 0)
		((int4 *) items)[-1] = ((const int4 *) from)[-1];
	for (int i = threadIdx.x; i < vectors; i += TILE_THREADS)
		((int4 *) items)[i] = ((const int4 *) from)[i];
	for (int i = copied + threadIdx.x; i < TILE; i += TILE_THREADS)
		items[i] = i < count ? from[i] : 0;
	if (count < TILE)
		barrier_sync(BARRIER_FILLED);
	else
		sync_tile();
}

#endif

#endif							/* GPUCOMPACT_STAGES_H */
