/*
 * cpu_sort.c
 *	  Radix sort, from the least significant digit.
 *
 * Keys go into the result as they arrive.  While they are in the cache, it is
 * found out in which bits any two differ, and their lowest digit is counted.
 * Then, for each digit that has such a bit, all keys are moved, stably,
 * between the result and scratch memory of the same size (Knuth, The Art of
 * Computer Programming, volume 3, section 5.2.5).
 *
 * The keys are cut into chunks, which the threads share: each has its own
 * counts, and by a scan over them, bin by bin and within a bin chunk by chunk,
 * its own place for each bin (Zagha and Blelloch, "Radix sort for vector
 * multiprocessors", 1991).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cpu_engine.h"

/* Up to this many keys, comparing each with each takes less time. */
#define SORT_SMALL			128

/* Keys that stay in the cache, wherever they are moved. */
#define SORT_CACHED			CPU_PIECE

/* More chunks than this would make the scan over their counts matter. */
#define SORT_MOST_CHUNKS	256

/* Keys in a cache line. */
#define SORT_LINE			16

#define HUGE_PAGE			((size_t) 2 * 1024 * 1024)

static inline uint32_t
digit_of(int32_t key, uint32_t flip, int digit)
{
	return ((uint32_t) key ^ flip) >> (digit * SORT_DIGIT_BITS) &
		(SORT_BINS - 1);
}

static inline int64_t
chunk_count(const EngineJob *job, int chunk)
{
	int64_t		left = job->request.count - chunk * job->sort.chunk_size;

	return left < job->sort.chunk_size ? left : job->sort.chunk_size;
}

/*
 * Sorts by counting, for each key, those that are less: its rank.  Keys that
 * are equal have the same rank, and take the places from there on.  The work
 * is quadratic, but without a branch, and done on a line of keys at once.
 */
CPU_CLONES static void
sort_small(int32_t *keys, int count, bool descending)
{
	int32_t		flip = descending ? -1 : 0;
	int32_t		copy[SORT_SMALL];
	uint8_t		placed[SORT_SMALL] = {0};

	for (int i = 0; i < count; i++)
		copy[i] = keys[i] ^ flip;
	memset(copy + count, 0, sizeof(copy) - count * sizeof(int32_t));

	for (int first = 0; first < count; first += SORT_LINE)
	{
		int32_t		ranks[SORT_LINE] = {0};

		for (int i = 0; i < count; i++)
		{
			for (int j = 0; j < SORT_LINE; j++)
				ranks[j] += copy[i] < copy[first + j];
		}
		for (int j = 0; j < SORT_LINE && first + j < count; j++)
			keys[ranks[j] + placed[ranks[j]]++] = copy[first + j] ^ flip;
	}
}

/* The chunks' counts, all zero. */
static SortChunk *
get_chunks(EngineJob *job, int nchunks)
{
	if (nchunks > 1)
		return calloc(nchunks, sizeof(SortChunk));
	memset(&job->sort_chunk, 0, sizeof(SortChunk));
	return &job->sort_chunk;
}

bool
cpu_sort_begin(EngineJob *job)
{
	CpuSort    *sort = &job->sort;
	int64_t		count = job->request.count;
	int64_t		pieces = (count + CPU_PIECE - 1) / CPU_PIECE;
	int64_t		per_chunk = (pieces + SORT_MOST_CHUNKS - 1) / SORT_MOST_CHUNKS;

	memset(sort, 0, sizeof(*sort));
	sort->flip = job->request.descending ? 0x7FFFFFFF : 0x80000000;
	sort->from = job->request.result;
	sort->chunk_size = per_chunk * CPU_PIECE;
	sort->nchunks = (count + sort->chunk_size - 1) / sort->chunk_size;
	if (count > SORT_SMALL)
		sort->chunks = get_chunks(job, sort->nchunks);
	return count <= SORT_SMALL || sort->chunks != NULL;
}

/* The rest of the chunk at hand. */
void
cpu_sort_buffer(EngineJob *job, void *buffers[ENGINE_INPUTS],
				int64_t *capacity)
{
	CpuSort    *sort = &job->sort;
	int			chunk = job->pushed / sort->chunk_size;

	buffers[0] = sort->from + job->pushed;
	buffers[1] = NULL;
	*capacity = chunk * sort->chunk_size + chunk_count(job, chunk) -
		job->pushed;
}

/*
 * Counts the digit at work of a chunk's keys; in memory of this thread's own,
 * as the chunks' counts share cache lines.
 */
static void
count_digit(EngineJob *job, int number)
{
	CpuSort    *sort = &job->sort;
	const int32_t *keys = sort->from + number * sort->chunk_size;
	int64_t		count = chunk_count(job, number);
	uint32_t	bins[SORT_BINS] = {0};

	for (int64_t i = 0; i < count; i++)
		bins[digit_of(keys[i], sort->flip, sort->digit)]++;
	memcpy(sort->chunks[number].bins, bins, sizeof(bins));
}

/* Counts the lowest digit of a chunk's keys, and looks at their bits. */
static void
count_new_keys(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuSort    *sort = &job->sort;
	SortChunk  *chunk = &sort->chunks[number];
	const int32_t *keys = sort->from + number * sort->chunk_size;
	int64_t		count = chunk_count(job, number);
	uint32_t	any = 0;
	uint32_t	all = ~(uint32_t) 0;

	for (int64_t i = 0; i < count; i++)
	{
		any |= keys[i];
		all &= keys[i];
	}
	count_digit(job, number);
	chunk->any = any;
	chunk->all = all;
	__atomic_sub_fetch(&sort->pending, 1, __ATOMIC_RELEASE);
}

void
cpu_sort_push(EngineJob *job, const void *const data[ENGINE_INPUTS],
			  int64_t count)
{
	CpuSort    *sort = &job->sort;
	int			chunk = job->pushed / sort->chunk_size;

	if (data[0] != sort->from + job->pushed)
		memcpy(sort->from + job->pushed, data[0], count * sizeof(int32_t));
	job->pushed += count;
	if (job->request.count > SORT_SMALL &&
		job->pushed == chunk * sort->chunk_size + chunk_count(job, chunk))
	{
		__atomic_add_fetch(&sort->pending, 1, __ATOMIC_RELAXED);
		team_add(&job->team, count_new_keys, job, chunk);
	}
}

/* The bits in which any two keys differ. */
static uint32_t
live_bits(const CpuSort *sort)
{
	uint32_t	any = 0;
	uint32_t	all = ~(uint32_t) 0;

	for (int chunk = 0; chunk < sort->nchunks; chunk++)
	{
		any |= sort->chunks[chunk].any;
		all &= sort->chunks[chunk].all;
	}
	return any ^ all;
}

/* Scans the counts of the digit at work, which makes positions of them. */
static void
scan_counts(CpuSort *sort)
{
	uint32_t	position = 0;

	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		for (int chunk = 0; chunk < sort->nchunks; chunk++)
		{
			uint32_t   *count = &sort->chunks[chunk].bins[bin];
			uint32_t	next = position + *count;

			*count = position;
			position = next;
		}
	}
}

/*
 * Writes a whole cache line past the caches, where the processor can: the
 * line need not be read first.
 */
static inline void
stream_line(int32_t *to, const int32_t *line)
{
#ifdef __SSE2__
	for (int i = 0; i < SORT_LINE; i += 4)
		_mm_stream_si128((__m128i *) (to + i),
						 _mm_load_si128((const __m128i *) (line + i)));
#else
	memcpy(to, line, SORT_LINE * sizeof(int32_t));
#endif
}

/* Moves keys to their places, one by one. */
static void
move_cached_keys(CpuSort *sort, int64_t count)
{
	const int32_t *keys = sort->from;
	int32_t    *to = sort->to;
	uint32_t   *positions = sort->chunks[0].bins;

	for (int64_t i = 0; i < count; i++)
		to[positions[digit_of(keys[i], sort->flip, sort->digit)]++] = keys[i];
}

/* To be called before other threads may read what was streamed. */
static inline void
stream_end(void)
{
#ifdef __SSE2__
	_mm_sfence();
#endif
}

/*
 * Moves a chunk's keys to their places, a cache line at a time: to write them
 * one by one, to as many places as there are bins, would miss the caches and
 * the TLB for almost each.
 *
 * The keys for a bin wait in a line that is laid over the destination's.  Its
 * first "start" keys, and when all is done those from "end" on, are not ours.
 */
static void
move_keys(EngineJob *job, int number)
{
	CpuSort    *sort = &job->sort;
	const int32_t *keys = sort->from + number * sort->chunk_size;
	uint32_t	flip = sort->flip;
	int			digit = sort->digit;
	int64_t		count = chunk_count(job, number);
	int32_t    *places[SORT_BINS];
	uint8_t		start[SORT_BINS];
	uint8_t		end[SORT_BINS];
	int32_t		lines[SORT_BINS][SORT_LINE] __attribute__((aligned(64)));

	if (job->request.count <= SORT_CACHED)
	{
		move_cached_keys(sort, count);
		return;
	}
	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		int32_t    *to = sort->to + sort->chunks[number].bins[bin];

		start[bin] = end[bin] = (uintptr_t) to / sizeof(int32_t) % SORT_LINE;
		places[bin] = to - start[bin];
	}
	for (int64_t i = 0; i < count; i++)
	{
		uint32_t	bin = digit_of(keys[i], flip, digit);

		lines[bin][end[bin]++] = keys[i];
		if (end[bin] < SORT_LINE)
			continue;
		if (start[bin] == 0)
			stream_line(places[bin], lines[bin]);
		else
			memcpy(places[bin] + start[bin], lines[bin] + start[bin],
				   (SORT_LINE - start[bin]) * sizeof(int32_t));
		places[bin] += SORT_LINE;
		start[bin] = end[bin] = 0;
	}
	for (int bin = 0; bin < SORT_BINS; bin++)
		memcpy(places[bin] + start[bin], lines[bin] + start[bin],
			   (end[bin] - start[bin]) * sizeof(int32_t));
	stream_end();
}

/* After an odd number of passes the keys are not yet in the result. */
static void
copy_keys(EngineJob *job, int number)
{
	CpuSort    *sort = &job->sort;
	int64_t		first = number * sort->chunk_size;

	memcpy(sort->to + first, sort->from + first,
		   chunk_count(job, number) * sizeof(int32_t));
}

/* A helper's share in a phase. */
static void
work_on_chunks(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuSort    *sort = &job->sort;

	while (!__atomic_load_n(&sort->cancelled, __ATOMIC_RELAXED))
	{
		int			chunk = __atomic_fetch_add(&sort->next_chunk, 1,
											   __ATOMIC_RELAXED);

		if (chunk >= sort->nchunks)
			break;
		sort->work(job, chunk);
	}
	__atomic_sub_fetch(&sort->pending, 1, __ATOMIC_RELEASE);
}

static void
start_phase(EngineJob *job, SortWork work)
{
	CpuSort    *sort = &job->sort;

	sort->work = work;
	sort->next_chunk = 0;
	sort->pending = job->team.helpers;
	for (int i = 0; i < job->team.helpers; i++)
		team_add(&job->team, work_on_chunks, job, i);
}

static int32_t *
get_scratch(EngineJob *job)
{
	size_t		size = job->request.count * sizeof(int32_t);
	void	   *scratch;

	if (job->request.count <= SORT_CACHED)
		return cpu_piece_buffer(&job->pieces[0]);
	if (posix_memalign(&scratch, HUGE_PAGE, size) != 0)
		return NULL;
#ifdef MADV_HUGEPAGE
	(void) madvise(scratch, size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
	return scratch;
}

/* The positions are known: the keys can be moved. */
static EngineStatus
start_moving(EngineJob *job)
{
	CpuSort    *sort = &job->sort;

	if (sort->scratch == NULL)
	{
		sort->scratch = get_scratch(job);
		if (sort->scratch == NULL)
			return ENGINE_OUT_OF_MEMORY;
		sort->to = sort->scratch;
	}
	scan_counts(sort);
	start_phase(job, move_keys);
	return ENGINE_MORE;
}

/* All is done on the digit at work: goes on to the next live one. */
static EngineStatus
start_digit(EngineJob *job, int digit)
{
	CpuSort    *sort = &job->sort;
	uint32_t	mask = SORT_BINS - 1;

	while (digit < SORT_DIGITS &&
		   !(sort->live >> (digit * SORT_DIGIT_BITS) & mask))
		digit++;
	sort->digit = digit;
	if (digit == 0)
		return start_moving(job);	/* it was counted when the keys came */
	if (digit < SORT_DIGITS)
	{
		start_phase(job, count_digit);
		return ENGINE_MORE;
	}
	if (sort->from == job->request.result)
		return ENGINE_OK;
	start_phase(job, copy_keys);
	return ENGINE_MORE;
}

static EngineStatus
next_phase(EngineJob *job)
{
	CpuSort    *sort = &job->sort;

	if (sort->work == NULL)
	{
		sort->live = live_bits(sort);
		return start_digit(job, 0);
	}
	if (sort->work == count_digit)
		return start_moving(job);
	if (sort->work == move_keys)
	{
		int32_t    *moved = sort->to;

		sort->to = sort->from;
		sort->from = moved;
		return start_digit(job, sort->digit + 1);
	}
	return ENGINE_OK;			/* the keys are copied */
}

/* One chunk of the phase at work, or the step to the next phase. */
EngineStatus
cpu_sort_finish(EngineJob *job, EngineResult *result)
{
	CpuSort    *sort = &job->sort;

	result->count = job->request.count;
	if (job->request.count <= SORT_SMALL)
	{
		sort_small(sort->from, job->request.count, job->request.descending);
		return ENGINE_OK;
	}
	if (sort->work != NULL)
	{
		int			chunk = __atomic_fetch_add(&sort->next_chunk, 1,
											   __ATOMIC_RELAXED);

		if (chunk < sort->nchunks)
		{
			sort->work(job, chunk);
			return ENGINE_MORE;
		}
	}
	if (__atomic_load_n(&sort->pending, __ATOMIC_ACQUIRE) != 0)
	{
		team_wait(&job->team, &sort->pending);
		return ENGINE_MORE;
	}
	return next_phase(job);
}

void
cpu_sort_end(EngineJob *job)
{
	if (job->sort.scratch != job->pieces[0].buffer)
		free(job->sort.scratch);
	if (job->sort.chunks != &job->sort_chunk)
		free(job->sort.chunks);
}
