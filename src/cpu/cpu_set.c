/*
 * cpu_set.c
 *	  Union, intersection and difference of two sorted arrays, by a merge.
 *
 * The arrays are gathered one behind the other, and their order is checked
 * while they are in the cache.  If one is not sorted, the result tells only
 * that.
 *
 * Of equal elements, the merge takes the ones of the first array first.
 * It is divided into chunks of SET_CHUNK elements, which threads merge at
 * the same time (Odeh, Green, Mwassi, Shmueli and Birk, "Merge path: parallel
 * merging made simple", 2012).  Of the other chunks, a chunk needs only the
 * elements next to its own, so runs of equal elements may be of any length.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/operations/set.h"
#include "cpu/cpu_engine.h"

/* Elements of both arrays that a thread merges at a time. */
#define SET_CHUNK			CPU_PIECE

/*
 * Parts of a chunk that are merged abreast, a step of each in turn, so that
 * none waits for its own loads.
 */
#define SET_LANES			2

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
	int			pending;		/* tasks that are not done */
	bool		merging;
	bool		cancelled;
	int64_t		next_chunk;		/* the first that no thread has taken */
	int64_t		nchunks;
	int64_t		taken[];		/* elements of each chunk that have come */
};

#define KIND_TEMPLATE		"cpu_set_template.h"
#include "cpu/cpu_kinds.h"

static const SetKind *const kinds[ELEMENT_KINDS] = {
	[KIND_UINT1] = &set_kind_1,
	[KIND_INT2] = &set_kind_2,
	[KIND_INT4] = &set_kind_4,
	[KIND_UINT4] = &set_kind_4,
	[KIND_INT8] = &set_kind_8,
	[KIND_FLOAT4] = &set_kind_float4,
	[KIND_FLOAT8] = &set_kind_float8
};

static bool
set_begin(CpuJob *job)
{
	const EngineRequest *request = &job->request;
	int64_t		first = PARAMETERS(request, SetParameters)->first;
	int64_t		nchunks = (request->count + SET_CHUNK - 1) / SET_CHUNK;
	CpuSet	   *set = calloc(1, sizeof(CpuSet) + nchunks * sizeof(int64_t));

	job->state = set;
	job->chain = (CpuChain) {0};
	if (set == NULL)
		return false;
	set->op = PARAMETERS(request, SetParameters)->op;
	set->kind = kinds[request->kinds[0]];
	set->least = kind_least(request->kinds[0]);
	set->nchunks = nchunks;
	set->counts[0] = first;
	set->counts[1] = request->count - first;
	set->elements = cpu_scratch(job, 0,
								request->count * input_size(request, 0));
	if (set->elements == NULL)
	{
		free(set);
		job->state = NULL;
		return false;
	}
	set->arrays[0] = set->elements;
	set->arrays[1] = set->elements + first * input_size(request, 0);
	return true;
}

static int64_t
chunk_count(const CpuJob *job, int64_t chunk)
{
	int64_t		left = job->request.count - chunk * SET_CHUNK;

	return left < SET_CHUNK ? left : SET_CHUNK;
}

/* Offers the rest of the chunk that is being filled, or a piece of it. */
static EngineStatus
set_buffer(CpuJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	CpuSet	   *set = job->state;
	int64_t		chunk = job->pushed / SET_CHUNK;

	(void) cpu_next_piece(job);
	*capacity = chunk * SET_CHUNK + chunk_count(job, chunk) - job->pushed;
	if (job->request.paged && *capacity > cpu_piece_count(job))
		*capacity = cpu_piece_count(job);
	buffers[0] = set->elements +
		job->pushed * input_size(&job->request, 0);
	buffers[1] = NULL;
	return ENGINE_OK;
}

/* Notes whether the elements of an array from "from" to "to" are in order. */
static void
look_at(CpuJob *job, int array, int64_t from, int64_t to)
{
	CpuSet	   *set = job->state;
	int			size = input_size(&job->request, 0);

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

/* The task that brings a chunk's last elements checks the chunk's order. */
static void
take_piece(void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuSet	   *set = job->state;
	CpuPiece   *piece = &job->pieces[number];
	int64_t		chunk = piece->first / SET_CHUNK;
	int64_t		count = chunk_count(job, chunk);

	cpu_fills_copy(&piece->fills);
	if (__atomic_add_fetch(&set->taken[chunk], piece->count,
						   __ATOMIC_ACQ_REL) == count)
		look_at_all(job, chunk * SET_CHUNK, chunk * SET_CHUNK + count);
	cpu_piece_done(piece);
	__atomic_sub_fetch(&set->pending, 1, __ATOMIC_RELEASE);
}

static void
set_push(CpuJob *job, const void *const data[ENGINE_INPUTS], int64_t count)
{
	CpuSet	   *set = job->state;
	void	   *buffers[ENGINE_INPUTS];
	int64_t		capacity;

	set_buffer(job, buffers, &capacity);
	if (data[0] != buffers[0])
		memcpy(buffers[0], data[0], count * input_size(&job->request, 0));
	__atomic_add_fetch(&set->pending, 1, __ATOMIC_RELAXED);
	cpu_push_piece(job, count, take_piece);
}

static inline const void *
element_at(const CpuJob *job, int array, int64_t i)
{
	const CpuSet *set = job->state;

	return (const char *) set->arrays[array] +
		i * input_size(&job->request, 0);
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
	part->out = (char *) part->out + first * input_size(&job->request, 0);
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
merge_chunk(CpuJob *job, int number, int64_t number_of_chunk)
{
	CpuSet	   *set = job->state;
	const EngineRequest *request = &job->request;
	CpuPiece   *piece = &job->pieces[number];
	int			size = input_size(request, 0);
	SetPart		rest = {0, set->counts[0], 0, set->counts[1], piece->buffer, 0};
	SetPart		chunk;
	SetPart		parts[SET_LANES];
	int64_t		results = 0;
	int64_t		before;
	CpuChain   *chain;
	int			nparts;

	(void) cut_part(job, &rest, number_of_chunk * SET_CHUNK);
	rest.out = piece->buffer;
	chunk = cut_part(job, &rest, chunk_count(job, number_of_chunk));
	nparts = divide_chunk(job, chunk, parts);
	set->kind->merge(set, parts, nparts);
	for (int i = 0; i < nparts; i++)
		results += parts[i].results;

	piece->turn = number_of_chunk;
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

/* Merges the next chunk.  Returns false if there is none. */
static bool
merge_next(CpuJob *job, int number)
{
	CpuSet	   *set = job->state;
	int64_t		chunk;

	if (__atomic_load_n(&set->cancelled, __ATOMIC_RELAXED))
		return false;
	chunk = __atomic_fetch_add(&set->next_chunk, 1, __ATOMIC_RELAXED);
	if (chunk >= set->nchunks)
		return false;
	merge_chunk(job, number, chunk);
	return true;
}

/* The task of a helper. */
static void
merge_chunks(void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuSet	   *set = job->state;

	while (merge_next(job, number))
		;
	__atomic_sub_fetch(&set->pending, 1, __ATOMIC_RELEASE);
}

/*
 * Starts to merge, once all elements are there.  The first piece's buffer may
 * hold the elements.  The second piece's buffer is for the caller's results.
 */
static EngineStatus
start_merging(CpuJob *job)
{
	CpuSet	   *set = job->state;
	int			helpers = job->team.helpers;

	for (int64_t chunk = 1; chunk < set->nchunks; chunk++)
		look_at_all(job, chunk * SET_CHUNK - 1, chunk * SET_CHUNK + 1);
	if (set->unordered != 0)
		return ENGINE_OK;
	if (helpers > set->nchunks - 1)
		helpers = set->nchunks - 1;
	for (int i = 0; i <= helpers; i++)
	{
		if (cpu_piece_buffer(&job->pieces[1 + i]) == NULL)
			return cpu_out_of_memory(job);
	}
	set->merging = true;
	set->pending = helpers;
	for (int i = 0; i < helpers; i++)
		team_add(&job->team, merge_chunks, job, 2 + i);
	return ENGINE_MORE;
}

static EngineStatus
set_finish(CpuJob *job, EngineResult *result)
{
	CpuSet	   *set = job->state;
	EngineStatus status;

	if (set->merging && merge_next(job, 1))
		return ENGINE_MORE;
	if (__atomic_load_n(&set->pending, __ATOMIC_ACQUIRE) != 0)
	{
		team_wait(&job->team, &set->pending);
		return ENGINE_MORE;
	}
	if (!set->merging)
	{
		status = start_merging(job);
		if (status != ENGINE_OK)
			return status;
	}
	result->count = job->chain.count;
	result->errors = set->unordered;
	return ENGINE_OK;
}

/* Helpers may still be merging: they stop after their chunks. */
static void
set_end(CpuJob *job)
{
	CpuSet	   *set = job->state;

	__atomic_store_n(&set->cancelled, true, __ATOMIC_RELAXED);
	cpu_drop_pieces(job);
	cpu_scratch_free(job, 0, set->elements);
	free(set);
	job->state = NULL;
}

const CpuOperation cpu_set = {
	.begin = set_begin,
	.buffer = set_buffer,
	.push = set_push,
	.finish = set_finish,
	.end = set_end
};
