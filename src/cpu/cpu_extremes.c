/*
 * cpu_extremes.c
 *	  The least and the greatest element of each bucket of neighbours, piece by
 *	  piece.
 *
 * A piece finds the extremes of the buckets that begin in it.  The extremes of
 * its part of a bucket that began before are merged when it is its turn.
 */
#include "contract/operations/extremes.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_search.h"

/* Elements that are compared before they are searched. */
#define EXTREMES_BLOCK		1024

#define KIND_TEMPLATE		"cpu_extremes_template.h"
#include "cpu/cpu_kinds.h"

typedef void (*FindExtremes) (const void *data, int64_t count,
							  uint64_t kind_least, EngineExtremes *found);

static const FindExtremes finds[ELEMENT_KINDS] = KIND_TABLE(find_extremes);

/* Returns the bucket of the element that has "before" elements before it. */
static int64_t
find_bucket(const int64_t *ends, int64_t buckets, int64_t before)
{
	int64_t		from = 0;

	SEARCH(from, buckets, at, ends[at] <= before);
	return from;
}

/* Finds the extremes of elements of a piece. */
static EngineExtremes
find_in_piece(const EngineRequest *request, const CpuPiece *piece,
			  int64_t from, int64_t to)
{
	ElementKind kind = request->kinds[0];
	const char *data = piece->data[0];
	EngineExtremes found;

	finds[kind] (data + from * kind_size(kind), to - from, kind_least(kind),
				 &found);
	found.least_at += (int32_t) (piece->first + from);
	found.greatest_at += (int32_t) (piece->first + from);
	return found;
}

/* Merges later elements' extremes.  Of equal elements, the first one stays. */
static void
merge(EngineExtremes *extremes, const EngineExtremes *later)
{
	if (later->least < extremes->least)
	{
		extremes->least = later->least;
		extremes->least_at = later->least_at;
	}
	if (later->greatest > extremes->greatest)
	{
		extremes->greatest = later->greatest;
		extremes->greatest_at = later->greatest_at;
	}
}

static void
extremes_piece(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	const int64_t *ends = request->table;
	EngineExtremes *extremes = request->summary;
	int64_t		buckets = request->table_bytes / (int64_t) sizeof(int64_t);
	int64_t		first = find_bucket(ends, buckets, piece->first);
	bool		begun = piece->first > (first > 0 ? ends[first - 1] : 0);
	EngineExtremes rest = {0};

	for (int64_t bucket = first, from = 0, to; from < piece->count;
		 bucket++, from = to)
	{
		EngineExtremes found;

		to = cpu_min(ends[bucket] - piece->first, piece->count);
		found = find_in_piece(request, piece, from, to);
		if (begun && bucket == first)
			rest = found;
		else
			extremes[bucket] = found;
	}
	(void) cpu_chain_wait(job, piece);
	if (begun)
		merge(&extremes[first], &rest);
	cpu_chain_pass(job);
}

const CpuOperation cpu_extremes = {
	CPU_BY_PIECES,
	.piece = extremes_piece
};
