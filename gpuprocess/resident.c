/*
 * resident.c
 *	  Results that stay on the device for their session's next jobs.
 *
 * The steps of a chain pass their arrays on in this way.  A session says which
 * of its results it still needs, by their numbers in SharedSession; the others
 * are freed as soon as no job uses them.  Unlike cached values, results that
 * are needed are never evicted.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "gpuprocess/program.h"

/* Results of all sessions together; more go to their sessions. */
#define MAX_RESIDENTS	256

typedef struct Resident
{
	uint64_t	number;			/* which no session uses twice; 0: free */
	int			session;
	char	   *memory;			/* on the device; NULL until it is allocated */
	int64_t		bytes;			/* allocated */
	int			users;			/* jobs */
} Resident;

static Resident residents[MAX_RESIDENTS];
static pthread_mutex_t resident_lock = PTHREAD_MUTEX_INITIALIZER;

static bool
is_needed(const Resident *resident)
{
	const SharedSession *session = &lanes_shared->sessions[resident->session];

	for (int i = 0; i < SESSION_RESIDENTS; i++)
	{
		if (__atomic_load_n(&session->residents[i],
							__ATOMIC_ACQUIRE) == resident->number)
			return true;
	}
	return false;
}

static void
free_resident(Resident *resident)
{
	if (resident->memory != NULL)
		device_cache_free(resident->memory);
	memset(resident, 0, sizeof(*resident));
}

/* Frees the results that nobody needs or uses. */
void
resident_sweep(void)
{
	pthread_mutex_lock(&resident_lock);
	for (int i = 0; i < MAX_RESIDENTS; i++)
	{
		Resident   *resident = &residents[i];

		if (resident->number != 0 && resident->users == 0 &&
			!is_needed(resident))
			free_resident(resident);
	}
	pthread_mutex_unlock(&resident_lock);
}

/* Called when a session has gone: it needs no results. */
void
resident_forget(int session)
{
	pthread_mutex_lock(&resident_lock);
	memset(lanes_shared->sessions[session].residents, 0,
		   sizeof(lanes_shared->sessions[session].residents));
	pthread_mutex_unlock(&resident_lock);
	resident_sweep();
}

/*
 * Returns the entry of a session's result, or of none if "number" is zero; -1
 * if it is not there.
 */
static int
find(int session, uint64_t number)
{
	for (int i = 0; i < MAX_RESIDENTS; i++)
	{
		if (residents[i].number == number &&
			(number == 0 || residents[i].session == session))
			return i;
	}
	return -1;
}

/* Looks for an input of "bytes" bytes among the results. */
static void
begin_use(int session, LaneInput *input, int64_t bytes, CacheUse *use)
{
	int			entry = input->resident != 0 ?
		find(session, input->resident) : -1;

	if (entry < 0 || residents[entry].memory == NULL ||
		bytes > residents[entry].bytes)
		return;
	residents[entry].users++;
	use->resident = entry;
	use->memory = residents[entry].memory;
	use->has = true;
	input->has = true;
}

/* Bytes of a session's results. */
static int64_t
session_bytes(int session)
{
	int64_t		bytes = 0;

	for (int i = 0; i < MAX_RESIDENTS; i++)
	{
		if (residents[i].number != 0 && residents[i].session == session)
			bytes += residents[i].bytes;
	}
	return bytes;
}

/* Takes an entry for the output; returns -1 if it cannot stay. */
static int
take_entry(int session, const SharedLane *lane, int64_t bytes)
{
	int64_t		limit = lane->request.memory_limit;
	int			entry = -1;

	if (lane->resident != 0 && lane->request.outputs[0].memory != NULL &&
		bytes > 0 &&
		(limit == 0 || session_bytes(session) + bytes <= limit))
		entry = find(session, 0);
	assert(entry < 0 || residents[entry].memory == NULL);
	if (entry >= 0)
		residents[entry] = (Resident)
	{
		.number = lane->resident, .session = session, .bytes = bytes,
			.users = 1
	};
	return entry;
}

/* Allocates memory; if there is none left, evicts cached values. */
static char *
allocate(DeviceLane *device, int64_t bytes)
{
	char	   *memory = device_cache_alloc(device, bytes);

	if (memory == NULL && cache_evict(bytes))
		memory = device_cache_alloc(device, bytes);
	return memory;
}

/*
 * Finds the inputs of a job that are results, and memory for its output if that
 * may stay.  Returns the entry of the output, or -1.
 */
int
resident_begin(SharedLane *lane, DeviceLane *device,
			   CacheUse uses[ENGINE_SOURCES])
{
	const EngineRequest *request = &lane->request;
	int64_t		bytes = request->room * output_size(request, 0);
	int			session = __atomic_load_n(&lane->session, __ATOMIC_RELAXED);
	int			output;

	resident_sweep();
	pthread_mutex_lock(&resident_lock);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		int64_t		source = source_bytes(request, i);

		uses[i] = (CacheUse) {.entry = -1, .resident = -1};
		if (source > 0)
			begin_use(session, &lane->inputs[i], source, &uses[i]);
	}
	output = take_entry(session, lane, bytes);
	pthread_mutex_unlock(&resident_lock);
	lane->stays = false;
	if (output < 0)
		return -1;

	/* Without the lock, because allocation may take a while. */
	residents[output].memory = allocate(device, bytes);
	lane->stays = residents[output].memory != NULL;
	if (lane->stays)
		return output;
	pthread_mutex_lock(&resident_lock);
	free_resident(&residents[output]);
	pthread_mutex_unlock(&resident_lock);
	return -1;
}

/* The memory of the output that is in an entry; NULL of -1. */
char *
resident_memory(int number)
{
	return number < 0 ? NULL : residents[number].memory;
}

/*
 * Ends a job's use of results.  Called when nothing of the job is at work on
 * the device.  If the job has failed, its session does not need the output.
 */
void
resident_end(const CacheUse uses[ENGINE_SOURCES], int output)
{
	pthread_mutex_lock(&resident_lock);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (uses[i].resident < 0)
			continue;
		assert(residents[uses[i].resident].users > 0);
		residents[uses[i].resident].users--;
	}
	assert(output < 0 || residents[output].users == 1);
	if (output >= 0)
		residents[output].users--;
	pthread_mutex_unlock(&resident_lock);
	resident_sweep();
}
