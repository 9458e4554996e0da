/*
 * simulated_device.h
 *	  The device, whose work waits in streams, and the jobs on it: the
 *	  process's own code on a few calls of CUDA.
 *
 * A part of simulate.c, whose state it uses.
 */
#ifndef GPUCOMPACT_SIMULATED_DEVICE_H
#define GPUCOMPACT_SIMULATED_DEVICE_H

/* Of no job here: its memory is the lane's own, and it has no summary. */
#define cudaFreeAsync(memory, stream)			cudaErrorUnknown
#define cudaMallocAsync(where, size, stream)	cudaErrorMemoryAllocation
#define cudaMemGetInfo(free, total)				(*(total) = 0, cudaSuccess)
#define cudaMemsetAsync(memory, value, size, stream)	cudaErrorUnknown

static cudaStream_t
device_stream(void)
{
	must(nstreams < STREAMS);
	streams[nstreams].begun = streams[nstreams].queued = 0;
	return &streams[nstreams++];
}

EngineStatus
device_list(EngineDevice *devices, int capacity, int *count, Failure *failure)
{
	*count = 0;
	return ENGINE_NO_DEVICE;
}

EngineStatus
device_open(int index, EngineDevice *device, Failure *failure)
{
	device->memory_free = device_limit;
	the_device = (Device) {.compute = device_stream(), .maps_host = true};
	return fault(200) ? ENGINE_NO_DEVICE : ENGINE_OK;
}

EngineStatus
device_share(void *memory, size_t size, Failure *failure)
{
	return fault(200) ? ENGINE_DEVICE_FAILED : ENGINE_OK;
}

int64_t
device_bytes_in_use(void)
{
	return device_bytes;
}

void
device_trim_pool(void)
{
}

static cudaError_t queue(cudaStream_t stream, Queued call);

/*
 * The memory is there when the stream comes to that, and must not be freed
 * before: a copy of no bytes stands for the allocation.
 */
char *
device_cache_alloc(DeviceLane *lane, int64_t size)
{
	others();
	for (int i = 0; i < BLOCKS && device_bytes + size <= device_limit; i++)
	{
		if (blocks[i].bytes != 0)
			continue;
		blocks[i].bytes = size;
		device_bytes += size;
		memset(blocks[i].memory, 0x5A, size);
		if (lane != NULL)
			(void) queue(lane->upload, (Queued) {.to = blocks[i].memory,
					.from = blocks[i].memory});
		return blocks[i].memory;
	}
	return NULL;
}

/* Returns true if memory is in a block. */
static bool
is_in(const void *memory, const Block *block)
{
	return (char *) memory >= block->memory &&
		(char *) memory < block->memory + sizeof(block->memory);
}

/* Nothing that waits in a stream may use it. */
void
device_cache_free(char *memory)
{
	Block	   *block = (Block *) memory;

	must(block->bytes > 0);
	for (int i = 0; i < nstreams; i++)
	{
		for (unsigned n = streams[i].begun; n < streams[i].queued; n++)
		{
			const Queued *call = &streams[i].calls[n % QUEUED];

			must(!is_in(call->to, block) && !is_in(call->from, block) &&
				 !is_in(call->work.in[0], block) &&
				 !is_in(call->work.in[1], block) &&
				 !is_in(call->work.table, block) &&
				 !is_in(call->work.out[0], block));
		}
	}
	memset(memory, 0xA5, block->bytes);
	device_bytes -= block->bytes;
	block->bytes = 0;
}

EngineStatus
device_failed(Failure *failure, cudaError_t error, const char *call)
{
	must(error == cudaErrorMemoryAllocation || error == cudaErrorUnknown);
	strcpy(failure->message, "as planned");
	return error == cudaErrorMemoryAllocation ? ENGINE_OUT_OF_MEMORY :
		ENGINE_DEVICE_FAILED;
}

/* There are limits of memory, and damaged blocks, as planned, too. */
EngineStatus
device_refused(Failure *failure, EngineStatus status, const char *format, ...)
{
	strcpy(failure->message, status == ENGINE_OUT_OF_MEMORY ||
		   status == ENGINE_NOT_UNPACKED ? "as planned" : format);
	return status;
}

/* Memory that the process never gives back. */
static void *
device_take(size_t size)
{
	char	   *memory = taken + taken_bytes;

	taken_bytes += (size + 63) / 64 * 64;
	must(taken_bytes <= sizeof(taken));
	return fault(4000) ? NULL : memset(memory, 0, size < 65536 ? size : 0);
}

/* How a call of CUDA ends. */
static cudaError_t
cuda_status(void)
{
	return !fault(500) ? cudaSuccess :
		chance(30) ? cudaErrorUnknown : cudaErrorMemoryAllocation;
}

static cudaError_t
queue(cudaStream_t stream, Queued call)
{
	must(stream->queued - stream->begun < QUEUED);
	stream->calls[stream->queued++ % QUEUED] = call;
	return cuda_status();
}

static cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return queue(stream, (Queued) {.event = event,
			.number = ++event->recorded});
}

static cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	return queue(stream, (Queued) {.event = event,
			.number = event->recorded, .waits = true});
}

static cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind,
				cudaStream_t stream)
{
	return queue(stream, (Queued) {.to = to, .from = from, .bytes = size});
}

static void device_go_on(void);

static cudaError_t
cudaEventQuery(cudaEvent_t event)
{
	device_go_on();
	return event->occurred != event->recorded ? cudaErrorNotReady :
		cuda_status();
}

/* Jobs. */
#define calloc(number, size)	device_take(size)
#include "gpuprocess/lane.cu"
#undef calloc
#include "gpuprocess/upload.cu"
#include "gpuprocess/download.cu"
#include "gpuprocess/job.cu"

cudaError_t
unpack_blocks(cudaStream_t stream, const Unpacking *unpacking)
{
	return cudaErrorUnknown;
}

/* The results of this device's only operation. */
static void
answer(const unsigned char *table, int64_t table_bytes,
	   const unsigned char *first, const unsigned char *second, int64_t count,
	   unsigned char *to)
{
	unsigned char sum = 0;

	for (int64_t i = 0; i < table_bytes; i++)
		sum += table[i];
	for (int64_t i = 0; i < count; i++)
		to[i] = sum + first[i] + 3 * (second == NULL ? 0 : second[i]);
}

static const DeviceLane *
lane_of(const EngineRequest *request)
{
	return (const DeviceLane *)
		((const char *) request - offsetof(DeviceLane, request));
}

/* The device does the work.  A part finds the results of the one before. */
static void
compute(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	const DeviceLane *lane = lane_of(request);
	unsigned char *first = work->in[0];
	unsigned char *second = request->inputs > 1 ? work->in[1] : NULL;
	unsigned char *out = work->out[0];
	unsigned char last;

	if (work->first > 0)
	{
		answer(work->table, request->table_bytes, first - 1,
			   second == NULL ? NULL : second - 1, 1, &last);
		must(out[-1] == last);
	}
	answer(work->table, request->table_bytes, first, second, work->count, out);
	for (int i = 0; i < request->inputs; i++)
	{
		if ((lane->traits & TRAIT_CHANGES) && !lane->direct)
			memset(work->in[i], 0xEE, work->count);
	}
	work->report->not_unpacked |= fault(100);
	if (work->end != NULL)
		word_write(&work->end->number, work->timer_number);
}

static cudaError_t
queue_work(const DeviceWork *work)
{
	return queue(work->stream, (Queued) {.work = *work});
}

/* Any of the first three, and one of two that exclude each other, or none. */
static unsigned
choose_traits(const EngineRequest *request)
{
	return (unsigned) number(2 * TRAIT_TELLS) |
		(chance(2) ? TRAIT_PARTS : chance(2) ? TRAIT_CHANGES : 0);
}

EngineStatus
device_operation(const EngineRequest *request, Failure *failure,
				 const DeviceOperation **operation)
{
	static const DeviceOperation only = {
		.traits_of = choose_traits, .run = queue_work
	};
	const DeviceLane *lane = lane_of(request);
	int64_t		held = 0;

	/* A job that the session has abandoned may have a result, too. */
	for (int i = FIRST_RESULT; i < CACHE_ENTRIES + MAX_RESULTS; i++)
		held += kept[i].session == lane->shared->session &&
			is_needed(&kept[i]) ? kept[i].bytes : 0;
	must(lane->stays == NULL || request->memory_limit == 0 ||
		 held <= request->memory_limit);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		inputs_stayed += lane->uses[i].entry >= CACHE_ENTRIES;
		inputs_cached += lane->uses[i].has &&
			lane->uses[i].entry < CACHE_ENTRIES;
	}
	if (fault(30))
		(void) cache_evict(chance(2) ? INT64_MAX : 5000);
	*operation = fault(60) ? NULL : &only;
	return *operation != NULL ? ENGINE_OK :
		device_refused(failure, ENGINE_NOT_SUPPORTED, "as planned");
}

/* The device takes the next thing from a stream; false if it has to wait. */
static bool
take_next(struct Stream *stream)
{
	const Queued *call = &stream->calls[stream->begun % QUEUED];

	if (stream->begun == stream->queued ||
		(call->waits && call->event->occurred < call->number))
		return false;
	stream->begun++;
	if (call->work.request != NULL)
		compute(&call->work);
	else if (call->event == NULL)
		memcpy(call->to, call->from, call->bytes);
	else if (!call->waits)
		call->event->occurred = call->number;
	return true;
}

/* The device goes on: often not at all, sometimes far. */
static void
device_go_on(void)
{
	for (int n = chance(4) ? 8 : (int) number(2); n > 0; n--)
	{
		int			stream = (int) number(nstreams);

		for (int i = 0; i < nstreams; i++)
		{
			if (take_next(&streams[(stream + i) % nstreams]))
				break;
		}
	}
}

#endif							/* GPUCOMPACT_SIMULATED_DEVICE_H */
