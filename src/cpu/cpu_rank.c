/*
 * cpu_rank.c
 *	  The ranks of keys, once their positions are sorted.
 *
 * A chunk is a range of places in the order.  For dense ranks, threads count
 * the different keys of each chunk, and a scan over the chunks adds the counts.
 * Then threads scatter each chunk's ranks to the positions.  Where equal keys
 * reach into other chunks, a binary search finds their end.
 */
#include "cpu/cpu_sort_parts.h"

/* Prefetch distance, as ranks are scattered over memory. */
#define RANK_AHEAD			32

/*
 * Returns whether a sorted key is equal to the one before it.  The size is a
 * constant wherever this is inlined.
 */
static inline bool
is_same(const void *keys, int size, int64_t i)
{
	return i > 0 &&
		cpu_element(keys, size, i) == cpu_element(keys, size, i - 1);
}

/* Counts the keys of a chunk that differ from the one before them. */
static void
count_heads(CpuJob *job, int number, int thread)
{
	static const ElementKind integers[] = {
		[1] = KIND_UINT1,[2] = KIND_INT2,[4] = KIND_INT4,[8] = KIND_INT8
	};
	int64_t		first = chunk_first(job, number);

	job->sort.chunks[number].rank =
		cpu_sort_keys[integers[input_size(job->request, 0)]].heads
		(job->sort.from.keys, first, first + chunk_count(job, number));
}

/*
 * Ranks that count each key, or each that differs from the one before it; or
 * marks of the latter.
 */
static inline void
put_ranks(CpuJob *job, int number, int size, RankMethod method)
{
	const void *keys = job->sort.from.keys;
	const int32_t *positions = job->sort.from.payloads;
	int32_t    *ranks = job->request->outputs[0].memory;
	uint8_t    *heads = job->request->outputs[0].memory;
	int64_t		first = chunk_first(job, number);
	int64_t		end = first + chunk_count(job, number);
	int64_t		rank = method == RANK_DENSE ? job->sort.chunks[number].rank :
		first;

	for (int64_t i = first; i < end; i++)
	{
		int64_t		ahead = i + RANK_AHEAD < end ? i + RANK_AHEAD : i;
		bool		counts = method == RANK_FIRST || !is_same(keys, size, i);

		if (method == RANK_HEADS)
		{
			__builtin_prefetch(&heads[positions[ahead] - 1], 1);
			heads[positions[i] - 1] = counts;
			continue;
		}
		__builtin_prefetch(&ranks[positions[ahead] - 1], 1);
		rank += counts;
		ranks[positions[i] - 1] = (int32_t) rank;
	}
}

/*
 * The place farthest from "near", on the way to "far", up to which all keys are
 * equal to the key there.
 */
static inline int64_t
tie_end(const void *keys, int size, int64_t near, int64_t far)
{
	uint64_t	key = cpu_element(keys, size, near);

	while (near != far)
	{
		int64_t		half = (far - near) / 2;
		int64_t		middle = far - half;

		if (cpu_element(keys, size, middle) == key)
			near = middle;
		else
			far = middle + (far > near ? -1 : 1);
	}
	return near;
}

/* Ranks that equal keys have in common. */
static inline void
put_tied_ranks(CpuJob *job, int number, int size, RankMethod method)
{
	const void *keys = job->sort.from.keys;
	const int32_t *positions = job->sort.from.payloads;
	int32_t    *ranks = job->request->outputs[0].memory;
	int64_t		end = chunk_first(job, number) + chunk_count(job, number);
	int64_t		last = job->request->count - 1;

	for (int64_t i = chunk_first(job, number), next; i < end; i = next)
	{
		bool		begins = i > chunk_first(job, number);
		int64_t		rank;

		for (next = i + 1; next < end && is_same(keys, size, next);)
			next++;
		rank = cpu_tied_rank(method,
							 begins ? i : tie_end(keys, size, i, 0),
							 next < end ? next :
							 tie_end(keys, size, i, last) + 1);
		for (int64_t at = i; at < next; at++)
		{
			int64_t		ahead = at + RANK_AHEAD < end ? at + RANK_AHEAD : at;

			__builtin_prefetch(&ranks[positions[ahead] - 1], 1);
			ranks[positions[at] - 1] = (int32_t) rank;
		}
	}
}

/* Makes the task of a chunk, for keys of a size. */
#define RANK_WORK(size) \
	static void \
	put_ranks_##size(CpuJob *job, int number, int thread) \
	{ \
		if (cpu_rank_method(job) == RANK_HEADS) \
			put_ranks(job, number, size, RANK_HEADS); \
		else if (cpu_rank_method(job) == RANK_DENSE) \
			put_ranks(job, number, size, RANK_DENSE); \
		else \
			put_tied_ranks(job, number, size, cpu_rank_method(job)); \
	}

RANK_WORK(1)
RANK_WORK(2)
RANK_WORK(4)
RANK_WORK(8)

/* Without a look at keys. */
static void
put_numbers(CpuJob *job, int number, int thread)
{
	put_ranks(job, number, 0, RANK_FIRST);
}

static EngineStatus
start_putting(CpuJob *job)
{
	static const PhaseWork works[] = SIZE_TABLE(put_ranks);

	return cpu_phase_start(job, works[input_size(job->request, 0)], NULL);
}

/* Starts to put dense ranks, once the different keys are counted. */
static EngineStatus
add_counts(CpuJob *job)
{
	int64_t		before = 0;

	for (int chunk = 0; chunk < job->phases.nchunks; chunk++)
	{
		int64_t    *rank = &job->sort.chunks[chunk].rank;
		int64_t		heads = *rank;

		*rank = before;
		before += heads;
	}
	return start_putting(job);
}

/*
 * Starts to put the ranks to the positions in sort.from, which are sorted, as
 * the keys there are if the ranks need them.
 */
EngineStatus
cpu_rank_start(CpuJob *job)
{
	if (!cpu_rank_needs_keys(job))
		return cpu_phase_start(job, put_numbers, NULL);
	if (cpu_rank_method(job) != RANK_DENSE)
		return start_putting(job);
	return cpu_phase_start(job, count_heads, add_counts);
}
