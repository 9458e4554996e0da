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
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "device.h"
#include "kernels.h"

/* Device memory of the slots, which a session keeps. */
#define SLOTS_BYTES		(2 * SLOTS * SLOT_BYTES)

/* Devices that are told of. */
#define LISTED_DEVICES	64

static Session the_session;
static char message[512] = "";

const char *
device_message(void)
{
	return message;
}

/*
 * Puts an error into words, and says what it means for the caller.  After any
 * but a lack of memory CUDA is not called again: most of them leave a context
 * in which every call would fail, and the others should not be.
 */
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
	the_session.lost = true;
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

/* The CUDA library starts threads, for which no signal of ours is. */
sigset_t
block_signals(void)
{
	sigset_t	all;
	sigset_t	before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	return before;
}

void
restore_signals(sigset_t before)
{
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/*
 * Some things the driver does in one go, and takes its time for: to open a
 * device is a third of a second, and several if many sessions do it at once.
 * So a thread is sent for them, while the caller can look for interrupts.  If
 * the caller gives up, the thread goes on; who comes next first waits for it,
 * and has what it brought if it is what is wanted.
 */
typedef struct Errand
{
	bool		running;
	pthread_t	thread;
	EngineStatus (*work) (int device);
	int			device;
	EngineStatus status;
} Errand;

static Errand errand;

static void *
errand_main(void *argument)
{
	errand.status = errand.work(errand.device);
	return NULL;
}

/* Has the thread come back?  If not, waits a moment. */
static bool
errand_done(void)
{
	const struct timespec moment = {0, WAIT_NS};

	if (pthread_tryjoin_np(errand.thread, NULL) == 0)
		errand.running = false;
	else
		(void) nanosleep(&moment, NULL);
	return !errand.running;
}

/* Says ENGINE_MORE until the work is done.  Signals are blocked. */
static EngineStatus
run_errand(EngineStatus (*work) (int device), int device)
{
	if (!errand.running)
	{
		errand.work = work;
		errand.device = device;
		if (pthread_create(&errand.thread, NULL, errand_main, NULL) != 0)
			return work(device);
		errand.running = true;
	}
	if (errand_done() && errand.work == work && errand.device == device)
		return errand.status;
	return ENGINE_MORE;
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

/* Opens a device, as an errand; of another one nothing is kept. */
static EngineStatus
open_device(int device)
{
	int			count;
	char		why[100];
	int64_t		free;
	EngineStatus status;

	TRY(count_devices(&count));
	if (device >= count)
	{
		snprintf(why, sizeof(why), "there is no GPU %d, only %d of them",
				 device, count);
		return no_device(why);
	}

	if (the_session.open)
	{
		the_session.open = false;
		TRY_CUDA(cudaSetDevice(the_session.device));
		TRY_CUDA(cudaDeviceReset());
	}
	status = open_session(&the_session, device);
	if (status == ENGINE_OK)
		return ENGINE_OK;

	/* It was not there to be lost. */
	(void) cudaDeviceReset();
	the_session.lost = false;
	free = free_memory(device);
	if (status == ENGINE_OUT_OF_MEMORY && free >= 0)
		snprintf(message, sizeof(message),
				 "The GPU has not enough memory for another session: %lld MB "
				 "are free.", (long long) (free >> 20));
	return status == ENGINE_DEVICE_FAILED ? ENGINE_NO_DEVICE : status;
}

/*
 * The session on the device of the request, opened if it is not, with nothing
 * of a job before in flight; ENGINE_MORE until it has come to that.
 */
EngineStatus
device_open(const EngineRequest *request, Session **session)
{
	size_t		limit = request->memory_limit;
	int			device = request->device;

	if (!errand.running && the_session.lost)
		return ENGINE_DEVICE_FAILED;
	if (errand.running || !the_session.open || the_session.device != device)
	{
		if (limit > 0 && limit < SLOTS_BYTES)
		{
			snprintf(message, sizeof(message),
					 "The session needs %zu MB of GPU memory; the limit is "
					 "%zu MB.", SLOTS_BYTES >> 20, limit >> 20);
			return ENGINE_OUT_OF_MEMORY;
		}
		TRY(run_errand(open_device, device));
		TRY_CUDA(cudaSetDevice(device));
	}
	*session = &the_session;
	return device_settle(&the_session, WAIT_NS);
}

/* How large a buffer is once it has this size or more. */
static size_t
grown_size(const DeviceBuffer *buffer, size_t size)
{
	if (size <= buffer->size)
		return buffer->size;
	return size < KEPT_BYTES ? KEPT_BYTES : size;
}

static EngineStatus
grow(DeviceBuffer *buffer, size_t size)
{
	size = grown_size(buffer, size);
	if (buffer->size == size)
		return ENGINE_OK;
	TRY_CUDA(cudaFree(buffer->memory));
	buffer->memory = NULL;
	buffer->size = 0;
	TRY_CUDA(cudaMalloc(&buffer->memory, size));
	buffer->size = size;
	return ENGINE_OK;
}

/* Gives back the memory that grew. */
static void
shrink(Session *session)
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

static EngineStatus
does_not_fit(size_t need, size_t held, size_t limit, size_t free)
{
	char		limited[50] = "there is no limit";

	if (limit > 0)
		snprintf(limited, sizeof(limited), "the limit is %zu MB", limit >> 20);
	snprintf(message, sizeof(message),
			 "The call needs %zu MB of GPU memory, of which the session has "
			 "%zu MB; %s, and %zu MB are free.",
			 (need >> 20) + 1, held >> 20, limited, free >> 20);
	return ENGINE_OUT_OF_MEMORY;
}

/*
 * Gets buffers of these sizes, if with the slots they are within the limit and
 * within what is free.  Another process may still be faster to take that.
 */
EngineStatus
device_reserve(EngineJob *job, const size_t *sizes)
{
	DeviceBuffer *buffers = job->session->buffers;
	size_t		limit = job->request.memory_limit;
	size_t		need = SLOTS_BYTES;
	size_t		held = SLOTS_BYTES;
	size_t		free;
	size_t		total;
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < SESSION_BUFFERS; i++)
	{
		need += grown_size(&buffers[i], sizes[i]);
		held += buffers[i].size;
	}
	if (need == held && (limit == 0 || need <= limit))
		return ENGINE_OK;
	TRY_CUDA(cudaMemGetInfo(&free, &total));
	if ((limit > 0 && need > limit) || need - held > free)
		return does_not_fit(need, held, limit, free);
	for (int i = 0; i < SESSION_BUFFERS && status == ENGINE_OK; i++)
		status = grow(&buffers[i], sizes[i]);
	return status == ENGINE_OUT_OF_MEMORY ?
		does_not_fit(need, held, limit, free) : status;
}

static EngineStatus
settle_stream(cudaStream_t stream, int64_t until)
{
	cudaError_t error;

	while ((error = cudaStreamQuery(stream)) == cudaErrorNotReady)
	{
		if (now_ns() >= until)
			return ENGINE_MORE;
		(void) sched_yield();
	}
	TRY_CUDA(error);
	return ENGINE_OK;
}

/*
 * Waits until nothing of a job is in flight, and gives back its memory;
 * ENGINE_MORE if that would take longer.
 */
EngineStatus
device_settle(Session *session, int64_t wait_ns)
{
	if (session->busy)
	{
		int64_t		until = now_ns() + wait_ns;

		TRY(settle_stream(session->upload, until));
		TRY(settle_stream(session->compute, until));
		TRY(settle_stream(session->download, until));
		session->busy = false;
	}
	shrink(session);
	return ENGINE_OK;
}

/* Is CUDA as it should be when the process exits? */
bool
device_idle(void)
{
	return !errand.running && !the_session.busy && !the_session.lost;
}

static EngineDevice listed[LISTED_DEVICES];
static int	listed_count;

/* Looks for all devices, as an errand. */
static EngineStatus
list_devices(int none)
{
	TRY(count_devices(&listed_count));
	for (int i = 0; i < listed_count && i < LISTED_DEVICES; i++)
	{
		EngineDevice *device = &listed[i];
		cudaDeviceProp properties;
		cudaError_t error = cudaGetDeviceProperties(&properties, i);

		if (error != cudaSuccess)
			return no_device(cudaGetErrorString(error));
		device->index = i;
		snprintf(device->name, sizeof(device->name), "%s", properties.name);
		device->major = properties.major;
		device->minor = properties.minor;
		device->memory_total = (int64_t) properties.totalGlobalMem;
		device->memory_free = free_memory(i);
		(void) cudaDriverGetVersion(&device->driver_version);
		(void) cudaRuntimeGetVersion(&device->runtime_version);
		device->open = the_session.open && the_session.device == i;
	}
	return ENGINE_OK;
}

EngineStatus
device_list(EngineDevice *devices, int capacity, int *count)
{
	if (!errand.running && the_session.lost)
		return ENGINE_DEVICE_FAILED;
	TRY(run_errand(list_devices, 0));
	*count = listed_count < LISTED_DEVICES ? listed_count : LISTED_DEVICES;
	for (int i = 0; i < *count && i < capacity; i++)
		devices[i] = listed[i];
	return ENGINE_OK;
}
