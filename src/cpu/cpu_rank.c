/*
 * cpu_rank.c
 *	  The ranks of keys, once their positions are sorted.
 *
 * A chunk is a range of places in the order.  Threads find out how the ranks
 * of each chunk end, and a scan over the chunks how they begin.  Then threads
 * scatter each chunk's ranks to the positions.  Heads of equal keys are marked
 * without a scan.
 */
#include "cpu/cpu_rank.h"

/* Prefetch distance, as ranks are scattered over memory. */
#define RANK_AHEAD			32

/* A sorted key; "size" is a constant wherever this is inlined. */
static inline uint64_t
key_at(const void *keys, int size, int64_t i)
{
	switch (size)
	{
		case 1:
			return ((const uint8_t *) keys)[i];
		case 2:
			return ((const uint16_t *) keys)[i];
		case 4:
			return ((const uint32_t *) keys)[i];
		default:
			return ((const uint64_t *) keys)[i];
	}
}

/* Returns whether a sorted key is equal to the one before it. */
static inline bool
is_same(const void *keys, int size, int64_t i)
{
	return i > 0 && key_at(keys, size, i) == key_at(keys, size, i - 1);
}

static inline RankMethod
rank_method(const CpuJob *job)
{
	return PARAMETERS(job->request, SortParameters)->method;
}

/*
 * Finds the rank of a chunk's last key: RANK_MIN's, or zero if all keys of the
 * chunk are equal to the one before them; or RANK_DENSE's, as if no chunk came
 * before.
 */
static inline void
find_last_rank(CpuJob *job, int number, int size)
{
	const void *keys = job->sort.from.keys;
	int64_t		first = chunk_first(job, number);
	int64_t		end = first + chunk_count(job, number);
	int64_t		rank = 0;

	if (rank_method(job) == RANK_MIN)
	{
		while (end > first && is_same(keys, size, end - 1))
			end--;
		rank = end > first ? end : 0;
	}
	else
	{
		for (int64_t i = first; i < end; i++)
			rank += !is_same(keys, size, i);
	}
	job->sort.chunks[number].rank = rank;
}

static inline void
put_ranks(CpuJob *job, int number, int size, RankMethod method)
{
	const void *keys = job->sort.from.keys;
	const int32_t *positions = job->sort.from.payloads;
	int32_t    *ranks = job->request->outputs[0].memory;
	int64_t		first = chunk_first(job, number);
	int64_t		end = first + chunk_count(job, number);
	int64_t		rank = job->sort.chunks[number].rank;

	for (int64_t i = first; i < end; i++)
	{
		int64_t		ahead = i + RANK_AHEAD < end ? i + RANK_AHEAD : i;
		bool		same = method != RANK_FIRST && is_same(keys, size, i);

		__builtin_prefetch(&ranks[positions[ahead] - 1], 1);
		rank = cpu_next_rank(method, i, same, rank);
		ranks[positions[i] - 1] = (int32_t) rank;
	}
}

static inline void
put_heads(CpuJob *job, int number, int size)
{
	const void *keys = job->sort.from.keys;
	const int32_t *positions = job->sort.from.payloads;
	uint8_t    *heads = job->request->outputs[0].memory;
	int64_t		first = chunk_first(job, number);
	int64_t		end = first + chunk_count(job, number);

	for (int64_t i = first; i < end; i++)
	{
		int64_t		ahead = i + RANK_AHEAD < end ? i + RANK_AHEAD : i;

		__builtin_prefetch(&heads[positions[ahead] - 1], 1);
		heads[positions[i] - 1] = !is_same(keys, size, i);
	}
}

/* Makes the tasks of a chunk, for keys of a size. */
#define RANK_WORK(size) \
	static void \
	find_last_rank_##size(CpuJob *job, int number, int thread) \
	{ \
		find_last_rank(job, number, size); \
	} \
	\
	static void \
	put_ranks_##size(CpuJob *job, int number, int thread) \
	{ \
		if (rank_method(job) == RANK_HEADS) \
			put_heads(job, number, size); \
		else if (rank_method(job) == RANK_MIN) \
			put_ranks(job, number, size, RANK_MIN); \
		else \
			put_ranks(job, number, size, RANK_DENSE); \
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

typedef struct RankWork
{
	PhaseWork	find;
	PhaseWork	put;
} RankWork;

/* By the size of a key. */
static const RankWork works[] = {
	[1] = {find_last_rank_1, put_ranks_1},
	[2] = {find_last_rank_2, put_ranks_2},
	[4] = {find_last_rank_4, put_ranks_4},
	[8] = {find_last_rank_8, put_ranks_8}
};

/* Starts to put the ranks, once it is known how each chunk's end. */
static EngineStatus
start_putting(CpuJob *job)
{
	int64_t		before = 0;

	for (int chunk = 0; chunk < job->phases.nchunks; chunk++)
	{
		int64_t    *rank = &job->sort.chunks[chunk].rank;
		int64_t		last = *rank;

		*rank = before;
		if (rank_method(job) == RANK_DENSE)
			before += last;
		else if (last > 0)
			before = last;
	}
	return cpu_phase_start(job, works[input_size(job->request, 0)].put, NULL);
}

EngineStatus
cpu_rank_start(CpuJob *job)
{
	if (!cpu_rank_needs_keys(job))
		return cpu_phase_start(job, put_numbers, NULL);
	if (cpu_marks_heads(job))
		return cpu_phase_start(job, works[input_size(job->request, 0)].put,
							   NULL);
	return cpu_phase_start(job, works[input_size(job->request, 0)].find,
						   start_putting);
}
