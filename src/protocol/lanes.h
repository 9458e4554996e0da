/*
 * lanes.h
 *	  The memory that sessions share with the GPU process.
 *
 * The process has a GPU, and a number of lanes.  A session leases a lane for a
 * call, and goes through its slots in turn: it fills a slot with a piece of
 * input, the process works on the piece and puts results into the same slot,
 * and the session copies them from there.  States are words in this memory.  A
 * side that waits for one sleeps on a doorbell, which the other side rings.
 *
 * Each word has one writer at a time.  A slot belongs to the session when it is
 * free or ready, and to the process when it is filled; when all input is
 * pushed, the free ones belong to the process, too.
 *
 * Nothing here is PostgreSQL's or CUDA's: C and CUDA C++ compilers read it.
 */
#ifndef GPUCOMPACT_LANES_H
#define GPUCOMPACT_LANES_H

#include "contract/engine.h"
#include "protocol/doorbell.h"

/* The Makefile computes it from all headers that this memory depends on. */
#ifndef LANES_VERSION
#error "LANES_VERSION is not defined"
#endif

/* Limits of the tables below. */
#define MAX_LANES			64
#define MAX_SESSIONS		8192
#define MAX_GPUS			16

/*
 * Entries of the directory of cached values.  The hash of a key chooses a set,
 * so that a search looks at CACHE_WAYS entries.
 */
#define CACHE_SETS			512
#define CACHE_WAYS			8
#define CACHE_ENTRIES		(CACHE_SETS * CACHE_WAYS)

/* The most results that stay on the device for a session. */
#define SESSION_RESIDENTS	8

/*
 * Enough slots for five activities, one each: reading, upload, kernel,
 * download, and copying out.
 */
#define LANE_SLOTS			5

/* Room behind a piece in a slot, for what a kernel puts there. */
#define SLOT_SLACK			16

/*
 * The most lanes that spin, LanesLayout.spinning_lanes, are this number or
 * half of the processors, if that is less: a lane that spins takes two
 * processors, the session's and the process's.  With more leased lanes only
 * urgent jobs spin, because others would take the processors from sessions.
 * With just as many, only jobs that wait for the device do.
 */
#define SPINNING_LANES		4

/* A GPU that makes no progress for this long counts as hanging. */
#define HANG_NS				((int64_t) 5 * 1000000000)

/*
 * Up to this size of input and results, kernels may read and write host memory,
 * which takes less time than copying: 50 us instead of 69 for a sort of 4,096
 * integers.  They read elements, so that pieces of such a small input never
 * come in blocks.
 */
#define DIRECT_BYTES		((int64_t) 256 * 1024)

/* The outputs of a request, and its summary, which comes as one of them. */
#define LANE_SUMMARY		ENGINE_RESULTS
#define LANE_OUTPUTS		(LANE_SUMMARY + 1)

typedef enum LaneSlotState
{
	LANE_SLOT_FREE,
	LANE_SLOT_FILLED,			/* with a piece of input */
	LANE_SLOT_READY				/* with results */
} LaneSlotState;

typedef struct LaneSlot
{
	uint32_t	state;			/* a LaneSlotState */
	int32_t		output;			/* of these results */
	int64_t		count;			/* elements of input, or bytes of the table,
								 * which comes first */
	int64_t		offset;			/* bytes of the output before the results */
	int64_t		bytes;			/* of results */

	/*
	 * Packed blocks of the piece, or zero; they are in the memory for results:
	 * first a BlockPlace for each, and behind the room for these their bytes.
	 * Elements that no block has are in the memory for input, where they
	 * would be if there were no blocks.
	 */
	int32_t		nblocks;
	int64_t		block_bytes;
	uint32_t	in_blocks;		/* the blocks have all elements */
} LaneSlot;

typedef enum LaneState
{
	LANE_IDLE,
	LANE_BEGUN,					/* a job is in it */
	LANE_FINISHED,				/* the job is over, with a status */
	LANE_ABANDONED				/* by its session, while the job went on */
} LaneState;

/*
 * An entry of the directory: a value whose elements the process has cached.
 * Only the process writes it, and makes "sequence" odd before that, and even
 * after it.  A reader that finds the same even number before and after has read
 * one value's entry.
 */
typedef struct CacheEntry
{
	uint32_t	sequence;
	uint32_t	cached;			/* there is a value */
	uint64_t	number;			/* of no other value since the process began */
	uint64_t	valid_until;	/* as SharedLanes.oids counts */
	uint64_t	hits;
	int64_t		last_use;		/* seconds since 1970 */
	ValueIdentity identity;
} CacheEntry;

/* A job's request to the cache for an input or the table, and the answer. */
typedef struct LaneInput
{
	int32_t		entry;			/* that the session has found, or -1 */
	uint32_t	wanted;			/* cache it, if it is not cached */
	uint64_t	number;			/* of the entry */
	uint64_t	valid_until;	/* if it is cached now */
	uint64_t	resident;		/* the result that it is; or zero */
	uint32_t	has;			/* the answer: it need not be pushed */
	CacheRefusal refused;		/* if it was to be cached */
	ValueIdentity identity;
} LaneInput;

/* Why a value was not found in the cache. */
typedef enum CacheMiss
{
	MISS_NEW,					/* it was not cached */
	MISS_CHANGED,				/* the first chunk is another one */
	MISS_EXPIRED,				/* its identifier may have been issued again */
	MISS_EVICTED,				/* it was evicted after the job had found it */
	CACHE_MISSES
} CacheMiss;

typedef struct SharedLane
{
	uint32_t	state;			/* a LaneState */
	int32_t		session;		/* that leases it, or -1 */
	Doorbell	to_process;
	Doorbell	to_session;
	EngineRequest request;		/* addresses mean nothing in the process: those
								 * of outputs say which are wanted */
	uint64_t	resident;		/* number of the first output, if it may stay */
	LaneInput	inputs[ENGINE_SOURCES];
	uint32_t	answered;		/* the process has filled in "has" */
	uint32_t	stays;			/* the first output stays on the device */
	EngineStatus status;
	EngineResult result;
	uint64_t	value;			/* the result of RESULT_ONE, its first bytes */
	char		message[512];
	LaneSlot	slots[LANE_SLOTS];
} SharedLane;

typedef enum SessionState
{
	SESSION_IDLE,
	SESSION_WAITING,			/* for a lane */
	SESSION_GRANTED				/* it has got one */
} SessionState;

typedef struct SharedSession
{
	uint32_t	state;			/* a SessionState */
	int32_t		lane;			/* that it has got */
	uint64_t	ticket;			/* the least is served first */
	Doorbell	doorbell;
	int32_t		cpu_threads;	/* at work on a call on the CPU */

	/*
	 * Numbers of the results that stay on the device for this session; or
	 * zero.  The process frees a result whose number is no longer here.
	 */
	uint64_t	residents[SESSION_RESIDENTS];
} SharedSession;

/* The facts that never change; each side has a copy. */
typedef struct LanesLayout
{
	int32_t		nlanes;
	int32_t		processors;
	int32_t		spinning_lanes;
	int64_t		slot_bytes;		/* of a slot's input, and of its results */
	int64_t		slots_offset;	/* of the first slot's memory */
	int64_t		bytes;			/* of all this memory */
} LanesLayout;

/* Why a process takes no more jobs. */
typedef enum Ending
{
	ENDING_NOT,
	ENDING_IDLE,				/* there was no job in it, and there is none */
	ENDING_FAILED
} Ending;

typedef struct SharedLanes
{
	int32_t		nsessions;		/* entries that have been in use */
	int32_t		pid;
	int32_t		ndevices;		/* GPUs of the machine */
	EngineDevice device;		/* the one of this process */
	int64_t		started;		/* seconds since 1970 */
	int64_t		last_use_ns;	/* when a job began or ended, as lanes_now_ns */

	uint64_t	free;			/* lanes, a bit each */
	uint32_t	waiting;		/* calls that wait for one */
	int32_t		cpu_threads;	/* of all sessions */
	uint32_t	progress;		/* changes with each step of any job */
	uint32_t	hangs;			/* a session saw none for HANG_NS */
	uint32_t	beats;			/* changes while the process listens */
	uint32_t	ending;			/* an Ending */
	uint32_t	gone;			/* the slots' memory goes, or has gone */
	uint64_t	next_ticket;
	Doorbell	dispatch;		/* rung for waits and for free lanes */

	uint64_t	calls;			/* that have ended */
	uint64_t	bytes_in;
	uint64_t	bytes_out;
	int64_t		device_bytes;	/* memory of the device in use */
	int64_t		lease_us;		/* of a call, on average */

	/*
	 * The counter of object identifiers, as sessions and the process's
	 * supervisor have seen it, counted on beyond 2^32.
	 */
	uint64_t	oids;
	int64_t		cache_limit;	/* bytes that may be cached; 0: none are */
	int64_t		cache_bytes;	/* bytes that are cached */
	uint64_t	cache_hits;
	uint64_t	cache_misses[CACHE_MISSES];
	uint32_t	cache_clears;	/* how often all was evicted on demand */

	SharedSession sessions[MAX_SESSIONS];
	SharedLane	lanes[MAX_LANES];
	CacheEntry	cache[CACHE_ENTRIES];
} SharedLanes;

/* The set of the directory that an entry with this key is in. */
static inline CacheEntry *
cache_set(SharedLanes *shared, const IdentityKey *key)
{
	const unsigned char *bytes = (const unsigned char *) key;
	uint64_t	hash = UINT64_C(14695981039346656037);	/* FNV-1a */

	for (size_t i = 0; i < sizeof(*key); i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	return &shared->cache[hash % CACHE_SETS * CACHE_WAYS];
}

/*
 * Notes the object identifier that the server issues next.  Returns the
 * counter, which continues beyond 2^32, and starts at 2^32 plus the first
 * identifier noted.  A standby's counter may step back a little, which is
 * ignored.
 */
static inline uint64_t
oids_note(uint64_t *oids, uint32_t next)
{
	uint64_t	known = __atomic_load_n(oids, __ATOMIC_SEQ_CST);
	uint64_t	now;

	do
	{
		int32_t		step = (int32_t) (next - (uint32_t) known);

		if (known != 0 && step <= 0)
			return known;
		now = known != 0 ? known + step : (UINT64_C(1) << 32) + next;
	} while (!__atomic_compare_exchange_n(oids, &known, now, false,
										  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	return now;
}

/*
 * Returns the counter up to which no identifier after "oids" is this one again.
 */
static inline uint64_t
oids_until(uint64_t oids, uint32_t value)
{
	return oids + (uint32_t) (value - (uint32_t) oids);
}

/* Returns a slot's memory for input; its memory for results follows. */
static inline char *
lane_slot_memory(SharedLanes *shared, const LanesLayout *layout, int lane,
				 int slot)
{
	return (char *) shared + layout->slots_offset +
		(lane * LANE_SLOTS + slot) * 2 * layout->slot_bytes;
}

/* Returns the elements that a slot has room for, in and out. */
static inline int64_t
lane_slot_capacity(const LanesLayout *layout, const EngineRequest *request)
{
	int			in = inputs_size(request);
	int			out = output_size(request, 0) *
		operation_facts[request->operation].most;
	int			bytes = in > out ? in : out;

	return (layout->slot_bytes - SLOT_SLACK) / bytes / PIECE_MULTIPLE *
		PIECE_MULTIPLE;
}

/*
 * Returns the number of blocks that a slot has room for: the blocks of its
 * elements, and parts of others at the ends of two arrays.
 */
static inline int64_t
lane_slot_blocks(const LanesLayout *layout, const EngineRequest *request)
{
	return lane_slot_capacity(layout, request) / PACKED_BLOCK + 4;
}

/* Returns the number of bytes in front of the blocks' bytes. */
static inline int64_t
lane_places_bytes(const LanesLayout *layout, const EngineRequest *request)
{
	return (lane_slot_blocks(layout, request) * sizeof(BlockPlace) + 15) / 16 *
		16;
}

/* Takes a free lane; -1 if there is none. */
static inline int
lane_take(SharedLanes *shared)
{
	uint64_t	free = __atomic_load_n(&shared->free, __ATOMIC_SEQ_CST);

	while (free != 0)
	{
		int			lane = __builtin_ctzll(free);

		if (__atomic_compare_exchange_n(&shared->free, &free,
										free & ~(UINT64_C(1) << lane), false,
										__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return lane;
	}
	return -1;
}

/* Gives back a lane whose job is over; a session that waits is served. */
static inline void
lane_give_back(SharedLanes *shared, int lane)
{
	__atomic_store_n(&shared->lanes[lane].session, -1, __ATOMIC_RELAXED);
	word_write(&shared->lanes[lane].state, LANE_IDLE);
	__atomic_or_fetch(&shared->free, UINT64_C(1) << lane, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&shared->waiting, __ATOMIC_SEQ_CST) > 0)
		doorbell_ring(&shared->dispatch);
}

static inline int
lanes_leased(const SharedLanes *shared, const LanesLayout *layout)
{
	return layout->nlanes -
		__builtin_popcountll(__atomic_load_n(&shared->free, __ATOMIC_RELAXED));
}

#endif							/* GPUCOMPACT_LANES_H */
