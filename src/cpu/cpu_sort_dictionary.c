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

#include "cpu/cpu_sort_counting.h"
#include "cpu/cpu_sort_dictionary.h"

/* The most sampled keys that are distinct. */
#define FEW_SAMPLED			(SAMPLED_KEYS / 8 * 7)

/* A key of the dictionary, flipped. */
typedef struct DictionaryKey
{
	uint64_t	order;
	uint32_t	count;
} DictionaryKey;

static inline int
key_size(const CpuJob *job)
{
	return input_size(job->request, 0);
}

/* The bytes of a table: its keys, and behind them its counters. */
static inline size_t
table_bytes(const CpuJob *job)
{
	return HASH_SLOTS * (key_size(job) + sizeof(uint32_t));
}

/* A thread's table, which it may be the first to use. */
static HashTable *
thread_table(CpuJob *job, int thread)
{
	HashTable  *table = &job->sort.counting.hashed[thread];
	size_t		bytes = table_bytes(job);
	char	   *memory = (char *) job->sort.scratch[0] + thread * bytes;

	if (table->keys == NULL)
	{
		memset(memory, 0, bytes);
		table->keys = memory;
		table->counters =
			(uint32_t *) (memory + HASH_SLOTS * key_size(job));
	}
	return table;
}

bool
cpu_sort_plan_dictionary(CpuJob *job, const SortSample *sample)
{
	CpuSort    *sort = &job->sort;

	if (cpu_sort_sample_distinct(sample, 0) > FEW_SAMPLED)
		return false;
	sort->scratch[0] = cpu_scratch(job, 0, cpu_phase_threads(job) *
								   table_bytes(job));
	return sort->scratch[0] != NULL;
}

void
cpu_sort_count_distinct(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	bool	   *full = &sort->counting.full;
	const char *keys = (char *) sort->from.keys +
		chunk_first(job, number) * key_size(job);

	if (!__atomic_load_n(full, __ATOMIC_RELAXED) &&
		!sort->shape->dictionary->count(sort, keys, chunk_count(job, number),
										thread_table(job, thread)))
		__atomic_store_n(full, true, __ATOMIC_RELAXED);
}

/* Merges all tables into the first one.  Returns false if it gets full. */
static bool
merge_tables(CpuJob *job)
{
	const CpuSort *sort = &job->sort;
	HashTable  *table = thread_table(job, 0);

	for (int i = 1; i < cpu_phase_threads(job); i++)
	{
		const HashTable *other = &sort->counting.hashed[i];

		if (other->keys != NULL &&
			!sort->shape->dictionary->merge(table, other))
			return false;
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
	const DictionaryKeys *of_size = sort->shape->dictionary;
	DictionaryKey keys[HASH_MOST];
	int			count = 0;

	for (int slot = 0; slot < HASH_SLOTS; slot++)
	{
		if (table->counters[slot] == 0)
			continue;
		keys[count].order = of_size->order_of(sort, table, slot);
		keys[count++].count = table->counters[slot];
	}
	qsort(keys, count, sizeof(DictionaryKey), compare_keys);
	counting->dictionary = table->keys;
	counting->sums = table->counters;
	counting->slots = count;
	for (int i = 0; i < count; i++)
	{
		of_size->put(sort, table, i, keys[i].order);
		table->counters[i] = keys[i].count;
	}
	if (sort->keys->restore != NULL)
		sort->keys->restore(counting->dictionary, count);
	if (job->request->operation == ENGINE_DISTINCT)
		join_equal(sort);
}

bool
cpu_sort_end_dictionary(CpuJob *job)
{
	if (job->sort.counting.full || !merge_tables(job))
		return false;
	make_dictionary(job);
	return true;
}
