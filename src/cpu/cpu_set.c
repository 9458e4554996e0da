/*
 * cpu_set.c
 *	  Union, intersection and difference of two sorted arrays, by a merge.
 *
 * The arrays are gathered one behind the other, and their order is checked
 * while they are in the cache.  If one is not sorted, the result says only
 * that.
 *
 * Of equal elements, the merge takes the ones of the first array first.  It is
 * divided into chunks of SET_CHUNK elements, which threads merge at the same
 * time (Odeh, Green, Mwassi, Shmueli and Birk, "Merge path: parallel merging
 * made simple", 2012).  A chunk needs only the adjacent elements of other
 * chunks, so runs of equal elements may have any length.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/operations/set.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_search.h"

/* Elements of both arrays that a thread merges at a time. */
#define SET_CHUNK			CPU_PIECE

/*
 * Parts of a chunk that are merged abreast, a step of each in turn, so that
 * none waits for its own loads.
 */
#define SET_LANES			2

/*
 * The piece whose buffer is for the results of the first thread; the others'
 * follow.  The buffer of the first piece may hold the elements.
 */
#define SET_FIRST_BUFFER	1

/*
 * If one array of a chunk has more than this many times the elements of the
 * other one, runs of its elements are found by galloping instead of merged.
 */
#define SET_FAR_APART		16

/* Parts of both arrays, to be merged. */
typedef struct SetPart
{
	int64_t		a_from;
	int64_t		a_to;
	int64_t		b_from;
	int64_t		b_to;
	void	   *out;			/* room for all */
	int64_t		results;
} SetPart;

typedef struct CpuSet CpuSet;

/* The functions for a kind of elements. */
typedef struct SetKind
{
	bool		(*in_order) (const void *elements, int64_t count,
							 uint64_t least);

	/* Returns how many of the first elements of a merge are of array a. */
	int64_t		(*split) (const void *a, int64_t na, const void *b,
						  int64_t nb, int64_t first, uint64_t least);
	void		(*merge) (const CpuSet *set, SetPart *parts, int nparts);
} SetKind;

struct CpuSet
{
	SetOperator op;
	uint64_t	least;			/* see kind_least() */
	const SetKind *kind;
	char	   *elements;		/* of both arrays */
	int64_t		counts[2];		/* elements of each array */
	const void *arrays[2];
	int			unordered;		/* bits: the first one, the second one */
};

#define KIND_TEMPLATE		"cpu_set_template.h"
#include "cpu/cpu_kinds.h"

static const SetKind *const kinds[ELEMENT_KINDS] = KIND_TABLE(&set_kind);

/* Notes whether the elements of an array from "from" to "to" are in order. */
static void
look_at(CpuJob *job, int array, int64_t from, int64_t to)
{
	CpuSet	   *set = job->state;
	int			size = input_size(job->request, 0);

	if (to - from > 1 &&
		!set->kind->in_order(set->elements + from * size, to - from,
							 set->least))
		__atomic_or_fetch(&set->unordered, 1 << array, __ATOMIC_RELAXED);
}

/* Notes whether elements of both arrays, which are adjacent, are in order. */
static void
look_at_all(CpuJob *job, int64_t from, int64_t to)
{
	const CpuSet *set = job->state;
	int64_t		first = set->counts[0];
	int64_t		middle = first < from ? from : first > to ? to : first;

	look_at(job, 0, from, middle);
	look_at(job, 1, middle, to);
}

/* Checks the order of a chunk that has arrived. */
static void
check_chunk(CpuJob *job, int chunk, int thread)
{
	look_at_all(job, chunk_first(job, chunk),
				chunk_first(job, chunk) + chunk_count(job, chunk));
}

static inline const void *
element_at(const CpuJob *job, int array, int64_t i)
{
	const CpuSet *set = job->state;

	return (const char *) set->arrays[array] +
		i * input_size(job->request, 0);
}

static int64_t
split(const CpuJob *job, const SetPart *part, int64_t first)
{
	const CpuSet *set = job->state;

	return set->kind->split(element_at(job, 0, part->a_from),
							part->a_to - part->a_from,
							element_at(job, 1, part->b_from),
							part->b_to - part->b_from, first, set->least);
}

/*
 * Cuts off the part that merges to the first "first" elements, and returns it.
 * The results of the rest have room of their own.
 */
static SetPart
cut_part(const CpuJob *job, SetPart *part, int64_t first)
{
	int64_t		a = split(job, part, first);
	SetPart		cut = *part;

	part->a_from = cut.a_to = cut.a_from + a;
	part->b_from = cut.b_to = cut.b_from + first - a;
	part->out = (char *) part->out + first * input_size(job->request, 0);
	return cut;
}

/* Divides a chunk into parts to be merged abreast; returns how many. */
static int
divide_chunk(const CpuJob *job, SetPart chunk, SetPart parts[SET_LANES])
{
	int64_t		na = chunk.a_to - chunk.a_from;
	int64_t		nb = chunk.b_to - chunk.b_from;
	int			nparts = 0;

	if (na > SET_FAR_APART * nb || nb > SET_FAR_APART * na)
	{
		parts[0] = chunk;
		return 1;
	}
	while (nparts < SET_LANES - 1)
	{
		parts[nparts] = cut_part(job, &chunk, (na + nb) / SET_LANES);
		nparts++;
	}
	parts[nparts++] = chunk;
	return nparts;
}

/*
 * Merges a chunk, in a thread with a buffer of its own.  Once the chunks before
 * it are counted, the results go to their place.
 */
static void
merge_chunk(CpuJob *job, int number, int thread)
{
	CpuSet	   *set = job->state;
	const EngineRequest *request = job->request;
	CpuPiece   *piece = &job->pieces[SET_FIRST_BUFFER + thread];
	int			size = input_size(request, 0);
	SetPart		rest = {0, set->counts[0], 0, set->counts[1], piece->buffer, 0};
	SetPart		chunk;
	SetPart		parts[SET_LANES];
	int64_t		results = 0;
	int64_t		before;
	CpuChain   *chain;
	int			nparts;

	(void) cut_part(job, &rest, chunk_first(job, number));
	rest.out = piece->buffer;
	chunk = cut_part(job, &rest, chunk_count(job, number));
	nparts = divide_chunk(job, chunk, parts);
	set->kind->merge(set, parts, nparts);
	for (int i = 0; i < nparts; i++)
		results += parts[i].results;

	piece->turn = number;
	chain = cpu_chain_wait(job, piece);
	before = chain->count;
	chain->count += results;
	cpu_chain_pass(job);
	if (request->outputs[0].memory == NULL || before + results > request->room)
		return;
	for (int i = 0; i < nparts; i++)
	{
		memcpy((char *) request->outputs[0].memory + before * size,
			   parts[i].out, parts[i].results * size);
		before += parts[i].results;
	}
}

/* Starts to merge, once all elements are there and chunks are checked. */
static EngineStatus
start_merging(CpuJob *job)
{
	const CpuSet *set = job->state;

	for (int chunk = 1; chunk < job->phases.nchunks; chunk++)
		look_at_all(job, chunk_first(job, chunk) - 1,
					chunk_first(job, chunk) + 1);
	if (set->unordered != 0)
		return ENGINE_OK;
	for (int i = 0; i < cpu_phase_threads(job); i++)
	{
		if (cpu_piece_buffer(&job->pieces[SET_FIRST_BUFFER + i]) == NULL)
			return cpu_out_of_memory(job);
	}
	return cpu_phase_start(job, merge_chunk, NULL);
}

static bool
set_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	int64_t		first = request->count - request->joined;
	CpuSet	   *set = calloc(1, sizeof(CpuSet));

	job->state = set;
	if (set == NULL)
		return false;
	set->op = PARAMETERS(request, SetParameters)->op;
	set->kind = kinds[request->kinds[0]];
	set->least = kind_least(request->kinds[0]);
	set->counts[0] = first;
	set->counts[1] = request->joined;
	if (!cpu_gather_begin(job))
		return false;
	set->elements = job->gathered[0].memory;
	set->arrays[0] = set->elements;
	set->arrays[1] = set->elements + first * input_size(request, 0);
	return cpu_phases_begin(job, SET_CHUNK, check_chunk, start_merging);
}

static EngineStatus
set_finish(CpuJob *job, EngineResult *result)
{
	const CpuSet *set = job->state;
	EngineStatus status = cpu_phases_step(job);

	if (status != ENGINE_OK)
		return status;
	result->count = job->chain.count;
	result->errors = set->unordered;
	return ENGINE_OK;
}

static void
set_end(CpuJob *job)
{
	cpu_phases_end(job);
	cpu_gather_end(job);
}

const CpuOperation cpu_set = {
	.begin = set_begin,
	.buffer = cpu_gather_chunk,
	.push = cpu_pieces_push,
	.finish = set_finish,
	.end = set_end,
	.piece = cpu_phases_piece,
	.piece_pushed = cpu_gather_copy
};
