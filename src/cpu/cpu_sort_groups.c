/*
 * cpu_sort_groups.c
 *	  Sorts by few digits, and then by groups: see cpu_sort_groups.h.
 */
#include <string.h>

#include "cpu/cpu_sort_groups.h"

/* To look for groups takes half as long as a pass. */
#define MIN_DROPPED			2

/* The most keys that are in the group of a key, on average. */
#define GROUP_KEYS			32

/*
 * Returns whether the keys' bits from "shift" on make small groups: by the
 * number of pairs in the sample that have a group in common.
 */
static bool
makes_groups(const CpuSort *sort, const SortSample *sample, int shift)
{
	double		pairs = SAMPLED_KEYS * (SAMPLED_KEYS - 1) / 2;
	int			common = SAMPLED_KEYS -
		cpu_sort_sample_distinct(sample, shift);

	return (double) common * sort->phases->count <= GROUP_KEYS * pairs;
}

/*
 * After the digits that make small groups, one digit more divides these, so
 * that most groups have one key: a pass takes less time than to sort small
 * groups, whose sizes no processor can predict.
 */
void
cpu_sort_plan_groups(CpuSort *sort, const SortSample *sample)
{
	for (int dropped = sort->npasses - 2; dropped >= MIN_DROPPED; dropped--)
	{
		if (!makes_groups(sort, sample, sort->shifts[dropped + 1]))
			continue;
		sort->npasses -= dropped;
		memmove(sort->shifts, sort->shifts + dropped,
				sort->npasses * sizeof(sort->shifts[0]));
		sort->has_groups = true;
		return;
	}
}

/* The first key from "first" on that begins a group: a lower bound. */
static int64_t
find_group(const CpuSort *sort, int64_t first)
{
	int64_t		end = sort->phases->count;
	uint64_t	before;

	if (first == 0)
		return 0;
	before = sort->shape->order_at(sort, first - 1) >> sort->shifts[0];
	while (first < end)
	{
		int64_t		middle = first + (end - first) / 2;

		if (sort->shape->order_at(sort, middle) >> sort->shifts[0] == before)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* The groups that begin in a chunk. */
static void
sort_chunk(CpuJob *job, int number, int thread)
{
	const CpuSort *sort = &job->sort;
	int64_t		end = number + 1 < sort->phases->nchunks ?
		sort->chunks[number + 1].group : sort->phases->count;

	sort->shape->sort_groups(sort, sort->chunks[number].group, end);
}

EngineStatus
cpu_sort_start_groups(CpuJob *job, PhaseNext next)
{
	CpuSort    *sort = &job->sort;

	sort->has_groups = false;
	for (int i = 0; i < sort->phases->nchunks; i++)
		sort->chunks[i].group = find_group(sort, chunk_first(job, i));
	return cpu_phase_start(job, sort_chunk, next);
}
