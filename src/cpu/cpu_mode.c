/*
 * cpu_mode.c
 *	  The most frequent key of many, without a sort: see cpu_mode.h.
 */
#include <string.h>

#include "cpu/cpu_mode.h"
#include "contract/order.h"
#include "contract/operations/sort.h"

/* The hash table of a group: with keys of 8 bytes, 48 kB. */
#define MODE_SLOT_BITS		12
#define MODE_SLOTS			(1 << MODE_SLOT_BITS)

/* The most collisions for each key of a group and each slot of its table. */
#define MODE_COLLISIONS		4

/* Groups of more keys are split: of different keys, the table would be full. */
#define MODE_GROUP			(MODE_SLOTS / 2)

#define MODE_KEY			uint32_t
#define MODE_MULTIPLIER		HASH_FACTOR_4
#define MODE_INVERSE		UINT32_C(0x0E8B2F51)
#define MODE_NAME(name)		name##_4
#include "cpu/cpu_mode_template.h"

#define MODE_KEY			uint64_t
#define MODE_MULTIPLIER		HASH_FACTOR_8
#define MODE_INVERSE		UINT64_C(0xF1DE83E19937733D)
#define MODE_NAME(name)		name##_8
#include "cpu/cpu_mode_template.h"

/* The functions for a request of a mode; NULL if a sort is as good. */
static const ModeKeys *
mode_keys(const EngineRequest *request)
{
	if (!PARAMETERS(request, SortParameters)->longest_run ||
		request->count <= CPU_PIECE)
		return NULL;
	switch (input_size(request, 0))
	{
		case 4:
			return &mode_keys_4;
		case 8:
			return &mode_keys_8;
		default:
			return NULL;
	}
}

void
cpu_mode_begin(CpuJob *job)
{
	CpuSort    *sort = &job->sort;

	sort->mode = mode_keys(job->request);
	if (sort->mode == NULL)
		return;
	sort->npasses = job->request->count / SORT_BINS <= MODE_SPLIT / 2 ? 1 : 2;
	for (int i = 0; i < sort->npasses; i++)
		sort->shifts[i] = sort->mode->bits -
			SORT_DIGIT_BITS * (sort->npasses - i);
	sort->shift = sort->analyzed_shift = sort->shifts[0];
}

/* Returns whether equal keys may differ in bits: there is -0, or a NaN. */
static bool
is_ambiguous(ElementKind kind, const void *keys, int64_t count)
{
	switch (kind)
	{
		case KIND_FLOAT4:
			return has_any_4(keys, count, float4_order(0x80000000u),
							 float4_order(0x7F800000u));
		case KIND_FLOAT8:
			return has_any_8(keys, count,
							 float8_order(0x8000000000000000ull),
							 float8_order(0x7FF0000000000000ull));
		default:
			return false;
	}
}

/* Returns a chunk's keys. */
static void *
chunk_keys(const CpuJob *job, int number)
{
	return (char *) job->sort.from.keys +
		chunk_first(job, number) * input_size(job->request, 0);
}

/* Keys that differ, but are equal floats, have to be sorted. */
void
cpu_mode_scramble_chunk(CpuJob *job, int number)
{
	CpuSort    *sort = &job->sort;
	int64_t		count = chunk_count(job, number);
	void	   *keys = chunk_keys(job, number);

	if (is_ambiguous(job->request->kinds[0], keys, count))
		__atomic_store_n(&sort->sort_after_all, true, __ATOMIC_RELAXED);
	sort->mode->scramble(keys, count);
}

/* Returns whether a digit has more keys than small groups can have. */
static bool
is_skewed(const CpuJob *job)
{
	const CpuSort *sort = &job->sort;

	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		int64_t		count = 0;

		for (int chunk = 0; chunk < sort->phases->nchunks; chunk++)
			count += sort->chunks[chunk].bins[bin];
		if (count >
			job->request->count / SORT_BINS * 2 + sort->phases->chunk_size)
			return true;
	}
	return false;
}

bool
cpu_mode_is_likely(const CpuJob *job)
{
	return !job->sort.sort_after_all && !is_skewed(job);
}

void
cpu_mode_unscramble_chunk(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	int64_t		count = chunk_count(job, number);

	sort->mode->unscramble(chunk_keys(job, number), count);
	sort->shape->count(sort, chunk_first(job, number), count,
					   sort->chunks[number].bins);
}

/* Each thread has memory in which it splits a group. */
bool
cpu_mode_allocate(CpuJob *job)
{
	CpuSort    *sort = &job->sort;

	sort->scratch[0] = cpu_scratch(job, 0, cpu_phase_threads(job) *
								   MODE_SPLIT * input_size(job->request, 0));
	return sort->scratch[0] != NULL;
}

void
cpu_mode_find_in_chunk(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	char	   *split = (char *) sort->scratch[0] +
		thread * MODE_SPLIT * input_size(job->request, 0);

	if (!sort->mode->find(sort, chunk_first(job, number),
						  chunk_count(job, number), job->request->count,
						  split, &sort->chunks[number].mode))
		__atomic_store_n(&sort->sort_after_all, true, __ATOMIC_RELAXED);
}

void
cpu_mode_put(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	ModeKey		mode = {0};
	uint64_t	key;

	for (int i = 0; i < sort->phases->nchunks; i++)
	{
		ModeKey		other = sort->chunks[i].mode;

		if (other.count > mode.count ||
			(other.count == mode.count && other.order < mode.order))
			mode = other;
	}
	key = mode.order ^ sort->flip;
	memcpy(job->request->outputs[0].memory, &key,
		   input_size(job->request, 0));
	if (sort->keys->restore != NULL)
		sort->keys->restore(job->request->outputs[0].memory, 1);
	if (job->request->outputs[1].memory != NULL)
		*(int32_t *) job->request->outputs[1].memory = 1;
	sort->kept = 1;
}
