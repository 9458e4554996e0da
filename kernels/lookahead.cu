/*
 * lookahead.cu
 *	  Launching a single-pass kernel.
 */
#include "device.h"
#include "kernels.h"

/* Of the largest array, in the smallest tiles: 2^27 items by 768. */
#define MOST_TILES		(176 * 1024)
#define WORDS_BYTES		(MOST_TILES * sizeof(WideTileWord))

/* Shared memory that the kernels with large tiles need. */
#define LARGE_SHARED	(112 * 1024)

EngineStatus
lookahead_open(LookAhead *ahead)
{
	static int	openings = 0;
	int			device;
	int			shared;

	TRY_CUDA(cudaGetDevice(&device));
	TRY_CUDA(cudaDeviceGetAttribute(&shared,
									cudaDevAttrMaxSharedMemoryPerBlockOptin,
									device));
	ahead->small_only = shared < LARGE_SHARED;
	ahead->epoch = 0;
	ahead->opening = ++openings;
	TRY_CUDA(cudaMalloc(&ahead->words, WORDS_BYTES));
	TRY_CUDA(cudaMemset(ahead->words, 0, WORDS_BYTES));
	return ENGINE_OK;
}

/*
 * Launches a kernel over so many tiles; "resident" is where the number of its
 * blocks that fit on the device is kept, until another one is opened.  In
 * several rounds blocks wait for each other, and must all be there: then the
 * launch is a cooperative one.
 */
EngineStatus
lookahead_launch(cudaStream_t stream, LookAhead *ahead, const void *kernel,
				 size_t shared, int64_t tiles, void **arguments,
				 Resident *resident)
{
	if (resident->opening != ahead->opening)
	{
		int			device;
		int			processors;
		int			blocks;

		TRY_CUDA(cudaGetDevice(&device));
		TRY_CUDA(cudaDeviceGetAttribute(&processors,
										cudaDevAttrMultiProcessorCount,
										device));
		TRY_CUDA(cudaFuncSetAttribute(kernel,
									  cudaFuncAttributeMaxDynamicSharedMemorySize,
									  (int) shared));
		TRY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
															   TILES_BLOCK,
															   shared));
		resident->blocks = blocks * processors;
		resident->opening = ahead->opening;
	}

	/* What launches of the same number published long ago must be gone. */
	if (++ahead->epoch == TILE_EPOCHS)
	{
		TRY_CUDA(cudaMemsetAsync(ahead->words, 0, WORDS_BYTES, stream));
		ahead->epoch = 1;
	}

	if (tiles <= resident->blocks)
		TRY_CUDA(cudaLaunchKernel(kernel, dim3((unsigned) tiles),
								  dim3(TILES_BLOCK), arguments, shared,
								  stream));
	else
		TRY_CUDA(cudaLaunchCooperativeKernel(kernel, dim3(resident->blocks),
											 dim3(TILES_BLOCK), arguments,
											 shared, stream));
	return ENGINE_OK;
}
