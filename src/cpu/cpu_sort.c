/*
 * cpu_sort.c
 *	  Radix sort, from the least significant digit.
 *
 * Keys are gathered in the result, or in scratch memory if the result is a
 * payload.  While a chunk of them is in the cache, a task computes its
 * statistics, and the histogram of the lowest digit.  Then, for each digit in
 * which any two keys differ, a stable pass moves all elements from one half of
 * a double buffer to the other (Knuth, The Art of Computer Programming, volume
 * 3, section 5.2.5).
 *
 * Each chunk has its own histogram.  An exclusive scan over all of them, bin
 * by bin and within a bin chunk by chunk, gives each chunk its own place for
 * each bin (Zagha and Blelloch, "Radix sort for vector multiprocessors",
 * 1991).
 *
 * Integers in a narrow range are counted instead (cpu_sort_counting.c), and so
 * are keys with few distinct values (cpu_sort_dictionary.c).  If few digits
 * divide the keys into groups that fit into the cache, or if all of them do,
 * these are sorted there (cpu_sort_groups.c).  If ranks are wanted, positions
 * are sorted, and ranks written to these (cpu_rank.c).
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_sort_parts.h"
#include "loops/numbers.h"

/* With more chunks, the scan over their histograms would take long. */
#define SORT_MAX_CHUNKS		256

/* The meaning of the keys. */
static void
set_keys(CpuJob *job)
{
	CpuSort    *sort = &job->sort;

	sort->keys = &cpu_sort_keys[job->request->kinds[0]];
	sort->flip = sort->keys->flip ^
		(PARAMETERS(job->request, SortParameters)->descending ?
		 UINT64_MAX : 0);
}

static void
count_chunk(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;

	sort->shape->count(sort, chunk_first(job, number),
					   chunk_count(job, number), sort->chunks[number].bins);
}

/*
 * The task of a chunk that is full: makes the statistics of its keys, and the
 * histogram of the first digit by which they may be moved.
 */
static void
analyze_chunk(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	int64_t		first = chunk_first(job, number);
	int64_t		count = chunk_count(job, number);
	void	   *keys = (char *) sort->from.keys + first * sort_key_size(job);

	if (sort->keys->order != NULL)
	{
		if (sort_has_payload(job))
			sort->keys->order_canonical(keys, keys, count);
		else
			sort->keys->order(keys, keys, count);
	}
	sort->chunks[number].statistics =
		sort->shape->statistics(sort, first, count);
	count_chunk(job, number, thread);
}

/* Scans the histograms of the current digit, exclusively and in place. */
static void
scan_histograms(CpuSort *sort)
{
	uint32_t	position = 0;

	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		for (int chunk = 0; chunk < sort->phases->nchunks; chunk++)
		{
			uint32_t   *count = &sort->chunks[chunk].bins[bin];
			uint32_t	next = position + *count;

			*count = position;
			position = next;
		}
	}
}

static void
move_chunk(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;

	sort->shape->stream(sort, chunk_first(job, number),
						chunk_count(job, number), sort->chunks[number].bins);
}

/* Returns whether a fact about all distinct keys suffices. */
static bool
reduces(const CpuJob *job)
{
	const SortParameters *wanted = PARAMETERS(job->request, SortParameters);

	return (wanted->longest_run || wanted->count_only) &&
		!wanted->descending && job->request->count > 0;
}

/* Where the sorted keys or payloads are to be. */
static void *
place_of_sorted(const CpuJob *job)
{
	return reduces(job) ? job->sort.from.keys : job->request->outputs[0].memory;
}

/* Returns whether the result is in its place after the last pass. */
static bool
is_in_place(const CpuJob *job)
{
	const CpuSort *sort = &job->sort;

	if (sort_has_payload(job))
		return sort->from.payloads == place_of_sorted(job);
	return sort->from.keys == place_of_sorted(job) &&
		sort->keys->restore == NULL;
}

/*
 * Puts elements of the result in their place.  After an odd number of passes
 * they are in the other buffer, and floats are still orders.
 */
static void
place(CpuJob *job, int64_t first, int64_t count)
{
	CpuSort    *sort = &job->sort;
	const char *from = sort_has_payload(job) ? sort->from.payloads :
		sort->from.keys;
	char	   *to = place_of_sorted(job);
	int			size = output_size(job->request, 0);

	if (from != to)
		memcpy(to + first * size, from + first * size, count * size);
	if (!sort_has_payload(job) && sort->keys->restore != NULL)
		sort->keys->restore(to + first * size, count);
}

static void
place_chunk(CpuJob *job, int number, int thread)
{
	place(job, chunk_first(job, number), chunk_count(job, number));
}

/*
 * Counts the distinct ones of sorted keys, or finds the longest run of those
 * that begin from "first" to "end" and go on up to "last".
 */
static void
reduce(CpuJob *job, const char *keys, int64_t first, int64_t end, int64_t last,
	   SortChunk *chunk)
{
	const SortKeys *of_kind = job->sort.keys;

	if (PARAMETERS(job->request, SortParameters)->longest_run)
		chunk->keys = of_kind->longest(keys, first, end, last,
										&chunk->longest);
	else
		chunk->distinct = of_kind->heads(keys, first, end);
}

static void
reduce_chunk(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	int64_t		first = chunk_first(job, number);

	reduce(job, sort->from.keys, first, first + chunk_count(job, number),
		   job->request->count, &sort->chunks[number]);
}

/* Sorts the groups of a chunk, and does what follows while they are cached. */
static void
sort_groups(CpuJob *job, int number, int thread)
{
	CpuSort    *sort = &job->sort;
	SortChunk  *chunk = &sort->chunks[number];
	int64_t		first = chunk->group;
	int64_t		count = cpu_sort_groups(sort, number);

	if (cpu_makes_ranks(job))
		return;
	place(job, first, count);
	if (!reduces(job))
		return;
	reduce(job, (char *) sort->from.keys + first * sort_key_size(job), 0,
		   count, count, chunk);
	chunk->longest += first;
}

/* The only result is the key of the longest run of all. */
static void
keep_longest(CpuJob *job)
{
	const CpuSort *sort = &job->sort;
	const SortChunk *longest = &sort->chunks[0];
	char	   *keys = job->request->outputs[0].memory;
	int32_t    *starts = job->request->outputs[1].memory;
	int			size = sort_key_size(job);

	for (int i = 1; i < job->phases.nchunks; i++)
	{
		if (sort->chunks[i].keys > longest->keys)
			longest = &sort->chunks[i];
	}
	memmove(keys, (char *) sort->from.keys + longest->longest * size, size);
	if (starts != NULL)
		starts[0] = 1;
}

static EngineStatus
end_reduction(CpuJob *job)
{
	CpuSort    *sort = &job->sort;

	sort->reduced = true;
	if (PARAMETERS(job->request, SortParameters)->longest_run)
	{
		keep_longest(job);
		sort->kept = 1;
		return ENGINE_OK;
	}
	for (int i = 0; i < job->phases.nchunks; i++)
		sort->kept += sort->chunks[i].distinct;
	return ENGINE_OK;
}

/* What follows once all keys are sorted, and in their place. */
static EngineStatus
end_sort(CpuJob *job)
{
	return reduces(job) ?
		cpu_phase_start(job, reduce_chunk, end_reduction) : ENGINE_OK;
}

static EngineStatus end_pass(CpuJob *job);

/* Starts to move elements, once the histograms are complete. */
static EngineStatus
start_moving(CpuJob *job)
{
	CpuSort    *sort = &job->sort;

	sort->make_positions = sort->pass == 0 && sort_makes_positions(job);
	sort->drop_keys = sort->pass == sort->npasses - 1 && !sort->has_groups &&
		!cpu_rank_needs_keys(job);
	scan_histograms(sort);
	return cpu_phase_start(job, move_chunk, end_pass);
}

/* Starts a pass; after the last one, puts the result in its place. */
static EngineStatus
start_pass(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	PhaseNext	next = cpu_makes_ranks(job) ? cpu_rank_start : end_sort;

	if (sort->pass == sort->npasses && sort->has_groups)
	{
		cpu_sort_find_groups(sort);
		return cpu_phase_start(job, sort_groups,
							   reduces(job) ? end_reduction : next);
	}
	if (sort->pass == sort->npasses)
		return cpu_makes_ranks(job) || is_in_place(job) ? next(job) :
			cpu_phase_start(job, place_chunk, next);
	sort->shift = sort->shifts[sort->pass];
	/* The chunks have counted their lowest digits. */
	if (sort->pass == 0 && sort->shift == 0 && sort->base == 0)
		return start_moving(job);
	return cpu_phase_start(job, count_chunk, start_moving);
}

/* All elements have moved to the other half of the double buffer. */
static EngineStatus
end_pass(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	SortBuffer	moved = sort->to;

	sort->to = sort->from;
	sort->from = moved;
	sort->pass++;
	return start_pass(job);
}

/* Starts the passes, which are planned. */
static EngineStatus
start_digits(CpuJob *job)
{
	CpuSort    *sort = &job->sort;

	/* Positions are made in a pass, even if no keys differ. */
	if (sort->npasses == 0 && !sort->has_groups && sort_makes_positions(job))
		sort->npasses = 1;
	if ((sort->npasses > 0 || sort->has_groups) &&
		!cpu_sort_allocate_other(job))
		return cpu_out_of_memory(job);
	if (sort->npasses == 0 && sort_makes_positions(job))
		number_from(sort->from.payloads, 1, job->request->count);
	return start_pass(job);
}

/* Sorts by counts of the distinct keys, or by digits if these are too many. */
static EngineStatus
end_counting(CpuJob *job)
{
	return cpu_sort_end_dictionary(job) ? cpu_sort_write_counted(job) :
		start_digits(job);
}

/* Starts the way to sort that suits the keys, once all are analyzed. */
static EngineStatus
start_passes(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	SortSample	sample;

	if (cpu_sort_plan_counting(job))
		return cpu_sort_start_counting(job);
	cpu_sort_plan(sort);
	if (cpu_sort_plan_one_group(job) || sort->npasses < 2 ||
		job->request->count < SAMPLED_COUNT)
		return start_digits(job);
	cpu_sort_sample(sort, &sample);
	if (sort->shape->hash != NULL && cpu_sort_plan_dictionary(job, &sample))
		return cpu_phase_start(job, cpu_sort_count_distinct, end_counting);
	cpu_sort_plan_groups(job, &sample);
	return start_digits(job);
}

static void
sort_end(CpuJob *job)
{
	cpu_phases_end(job);
	cpu_sort_free(job);
}

static bool
sort_begin(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	int64_t		count = job->request->count;
	int64_t		pieces = (count + CPU_PIECE - 1) / CPU_PIECE;
	int64_t		per_chunk = (pieces + SORT_MAX_CHUNKS - 1) / SORT_MAX_CHUNKS;

	memset(sort, 0, sizeof(*sort));
	set_keys(job);
	sort->shape = cpu_sort_shape(sort_key_size(job), sort_payload_bytes(job));
	sort->phases = &job->phases;
	sort->from.keys = job->request->outputs[0].memory;
	if (sort_has_payload(job))
		sort->from.payloads = job->request->outputs[0].memory;
	if (!cpu_phases_begin(job, per_chunk * CPU_PIECE, analyze_chunk,
						  start_passes) ||
		(sort_has_payload(job) &&
		 !cpu_sort_allocate_buffer(job, 0, cpu_marks_heads(job),
								   &sort->from)) ||
		(sort->chunks = calloc(job->phases.nchunks,
							   sizeof(SortChunk))) == NULL)
	{
		sort_end(job);
		return false;
	}
	job->gathered[0].memory = sort->from.keys;
	job->gathered[1].memory = sort->from.payloads;
	return true;
}

/* Keeps the distinct keys of one chunk. */
static EngineStatus
distinct_step(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	int			chunk = sort->distinct_chunk++;

	sort->kept = sort->keys->distinct(job->request->outputs[0].memory,
									  job->request->outputs[1].memory,
									  chunk_first(job, chunk),
									  chunk_count(job, chunk), sort->kept);
	return sort->distinct_chunk < job->phases.nchunks ?
		ENGINE_MORE : ENGINE_OK;
}

/* Takes one step of the sort, unless all is sorted. */
static EngineStatus
sort_finish(CpuJob *job, EngineResult *result)
{
	CpuSort    *sort = &job->sort;

	if (!sort->sorted)
	{
		EngineStatus status = cpu_phases_step(job);

		if (status != ENGINE_OK)
			return status;
		sort->sorted = true;
	}
	result->count = job->request->count;
	return ENGINE_OK;
}

/*
 * Sorts a few elements without the state of a sort: the call is so short that
 * setting all of that to zero would be felt.
 */
static bool
run_few(CpuJob *job, const void *const data[ENGINE_INPUTS],
		EngineResult *result)
{
	if (job->request->count > SORT_SMALL)
		return false;
	set_keys(job);
	cpu_sort_small(job->request, job->sort.flip, data);
	result->count = job->request->count;
	return true;
}

static EngineStatus
sort_run(CpuJob *job, const void *const data[ENGINE_INPUTS],
		 EngineResult *result)
{
	return run_few(job, data, result) ? ENGINE_OK :
		cpu_run_by_steps(job, data, result);
}

static EngineStatus
distinct_run(CpuJob *job, const void *const data[ENGINE_INPUTS],
			 EngineResult *result)
{
	const EngineOutput *outputs = job->request->outputs;

	if (!run_few(job, data, result))
		return cpu_run_by_steps(job, data, result);
	result->count = job->sort.keys->distinct(outputs[0].memory,
											 outputs[1].memory, 0,
											 job->request->count, 0);
	return ENGINE_OK;
}

static EngineStatus
distinct_finish(CpuJob *job, EngineResult *result)
{
	EngineStatus status = sort_finish(job, result);

	if (status != ENGINE_OK)
		return status;
	if (job->sort.counting.slots == 0 && !job->sort.reduced)
		status = distinct_step(job);
	result->count = job->sort.kept;
	return status;
}

#define BY_SORT(finish_sort, run_sort) { \
		.begin = sort_begin, \
		.buffer = cpu_gather_chunk, \
		.push = cpu_pieces_push, \
		.finish = finish_sort, \
		.end = sort_end, \
		.run = run_sort, \
		.piece = cpu_phases_piece, \
		.piece_pushed = cpu_gather_copy \
	}

const CpuOperation cpu_sort = BY_SORT(sort_finish, sort_run);
const CpuOperation cpu_rank = BY_SORT(sort_finish, sort_run);
const CpuOperation cpu_distinct = BY_SORT(distinct_finish, distinct_run);
