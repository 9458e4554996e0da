/*
 * engine.cu
 *	  The CUDA engine: how a job goes through it.
 *
 * A scan or a compaction is done piece by piece, as the pieces arrive: what a
 * piece needs of those before it stays on the device.  A sort gathers its keys
 * on the device, and goes on from there when they are complete; and so do the
 * algorithms of the laboratory, which know of no pieces.
 */
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>

#include "job.h"
#include "kernels.h"
#include "lab/lab.h"

/* Devices that are listed. */
#define LISTED_DEVICES	64

extern "C" const Engine gpucompact_engine;

#define ON_BOTH(name)		&gpu_##name
#define ON_CPU_ALONE(name)	NULL

static const DeviceOperation *const operations[ENGINE_OPERATIONS] = {
#define OPERATION(NAME, name, engines, ...) ON_##engines(name),
#include "engine/operations.h"
};

/* How a request is done by the algorithm that it names. */
static const DeviceOperation *
find_operation(const EngineRequest *request)
{
	bool		alone = request->algorithm == ALGORITHM_SINGLE_PASS;

	if (lab_requested(request))
		return request->operation == ENGINE_COMPACT ?
			&gpu_lab_compact : &gpu_lab;
	switch (request->operation)
	{
		case ENGINE_SCAN:
			return alone ? &gpu_whole_scan : &gpu_scan;
		case ENGINE_REDUCE:
			return alone ? NULL : &gpu_reduce;
		case ENGINE_COMPACT:
			return alone ? &gpu_whole_compact : &gpu_compact;
		default:
			return operations[request->operation];
	}
}

static bool
is_supported(const EngineRequest *request)
{
	const DeviceOperation *operation = find_operation(request);

	return operation &&
		(!operation->supports || operation->supports(request));
}

/* How many elements a slot has room for, in and out. */
static int64_t
slot_capacity(const EngineRequest *request)
{
	int			in = input_size(request, 0) + input_size(request, 1);
	int			out = output_size(request, 0) *
		operation_facts[request->operation].most;
	int			bytes = in > out ? in : out;

	return (SLOT_BYTES - SLOT_SLACK) / bytes / PIECE_MULTIPLE *
		PIECE_MULTIPLE;
}

/* The work on "count" elements, in these places. */
static DeviceWork
make_work(CudaJob *job, int64_t count)
{
	Lane	   *lane = &job->lane;
	const DeviceBuffer *buffers = lane->buffers;
	DeviceWork	work = {
		lane->device->compute, &lane->device->ahead, &job->request,
		{buffers[BUFFER_IN].memory, buffers[BUFFER_SECOND_IN].memory},
		{buffers[BUFFER_OUT].memory, buffers[BUFFER_SECOND_OUT].memory},
		count, job->pushed, job->turn, lane->state,
		buffers[BUFFER_TABLE].memory, buffers[BUFFER_SUMMARY].memory,
		buffers[BUFFER_SCRATCH].memory, &lane->report->results, lane->report
	};

	if (!job->request.outputs[1].memory && payload_size(&job->request) == 0)
		work.out[1] = NULL;
	return work;
}

/* Makes the device ready for the job. */
static EngineStatus
prepare(CudaJob *job)
{
	const DeviceOperation *operation = job->operation;
	const EngineRequest *request = &job->request;
	DeviceSizes sizes = {};
	DeviceWork	work;

	job->capacity = slot_capacity(request);
	if (operation->sizes)
		TRY_CUDA(&job->failure, operation->sizes(request, &sizes));
	if (operation->scratch_bytes)
		sizes.scratch = operation->scratch_bytes(request, job->capacity);
	TRY_STATUS(lane_reserve(job, &sizes));
	memset(job->lane.report, 0, sizeof(DeviceReport));
	work = make_work(job, 0);
	if (operation->state_bytes > 0)
		TRY_CUDA(&job->failure, cudaMemsetAsync(work.state, 0,
												operation->state_bytes,
												work.stream));
	if (request->summary_bytes > 0)
		TRY_CUDA(&job->failure, cudaMemsetAsync(work.summary, 0,
												request->summary_bytes,
												work.stream));
	if (operation->begin)
		TRY_CUDA(&job->failure, operation->begin(&work));
	return ENGINE_OK;
}

/*
 * Some things the driver does in one go, and takes its time for: opening a
 * device is a third of a second, and several if many sessions do it at once.  So
 * a thread does them, while the caller can look for interrupts.  If the caller
 * gives up, the thread goes on; the next job first waits for it, and has what it
 * brought if that is what it wants.
 */
static void *
async_main(void *argument)
{
	CudaJob    *job = (CudaJob *) argument;

	job->async.status = job->async.work(job);
	return NULL;
}

/* Has the thread come back?  If not, waits a moment. */
static bool
async_done(AsyncTask *async)
{
	const struct timespec moment = {0, WAIT_NS};

	if (pthread_tryjoin_np(async->thread, NULL) == 0)
		async->running = false;
	else
		(void) nanosleep(&moment, NULL);
	return !async->running;
}

/* Returns ENGINE_MORE until the work is done.  Signals are blocked. */
static EngineStatus
run_async(CudaJob *job, EngineStatus (*work) (CudaJob *job))
{
	AsyncTask  *async = &job->async;

	if (!async->running)
	{
		async->work = work;
		if (pthread_create(&async->thread, NULL, async_main, job) != 0)
			return work(job);
		async->running = true;
	}
	if (async_done(async) && async->work == work)
		return async->status;
	return ENGINE_MORE;
}

/*
 * The lane on the device of the request, opened if it is not, with nothing of a
 * job before in flight; ENGINE_MORE until it has come to that.
 */
static EngineStatus
open_lane(CudaJob *job, const EngineRequest *request)
{
	size_t		limit = request->memory_limit;
	Lane	   *lane = &job->lane;

	if (!job->async.running && device_process_lost())
		return ENGINE_DEVICE_FAILED;
	if (job->async.running || !lane->open || lane->index != request->device)
	{
		if (limit > 0 && limit < SLOTS_BYTES)
			return device_refused(&job->failure, ENGINE_OUT_OF_MEMORY,
								  "The session needs %zu MB of GPU memory; "
								  "the limit is %zu MB.", SLOTS_BYTES >> 20,
								  limit >> 20);
		if (!job->async.running)
		{
			lane_close(lane);
			job->request.device = request->device;
		}
		TRY_STATUS(run_async(job, lane_open));
		if (lane->index != request->device)
			return ENGINE_MORE; /* it was opened for a job before */
	}
	TRY_CUDA(&job->failure, cudaSetDevice(lane->index));
	return lane_settle(job, WAIT_NS);
}

/* Leaves the lane as it was before the job, except for what is in flight. */
static void
leave_lane(CudaJob *job)
{
	if (device_process_lost())
		return;
	if (!job->finished)
		(void) lane_leave(job);
	(void) lane_settle(job, END_NS);
}

static EngineStatus
begin_job(CudaJob *job, const EngineRequest *request)
{
	EngineStatus status;

	TRY_STATUS(open_lane(job, request));
	if (!is_supported(request))
		return device_refused(&job->failure, ENGINE_NOT_SUPPORTED,
							  request->algorithm == ALGORITHM_AUTO ?
							  "The CUDA engine does not know this operation." :
							  "This algorithm does not know this operation on "
							  "elements of this type.");
	memset(&job->operation, 0, sizeof(*job) - offsetof(CudaJob, operation));
	job->request = *request;
	job->operation = find_operation(request);
	status = prepare(job);
	if (status == ENGINE_OK)
		staging_start_team(job);
	else
		leave_lane(job);
	return status;
}

/* Uploads the table, a slot at a time. */
static EngineStatus
upload_table(CudaJob *job)
{
	const EngineRequest *request = &job->request;
	int64_t		left = request->table_bytes - job->uploaded;
	char	   *to = (char *) job->lane.buffers[BUFFER_TABLE].memory;

	if (left == 0)
		return ENGINE_OK;
	if (left > (int64_t) SLOT_BYTES)
		left = SLOT_BYTES;
	TRY_STATUS(staging_make_room(job));
	TRY_STATUS(staging_upload_bytes(job, staging_next(job),
									(const char *) request->table +
									job->uploaded, to + job->uploaded, left));
	job->pieces++;
	job->uploaded += left;
	TRY_STATUS(staging_advance(job));
	return ENGINE_MORE;
}

/* Says where the next piece goes, once there is room for it. */
static EngineStatus
offer_slot(CudaJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	TRY_STATUS(upload_table(job));
	TRY_STATUS(staging_make_room(job));
	for (int i = 0; i < ENGINE_INPUTS; i++)
		buffers[i] = slot_input(job, staging_next(job)->host_in, i);
	*capacity = job->capacity;
	return ENGINE_OK;
}

/* Queues the upload of a piece to where the whole array gathers. */
static EngineStatus
gather_piece(CudaJob *job, Slot *slot, const void *const *data,
			 int64_t count)
{
	DeviceWork	work = make_work(job, count);

	for (int i = 0; i < job->request.inputs; i++)
		work.in[i] = (char *) work.in[i] +
			job->pushed * input_size(&job->request, i);
	TRY_STATUS(staging_upload(job, slot, data, work.in, count));
	TRY_CUDA(&job->failure, cudaEventRecord(slot->kernel.begin, work.stream));
	if (job->operation->piece)
	{
		DeviceWork	whole = make_work(job, count);

		whole.in[0] = work.in[0];
		TRY_CUDA(&job->failure, job->operation->piece(&whole));
	}
	TRY_CUDA(&job->failure, cudaEventRecord(slot->kernel.end, work.stream));
	slot->state = SLOT_UPLOADING;
	return ENGINE_OK;
}

/* Queues the work on a piece whose results go back at once. */
static EngineStatus
stream_piece(CudaJob *job, Slot *slot, const void *const *data,
			 int64_t count)
{
	bool		each = operation_facts[job->request.operation].shape ==
		RESULT_EACH;
	DeviceWork	work = make_work(job, count);

	for (int i = 0; i < ENGINE_INPUTS; i++)
		work.in[i] = slot_input(job, slot->device_in, i);
	work.out[0] = slot->device_out;
	work.results = slot->results;
	slot->bytes_out = each ? count * output_size(&job->request, 0) : 0;
	TRY_STATUS(staging_upload(job, slot, data, work.in, count));
	TRY_CUDA(&job->failure, cudaEventRecord(slot->kernel.begin, work.stream));
	TRY_CUDA(&job->failure, job->operation->piece(&work));
	TRY_CUDA(&job->failure, cudaEventRecord(slot->kernel.end, work.stream));
	slot->state = SLOT_COMPUTING;
	return ENGINE_OK;
}

static EngineStatus
push_piece(CudaJob *job, const void *const data[ENGINE_INPUTS],
		   int64_t count)
{
	Slot	   *slot = staging_next(job);

	if (job->operation->gathers)
		TRY_STATUS(gather_piece(job, slot, data, count));
	else
		TRY_STATUS(stream_piece(job, slot, data, count));
	job->pieces++;
	job->turn++;
	job->pushed += count;
	return staging_advance(job);
}

/* Queues the work on the whole array, which has arrived. */
static EngineStatus
start_computing(CudaJob *job)
{
	const Span *whole = &job->lane.whole;
	DeviceWork	work = make_work(job, job->request.count);

	staging_stop_prefaulting(job);
	TRY_CUDA(&job->failure, cudaEventRecord(whole->begin, work.stream));
	TRY_CUDA(&job->failure, job->operation->whole(&work));
	TRY_CUDA(&job->failure, cudaEventRecord(whole->end, work.stream));
	job->computing = true;
	return ENGINE_OK;
}

/* Where the summary is. */
static void
find_summary(CudaJob *job)
{
	const EngineRequest *request = &job->request;

	job->results[RESULT_SUMMARY] = {
		job->lane.buffers[BUFFER_SUMMARY].memory, request->summary,
		request->summary_bytes
	};
}

/* Where the results of a gathered array are, and how many. */
static void
find_results(CudaJob *job)
{
	const EngineRequest *request = &job->request;
	const DeviceReport *report = job->lane.report;
	DeviceWork	work = make_work(job, request->count);
	int64_t		count = job->operation->counts ? report->results :
		request->count;

	for (int i = 0; i < ENGINE_RESULTS; i++)
	{
		DeviceResult *result = &job->results[i];

		if (!request->outputs[i].memory)
			continue;
		result->from = work.out[i];
		result->to = request->outputs[i].memory;
		result->bytes = count * output_size(request, i);
	}
	if (report->in_place)
		job->results[0].from = work.in[0];
	if (payload_size(request) > 0)
		job->results[0].from = report->in_place ? work.in[1] : work.out[1];
	find_summary(job);
}

/* Looks whether the work on the whole array is done; ENGINE_MORE if not. */
static EngineStatus
finish_computing(CudaJob *job)
{
	const Span *whole = &job->lane.whole;
	cudaError_t error = cudaEventQuery(whole->end);
	float		elapsed;

	if (error == cudaErrorNotReady)
		return ENGINE_MORE;
	TRY_CUDA(&job->failure, error);
	TRY_CUDA(&job->failure, cudaEventElapsedTime(&elapsed, whole->begin,
												 whole->end));
	job->kernel_ms += elapsed;
	find_results(job);
	job->computed = true;
	return ENGINE_OK;
}

/* Downloads the results that have been found, a slot at a time. */
static EngineStatus
download_results(CudaJob *job)
{
	const DeviceResult *result = &job->results[job->downloading];
	int64_t		left = result->bytes - job->downloaded;
	Slot	   *slot;

	if (left == 0 && job->downloading == DEVICE_RESULTS - 1)
		return staging_drain(job);
	if (left == 0)
	{
		job->downloading++;
		job->downloaded = 0;
		return ENGINE_MORE;
	}
	if (left > (int64_t) SLOT_BYTES)
		left = SLOT_BYTES;
	TRY_STATUS(staging_make_room(job));
	slot = staging_next(job);
	job->pieces++;
	TRY_STATUS(staging_download(job, slot,
								(char *) result->from + job->downloaded,
								(char *) result->to + job->downloaded, left));
	job->downloaded += left;
	TRY_STATUS(staging_advance(job));
	return ENGINE_MORE;
}

/* The whole array is there, or is being worked on, or has been. */
static EngineStatus
finish_gathered(CudaJob *job)
{
	if (!job->computing)
	{
		TRY_STATUS(staging_drain(job));
		TRY_STATUS(start_computing(job));
	}
	if (!job->computed)
		TRY_STATUS(finish_computing(job));
	TRY_STATUS(download_results(job));
	job->written = job->results[0].bytes;
	return ENGINE_OK;
}

static EngineStatus
finish_streamed(CudaJob *job)
{
	const EngineOutput *output = &job->request.outputs[0];

	if (!job->computed)
	{
		TRY_STATUS(staging_drain(job));
		find_summary(job);
		job->computed = true;
	}
	TRY_STATUS(download_results(job));
	if (operation_facts[job->request.operation].shape == RESULT_ONE)
	{
		job->written = kind_size(output->kind);
		memcpy(output->memory, &job->lane.report->value, job->written);
	}
	return ENGINE_OK;
}

static EngineStatus
finish_job(CudaJob *job, EngineResult *result)
{
	const DeviceReport *report = job->lane.report;

	if (job->operation->gathers)
		TRY_STATUS(finish_gathered(job));
	else
		TRY_STATUS(finish_streamed(job));
	job->finished = true;
	result->count = job->written / output_size(&job->request, 0);
	result->overflow = report->overflow[OVERFLOW_UP] ? OVERFLOW_UP :
		report->overflow[OVERFLOW_DOWN] ? OVERFLOW_DOWN : OVERFLOW_NONE;
	result->errors = (int64_t) report->errors;
	result->first_error = (int64_t) ~report->first_error;
	result->on_device = true;
	result->upload_ms = job->upload_ms;
	result->kernel_ms = job->kernel_ms;
	result->download_ms = job->download_ms;
	result->result_ms = job->copy_ns / 1e6;
	return ENGINE_OK;
}

/*
 * The engine, as the host sees it: no signal is handled while CUDA is at work,
 * nor by a thread that it starts meanwhile.
 */

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

static EngineContext *
cuda_open(void)
{
	CudaJob    *job = (CudaJob *) calloc(1, sizeof(CudaJob));

	if (job == NULL)
		return NULL;
	job->base.engine = &gpucompact_engine;
	return &job->base;
}

static void
cuda_close(EngineContext *context)
{
	CudaJob    *job = (CudaJob *) context;
	sigset_t	before = block_signals();

	if (job->async.running)
		(void) pthread_join(job->async.thread, NULL);
	while (!device_process_lost() && job->lane.open &&
		   lane_settle(job, END_NS) == ENGINE_MORE)
		;
	lane_close(&job->lane);
	free(job->listed);
	free(job);
	restore_signals(before);
}

static double
cuda_cost_us(EngineContext *context, const EngineRequest *request)
{
	return is_supported(request) ? request_cost_us(request, ENGINE_CUDA) : -1;
}

static EngineStatus
cuda_begin(EngineContext *context, const EngineRequest *request)
{
	sigset_t	before = block_signals();
	EngineStatus status = begin_job((CudaJob *) context, request);

	restore_signals(before);
	return status;
}

static EngineStatus
cuda_buffer(EngineContext *context, void *buffers[ENGINE_INPUTS],
			int64_t *capacity)
{
	sigset_t	before = block_signals();
	EngineStatus status = offer_slot((CudaJob *) context, buffers, capacity);

	restore_signals(before);
	return status;
}

static EngineStatus
cuda_push(EngineContext *context, const void *const data[ENGINE_INPUTS],
		  int64_t count)
{
	sigset_t	before = block_signals();
	EngineStatus status = push_piece((CudaJob *) context, data, count);

	restore_signals(before);
	return status;
}

static EngineStatus
cuda_finish(EngineContext *context, EngineResult *result)
{
	sigset_t	before = block_signals();
	EngineStatus status = finish_job((CudaJob *) context, result);

	restore_signals(before);
	return status;
}

static void
cuda_end(EngineContext *context)
{
	CudaJob    *job = (CudaJob *) context;
	sigset_t	before = block_signals();

	staging_abandon(job);
	leave_lane(job);
	restore_signals(before);
}

/* Looks for all devices, in a thread. */
static EngineStatus
list_devices(CudaJob *job)
{
	if (job->listed == NULL)
		job->listed = (EngineDevice *) calloc(LISTED_DEVICES,
											  sizeof(EngineDevice));
	if (job->listed == NULL)
		return device_refused(&job->failure, ENGINE_OUT_OF_MEMORY,
							  "The list of GPUs needs memory.");
	return device_list(job->listed, LISTED_DEVICES, &job->listed_count,
					   &job->failure);
}

static EngineStatus
cuda_devices(EngineContext *context, EngineDevice *devices, int capacity,
			 int *count)
{
	CudaJob    *job = (CudaJob *) context;
	sigset_t	before = block_signals();
	EngineStatus status = run_async(job, list_devices);

	if (status == ENGINE_OK)
	{
		*count = job->listed_count < LISTED_DEVICES ? job->listed_count :
			LISTED_DEVICES;
		for (int i = 0; i < *count && i < capacity; i++)
			devices[i] = job->listed[i];
	}
	restore_signals(before);
	return status;
}

static const char *
cuda_message(EngineContext *context)
{
	return ((CudaJob *) context)->failure.message;
}

static bool
cuda_idle(EngineContext *context)
{
	CudaJob    *job = (CudaJob *) context;

	return !job->async.running && !job->lane.busy && !device_process_lost();
}

extern "C" __attribute__((visibility("default")))
const Engine gpucompact_engine = {
	ENGINE_API_VERSION,
	"cuda",
	cuda_open,
	cuda_close,
	cuda_cost_us,
	cuda_begin,
	cuda_buffer,
	cuda_push,
	cuda_finish,
	cuda_end,
	cuda_devices,
	cuda_message,
	cuda_idle,
};
