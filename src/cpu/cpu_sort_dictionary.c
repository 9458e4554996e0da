/*
 * cpu_sort_dictionary.c
 *	  Counting sort of keys with few distinct values.
 *
 * Each thread counts keys in a hash table of its own, with linear probing
 * (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm
 * L).  The tables are merged, and their keys are sorted.  From there on it is
 * a counting sort with these keys as slots.  Keys are read once, and no double
 * buffer is needed.  If there are too many distinct keys, or the table has no
 * place for a key near its home, the keys are moved by digits after all.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_sort_parts.h"

/* The most sampled keys that are distinct. */
#define FEW_SAMPLED			(SAMPLED_KEYS / 8 * 7)

/* The bytes of a table: its keys, and behind them its counters. */
#define TABLE_BYTES			(HASH_SLOTS * (sizeof(uint64_t) + sizeof(uint32_t)))

/* A key of the dictionary, flipped. */
typedef struct DictionaryKey
{
	uint64_t	order;
	uint32_t	count;
} DictionaryKey;

/* A thread's table, which it may be the first to use. */
static HashTable *
thread_table(CpuJob *job, int thread)
{
	HashTable  *table = &job->sort.counting.hashed[thread];
	char	   *memory = (char *) job->sort.scratch[0] + thread * TABLE_BYTES;

	if (table->keys == NULL)
	{
		memset(memory, 0, TABLE_BYTES);
		table->keys = (uint64_t *) memory;
		table->counters = (uint32_t *) (table->keys + HASH_SLOTS);
	}
	return table;
}

bool
cpu_hash_add(HashTable *table, uint64_t key, uint32_t home, uint32_t count)
{
	for (int probe = 0; probe < HASH_PROBES; probe++)
	{
		uint32_t	slot = (home + probe) % HASH_SLOTS;

		if (table->counters[slot] == 0)
		{
			if (table->distinct == HASH_MOST - 1)
				return false;
			table->distinct++;
			table->keys[slot] = key;
		}
		if (table->keys[slot] == key)
		{
			table->counters[slot] += count;
			return true;
		}
	}
	return false;
}

/* Returns whether a sort, whose passes are planned, is better done so. */
bool
cpu_sort_plan_dictionary(CpuJob *job, const SortSample *sample)
{
	CpuSort    *sort = &job->sort;

	if (cpu_sort_sample_distinct(sample) > FEW_SAMPLED)
		return false;
	sort->scratch[0] = cpu_scratch(job, 0, cpu_phase_threads(job) *
								   TABLE_BYTES);
	return sort->scratch[0] != NULL;
}

/* The phase that counts the keys of a chunk. */
void
cpu_sort_count_distinct(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	bool	   *full = &sort->counting.full;

	if (!__atomic_load_n(full, __ATOMIC_RELAXED) &&
		!sort->shape->hash(sort, chunk_first(job, number),
						   chunk_count(job, number),
						   thread_table(job, thread)))
		__atomic_store_n(full, true, __ATOMIC_RELAXED);
}

/* Merges all tables into the first one.  Returns false if it gets full. */
static bool
merge_tables(CpuJob *job)
{
	HashTable  *table = thread_table(job, 0);

	for (int i = 1; i < cpu_phase_threads(job); i++)
	{
		const HashTable *other = &job->sort.counting.hashed[i];

		for (int slot = 0; other->keys != NULL && slot < HASH_SLOTS; slot++)
		{
			uint64_t	key = other->keys[slot];

			if (other->counters[slot] != 0 &&
				!cpu_hash_add(table, key, hash_home(key, sort_key_size(job)),
							  other->counters[slot]))
				return false;
		}
	}
	return true;
}

static int
compare_keys(const void *left, const void *right)
{
	uint64_t	a = ((const DictionaryKey *) left)->order;
	uint64_t	b = ((const DictionaryKey *) right)->order;

	return (a > b) - (a < b);
}

/*
 * Joins keys of the dictionary that are equal, as floats may be, under the
 * first one of them.
 */
static void
join_equal(CpuSort *sort)
{
	CpuCounting *counting = &sort->counting;
	int32_t		starts[HASH_MOST + 1];
	int64_t		slots;

	slots = sort->keys->distinct(counting->dictionary, starts, 0,
								 counting->slots, 0);
	starts[slots] = (int32_t) counting->slots + 1;
	for (int64_t slot = 0; slot < slots; slot++)
	{
		uint32_t	sum = 0;

		for (int i = starts[slot]; i < starts[slot + 1]; i++)
			sum += counting->sums[i - 1];
		counting->sums[slot] = sum;
	}
	counting->slots = slots;
}

/*
 * Makes the dictionary of the first table, in whose place it lies: its keys in
 * order, as they are in the result, and how often each occurs.
 */
static void
make_dictionary(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	CpuCounting *counting = &sort->counting;
	const HashTable *table = &counting->hashed[0];
	uint64_t	flip = sort->flip & UINT64_MAX >> (64 - 8 * sort_key_size(job));
	DictionaryKey keys[HASH_MOST];
	int			count = 0;

	for (int slot = 0; slot < HASH_SLOTS; slot++)
	{
		if (table->counters[slot] == 0)
			continue;
		keys[count].order = table->keys[slot] ^ flip;
		keys[count++].count = table->counters[slot];
	}
	qsort(keys, count, sizeof(DictionaryKey), compare_keys);
	counting->dictionary = table->keys;
	counting->sums = table->counters;
	counting->slots = count;
	for (int i = 0; i < count; i++)
	{
		cpu_put_element(counting->dictionary, sort_key_size(job), i,
						keys[i].order ^ flip);
		table->counters[i] = keys[i].count;
	}
	if (sort->keys->restore != NULL)
		sort->keys->restore(counting->dictionary, count);
	if (job->request->operation == ENGINE_DISTINCT)
		join_equal(sort);
}

/*
 * Makes the slots of a counting sort, once all keys are counted.  Returns false
 * if there are too many distinct keys.
 */
bool
cpu_sort_end_dictionary(CpuJob *job)
{
	if (job->sort.counting.full || !merge_tables(job))
		return false;
	make_dictionary(job);
	return true;
}
