/*
 * lookahead.cu
 *	  Launching a single-pass kernel.
 */
#include "kernels/common/operation.h"
#include "kernels/common/tiles_kernel.h"

/* Enough for the largest array in the smallest tiles: 2^27 items by 768. */
#define MAX_TILES			(176 * 1024)
#define DESCRIPTORS_BYTES	(MAX_TILES * sizeof(WideTileDescriptor))

/* Opens a LookAhead on the current device. */
cudaError_t
lookahead_open(LookAhead *ahead)
{
	int			shared;

	*ahead = {};
	TRY(cudaGetDevice(&ahead->device));
	if (ahead->device >= MAX_DEVICES)
		return cudaErrorInvalidDevice;
	TRY(cudaDeviceGetAttribute(&shared,
							   cudaDevAttrMaxSharedMemoryPerBlockOptin,
							   ahead->device));
	TRY(cudaDeviceGetAttribute(&ahead->multiprocessors,
							   cudaDevAttrMultiProcessorCount,
							   ahead->device));
	ahead->small_only = shared < LARGE_TILE_SHARED;
	TRY(cudaMalloc(&ahead->descriptors, DESCRIPTORS_BYTES));
	TRY(cudaMemset(ahead->descriptors, 0, DESCRIPTORS_BYTES));
	pthread_mutex_init(&ahead->lock, NULL);
	return cudaSuccess;
}

void
lookahead_close(LookAhead *ahead)
{
	(void) cudaFree(ahead->descriptors);
	pthread_mutex_destroy(&ahead->lock);
}

/* Returns the number of thread blocks that the device can hold at once. */
static cudaError_t
find_resident(const LookAhead *ahead, const void *kernel, size_t shared,
			  int *blocks)
{
	int			per_multiprocessor;

	TRY(cudaFuncSetAttribute(kernel,
							 cudaFuncAttributeMaxDynamicSharedMemorySize,
							 (int) shared));
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor,
													  kernel, TILE_THREADS,
													  shared));
	*blocks = per_multiprocessor * ahead->multiprocessors;
	return cudaSuccess;
}

/*
 * Starts the next epoch.  When epochs start over, descriptors of the same
 * epoch are cleared.
 */
static cudaError_t
next_epoch(cudaStream_t stream, LookAhead *ahead, unsigned *epoch)
{
	if (ahead->epoch == EPOCHS - 1)
	{
		TRY(cudaMemsetAsync(ahead->descriptors, 0, DESCRIPTORS_BYTES,
							stream));
		ahead->epoch = 0;
	}
	*epoch = ++ahead->epoch;
	return cudaSuccess;
}

/*
 * If there are several rounds, thread blocks wait for each other.  A
 * cooperative launch guarantees that all of them are resident.
 */
static cudaError_t
launch(cudaStream_t stream, LookAhead *ahead, const void *kernel,
	   size_t shared, int64_t tiles, void **arguments, unsigned *epoch,
	   Resident *resident)
{
	int		   *blocks = &resident->blocks[ahead->device];
	cudaLaunchAttribute attribute = dependent_launch();
	cudaLaunchConfig_t config = {
		.blockDim = TILE_THREADS,
		.dynamicSmemBytes = shared,
		.stream = stream,
		.attrs = &attribute
	};

	if (*blocks == 0)
		TRY(find_resident(ahead, kernel, shared, blocks));
	TRY(next_epoch(stream, ahead, epoch));
	if (tiles <= *blocks)
	{
		config.gridDim = (unsigned) tiles;
		config.numAttrs = is_for_hopper(kernel) ? 1 : 0;
		return cudaLaunchKernelExC(&config, kernel, arguments);
	}
	return cudaLaunchCooperativeKernel(kernel, dim3(*blocks),
									   dim3(TILE_THREADS), arguments, shared,
									   stream);
}

/*
 * Launches a kernel over "tiles" tiles.  *epoch is one of the arguments, and
 * is set before the launch reads them.  "resident" belongs to the kernel.
 * Threads may launch at the same time.
 */
cudaError_t
lookahead_launch(cudaStream_t stream, LookAhead *ahead, const void *kernel,
				 size_t shared, int64_t tiles, void **arguments,
				 unsigned *epoch, Resident *resident)
{
	cudaError_t error;

	pthread_mutex_lock(&ahead->lock);
	error = launch(stream, ahead, kernel, shared, tiles, arguments, epoch,
				   resident);
	pthread_mutex_unlock(&ahead->lock);
	return error;
}
