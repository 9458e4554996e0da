/*
 * cache.c
 *	  The values that a GPU process keeps on the device: those that it has
 *	  cached, and results that stay for their session's next jobs.
 *
 * A job that is given a stored value caches its elements on the way, if they
 * fit; jobs that find them in the directory need not be given them.  The least
 * recently used value is evicted first, unless a job uses it.
 *
 * The directory is in the memory that sessions share.  Only this file knows
 * where the elements are.
 *
 * The steps of a chain pass their arrays on as results.  A session says which
 * of its results it still needs, by their numbers in SharedSession; the others
 * are freed as soon as no job uses them.  Results that are needed are never
 * evicted.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "gpuprocess/program.h"

/* Results of all sessions together; more go to their sessions. */
#define MAX_RESULTS		256

typedef struct Kept
{
	char	   *memory;			/* on the device; NULL until it is allocated */
	int64_t		bytes;
	int			users;			/* jobs */
	bool		taken;			/* the entry is in use */

	/* Of a cached value. */
	bool		filling;		/* by its only user */
	bool		given_up;		/* is evicted when its last user ends */
	uint64_t	used;			/* number of its last use; the least goes
								 * first */

	/* Of a result. */
	uint64_t	number;			/* which no session uses twice */
	int			session;
} Kept;

/* The values of the directory, and behind them results. */
static Kept kept[CACHE_ENTRIES + MAX_RESULTS];
static uint64_t uses_so_far = 0;
static uint64_t values_so_far = 0;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Changes an entry of the directory.  Sessions read it without a lock, by its
 * sequence.
 */
static void
put_entry(int number, const LaneInput *input)
{
	CacheEntry *entry = &lanes_shared->cache[number];

	assert(kept[number].taken);
	word_write(&entry->sequence, entry->sequence + 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	entry->cached = input != NULL;
	if (input != NULL)
	{
		entry->number = ++values_so_far;
		entry->valid_until = input->valid_until;
		entry->hits = 0;
		entry->last_use = time(NULL);
		entry->identity = input->identity;
	}
	word_write(&entry->sequence, entry->sequence + 1);
}

static void
free_entry(int number)
{
	Kept	   *value = &kept[number];

	assert(value->users == 0 || value->memory == NULL);
	if (number < CACHE_ENTRIES)
	{
		if (lanes_shared->cache[number].cached)
			put_entry(number, NULL);
		__atomic_sub_fetch(&lanes_shared->cache_bytes, value->bytes,
						   __ATOMIC_RELAXED);
	}
	if (value->memory != NULL)
		device_cache_free(value->memory);
	memset(value, 0, sizeof(*value));
}

/*
 * Returns the least recently used of some entries that no job uses; or -1.
 */
static int
find_oldest(int from, int count)
{
	int			oldest = -1;

	for (int i = from; i < from + count; i++)
	{
		if (kept[i].taken && kept[i].users == 0 &&
			(oldest < 0 || kept[i].used < kept[oldest].used))
			oldest = i;
	}
	return oldest;
}

/*
 * Evicts values until all together have "most" bytes.  Returns false if jobs
 * use all values that are left.
 */
static bool
shrink_to(int64_t most)
{
	while (lanes_shared->cache_bytes > most)
	{
		int			oldest = find_oldest(0, CACHE_ENTRIES);

		if (oldest < 0)
			return false;
		free_entry(oldest);
	}
	return true;
}

/*
 * Returns an entry for a value, or -1.  A value with the same key is evicted,
 * because the session found that it is not the same value; if a job uses it,
 * the result is -1.  Otherwise the entry is a free one of the key's set, or
 * that set's least recently used one.
 */
static int
find_entry(const IdentityKey *key)
{
	int			from = (int) (cache_set(lanes_shared, key) -
							  lanes_shared->cache);
	int			entry = -1;

	for (int i = from; i < from + CACHE_WAYS; i++)
	{
		if (!kept[i].taken)
			entry = i;
		else if (memcmp(&lanes_shared->cache[i].identity.key, key,
						sizeof(*key)) == 0)
		{
			if (kept[i].users > 0)
				return -1;
			free_entry(i);
			return i;
		}
	}
	if (entry < 0)
		entry = find_oldest(from, CACHE_WAYS);
	if (entry >= 0 && kept[entry].taken)
		free_entry(entry);
	return entry;
}

/*
 * Takes an entry for a value that a job will cache.  Returns it, or -1 and the
 * reason in input->refused.
 */
static int
take_entry(LaneInput *input)
{
	int64_t		bytes = input->identity.key.bytes;
	int			entry;

	input->refused = REFUSED_SIZE;
	if (bytes <= 0 || bytes > lanes_shared->cache_limit)
		return -1;
	input->refused = REFUSED_IN_USE;
	entry = find_entry(&input->identity.key);
	if (entry < 0 || !shrink_to(lanes_shared->cache_limit - bytes))
		return -1;
	assert(!kept[entry].taken);
	input->refused = REFUSED_NOT;
	kept[entry].taken = kept[entry].filling = true;
	kept[entry].users = 1;
	kept[entry].bytes = bytes;

	/* The key keeps another job from caching this value, too. */
	lanes_shared->cache[entry].identity.key = input->identity.key;
	__atomic_add_fetch(&lanes_shared->cache_bytes, bytes, __ATOMIC_RELAXED);
	return entry;
}

/*
 * Returns true if the entry has the value that the session found, of the
 * input's length.
 */
static bool
is_there(const LaneInput *input, int64_t bytes)
{
	int			entry = input->entry;

	return entry >= 0 && entry < CACHE_ENTRIES &&
		lanes_shared->cache[entry].cached &&
		lanes_shared->cache[entry].number == input->number &&
		kept[entry].bytes == bytes;
}

static bool
is_needed(const Kept *result)
{
	const SharedSession *session = &lanes_shared->sessions[result->session];

	for (int i = 0; i < SESSION_RESIDENTS; i++)
	{
		if (__atomic_load_n(&session->residents[i],
							__ATOMIC_ACQUIRE) == result->number)
			return true;
	}
	return false;
}

/* Frees the results that nobody needs or uses. */
void
cache_sweep(void)
{
	pthread_mutex_lock(&cache_lock);
	for (int i = CACHE_ENTRIES; i < CACHE_ENTRIES + MAX_RESULTS; i++)
	{
		if (kept[i].taken && kept[i].users == 0 && !is_needed(&kept[i]))
			free_entry(i);
	}
	pthread_mutex_unlock(&cache_lock);
}

/* Called when a session has gone: it needs no results. */
void
cache_forget(int session)
{
	pthread_mutex_lock(&cache_lock);
	memset(lanes_shared->sessions[session].residents, 0,
		   sizeof(lanes_shared->sessions[session].residents));
	pthread_mutex_unlock(&cache_lock);
	cache_sweep();
}

/* Returns the entry of a session's result of "bytes" bytes or more; or -1. */
static int
find_result(int session, uint64_t number, int64_t bytes)
{
	for (int i = CACHE_ENTRIES; i < CACHE_ENTRIES + MAX_RESULTS; i++)
	{
		const Kept *result = &kept[i];

		if (result->taken && result->number == number &&
			result->session == session)
			return result->memory != NULL && bytes <= result->bytes ? i : -1;
	}
	return -1;
}

/* Takes an entry for a job's output; returns -1 if it cannot stay. */
static int
take_result(int session, const SharedLane *lane, int64_t bytes)
{
	int64_t		limit = lane->request.memory_limit;
	int64_t		total = bytes;	/* of the session's results */
	int			entry = -1;

	for (int i = CACHE_ENTRIES; i < CACHE_ENTRIES + MAX_RESULTS; i++)
	{
		if (!kept[i].taken)
			entry = i;
		else if (kept[i].session == session)
			total += kept[i].bytes;
	}
	if (entry < 0 || lane->resident == 0 || bytes <= 0 ||
		lane->request.outputs[0].memory == NULL ||
		(limit > 0 && total > limit))
		return -1;
	assert(kept[entry].memory == NULL);
	kept[entry] = (Kept) {
		.bytes = bytes, .users = 1, .taken = true, .number = lane->resident,
		.session = session
	};
	return entry;
}

/*
 * Allocates the memory of an entry, without the lock, because that may take a
 * while; if there is none left, of an output, evicts cached values.
 */
static void
allocate(DeviceLane *device, CacheUse *use, int64_t bytes, bool output)
{
	use->memory = device_cache_alloc(device, bytes);
	if (use->memory == NULL && output && cache_evict(bytes))
		use->memory = device_cache_alloc(device, bytes);
	pthread_mutex_lock(&cache_lock);
	kept[use->entry].memory = use->memory;
	if (use->memory == NULL)
	{
		free_entry(use->entry);
		use->entry = -1;
	}
	pthread_mutex_unlock(&cache_lock);
}

/* Finds memory for a job's output, if that may stay. */
static void
begin_result(int session, SharedLane *lane, DeviceLane *device, CacheUse *use)
{
	int64_t		bytes = lane->request.room * output_size(&lane->request, 0);

	pthread_mutex_lock(&cache_lock);
	use->entry = take_result(session, lane, bytes);
	pthread_mutex_unlock(&cache_lock);
	if (use->entry >= 0)
		allocate(device, use, bytes, true);
	lane->stays = use->memory != NULL;
}

static void
begin_use(int session, LaneInput *input, int64_t bytes, DeviceLane *device,
		  CacheUse *use)
{
	pthread_mutex_lock(&cache_lock);
	if (input->resident != 0)
		use->entry = find_result(session, input->resident, bytes);
	else if (is_there(input, bytes))
		use->entry = input->entry;
	use->has = use->entry >= 0;
	if (use->has)
	{
		use->memory = kept[use->entry].memory;
		kept[use->entry].users++;
	}
	else if (input->wanted && input->identity.key.bytes == bytes)
		use->entry = take_entry(input);
	pthread_mutex_unlock(&cache_lock);
	if (input->entry >= 0)
		__atomic_add_fetch(use->has ? &lanes_shared->cache_hits :
						   &lanes_shared->cache_misses[MISS_EVICTED], 1,
						   __ATOMIC_RELAXED);
	input->has = use->has;
	if (use->has || use->entry < 0)
		return;
	allocate(device, use, bytes, false);
	if (use->memory == NULL)
		input->refused = REFUSED_MEMORY;
}

static bool
has_to_push(const SharedLane *lane)
{
	bool		pushes = false;

	for (int i = 0; i < ENGINE_SOURCES; i++)
		pushes = pushes || (source_bytes(&lane->request, i) > 0 &&
							!lane->inputs[i].has);
	return pushes;
}

/*
 * Lets the session know which inputs, and whether the table, it need not push:
 * those that are here.  Begins to cache others.  A session that has nothing to
 * push is not woken up: it may sleep until there are results.
 */
void
cache_begin(SharedLane *lane, DeviceLane *device, CacheUse uses[CACHE_USES])
{
	int			session = __atomic_load_n(&lane->session, __ATOMIC_RELAXED);

	cache_sweep();
	for (int i = 0; i < CACHE_USES; i++)
		uses[i] = (CacheUse) {.entry = -1};
	begin_result(session, lane, device, &uses[CACHE_OUTPUT]);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		int64_t		bytes = source_bytes(&lane->request, i);

		if (bytes > 0)
			begin_use(session, &lane->inputs[i], bytes, device, &uses[i]);
	}
	word_write(&lane->answered, 1);
	if (has_to_push(lane))
		doorbell_ring(&lane->to_session);
}

static void
end_use(const LaneInput *input, CacheUse *use, bool complete)
{
	Kept	   *value = &kept[use->entry];

	assert(value->taken && value->users > 0 && value->memory == use->memory);
	assert(!value->filling || value->users == 1);
	value->users--;
	value->used = ++uses_so_far;
	if (value->filling && complete && !value->given_up)
		put_entry(use->entry, input);
	else if (value->filling)
		value->given_up = true;
	else if (use->entry < CACHE_ENTRIES)
	{
		lanes_shared->cache[use->entry].hits++;
		lanes_shared->cache[use->entry].last_use = time(NULL);
	}
	value->filling = false;
	if (value->given_up && value->users == 0)
		free_entry(use->entry);
	use->entry = -1;
}

/*
 * Ends a job's use of what is here.  Called when the job is over and nothing of
 * it is at work on the device.  The values that it cached are there for others
 * if they are complete.  If it is not, its session does not need the output.
 */
void
cache_end(const SharedLane *lane, CacheUse uses[CACHE_USES], bool complete)
{
	int			output = uses[CACHE_OUTPUT].entry;

	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (uses[i].entry >= 0)
			end_use(&lane->inputs[i], &uses[i], complete);
	}
	assert(output < 0 || kept[output].users == 1);
	if (output >= 0)
		kept[output].users--;

	/* The limit may have become less meanwhile. */
	(void) shrink_to(lanes_shared->cache_limit);
	pthread_mutex_unlock(&cache_lock);
	cache_sweep();
}

/*
 * Gives up the values that a job was to cache, because it lacks memory for its
 * work; what is cached already stays in use.  Returns false if it was to cache
 * none.
 */
bool
cache_give_up(SharedLane *lane, CacheUse uses[CACHE_USES])
{
	bool		any = false;

	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (uses[i].entry < 0 || uses[i].has)
			continue;
		end_use(&lane->inputs[i], &uses[i], false);
		uses[i].memory = NULL;
		lane->inputs[i].refused = REFUSED_MEMORY;
		any = true;
	}
	pthread_mutex_unlock(&cache_lock);
	return any;
}

/*
 * Sets how many bytes may be cached. -1 stands for half of the memory that was
 * free when the process opened the device: other programs may need the rest.
 */
void
cache_set_size(int64_t bytes)
{
	pthread_mutex_lock(&cache_lock);
	__atomic_store_n(&lanes_shared->cache_limit, bytes >= 0 ? bytes :
					 lanes_shared->device.memory_free / 2, __ATOMIC_RELAXED);
	(void) shrink_to(lanes_shared->cache_limit);
	pthread_mutex_unlock(&cache_lock);
}

/*
 * Evicts all values.  A value that jobs use is evicted when the last of them
 * ends.
 */
void
cache_clear(void)
{
	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < CACHE_ENTRIES; i++)
	{
		if (!kept[i].taken)
			continue;
		kept[i].given_up = true;
		if (kept[i].users == 0)
			free_entry(i);
		else if (lanes_shared->cache[i].cached)
			put_entry(i, NULL);
	}
	__atomic_add_fetch(&lanes_shared->cache_clears, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&cache_lock);
}

/*
 * Evicts values of "bytes" or more in total, because a job lacks memory.
 * Returns false if there was none to evict.
 */
bool
cache_evict(int64_t bytes)
{
	int64_t		before;
	bool		evicted;

	pthread_mutex_lock(&cache_lock);
	before = lanes_shared->cache_bytes;
	(void) shrink_to(before - bytes);
	evicted = lanes_shared->cache_bytes < before;
	pthread_mutex_unlock(&cache_lock);
	return evicted;
}
