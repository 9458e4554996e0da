/*
 * stages.h
 *	  The roles of a single-pass kernel's warps, the named barriers at which they
 *	  synchronize, and their tiles in shared memory, which are loaded
 *	  asynchronously; see tiles_kernel.h.
 */
#ifndef GPUCOMPACT_STAGES_H
#define GPUCOMPACT_STAGES_H

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/common/warp.h"

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

#endif							/* GPUCOMPACT_STAGES_H */
