/*
 * lookahead.cu
 *	  Launching a single-pass kernel.
 */
#include "operation.h"

/* Of the largest array, in the smallest tiles: 2^27 items by 768. */
#define MOST_TILES		(176 * 1024)
#define STATES_BYTES	(MOST_TILES * sizeof(WideTileState))

/* For the current device. */
cudaError_t
lookahead_open(LookAhead *ahead)
{
	int			shared;

	*ahead = {};
	TRY(cudaGetDevice(&ahead->device));
	if (ahead->device >= MOST_DEVICES)
		return cudaErrorInvalidDevice;
	TRY(cudaDeviceGetAttribute(&shared,
							   cudaDevAttrMaxSharedMemoryPerBlockOptin,
							   ahead->device));
	TRY(cudaDeviceGetAttribute(&ahead->processors,
							   cudaDevAttrMultiProcessorCount,
							   ahead->device));
	ahead->small_only = shared < LARGE_TILE_SHARED;
	TRY(cudaMalloc(&ahead->states, STATES_BYTES));
	TRY(cudaMemset(ahead->states, 0, STATES_BYTES));
	pthread_mutex_init(&ahead->lock, NULL);
	return cudaSuccess;
}

void
lookahead_close(LookAhead *ahead)
{
	(void) cudaFree(ahead->states);
	pthread_mutex_destroy(&ahead->lock);
}

/* How many blocks of the kernel fit on the device. */
static cudaError_t
find_resident(const LookAhead *ahead, const void *kernel, size_t shared,
			  int *blocks)
{
	int			each;

	TRY(cudaFuncSetAttribute(kernel,
							 cudaFuncAttributeMaxDynamicSharedMemorySize,
							 (int) shared));
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel,
													  TILE_BLOCK, shared));
	*blocks = each * ahead->processors;
	return cudaSuccess;
}

/* Gives a launch its number.  States of the same number, of long ago, must go. */
static cudaError_t
next_epoch(cudaStream_t stream, LookAhead *ahead, unsigned *epoch)
{
	if (++ahead->epoch == TILE_EPOCHS)
	{
		TRY(cudaMemsetAsync(ahead->states, 0, STATES_BYTES, stream));
		ahead->epoch = 1;
	}
	*epoch = ahead->epoch;
	return cudaSuccess;
}

/*
 * In several rounds blocks wait for each other, and all must be resident: then
 * the launch is a cooperative one.
 */
static cudaError_t
launch(cudaStream_t stream, LookAhead *ahead, const void *kernel,
	   size_t shared, int64_t tiles, void **arguments, unsigned *epoch,
	   Resident *resident)
{
	int		   *blocks = &resident->blocks[ahead->device];

	if (*blocks == 0)
		TRY(find_resident(ahead, kernel, shared, blocks));
	TRY(next_epoch(stream, ahead, epoch));
	if (tiles <= *blocks)
		return cudaLaunchKernel(kernel, dim3((unsigned) tiles),
								dim3(TILE_BLOCK), arguments, shared, stream);
	return cudaLaunchCooperativeKernel(kernel, dim3(*blocks),
									   dim3(TILE_BLOCK), arguments, shared,
									   stream);
}

/*
 * Launches a kernel over so many tiles.  *epoch is among the arguments, and is
 * set before they are taken; "resident" is where the number of the kernel's
 * blocks that fit on each device is kept.  Threads may launch at the same time.
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
