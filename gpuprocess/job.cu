/*
 * job.cu
 *	  A job on the device.
 *
 * A scan or a compaction works on the pieces as they arrive: the state that a
 * piece needs of the pieces before it stays on the device.  A sort gathers its
 * keys on the device, and goes on when they are complete.  So do the algorithms
 * of the laboratory, which know of no pieces.
 */
#include <cstring>

#include "gpuprocess/job.h"

/* Elements of a piece that needs no slot; a multiple of PIECE_MULTIPLE. */
#define CACHED_PIECE		((int64_t) 16 * 1024 * 1024)

/* Jobs of more elements take their turn. */
#define URGENT_ELEMENTS		(1024 * 1024)

const char *
job_message(DeviceLane *lane)
{
	return lane->failure.message;
}

/* Elements of the largest piece. */
static int64_t
most_of_piece(const DeviceLane *lane)
{
	int64_t		count = lane->request.count;

	return count < lane->capacity ? count : lane->capacity;
}

/* Finds the inputs that have no buffer of their own. */
static void
place_inputs(DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;
	char	  **in = &lane->buffers[BUFFER_IN];

	if (request->joined > 0)
		in[1] = in[0] + source_bytes(request, 0);
	for (int i = 0; i < ENGINE_INPUTS && lane->reads_cached; i++)
		in[i] = lane->uses[i].memory;
}

/* Makes the device ready for the job. */
static EngineStatus
prepare(DeviceLane *lane)
{
	const DeviceOperation *operation = lane->operation;
	const EngineRequest *request = &lane->request;
	DeviceSizes sizes = {};
	DeviceWork	work;

	if (operation->sizes)
		TRY_CUDA(&lane->failure, operation->sizes(request, &sizes));
	if (operation->scratch_bytes)
		sizes.scratch = operation->scratch_bytes(request, most_of_piece(lane));
	if (lane->undivided)
		sizes.out[0] = most_results(request) * output_size(request, 0);
	lane->has_payload = sizes.out[1] > 0 && request->outputs[1].memory == NULL;
	if (is_direct_whole(lane))
		memset(sizes.out, 0, sizeof(sizes.out));
	if (is_direct_whole(lane) || lane->reads_cached)
		memset(sizes.in, 0, sizeof(sizes.in));
	TRY_STATUS(lane_reserve(lane, &sizes));
	if (is_direct_whole(lane))
		pipeline_use_host(lane);
	place_inputs(lane);
	memset(lane->report, 0, sizeof(DeviceReport));
	work = make_work(lane, 0, 0);
	if (operation->state_bytes > 0)
		TRY_CUDA(&lane->failure, cudaMemsetAsync(work.state, 0,
												 operation->state_bytes,
												 work.stream));
	if (request->summary_bytes > 0)
		TRY_CUDA(&lane->failure, cudaMemsetAsync(work.summary, 0,
												 request->summary_bytes,
												 work.stream));
	return ENGINE_OK;
}

/*
 * Returns true if kernels can use the slots in host memory, and the job is so
 * small that this takes less time.
 */
static bool
is_direct(const DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;
	const DeviceOperation *operation = lane->operation;
	const CacheUse *table = &lane->uses[ENGINE_TABLE];
	int64_t		bytes = request->room * output_size(request, 0);

	if (lane->stays != NULL)
		return false;
	if (table->memory != NULL && (!table->has || operation->gathers))
		return false;
	for (int i = 0; i < request->inputs; i++)
	{
		if (lane->uses[i].memory == NULL)
			bytes += request->count * input_size(request, i);
		else if (!lane->uses[i].has)
			return false;		/* it is uploaded, to be cached */
	}
	return lane->device->maps_host && bytes <= DIRECT_BYTES &&
		request->count <= lane_slot_capacity(&lanes_layout, request) &&
		(table->has || request->table_bytes <= lanes_layout.slot_bytes) &&
		(!operation->gathers ||
		 (operation->direct && operation->direct(request)));
}

/*
 * Returns true if all inputs are cached, and kernels need no copies of them,
 * although the operation gathers them.
 */
static bool
can_read_cached(const DeviceLane *lane)
{
	const DeviceOperation *operation = lane->operation;

	return operation->gathers && lane->has_all && !lane->direct &&
		operation->reads_only && operation->reads_only(&lane->request);
}

/*
 * Returns true if pieces go through slots on the device.  The pieces of an
 * operation that gathers its input do not.  Neither do direct ones, nor those
 * of cached inputs, unless they have results for the session.
 */
static bool
needs_slots(const DeviceLane *lane)
{
	ResultShape shape = operation_facts[lane->request.operation].shape;

	return !lane->operation->gathers && !lane->direct && !lane->undivided &&
		!(lane->has_all && (shape == RESULT_NONE || shape == RESULT_ONE ||
							lane->stays != NULL));
}

/*
 * Returns the elements of a piece.  Cached inputs that need no slots are taken
 * in few large pieces; or in one, if the results of a piece are only counted
 * when it is done.
 */
static int64_t
piece_capacity(const DeviceLane *lane)
{
	int64_t		count = lane->request.count;

	if (!lane->has_all || lane->slotted)
		return lane_slot_capacity(&lanes_layout, &lane->request);
	return lane->operation->gathers || lane->operation->counts ||
		count < CACHED_PIECE ? count : CACHED_PIECE;
}

/*
 * Returns true if the job is small, and its kernels need no other work on the
 * device to be done before.
 */
static bool
is_urgent(const DeviceLane *lane)
{
	return is_direct_whole(lane) ||
		(lane->operation->independent && lane->has_all && !lane->slotted &&
		 lane->stays == NULL && lane->request.count <= URGENT_ELEMENTS);
}

bool
job_is_urgent(const DeviceLane *lane)
{
	return lane->urgent;
}

/* Makes the device ready for pieces of the size that the job takes. */
static EngineStatus
divide(DeviceLane *lane)
{
	lane->slotted = needs_slots(lane);
	lane->urgent = is_urgent(lane);
	lane->capacity = piece_capacity(lane);
	return prepare(lane);
}

/*
 * Begins a job.  Cached inputs of which nobody knows how many results they have
 * are one piece, so that a few results cost one kernel and one download.  That
 * needs room for all results that there may be; without it, they go through
 * slots.
 */
EngineStatus
job_begin(DeviceLane *lane, const CacheUse uses[ENGINE_SOURCES], char *stays)
{
	EngineStatus status;

	memset(&lane->request, 0, sizeof(*lane) - offsetof(DeviceLane, request));
	lane->settling = false;
	lane->uses = uses;
	for (int i = 0; i < LANE_SLOTS; i++)
		lane->slots[i].state = DEVICE_SLOT_FREE;
	lane->request = lane_request_to(&lane->shared->request);
	lane->stays = stays;
	TRY_STATUS(device_operation(&lane->request, &lane->failure,
								&lane->operation));
	TRY_CUDA(&lane->failure, cudaSetDevice(lane->device->index));
	if (uses[ENGINE_TABLE].has)
		lane->table_pushed = lane->request.table_bytes;
	lane->has_all = true;
	for (int i = 0; i < ENGINE_INPUTS; i++)
		lane->has_all = lane->has_all &&
			(uses[i].has || source_bytes(&lane->request, i) == 0);
	lane->direct = is_direct(lane);
	lane->reads_cached = can_read_cached(lane);
	lane->unpacks = lane->request.packed && lane->request.inputs == 1 &&
		!lane->direct && !lane->has_all;
	lane->undivided = lane->has_all && !lane->direct && lane->stays == NULL &&
		!lane->operation->gathers && lane->operation->counts;
	status = divide(lane);
	if (status != ENGINE_OUT_OF_MEMORY || !lane->undivided)
		return status;
	lane->undivided = false;
	return divide(lane);
}

/* Queues the work on the whole array, which has arrived. */
static EngineStatus
start_computing(DeviceLane *lane)
{
	const DeviceOperation *operation = lane->operation;
	DeviceWork	work = make_work(lane, 0, lane->request.count);
	bool		tells = operation->times_itself &&
		operation->times_itself(&lane->request);

	TRY_STATUS(watch_begin(lane, &lane->whole, &work, tells));
	TRY_CUDA(&lane->failure, operation->whole(&work));
	TRY_STATUS(watch_queued(lane, &lane->whole));
	lane->computing = true;
	return ENGINE_OK;
}

/* Finds the results of a gathered array, and their number. */
static void
find_results(DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;
	const DeviceReport *report = lane->report;
	DeviceWork	work = make_work(lane, 0, request->count);
	int64_t		count = lane->operation->counts ? report->results :
		request->count - request->absent;

	for (int i = 0; i < ENGINE_RESULTS; i++)
	{
		DeviceResult *result = &lane->results[i];

		if (!request->outputs[i].memory)
			continue;
		result->from = (const char *) work.out[i] +
			request->absent * output_size(request, i);
		result->bytes = (count < request->room ? count : request->room) *
			output_size(request, i);
	}
	if (report->in_place)
		lane->results[0].from = (const char *) work.in[0];
	if (lane->has_payload)
		lane->results[0].from = (const char *)
			(report->in_place ? work.in[1] : work.out[1]);

	/* Results that have no room are counted all the same. */
	lane->written = lane->operation->counts ?
		count * output_size(request, 0) : lane->results[0].bytes;
}

/* The summary is downloaded last, if there is one. */
static void
find_summary(DeviceLane *lane)
{
	if (lane->operation->summary_of_errors && lane->report->errors == 0)
		return;
	lane->results[LANE_SUMMARY].from = lane->buffers[BUFFER_SUMMARY];
	lane->results[LANE_SUMMARY].bytes = lane->request.summary_bytes;
}

/* Looks whether the work on the whole array is done. */
static EngineStatus
finish_computing(DeviceLane *lane, bool *moved)
{
	TRY_STATUS(watch_look(lane, &lane->whole, &lane->computed,
						  &lane->kernel_ms));
	if (!lane->computed)
		return ENGINE_OK;
	find_results(lane);
	find_summary(lane);
	*moved = true;
	return ENGINE_OK;
}

/*
 * Does what is left when all input is pushed: the work on the whole array, and
 * the download of its results.
 */
static EngineStatus
finish_gathered(DeviceLane *lane, bool *moved)
{
	if (lane->downloading == LANE_OUTPUTS)
		return ENGINE_OK;
	if (lane->computed)
		return pipeline_download(lane, moved);
	if (lane->computing)
		return finish_computing(lane, moved);
	if (!pipeline_is_queued(lane, lane->pieces))
		return ENGINE_OK;		/* they are still on their way */
	*moved = true;
	return start_computing(lane);
}

/*
 * Does what is left for an array that is not gathered: the summary's download.
 */
static EngineStatus
finish_streamed(DeviceLane *lane, bool *moved)
{
	if (lane->downloading == LANE_OUTPUTS)
		return ENGINE_OK;
	if (lane->computed)
		return pipeline_download(lane, moved);
	if (pipeline_waits_for_device(lane))
		return ENGINE_OK;
	find_summary(lane);
	lane->computed = true;
	*moved = true;
	return ENGINE_OK;
}

/* Returns true if the device has nothing left to do. */
static bool
is_finished(const DeviceLane *lane)
{
	return lane->downloading == LANE_OUTPUTS &&
		!pipeline_waits_for_device(lane);
}

/* Gives the session the result of the job. */
static void
put_result(DeviceLane *lane)
{
	const DeviceReport *report = lane->report;
	EngineResult *result = &lane->shared->result;

	if (operation_facts[lane->request.operation].shape == RESULT_ONE)
	{
		lane->shared->value = report->value;
		lane->written = output_size(&lane->request, 0);
	}
	result->count = lane->written / output_size(&lane->request, 0);
	result->overflow = report->overflow[OVERFLOW_UP] ? OVERFLOW_UP :
		report->overflow[OVERFLOW_DOWN] ? OVERFLOW_DOWN : OVERFLOW_NONE;
	result->errors = (int64_t) report->errors;
	result->first_error = (int64_t) ~report->first_error;
	result->on_device = true;
	result->upload_ms = lane->upload_ms;
	result->kernel_ms = lane->kernel_ms;
	result->download_ms = lane->download_ms;
	lane->finished = true;
}

EngineStatus
job_step(DeviceLane *lane, JobWait *wait)
{
	bool		moved = false;

	TRY_STATUS(pipeline_advance(lane, &moved));
	if (lane->pushed < lane->request.count)
		TRY_STATUS(pipeline_take_piece(lane, &moved));
	else if (lane->operation->gathers)
		TRY_STATUS(finish_gathered(lane, &moved));
	else
		TRY_STATUS(finish_streamed(lane, &moved));
	if (is_finished(lane))
	{
		if (lane->report->not_unpacked)
			return device_refused(&lane->failure, ENGINE_NOT_UNPACKED,
								  "A block cannot be unpacked.");
		put_result(lane);
		return ENGINE_OK;
	}
	if (!moved)
		*wait = pipeline_waits_for_device(lane) ||
			(lane->computing && !lane->computed) ?
			WAIT_FOR_DEVICE : WAIT_FOR_SESSION;
	return ENGINE_MORE;
}
