/*
 * lane.cu
 *	  A lane: its staging slots, its streams and its memory on the device.
 */
#include <cstdio>
#include <cstring>
#include <ctime>
#include <sched.h>

#include "job.h"

int64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static cudaError_t
open_span(Span *span)
{
	TRY(cudaEventCreate(&span->begin));
	return cudaEventCreate(&span->end);
}

static cudaError_t
open_slot(Slot *slot)
{
	memset(slot, 0, sizeof(*slot));
	TRY(cudaMallocHost(&slot->host_in, SLOT_BYTES));
	TRY(cudaMallocHost(&slot->host_out, SLOT_BYTES));
	TRY(cudaMallocHost((void **) &slot->results, sizeof(long long)));
	TRY(cudaMalloc(&slot->device_in, SLOT_BYTES));
	TRY(cudaMalloc(&slot->device_out, SLOT_BYTES));
	TRY(open_span(&slot->upload));
	TRY(open_span(&slot->kernel));
	return open_span(&slot->download);
}

static cudaError_t
open_all(Lane *lane)
{
	TRY(cudaStreamCreateWithFlags(&lane->upload, cudaStreamNonBlocking));
	TRY(cudaStreamCreateWithFlags(&lane->download, cudaStreamNonBlocking));
	for (int i = 0; i < SLOTS; i++)
		TRY(open_slot(&lane->slots[i]));
	TRY(cudaMalloc(&lane->state, STATE_BYTES));
	TRY(open_span(&lane->whole));
	for (int i = 0; i < LANE_STREAMS; i++)
		TRY(cudaEventCreateWithFlags(&lane->left[i], cudaEventDisableTiming));
	return cudaMallocHost((void **) &lane->report, sizeof(DeviceReport));
}

/*
 * Opens the job's lane on the device of its request, and the device with it, if
 * that is not open.
 */
EngineStatus
lane_open(CudaJob *job)
{
	Lane	   *lane = &job->lane;
	int			index = job->request.device;
	cudaError_t error;
	int64_t		free;

	memset(lane, 0, sizeof(*lane));
	TRY_STATUS(device_open(index, &lane->device, &job->failure));
	lane->index = index;
	lane->open = true;
	error = open_all(lane);
	if (error == cudaSuccess)
		return ENGINE_OK;

	lane_close(lane);
	free = device_free_memory(index);
	if (error == cudaErrorMemoryAllocation && free >= 0)
		return device_refused(&job->failure, ENGINE_OUT_OF_MEMORY,
							  "The GPU has not enough memory for another "
							  "session: %lld MB are free.",
							  (long long) (free >> 20));
	return device_refused(&job->failure, ENGINE_NO_DEVICE, "%s",
						  cudaGetErrorString(error));
}

static void
close_span(Span *span)
{
	(void) cudaEventDestroy(span->begin);
	(void) cudaEventDestroy(span->end);
}

static void
close_slot(Slot *slot)
{
	(void) cudaFreeHost(slot->host_in);
	(void) cudaFreeHost(slot->host_out);
	(void) cudaFreeHost(slot->results);
	(void) cudaFree(slot->device_in);
	(void) cudaFree(slot->device_out);
	close_span(&slot->upload);
	close_span(&slot->kernel);
	close_span(&slot->download);
}

/* Closes a lane, also one that was not opened in full. */
void
lane_close(Lane *lane)
{
	if (!lane->open)
		return;
	lane->open = false;
	if (!device_process_lost())
	{
		(void) cudaSetDevice(lane->index);
		for (int i = 0; i < SLOTS; i++)
			close_slot(&lane->slots[i]);
		for (int i = 0; i < LANE_BUFFERS; i++)
			(void) cudaFree(lane->buffers[i].memory);
		(void) cudaFree(lane->state);
		(void) cudaFreeHost(lane->report);
		close_span(&lane->whole);
		for (int i = 0; i < LANE_STREAMS; i++)
			(void) cudaEventDestroy(lane->left[i]);
		(void) cudaStreamDestroy(lane->upload);
		(void) cudaStreamDestroy(lane->download);
		(void) cudaGetLastError();
	}
	device_close(lane->index);
}

/* How large a buffer is once it has this size or more. */
static size_t
grown_size(const DeviceBuffer *buffer, size_t size)
{
	if (size <= buffer->size)
		return buffer->size;
	return size < KEPT_BYTES ? KEPT_BYTES : size;
}

static cudaError_t
grow(DeviceBuffer *buffer, size_t size)
{
	size = grown_size(buffer, size);
	if (buffer->size == size)
		return cudaSuccess;
	TRY(cudaFree(buffer->memory));
	buffer->memory = NULL;
	buffer->size = 0;
	TRY(cudaMalloc(&buffer->memory, size));
	buffer->size = size;
	return cudaSuccess;
}

/* Gives back the memory that grew. */
static void
shrink(Lane *lane)
{
	for (int i = 0; i < LANE_BUFFERS; i++)
	{
		DeviceBuffer *buffer = &lane->buffers[i];

		if (buffer->size <= KEPT_BYTES)
			continue;
		(void) cudaFree(buffer->memory);
		buffer->memory = NULL;
		buffer->size = 0;
	}
}

static EngineStatus
does_not_fit(Failure *failure, size_t need, size_t held, size_t limit,
			 size_t free)
{
	char		limited[50] = "there is no limit";

	if (limit > 0)
		snprintf(limited, sizeof(limited), "the limit is %zu MB", limit >> 20);
	return device_refused(failure, ENGINE_OUT_OF_MEMORY,
						  "The call needs %zu MB of GPU memory, of which the "
						  "session has %zu MB; %s, and %zu MB are free.",
						  (need >> 20) + 1, held >> 20, limited, free >> 20);
}

/*
 * Gets buffers of these sizes, if with the slots they are within the limit and
 * within what is free.  Another process may still be faster to take that.
 */
EngineStatus
lane_reserve(CudaJob *job, const DeviceSizes *sizes)
{
	const size_t wanted[LANE_BUFFERS] = {
		sizes->in[0], sizes->in[1], sizes->out[0], sizes->out[1],
		sizes->scratch, (size_t) job->request.table_bytes,
		(size_t) job->request.summary_bytes
	};
	DeviceBuffer *buffers = job->lane.buffers;
	size_t		limit = job->request.memory_limit;
	size_t		need = SLOTS_BYTES;
	size_t		held = SLOTS_BYTES;
	size_t		free;
	size_t		total;

	for (int i = 0; i < LANE_BUFFERS; i++)
	{
		need += grown_size(&buffers[i], wanted[i]);
		held += buffers[i].size;
	}
	if (need == held && (limit == 0 || need <= limit))
		return ENGINE_OK;
	TRY_CUDA(&job->failure, cudaMemGetInfo(&free, &total));
	if ((limit > 0 && need > limit) || need - held > free)
		return does_not_fit(&job->failure, need, held, limit, free);
	for (int i = 0; i < LANE_BUFFERS; i++)
	{
		cudaError_t error = grow(&buffers[i], wanted[i]);

		if (error == cudaErrorMemoryAllocation)
		{
			(void) cudaGetLastError();
			return does_not_fit(&job->failure, need, held, limit, free);
		}
		TRY_CUDA(&job->failure, error);
	}
	return ENGINE_OK;
}

static EngineStatus
settle(CudaJob *job, cudaEvent_t event, int64_t until)
{
	cudaError_t error;

	while ((error = cudaEventQuery(event)) == cudaErrorNotReady)
	{
		if (now_ns() >= until)
			return ENGINE_MORE;
		(void) sched_yield();
	}
	TRY_CUDA(&job->failure, error);
	return ENGINE_OK;
}

/* Marks what a job leaves in flight, which lane_settle will wait for. */
EngineStatus
lane_leave(CudaJob *job)
{
	Lane	   *lane = &job->lane;
	const cudaStream_t streams[LANE_STREAMS] = {
		lane->upload, lane->device->compute, lane->download
	};

	lane->busy = true;
	for (int i = 0; i < LANE_STREAMS; i++)
		TRY_CUDA(&job->failure, cudaEventRecord(lane->left[i], streams[i]));
	return ENGINE_OK;
}

/*
 * Waits until nothing of a job is in flight, and gives back its memory;
 * ENGINE_MORE if that would take longer.
 */
EngineStatus
lane_settle(CudaJob *job, int64_t wait_ns)
{
	Lane	   *lane = &job->lane;

	if (lane->busy)
	{
		int64_t		until = now_ns() + wait_ns;

		for (int i = 0; i < LANE_STREAMS; i++)
			TRY_STATUS(settle(job, lane->left[i], until));
		lane->busy = false;
	}
	shrink(lane);
	return ENGINE_OK;
}
