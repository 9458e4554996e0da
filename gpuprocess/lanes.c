/*
 * lanes.c
 *	  The lanes of the GPU process: their memory, their threads, and whose turn
 *	  it is.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "gpuprocess/program.h"

/*
 * A job that waits for the device spins for SPIN_NS, because the device wakes
 * no thread when it is done.  Then an urgent job looks every DEVICE_WAIT_NS;
 * the others together look as often as one alone, so that their threads leave
 * the processors to the small calls.  Next to 12 sorts, the slowest 1 % of
 * small calls take 0.56 ms, and 1.8 if each job looks as often as an urgent
 * one; looking a fourth as often, they take 0.44, but 16 sessions make 14 %
 * fewer calls.
 */
#define SPIN_NS			30000
#define DEVICE_WAIT_NS	20000

/*
 * An urgent job spins for URGENT_SPIN_NS, because its kernels take about as
 * long as the sleep, and even if many lanes are in use: next to 12 sorts, the
 * median small call takes 0.13 ms, and 0.16 without this.
 */
#define URGENT_SPIN_NS	100000

/*
 * A job that waits for its session sleeps until its doorbell is rung, at most
 * this long.
 */
#define SESSION_WAIT_NS	1000000000

#define SLOT_ALIGNMENT	(2 * 1024 * 1024)

/* Where a lane is with a job. */
typedef enum LanePhase
{
	PHASE_REST,					/* there is none */
	PHASE_STEPS,				/* on its way through the device */
	PHASE_SETTLE,				/* over, but maybe not on the device */
	PHASE_CRAMPED				/* likewise, as it found no memory to begin */
} LanePhase;

typedef struct Lane
{
	int			number;
	SharedLane *shared;
	DeviceLane *device;
	LanePhase	phase;
	EngineStatus status;		/* of the job, when it is over */
	int64_t		moved_ns;		/* when it last went on */
	CacheUse	uses[CACHE_USES];
	pthread_t	thread;
} Lane;

SharedLanes *lanes_shared;
LanesLayout lanes_layout;
int			lanes_memory;
int			lanes_devices;

static Lane lanes[MAX_LANES];
static pthread_mutex_t dispatch_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Ends the process, and frees the memory of the slots, even where sessions
 * still map it.  They may still read the last words of the process.  A session
 * that is copying results finds zeros, and then notices that the process has
 * ended.
 */
void
lanes_exit(int status)
{
	if (lanes_shared != NULL)
	{
		__atomic_store_n(&lanes_shared->gone, 1, __ATOMIC_SEQ_CST);
		(void) fallocate(lanes_memory,
						 FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
						 lanes_layout.slots_offset,
						 lanes_layout.bytes - lanes_layout.slots_offset);
	}
	_exit(status);
}

/* Returns the session that has waited longest; -1 if none waits. */
static int
next_session(void)
{
	int			next = -1;
	uint64_t	least = UINT64_MAX;

	for (int i = 0; i < lanes_shared->nsessions; i++)
	{
		const SharedSession *session = &lanes_shared->sessions[i];
		uint64_t	ticket;

		if (word_read(&session->state) != SESSION_WAITING)
			continue;

		/* It may leave the queue meanwhile, and join it again. */
		ticket = __atomic_load_n(&session->ticket, __ATOMIC_RELAXED);
		if (ticket < least)
		{
			least = ticket;
			next = i;
		}
	}
	return next;
}

/* Gives the session a lane, unless it no longer waits for one. */
static bool
grant(int number, int lane)
{
	SharedSession *session = &lanes_shared->sessions[number];

	session->lane = lane;
	__atomic_store_n(&lanes_shared->lanes[lane].session, number,
					 __ATOMIC_RELAXED);
	if (!word_change(&session->state, SESSION_WAITING, SESSION_GRANTED))
		return false;
	__atomic_sub_fetch(&lanes_shared->waiting, 1, __ATOMIC_SEQ_CST);
	doorbell_ring(&session->doorbell);
	return true;
}

/*
 * Grants free lanes to the sessions that wait, in the order of their tickets.
 */
static void
dispatch(void)
{
	pthread_mutex_lock(&dispatch_lock);
	while (__atomic_load_n(&lanes_shared->waiting, __ATOMIC_SEQ_CST) > 0)
	{
		int			session = next_session();
		int			lane = session < 0 ? -1 : lane_take(lanes_shared);

		if (lane < 0)
			break;
		if (!grant(session, lane))
			lane_give_back(lanes_shared, lane);
	}
	pthread_mutex_unlock(&dispatch_lock);
}

static void *
dispatch_main(void *argument)
{
	for (;;)
	{
		uint32_t	seen = doorbell_read(&lanes_shared->dispatch);

		dispatch();
		cache_sweep();
		doorbell_wait(&lanes_shared->dispatch, seen, SESSION_WAIT_NS);
	}
	return NULL;
}

/*
 * Called when a session has connected: clears its entry, but for the results,
 * which were forgotten when the session before it went.
 */
void
lanes_session_came(int number)
{
	pthread_mutex_lock(&dispatch_lock);
	memset(&lanes_shared->sessions[number], 0,
		   offsetof(SharedSession, residents));
	if (number >= lanes_shared->nsessions)
		lanes_shared->nsessions = number + 1;
	pthread_mutex_unlock(&dispatch_lock);
}

/*
 * Called when a session's connection is closed.  Takes the session from the
 * queue, and gives back its lane, or abandons the job in it.
 */
void
lanes_session_gone(int number)
{
	SharedSession *session = &lanes_shared->sessions[number];

	/* The lock keeps dispatch() from granting it a lane meanwhile. */
	pthread_mutex_lock(&dispatch_lock);
	if (word_change(&session->state, SESSION_WAITING, SESSION_IDLE))
		__atomic_sub_fetch(&lanes_shared->waiting, 1, __ATOMIC_SEQ_CST);
	else
		word_write(&session->state, SESSION_IDLE);
	__atomic_sub_fetch(&lanes_shared->cpu_threads, session->cpu_threads,
					   __ATOMIC_RELAXED);
	session->cpu_threads = 0;
	for (int i = 0; i < lanes_layout.nlanes; i++)
	{
		SharedLane *lane = &lanes_shared->lanes[i];

		/*
		 * In this order: the lane's thread may give back one that was abandoned
		 * already, and then another session may have it.
		 */
		if (word_read(&lane->state) == LANE_ABANDONED ||
			__atomic_load_n(&lane->session, __ATOMIC_RELAXED) != number)
			continue;
		if (word_change(&lane->state, LANE_BEGUN, LANE_ABANDONED))
			doorbell_ring(&lane->to_process);
		else
			lane_give_back(lanes_shared, i);
	}
	pthread_mutex_unlock(&dispatch_lock);
	cache_forget(number);
}

/* Returns when a job last began or ended, as lanes_now_ns. */
int64_t
lanes_last_use(void)
{
	return __atomic_load_n(&lanes_shared->last_use_ns, __ATOMIC_RELAXED);
}

static void
note_use(void)
{
	__atomic_store_n(&lanes_shared->last_use_ns, lanes_now_ns(),
					 __ATOMIC_RELAXED);
}

/* Publishes how much memory of the device is in use. */
void
lanes_note_memory(void)
{
	__atomic_store_n(&lanes_shared->device_bytes, device_bytes_in_use(),
					 __ATOMIC_RELAXED);
}

/*
 * Takes all lanes from use if none was in use for "idle_ns".  Returns whether
 * it did.
 */
bool
lanes_close_if_idle(int64_t idle_ns)
{
	uint64_t	all = UINT64_MAX >> (64 - lanes_layout.nlanes);

	if (lanes_now_ns() - lanes_last_use() < idle_ns ||
		__atomic_load_n(&lanes_shared->waiting, __ATOMIC_SEQ_CST) != 0 ||
		!__atomic_compare_exchange_n(&lanes_shared->free, &all, 0, false,
									 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return false;
	word_write(&lanes_shared->ending, ENDING_IDLE);
	return true;
}

/*
 * Waits until the device may have made progress.  A job in its steps spins at
 * first, if it is urgent or few lanes are in use.
 */
static void
wait_for_device(Lane *lane, uint32_t seen)
{
	bool		urgent = job_is_urgent(lane->device);
	int			leased = lanes_leased(lanes_shared, &lanes_layout);

	if (lane->phase == PHASE_STEPS &&
		(urgent || leased <= lanes_layout.spinning_lanes) &&
		lanes_now_ns() - lane->moved_ns < (urgent ? URGENT_SPIN_NS : SPIN_NS))
		(void) sched_yield();
	else
		doorbell_wait(&lane->shared->to_process, seen,
					  urgent ? DEVICE_WAIT_NS : leased * DEVICE_WAIT_NS);
}

/* Waits for the session: for its next job, or for more of this one. */
static void
wait_for_session(Lane *lane, uint32_t seen)
{
	Doorbell   *doorbell = &lane->shared->to_process;

	if (lane->phase != PHASE_REST ||
		lanes_leased(lanes_shared, &lanes_layout) >=
		lanes_layout.spinning_lanes ||
		!doorbell_spin(doorbell, seen, SPIN_NS))
		doorbell_wait(doorbell, seen, SESSION_WAIT_NS);
}

static void
count_job(const SharedLane *shared)
{
	const EngineRequest *request = &shared->request;

	__atomic_add_fetch(&lanes_shared->calls, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < ENGINE_INPUTS; i++)
		__atomic_add_fetch(&lanes_shared->bytes_in, shared->inputs[i].has ? 0 :
						   source_bytes(request, i), __ATOMIC_RELAXED);
	__atomic_add_fetch(&lanes_shared->bytes_out, shared->stays ? 0 :
					   shared->result.count * output_size(request, 0),
					   __ATOMIC_RELAXED);
	note_use();
}

/* Reports to the session, if it is still there, how its job has ended. */
static void
hand_over(Lane *lane, EngineStatus status)
{
	SharedLane *shared = lane->shared;

	shared->status = status;
	snprintf(shared->message, sizeof(shared->message), "%s",
			 status == ENGINE_OK ? "" : job_message(lane->device));
	if (status == ENGINE_OK)
		count_job(shared);
	__atomic_add_fetch(&lanes_shared->progress, 1, __ATOMIC_RELAXED);
	if (word_change(&shared->state, LANE_BEGUN, LANE_FINISHED))
		doorbell_ring(&shared->to_session);
	else
		lane_give_back(lanes_shared, lane->number);
}

/*
 * This process cannot use a device that has failed.  It ends, which frees all
 * that it holds.
 */
static void
device_lost(Lane *lane)
{
	fprintf(stderr, "%s\n", job_message(lane->device));
	word_write(&lanes_shared->ending, ENDING_FAILED);
	hand_over(lane, ENGINE_DEVICE_FAILED);
	lanes_exit(GPU_EXIT_FAILED);
}

static void
begin_job(Lane *lane)
{
	lane->status = job_begin(lane->device, lane->uses);
	lane->phase = lane->status == ENGINE_OK ? PHASE_STEPS :
		lane->status == ENGINE_OUT_OF_MEMORY ? PHASE_CRAMPED : PHASE_SETTLE;
}

/* Begins a job, whose session may have abandoned it already. */
static void
begin(Lane *lane)
{
	note_use();
	cache_begin(lane->shared, lane->device, lane->uses);
	begin_job(lane);
}

/* Does a step of a job, unless its session has abandoned it. */
static JobWait
advance(Lane *lane)
{
	JobWait		wait = WAIT_FOR_NOTHING;

	lane->status = ENGINE_MORE;
	if (word_read(&lane->shared->state) == LANE_BEGUN)
	{
		lane->status = job_step(lane->device, &wait);

		/* A slow session does not mean that the GPU hangs. */
		if (wait != WAIT_FOR_DEVICE)
			__atomic_add_fetch(&lanes_shared->progress, 1, __ATOMIC_RELAXED);
		if (lane->status == ENGINE_MORE)
			return wait;
	}
	lane->phase = PHASE_SETTLE;
	return WAIT_FOR_NOTHING;
}

/*
 * Ends a job, once the device is done with it.  A job for which there was no
 * memory begins again, if that leaves it what its inputs took in the cache.
 */
static JobWait
settle(Lane *lane)
{
	EngineStatus settled = job_settle(lane->device);

	if (settled == ENGINE_MORE)
		return WAIT_FOR_DEVICE;
	if (settled != ENGINE_OK || lane->status == ENGINE_DEVICE_FAILED)
		device_lost(lane);
	if (lane->phase == PHASE_CRAMPED &&
		cache_give_up(lane->shared, lane->uses))
	{
		begin_job(lane);
		return WAIT_FOR_NOTHING;
	}
	cache_end(lane->shared, lane->uses, lane->status == ENGINE_OK);
	lane->phase = PHASE_REST;
	hand_over(lane, lane->status);
	return WAIT_FOR_NOTHING;
}

/*
 * A step of a lane: what its thread does between two waits.  Returns what it
 * waits for then.
 */
static JobWait
lane_step(Lane *lane)
{
	uint32_t	state;

	if (lane->phase == PHASE_STEPS)
		return advance(lane);
	if (lane->phase != PHASE_REST)
		return settle(lane);
	state = word_read(&lane->shared->state);
	if (state != LANE_BEGUN && state != LANE_ABANDONED)
		return WAIT_FOR_SESSION;
	begin(lane);
	return WAIT_FOR_NOTHING;
}

static void *
lane_main(void *argument)
{
	Lane	   *lane = argument;

	(void) prctl(PR_SET_TIMERSLACK, 1000);
	for (;;)
	{
		uint32_t	seen = doorbell_read(&lane->shared->to_process);
		JobWait		wait = lane_step(lane);

		if (wait == WAIT_FOR_DEVICE)
			wait_for_device(lane, seen);
		else if (wait == WAIT_FOR_SESSION)
			wait_for_session(lane, seen);
		else
			lane->moved_ns = lanes_now_ns();
	}
	return NULL;
}

static EngineStatus
make_memory(int nlanes, int64_t slot_bytes, Failure *failure)
{
	LanesLayout *layout = &lanes_layout;
	layout->nlanes = nlanes;
	layout->processors = (int32_t) sysconf(_SC_NPROCESSORS_ONLN);
	layout->spinning_lanes = layout->processors / 2 < SPINNING_LANES ?
		layout->processors / 2 : SPINNING_LANES;
	layout->slot_bytes = slot_bytes;
	layout->slots_offset = (sizeof(SharedLanes) + SLOT_ALIGNMENT - 1) /
		SLOT_ALIGNMENT * SLOT_ALIGNMENT;
	layout->bytes = layout->slots_offset +
		nlanes * LANE_SLOTS * 2 * slot_bytes;
	lanes_memory = memfd_create("gpucompact lanes", MFD_CLOEXEC);
	if (lanes_memory < 0 || ftruncate(lanes_memory, layout->bytes) != 0)
		return device_refused(failure, ENGINE_OUT_OF_MEMORY,
							  "could not make the memory of the lanes: %m");

	/* Writing to a page that the system cannot provide would kill. */
	if (fallocate(lanes_memory, 0, 0, layout->bytes) != 0)
		return device_refused(failure, ENGINE_OUT_OF_MEMORY,
							  "could not get the memory of the lanes: %m");
	lanes_shared = mmap(NULL, layout->bytes, PROT_READ | PROT_WRITE,
						MAP_SHARED, lanes_memory, 0);
	if (lanes_shared == MAP_FAILED)
	{
		lanes_shared = NULL;
		return device_refused(failure, ENGINE_OUT_OF_MEMORY,
							  "could not map the memory of the lanes: %m");
	}
	return ENGINE_OK;
}

static EngineStatus
start_lane(int number, Failure *failure)
{
	Lane	   *lane = &lanes[number];

	lane->number = number;
	lane->shared = &lanes_shared->lanes[number];
	lane->shared->session = -1;
	lane->device = lane_open(lane->shared, number, failure);
	if (lane->device == NULL)
		return ENGINE_OUT_OF_MEMORY;
	if ((errno = pthread_create(&lane->thread, NULL, lane_main, lane)) != 0)
		return device_refused(failure, ENGINE_OUT_OF_MEMORY,
							  "could not start a thread: %m");
	return ENGINE_OK;
}

/*
 * Opens a device, and lanes to it.
 */
EngineStatus
lanes_start(int index, int nlanes, int64_t slot_bytes, Failure *failure)
{
	EngineDevice device = {0};
	EngineStatus status = device_open(index, &device, failure);
	pthread_t	dispatcher;

	if (status == ENGINE_OK)
		status = make_memory(nlanes, slot_bytes, failure);
	if (status == ENGINE_OK)
		status = device_share(lanes_shared, lanes_layout.bytes, failure);
	if (status != ENGINE_OK)
		return status;
	lanes_shared->pid = getpid();
	lanes_shared->device = device;
	lanes_shared->ndevices = lanes_devices;
	lanes_shared->started = time(NULL);
	note_use();
	for (int i = 0; i < nlanes && status == ENGINE_OK; i++)
		status = start_lane(i, failure);
	lanes_note_memory();
	__atomic_store_n(&lanes_shared->free, UINT64_MAX >> (64 - nlanes),
					 __ATOMIC_SEQ_CST);
	if (status == ENGINE_OK &&
		(errno = pthread_create(&dispatcher, NULL, dispatch_main, NULL)) != 0)
		return device_refused(failure, ENGINE_OUT_OF_MEMORY,
							  "could not start a thread: %m");
	return status;
}
