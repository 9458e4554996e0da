/*
 * cpu_sort_counting.c
 *	  Counting sort, of integers in a narrow range.
 *
 * Each thread counts keys in a table of its own, which has a slot for each
 * value of the range.  The sums of all tables then yield the sorted keys, or
 * the distinct ones (Seward, 1954; Knuth, The Art of Computer Programming,
 * volume 3, section 5.2, algorithm D).  Keys are read once, and no double
 * buffer is needed.
 */
#include <string.h>

#include "cpu/cpu_sort_parts.h"

/* Tables with more slots would not stay in the second-level cache. */
#define COUNTING_SLOTS		(1 << 20)

/* With fewer keys for each slot, it is as fast to move them. */
#define COUNTING_KEYS		2

/*
 * Plans a counting sort of keys that are analyzed.  Returns false if their
 * range is not narrow.
 *
 * Floats are not counted.  Equal floats may differ, so there is no slot for
 * each distinct one, and their orders are hardly ever in a narrow range.
 */
bool
cpu_sort_plan_counting(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	CpuCounting *counting = &sort->counting;
	KeyStatistics keys;
	uint64_t	range;
	int64_t		slots;
	int			shift;

	if (sort->keys->order != NULL || sort->shape->counting == NULL)
		return false;
	keys = cpu_sort_statistics(sort);
	if (keys.any == keys.all)
		return false;
	shift = __builtin_ctzll(keys.any ^ keys.all);
	range = (keys.greatest - keys.least) >> shift;
	if (range >= COUNTING_SLOTS)
		return false;

	/* All tables together have no more counters than there are keys. */
	slots = (int64_t) range + 1;
	if (slots * COUNTING_KEYS > job->request->count ||
		slots * cpu_phase_threads(job) > job->request->count)
		return false;
	sort->shift = shift;
	sort->base = keys.least;
	counting->slots = slots;
	return true;
}

/* The slots of each table, rounded up to whole cache lines. */
static inline int64_t
table_stride(const CpuCounting *counting)
{
	int64_t		line = CACHE_LINE / sizeof(uint32_t);

	return (counting->slots + line - 1) / line * line;
}

/* The table of a thread. */
static uint32_t *
thread_table(const CpuCounting *counting, int thread)
{
	return counting->counters + thread * table_stride(counting);
}

static void
count_keys(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	CpuCounting *counting = &sort->counting;
	uint32_t   *counters = thread_table(counting, thread);

	if (!counting->used[thread])
		memset(counters, 0, counting->slots * sizeof(uint32_t));
	counting->used[thread] = true;
	sort->shape->counting->count(sort, chunk_first(job, number),
								 chunk_count(job, number), counters);
}

/* The slots are divided among "nchunks" tasks. */
static int64_t
first_slot(const CpuSort *sort, int number)
{
	return sort->counting.slots * number / sort->phases->nchunks;
}

CPU_CLONES static void
add_counters(uint32_t *sums, const uint32_t *counters, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		sums[i] += counters[i];
}

/* Adds up a task's share of the tables. */
static void
add_tables(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	CpuCounting *counting = &sort->counting;
	SortChunk  *chunk = &sort->chunks[number];
	int64_t		first = first_slot(sort, number);
	int64_t		end = first_slot(sort, number + 1);

	for (int i = 0; i < counting->tables; i++)
	{
		const uint32_t *counters = thread_table(counting, i);

		if (counting->used[i] && counters != counting->sums)
			add_counters(counting->sums + first, counters + first,
						 end - first);
	}
	chunk->keys = chunk->distinct = 0;
	for (int64_t slot = first; slot < end; slot++)
	{
		chunk->keys += counting->sums[slot];
		chunk->distinct += counting->sums[slot] != 0;
	}
}

/* Scans the numbers of keys, exclusively and in place. */
static void
scan_keys(CpuSort *sort)
{
	int64_t		keys = 0;

	sort->kept = 0;
	for (int i = 0; i < sort->phases->nchunks; i++)
	{
		SortChunk  *chunk = &sort->chunks[i];
		int64_t		keys_here = chunk->keys;
		int64_t		distinct_here = chunk->distinct;

		chunk->keys = keys;
		chunk->distinct = sort->kept;
		keys += keys_here;
		sort->kept += distinct_here;
	}
}

/* Writes a chunk of the sorted keys, from the task that has the first one. */
static void
write_keys(CpuJob *job, int number, int thread)
{
	const CpuSort *sort = &job->sort;
	int64_t		first = chunk_first(job, number);
	int			task = sort->phases->nchunks - 1;

	while (sort->chunks[task].keys > first)
		task--;
	sort->shape->counting->write_keys(sort, first_slot(sort, task),
									  sort->chunks[task].keys, first,
									  first + chunk_count(job, number));
}

static void
write_distinct(CpuJob *job, int number, int thread)
{
	const CpuSort *sort = &job->sort;

	sort->shape->counting->write_distinct(sort, first_slot(sort, number),
										  first_slot(sort, number + 1),
										  sort->chunks[number].keys,
										  sort->chunks[number].distinct,
										  job->request->outputs[1].memory);
}

/* Writes what the request asks for, once the sums are complete. */
static EngineStatus
start_writing(CpuJob *job)
{
	scan_keys(&job->sort);
	return cpu_phase_start(job, job->request->operation == ENGINE_SORT ?
						   write_keys : write_distinct, NULL);
}

/* Starts the phases from the sums on. */
EngineStatus
cpu_sort_write_counted(CpuJob *job)
{
	return cpu_phase_start(job, add_tables, start_writing);
}

/* The table of any thread gets the sums. */
static EngineStatus
start_adding(CpuJob *job)
{
	CpuCounting *counting = &job->sort.counting;
	int			thread = 0;

	while (!counting->used[thread])
		thread++;
	counting->sums = thread_table(counting, thread);
	return cpu_sort_write_counted(job);
}

/* Starts the phases.  The last one leaves the result in its place. */
EngineStatus
cpu_sort_start_counting(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	CpuCounting *counting = &sort->counting;

	counting->tables = cpu_phase_threads(job);
	counting->counters = cpu_scratch(job, 0, counting->tables *
									 table_stride(counting) *
									 sizeof(uint32_t));
	sort->scratch[0] = counting->counters;
	return counting->counters == NULL ? cpu_out_of_memory(job) :
		cpu_phase_start(job, count_keys, start_adding);
}
