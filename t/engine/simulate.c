/*
 * simulate.c
 *	  The GPU process and its sessions under a simulated scheduler.
 *
 * One thread plays all: the process's main thread, its dispatcher and its
 * lanes with their jobs, which are the program's own code, and sessions by the
 * code that they have in the server.  The device and the operating system are
 * made up; they, the sessions' doings and what must hold are in files of their
 * own, which are parts of this one.
 * A seed says who goes on, what fails, who dies and when.  After each step,
 * what must hold is tested.  The same seed gives the same schedule.
 *
 *		t/engine/simulate [SCHEDULES [SEED]]
 *
 * runs schedules of the seeds from SEED on, and stops at the first that fails.
 * What one does between two calls of the system is one step here: races finer
 * than that are for the thread sanitizer.
 */
#include <assert.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/uio.h>

/* The process's messages when its device fails go nowhere. */
static FILE *nowhere;
#undef stderr
#define stderr nowhere

/* Their static functions meet here. */
#include "protocol/lanes.h"
static bool changed(uint32_t *word, uint32_t from, uint32_t to);
#define word_change changed
#include "gpuprocess/lanes.c"
#define free_entry		cache_free_entry
#include "gpuprocess/cache.c"
#undef free_entry
#define main			program_main
#pragma GCC diagnostic ignored "-Wreturn-type"
#include "gpuprocess/main.c"
#undef main
#undef word_change

#include "gpuprocess/job.h"
#include "gpuclient/gpu_job.h"

#define LANES			2
#define SESSIONS		5
#define LIVES			3		/* of the process, in a schedule */
#define MOST			(11 * PIECE_MULTIPLE)	/* elements of an array */
#define SLOT_BYTES		(2 * PIECE_MULTIPLE + SLOT_SLACK)
#define BLOCKS			32		/* of the device's memory */
#define VALUES			16		/* that are stored */
#define SOCKETS			64
#define STREAMS			(2 * LANES + 1)
#define QUEUED			64		/* calls that a stream has room for */
#define MOST_STEPS		20000
#define RESULTS			4		/* that all sessions together may have */
#define FIRST_RESULT	(CACHE_ENTRIES + MAX_RESULTS - RESULTS)
#define ELSEWHERE		1		/* the number of a result that is not there */

/* Descriptors. */
#define LISTENER		3
#define MEMORY			10		/* of the first life of the process */
#define FIRST_SOCKET	20		/* a session's end; the other is the next */

typedef struct Actor
{
	jmp_buf		frame;			/* leaves the step */
	bool		busy;			/* its step is not over yet */
} Actor;

enum
{
	MAIN, DISPATCHER, FIRST_LANE, FIRST_SESSION = FIRST_LANE + LANES,
	ACTORS = FIRST_SESSION + SESSIONS
};

/* A connection between a session and the process. */
typedef struct Socket
{
	bool		queued;			/* not accepted yet */
	bool		open[2];		/* the session's end and the process's */
	bool		greeted;		/* there is a hello to receive */
	char		said;			/* by the session, and not heard yet; or 0 */
	int			life;			/* of the process */
	LanesHello	hello;
} Socket;

typedef enum SessionPhase
{
	SESSION_CONNECTS,
	SESSION_BEGINS,
	SESSION_PUSHES,
	SESSION_FINISHES,
	SESSION_GONE
} SessionPhase;

typedef struct Session
{
	EngineContext *context;
	SessionPhase phase;
	int			jobs;			/* to do */
	int			life;			/* of the process, as the job began */
	int			rounds;			/* of the identifiers, then */
	EngineRequest request;
	const unsigned char *inputs[ENGINE_INPUTS];
	int64_t		pushed;
	bool		in_turn;		/* it has waited for the lane, or need not */
	bool		too_much;		/* of a result that stays: the job must fail */
	EngineResult result;
	uint64_t	resident;		/* the last result stays, by this number */
	int			resident_life;
	int64_t		resident_count;
	unsigned char answer[MOST];
	unsigned char kept[MOST];	/* what stays, as it should be */
	unsigned char expected[MOST];
} Session;

/* A stored array.  Its elements are part of "bytes". */
typedef struct Value
{
	ValueIdentity identity;
	const unsigned char *elements;
} Value;

typedef struct Block
{
	char		memory[MOST + SLOT_SLACK];
	int64_t		bytes;			/* 0: it is free */
} Block;

/* What a stream has for the device to do: work, a copy, or an event. */
typedef struct Queued
{
	DeviceWork	work;			/* if it has a request */
	cudaEvent_t event;			/* that occurs or, if "waits", is waited for */
	unsigned	number;			/* of its record */
	bool		waits;
	char	   *to;
	const char *from;
	size_t		bytes;
} Queued;

struct Stream
{
	Queued		calls[QUEUED];
	unsigned	begun;			/* so far */
	unsigned	queued;
};

/* Elements of arrays. */
static const int64_t lengths[] = {100, 5000, MOST};

static uint64_t seed;
static uint64_t state;			/* of the random numbers */
static Actor actors[ACTORS];
static Actor *current;
static int	depth;				/* of steps within steps */
static int	locks;				/* that are held */
static const pthread_mutex_t *locked;
static int64_t now_ns;
static bool faulty;				/* there may be faults now */
static int	slow;				/* the actor that seldom runs */
static int	steps_of_a_round;	/* in which identifiers are used up */
static int	life = -1;
static bool alive;				/* the process */
static bool started;			/* it has its lanes */
static int	main_events;		/* that a step of main() has had */
static uint32_t dispatcher_seen;
static uint32_t lane_seen[LANES];
static JobWait lane_waits[LANES];
static SharedLanes *memories[LIVES];
static Socket sockets[SOCKETS];
static int	nsockets;
static epoll_data_t watched[FIRST_SOCKET + 2 * SOCKETS];	/* by descriptor */
static bool settings_changed;
static Session sessions[SESSIONS];
static Value values[VALUES];
static int	sets[VALUES];		/* the first entries of their sets, each once */
static int	nsets;
static uint32_t next_oid;
static int	rounds;				/* quarters of all identifiers, issued so far */
static unsigned char bytes[65536 + MOST];
static Block blocks[BLOCKS];
static int64_t device_bytes;
static int64_t device_limit;
Device		the_device;
static struct Stream streams[STREAMS];
static int	nstreams;
static char taken[LANES * 640 * 1024];	/* that lanes never give back */
static size_t taken_bytes;

/* What has happened. */
static uint64_t jobs_right;
static uint64_t jobs_failed;
static uint64_t inputs_cached;
static uint64_t inputs_stayed;
static uint64_t sessions_died;
static uint64_t processes_ended;

static uint64_t
number(uint64_t less_than)
{
	uint64_t	x = state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return (x ^ x >> 31) % less_than;
}

static bool
chance(int of)
{
	return number(of) == 0;
}

static bool
fault(int of)
{
	return faulty && chance(of);
}

static void
wrong(const char *format, ...)
{
	va_list		arguments;

	printf("seed %llu: ", (unsigned long long) seed);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	exit(1);
}

#define must(holds) \
	do { \
		if (!(holds)) \
			wrong("line %d: not %s", __LINE__, #holds); \
	} while (0)

static bool
is_session(const Actor *actor)
{
	return actor - actors >= FIRST_SESSION;
}

/* The process ends, whatever it is doing. */
static void
end_process(void)
{
	alive = started = false;
	locks = 0;
	processes_ended++;
	for (int i = 0; i < nsockets; i++)
	{
		if (sockets[i].life == life)
			sockets[i].open[1] = sockets[i].queued = false;
	}
}

/* A session's process ends: its memory stays, and it says nothing. */
static void
end_session(Session *session)
{
	GpuJob	   *job = (GpuJob *) session->context;
	int			socket = job->connections[0].socket;

	if (socket >= 0)
		sockets[(socket - FIRST_SOCKET) / 2].open[0] = false;
	free(job);
	session->context = NULL;
	session->phase = SESSION_GONE;
}

static bool run_one(void);

/* A session that takes a lane itself finds none that waits for one. */
static void
check_taken(Session *session)
{
	const GpuJob *job = (GpuJob *) session->context;

	if (job == NULL || session->in_turn)
		return;
	session->in_turn = job->waiting || job->lane != NULL;
	must(job->lane == NULL || job->at->shared->waiting == 0);
}

/* Of the sessions that wait, none came before the one that gets a lane. */
static void
check_granted(const SharedSession *granted)
{
	for (int i = 0; i < lanes_shared->nsessions; i++)
	{
		const SharedSession *other = &lanes_shared->sessions[i];

		must(other == granted || other->state != SESSION_WAITING ||
			 other->ticket > granted->ticket);
	}
}

/*
 * Other actors may run here, and the actor at work may die.  While the process
 * holds a lock, only those that do not use it may run: sessions, and lanes if
 * it is the dispatcher's.
 */
static void
others(void)
{
	Actor	   *self = current;

	if (self == NULL)
		return;
	if (is_session(self))
		check_taken(&sessions[self - actors - FIRST_SESSION]);
	if (depth < 3 && chance(12))
		(void) run_one();
	if (is_session(self) && fault(2000))
	{
		sessions_died++;
		end_session(&sessions[self - actors - FIRST_SESSION]);
		longjmp(self->frame, 1);
	}
	if (locks == 0 && !is_session(self) && alive && fault(20000))
		end_process();
	if (!is_session(self) && !alive)
		longjmp(self->frame, 1);
}

/*
 * Between what the process has read and what it makes of that.  Its thread may
 * wait there for long.
 */
static bool
changed(uint32_t *word, uint32_t from, uint32_t to)
{
	if (word < &lanes_shared->lanes[0].state && to == SESSION_GRANTED)
		check_granted((SharedSession *) word);
	for (int i = chance(4) ? 64 : 1; i > 0; i--)
		others();
	return word_change(word, from, to);
}

#include "simulated_system.h"
#include "simulated_device.h"
#include "simulated_sessions.h"

/* The scheduler. */

static void
start_process(void)
{
	Failure		failure = {""};

	life++;
	alive = true;
	locks = 0;
	memset(lanes, 0, sizeof(lanes));
	memset(&kept[CACHE_ENTRIES], 0, MAX_RESULTS * sizeof(Kept));
	for (int i = CACHE_ENTRIES; i < FIRST_RESULT; i++)
		kept[i] = (Kept) {
			.number = ELSEWHERE, .session = -1, .users = 1, .taken = true
		};
	memset(clients, 0, SOCKETS * sizeof(clients[0]));
	for (int i = 0; i < BLOCKS; i++)
		blocks[i].bytes = 0;
	for (int i = 0; i < nsets; i++)
		memset(&kept[sets[i]], 0, CACHE_WAYS * sizeof(Kept));
	device_bytes = 0;
	nstreams = 0;
	taken_bytes = 0;
	uses_so_far = values_so_far = 0;
	leaving = false;
	idle_timeout_ns = 0;
	settings_changed = true;
	dispatcher_seen = 0;
	for (int i = 0; i < LANES; i++)
		lane_waits[i] = WAIT_FOR_NOTHING;
	lanes_shared = NULL;
	if (lanes_start(0, LANES, SLOT_BYTES, &failure) == ENGINE_OK)
		started = true;
	else
		end_process();
}

static bool
is_runnable(int number)
{
	if (actors[number].busy)
		return false;
	if (number >= FIRST_SESSION)
		return sessions[number - FIRST_SESSION].phase != SESSION_GONE;
	if (!started || number == MAIN)
		return started;
	if (number == DISPATCHER)
		return doorbell_read(&lanes_shared->dispatch) != dispatcher_seen;

	/* A lane that waits for its session runs only if the session rings. */
	number -= FIRST_LANE;
	return lane_waits[number] != WAIT_FOR_SESSION ||
		doorbell_read(&lanes_shared->lanes[number].to_process) !=
		lane_seen[number];
}

static void
step(int number)
{
	int			lane = number - FIRST_LANE;

	if (number >= FIRST_SESSION)
		session_step(&sessions[number - FIRST_SESSION]);
	else if (number == MAIN)
	{
		main_events = 0;
		serve("socket");
	}
	else if (number == DISPATCHER)
	{
		dispatcher_seen = doorbell_read(&lanes_shared->dispatch);
		dispatch();
		cache_sweep();
	}
	else
	{
		lane_seen[lane] = doorbell_read(&lanes[lane].shared->to_process);
		device_go_on();
		lane_waits[lane] = lane_step(&lanes[lane]);
	}
}

/* Runs one step of one process or thread; false if none can go on. */
static bool
run_one(void)
{
	Actor	   *outer = current;
	int			runnable[ACTORS];
	int			count = 0;
	Actor	   *actor;

	for (int i = locks == 0 ? 0 : locks == 1 && locked == &dispatch_lock ?
		 FIRST_LANE : FIRST_SESSION; i < ACTORS; i++)
	{
		if (is_runnable(i) && (i != slow || chance(64)))
			runnable[count++] = i;
	}
	if (count == 0)
		return false;
	actor = current = &actors[runnable[number(count)]];
	actor->busy = true;
	depth++;
	if (setjmp(actor->frame) == 0)
		step(actor - actors);
	depth--;
	actor->busy = false;
	current = outer;
	return true;
}

#include "simulated_checks.h"

static bool
has_job(const Session *session)
{
	return session->phase != SESSION_GONE && session->phase != SESSION_CONNECTS;
}

/* A call does not take as long as half of all identifiers. */
static bool
may_use_identifiers(void)
{
	for (int i = 0; i < SESSIONS; i++)
	{
		if (has_job(&sessions[i]) && sessions[i].rounds < rounds)
			return false;
	}
	return true;
}

/* A value is not changed while a job reads it. */
static bool
is_read(const Value *value)
{
	for (int i = 0; i < SESSIONS; i++)
	{
		for (int s = 0; s < ENGINE_SOURCES; s++)
		{
			if (has_job(&sessions[i]) &&
				sessions[i].request.identities[s] == &value->identity)
				return true;
		}
	}
	return false;
}

/* A stored array becomes another one, with a new identifier. */
static void
change_value(Value *value)
{
	value->identity.xmin++;
	value->identity.value = next_oid++;
	value->elements = bytes + number(65536);
}

/*
 * A quarter of all identifiers is issued.  Among them may be the identifier of
 * a value that is gone: then the next value may differ from it in its elements
 * alone.
 */
static void
use_identifiers(void)
{
	for (int i = 0; i < VALUES; i++)
	{
		if (values[i].identity.value - next_oid < UINT32_C(1) << 30 &&
			!is_read(&values[i]))
			values[i].elements = bytes + number(65536);
	}
	next_oid += UINT32_C(1) << 30;
	rounds++;
	if (started)
		(void) oids_note(&lanes_shared->oids, next_oid);
}

/* Other events. */
static void
outside(void)
{
	if (life + 1 < LIVES && !alive)
		start_process();
	if (started && lanes_shared->hangs)
		end_process();
	if (fault(steps_of_a_round) && may_use_identifiers())
		use_identifiers();
	if (fault(100))
		settings_changed = true;
	if (fault(2000) && alive)
		end_process();
}

/*
 * Values of three lengths.  Most have keys of one set of the directory, which
 * has room for fewer.
 */
static void
make_values(void)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char) number(256);
	for (int i = 0; i < VALUES; i++)
	{
		IdentityKey *key = &values[i].identity.key;
		int			set;
		int			known = 0;

		key->bytes = lengths[i % 8 == 7 ? 2 : i % 2];
		do
		{
			memcpy(key->pointer, (uint64_t[]) {number(UINT64_MAX)}, 8);
			set = (int) (cache_set(memories[0], key) - memories[0]->cache);
		} while (i > 0 && i < 12 && set != sets[0]);
		while (known < nsets && sets[known] != set)
			known++;
		sets[known] = set;
		nsets = known == nsets ? nsets + 1 : nsets;
	}
}

static void
reset(void)
{
	for (; life >= 0; life--)
	{
		SharedLanes *shared = memories[life];

		memset(shared, 0, offsetof(SharedLanes, sessions) +
			   SOCKETS * sizeof(SharedSession));
		memset(shared->lanes, 0, LANES * sizeof(SharedLane));
		for (int i = 0; i < nsets; i++)
			memset(&shared->cache[sets[i]], 0,
				   CACHE_WAYS * sizeof(CacheEntry));
	}
	nsockets = 0;
	depth = 0;
	now_ns = 1000000000;
	rounds = 0;
	slow = chance(3) ? (int) number(2 * ACTORS) :	/* or nobody */
		FIRST_LANE + (int) number(LANES);
	steps_of_a_round = chance(4) ? 10 : 400;
	next_oid = (uint32_t) number(UINT32_MAX);
	device_limit = 5000 + (int64_t) number(400000);
	for (int i = 0; i < VALUES; i++)
	{
		values[i].identity.value = next_oid++;
		values[i].elements = bytes + number(65536);
	}
	for (int i = 0; i < SESSIONS; i++)
	{
		sessions[i].context = gpu_engine.open();
		sessions[i].phase = SESSION_CONNECTS;
		sessions[i].jobs = 1 + (int) number(5);
		sessions[i].resident = 0;
	}
}

/* All sessions are gone: nothing of them is left. */
static void
check_end(void)
{
	must(lanes_shared->free ==
		 (lanes_shared->ending == ENDING_IDLE ? 0 : (1 << LANES) - 1));
	must(lanes_shared->waiting == 0 && lanes_shared->cpu_threads == 0);
	must(check_results() == 0);
	for (int i = 0; i < SOCKETS; i++)
		must(clients[i] == 0);
	cache_clear();
	must(device_bytes == 0 && lanes_shared->cache_bytes == 0);
}

static bool
any_session(void)
{
	for (int i = 0; i < SESSIONS; i++)
	{
		if (sessions[i].phase != SESSION_GONE)
			return true;
	}
	return false;
}

static void
run_schedule(void)
{
	int			steps = 0;
	int			rest = 200;		/* for the process to hear of the last end */

	state = seed;
	reset();
	faulty = !chance(10);
	start_process();
	while (any_session() || rest-- > 0)
	{
		Value	   *value = &values[number(VALUES)];

		if (rest < 200)
		{
			faulty = false;
			slow = ACTORS;
		}
		outside();
		if (fault(40) && !is_read(value))
			change_value(value);
		(void) run_one();
		if (started)
			check();
		if (++steps > MOST_STEPS)
			wrong("no end after %d steps", steps);
	}
	if (started)
		check_end();
}

int
main(int argc, char **argv)
{
	uint64_t	count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	uint64_t	first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	for (int i = 0; i < LIVES; i++)
	{
		memories[i] = calloc(1, sizeof(SharedLanes) + 2 * SLOT_ALIGNMENT);
		assert(memories[i] != NULL);
	}
	nowhere = fopen("/dev/null", "w");
	make_values();
	for (seed = first; seed < first + count; seed++)
		run_schedule();
	printf("%llu jobs right, %llu failed as they should; %llu arrays cached, "
		   "%llu stayed; %llu sessions died, %llu processes ended\n",
		   (unsigned long long) jobs_right, (unsigned long long) jobs_failed,
		   (unsigned long long) inputs_cached,
		   (unsigned long long) inputs_stayed,
		   (unsigned long long) sessions_died,
		   (unsigned long long) processes_ended);
	printf("%llu schedules, none wrong\n", (unsigned long long) count);
	return 0;
}
