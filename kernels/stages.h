/*
 * stages.h
 *	  The way of tiles into shared memory.
 */
#ifndef GPUCOMPACT_STAGES_H
#define GPUCOMPACT_STAGES_H

#include <cstdint>
#include <cuda_runtime.h>
#include <cuda/ptx>

#include "warp_specialization.h"

/*
 * Tiles of a block in shared memory, by stage: one that is written, one that is
 * summed up, and one on its way.
 *
 * Before a tile there is room of LEAD_ROOM bytes; the last LEAD_BYTES of it are
 * those that precede the tile in the array.
 */
#define LEAD_ROOM		128
#define LEAD_BYTES		16

template <typename T, int TILE>
struct __align__(LEAD_ROOM) Stage
{
	char		lead[LEAD_ROOM];
	T			items[TILE];
};

template <typename T, int TILE>
struct Stages
{
	Stage<T, TILE> stages[TILE_STAGES];
	uint64_t	arrived[TILE_STAGES];	/* mbarriers */
};

#if __CUDA_ARCH__ >= 900

/* For one thread. */
template <typename T, int TILE>
__device__ static inline void
init_stages(Stages<T, TILE> *stages)
{
	for (int i = 0; i < TILE_STAGES; i++)
		cuda::ptx::mbarrier_init(&stages->arrived[i], 1);
	cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release,
								   cuda::ptx::scope_cluster);
}

/*
 * Begins to load items into a stage, and what precedes them.  That is a copy of
 * its own, as a copy that begins where a line of memory does is faster.  The few
 * items left over at the end of the array come with finish_loading.  For one
 * thread.
 */
template <typename T, int TILE>
__device__ static inline void
start_loading(Stages<T, TILE> *stages, int stage, const T *from, int count,
			  bool precedes)
{
	char	   *items = (char *) stages->stages[stage].items;
	uint32_t	lead = precedes ? LEAD_BYTES : 0;
	uint32_t	bytes = count * sizeof(T) / 16 * 16;
	uint64_t   *arrived = &stages->arrived[stage];

	/* All accesses to the stage come before the copies. */
	cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
	(void) cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release,
												cuda::ptx::scope_cta,
												cuda::ptx::space_shared,
												arrived, lead + bytes);
	if (bytes > 0)
		cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster,
								 cuda::ptx::space_global, items, from, bytes,
								 arrived);
	if (lead > 0)
		cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster,
								 cuda::ptx::space_global, items - lead,
								 (const char *) from - lead, lead, arrived);
}

/* Waits for a stage; "turn" is how often it was loaded before. */
template <typename T, int TILE>
__device__ static inline void
finish_loading(Stages<T, TILE> *stages, int stage, int turn, const T *from,
			   int count, bool precedes)
{
	T		   *items = stages->stages[stage].items;
	int			copied = count * sizeof(T) / 16 * 16 / sizeof(T);

	while (!cuda::ptx::mbarrier_try_wait_parity(&stages->arrived[stage],
												turn & 1))
		;
	if (count < TILE)
	{
		for (int i = copied + threadIdx.x; i < TILE; i += COMPUTE_THREADS)
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
	for (int i = threadIdx.x; i < vectors; i += COMPUTE_THREADS)
		((int4 *) items)[i] = ((const int4 *) from)[i];
	for (int i = copied + threadIdx.x; i < TILE; i += COMPUTE_THREADS)
		items[i] = i < count ? from[i] : 0;
	if (count < TILE)
		barrier_sync(BARRIER_FILLED);
	else
		sync_compute();
}

#endif

#endif							/* GPUCOMPACT_STAGES_H */
