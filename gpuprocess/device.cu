/*
 * device.cu
 *	  The GPU: opening it, its memory, its errors.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpuprocess/job.h"

Device		the_device;

/*
 * Puts an error into words, and says what it means for the caller.  The
 * process ends after any error but a lack of memory: most errors leave a
 * context in which every call would fail, and the others should not happen.
 */
EngineStatus
device_failed(Failure *failure, cudaError_t error, const char *call)
{
	(void) cudaGetLastError();
	if (error == cudaErrorMemoryAllocation)
		return device_refused(failure, ENGINE_OUT_OF_MEMORY,
							  "The GPU is out of memory.");
	return device_refused(failure, ENGINE_DEVICE_FAILED,
						  "CUDA error %d (%s) in %.*s: %s.", (int) error,
						  cudaGetErrorName(error), (int) strcspn(call, "("),
						  call, cudaGetErrorString(error));
}

EngineStatus
device_refused(Failure *failure, EngineStatus status, const char *format,...)
{
	va_list		arguments;

	va_start(arguments, format);
	vsnprintf(failure->message, sizeof(failure->message), format, arguments);
	va_end(arguments);
	return status;
}

/*
 * Counts the devices.  Zero is a failure, with the reason: without a driver,
 * the runtime would only report an old driver.
 */
static EngineStatus
count_devices(int *count, Failure *failure)
{
	int			driver = 0;
	cudaError_t error;

	if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
		return device_refused(failure, ENGINE_NO_DEVICE,
							  "no NVIDIA driver is installed");
	error = cudaGetDeviceCount(count);
	if (error == cudaErrorNoDevice || (error == cudaSuccess && *count == 0))
		return device_refused(failure, ENGINE_NO_DEVICE,
							  "the NVIDIA driver finds no GPU");
	if (error != cudaSuccess)
		return device_refused(failure, ENGINE_NO_DEVICE, "%s",
							  cudaGetErrorString(error));
	return ENGINE_OK;
}

/* As the management library (NVML) declares it. */
typedef struct NvmlMemory
{
	unsigned long long total;
	unsigned long long free;
	unsigned long long used;
} NvmlMemory;

/*
 * Free bytes of a device, or -1, as the management library says, whose
 * interface is stable.  The runtime would first open a context, which takes a
 * third of a second and half a gigabyte.
 */
static int64_t
free_memory(int device)
{
	void	   *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	int			(*init) (void);
	int			(*by_bus_id) (const char *bus_id, void **device);
	int			(*memory) (void *device, NvmlMemory *memory);
	char		bus_id[32];
	void	   *handle;
	NvmlMemory	found;

	if (library == NULL)
		return -1;
	*(void **) &init = dlsym(library, "nvmlInit_v2");
	*(void **) &by_bus_id =
		dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
	*(void **) &memory = dlsym(library, "nvmlDeviceGetMemoryInfo");
	if (init && by_bus_id && memory && init() == 0 &&
		cudaDeviceGetPCIBusId(bus_id, sizeof(bus_id), device) == cudaSuccess &&
		by_bus_id(bus_id, &handle) == 0 && memory(handle, &found) == 0)
		return (int64_t) found.free;
	return -1;
}

static EngineStatus
describe(int index, EngineDevice *device, Failure *failure)
{
	cudaDeviceProp properties;
	cudaError_t error = cudaGetDeviceProperties(&properties, index);

	if (error != cudaSuccess)
		return device_refused(failure, ENGINE_NO_DEVICE, "%s",
							  cudaGetErrorString(error));
	device->index = index;
	snprintf(device->name, sizeof(device->name), "%s", properties.name);
	device->major = properties.major;
	device->minor = properties.minor;
	device->memory_total = (int64_t) properties.totalGlobalMem;
	(void) cudaDriverGetVersion(&device->driver_version);
	(void) cudaRuntimeGetVersion(&device->runtime_version);
	return ENGINE_OK;
}

/*
 * Fills in up to "capacity" devices, and counts all of them.  Opens none.
 */
EngineStatus
device_list(EngineDevice *devices, int capacity, int *count, Failure *failure)
{
	TRY_STATUS(count_devices(count, failure));
	for (int i = 0; i < *count && i < capacity; i++)
	{
		TRY_STATUS(describe(i, &devices[i], failure));
		devices[i].memory_free = free_memory(i);
	}
	return ENGINE_OK;
}

/*
 * Opens the pool, from which the memory of jobs and of cached values comes.  It
 * keeps its memory until the process is idle.
 */
static cudaError_t
open_pool(void)
{
	uint64_t	keep = UINT64_MAX;

	TRY(cudaStreamCreateWithFlags(&the_device.evictions,
								  cudaStreamNonBlocking));
	TRY(cudaDeviceGetDefaultMemPool(&the_device.pool, the_device.index));
	return cudaMemPoolSetAttribute(the_device.pool,
								   cudaMemPoolAttrReleaseThreshold, &keep);
}

/*
 * Opens the device for the process.  Its free memory is what other processes
 * and the context of this process have left.
 */
EngineStatus
device_open(int index, EngineDevice *device, Failure *failure)
{
	size_t		free;
	size_t		total;

	TRY_STATUS(count_devices(&lanes_devices, failure));
	if (index >= lanes_devices)
		return device_refused(failure, ENGINE_NO_DEVICE,
							  "there is no GPU %d, only %d of them", index,
							  lanes_devices);
	the_device.index = index;
	TRY_CUDA(failure, cudaSetDevice(index));
	TRY_CUDA(failure, cudaStreamCreateWithFlags(&the_device.compute,
												cudaStreamNonBlocking));
	TRY_CUDA(failure, lookahead_open(&the_device.ahead));
	TRY_CUDA(failure, open_pool());
	TRY_CUDA(failure, cudaDeviceGetAttribute
			 (&the_device.maps_host,
			  cudaDevAttrCanUseHostPointerForRegisteredMem, index));
	TRY_STATUS(describe(index, device, failure));
	TRY_CUDA(failure, cudaMemGetInfo(&free, &total));
	device->memory_free = (int64_t) free;
	return ENGINE_OK;
}

/*
 * Pins memory that is shared, so that the device can copy from and to it.
 */
EngineStatus
device_share(void *memory, size_t bytes, Failure *failure)
{
	cudaError_t error = cudaHostRegister(memory, bytes,
										 cudaHostRegisterPortable);

	if (error == cudaSuccess)
		return ENGINE_OK;
	return device_refused(failure, ENGINE_OUT_OF_MEMORY,
						  "%zu MB of memory could not be pinned: %s.",
						  bytes >> 20, cudaGetErrorString(error));
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

	if (cudaSetDevice(the_device.index) == cudaSuccess &&
		cudaStreamSynchronize(the_device.evictions) == cudaSuccess &&
		cudaMallocAsync(&memory, bytes + SLOT_SLACK,
						lane->upload) == cudaSuccess)
		return (char *) memory;
	(void) cudaGetLastError();
	return NULL;
}

void
device_cache_free(char *memory)
{
	(void) cudaSetDevice(the_device.index);
	(void) cudaFreeAsync(memory, the_device.evictions);
}

/* Gives back the memory that the pool keeps in reserve. */
void
device_trim_pool(void)
{
	(void) cudaSetDevice(the_device.index);
	(void) cudaStreamSynchronize(the_device.evictions);
	(void) cudaMemPoolTrimTo(the_device.pool, 0);
}

/*
 * Returns the device memory of the pool: the memory of jobs and cached values,
 * and the reserve.
 */
int64_t
device_bytes_in_use(void)
{
	uint64_t	reserved = 0;

	(void) cudaMemPoolGetAttribute(the_device.pool,
								   cudaMemPoolAttrReservedMemCurrent,
								   &reserved);
	return (int64_t) reserved;
}
