/*
 * cpu_sort_groups.c
 *	  Sorts by few digits, and then by groups.
 *
 * The highest digits of many keys divide them into groups that fit into the
 * cache.  Only these digits take a pass, and then each group is sorted in the
 * cache, however many digits are left (Stehle and Jacobsen, "A memory
 * bandwidth-efficient hybrid radix sort on GPUs", 2017).  Keys that fit into the
 * cache are one group, without a pass.
 */
#include "cpu/cpu_search.h"
#include "cpu/cpu_sort_parts.h"

/* The least number of passes that groups are worth. */
#define MIN_SAVED			2

/* The most bytes of the group of a key and its spare room, on average. */
#define GROUP_BYTES			(2 * 1024 * 1024)

/* Slots that the groups of sampled keys have by chance. */
#define GROUP_SLOT_BITS		12

/* The group of the keys of an order; the first one if none can be there. */
static uint64_t
group_of(const CpuSort *sort, uint64_t order, int shift)
{
	return order < sort->base ? 0 : (order - sort->base) >> shift;
}

/*
 * The last group that may have a key equal to one of a group.  Behind -0 comes
 * 0, and all NaNs are equal.
 */
static uint64_t
last_equal(const CpuSort *sort, uint64_t group, int shift)
{
	const SortKeys *keys = sort->keys;

	if (keys->order == NULL)
		return group;
	if (group >= group_of(sort, keys->nan, shift))
		return UINT64_MAX;
	return group == group_of(sort, keys->zero, shift) ?
		group_of(sort, keys->zero + 1, shift) : group;
}

/* Bytes of all elements, and of the room to sort them. */
static int64_t
bytes_to_sort(const CpuJob *job)
{
	return 2 * job->request->count *
		(sort_key_size(job) + sort_payload_bytes(job));
}

/*
 * Plans one group of all keys, if they fit into the cache and there is no
 * other thread.  Returns false if not.
 */
bool
cpu_sort_plan_one_group(CpuJob *job)
{
	CpuSort    *sort = &job->sort;

	if (job->team.helpers > 0 || bytes_to_sort(job) > GROUP_BYTES)
		return false;
	sort->npasses = 0;
	sort->shifts[0] = sort->highest + 1;
	sort->has_groups = true;
	return true;
}

/*
 * Returns whether the groups of keys that have the bits from "shift" on in
 * common, and those with equal keys together, stay in the cache: by the pairs
 * in the sample that have a slot in common.
 */
static bool
are_cached(const CpuJob *job, const SortSample *sample, int shift)
{
	const CpuSort *sort = &job->sort;
	uint16_t	keys[1 << GROUP_SLOT_BITS] = {0};
	double		pairs = (double) SAMPLED_KEYS * (SAMPLED_KEYS - 1) / 2;
	int			common = 0;

	for (int i = 0; i < SAMPLED_KEYS; i++)
		common += keys[last_equal(sort, sample->orders[i] >> shift, shift) *
					   HASH_FACTOR_8 >> (64 - GROUP_SLOT_BITS)]++;
	return common / pairs * bytes_to_sort(job) <= GROUP_BYTES;
}

/*
 * Plans fewer passes if groups are to follow: the fewest by the highest digits
 * take the place of all passes.
 */
void
cpu_sort_plan_groups(CpuJob *job, const SortSample *sample)
{
	CpuSort    *sort = &job->sort;

	for (int passes = 1; passes <= sort->npasses - MIN_SAVED; passes++)
	{
		int			shift = sort->highest + 1 - passes * SORT_DIGIT_BITS;

		if (!are_cached(job, sample, shift))
			continue;
		for (int i = 0; i < passes; i++)
			sort->shifts[i] = shift + i * SORT_DIGIT_BITS;
		sort->npasses = passes;
		sort->has_groups = true;
		return;
	}
}

/*
 * The first key from "first" on that begins a group and equals no key before
 * it: a lower bound.  A reduction of the chunk from there on looks no further
 * back.
 */
static int64_t
find_group(const CpuSort *sort, int64_t first)
{
	int64_t		end = sort->phases->count;
	int			shift = sort->shifts[0];
	uint64_t	last;

	if (first == 0 || sort->npasses == 0)
		return first == 0 ? 0 : end;
	last = last_equal(sort, sort->shape->order_at(sort, first - 1) >> shift,
					  shift);
	SEARCH(first, end, at, sort->shape->order_at(sort, at) >> shift <= last);
	return first;
}

/* After these passes, finds the first group of each chunk. */
void
cpu_sort_find_groups(CpuSort *sort)
{
	for (int i = 0; i < sort->phases->nchunks; i++)
		sort->chunks[i].group =
			find_group(sort, i * sort->phases->chunk_size);
}

/* Sorts the groups that begin in a chunk.  Returns how many keys they have. */
int64_t
cpu_sort_groups(const CpuSort *sort, int number)
{
	int64_t		first = sort->chunks[number].group;
	int64_t		end = number + 1 < sort->phases->nchunks ?
		sort->chunks[number + 1].group : sort->phases->count;

	sort->shape->sort_groups(sort, first, end);
	return end - first;
}
