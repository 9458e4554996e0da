/*
 * call_stat.c
 *	  The calls of all sessions, counted by function, engine and reason.
 *
 * The counts are in shared memory, which a module can have only if it is loaded
 * with the server.  A session adds up its calls in memory of its own first, so
 * that a call takes no lock.  It passes the sums on when its transaction ends,
 * and before that once they come to a megabyte, or to some hundred small calls.
 */
#include "compat.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#include "call/call_stat.h"

/*
 * Room for all combinations: some 60 functions, and 16 engines and reasons.
 */
#define MAX_STATS		1024

/* Room for the sums that a session has not passed on yet. */
#define MAX_PENDING	64

/* Sums are passed on at PENDING_BYTES; each call adds BYTES_OF_CALL to them. */
#define PENDING_BYTES	(1024 * 1024)
#define BYTES_OF_CALL	1024

typedef struct SharedStats
{
	LWLock	   *lock;			/* for all that follows */
	TimestampTz since;
	int			count;
	CallStat	stats[MAX_STATS];
} SharedStats;

/* A stat of this session's; its name is compared by address. */
typedef struct PendingStat
{
	const char *function;
	CallStat	stat;
} PendingStat;

static SharedStats *shared = NULL;	/* NULL if it is not preloaded */

static PendingStat pending[MAX_PENDING];
static int	npending = 0;
static int64 pending_bytes = 0;

static shmem_request_hook_type next_request_hook = NULL;
static shmem_startup_hook_type next_startup_hook = NULL;

static void
request_memory(void)
{
	if (next_request_hook != NULL)
		next_request_hook();
	RequestAddinShmemSpace(MAXALIGN(sizeof(SharedStats)));
	RequestNamedLWLockTranche("gpucompact", 1);
}

static void
attach_memory(void)
{
	bool		found;

	if (next_startup_hook != NULL)
		next_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("gpucompact", sizeof(SharedStats), &found);
	if (!found)
	{
		shared->lock = &GetNamedLWLockTranche("gpucompact")->lock;
		shared->since = GetCurrentTimestamp();
		shared->count = 0;
	}
	LWLockRelease(AddinShmemInitLock);
}

static void
add(CallStat *stat, const CallStat *other)
{
	stat->calls += other->calls;
	stat->elements += other->elements;
	stat->bytes_in += other->bytes_in;
	stat->bytes_out += other->bytes_out;
	stat->timed_calls += other->timed_calls;
	stat->total_ms += other->total_ms;
	stat->failed_calls += other->failed_calls;
}

/* Passes on a stat of this session's.  The lock is held. */
static void
pass_on(const PendingStat *from)
{
	CallStat   *stat;

	for (int i = 0; i < shared->count; i++)
	{
		stat = &shared->stats[i];
		if (stat->engine == from->stat.engine &&
			stat->reason == from->stat.reason &&
			strcmp(stat->function, from->function) == 0)
		{
			add(stat, &from->stat);
			return;
		}
	}
	if (shared->count == MAX_STATS)
		return;					/* cannot happen */
	stat = &shared->stats[shared->count++];
	*stat = from->stat;
	strlcpy(stat->function, from->function, sizeof(stat->function));
}

/* Passes the sums on. */
void
call_stat_pass_on(void)
{
	if (npending == 0)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < npending; i++)
		pass_on(&pending[i]);
	LWLockRelease(shared->lock);
	npending = 0;
	pending_bytes = 0;
}

/* When the module is loaded: returns whether calls are counted from now on. */
bool
call_stat_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return false;
	next_request_hook = shmem_request_hook;
	shmem_request_hook = request_memory;
	next_startup_hook = shmem_startup_hook;
	shmem_startup_hook = attach_memory;
	return true;
}

/* This session's stat for a call. */
static CallStat *
find_pending(const LastCall *call)
{
	PendingStat *found;

	for (int i = 0; i < npending; i++)
	{
		found = &pending[i];
		if (found->function == call->function &&
			found->stat.engine == call->choice.engine &&
			found->stat.reason == call->choice.reason)
			return &found->stat;
	}
	if (npending == MAX_PENDING)
		call_stat_pass_on();
	found = &pending[npending++];
	memset(found, 0, sizeof(*found));
	found->function = call->function;
	found->stat.engine = call->choice.engine;
	found->stat.reason = call->choice.reason;
	return &found->stat;
}

/* Counts a call that has ended or failed. */
void
call_stat_add(const LastCall *call)
{
	CallStat   *stat;

	if (shared == NULL)
		return;
	stat = find_pending(call);
	if (call->error != 0)
		stat->failed_calls++;
	else
	{
		stat->calls++;
		stat->elements += call->elements;
		stat->bytes_in += call->bytes_in;
		stat->bytes_out += call->bytes_out;
		stat->timed_calls += call->timed;
		stat->total_ms += call->total_ms;
	}
	pending_bytes += BYTES_OF_CALL + call->bytes_in;
	if (pending_bytes >= PENDING_BYTES)
		call_stat_pass_on();
}

static void
check_preloaded(void)
{
	if (shared == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gpucompact must be loaded via \"shared_preload_libraries\"")));
}

/*
 * A copy of all stats, this session's included, and since when they count.  To
 * be called after call_settle().
 *
 * Raises 55000 if the module is not preloaded.
 */
CallStat *
call_stat_list(int *count, TimestampTz *since)
{
	CallStat   *stats;

	check_preloaded();
	call_stat_pass_on();
	stats = palloc(sizeof(shared->stats));
	LWLockAcquire(shared->lock, LW_SHARED);
	*count = shared->count;
	*since = shared->since;
	memcpy(stats, shared->stats, shared->count * sizeof(CallStat));
	LWLockRelease(shared->lock);
	return stats;
}

/*
 * Sets all counts to zero, after call_settle().  Calls that other sessions
 * have not reported yet are counted after that.
 *
 * Raises 55000 if the module is not preloaded.
 */
void
call_stat_reset(void)
{
	check_preloaded();
	npending = 0;
	pending_bytes = 0;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	shared->since = GetCurrentTimestamp();
	shared->count = 0;
	LWLockRelease(shared->lock);
}
