/*
 * cpu_select.c
 *	  Selection: the elements of given ranks, without a sort.
 *
 * The keys are divided into bins, and the elements of each bin are counted, as
 * in the first pass of a radix sort from the most significant digit.  The
 * counts say which bins have the answers.  Only the elements of these bins are
 * kept, and the bins are divided again, until few enough elements are left to
 * be sorted, or a bin is a single key.
 *
 * The elements are counted for the first time while they arrive, in bins that
 * are laid over a sample of the first piece.  If that piece is not
 * representative, as in a sorted array or a slow wave, a second count is
 * needed, in bins that are laid over a sample of the whole array.  From the
 * third count on, the bins divide the range of keys evenly: so the selection
 * ends, whatever the elements are.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_network.h"
#include "cpu/cpu_select.h"

/* Elements that are kept in the cache before they are copied out. */
#define SELECT_KEPT			4096

/*
 * The first piece is unlike the others if more than 1 / SELECT_OUTSIDE_PART of
 * all elements may be answers, and are outside of the bins.  Of a piece like
 * the others, the sample leaves about a thirtieth outside.  Other limits were
 * not compared.
 */
#define SELECT_OUTSIDE_PART	8

/* Takes a table for this thread alone; there is one for each thread. */
static SelectTable *
take_table(CpuSelect *select)
{
	for (int i = 0;; i = (i + 1) % select->ntables)
	{
		SelectTable *table = &select->tables[i];

		if (!__atomic_exchange_n(&table->taken, true, __ATOMIC_ACQUIRE))
			return table;
	}
}

static void
count_chunk(CpuJob *job, int chunk, int thread)
{
	CpuSelect  *select = job->state;
	SelectTable *table = take_table(select);

	select->kind->count(select, select->chunks[chunk],
						chunk_count(job, chunk), table);
	__atomic_store_n(&table->taken, false, __ATOMIC_RELEASE);
}

/* Keeps the elements of a chunk that are in the next ranges, in any order. */
static void
keep_chunk(CpuJob *job, int chunk, int thread)
{
	CpuSelect  *select = job->state;
	KeepElements keep = select->nnext == 1 ?
		select->kind->keep_range : select->kind->keep;
	const char *data = select->chunks[chunk];
	int64_t		count = chunk_count(job, chunk);
	int			size = element_size(job);
	char		kept[(SELECT_KEPT + SELECT_BLOCK) * sizeof(uint64_t)];
	int			nkept = 0;

	for (int64_t done = 0; done < count; done += SELECT_BLOCK)
	{
		int			block = cpu_min(count - done, SELECT_BLOCK);

		nkept += keep(select, data + done * size, block, kept + nkept * size);
		if (nkept >= SELECT_KEPT || done + block == count)
		{
			int64_t		at = __atomic_fetch_add(&select->nkept, nkept,
												__ATOMIC_RELAXED);

			memcpy(select->kept + at * size, kept, nkept * size);
			nkept = 0;
		}
	}
}

/* Adds the counts of all threads, in the first table. */
static const uint32_t *
sum_counts(CpuSelect *select)
{
	uint32_t   *counts = select->tables[0].counts[0];

	for (int i = 0; i < select->ntables; i++)
	{
		for (int half = i == 0; half < 2; half++)
		{
			const uint32_t *more = select->tables[i].counts[half];

			for (int bin = 0; bin < select->nbins; bin++)
				counts[bin] += more[bin];
		}
	}
	return counts;
}

/* Counts the elements before each range, if every element is in a range. */
static void
place_ranges(CpuSelect *select, const uint32_t *counts)
{
	int64_t		below = select->first_rank;

	if (select->middle < 0)
		return;
	if (select->nranges == 1)
		below += counts[0];
	for (int i = 0; i < select->nranges; i++)
	{
		SelectRange *range = &select->ranges[i];

		range->below = below;
		for (int bin = 0; bin < range->nbins; bin++)
			below += counts[range->first_bin + bin];
	}
}

/* Adds a bin, which has these keys, to the next ranges. */
static void
keep_bin(CpuSelect *select, int bin, const SelectRange *keys)
{
	select->keep[bin] = 1;
	select->next[select->nnext++] = *keys;
	select->next_count += keys->count;
}

/*
 * Finds the bin of each rank, and the answer if the bin is a single key.  Both
 * ranks and bins are in order.
 */
static void
find_ranks(CpuJob *job)
{
	CpuSelect  *select = job->state;
	const uint32_t *counts = sum_counts(select);
	const SelectRange *range = select->ranges;
	int64_t		below;			/* elements before the bin */
	int			bin = 0;		/* of the range */
	int			last_bin = -1;	/* the bin of the last rank, */
	SelectRange keys = {0};		/* and its keys */

	place_ranges(select, counts);
	memset(select->keep, 0, select->nbins);
	select->nnext = 0;
	select->next_count = 0;
	below = range->below;
	for (int i = 0; i < count_ranks(job); i++)
	{
		int64_t		rank = ranks_of(job)[i];

		if (select->found[i])
			continue;
		while (rank >= below + counts[range->first_bin + bin])
		{
			below += counts[range->first_bin + bin];
			if (++bin == range->nbins)
			{
				range++;
				bin = 0;
				below = range->below;
			}
		}
		if (last_bin != range->first_bin + bin)
		{
			last_bin = range->first_bin + bin;
			keys = cpu_select_range_of_bin(job, range, bin);
			keys.below = below;
			keys.count = counts[last_bin];
			if (keys.low < keys.high)
				keep_bin(select, last_bin, &keys);
		}
		if (keys.low == keys.high)
		{
			cpu_select_restore(job, keys.low, result_of(job, i));
			select->found[i] = true;
		}
	}
}

static EngineStatus counted(CpuJob *job);

/* Counts the elements in the ranges at work. */
static EngineStatus
start_counting(CpuJob *job)
{
	cpu_select_lay_bins(job, job->phases.count);
	return cpu_phase_start(job, count_chunk, counted);
}

/* Goes on with the ranges that were found, and counts again. */
static EngineStatus
count_next_ranges(CpuJob *job)
{
	CpuSelect  *select = job->state;

	memcpy(select->ranges, select->next, select->nnext * sizeof(SelectRange));
	select->nranges = select->nnext;
	return start_counting(job);
}

/* All keys are one range. */
static void
take_all_keys(CpuJob *job)
{
	CpuSelect  *select = job->state;

	select->ranges[0] = (SelectRange) {
		.high = select->last_key, .count = job->request->count
	};
	select->nranges = 1;
}

/* Elements of the next ranges that are outside of the first bins. */
static int64_t
count_outside(const CpuSelect *select)
{
	const SelectRange *middle = &select->ranges[select->middle];
	int64_t		outside = 0;

	for (int i = 0; i < select->nnext; i++)
	{
		const SelectRange *next = &select->next[i];

		if (next->high < middle->low || next->low > middle->high)
			outside += next->count;
	}
	return outside;
}

/* Finds the answers that are left in the sorted elements of the last ranges. */
static void
find_in_order(CpuJob *job, const char *sorted)
{
	const CpuSelect *select = job->state;
	int			size = element_size(job);
	const SelectRange *range = select->next;

	for (int i = 0; i < count_ranks(job); i++)
	{
		int64_t		rank = ranks_of(job)[i];

		if (select->found[i])
			continue;
		while (rank >= range->below + range->count)
			sorted += range++->count * size;
		memcpy(result_of(job, i), sorted + (rank - range->below) * size, size);
	}
}

/* Once elements are kept: sorts them if they are few, else counts again. */
static EngineStatus
kept(CpuJob *job)
{
	CpuSelect  *select = job->state;

	free(select->memory);
	select->memory = select->kept;
	select->kept = NULL;
	cpu_phases_shrink(job, select->next_count);
	if (select->next_count <= SORT_SMALL)
	{
		uint64_t	sorted[SORT_SMALL];

		cpu_sort_few(job->request->kinds[0], select->flip, select->memory,
					 (int) select->next_count, sorted);
		find_in_order(job, (char *) sorted);
		return ENGINE_OK;
	}
	for (int i = 0; i < job->phases.nchunks; i++)
		select->chunks[i] = select->memory +
			chunk_first(job, i) * element_size(job);
	select->gapless = select->nnext == 1;
	select->first_rank = select->next[0].below;
	return count_next_ranges(job);
}

/* Once the counts are complete: ends, counts again, or keeps elements. */
static EngineStatus
counted(CpuJob *job)
{
	CpuSelect  *select = job->state;

	find_ranks(job);
	if (select->nnext == 0)
		return ENGINE_OK;
	if (select->rounds == 1 &&
		count_outside(select) > job->phases.count / SELECT_OUTSIDE_PART)
	{
		take_all_keys(job);
		return start_counting(job);
	}
	if (select->next_count > SORT_SMALL &&
		select->next_count > job->phases.count / 2)
		return count_next_ranges(job);
	select->kept = cpu_memory(select->next_count * element_size(job));
	if (select->kept == NULL)
		return cpu_out_of_memory(job);
	select->nkept = 0;
	return cpu_phase_start(job, keep_chunk, kept);
}

static void
select_end(CpuJob *job)
{
	CpuSelect  *select = job->state;

	cpu_phases_end(job);
	free(select->kept);
	free(select->memory);
	free(select->chunks);
}

static bool
select_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	int64_t		count = request->count;
	int			nchunks;
	int			ntables;
	CpuSelect  *select;

	if (cpu_piece_buffer(&job->pieces[0]) == NULL ||
		!cpu_phases_begin(job, cpu_piece_count(job), count_chunk, counted))
		return false;
	nchunks = job->phases.nchunks;
	ntables = cpu_min(request->threads, nchunks);
	select = malloc(sizeof(CpuSelect) + ntables * sizeof(SelectTable));
	job->state = select;
	if (select == NULL)
		return false;
	memset(select, 0, offsetof(CpuSelect, ranges));
	select->kind = cpu_select_kind(request->kinds[0]);
	select->flip = cpu_sort_keys[request->kinds[0]].flip;
	select->last_key = UINT64_MAX >> (64 - 8 * element_size(job));
	select->gapless = true;
	select->kept = NULL;
	select->ntables = ntables;
	select->chunks = malloc(nchunks * sizeof(char *));
	job->gathered[0].memory = job->pieces[0].buffer;
	if (count > CPU_PIECE)
		job->gathered[0].memory = select->memory =
			cpu_memory(count * element_size(job));
	return select->chunks != NULL && job->gathered[0].memory != NULL;
}

/* Selects from all elements, SORT_SMALL at most. */
static void
select_from_few(CpuJob *job, const void *data, int count)
{
	ElementKind kind = job->request->kinds[0];
	const SelectKind *select = cpu_select_kind(kind);
	uint64_t	flip = cpu_sort_keys[kind].flip;
	const int64_t *ranks = ranks_of(job);
	int			nranks = count_ranks(job);
	int			size = element_size(job);

	if (!cpu_network_pays(count, size) &&
		(nranks == 1 || (nranks == 2 && ranks[1] == ranks[0] + 1)))
	{
		uint64_t	found[2];

		select->few(data, count, flip, (int) ranks[0], found);
		for (int i = 0; i < nranks; i++)
			cpu_select_restore(job, found[i], result_of(job, i));
	}
	else
	{
		uint64_t	sorted[SORT_SMALL];

		cpu_sort_few(kind, flip, data, count, sorted);
		for (int i = 0; i < nranks; i++)
			memcpy(result_of(job, i), (char *) sorted + ranks[i] * size, size);
	}
}

static void
select_push(CpuJob *job, const void *const data[ENGINE_INPUTS], int64_t count)
{
	CpuSelect  *select = job->state;

	/* The first piece is looked at now. */
	if (job->pushed == 0)
		cpu_fills_copy(&cpu_next_piece(job)->fills);
	select->chunks[job->pushed / job->phases.chunk_size] = data[0];
	if (job->pushed == 0)
	{
		take_all_keys(job);
		cpu_select_lay_bins(job, count);
	}
	cpu_pieces_push(job, data, count);
}

static EngineStatus
select_finish(CpuJob *job, EngineResult *result)
{
	result->count = count_ranks(job);
	return cpu_phases_step(job);
}

static EngineStatus
select_run(CpuJob *job, const void *const data[ENGINE_INPUTS],
		   EngineResult *result)
{
	if (job->request->count > SORT_SMALL)
		return cpu_run_by_steps(job, data, result);
	select_from_few(job, data[0], (int) job->request->count);
	result->count = count_ranks(job);
	return ENGINE_OK;
}

const CpuOperation cpu_select = {
	.begin = select_begin,
	.buffer = cpu_gather_chunk,
	.push = select_push,
	.finish = select_finish,
	.end = select_end,
	.run = select_run,
	.piece = cpu_phases_piece
};
