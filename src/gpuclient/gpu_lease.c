/*
 * gpu_lease.c
 *	  A session's lease of a lane of a GPU process, and of results that stay on
 *	  the device for its next jobs.
 *
 * A session that finds no lane free waits for one, in the order of tickets.
 * The process may go at any time, while a session waits or later.
 *
 * The session's entry in the shared memory has the numbers of the results that
 * it needs.  The process frees a result soon after its number is gone from
 * there, whatever has become of the session.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "gpuclient/gpu_job.h"

/* Longest wait before a function returns ENGINE_MORE. */
#define WAIT_NS			((int64_t) 1000000)

/*
 * A job of few elements does not sleep at once: to be woken up takes longer
 * than it would wait, unless many jobs are at work.
 */
#define SPIN_COUNT		(256 * 1024)
#define SPIN_NS			100000

/* Returns a status, with a message of why. */
EngineStatus
job_failed(GpuJob *job, EngineStatus status, const char *format, ...)
{
	va_list		arguments;

	va_start(arguments, format);
	vsnprintf(job->message, sizeof(job->message), format, arguments);
	va_end(arguments);
	return status;
}

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

	for (int i = 0; i < MAX_GPUS; i++)
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

	for (int i = 0; i < MAX_GPUS; i++)
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

/* Calls that would be served before another one, for each lane. */
double
process_queue_length(const GpuConnection *connection)
{
	const SharedLanes *shared = connection->shared;

	return (double) (lanes_leased(shared, &connection->layout) +
					 __atomic_load_n(&shared->waiting, __ATOMIC_RELAXED)) /
		connection->layout.nlanes;
}

/* Inputs of a request that a process has not cached. */
static int
inputs_missing(const GpuConnection *connection, const EngineRequest *request)
{
	int			missing = 0;

	for (int i = 0; i < request->inputs; i++)
	{
		uint64_t	number;
		CacheMiss	miss;

		missing += gpu_cache_find(connection, request, i, &number, &miss) < 0;
	}
	return missing;
}

/*
 * Returns the process that would serve a request first; NULL if there is
 * none.  An input that is not cached counts as one more call in the queue of
 * each lane.
 */
GpuConnection *
job_find_process(GpuJob *job, const EngineRequest *request)
{
	GpuConnection *first = NULL;
	double		least = 0;

	for (int i = 0; i < MAX_GPUS; i++)
	{
		GpuConnection *connection = &job->connections[i];
		double		queue;

		if ((request->device >= 0 && i != request->device) ||
			connection->shared == NULL ||
			word_read(&connection->shared->hangs) != 0)
			continue;
		queue = process_queue_length(connection) +
			inputs_missing(connection, request);
		if (first == NULL || queue < least)
		{
			first = connection;
			least = queue;
		}
	}
	return first;
}

/*
 * The process has gone; threads may still read the memory that it shared.  If
 * it has left before the job was in it, nothing has failed.
 */
EngineStatus
job_process_lost(GpuJob *job)
{
	job->lost = true;
	if (job->lane == NULL &&
		word_read(&job->at->shared->ending) == ENDING_IDLE)
		return job_failed(job, ENGINE_NO_DEVICE,
						  "the GPU process has ended, as it was idle");
	return job_failed(job, ENGINE_DEVICE_FAILED, "The GPU process has ended.");
}

/* Returns true if the process has a job to work on, of any session. */
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
 * Waits a moment for a doorbell.  Fails if the process has gone, or has made no
 * progress for HANG_NS.
 */
EngineStatus
job_wait(GpuJob *job, Doorbell *doorbell, uint32_t seen)
{
	uint32_t	progress;

	if (job->pushed < SPIN_COUNT &&
		lanes_leased(job->at->shared, &job->at->layout) <
		job->at->layout.spinning_lanes &&
		doorbell_spin(doorbell, seen, SPIN_NS))
		return ENGINE_MORE;
	doorbell_wait(doorbell, seen, WAIT_NS);
	if (doorbell_read(doorbell) != seen)
		return ENGINE_MORE;
	if (gpu_connection_lost(job->at))
		return job_process_lost(job);
	progress = word_read(&job->at->shared->progress);
	if (progress != job->progress || !has_work(job->at))
	{
		job->progress = progress;
		job->progress_ns = lanes_now_ns();
	}
	else if (lanes_now_ns() - job->progress_ns > HANG_NS)
	{
		word_write(&job->at->shared->hangs, 1);
		return job_failed(job, ENGINE_DEVICE_FAILED,
						  "The GPU has made no progress for %d seconds.",
						  (int) (HANG_NS / 1000000000));
	}
	return ENGINE_MORE;
}

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

	__atomic_store_n(&session->ticket,
					 __atomic_fetch_add(&shared->next_ticket, 1,
										__ATOMIC_RELAXED), __ATOMIC_RELAXED);
	word_write(&session->state, SESSION_WAITING);
	__atomic_add_fetch(&shared->waiting, 1, __ATOMIC_SEQ_CST);
	doorbell_ring(&shared->dispatch);
	job->waiting = true;
}

/* Leaves the queue; a lane that was granted meanwhile is given back. */
void
job_leave_queue(GpuJob *job)
{
	SharedLanes *shared = job->at->shared;
	SharedSession *session = job->at->session;

	job->waiting = false;
	if (word_change(&session->state, SESSION_WAITING, SESSION_IDLE))
		__atomic_sub_fetch(&shared->waiting, 1, __ATOMIC_SEQ_CST);
	else if (word_change(&session->state, SESSION_GRANTED, SESSION_IDLE))
		lane_give_back(shared, session->lane);
}

/* Returns ENGINE_MORE until the job has a lane. */
EngineStatus
job_lease(GpuJob *job)
{
	SharedLanes *shared = job->at->shared;
	SharedSession *session = job->at->session;
	uint32_t	seen = doorbell_read(&session->doorbell);
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
		return job_wait(job, &session->doorbell, seen);
	if (number >= job->at->layout.nlanes)
		return job_process_lost(job);
	got_lane(job, number);
	return ENGINE_OK;
}

/* Adds a lease to their average time, by which sessions estimate their wait. */
void
job_note_lease(GpuJob *job)
{
	SharedLanes *shared = job->at->shared;
	int64_t		us = (lanes_now_ns() - job->leased_ns) / 1000;
	int64_t		average = __atomic_load_n(&shared->lease_us, __ATOMIC_RELAXED);

	__atomic_store_n(&shared->lease_us, average + (us - average) / 8,
					 __ATOMIC_RELAXED);
}

/*
 * Returns a number for a result, and notes that the result is needed; zero if
 * there are too many results.  Another session that is given this one's entry
 * later has other numbers.
 */
uint64_t
gpu_resident_take(GpuConnection *connection)
{
	static uint32_t last = 0;

	for (int i = 0; i < SESSION_RESIDENTS; i++)
	{
		uint64_t   *place = &connection->session->residents[i];

		if (*place != 0)
			continue;
		__atomic_store_n(place, (uint64_t) getpid() << 32 | ++last,
						 __ATOMIC_RELEASE);
		return *place;
	}
	return 0;
}

/* The result is no longer needed. */
void
gpu_resident_give_back(GpuConnection *connection, uint64_t number)
{
	if (connection->shared == NULL)
		return;
	for (int i = 0; i < SESSION_RESIDENTS; i++)
	{
		uint64_t   *place = &connection->session->residents[i];

		if (*place != number)
			continue;
		__atomic_store_n(place, 0, __ATOMIC_RELEASE);
		doorbell_ring(&connection->shared->dispatch);
	}
}

void
gpu_engine_give_back(EngineContext *context, int device, uint64_t resident)
{
	gpu_resident_give_back(&((GpuJob *) context)->connections[device],
						   resident);
}
