/*
 * device.cu
 *	  The device: opening it, its memory, its errors.
 *
 * A process opens one device, the first time that a job wants it, and keeps
 * its context, its streams and its staging slots until it ends or opens
 * another.  Memory that grows with a job is given back when the job ends.
 */
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <signal.h>

#include "device.h"
#include "kernels.h"

static Session the_session;
static char message[512] = "";

const char *
device_message(void)
{
	return message;
}

/* Puts an error into words, and says what it means for the caller. */
EngineStatus
device_failed(cudaError_t error, const char *call)
{
	(void) cudaGetLastError();
	if (error == cudaErrorMemoryAllocation)
	{
		snprintf(message, sizeof(message), "The GPU is out of memory.");
		return ENGINE_OUT_OF_MEMORY;
	}
	snprintf(message, sizeof(message), "CUDA error %d (%s) in %.*s: %s.",
			 (int) error, cudaGetErrorName(error),
			 (int) strcspn(call, "("), call, cudaGetErrorString(error));
	return ENGINE_DEVICE_FAILED;
}

EngineStatus
not_supported(const char *why)
{
	snprintf(message, sizeof(message), "%s", why);
	return ENGINE_NOT_SUPPORTED;
}

static EngineStatus
no_device(const char *why)
{
	(void) cudaGetLastError();
	snprintf(message, sizeof(message), "%s", why);
	return ENGINE_NO_DEVICE;
}

/*
 * How many devices are there?  None is a failure, which names the reason:
 * without a driver, the runtime only complains of an old one.
 */
static EngineStatus
count_devices(int *count)
{
	int			driver = 0;
	cudaError_t error;

	if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
		return no_device("no NVIDIA driver is installed");
	error = cudaGetDeviceCount(count);
	if (error == cudaErrorNoDevice || (error == cudaSuccess && *count == 0))
		return no_device("the NVIDIA driver finds no GPU");
	if (error != cudaSuccess)
		return no_device(cudaGetErrorString(error));
	return ENGINE_OK;
}

static EngineStatus
open_span(Span *span)
{
	TRY_CUDA(cudaEventCreate(&span->begin));
	TRY_CUDA(cudaEventCreate(&span->end));
	return ENGINE_OK;
}

static EngineStatus
open_slot(Slot *slot)
{
	memset(slot, 0, sizeof(*slot));
	TRY_CUDA(cudaMallocHost(&slot->host_in, SLOT_BYTES));
	TRY_CUDA(cudaMallocHost(&slot->host_out, SLOT_BYTES));
	TRY_CUDA(cudaMallocHost((void **) &slot->count, sizeof(long long)));
	TRY_CUDA(cudaMalloc(&slot->device_in, SLOT_BYTES));
	TRY_CUDA(cudaMalloc(&slot->device_out, SLOT_BYTES));
	TRY(open_span(&slot->upload));
	TRY(open_span(&slot->kernel));
	TRY(open_span(&slot->download));
	return ENGINE_OK;
}

static EngineStatus
open_session(Session *session, int device)
{
	memset(session, 0, sizeof(*session));
	session->device = device;
	TRY_CUDA(cudaSetDevice(device));
	TRY_CUDA(cudaStreamCreateWithFlags(&session->upload,
									   cudaStreamNonBlocking));
	TRY_CUDA(cudaStreamCreateWithFlags(&session->compute,
									   cudaStreamNonBlocking));
	TRY_CUDA(cudaStreamCreateWithFlags(&session->download,
									   cudaStreamNonBlocking));
	for (int i = 0; i < SLOTS; i++)
		TRY(open_slot(&session->slots[i]));
	TRY_CUDA(cudaMalloc((void **) &session->carry, 2 * sizeof(long long)));
	TRY(open_span(&session->compute_span));
	TRY_CUDA(cudaMallocHost((void **) &session->in_other, sizeof(int)));
	TRY_CUDA(cudaMallocHost((void **) &session->survivors,
							sizeof(long long)));
	TRY_CUDA(cudaMallocHost((void **) &session->overflow,
							OVERFLOWS * sizeof(int)));
	TRY(lookahead_open(&session->ahead));
	session->open = true;
	return ENGINE_OK;
}

static EngineStatus
open_device(int device)
{
	int			count;
	char		why[100];

	TRY(count_devices(&count));
	if (device >= count)
	{
		snprintf(why, sizeof(why), "there is no GPU %d, only %d of them",
				 device, count);
		return no_device(why);
	}

	/* Of another device, or of an attempt that failed, nothing is kept. */
	if (the_session.open)
		TRY_CUDA(cudaDeviceReset());
	the_session.open = false;

	EngineStatus status = open_session(&the_session, device);

	if (status != ENGINE_OK)
		(void) cudaDeviceReset();
	return status;
}

/* The CUDA library starts threads, for which no signal of ours is. */
static sigset_t
block_signals(void)
{
	sigset_t	all;
	sigset_t	before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	return before;
}

static void
restore_signals(sigset_t before)
{
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The session on this device, opened if it is not. */
EngineStatus
device_open(int device, Session **session)
{
	EngineStatus status = ENGINE_OK;

	if (!the_session.open || the_session.device != device)
	{
		sigset_t	before = block_signals();

		status = open_device(device);
		restore_signals(before);
	}
	*session = &the_session;
	return status;
}

static EngineStatus
grow(DeviceBuffer *buffer, size_t size)
{
	if (buffer->size >= size)
		return ENGINE_OK;
	TRY_CUDA(cudaFree(buffer->memory));
	buffer->memory = NULL;
	buffer->size = 0;
	if (size < KEPT_BYTES)
		size = KEPT_BYTES;
	TRY_CUDA(cudaMalloc(&buffer->memory, size));
	buffer->size = size;
	return ENGINE_OK;
}

/* Gets buffers of these sizes, if with the slots they are within the limit. */
EngineStatus
device_reserve(EngineJob *job, const size_t *sizes)
{
	size_t		limit = job->request.memory_limit;
	size_t		need = 2 * SLOTS * SLOT_BYTES;
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < SESSION_BUFFERS; i++)
		need += sizes[i];
	if (limit > 0 && need > limit)
	{
		snprintf(message, sizeof(message),
				 "The call needs %zu MB of GPU memory, and %zu MB is the "
				 "limit.", (need >> 20) + 1, limit >> 20);
		return ENGINE_OUT_OF_MEMORY;
	}
	for (int i = 0; i < SESSION_BUFFERS && status == ENGINE_OK; i++)
		status = grow(&job->session->buffers[i], sizes[i]);
	if (status == ENGINE_OUT_OF_MEMORY)
		snprintf(message, sizeof(message),
				 "The call needs %zu MB of GPU memory, and the GPU has not "
				 "as much free.", (need >> 20) + 1);
	return status;
}

/* Gives back the memory that grew. */
void
device_shrink(Session *session)
{
	for (int i = 0; i < SESSION_BUFFERS; i++)
	{
		DeviceBuffer *buffer = &session->buffers[i];

		if (buffer->size <= KEPT_BYTES)
			continue;
		(void) cudaFree(buffer->memory);
		buffer->memory = NULL;
		buffer->size = 0;
	}
}

/*
 * Free memory is told by the management library, as the runtime would first
 * open a context, which takes a third of a second and half a gigabyte.  Its
 * interface is stable; only what is called here is declared.
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
static int64_t
free_memory(int device)
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
list_devices(EngineDevice *devices, int capacity, int *count)
{
	TRY(count_devices(count));
	for (int i = 0; i < *count && i < capacity; i++)
	{
		EngineDevice *device = &devices[i];
		cudaDeviceProp properties;

		TRY_CUDA(cudaGetDeviceProperties(&properties, i));
		device->index = i;
		snprintf(device->name, sizeof(device->name), "%s", properties.name);
		device->major = properties.major;
		device->minor = properties.minor;
		device->memory_total = (int64_t) properties.totalGlobalMem;
		device->memory_free = free_memory(i);
		TRY_CUDA(cudaDriverGetVersion(&device->driver_version));
		TRY_CUDA(cudaRuntimeGetVersion(&device->runtime_version));
		device->open = the_session.open && the_session.device == i;
	}
	return ENGINE_OK;
}

EngineStatus
device_list(EngineDevice *devices, int capacity, int *count)
{
	sigset_t	before = block_signals();
	EngineStatus status = list_devices(devices, capacity, count);

	restore_signals(before);
	return status;
}
