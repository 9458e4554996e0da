/*
 * device.cu
 *	  A GPU: opening it, its memory, its errors.
 */
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

#include "device.h"

/* The GPUs that this process uses, by index. */
static Device devices_in_use[MOST_DEVICES];
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

/* Has a device failed?  Then this process does not call CUDA again. */
static bool process_lost = false;

/*
 * Writes the message of an error, and returns its status.  After any error
 * except for lack of memory, this process does not call CUDA again: most
 * errors leave a context in which every call fails, and the others should not
 * happen.
 */
EngineStatus
device_failed(Failure *failure, cudaError_t error, const char *call)
{
	(void) cudaGetLastError();
	if (error == cudaErrorMemoryAllocation)
		return device_refused(failure, ENGINE_OUT_OF_MEMORY,
							  "The GPU is out of memory.");
	__atomic_store_n(&process_lost, true, __ATOMIC_RELAXED);
	return device_refused(failure, ENGINE_DEVICE_FAILED,
						  "CUDA error %d (%s) in %.*s: %s.", (int) error,
						  cudaGetErrorName(error), (int) strcspn(call, "("),
						  call, cudaGetErrorString(error));
}

/* Writes a message, and returns the status. */
EngineStatus
device_refused(Failure *failure, EngineStatus status, const char *format,...)
{
	va_list		arguments;

	va_start(arguments, format);
	vsnprintf(failure->message, sizeof(failure->message), format, arguments);
	va_end(arguments);
	return status;
}

bool
device_process_lost(void)
{
	return __atomic_load_n(&process_lost, __ATOMIC_RELAXED);
}

static EngineStatus
no_device(Failure *failure, const char *why)
{
	(void) cudaGetLastError();
	return device_refused(failure, ENGINE_NO_DEVICE, "%s", why);
}

/*
 * Counts the devices.  Having none is a failure, with the reason.  The driver
 * is checked first, because the runtime reports a missing driver as an old
 * one.
 */
static EngineStatus
count_devices(int *count, Failure *failure)
{
	int			driver = 0;
	cudaError_t error;

	if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
		return no_device(failure, "no NVIDIA driver is installed");
	error = cudaGetDeviceCount(count);
	if (error == cudaErrorNoDevice || (error == cudaSuccess && *count == 0))
		return no_device(failure, "the NVIDIA driver finds no GPU");
	if (error != cudaSuccess)
		return no_device(failure, cudaGetErrorString(error));
	return ENGINE_OK;
}

/*
 * NVML tells how much memory is free.  The runtime would first create a
 * context, which takes a third of a second and half a gigabyte.  NVML's
 * interface is stable; only the part used here is declared.
 */
typedef struct NvmlMemory
{
	unsigned long long total;
	unsigned long long free;
	unsigned long long used;
} NvmlMemory;

typedef struct Nvml
{
	int			(*init) (void);
	int			(*shutdown) (void);
	int			(*by_bus_id) (const char *bus_id, void **device);
	int			(*memory) (void *device, NvmlMemory *memory);
} Nvml;

static bool
load_nvml(Nvml *nvml, void *library)
{
	*(void **) &nvml->init = dlsym(library, "nvmlInit_v2");
	*(void **) &nvml->shutdown = dlsym(library, "nvmlShutdown");
	*(void **) &nvml->by_bus_id =
		dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
	*(void **) &nvml->memory = dlsym(library, "nvmlDeviceGetMemoryInfo");
	return nvml->init && nvml->shutdown && nvml->by_bus_id && nvml->memory;
}

/* Free bytes of a device, or -1. */
int64_t
device_free_memory(int device)
{
	static void *library = NULL;
	Nvml		nvml;
	char		bus_id[32];
	void	   *handle;
	NvmlMemory	memory;
	int64_t		result = -1;

	if (library == NULL)
		library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL || !load_nvml(&nvml, library) || nvml.init() != 0)
		return -1;
	if (cudaDeviceGetPCIBusId(bus_id, sizeof(bus_id), device) == cudaSuccess &&
		nvml.by_bus_id(bus_id, &handle) == 0 &&
		nvml.memory(handle, &memory) == 0)
		result = (int64_t) memory.free;
	(void) nvml.shutdown();
	return result;
}

static EngineStatus
open_streams(Device *device, Failure *failure)
{
	TRY_CUDA(failure, cudaStreamCreateWithFlags(&device->compute,
												cudaStreamNonBlocking));
	TRY_CUDA(failure, lookahead_open(&device->ahead));
	return ENGINE_OK;
}

static EngineStatus
open_locked(int index, Device *device, Failure *failure)
{
	EngineStatus status;

	TRY_CUDA(failure, cudaSetDevice(index));
	if (device->open)
		return ENGINE_OK;
	status = open_streams(device, failure);
	if (status == ENGINE_OK)
	{
		device->open = true;
		return ENGINE_OK;
	}

	/* A device that could not be opened is not lost. */
	(void) cudaDeviceReset();
	__atomic_store_n(&process_lost, false, __ATOMIC_RELAXED);
	return status == ENGINE_DEVICE_FAILED ? ENGINE_NO_DEVICE : status;
}

/*
 * Opens a device, unless it is open, and counts one more user.  The device
 * becomes the current one of the calling thread.
 */
EngineStatus
device_open(int index, Device **device, Failure *failure)
{
	int			count;
	EngineStatus status;

	if (device_process_lost())
		return ENGINE_DEVICE_FAILED;
	TRY_STATUS(count_devices(&count, failure));
	if (index >= count || index >= MOST_DEVICES)
		return device_refused(failure, ENGINE_NO_DEVICE,
							  "there is no GPU %d, only %d of them", index,
							  count);
	pthread_mutex_lock(&devices_lock);
	*device = &devices_in_use[index];
	status = open_locked(index, *device, failure);
	if (status == ENGINE_OK)
		(*device)->users++;
	pthread_mutex_unlock(&devices_lock);
	return status;
}

/* Counts one user less.  The last one closes the device. */
void
device_close(int index)
{
	Device	   *device = &devices_in_use[index];

	pthread_mutex_lock(&devices_lock);
	if (--device->users == 0 && !device_process_lost())
	{
		lookahead_close(&device->ahead);
		(void) cudaSetDevice(index);
		(void) cudaDeviceReset();
		device->open = false;
	}
	pthread_mutex_unlock(&devices_lock);
}

/*
 * Describes up to "capacity" devices, and returns the number of all.  Opens
 * none.
 */
EngineStatus
device_list(EngineDevice *devices, int capacity, int *count, Failure *failure)
{
	if (device_process_lost())
		return ENGINE_DEVICE_FAILED;
	TRY_STATUS(count_devices(count, failure));
	for (int i = 0; i < *count && i < capacity; i++)
	{
		EngineDevice *device = &devices[i];
		cudaDeviceProp properties;
		cudaError_t error = cudaGetDeviceProperties(&properties, i);

		if (error != cudaSuccess)
			return no_device(failure, cudaGetErrorString(error));
		device->index = i;
		snprintf(device->name, sizeof(device->name), "%s", properties.name);
		device->major = properties.major;
		device->minor = properties.minor;
		device->memory_total = (int64_t) properties.totalGlobalMem;
		device->memory_free = device_free_memory(i);
		(void) cudaDriverGetVersion(&device->driver_version);
		(void) cudaRuntimeGetVersion(&device->runtime_version);
		device->open = i < MOST_DEVICES && devices_in_use[i].open;
	}
	return ENGINE_OK;
}
