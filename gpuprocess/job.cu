/*
 * job.cu
 *	  A job on the device, state by state: README.md has a diagram.
 *
 * Kernels of all lanes share a stream.  A kernel that waited there for its
 * inputs would stop them all, so it is launched when these have arrived.  If no
 * other lane is in use, the stream waits instead, which takes less time than
 * looking whether they have arrived.
 *
 * A small job is direct: its kernels read the session's piece in host memory,
 * and write the results to a slot there.
 *
 * A job in parts is launched for each piece when that has arrived, and its
 * results go back in the piece's slot, while the session reads on.  With one
 * launch, the session copied all results after it had read all elements: the
 * first read of running sums of 2^24 integers took 17.3 ms instead of 13.3.
 */
#include <assert.h>
#include <string.h>

#include "gpuprocess/job.h"

/* Jobs of more elements take their turn. */
#define URGENT_ELEMENTS		(1024 * 1024)

const char *
job_message(DeviceLane *lane)
{
	return lane->failure.message;
}

bool
job_is_urgent(const DeviceLane *lane)
{
	return lane->urgent;
}

/*
 * Returns true if kernels can use the slots in host memory, and the job is so
 * small that this takes less time.
 */
static bool
is_direct(const DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;
	const CacheUse *table = &lane->uses[ENGINE_TABLE];
	int64_t		bytes = request->room * output_size(request, 0);

	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (lane->uses[i].memory != NULL && !lane->uses[i].has)
			return false;		/* it is uploaded, to be cached */
		if (request->joined > 0 && i <= 1 && lane->uses[i].has)
			return false;		/* it has to lie next to the other one */
		if (i != ENGINE_TABLE && !lane->uses[i].has)
			bytes += source_bytes(request, i);
	}
	return (lane->traits & TRAIT_DIRECT) && lane->stays == NULL &&
		request->outputs[1].memory == NULL && the_device.maps_host &&
		bytes <= DIRECT_BYTES &&
		request->count <= lane_slot_capacity(&lanes_layout, request) &&
		(table->has || request->table_bytes <= lanes_layout.slot_bytes);
}

/*
 * Returns true if kernels can run on the pieces one by one, as they come from
 * the session, and their results go there.
 */
static bool
is_in_parts(const DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;

	return (lane->traits & TRAIT_PARTS) && !lane->has_all &&
		lane->stays == NULL && request->joined == 0 &&
		request->outputs[0].memory != NULL &&
		request->count > lane_slot_capacity(&lanes_layout, request);
}

/* Finds the sizes of what the job needs memory for. */
static EngineStatus
find_sizes(DeviceLane *lane, DeviceSizes *sizes)
{
	const EngineRequest *request = &lane->request;
	int64_t		absent = request->absent * output_size(request, 0);
	size_t		stays = request->room * output_size(request, 0) + absent;

	for (int i = 0; i < ENGINE_INPUTS; i++)
		sizes->in[i] = request->count * input_size(request, i);
	sizes->out[0] = most_results(request) * output_size(request, 0) + absent;
	if (lane->operation->sizes)
		TRY_CUDA(&lane->failure, lane->operation->sizes(request, sizes));
	lane->first_out = sizes->out[1] > 0 && request->outputs[1].memory == NULL;
	if (lane->stays != NULL && sizes->out[lane->first_out] <= stays)
		lane->buffers[BUFFER_OUT + lane->first_out] = lane->stays - absent;
	if (lane->direct || lane->buffers[BUFFER_OUT + lane->first_out] != NULL)
		sizes->out[lane->first_out] = 0;
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		if (lane->direct || upload_in_place(lane, i))
			sizes->in[i] = 0;
	}
	return ENGINE_OK;
}

/* Begins a job: finds out what it is, and gets its memory. */
EngineStatus
job_begin(DeviceLane *lane, const CacheUse uses[CACHE_USES])
{
	DeviceSizes sizes = {};

	memset(&lane->request, 0, sizeof(*lane) - offsetof(DeviceLane, request));
	lane->settling = false;
	lane->uses = uses;
	for (int i = 0; i < LANE_SLOTS; i++)
		lane->slots[i].state = DEVICE_SLOT_FREE;
	lane->request = lane->shared->request;
	lane->stays = uses[CACHE_OUTPUT].memory;
	TRY_CUDA(&lane->failure, cudaSetDevice(the_device.index));
	TRY_STATUS(device_operation(&lane->request, &lane->failure,
								&lane->operation));
	lane->traits = lane->operation->traits;
	if (lane->operation->traits_of)
		lane->traits |= lane->operation->traits_of(&lane->request);
	if (uses[ENGINE_TABLE].has)
		lane->table_pushed = lane->request.table_bytes;
	lane->has_all = true;
	for (int i = 0; i < ENGINE_INPUTS; i++)
		lane->has_all = lane->has_all &&
			(uses[i].has || source_bytes(&lane->request, i) == 0);
	if (lane->has_all)
		lane->pushed = lane->request.count;
	lane->direct = is_direct(lane);
	lane->in_parts = is_in_parts(lane);
	lane->urgent = (lane->traits & TRAIT_ALONE) && (lane->direct ||
		(lane->has_all && lane->stays == NULL &&
		 lane->request.count <= URGENT_ELEMENTS));
	TRY_STATUS(find_sizes(lane, &sizes));
	TRY_STATUS(lane_reserve(lane, &sizes));
	upload_place(lane);
	memset(lane->report, 0, sizeof(DeviceReport));
	return ENGINE_OK;
}

/* Returns the work, and how it uses what the job has. */
static DeviceWork
make_work(DeviceLane *lane)
{
	char *const *buffers = lane->buffers;
	DeviceWork	work = {
		.stream = kernel_stream(lane),
		.ahead = &the_device.ahead,
		.grid = lane->grid,
		.request = &lane->request,
		.in = {lane->sources[0], lane->sources[1], lane->sources[2]},
		.out = {buffers[BUFFER_OUT], buffers[BUFFER_SECOND_OUT]},
		.count = lane->request.count,
		.table = lane->sources[ENGINE_TABLE],
		.summary = buffers[BUFFER_SUMMARY],
		.scratch = buffers[BUFFER_SCRATCH],
		.results = &lane->report->results,
		.report = lane->report
	};

	if (!lane->request.outputs[1].memory && lane->first_out == 0)
		work.out[1] = NULL;
	return work;
}

static EngineStatus
clear_summary(DeviceLane *lane, const DeviceWork *work)
{
	if (lane->request.summary_bytes > 0)
		TRY_CUDA(&lane->failure, cudaMemsetAsync(work->summary, 0,
												 lane->request.summary_bytes,
												 work->stream));
	return ENGINE_OK;
}

/* Queues the work on a piece that has arrived. */
static EngineStatus
launch_part(DeviceLane *lane, DeviceSlot *slot)
{
	const EngineRequest *request = &lane->request;
	DeviceWork	work = make_work(lane);

	assert(slot->first == lane->launched);
	lane->launched += slot->count;
	work.first = slot->first;
	work.count = slot->count;
	for (int i = 0; i < ENGINE_INPUTS; i++)
		work.in[i] = lane->sources[i] + slot->first * input_size(request, i);
	work.out[0] = part_results(lane, slot);
	work.results = slot->results;
	if (slot->first == 0)
		TRY_STATUS(clear_summary(lane, &work));
	TRY_STATUS(event_pair_run(lane, &slot->kernel, &work));
	slot->state = DEVICE_SLOT_COMPUTING;
	return ENGINE_OK;
}

static bool
has_slot(const DeviceLane *lane, DeviceSlotState state)
{
	for (int i = 0; i < LANE_SLOTS; i++)
	{
		if (lane->slots[i].state == state)
			return true;
	}
	return false;
}

/* Queues the work, once its inputs are there, or its stream waits for them. */
static EngineStatus
launch(DeviceLane *lane, bool *moved)
{
	bool		waits = lane->urgent ||
		lanes_leased(lanes_shared, &lanes_layout) <= 1;
	DeviceWork	work;

	if (lane->uploads && waits)
		TRY_CUDA(&lane->failure, cudaStreamWaitEvent(kernel_stream(lane),
													 lane->arrived, 0));
	else if (lane->uploads)
	{
		cudaError_t error = cudaEventQuery(lane->arrived);

		if (error == cudaErrorNotReady)
			return ENGINE_OK;
		TRY_CUDA(&lane->failure, error);
	}

	/* The results of a direct job go to the next slot, for the session. */
	if (lane->direct)
		lane->buffers[BUFFER_OUT + lane->first_out] =
			slot_of(lane, lane->pieces)->host_out -
			lane->request.absent * output_size(&lane->request, 0);
	work = make_work(lane);
	TRY_STATUS(clear_summary(lane, &work));
	TRY_STATUS(watch_run(lane, &work));
	lane->state = JOB_COMPUTES;
	*moved = true;
	return ENGINE_OK;
}

/* Takes the next piece, or goes to the next state if no piece is left. */
static EngineStatus
acquire(DeviceLane *lane, bool *moved)
{
	if (lane->pushed < lane->request.count ||
		lane->table_pushed < lane->request.table_bytes)
		return upload_take_piece(lane, moved);
	TRY_STATUS(upload_finish(lane));
	lane->state = lane->in_parts ? JOB_COMPUTES : JOB_ARRIVES;
	*moved = true;
	return ENGINE_OK;
}

/* Goes on when the work has ended, or the download of all parts is queued. */
static EngineStatus
look_at_work(DeviceLane *lane, bool *moved)
{
	if (lane->in_parts)
		*moved = !has_slot(lane, DEVICE_SLOT_UPLOADING) &&
			!has_slot(lane, DEVICE_SLOT_COMPUTING);
	else
		TRY_STATUS(watch_look(lane, moved));
	if (!*moved)
		return ENGINE_OK;
	download_begin(lane);
	lane->state = JOB_DOWNLOADS;
	return ENGINE_OK;
}

/* Moves a slot on, if what it waits for is done. */
static EngineStatus
advance_slot(DeviceLane *lane, DeviceSlot *slot, bool *moved)
{
	bool		part = lane->in_parts && slot->count > 0;

	switch (slot->state)
	{
		case DEVICE_SLOT_FREE:
			return ENGINE_OK;
		case DEVICE_SLOT_UPLOADING:
			TRY_STATUS(event_pair_look(lane, &slot->copy, moved,
									   &lane->upload_ms));
			if (*moved && part)
				return launch_part(lane, slot);
			if (*moved)
				slot_free(lane, slot);
			return ENGINE_OK;
		case DEVICE_SLOT_COMPUTING:
			TRY_STATUS(event_pair_look(lane, &slot->kernel, moved,
									   &lane->kernel_ms));
			return *moved ? download_part(lane, slot) : ENGINE_OK;
		case DEVICE_SLOT_DOWNLOADING:
			TRY_STATUS(event_pair_look(lane, &slot->copy, moved,
									   &lane->download_ms));
			if (*moved)
				download_end(lane, slot);
			return ENGINE_OK;
		case DEVICE_SLOT_HANDED_OVER:
			*moved = word_read(&slot->shared->state) != LANE_SLOT_READY;
			if (*moved)
				slot->state = DEVICE_SLOT_FREE;
			return ENGINE_OK;
	}
	return ENGINE_OK;
}

static bool
slots_wait_for_device(const DeviceLane *lane)
{
	return has_slot(lane, DEVICE_SLOT_UPLOADING) ||
		has_slot(lane, DEVICE_SLOT_COMPUTING) ||
		has_slot(lane, DEVICE_SLOT_DOWNLOADING);
}

/*
 * Moves the slots on, the oldest first.  Parts are computed on, and downloaded,
 * in their order: a slot does not go ahead of one that waits for the same.
 */
static EngineStatus
advance_slots(DeviceLane *lane, bool *moved)
{
	bool		uploading = false;
	bool		computing = false;

	for (int i = 0; i < LANE_SLOTS; i++)
	{
		DeviceSlot *slot = slot_of(lane, lane->pieces + i);
		bool		slot_moved = false;

		if ((uploading && slot->state == DEVICE_SLOT_UPLOADING) ||
			(computing && slot->state == DEVICE_SLOT_COMPUTING))
			continue;
		TRY_STATUS(advance_slot(lane, slot, &slot_moved));
		uploading = uploading || slot->state == DEVICE_SLOT_UPLOADING;
		computing = computing || slot->state == DEVICE_SLOT_COMPUTING;
		*moved = *moved || slot_moved;
	}
	return ENGINE_OK;
}

/* Frees a slot that has no results. */
void
slot_free(DeviceLane *lane, DeviceSlot *slot)
{
	slot->state = DEVICE_SLOT_FREE;
	word_write(&slot->shared->state, LANE_SLOT_FREE);

	/* A session that has nothing to push does not wait for it. */
	if (lane->state == JOB_ACQUIRES)
		doorbell_ring(&lane->shared->to_session);
}

/* Gives the session the result of the job. */
static void
put_result(DeviceLane *lane)
{
	const DeviceReport *report = lane->report;
	EngineResult *result = &lane->shared->result;

	lane->shared->value = report->value;
	result->count = lane->count;
	result->overflow = report->overflow[OVERFLOW_UP] ? OVERFLOW_UP :
		report->overflow[OVERFLOW_DOWN] ? OVERFLOW_DOWN : OVERFLOW_NONE;
	result->errors = (int64_t) report->errors.count;
	result->first_error = (int64_t) ~report->errors.first;
	result->on_device = true;
	result->upload_ms = lane->upload_ms;
	result->kernel_ms = lane->kernel_ms;
	result->download_ms = lane->download_ms;
}

EngineStatus
job_step(DeviceLane *lane, JobWait *wait)
{
	bool		moved = false;

	TRY_STATUS(advance_slots(lane, &moved));
	switch (lane->state)
	{
		case JOB_ACQUIRES:
			TRY_STATUS(acquire(lane, &moved));
			break;
		case JOB_ARRIVES:
			TRY_STATUS(launch(lane, &moved));
			break;
		case JOB_COMPUTES:
			TRY_STATUS(look_at_work(lane, &moved));
			break;
		case JOB_DOWNLOADS:
			if (lane->downloading < LANE_OUTPUTS)
				TRY_STATUS(download_next(lane, &moved));
			else if (!slots_wait_for_device(lane))
				lane->state = JOB_FINISHED;
			break;
		case JOB_FINISHED:
			break;
	}
	if (lane->state == JOB_FINISHED)
	{
		if (lane->report->not_unpacked)
			return device_refused(&lane->failure, ENGINE_NOT_UNPACKED,
								  "A block cannot be unpacked.");
		put_result(lane);
		return ENGINE_OK;
	}
	if (!moved)
		*wait = slots_wait_for_device(lane) || lane->state == JOB_ARRIVES ||
			lane->state == JOB_COMPUTES ? WAIT_FOR_DEVICE : WAIT_FOR_SESSION;
	return ENGINE_MORE;
}
