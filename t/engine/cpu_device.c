/*
 * cpu_device.c
 *	  A stand-in for the GPU of a GPU process: the CPU engine does the work of
 *	  the kernels, on memory of the host.
 *
 * So all of the process but CUDA and the kernels can be tested on any machine.
 * What is queued in a stream is done at once.  The device also fails on demand:
 * see cpu_faults.h.
 *
 *		make t/engine/gpu_on_cpu
 */
#include <malloc.h>

#include "cpu_faults.h"
#include "contract/operations/compact.h"
#include "cpu/cpu_engine.h"
#include "gpuprocess/job.h"
#include "packed/packed_format.h"

/* As much memory as the device says to have, and what others have left. */
#define DEVICE_MEMORY	((size_t) 1024 * 1024 * 1024)

static size_t memory_left = DEVICE_MEMORY;

/* CUDA. */

typedef struct cudaDeviceProp
{
	char		name[256];
	int			major;
	int			minor;
	size_t		totalGlobalMem;
} cudaDeviceProp;

#define cudaDeviceGetAttribute(value, attribute, device) \
	(*(value) = 1, cudaSuccess)
#define cudaDeviceGetDefaultMemPool(pool, device)	cudaSuccess
#define cudaDeviceGetPCIBusId(id, size, device)		cudaErrorUnknown
#define cudaDriverGetVersion(version)		(*(version) = 1000, cudaSuccess)
#define cudaEventQuery(event)				cudaSuccess
#define cudaEventRecord(event, stream)		((void) (stream), cudaSuccess)
#define cudaGetErrorName(error)				""
#define cudaHostRegister(memory, size, flags)	cudaSuccess
#define cudaMemPoolGetAttribute(pool, attribute, value) \
	(*(value) = __atomic_load_n(&bytes_in_use, __ATOMIC_RELAXED), cudaSuccess)
#define cudaMemPoolSetAttribute(pool, attribute, value) \
	((void) (value), cudaSuccess)
#define cudaMemPoolTrimTo(pool, size)		((void) (pool), cudaSuccess)
#define cudaMemcpyAsync(to, from, size, kind, stream) \
	((void) (stream), memcpy(to, from, size), cudaSuccess)
#define cudaMemsetAsync(memory, value, size, stream) \
	(memset(memory, value, size), cudaSuccess)
#define cudaRuntimeGetVersion(version)		(*(version) = 1000, cudaSuccess)
#define cudaStreamSynchronize(stream)		cudaSuccess
#define cudaStreamWaitEvent(stream, event, flags)	cudaSuccess
#define device_stream()						calloc(1, 1)
#define device_take(size)					calloc(1, size)
#define lookahead_open(ahead)				cudaSuccess

/* Memory of the pool. */
static int64_t bytes_in_use;

static cudaError_t
cudaMallocAsync(void **memory, size_t size, cudaStream_t stream)
{
	if (__atomic_load_n(&bytes_in_use, __ATOMIC_RELAXED) + size > memory_left)
		return cudaErrorMemoryAllocation;
	*memory = malloc(size);
	if (*memory == NULL)
		return cudaErrorMemoryAllocation;
	__atomic_add_fetch(&bytes_in_use, malloc_usable_size(*memory),
					   __ATOMIC_RELAXED);
	return cudaSuccess;
}

static cudaError_t
cudaFreeAsync(void *memory, cudaStream_t stream)
{
	__atomic_sub_fetch(&bytes_in_use, malloc_usable_size(memory),
					   __ATOMIC_RELAXED);
	free(memory);
	return cudaSuccess;
}

static cudaError_t
cudaMemGetInfo(size_t *free, size_t *total)
{
	*total = DEVICE_MEMORY;
	*free = memory_left;
	return cudaSuccess;
}

static cudaError_t
cudaGetDeviceCount(int *count)
{
	const char *gpus = getenv("GPUCOMPACT_TEST_GPUS");

	*count = gpus ? atoi(gpus) : 1;
	return cudaSuccess;
}

static cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
	*properties = (cudaDeviceProp) {.totalGlobalMem = DEVICE_MEMORY};
	snprintf(properties->name, sizeof(properties->name), "CPU %d", device);
	return cudaSuccess;
}

/* The process's own files.  Faults come before some of their functions. */
#define device_cache_alloc	real_device_cache_alloc
#define device_open			real_device_open
#define job_begin			real_job_begin
#define job_step			real_job_step
#define upload_finish		real_upload_finish
#define upload_take_piece	real_upload_take_piece
#include "gpuprocess/device.cu"
#include "gpuprocess/lane.cu"
#include "gpuprocess/upload.cu"
#include "gpuprocess/download.cu"
#undef upload_finish
#undef upload_take_piece
#include "gpuprocess/job.cu"
#undef device_cache_alloc
#undef device_open
#undef job_begin
#undef job_step

/* Kernels. */

cudaError_t
unpack_blocks(cudaStream_t stream, const Unpacking *unpacking)
{
	int			size = kind_size(unpacking->kind);

	for (int i = 0; i < unpacking->nblocks; i++)
	{
		const BlockPlace *place = &unpacking->places[i];
		const char *bytes = unpacking->bytes + place->before * INT64_C(8);
		uint64_t	all[PACKED_BLOCK];
		PackedArray packed = {.kind = unpacking->kind};
		PackedBlock block = {
			.length = place->length * 8, .count = place->count,
			.scheme = (PackedScheme) place->scheme,
			.mapping = (PackedMapping) place->mapping, .bits = place->bits,
			.checksum = packed_checksum(0, bytes, place->length * 8)
		};

		if (packed_unpack_block(&packed, &block, bytes, all) == PACKED_OK)
			memcpy((char *) unpacking->out + place->first * (int64_t) size,
				   (char *) all + place->skipped * size,
				   place->wanted * size);
		else
			*unpacking->failed = 1;
	}
	return cudaSuccess;
}

static const DeviceLane *
lane_of(const DeviceWork *work)
{
	return (const DeviceLane *)
		((const char *) work->request - offsetof(DeviceLane, request));
}

static bool
is_abandoned(const DeviceLane *lane)
{
	return word_read(&lane->shared->state) != LANE_BEGUN;
}

/*
 * Begins a job of the CPU engine, unless the work is the next part of one: then
 * the engine finishes the pieces so far, and the job goes on.
 */
static EngineStatus
begin_on_cpu(EngineContext *context, const DeviceWork *work)
{
	EngineRequest request = *work->request;
	ResultShape shape = operation_facts[request.operation].shape;

	if (work->first > 0 && shape == RESULT_EACH)
		return ENGINE_OK;
	if (shape != RESULT_EACH)
		request.count = work->count;
	request.algorithm = ALGORITHM_AUTO;
	request.threads = 2;
	request.table = work->table;
	request.summary = work->summary;
	for (int i = 0; i < ENGINE_RESULTS; i++)
	{
		if (request.outputs[i].memory != NULL)
			request.outputs[i].memory = shape == RESULT_ONE ?
				(char *) &work->report->value : (char *) work->out[i] +
				request.absent * output_size(&request, i);
	}
	cpu_engine.end(context);
	return cpu_engine.begin(context, &request);
}

/*
 * Does the work, or a part of it.  Returns ENGINE_MORE if the session has
 * abandoned the job.
 */
static EngineStatus
compute(EngineContext *context, const DeviceWork *work, EngineResult *result)
{
	EngineStatus status;
	void	   *buffers[ENGINE_INPUTS];
	int64_t		count;

	TRY_STATUS(begin_on_cpu(context, work));
	for (int64_t pushed = 0; pushed < work->count; pushed += count)
	{
		const void *data[ENGINE_INPUTS] = {NULL};

		if (is_abandoned(lane_of(work)))
			return ENGINE_MORE;
		while ((status = cpu_engine.buffer(context, buffers,
										   &count)) == ENGINE_MORE)
			;
		TRY_STATUS(status);
		if (count > work->count - pushed)
			count = work->count - pushed;
		for (int i = 0; i < work->request->inputs; i++)
			data[i] = (char *) work->in[i] +
				pushed * input_size(work->request, i);
		TRY_STATUS(cpu_engine.push(context, data, count));
	}
	while ((status = cpu_engine.finish(context, result)) == ENGINE_MORE &&
		   !is_abandoned(lane_of(work)))
		;
	return status;
}

static cudaError_t
run_on_cpu(const DeviceWork *work)
{
	static __thread EngineContext *context; /* of the lane's thread */
	EngineResult result = {0};
	EngineStatus status;

	if (context == NULL)
		context = cpu_engine.open();
	status = compute(context, work, &result);
	if (status != ENGINE_OK ||
		work->first + work->count == work->request->count)
		cpu_engine.end(context);
	*work->results = result.count;
	work->report->overflow[result.overflow] = 1;
	work->report->errors.count = (unsigned long long) result.errors;
	work->report->errors.first = ~(unsigned long long) result.first_error;
	return status == ENGINE_OUT_OF_MEMORY ? cudaErrorMemoryAllocation :
		status == ENGINE_OK || status == ENGINE_MORE ? cudaSuccess :
		cudaErrorUnknown;
}

static cudaError_t
find_more_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	if (request->outputs[1].memory != NULL)
		sizes->out[1] = most_results(request) * output_size(request, 1);
	return cudaSuccess;
}

/*
 * A job can be in parts if the CPU engine takes the array piece by piece, and
 * each element has a result.  The parts of a compaction are jobs of their own.
 */
static unsigned
choose_traits(const EngineRequest *request)
{
	const OperationFacts *facts = &operation_facts[request->operation];
	const CompactParameters *compact = PARAMETERS(request, CompactParameters);
	bool		each = facts->shape == RESULT_EACH &&
		cpu_operations[request->operation]->finish == cpu_pieces_finish;

	if (facts->blocking || request->joined > 0)
		return TRAIT_DIRECT | TRAIT_CHANGES;
	if (each || (request->operation == ENGINE_COMPACT &&
				 !compact->positions && !compact->by_bitmap))
		return TRAIT_DIRECT | TRAIT_PARTS;
	return TRAIT_DIRECT;
}

EngineStatus
device_operation(const EngineRequest *request, Failure *failure,
				 const DeviceOperation **operation)
{
	static const DeviceOperation all = {
		.sizes = find_more_sizes, .traits_of = choose_traits, .run = run_on_cpu
	};

	*operation = &all;
	return cpu_engine.cost_us(NULL, request, false) >= 0 ? ENGINE_OK :
		device_refused(failure, ENGINE_NOT_SUPPORTED,
					   "The CPU engine does not know this operation.");
}

/* Faults, of the job in the thread's lane. */
static __thread Fault fault;
static __thread int calls[STEPS];
static __thread bool hangs;

/*
 * Returns how a step fails, or ENGINE_OK.  A step that is held counts progress,
 * so that this does not look like a hang.
 */
static EngineStatus
job_status(DeviceLane *lane, Step step)
{
	EngineStatus status;

	while (is_fault(&fault, step, "held") && !is_abandoned(lane))
	{
		__atomic_add_fetch(&lanes_shared->progress, 1, __ATOMIC_RELAXED);
		sleep_ms(HELD_MS);
		fault = read_fault();
	}
	status = fault_status(&fault, step, ++calls[step]);
	hangs = status == ENGINE_MORE;
	return status == ENGINE_OK ? ENGINE_OK :
		device_refused(&lane->failure, status, "The test has it so: %s %s.",
					   fault.step, fault.name);
}

EngineStatus
device_open(int index, EngineDevice *device, Failure *failure)
{
	Fault		now = read_fault();
	EngineStatus status = fault_status(&now, STEP_OPEN, 1);

	if (status != ENGINE_OK)
		return device_refused(failure, status, "the test has it so: open");
	if (is_fault(&now, STEP_OPEN, "crowded"))
		memory_left = (size_t) now.number << 20;
	return real_device_open(index, device, failure);
}

/*
 * A fault is not reported: a value that finds no memory is not cached.
 */
char *
device_cache_alloc(DeviceLane *lane, int64_t bytes)
{
	Fault		now = read_fault();

	return is_fault(&now, STEP_BEGIN, "no_cache") ? NULL :
		real_device_cache_alloc(lane, bytes);
}

EngineStatus
job_begin(DeviceLane *lane, const CacheUse uses[CACHE_USES])
{
	TRY_STATUS(real_job_begin(lane, uses));
	fault = read_fault();
	memset(calls, 0, sizeof(calls));
	if (is_fault(&fault, STEP_BEGIN, "tight"))
		(void) cache_evict(INT64_MAX);
	if (is_fault(&fault, STEP_BEGIN, "lab") &&
		lab_library(&lane->failure) == NULL)
		return ENGINE_NOT_SUPPORTED;
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (uses[i].entry >= CACHE_ENTRIES)
			TRY_STATUS(job_status(lane, STEP_CHAIN));
	}
	return job_status(lane, STEP_BEGIN);
}

EngineStatus
upload_take_piece(DeviceLane *lane, bool *moved)
{
	const DeviceSlot *slot = slot_of(lane, lane->pieces);

	if (slot->state != DEVICE_SLOT_FREE ||
		word_read(&slot->shared->state) != LANE_SLOT_FILLED)
		return ENGINE_OK;
	TRY_STATUS(job_status(lane, STEP_PUSH));
	if (slot->shared->nblocks > 0)
		TRY_STATUS(job_status(lane, STEP_UNPACK));
	return real_upload_take_piece(lane, moved);
}

EngineStatus
upload_finish(DeviceLane *lane)
{
	TRY_STATUS(job_status(lane, STEP_FINISH));
	return real_upload_finish(lane);
}

EngineStatus
job_step(DeviceLane *lane, JobWait *wait)
{
	EngineStatus status;

	for (int i = 0; i < LANE_SLOTS; i++)
	{
		if (lane->slots[i].state == DEVICE_SLOT_DOWNLOADING &&
			is_fault(&fault, STEP_FINISH, "far"))
			lane->slots[i].shared->offset |= INT64_C(1) << 40;
	}
	status = real_job_step(lane, wait);
	if (hangs)
		*wait = WAIT_FOR_DEVICE;
	if (status == ENGINE_OK && is_fault(&fault, STEP_FINISH, "long"))
		lane->shared->result.count = 4 * lane->request.count + 1;
	if (status == ENGINE_OK && is_fault(&fault, STEP_FINISH, "short"))
		lane->shared->result.count--;
	return status;
}
