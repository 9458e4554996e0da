/*
 * lane.cu
 *	  A lane's streams, its memory on the device, and finding out that its
 *	  kernels have ended, and how long they took.
 *
 * Memory comes from the device's pool, on the lane's upload stream, and goes
 * back there.  The next lane can have it within microseconds, and nothing
 * waits for the device.  A small job uses the lane's own memory, because each
 * call of CUDA makes the others wait.
 *
 * The driver knows the end of kernels from the events around them.  But all
 * threads of a process share the driver's lock, so a kernel that runs alone may
 * report its end to the host itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuprocess/job.h"

#define BUFFER_ALIGNMENT	((size_t) 512)

/* A lane's own memory: as much as a small job needs. */
#define LANE_BYTES			((size_t) 512 * 1024)

/* How often the driver is asked about a kernel that reports its own end. */
#define ASK_NS			1000000

static cudaError_t
event_pair_open(EventPair *events)
{
	TRY(cudaEventCreate(&events->begin));
	return cudaEventCreate(&events->end);
}

/* Queues work between two events. */
EngineStatus
event_pair_run(DeviceLane *lane, const EventPair *events,
			   const DeviceWork *work)
{
	TRY_CUDA(&lane->failure, cudaEventRecord(events->begin, work->stream));
	TRY_CUDA(&lane->failure, lane->operation->run(work));
	TRY_CUDA(&lane->failure, cudaEventRecord(events->end, work->stream));
	return ENGINE_OK;
}

/*
 * Sets *ended if both events have occurred; then adds the time between them.
 */
EngineStatus
event_pair_look(DeviceLane *lane, const EventPair *events, bool *ended,
				double *ms)
{
	cudaError_t error = cudaEventQuery(events->end);
	float		elapsed;

	*ended = error == cudaSuccess;
	if (error == cudaErrorNotReady)
		return ENGINE_OK;
	TRY_CUDA(&lane->failure, error);
	TRY_CUDA(&lane->failure, cudaEventElapsedTime(&elapsed, events->begin,
												  events->end));
	*ms += elapsed;
	return ENGINE_OK;
}

static cudaError_t
watch_open(Watch *watch)
{
	TRY(cudaMallocHost((void **) &watch->end, sizeof(KernelTimer)));
	watch->end->number = 0;
	return event_pair_open(&watch->events);
}

/* Queues the work of a job that is not in parts. */
EngineStatus
watch_run(DeviceLane *lane, DeviceWork *work)
{
	Watch	   *watch = &lane->kernel;

	if (!(lane->traits & TRAIT_TELLS))
		return event_pair_run(lane, &watch->events, work);
	work->end = watch->end;
	work->timer_number = ++watch->number;
	watch->asked_ns = lanes_now_ns();
	TRY_CUDA(&lane->failure, lane->operation->run(work));
	return ENGINE_OK;
}

/*
 * Sets *ended if the work has ended; then adds its time.  The driver is asked
 * about a kernel that reports its own end, too, every ASK_NS, because only the
 * driver knows of errors.
 */
EngineStatus
watch_look(DeviceLane *lane, bool *ended)
{
	Watch	   *watch = &lane->kernel;
	cudaError_t error = cudaErrorNotReady;
	int64_t		now;

	if (!(lane->traits & TRAIT_TELLS))
		return event_pair_look(lane, &watch->events, ended, &lane->kernel_ms);
	now = lanes_now_ns();
	if (now - watch->asked_ns > ASK_NS)
	{
		error = cudaStreamQuery(kernel_stream(lane));
		watch->asked_ns = now;
	}
	*ended = __atomic_load_n(&watch->end->number, __ATOMIC_ACQUIRE) ==
		watch->number;
	if (*ended)
		lane->kernel_ms += watch->end->ns / 1e6;
	if (error != cudaErrorNotReady)
		TRY_CUDA(&lane->failure, error);
	return ENGINE_OK;
}

static cudaError_t
open_slot(DeviceSlot *slot, LaneSlot *shared, char *memory)
{
	slot->shared = shared;
	slot->host_in = memory;
	slot->host_out = memory + lanes_layout.slot_bytes;
	TRY(cudaMallocHost((void **) &slot->results, sizeof(long long)));
	TRY(event_pair_open(&slot->kernel));
	return event_pair_open(&slot->copy);
}

static cudaError_t
open_all(DeviceLane *lane, int number)
{
	int			least;
	int			greatest;

	TRY(cudaSetDevice(the_device.index));
	TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	TRY(cudaStreamCreateWithFlags(&lane->upload, cudaStreamNonBlocking));
	TRY(cudaStreamCreateWithPriority(&lane->download, cudaStreamNonBlocking,
									 greatest));
	TRY(cudaEventCreateWithFlags(&lane->arrived, cudaEventDisableTiming));
	for (int i = 0; i < LANE_SLOTS; i++)
		TRY(open_slot(&lane->slots[i], &lane->shared->slots[i],
					  lane_slot_memory(lanes_shared, &lanes_layout, number,
									   i)));
	TRY(cudaMalloc((void **) &lane->grid, sizeof(GridState)));
	TRY(cudaMemset(lane->grid, 0, sizeof(GridState)));
	TRY(cudaMalloc((void **) &lane->own_memory, LANE_BYTES));
	TRY(watch_open(&lane->kernel));
	for (int i = 0; i < LANE_STREAMS; i++)
		TRY(cudaEventCreateWithFlags(&lane->left[i], cudaEventDisableTiming));
	return cudaMallocHost((void **) &lane->report, sizeof(DeviceReport));
}

/*
 * Opens a lane to the device.  If that fails, its memory is freed with the
 * process.
 */
DeviceLane *
lane_open(SharedLane *shared, int number, Failure *failure)
{
	DeviceLane *lane = (DeviceLane *) calloc(1, sizeof(DeviceLane));
	cudaError_t error;

	if (lane == NULL)
	{
		(void) device_refused(failure, ENGINE_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	lane->shared = shared;
	error = open_all(lane, number);
	if (error == cudaSuccess)
		return lane;
	(void) device_refused(failure, ENGINE_OUT_OF_MEMORY,
						  "The GPU has no memory for lane %d: %s.", number,
						  cudaGetErrorString(error));
	return NULL;
}

/*
 * Allocates memory.  If there is none left, evicts cached values of that size
 * and trims the pool, until the allocation succeeds or no value can be evicted.
 */
static cudaError_t
get_memory(DeviceLane *lane, size_t size)
{
	cudaError_t error;

	while ((error = cudaMallocAsync((void **) &lane->memory, size,
									lane->upload)) ==
		   cudaErrorMemoryAllocation)
	{
		bool		more = cache_evict(size);

		(void) cudaGetLastError();
		device_trim_pool();
		if (!more)
			return cudaMallocAsync((void **) &lane->memory, size,
								   lane->upload);
	}
	return error;
}

static EngineStatus
does_not_fit(DeviceLane *lane, size_t need)
{
	size_t		limit = lane->request.memory_limit;
	size_t		free = 0;
	size_t		total;
	char		limited[50] = "there is no limit";

	(void) cudaMemGetInfo(&free, &total);
	if (limit > 0)
		snprintf(limited, sizeof(limited), "the limit is %zu MB", limit >> 20);
	return device_refused(&lane->failure, ENGINE_OUT_OF_MEMORY,
						  "The call needs %zu MB of GPU memory; %s, and %zu MB "
						  "are free.", (need >> 20) + 1, limited, free >> 20);
}

/*
 * Allocates buffers of these sizes, and the buffers whose sizes the lane
 * knows, if they are within the call's limit and the free memory.  A buffer
 * that exists already stays where it is.  A kernel may write a little behind
 * an input, as behind a piece in a slot.
 */
EngineStatus
lane_reserve(DeviceLane *lane, const DeviceSizes *sizes)
{
	const EngineRequest *request = &lane->request;
	bool		unpacks = request->packed && request->inputs == 1 &&
		!lane->direct && !lane->has_all;
	const size_t wanted[LANE_BUFFERS] = {
		sizes->in[0], sizes->in[1], sizes->in[2],
		sizes->out[0], sizes->out[1],
		sizes->scratch,
		lane->uses[ENGINE_TABLE].memory != NULL ?
		0 : (size_t) request->table_bytes,
		(size_t) request->summary_bytes,
		unpacks ? (size_t) lanes_layout.slot_bytes : 0
	};
	size_t		limit = request->memory_limit;
	size_t		offsets[LANE_BUFFERS];
	size_t		need = 0;
	cudaError_t error;
	bool		allocated;
	char	   *base;

	for (int i = 0; i < LANE_BUFFERS; i++)
	{
		offsets[i] = need;
		if (wanted[i] > 0)
			need += (wanted[i] + SLOT_SLACK + BUFFER_ALIGNMENT - 1) /
				BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;
	}
	if (limit > 0 && need > limit)
		return does_not_fit(lane, need);
	if (need > LANE_BYTES)
	{
		error = get_memory(lane, need);
		if (error == cudaErrorMemoryAllocation)
		{
			lane->memory = NULL;
			(void) cudaGetLastError();
			return does_not_fit(lane, need);
		}
		TRY_CUDA(&lane->failure, error);
	}
	allocated = lane->memory != NULL;
	base = allocated ? lane->memory : lane->own_memory;
	for (int i = 0; i < LANE_BUFFERS; i++)
	{
		if (lane->buffers[i] == NULL)
			lane->buffers[i] = base + offsets[i];
	}

	/* Kernels use what was allocated in another stream. */
	allocated = allocated || lane->stays != NULL;
	for (int i = 0; i < ENGINE_SOURCES; i++)
		allocated = allocated ||
			(lane->uses[i].memory != NULL && !lane->uses[i].has);
	if (!allocated)
		return ENGINE_OK;
	TRY_CUDA(&lane->failure, cudaEventRecord(lane->arrived, lane->upload));
	TRY_CUDA(&lane->failure, cudaStreamWaitEvent(kernel_stream(lane),
												 lane->arrived, 0));
	return ENGINE_OK;
}

/* Marks what the job leaves at work on the device. */
static EngineStatus
mark(DeviceLane *lane)
{
	const cudaStream_t streams[LANE_STREAMS] = {
		lane->upload, kernel_stream(lane), lane->download
	};

	for (int i = 0; i < LANE_STREAMS; i++)
		TRY_CUDA(&lane->failure, cudaEventRecord(lane->left[i], streams[i]));
	lane->settling = true;
	return ENGINE_OK;
}

/*
 * Drains the job: returns ENGINE_MORE until nothing of it is at work on the
 * device, and then frees its memory.
 */
EngineStatus
job_settle(DeviceLane *lane)
{
	if (lane->state != JOB_FINISHED && !lane->settling)
		TRY_STATUS(mark(lane));
	for (int i = 0; lane->settling && i < LANE_STREAMS; i++)
	{
		cudaError_t error = cudaEventQuery(lane->left[i]);

		if (error == cudaErrorNotReady)
			return ENGINE_MORE;
		TRY_CUDA(&lane->failure, error);
	}
	if (lane->memory != NULL)
		TRY_CUDA(&lane->failure, cudaFreeAsync(lane->memory, lane->upload));
	lane->memory = NULL;
	return ENGINE_OK;
}
