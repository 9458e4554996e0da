/*
 * cpu_sort_dictionary.c
 *	  Counting sort of keys of which few are distinct.
 *
 * Each thread counts keys in a hash table of its own, with linear probing
 * (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm L).
 * The tables are merged, their keys are sorted, and the rest is as in a
 * counting sort, whose slots are these keys.  Keys are read once, and no double
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
	return input_size(&job->request, 0);
}

/* The bytes of a table: its keys, and behind them its counters. */
static inline size_t
table_bytes(const CpuJob *job)
{
	return HASH_SLOTS * (key_size(job) + sizeof(uint32_t));
}

static HashTable
thread_table(const CpuJob *job, int thread)
{
	char	   *memory = (char *) job->sort.scratch[0] +
		thread * table_bytes(job);

	return (HashTable) {
		memory, (uint32_t *) (memory + HASH_SLOTS * key_size(job))
	};
}

static void
clear_table(const CpuJob *job, const HashTable *table)
{
	memset(table->keys, 0, table_bytes(job));
}

bool
cpu_sort_plan_dictionary(CpuJob *job, const SortSample *sample)
{
	CpuSort    *sort = &job->sort;

	if (sort->npasses < 2 ||
		cpu_sort_sample_distinct(sample, 0) > FEW_SAMPLED)
		return false;
	sort->scratch[0] = cpu_scratch(job, 0, cpu_phase_threads(job) *
								   table_bytes(job));
	return sort->scratch[0] != NULL;
}

static void
count_keys(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	CpuCounting *counting = &sort->counting;
	HashTable	table = thread_table(job, thread);
	const char *keys = (char *) sort->from.keys +
		chunk_first(job, number) * key_size(job);

	if (__atomic_load_n(&counting->full, __ATOMIC_RELAXED))
		return;
	if (!counting->used[thread])
		clear_table(job, &table);
	counting->used[thread] = true;
	table.distinct = counting->distinct[thread];
	if (!sort->shape->counting->count_distinct(sort, keys,
											   chunk_count(job, number),
											   &table))
		__atomic_store_n(&counting->full, true, __ATOMIC_RELAXED);
	counting->distinct[thread] = table.distinct;
}

/* Merges all tables into the first one.  Returns false if it gets full. */
static bool
merge_tables(CpuJob *job, HashTable *table)
{
	CpuSort    *sort = &job->sort;
	CpuCounting *counting = &sort->counting;

	*table = thread_table(job, 0);
	if (!counting->used[0])
		clear_table(job, table);
	table->distinct = counting->distinct[0];
	for (int i = 1; i < cpu_phase_threads(job); i++)
	{
		HashTable	other = thread_table(job, i);

		if (counting->used[i] &&
			!sort->shape->counting->merge(table, &other))
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
 * Makes the dictionary of a table, in whose place it lies: its keys in order,
 * as they are in the result, and how often each occurs.
 */
static void
make_dictionary(CpuJob *job, const HashTable *table)
{
	CpuSort    *sort = &job->sort;
	CpuCounting *counting = &sort->counting;
	DictionaryKey keys[HASH_MOST];
	int			count = 0;

	for (int slot = 0; slot < HASH_SLOTS; slot++)
	{
		if (table->counters[slot] == 0)
			continue;
		keys[count].order = sort->shape->counting->order_of(sort, table, slot);
		keys[count++].count = table->counters[slot];
	}
	qsort(keys, count, sizeof(DictionaryKey), compare_keys);
	counting->dictionary = table->keys;
	counting->sums = table->counters;
	counting->slots = count;
	for (int i = 0; i < count; i++)
	{
		sort->shape->counting->put(sort, table, i, keys[i].order);
		table->counters[i] = keys[i].count;
	}
	if (sort->keys->restore != NULL)
		sort->keys->restore(counting->dictionary, count);
	if (job->request.operation == ENGINE_DISTINCT)
		join_equal(sort);
}

static EngineStatus
end_counting(CpuJob *job)
{
	HashTable	table;

	if (job->sort.counting.full || !merge_tables(job, &table))
		return cpu_sort_start_digits(job);
	make_dictionary(job, &table);
	return cpu_sort_write_counted(job);
}

EngineStatus
cpu_sort_start_dictionary(CpuJob *job)
{
	return cpu_phase_start(job, count_keys, end_counting);
}
