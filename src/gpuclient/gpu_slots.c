/*
 * gpu_slots.c
 *	  The copying of a job's input into slots, and of its results from them.
 *
 * The team copies the results, as fresh memory is slow to write: each page of
 * it must first be found and cleared.  Nothing that the process writes is
 * trusted to be in bounds.
 */
#include <string.h>
#include <sys/mman.h>

#include "gpuclient/gpu_job.h"

/*
 * Like COPY_TEAM_COUNT, but in bytes, for results whose number is not known in
 * advance.
 */
#define COPY_TEAM_BYTES	((int64_t) 2 * 1024 * 1024)

/* Parts into which a slot is cut for the team to copy. */
#define COPY_PARTS		4

#define PAGE_BYTES		4096
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE		23
#endif
#define PREFAULT_BYTES	((int64_t) 2 * 1024 * 1024)

char *
slot_memory(const GpuJob *job, int slot)
{
	return lane_slot_memory(job->at->shared, &job->at->layout,
							job->lane_number, slot);
}

/* Copies a part, as a task.  The last task to finish hands the slot over. */
static void
copy_part(void *argument, int number)
{
	GpuJob	   *job = argument;
	int			slot = number / COPY_PARTS;
	SlotCopy   *copy = &job->copies[slot];
	int			part = number % COPY_PARTS;
	int64_t		from = copy->bytes * part / COPY_PARTS;
	int64_t		to = copy->bytes * (part + 1) / COPY_PARTS;
	int64_t		start = lanes_now_ns();
	bool		results = copy->results;

	memcpy(copy->to + from, copy->from + from, to - from);
	__atomic_add_fetch(&job->copy_ns, lanes_now_ns() - start, __ATOMIC_RELAXED);
	if (__atomic_sub_fetch(&copy->pending, 1, __ATOMIC_ACQ_REL) > 1)
		return;
	if (results)
		word_write(&job->lane->slots[slot].state, LANE_SLOT_FREE);
	__atomic_store_n(&copy->pending, 0, __ATOMIC_RELEASE);
	if (results)
		doorbell_ring(&job->lane->to_process);
}

void
slot_start_copy(GpuJob *job, int slot, char *to, const char *from,
				int64_t bytes, bool results)
{
	job->copies[slot] = (SlotCopy) {to, from, bytes, COPY_PARTS + 1, results};
	for (int part = 0; part < COPY_PARTS; part++)
		team_add(&job->team, copy_part, job, slot * COPY_PARTS + part);
}

bool
slot_is_copying(const GpuJob *job, int slot)
{
	return __atomic_load_n(&job->copies[slot].pending, __ATOMIC_ACQUIRE) != 0;
}

/*
 * Makes the kernel allocate pages; false if it cannot, as before Linux 5.14.
 */
static bool
populate(char *from, char *to)
{
	char	   *first = (char *) (((uintptr_t) from + PAGE_BYTES - 1) &
								  -(uintptr_t) PAGE_BYTES);
	char	   *end = (char *) ((uintptr_t) to & -(uintptr_t) PAGE_BYTES);

	return first >= end ||
		madvise(first, end - first, MADV_POPULATE_WRITE) == 0;
}

/*
 * Makes the pages of the result, so that they are there when the results are;
 * as a task of each helper.  If the kernel cannot, whoever writes to a page
 * makes it.
 */
static void
prefault_result(void *argument, int number)
{
	GpuJob	   *job = argument;
	char	   *result = job->request.outputs[0].memory;
	int64_t		bytes = job->request.room * output_size(&job->request, 0);

	while (!__atomic_load_n(&job->stop_prefaulting, __ATOMIC_RELAXED))
	{
		int64_t		from = __atomic_fetch_add(&job->prefaulted, PREFAULT_BYTES,
											  __ATOMIC_RELAXED);
		int64_t		to = from + PREFAULT_BYTES < bytes ?
			from + PREFAULT_BYTES : bytes;

		if (from >= bytes || !populate(result + from, result + to))
			return;
	}
}

static ResultShape
result_shape(const GpuJob *job)
{
	return operation_facts[job->request.operation].shape;
}

/*
 * Returns true if there is enough to copy for a team.  To start and to end its
 * threads takes longer than a small answer about cached values.  Where the
 * number of results is not known, the operation is expected to have as many as
 * the last time.
 */
static bool
needs_team(const GpuJob *job)
{
	bool		few = result_shape(job) == RESULT_SOME &&
		!job->had_many[job->request.operation];
	int64_t		count = job->request.stays || few ? 0 : job->request.room;

	if (!engine_has_inputs(&job->base, &job->request) &&
		job->request.count > count)
		count = job->request.count;
	return count >= COPY_TEAM_COUNT;
}

/*
 * Returns how many threads help: as many as the request says, or, if other
 * calls have lanes, too, this lane's share of all processors but one.  Each
 * lane has two of these, the session's and the process's thread.  More threads
 * of large calls would take processors from small ones.
 */
static int
team_helpers(const GpuJob *job)
{
	const LanesLayout *layout = &job->at->layout;
	int			leased = lanes_leased(job->at->shared, layout);
	int			helpers = job->request.threads - 1;
	int			share =
		(layout->processors - 1) / (leased > 0 ? leased : 1) - 2;

	if (leased > 1 && helpers > share)
		helpers = share < 0 ? 0 : share;
	return helpers;
}

/*
 * Starts a team, if one is needed and there is none: as soon as the process
 * has the request, so that the team allocates the pages of the result
 * meanwhile; and again if the process has less in its cache than expected.
 */
void
job_start_team(GpuJob *job)
{
	if (job->team.helpers > 0 || !needs_team(job))
		return;
	team_start(&job->team, team_helpers(job));
	if (result_shape(job) == RESULT_EACH && !job->request.stays &&
		job->request.outputs[0].memory != NULL)
		for (int i = 0; i < job->team.helpers; i++)
			team_add(&job->team, prefault_result, job, i);
}

/* Returns where a slot's results go; NULL if the slot names no valid place. */
static char *
place_of_results(const GpuJob *job, const LaneSlot *slot)
{
	const EngineRequest *request = &job->request;
	char	   *memory;
	int64_t		room;

	if (slot->output == LANE_SUMMARY)
	{
		memory = request->summary;
		room = request->summary_bytes;
	}
	else if (slot->output >= 0 && slot->output < ENGINE_RESULTS &&
			 result_shape(job) != RESULT_ONE)
	{
		memory = request->outputs[slot->output].memory;
		room = request->room * output_size(request, slot->output);
	}
	else
		return NULL;
	if (memory == NULL || slot->bytes < 0 ||
		slot->bytes > job->at->layout.slot_bytes || slot->offset < 0 ||
		slot->offset > room - slot->bytes)
		return NULL;
	return memory + slot->offset;
}

/* Lets the team copy the results that are ready. */
EngineStatus
slots_take_results(GpuJob *job)
{
	for (int i = 0; i < LANE_SLOTS; i++)
	{
		LaneSlot   *shared = &job->lane->slots[i];
		LaneSlot	slot;
		char	   *to;

		/*
		 * In this order: a copy ends after its slot is free, so a slot that is
		 * ready while no copy is in progress was not copied.
		 */
		if (slot_is_copying(job, i) ||
			word_read(&shared->state) != LANE_SLOT_READY)
			continue;
		slot = *shared;
		to = place_of_results(job, &slot);
		if (to == NULL)
			return job_failed(job, ENGINE_DEVICE_FAILED,
							  "The GPU process has results for no place.");
		job->taken += slot.bytes;
		if (job->team.helpers == 0 && result_shape(job) == RESULT_SOME &&
			job->taken >= COPY_TEAM_BYTES)
			team_start(&job->team, team_helpers(job));
		slot_start_copy(job, i, to,
						slot_memory(job, i) + job->at->layout.slot_bytes,
						slot.bytes, true);
	}
	return ENGINE_OK;
}

/*
 * Returns the status of a job that has failed, and its message; else ENGINE_OK.
 */
EngineStatus
job_status(GpuJob *job)
{
	SharedLane *lane = job->lane;

	if (word_read(&lane->state) != LANE_FINISHED || lane->status == ENGINE_OK)
		return ENGINE_OK;
	memcpy(job->message, lane->message, sizeof(job->message));
	job->message[sizeof(job->message) - 1] = '\0';
	return lane->status;
}

/* Does a task, or sleeps a moment. */
EngineStatus
job_help_or_wait(GpuJob *job, uint32_t seen)
{
	if (team_help(&job->team))
		return ENGINE_MORE;
	return job_wait(job, &job->lane->to_session, seen);
}

/*
 * Waits until the next slot is free.  The thread that has freed it may not have
 * ended its copy of the slot's results yet, and would end the next copy.
 */
EngineStatus
slots_next(GpuJob *job)
{
	int			number = job->pieces % LANE_SLOTS;
	LaneSlot   *slot = &job->lane->slots[number];
	int		   *unfilled = &job->unfilled[number];
	uint32_t	seen;

	TRY_STATUS(job_status(job));
	seen = doorbell_read(&job->lane->to_session);
	TRY_STATUS(slots_take_results(job));
	if (__atomic_load_n(unfilled, __ATOMIC_ACQUIRE) != 0 ||
		word_read(&slot->state) != LANE_SLOT_FREE ||
		slot_is_copying(job, number))
		return job_help_or_wait(job, seen);
	*unfilled = 2;
	job->blocks[number] = (SlotBlocks) {0};
	return ENGINE_OK;
}

/*
 * Counts a part of a slot's piece as there.  The last one, which a thread
 * copies or the push brings, hands the slot to the process.
 */
static void
bring(GpuJob *job, int slot)
{
	if (__atomic_sub_fetch(&job->unfilled[slot], 1, __ATOMIC_ACQ_REL) > 1)
		return;
	word_write(&job->lane->slots[slot].state, LANE_SLOT_FILLED);
	__atomic_store_n(&job->unfilled[slot], 0, __ATOMIC_RELEASE);
	doorbell_ring(&job->lane->to_process);
}

/* Pushes the next slot, with "count" elements, or bytes of the table. */
void
slots_push(GpuJob *job, int64_t count)
{
	int			number = job->pieces++ % LANE_SLOTS;
	LaneSlot   *slot = &job->lane->slots[number];
	const SlotBlocks *blocks = &job->blocks[number];

	slot->count = count;
	slot->nblocks = blocks->number;
	slot->block_bytes = blocks->bytes;
	slot->in_blocks = blocks->elements == count;
	bring(job, number);
}

/*
 * Makes room in a slot for the blocks of a batch, if the process is to unpack
 * them.  It only reserves places, so that blocks are adjacent although several
 * threads copy them.  Blocks that find no room are unpacked here.
 */
static void
reserve_blocks(GpuJob *job, SlotFill *fill)
{
	const LanesLayout *layout = &job->at->layout;
	const SpanBatch *batch = fill->batch;
	SlotBlocks *blocks = &job->blocks[fill->slot];
	int64_t		room = layout->slot_bytes -
		lane_places_bytes(layout, &job->request);

	fill->in_blocks = job->request.packed && batch->put_blocks != NULL &&
		blocks->number + batch->nblocks <=
		lane_slot_blocks(layout, &job->request) &&
		blocks->bytes + batch->block_bytes <= room;
	if (!fill->in_blocks)
		return;
	fill->before = *blocks;
	blocks->number += batch->nblocks;
	blocks->bytes += batch->block_bytes;
	blocks->elements += batch->elements;
}

/* Puts the blocks of a batch into a slot's memory for results. */
static void
put_blocks(const GpuJob *job, const SlotFill *fill)
{
	const LanesLayout *layout = &job->at->layout;
	char	   *elements = slot_memory(job, fill->slot);
	char	   *memory = elements + layout->slot_bytes;
	char	   *bytes = memory + lane_places_bytes(layout, &job->request);
	BlockPlace *places = (BlockPlace *) memory + fill->before.number;
	int			nblocks = fill->batch->nblocks;

	fill->batch->put_blocks(fill->batch, bytes + fill->before.bytes, places);
	for (int i = 0; i < nblocks; i++)
	{
		places[i].before += fill->before.bytes / 8;
		places[i].first += (fill->to - elements) / input_size(&job->request, 0);
	}
}

/*
 * Puts a batch into its slot.  If it is damaged, the slot is never handed
 * over, so that the process cannot cache it.  The session raises an error when
 * it checks its array.
 */
static void
copy_now(GpuJob *job, const SlotFill *fill)
{
	bool		damaged = false;

	if (fill->in_blocks)
		put_blocks(job, fill);
	else
		damaged = !put_batch(fill->to, fill->batch);
	__atomic_store_n(fill->pending, 0, __ATOMIC_RELEASE);
	if (!damaged)
		bring(job, fill->slot);
}

static void
copy_fill(void *argument, int number)
{
	GpuJob	   *job = argument;

	copy_now(job, &job->fills[number]);
	__atomic_store_n(&job->fills[number].busy, 0, __ATOMIC_RELEASE);
}

void
slots_fill(EngineContext *context, int input, void *dest, SpanBatch *batch,
		   int *pending)
{
	GpuJob	   *job = (GpuJob *) context;
	int			slot = job->pieces % LANE_SLOTS;
	int			number = job->nfills % SLOT_FILLS;
	SlotFill	fill = {
		.to = dest, .batch = batch, .slot = slot, .pending = pending, .busy = 1
	};

	reserve_blocks(job, &fill);
	__atomic_add_fetch(&job->unfilled[slot], 1, __ATOMIC_RELAXED);
	if (job->team.helpers == 0 ||
		__atomic_load_n(&job->fills[number].busy, __ATOMIC_ACQUIRE))
	{
		copy_now(job, &fill);
		return;
	}
	job->fills[number] = fill;
	job->nfills++;
	team_add(&job->team, copy_fill, job, number);
}

/* Sends the table, which comes before all input, a slot at a time. */
EngineStatus
slots_push_table(GpuJob *job)
{
	const EngineRequest *request = &job->request;
	int64_t		bytes;

	while (job->table_pushed < request->table_bytes)
	{
		TRY_STATUS(slots_next(job));
		bytes = request->table_bytes - job->table_pushed;
		if (bytes > job->at->layout.slot_bytes)
			bytes = job->at->layout.slot_bytes;
		memcpy(slot_memory(job, job->pieces % LANE_SLOTS),
			   (const char *) request->table + job->table_pushed, bytes);
		job->table_pushed += bytes;
		slots_push(job, bytes);
	}
	return ENGINE_OK;
}

/*
 * Returns true if all results are copied, and notes whether they were many; if
 * not, helps.
 */
bool
slots_all_copied(GpuJob *job)
{
	for (int i = 0; i < LANE_SLOTS; i++)
	{
		if (word_read(&job->lane->slots[i].state) == LANE_SLOT_READY ||
			slot_is_copying(job, i))
		{
			team_wait(&job->team, &job->copies[i].pending);
			return false;
		}
	}
	job->had_many[job->request.operation] = job->taken >= COPY_TEAM_BYTES;
	return true;
}
