/*
 * memory.cu
 *	  The memory of the device that the process gives to jobs (lane.cu) and to
 *	  cached values (cache.c).  Both are above this file.
 *
 * All of it comes from the device's pool.
 */
#include "gpuprocess/job.h"

/*
 * Opens the pool.  It keeps its memory until the process is idle.
 */
cudaError_t
device_open_pool(Device *device)
{
	uint64_t	keep = UINT64_MAX;

	TRY(cudaStreamCreateWithFlags(&device->evictions, cudaStreamNonBlocking));
	TRY(cudaDeviceGetDefaultMemPool(&device->pool, device->index));
	return cudaMemPoolSetAttribute(device->pool,
								   cudaMemPoolAttrReleaseThreshold, &keep);
}

/*
 * Allocates memory for a cached value, in the upload stream; lane_reserve
 * makes the kernels wait for that.  A kernel may write a little behind the
 * value, as behind a piece in a slot.
 */
char *
device_cache_alloc(DeviceLane *lane, int64_t bytes)
{
	void	   *memory = NULL;

	if (cudaSetDevice(lane->device->index) == cudaSuccess &&
		cudaStreamSynchronize(lane->device->evictions) == cudaSuccess &&
		cudaMallocAsync(&memory, bytes + SLOT_SLACK,
						lane->upload) == cudaSuccess)
		return (char *) memory;
	(void) cudaGetLastError();
	return NULL;
}

void
device_cache_free(char *memory)
{
	const Device *device = device_in_use();

	(void) cudaSetDevice(device->index);
	(void) cudaFreeAsync(memory, device->evictions);
}

/* Gives back the memory that the pool keeps in reserve. */
void
device_trim_pool(void)
{
	const Device *device = device_in_use();

	(void) cudaSetDevice(device->index);
	(void) cudaStreamSynchronize(device->evictions);
	(void) cudaMemPoolTrimTo(device->pool, 0);
}

/*
 * Returns the device memory of the pool: the memory of jobs and cached values,
 * and the reserve.
 */
int64_t
device_bytes_in_use(void)
{
	uint64_t	reserved = 0;

	(void) cudaMemPoolGetAttribute(device_in_use()->pool,
								   cudaMemPoolAttrReservedMemCurrent,
								   &reserved);
	return (int64_t) reserved;
}
