/*
 * cache.c
 *	  The values that a GPU process has cached.
 *
 * A job that is given a stored value caches its elements on the way, if they
 * fit; jobs that find them in the directory need not be given them.  The least
 * recently used value is evicted first, unless a job uses it.
 *
 * The directory is in the memory that sessions share.  Only this file knows
 * where the elements are.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "gpuprocess/program.h"

typedef struct Cached
{
	char	   *memory;			/* on the device; NULL until it is allocated */
	int64_t		bytes;
	int			users;			/* jobs */
	bool		taken;			/* the entry is in use */
	bool		filling;		/* by its only user */
	bool		given_up;		/* is evicted when its last user ends */
	uint64_t	used;			/* number of its last use; the least goes
								 * first */
} Cached;

static Cached cached[CACHE_ENTRIES];
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

	assert(cached[number].taken);
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
	Cached	   *value = &cached[number];

	assert(value->users == 0 || (value->filling && value->memory == NULL));
	if (lanes_shared->cache[number].cached)
		put_entry(number, NULL);
	if (value->memory != NULL)
		device_cache_free(value->memory);
	__atomic_sub_fetch(&lanes_shared->cache_bytes, value->bytes,
					   __ATOMIC_RELAXED);
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
		if (cached[i].taken && cached[i].users == 0 &&
			(oldest < 0 || cached[i].used < cached[oldest].used))
			oldest = i;
	}
	return oldest;
}

/*
 * Evicts values until "bytes" are free within the limit.  Returns false if jobs
 * use all values that are left.
 */
static bool
make_room(int64_t bytes)
{
	while (lanes_shared->cache_bytes + bytes > lanes_shared->cache_limit)
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
		if (!cached[i].taken)
			entry = i;
		else if (memcmp(&lanes_shared->cache[i].identity.key, key,
						sizeof(*key)) == 0)
		{
			if (cached[i].users > 0)
				return -1;
			free_entry(i);
			return i;
		}
	}
	if (entry < 0)
		entry = find_oldest(from, CACHE_WAYS);
	if (entry >= 0 && cached[entry].taken)
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
	if (entry < 0 || !make_room(bytes))
		return -1;
	assert(!cached[entry].taken);
	input->refused = REFUSED_NOT;
	cached[entry].taken = cached[entry].filling = true;
	cached[entry].users = 1;
	cached[entry].bytes = bytes;

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
		cached[entry].bytes == bytes;
}

static void
begin_use(LaneInput *input, int64_t bytes, DeviceLane *device, CacheUse *use)
{
	pthread_mutex_lock(&cache_lock);
	if (is_there(input, bytes))
	{
		use->entry = input->entry;
		use->memory = cached[use->entry].memory;
		use->has = true;
		cached[use->entry].users++;
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

	/* Without the lock, because allocation may take a while. */
	use->memory = device_cache_alloc(device, bytes);
	pthread_mutex_lock(&cache_lock);
	cached[use->entry].memory = use->memory;
	if (use->memory == NULL)
	{
		input->refused = REFUSED_MEMORY;
		free_entry(use->entry);
		use->entry = -1;
	}
	pthread_mutex_unlock(&cache_lock);
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
 * the cached ones, and those that "uses" has already.  Begins to cache
 * others.  A session that has nothing to push is not woken up: it may sleep
 * until there are results.
 */
void
cache_begin(SharedLane *lane, DeviceLane *device, CacheUse uses[ENGINE_SOURCES])
{
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		int64_t		bytes = source_bytes(&lane->request, i);

		if (bytes > 0 && !uses[i].has)
			begin_use(&lane->inputs[i], bytes, device, &uses[i]);
	}
	word_write(&lane->answered, 1);
	if (has_to_push(lane))
		doorbell_ring(&lane->to_session);
}

static void
end_use(const LaneInput *input, CacheUse *use, bool complete)
{
	Cached	   *value = &cached[use->entry];

	assert(value->taken && value->users > 0 && value->memory == use->memory);
	assert(!value->filling || value->users == 1);
	value->users--;
	value->used = ++uses_so_far;
	if (value->filling && complete && !value->given_up)
		put_entry(use->entry, input);
	else if (value->filling)
		value->given_up = true;
	else
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
 * Ends a job's use of the cache.  Called when the job is over and nothing of it
 * is at work on the device.  The values that it cached are there for others if
 * they are complete.
 */
void
cache_end(const SharedLane *lane, CacheUse uses[ENGINE_SOURCES], bool complete)
{
	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (uses[i].entry >= 0)
			end_use(&lane->inputs[i], &uses[i], complete);
	}

	/* The limit may have become less meanwhile. */
	(void) make_room(0);
	pthread_mutex_unlock(&cache_lock);
}

/*
 * Gives up the values that a job was to cache, because it lacks memory for its
 * work; what is cached already stays in use.  Returns false if it was to cache
 * none.
 */
bool
cache_give_up(SharedLane *lane, CacheUse uses[ENGINE_SOURCES])
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
	(void) make_room(0);
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
		if (!cached[i].taken)
			continue;
		if (cached[i].users == 0)
		{
			free_entry(i);
			continue;
		}
		cached[i].given_up = true;
		if (lanes_shared->cache[i].cached)
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
	int64_t		given = 0;
	int			oldest;

	pthread_mutex_lock(&cache_lock);
	while (given < bytes && (oldest = find_oldest(0, CACHE_ENTRIES)) >= 0)
	{
		given += cached[oldest].bytes;
		free_entry(oldest);
	}
	pthread_mutex_unlock(&cache_lock);
	return given > 0;
}
