/*
 * gpu_engine.c
 *	  The engine whose jobs are done by a GPU process: a session's side.
 *
 * A job leases a lane (lanes.h), and goes through its slots in turn.  Who comes
 * when no lane is free waits for one, in the order of tickets.  The team copies
 * results from the slots, as fresh memory is slow to write: each page of it must
 * first be found and cleared.
 *
 * The process may go at any time.  Nothing that it writes is trusted to be in
 * bounds, and a job whose process is gone has failed, whatever it said before.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/gpu_engine.h"
#include "engine/team.h"

/* Longest wait before a function returns ENGINE_MORE. */
#define WAIT_NS			((int64_t) 1000000)

/*
 * A job of few elements does not sleep at once: to be woken up takes longer
 * than it would wait, unless many jobs are at work.
 */
#define SPIN_COUNT		(256 * 1024)
#define SPIN_NS			100000

/* From this many elements on, a job is given a team. */
#define COPY_TEAM_COUNT	(1024 * 1024)

/* Parts into which a slot is cut for the team to copy. */
#define COPY_PARTS		4

#define PAGE_BYTES		4096
#define PREFAULT_BYTES	((int64_t) 2 * 1024 * 1024)

/* Bytes that the team copies, from or to a slot. */
typedef struct SlotCopy
{
	char	   *to;
	const char *from;
	int64_t		bytes;

	/*
	 * One more than the parts that are not copied yet, until the slot is handed
	 * over: or else a slot that is copied but still ready would be taken twice.
	 */
	int			pending;
	bool		results;		/* of the slot, which is free after that */
} SlotCopy;

/* Bytes of a piece that a thread copies to its slot. */
typedef struct SlotFill
{
	char	   *to;
	const EngineSpan *spans;
	int			nspans;
	int			slot;
	int		   *pending;		/* set to zero once they are copied */
	int			busy;			/* is it not copied yet? */
} SlotFill;

/* Fills that are noted at a time; more are copied at once. */
#define SLOT_FILLS		32

/* A context, and the job in it. */
typedef struct GpuJob
{
	EngineContext base;
	char		message[512];
	GpuConnection connections[MOST_GPUS];

	/* All that follows is the job's. */
	GpuConnection *at;			/* the process that it is to run in */
	bool		lost;			/* has the process gone? */
	bool		waiting;		/* for a lane there */
	int			lane_number;
	SharedLane *lane;			/* that it leases, or NULL */
	int64_t		leased_ns;		/* when */
	uint32_t	progress;		/* of the process, as last seen, */
	int64_t		progress_ns;	/* and when */
	EngineRequest request;
	int64_t		capacity;		/* elements in a slot */
	int64_t		table_pushed;	/* bytes of the table */
	int64_t		pushed;			/* elements */
	int64_t		pieces;			/* slots filled */
	Team		team;
	SlotCopy	copies[LANE_SLOTS];
	SlotFill	fills[SLOT_FILLS];
	int			nfills;			/* so far */

	/*
	 * Fills of a slot that are to come, its push, and one more until the slot is
	 * handed over: a slot is free only if that is zero, too.
	 */
	int			unfilled[LANE_SLOTS];
	int64_t		copy_ns;		/* summed over the threads */
	int64_t		prefaulted;		/* bytes of the result taken on by helpers */
	int			prefaulting;	/* helpers that are at it */
	bool		stop_prefaulting;
} GpuJob;

static EngineStatus
failed(GpuJob *job, EngineStatus status, const char *format,...)
			__attribute__((format(printf, 3, 4)));

static EngineStatus
failed(GpuJob *job, EngineStatus status, const char *format,...)
{
	va_list		arguments;

	va_start(arguments, format);
	vsnprintf(job->message, sizeof(job->message), format, arguments);
	va_end(arguments);
	return status;
}

/*
 * Connections.
 */

GpuConnectStatus
gpu_engine_connect(EngineContext *context, int device)
{
	GpuJob	   *job = (GpuJob *) context;
	GpuConnection *connection = &job->connections[device];
	char		path[sizeof(GPU_SOCKET) + 10];

	if (connection->shared != NULL &&
		(word_read(&connection->shared->ending) ||
		 gpu_connection_lost(connection)))
		gpu_disconnect(connection);
	if (connection->shared != NULL)
		return GPU_CONNECTED;
	snprintf(path, sizeof(path), GPU_SOCKET, device);
	return gpu_connect(connection, path, job->message, sizeof(job->message));
}

const GpuConnection *
gpu_engine_connection(EngineContext *context, int device)
{
	GpuJob	   *job = (GpuJob *) context;

	return job->connections[device].shared != NULL ?
		&job->connections[device] : NULL;
}

void
gpu_engine_on_cpu(EngineContext *context, int threads)
{
	GpuJob	   *job = (GpuJob *) context;

	for (int i = 0; i < MOST_GPUS; i++)
	{
		GpuConnection *connection = &job->connections[i];

		if (connection->shared == NULL)
			continue;
		__atomic_add_fetch(&connection->shared->cpu_threads,
						   threads - connection->session->cpu_threads,
						   __ATOMIC_RELAXED);
		connection->session->cpu_threads = threads;
	}
}

int
gpu_engine_busy_threads(EngineContext *context)
{
	GpuJob	   *job = (GpuJob *) context;
	int			leased = 0;
	int			on_cpu = 0;

	for (int i = 0; i < MOST_GPUS; i++)
	{
		const GpuConnection *connection = &job->connections[i];
		int			threads;

		if (connection->shared == NULL)
			continue;
		leased += lanes_leased(connection->shared, &connection->layout) +
			__atomic_load_n(&connection->shared->waiting, __ATOMIC_RELAXED);
		threads = __atomic_load_n(&connection->shared->cpu_threads,
								  __ATOMIC_RELAXED);
		on_cpu = threads > on_cpu ? threads : on_cpu;
	}
	return leased + on_cpu;
}

static bool
is_usable(const GpuConnection *connection)
{
	return connection->shared != NULL &&
		word_read(&connection->shared->hangs) == 0;
}

/* Calls that would be served before another one, for each lane. */
static double
queue_length(const GpuConnection *connection)
{
	const SharedLanes *shared = connection->shared;

	return (double) (lanes_leased(shared, &connection->layout) +
					 __atomic_load_n(&shared->waiting, __ATOMIC_RELAXED)) /
		connection->layout.nlanes;
}

/* The process that would serve a request first; NULL if there is none. */
static GpuConnection *
find_process(GpuJob *job, int device)
{
	GpuConnection *first = NULL;

	for (int i = 0; i < MOST_GPUS; i++)
	{
		GpuConnection *connection = &job->connections[i];

		if ((device >= 0 && i != device) || !is_usable(connection))
			continue;
		if (first == NULL || queue_length(connection) < queue_length(first))
			first = connection;
	}
	return first;
}

/* The process has gone; threads may still read the memory that it shared. */
static EngineStatus
process_lost(GpuJob *job)
{
	job->lost = true;
	return failed(job, ENGINE_DEVICE_FAILED, "The GPU process has ended.");
}

/* Has the process a job to work on, for whomever? */
static bool
has_work(const GpuConnection *connection)
{
	for (int i = 0; i < connection->layout.nlanes; i++)
	{
		uint32_t	state = word_read(&connection->shared->lanes[i].state);

		if (state == LANE_BEGUN || state == LANE_ABANDONED)
			return true;
	}
	return false;
}

/*
 * Sleeps a moment on a bell.  Fails if the process has gone, or has come to
 * nothing for long.
 */
static EngineStatus
wait_for_process(GpuJob *job, Bell *bell, uint32_t heard)
{
	uint32_t	progress;

	if (job->pushed < SPIN_COUNT &&
		lanes_leased(job->at->shared, &job->at->layout) < SPINNING_LANES &&
		bell_spin(bell, heard, SPIN_NS))
		return ENGINE_MORE;
	bell_wait(bell, heard, WAIT_NS);
	if (bell_listen(bell) != heard)
		return ENGINE_MORE;
	if (gpu_connection_lost(job->at))
		return process_lost(job);
	progress = word_read(&job->at->shared->progress);
	if (progress != job->progress || !has_work(job->at))
	{
		job->progress = progress;
		job->progress_ns = lanes_now_ns();
	}
	else if (lanes_now_ns() - job->progress_ns > HANG_NS)
	{
		word_write(&job->at->shared->hangs, 1);
		return failed(job, ENGINE_DEVICE_FAILED,
					  "The GPU has made no progress for %d seconds.",
					  (int) (HANG_NS / 1000000000));
	}
	return ENGINE_MORE;
}

/*
 * The lease.
 */

static void
got_lane(GpuJob *job, int number)
{
	job->waiting = false;
	job->lane_number = number;
	job->lane = &job->at->shared->lanes[number];
	__atomic_store_n(&job->lane->session, job->at->number, __ATOMIC_RELAXED);
	job->leased_ns = lanes_now_ns();
}

/* Takes a ticket, and asks to be served when it is its turn. */
static void
join_queue(GpuJob *job)
{
	SharedLanes *shared = job->at->shared;
	SharedSession *session = job->at->session;

	session->ticket = __atomic_fetch_add(&shared->next_ticket, 1,
										 __ATOMIC_RELAXED);
	word_write(&session->state, SESSION_WAITING);
	__atomic_add_fetch(&shared->waiting, 1, __ATOMIC_SEQ_CST);
	bell_ring(&shared->dispatch);
	job->waiting = true;
}

/* Leaves the queue; a lane that was granted meanwhile is given back. */
static void
leave_queue(GpuJob *job)
{
	SharedLanes *shared = job->at->shared;
	SharedSession *session = job->at->session;

	job->waiting = false;
	if (word_change(&session->state, SESSION_WAITING, SESSION_IDLE))
		__atomic_sub_fetch(&shared->waiting, 1, __ATOMIC_SEQ_CST);
	else if (word_change(&session->state, SESSION_GRANTED, SESSION_IDLE))
		lane_give_back(shared, session->lane);
}

/* ENGINE_MORE until the job has a lane. */
static EngineStatus
lease(GpuJob *job)
{
	SharedLanes *shared = job->at->shared;
	SharedSession *session = job->at->session;
	uint32_t	heard = bell_listen(&session->bell);
	int			number = -1;

	if (!job->waiting)
	{
		if (__atomic_load_n(&shared->waiting, __ATOMIC_SEQ_CST) == 0)
			number = lane_take(shared);
		if (number < 0)
			join_queue(job);
	}
	else if (word_change(&session->state, SESSION_GRANTED, SESSION_IDLE))
		number = session->lane;
	if (number < 0)
		return wait_for_process(job, &session->bell, heard);
	if (number >= job->at->layout.nlanes)
		return process_lost(job);
	got_lane(job, number);
	return ENGINE_OK;
}

/*
 * Copying.
 */

static char *
slot_memory(const GpuJob *job, int slot)
{
	return lane_slot_memory(job->at->shared, &job->at->layout,
							job->lane_number, slot);
}

/* Copies a part, as a task; the last one to be done hands the slot over. */
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
		bell_ring(&job->lane->to_process);
}

static void
start_copy(GpuJob *job, int slot, char *to, const char *from, int64_t bytes,
		   bool results)
{
	job->copies[slot] = (SlotCopy) {to, from, bytes, COPY_PARTS + 1, results};
	for (int part = 0; part < COPY_PARTS; part++)
		team_add(&job->team, copy_part, job, slot * COPY_PARTS + part);
}

static bool
is_copying(const GpuJob *job, int slot)
{
	return __atomic_load_n(&job->copies[slot].pending, __ATOMIC_ACQUIRE) != 0;
}

/*
 * Writes to each page of the result, so that it is there when the sorted keys
 * are; as a task of each helper, while the caller still reads.
 */
static void
prefault_result(void *argument, int number)
{
	GpuJob	   *job = argument;
	char	   *result = job->request.outputs[0].memory;
	int64_t		bytes = job->request.count * output_size(&job->request, 0);

	while (!__atomic_load_n(&job->stop_prefaulting, __ATOMIC_RELAXED))
	{
		int64_t		from = __atomic_fetch_add(&job->prefaulted, PREFAULT_BYTES,
											  __ATOMIC_RELAXED);

		for (int64_t at = from; at < from + PREFAULT_BYTES && at < bytes;
			 at += PAGE_BYTES)
			*(volatile char *) (result + at) = 0;
		if (from >= bytes)
			break;
	}
	__atomic_sub_fetch(&job->prefaulting, 1, __ATOMIC_RELEASE);
}

/* To be called before anything is written to the result. */
static void
stop_prefaulting(GpuJob *job)
{
	__atomic_store_n(&job->stop_prefaulting, true, __ATOMIC_RELAXED);
	while (__atomic_load_n(&job->prefaulting, __ATOMIC_ACQUIRE) != 0)
		team_wait(&job->team, &job->prefaulting);
}

static void
start_team(GpuJob *job)
{
	const OperationFacts *facts = &operation_facts[job->request.operation];

	if (job->request.count < COPY_TEAM_COUNT)
		return;
	team_start(&job->team, job->request.threads - 1);
	if (facts->gathers && facts->shape == RESULT_EACH)
	{
		job->prefaulting = job->team.helpers;
		for (int i = 0; i < job->team.helpers; i++)
			team_add(&job->team, prefault_result, job, i);
	}
}

/* Where a slot's results go; NULL if there is no such place. */
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
	else if (slot->output >= 0 && slot->output < ENGINE_RESULTS)
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

/* Has the team copy the results that are ready. */
static EngineStatus
take_results(GpuJob *job)
{
	for (int i = 0; i < LANE_SLOTS; i++)
	{
		LaneSlot   *shared = &job->lane->slots[i];
		LaneSlot	slot;
		char	   *to;

		if (word_read(&shared->state) != LANE_SLOT_READY || is_copying(job, i))
			continue;
		slot = *shared;
		to = place_of_results(job, &slot);
		if (to == NULL)
			return failed(job, ENGINE_DEVICE_FAILED,
						  "The GPU process has results for no place.");
		stop_prefaulting(job);
		start_copy(job, i, to, slot_memory(job, i) + job->at->layout.slot_bytes,
				   slot.bytes, true);
	}
	return ENGINE_OK;
}

/* Has the job come to its end before all was pushed?  Then it has failed. */
static EngineStatus
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
static EngineStatus
help_or_wait(GpuJob *job, uint32_t heard)
{
	if (team_help(&job->team))
		return ENGINE_MORE;
	return wait_for_process(job, &job->lane->to_session, heard);
}

/*
 * The engine's functions.
 */

static EngineContext *
gpu_open(void)
{
	GpuJob	   *job = calloc(1, sizeof(GpuJob));

	if (job == NULL)
		return NULL;
	job->base.engine = &gpu_engine;
	for (int i = 0; i < MOST_GPUS; i++)
		job->connections[i].socket = -1;
	return &job->base;
}

static void
gpu_close(EngineContext *context)
{
	GpuJob	   *job = (GpuJob *) context;

	for (int i = 0; i < MOST_GPUS; i++)
		gpu_disconnect(&job->connections[i]);
	free(job);
}

/* What a request costs, and what it waits for a lane. */
static double
gpu_cost_us(EngineContext *context, const EngineRequest *request)
{
	GpuJob	   *job = (GpuJob *) context;
	double		cost = request_cost_us(request, ENGINE_CUDA);
	const GpuConnection *process = find_process(job, request->device);
	double		ahead;

	if (cost < 0 || process == NULL)
		return cost;
	ahead = queue_length(process) - 1;
	return ahead < 0 ? cost : cost +
		(ahead + 1.0 / process->layout.nlanes) *
		__atomic_load_n(&process->shared->lease_us, __ATOMIC_RELAXED);
}

static EngineStatus
gpu_begin(EngineContext *context, const EngineRequest *request)
{
	GpuJob	   *job = (GpuJob *) context;
	SharedLane *lane;

	if (!job->waiting)
	{
		memset(&job->at, 0, sizeof(*job) - offsetof(GpuJob, at));
		job->at = find_process(job, request->device);
		if (job->at == NULL)
			return failed(job, ENGINE_NO_DEVICE, "There is no GPU process.");
		job->progress_ns = lanes_now_ns();
		job->progress = word_read(&job->at->shared->progress);
	}
	TRY_STATUS(lease(job));
	lane = job->lane;
	job->request = *request;
	job->capacity = lane_slot_capacity(&job->at->layout, request);
	lane->request = *request;
	lane->result = (EngineResult) {0};
	for (int i = 0; i < LANE_SLOTS; i++)
		lane->slots[i].state = LANE_SLOT_FREE;
	word_write(&lane->state, LANE_BEGUN);
	bell_ring(&lane->to_process);
	start_team(job);
	return ENGINE_OK;
}

/* Waits until the next slot is free. */
static EngineStatus
next_slot(GpuJob *job)
{
	int			number = job->pieces % LANE_SLOTS;
	LaneSlot   *slot = &job->lane->slots[number];
	int		   *unfilled = &job->unfilled[number];
	uint32_t	heard;

	TRY_STATUS(job_status(job));
	heard = bell_listen(&job->lane->to_session);
	TRY_STATUS(take_results(job));
	if (__atomic_load_n(unfilled, __ATOMIC_ACQUIRE) != 0 ||
		word_read(&slot->state) != LANE_SLOT_FREE)
		return help_or_wait(job, heard);
	*unfilled = 2;
	return ENGINE_OK;
}

/*
 * Whoever brings the last of a slot's piece hands it to the process: a thread
 * that copies, or the push.
 */
static void
bring(GpuJob *job, int slot)
{
	if (__atomic_sub_fetch(&job->unfilled[slot], 1, __ATOMIC_ACQ_REL) > 1)
		return;
	word_write(&job->lane->slots[slot].state, LANE_SLOT_FILLED);
	__atomic_store_n(&job->unfilled[slot], 0, __ATOMIC_RELEASE);
	bell_ring(&job->lane->to_process);
}

/* Pushes the next slot, with so many elements, or bytes of the table. */
static void
push_slot(GpuJob *job, int64_t count)
{
	int			slot = job->pieces++ % LANE_SLOTS;

	job->lane->slots[slot].count = count;
	bring(job, slot);
}

static void
copy_now(GpuJob *job, const SlotFill *fill)
{
	copy_spans(fill->to, fill->spans, fill->nspans);
	__atomic_store_n(fill->pending, 0, __ATOMIC_RELEASE);
	bring(job, fill->slot);
}

static void
copy_fill(void *argument, int number)
{
	GpuJob	   *job = argument;

	copy_now(job, &job->fills[number]);
	__atomic_store_n(&job->fills[number].busy, 0, __ATOMIC_RELEASE);
}

static void
gpu_fill(EngineContext *context, int input, void *dest,
		 const EngineSpan *spans, int nspans, int *pending)
{
	GpuJob	   *job = (GpuJob *) context;
	int			slot = job->pieces % LANE_SLOTS;
	int			number = job->nfills % SLOT_FILLS;
	SlotFill	fill = {dest, spans, nspans, slot, pending, 1};

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

static void
gpu_wait(EngineContext *context, const int *pending)
{
	team_wait(&((GpuJob *) context)->team, pending);
}

/* Sends the table, which comes before all input, a slot at a time. */
static EngineStatus
push_table(GpuJob *job)
{
	const EngineRequest *request = &job->request;
	int64_t		bytes;

	while (job->table_pushed < request->table_bytes)
	{
		TRY_STATUS(next_slot(job));
		bytes = request->table_bytes - job->table_pushed;
		if (bytes > job->at->layout.slot_bytes)
			bytes = job->at->layout.slot_bytes;
		memcpy(slot_memory(job, job->pieces % LANE_SLOTS),
			   (const char *) request->table + job->table_pushed, bytes);
		job->table_pushed += bytes;
		push_slot(job, bytes);
	}
	return ENGINE_OK;
}

static EngineStatus
gpu_buffer(EngineContext *context, void *buffers[ENGINE_INPUTS],
		   int64_t *capacity)
{
	GpuJob	   *job = (GpuJob *) context;
	char	   *memory;

	TRY_STATUS(push_table(job));
	TRY_STATUS(next_slot(job));
	memory = slot_memory(job, job->pieces % LANE_SLOTS);
	buffers[0] = memory;
	buffers[1] = memory + job->capacity * input_size(&job->request, 0);
	*capacity = job->capacity;
	return ENGINE_OK;
}

static EngineStatus
gpu_push(EngineContext *context, const void *const data[ENGINE_INPUTS],
		 int64_t count)
{
	GpuJob	   *job = (GpuJob *) context;
	int			number = job->pieces % LANE_SLOTS;
	char	   *memory = slot_memory(job, number);

	for (int i = 0; i < job->request.inputs; i++)
	{
		int			size = input_size(&job->request, i);
		char	   *to = memory + i * job->capacity * input_size(&job->request,
																 0);

		if (data[i] == to)
			continue;
		start_copy(job, number, to, data[i], count * size, false);
		while (is_copying(job, number))
			team_wait(&job->team, &job->copies[number].pending);
	}
	job->pushed += count;
	push_slot(job, count);
	return ENGINE_OK;
}

/* Are all results copied?  If not, helps. */
static bool
all_copied(GpuJob *job)
{
	for (int i = 0; i < LANE_SLOTS; i++)
	{
		if (word_read(&job->lane->slots[i].state) == LANE_SLOT_READY ||
			is_copying(job, i))
		{
			team_wait(&job->team, &job->copies[i].pending);
			return false;
		}
	}
	return true;
}

/* Notes how long leases are, for those who wait for one. */
static void
note_lease(GpuJob *job)
{
	SharedLanes *shared = job->at->shared;
	int64_t		us = (lanes_now_ns() - job->leased_ns) / 1000;
	int64_t		average = __atomic_load_n(&shared->lease_us, __ATOMIC_RELAXED);

	__atomic_store_n(&shared->lease_us, average + (us - average) / 8,
					 __ATOMIC_RELAXED);
}

static EngineStatus
gpu_finish(EngineContext *context, EngineResult *result)
{
	GpuJob	   *job = (GpuJob *) context;
	uint32_t	heard;

	TRY_STATUS(job_status(job));
	heard = bell_listen(&job->lane->to_session);
	TRY_STATUS(take_results(job));
	if (word_read(&job->lane->state) != LANE_FINISHED)
		return help_or_wait(job, heard);
	TRY_STATUS(job_status(job));
	TRY_STATUS(take_results(job));
	if (!all_copied(job))
		return ENGINE_MORE;
	*result = job->lane->result;
	if (operation_facts[job->request.operation].shape == RESULT_ONE)
		memcpy(job->request.outputs[0].memory, &job->lane->value,
			   output_size(&job->request, 0));
	result->result_ms = job->copy_ns / 1e6;

	/* What was copied after the process had gone is not what it wrote. */
	if (gpu_connection_lost(job->at))
		return process_lost(job);
	note_lease(job);
	return ENGINE_OK;
}

/* The lane is free if its job is over; else the process frees it. */
static void
gpu_end(EngineContext *context)
{
	GpuJob	   *job = (GpuJob *) context;
	SharedLane *lane = job->lane;

	__atomic_store_n(&job->stop_prefaulting, true, __ATOMIC_RELAXED);
	team_stop(&job->team);
	job->lane = NULL;
	if (job->lost)
		gpu_disconnect(job->at);
	else if (job->waiting)
		leave_queue(job);
	else if (lane == NULL)
		return;
	else if (word_change(&lane->state, LANE_BEGUN, LANE_ABANDONED))
		bell_ring(&lane->to_process);
	else
		lane_give_back(job->at->shared, job->lane_number);
}

static const char *
gpu_message(EngineContext *context)
{
	return ((GpuJob *) context)->message;
}

const Engine gpu_engine = {
	.name = "cuda",
	.open = gpu_open,
	.close = gpu_close,
	.cost_us = gpu_cost_us,
	.begin = gpu_begin,
	.buffer = gpu_buffer,
	.fill = gpu_fill,
	.wait = gpu_wait,
	.push = gpu_push,
	.finish = gpu_finish,
	.end = gpu_end,
	.message = gpu_message,
};
