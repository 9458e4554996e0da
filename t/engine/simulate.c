/*
 * simulate.c
 *	  The GPU process and its sessions under a simulated scheduler.
 *
 * One thread plays all: the process's main thread, its dispatcher and its
 * lanes with their jobs, which are the program's own code, and sessions by the
 * code that they have in the server.  The device, whose work waits in streams,
 * and the operating system are the ones below.
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
#include "gpuprocess/resident.c"
#define begin_use		cache_begin_use
#define take_entry		cache_take_entry
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
#include "gpuclient/gpu_resident.h"

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
#define RESIDENTS		4		/* that all sessions together may have */
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
static bool listening;			/* the listener is watched */
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
static Device the_device;
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

/* The operating system. */

#define SUCCEEDS(name)	int __wrap_##name(void) { return 0; }
SUCCEEDS(bind)
SUCCEEDS(ftruncate)
SUCCEEDS(listen)
SUCCEEDS(munmap)
SUCCEEDS(umask)
SUCCEEDS(unlink)

int
__wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	others();
	now_ns += 20000;
	time->tv_sec = now_ns / 1000000000;
	time->tv_nsec = now_ns % 1000000000;
	return 0;
}

long
__wrap_syscall(long call, ...)
{
	must(call == SYS_futex);
	others();
	now_ns += fault(5000) ? HANG_NS / 2 : 1000;
	return 0;
}

/*
 * A whole job of another lane, which caches an array just before this lane
 * looks for its own.  So the entry that this lane's session has found may have
 * another array of that length.
 */
static void
another_job(void)
{
	Actor	   *self = current;
	const Value *value = &values[number(VALUES)];
	int64_t		size = value->identity.key.bytes;
	LaneInput	input = {.entry = -1, .wanted = 1,.identity = value->identity};
	CacheUse	use = {.entry = -1, .resident = -1};

	if (locks > 0)
		return;
	current = NULL;
	if (chance(2))
		cache_clear();
	input.valid_until = oids_until(oids_note(&lanes_shared->oids, next_oid),
								   value->identity.value);
	cache_begin_use(&input, size, NULL, &use);
	if (use.entry >= 0)
	{
		memcpy(use.memory, value->elements, size);
		end_use(&input, &use, true);
	}
	current = self;
}

int
__wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	others();
	if (mutex == &cache_lock && current != NULL && fault(8))
		another_job();
	must(locked != mutex || locks == 0);
	locked = mutex;
	locks++;
	return 0;
}

int
__wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	must(locks > 0);
	locks--;
	locked = &dispatch_lock;	/* if one is still held */
	others();
	return 0;
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
					  void *(*main) (void *), void *argument)
{
	return fault(100) ? EAGAIN : 0;
}

long
__wrap_sysconf(int name)
{
	return 4;
}

void
__wrap__exit(int status)
{
	bool		idle = lanes_shared->ending == ENDING_IDLE;
	bool		closed = lanes_shared->free == 0;

	for (int i = 0; i < LANES; i++)
	{
		closed = closed && lanes_shared->lanes[i].state == LANE_IDLE &&
			lanes_shared->lanes[i].session < 0;
		must(!idle || lanes[i].phase == PHASE_REST);
	}
	must(idle == closed && (!idle || lanes_shared->waiting == 0));
	end_process();
	if (current != NULL)
		longjmp(current->frame, 1);
}

int
__wrap_memfd_create(const char *name, unsigned flags)
{
	return fault(200) ? -1 : MEMORY + life;
}

int
__wrap_fallocate(int file, int mode, off_t offset, off_t length)
{
	if (mode & FALLOC_FL_PUNCH_HOLE)
		memset((char *) memories[file - MEMORY] + offset, 0, length);
	return fault(200) ? -1 : 0;
}

void *
__wrap_mmap(void *at, size_t length, int protection, int flags, int file,
			off_t offset)
{
	return fault(200) ? MAP_FAILED : memories[file - MEMORY];
}

static Socket *
socket_of(int descriptor)
{
	must(descriptor >= FIRST_SOCKET &&
		 descriptor < FIRST_SOCKET + 2 * nsockets);
	return &sockets[(descriptor - FIRST_SOCKET) / 2];
}

int
__wrap_socket(int domain, int type, int protocol)
{
	if (!is_session(current))
		return LISTENER;
	must(nsockets < SOCKETS);
	sockets[nsockets] = (Socket) {.open = {true, false}, .life = -1};
	return FIRST_SOCKET + 2 * nsockets++;
}

extern int	__real_open(const char *path, int flags, ...);

/* A program that counts what it has run opens files at its end. */
int
__wrap_open(const char *path, int flags, ...)
{
	return current != NULL ? LISTENER + 1 : __real_open(path, flags, 0600);
}

int
__wrap_epoll_create1(int flags)
{
	return LISTENER + 2;
}

int
__wrap_epoll_ctl(int epoll, int how, int descriptor, struct epoll_event *event)
{
	if (descriptor == LISTENER)
		listening = event->events != 0;
	return 0;
}

/* One event for each step of main(). */
int
__wrap_epoll_wait(int epoll, struct epoll_event *events, int most, int ms)
{
	int			descriptors[SOCKETS + 2];
	int			count = 0;

	if (main_events++ > 0)
		longjmp(current->frame, 1);
	if (settings_changed)
		descriptors[count++] = STDIN_FILENO;
	for (int i = 0; i < nsockets; i++)
	{
		Socket	   *socket = &sockets[i];

		if (socket->queued && listening)
			descriptors[count++] = LISTENER;
		else if (socket->open[1] && (socket->said || !socket->open[0]))
			descriptors[count++] = FIRST_SOCKET + 2 * i + 1;
	}
	if (count == 0)
	{
		now_ns += 1000000;
		return 0;
	}
	events[0].data.fd = descriptors[number(count)];
	return 1;
}

int
__wrap_accept4(int listener, struct sockaddr *address, socklen_t *size,
			   int flags)
{
	static const int errors[] = {EAGAIN, EMFILE, ECONNABORTED, EINTR};

	if (fault(20))
	{
		errno = errors[number(4)];
		return -1;
	}
	for (int i = 0; i < nsockets; i++)
	{
		if (!sockets[i].queued)
			continue;
		sockets[i].queued = false;
		sockets[i].open[1] = true;
		return FIRST_SOCKET + 2 * i + 1;
	}
	errno = EAGAIN;
	return -1;
}

int
__wrap_getsockopt(int socket, int level, int name, void *value, socklen_t *size)
{
	((struct ucred *) value)->uid = geteuid() + fault(200);
	return 0;
}

ssize_t
__wrap_sendmsg(int descriptor, const struct msghdr *message, int flags)
{
	Socket	   *socket = socket_of(descriptor);

	if (!socket->open[0] || fault(50))
		return -1;
	memcpy(&socket->hello, message->msg_iov[0].iov_base, sizeof(LanesHello));
	socket->greeted = true;
	return sizeof(LanesHello);
}

int
__wrap_connect(int descriptor, const struct sockaddr *address, socklen_t size)
{
	Socket	   *socket = socket_of(descriptor);

	if (!started)
		return -1;
	socket->life = life;
	socket->queued = true;
	return 0;
}

/* Waits for the hello. */
int
__wrap_poll(struct pollfd *wanted, nfds_t count, int ms)
{
	Socket	   *socket = socket_of(wanted->fd);

	for (int i = 0; i < 100 && !socket->greeted; i++)
	{
		if (!socket->queued && !socket->open[1])
			break;
		if (fault(100) || depth > 3)
			return 0;
		(void) run_one();
		others();
	}
	return socket->greeted || !socket->open[1];
}

ssize_t
__wrap_recvmsg(int descriptor, struct msghdr *message, int flags)
{
	Socket	   *socket = socket_of(descriptor);
	HelloDescriptor *control = message->msg_control;
	int			memory = MEMORY + socket->life;

	if (!socket->greeted)
		return 0;
	memcpy(message->msg_iov[0].iov_base, &socket->hello, sizeof(LanesHello));
	control->header.cmsg_level = SOL_SOCKET;
	control->header.cmsg_type = SCM_RIGHTS;
	control->header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control->header), &memory, sizeof(int));
	return sizeof(LanesHello);
}

ssize_t
__wrap_recv(int descriptor, void *data, size_t size, int flags)
{
	bool		of_process = (descriptor - FIRST_SOCKET) % 2;
	Socket	   *socket;

	others();
	socket = socket_of(descriptor);
	if (of_process && socket->said)
	{
		*(char *) data = socket->said;
		socket->said = 0;
		return 1;
	}
	if (!socket->open[!of_process] && !socket->queued)
		return 0;
	errno = EAGAIN;
	return -1;
}

ssize_t
__wrap_send(int descriptor, const void *data, size_t size, int flags)
{
	socket_of(descriptor)->said = *(const char *) data;
	return size;
}

int
__wrap_close(int descriptor)
{
	if (descriptor >= FIRST_SOCKET)
		socket_of(descriptor)->open[(descriptor - FIRST_SOCKET) % 2] = false;
	return 0;
}

ssize_t
__wrap_read(int descriptor, void *data, size_t size)
{
	LanesSettings *settings = data;

	settings_changed = false;
	if (fault(40))
		return 0;
	settings->idle_timeout = chance(4) ? 1 : 0;
	settings->cache_size = (int64_t) number(8) * 40000;
	return sizeof(*settings);
}

/* The device. */

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

Device *
device_in_use(void)
{
	return &the_device;
}

cudaError_t
device_trim(void)
{
	return cudaSuccess;
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
#include "gpuprocess/watch.cu"
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
	for (int i = 0; i < MAX_RESIDENTS; i++)
		held += residents[i].session == lane->shared->session &&
			is_needed(&residents[i]) ? residents[i].bytes : 0;
	must(lane->stays == NULL || request->memory_limit == 0 ||
		 held <= request->memory_limit);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		inputs_cached += lane->uses[i].has && lane->uses[i].entry >= 0;
		inputs_stayed += lane->uses[i].resident >= 0;
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

/* Sessions. */

static bool
may_use_resident(const Session *session)
{
	return session->resident != 0 && alive && session->resident_life == life;
}

/* A source of a job: an array of its own, or a stored one, or what stays. */
static const unsigned char *
choose_source(Session *session, int source, int64_t count)
{
	EngineRequest *request = &session->request;

	if (may_use_resident(session) &&
		(session->resident_count == count ? chance(2) :
		 session->resident_count < count && chance(16)))
	{
		request->residents[source] = session->resident;
		session->too_much |= session->resident_count < count;
		return session->kept;
	}
	for (int i = 0; i < 4; i++)
	{
		Value	   *value = &values[number(VALUES)];

		if (value->identity.key.bytes != count)
			continue;
		request->identities[source] = &value->identity;
		return value->elements;
	}
	return bytes + number(65536);
}

/* The session lets what stays go. */
static void
give_back_resident(Session *session)
{
	if (session->resident != 0 && session->resident_life == life)
		gpu_engine_give_back(session->context, 0, session->resident);
	session->resident = 0;
}

static void
choose_job(Session *session)
{
	EngineRequest *request = &session->request;
	static const int64_t counts[] = {100, 5000, MOST};
	int64_t		count = counts[number(3)];
	const unsigned char *second = NULL;

	if (session->resident != 0 && chance(2))
		count = session->resident_count;
	*request = (EngineRequest)
	{
		.operation = ENGINE_ZIP, .count = count, .inputs = 1 + chance(2),
			.room = count, .threads = 1, .device = -1, .next_oid = next_oid,
			.outputs[0] = {session->answer, KIND_UINT1}, .stays = chance(3),
			.memory_limit = chance(4) ? (1 + number(4)) * MOST : 0
	};
	session->too_much = session->in_turn = false;
	session->inputs[0] = choose_source(session, 0, count);
	if (request->inputs > 1)
		session->inputs[1] = second = choose_source(session, 1, count);
	if (chance(3))
	{
		request->table_bytes = counts[number(3)];
		request->table = choose_source(session, ENGINE_TABLE,
									   request->table_bytes);
	}
	answer(request->table, request->table_bytes, session->inputs[0], second,
		   count, session->expected);
	session->life = life;
	session->rounds = rounds;
	session->pushed = 0;
	session->phase = SESSION_BEGINS;
}

/* A job is over: right, or with a reason why not. */
static void
job_over(Session *session, EngineStatus status)
{
	const EngineRequest *request = &session->request;
	bool		stays = status == ENGINE_OK && session->result.resident != 0;

	if (status == ENGINE_OK)
	{
		must(session->result.count == request->count && !session->too_much);
		must(stays || memcmp(session->answer, session->expected,
							 request->count) == 0);
		jobs_right++;
	}
	else if (alive && session->life == life && !lanes_shared->hangs &&
			 !session->too_much &&
			 strcmp(gpu_engine.message(session->context), "as planned") != 0)
		wrong("a job fails: %s", gpu_engine.message(session->context));
	jobs_failed += status != ENGINE_OK;
	gpu_engine.end(session->context);
	if (stays || chance(2))
		give_back_resident(session);
	if (stays)
	{
		session->resident = session->result.resident;
		session->resident_life = session->life;
		session->resident_count = request->count;
		memcpy(session->kept, session->expected, request->count);
	}
	session->phase = SESSION_CONNECTS;
}

static EngineStatus
push_piece(Session *session)
{
	const EngineRequest *request = &session->request;
	EngineContext *context = session->context;
	void	   *buffers[ENGINE_INPUTS];
	const void *data[ENGINE_INPUTS] = {NULL};
	int64_t		count;

	TRY_STATUS(gpu_engine.buffer(context, buffers, &count));
	if (count > request->count - session->pushed)
		count = request->count - session->pushed;
	for (int i = 0; i < request->inputs; i++)
	{
		if (!context->has[i])
			data[i] = session->inputs[i] + session->pushed;
	}
	session->pushed += count;
	return gpu_engine.push(context, data, count);
}

static void
session_step(Session *session)
{
	EngineContext *context = session->context;
	GpuConnection *connection = &((GpuJob *) context)->connections[0];
	EngineStatus status = ENGINE_OK;

	if (session->phase != SESSION_CONNECTS && fault(locks > 0 ? 5 : 200))
	{
		gpu_engine.end(context);
		session->phase = SESSION_CONNECTS;
	}
	switch (session->phase)
	{
		case SESSION_CONNECTS:
			if (session->jobs-- == 0)
			{
				session->phase = SESSION_GONE;
				session->context = NULL;
				gpu_engine.close(context);
			}
			else if (gpu_engine_connect(context, 0) == GPU_CONNECTED)
			{
				uint64_t   *places = connection->session->residents;

				gpu_engine_on_cpu(context, (int) number(3));
				for (int i = 0; i < SESSION_RESIDENTS - 1 && chance(2); i++)
					places[i] += places[i] == 0 ? ELSEWHERE : 0;
				if (fault(10))
					(void) __wrap_send(connection->socket,
									   chance(20) ? "L" : "C", 1, 0);
				choose_job(session);
			}
			return;
		case SESSION_BEGINS:
			status = gpu_engine.begin(context, &session->request);
			if (status == ENGINE_OK)
				session->phase = SESSION_PUSHES;
			break;
		case SESSION_PUSHES:
			if (session->pushed < session->request.count &&
				!engine_has_inputs(context, &session->request))
				status = push_piece(session);
			else
				session->phase = SESSION_FINISHES;
			break;
		case SESSION_FINISHES:
			status = gpu_engine.finish(context, &session->result);
			if (status == ENGINE_OK)
				job_over(session, status);
			break;
		case SESSION_GONE:
			break;
	}
	if (status != ENGINE_OK && status != ENGINE_MORE)
		job_over(session, status);
}

/* The scheduler. */

static void
start_process(void)
{
	Failure		failure = {""};

	life++;
	alive = true;
	locks = 0;
	memset(lanes, 0, sizeof(lanes));
	memset(residents, 0, sizeof(residents));
	for (int i = 0; i < MAX_RESIDENTS - RESIDENTS; i++)
		residents[i] = (Resident) {ELSEWHERE, .session = -1, .users = 1};
	memset(clients, 0, SOCKETS * sizeof(clients[0]));
	for (int i = 0; i < BLOCKS; i++)
		blocks[i].bytes = 0;
	for (int i = 0; i < nsets; i++)
		memset(&cached[sets[i]], 0, CACHE_WAYS * sizeof(Cached));
	device_bytes = 0;
	nstreams = 0;
	taken_bytes = 0;
	uses_so_far = values_so_far = 0;
	leaving = false;
	closed_ns = idle_timeout_ns = 0;
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
		resident_sweep();
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

/* What must hold for the cache's values that jobs may use. */
static int64_t
check_values(void)
{
	static int	users[CACHE_ENTRIES];
	int64_t		total = 0;

	for (int i = 0; i < LANES * ENGINE_SOURCES; i++)
	{
		const Lane *lane = &lanes[i / ENGINE_SOURCES];
		int			entry = lane->uses[i % ENGINE_SOURCES].entry;

		if (lane->phase != PHASE_REST && entry >= 0)
			users[entry]++;
	}
	for (int i = 0; i < nsets * CACHE_WAYS; i++)
	{
		int			entry = sets[i / CACHE_WAYS] + i % CACHE_WAYS;
		const Cached *value = &cached[entry];
		const CacheEntry *shared = &lanes_shared->cache[entry];

		must(value->users == users[entry]);
		users[entry] = 0;
		must(shared->sequence % 2 == 0);
		must(value->taken == (value->memory != NULL));
		must(value->taken || (!shared->cached && value->bytes == 0));
		must(!value->taken || shared->cached || value->users > 0);
		must(!value->filling || (value->users == 1 && !shared->cached));
		must(!value->given_up || (value->users > 0 && !shared->cached));
		total += value->bytes;
	}
	must(lanes_shared->cache_bytes == total);
	must(total <= lanes_shared->cache_limit ||
		 find_oldest(0, CACHE_ENTRIES) < 0);
	return total;
}

static int64_t
check_residents(void)
{
	int64_t		held = 0;

	for (int i = MAX_RESIDENTS - RESIDENTS; i < MAX_RESIDENTS; i++)
	{
		const Resident *resident = &residents[i];
		int			users = 0;

		must((resident->number != 0) == (resident->memory != NULL));
		if (resident->number == 0)
			continue;
		for (int n = 0; n < LANES; n++)
		{
			if (lanes[n].phase == PHASE_REST)
				continue;
			users += lanes[n].resident == i;
			for (int s = 0; s < ENGINE_SOURCES; s++)
				users += lanes[n].uses[s].resident == i;
		}
		must(resident->users == users);
		held += resident->bytes;
	}
	return held;
}

/* A session that has a lane uses it, or is about to, or has died. */
static void
check_lease(int number, int entry)
{
	must(clients[entry] != 0);
	for (int i = 0; i < SESSIONS; i++)
	{
		GpuJob	   *job = (GpuJob *) sessions[i].context;
		const GpuConnection *connection = job == NULL ? NULL :
			&job->connections[0];

		if (job == NULL || connection->shared != lanes_shared ||
			connection->number != entry)
			continue;
		must(connection->session->state == SESSION_GRANTED ||
			 (job->lane != NULL && job->lane_number == number));
	}
}

/* A session without a job needs what stays for it, and nothing else. */
static void
check_needed(const Session *session)
{
	const GpuConnection *connection = session->phase != SESSION_CONNECTS ?
		NULL : &((GpuJob *) session->context)->connections[0];
	int			needed = 0;

	if (connection == NULL || connection->shared != lanes_shared)
		return;
	for (int i = 0; i < SESSION_RESIDENTS; i++)
		needed += connection->session->residents[i] > ELSEWHERE;
	must(needed == may_use_resident(session));
}

/* What must hold between two steps. */
static void
check(void)
{
	uint64_t	free = lanes_shared->free;
	unsigned	waiting = 0;

	must(locks == 0);
	for (int i = 0; i < LANES; i++)
	{
		const SharedLane *lane = &lanes_shared->lanes[i];
		bool		is_free = free >> i & 1;

		must(!is_free || lanes_shared->ending != ENDING_IDLE);
		must(!is_free || (lane->state == LANE_IDLE && lane->session < 0 &&
						  lanes[i].phase == PHASE_REST));
		must(is_free || lanes_shared->ending == ENDING_IDLE ||
			 lane->state == LANE_ABANDONED || lane->session >= 0);
		if (!is_free && lane->session >= 0 && lane->state != LANE_ABANDONED)
			check_lease(i, lane->session);
	}
	for (int i = 0; i < lanes_shared->nsessions; i++)
		waiting += lanes_shared->sessions[i].state == SESSION_WAITING;
	must(lanes_shared->waiting == waiting);
	for (int i = 0; i < SESSIONS; i++)
		check_needed(&sessions[i]);
	must(device_bytes == check_values() + check_residents());
}

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
	static const int64_t counts[] = {100, 5000, MOST};

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char) number(256);
	for (int i = 0; i < VALUES; i++)
	{
		IdentityKey *key = &values[i].identity.key;
		int			set;
		int			known = 0;

		key->bytes = counts[i % 8 == 7 ? 2 : i % 2];
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
	must(check_residents() == 0);
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
