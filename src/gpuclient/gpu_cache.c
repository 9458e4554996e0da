/*
 * gpu_cache.c
 *	  The values that GPU processes have cached, as a session sees them.
 *
 * The directory is read without a lock.  A value counts as cached only if three
 * things hold: no object identifier was issued since that could be the value's;
 * the first chunk, which was just read, is where it was, of the same
 * transaction; and its bytes are the same.
 */
#include <string.h>

#include "gpuclient/gpu_cache.h"

/* Returns CACHE_MISSES if the entry has the value, else why not. */
static CacheMiss
look_at(const CacheEntry *entry, const ValueIdentity *identity,
		uint64_t oids, uint64_t *number)
{
	uint32_t	sequence = word_read(&entry->sequence);
	CacheMiss	miss = CACHE_MISSES;

	if (sequence % 2 != 0 || !entry->cached ||
		memcmp(&entry->identity.key, &identity->key,
			   sizeof(IdentityKey)) != 0)
		return MISS_NEW;
	*number = entry->number;
	if (oids > entry->valid_until)
		miss = MISS_EXPIRED;
	else if (!identity_is_proved(&entry->identity, identity))
		miss = MISS_CHANGED;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return word_read(&entry->sequence) == sequence ? miss : MISS_NEW;
}

/*
 * Returns the entry that has a source of a request, and its number; or -1, and
 * why there is none.
 */
int
gpu_cache_find(const GpuConnection *connection, const EngineRequest *request,
			   int source, uint64_t *number, CacheMiss *miss)
{
	SharedLanes *shared = connection->shared;
	const ValueIdentity *identity = request->identities[source];
	const CacheEntry *set;
	uint64_t	oids;

	*miss = MISS_NEW;
	if (identity == NULL ||
		__atomic_load_n(&shared->cache_limit, __ATOMIC_RELAXED) <= 0)
		return -1;
	set = cache_set(shared, &identity->key);
	oids = oids_note(&shared->oids, request->next_oid);
	for (int i = 0; i < CACHE_WAYS; i++)
	{
		CacheMiss	found = look_at(&set[i], identity, oids, number);

		if (found == CACHE_MISSES)
			return (int) (&set[i] - shared->cache);
		if (found != MISS_NEW)
			*miss = found;
	}
	return -1;
}

/*
 * Writes to a lane which sources of the request the session has found in the
 * cache, and which the process should cache.
 */
void
gpu_cache_ask(const GpuConnection *connection, SharedLane *lane,
			  const EngineRequest *request)
{
	SharedLanes *shared = connection->shared;

	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		LaneInput  *input = &lane->inputs[i];
		bool		used = source_bytes(request, i) > 0;
		const ValueIdentity *identity = used ? request->identities[i] : NULL;
		CacheMiss	miss;

		input->entry = -1;
		input->resident = used ? request->residents[i] : 0;
		input->wanted = input->has = 0;
		input->refused = REFUSED_NOT;
		if (identity == NULL ||
			__atomic_load_n(&shared->cache_limit, __ATOMIC_RELAXED) <= 0)
			continue;
		input->entry = gpu_cache_find(connection, request, i, &input->number,
									  &miss);
		if (input->entry < 0)
			__atomic_add_fetch(&shared->cache_misses[miss], 1,
							   __ATOMIC_RELAXED);
		input->wanted = 1;
		input->valid_until = oids_until(oids_note(&shared->oids,
												  request->next_oid),
										identity->value);
		input->identity = *identity;
	}
}

/*
 * Copies an entry of the directory; false if it has no value.
 */
bool
gpu_cache_get(const GpuConnection *connection, int entry, CachedValue *value)
{
	const CacheEntry *from = &connection->shared->cache[entry];
	uint32_t	sequence = word_read(&from->sequence);
	bool		cached = from->cached;

	value->identity = from->identity;
	value->hits = from->hits;
	value->last_use = from->last_use;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return cached && sequence % 2 == 0 &&
		word_read(&from->sequence) == sequence;
}
