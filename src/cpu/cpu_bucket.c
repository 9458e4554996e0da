/*
 * cpu_bucket.c
 *	  The bucket of each element among thresholds, piece by piece.
 *
 * Several elements are looked for side by side, without branches, so that none
 * waits for another one's loads.
 */
#include "cpu_bucket.h"

/* Elements that are looked for side by side. */
#define BUCKET_ABREAST		32

/*
 * An element is compared with all thresholds if these have at most so many bytes.
 * Measured on a Zen 5: a search takes as long with SSE2 and AVX2 at some 100, and
 * four times as long with AVX-512 at 128.
 */
#define BUCKET_COMPARE		128

#define KIND_TEMPLATE		"cpu_bucket_template.h"
#include "cpu_kinds.h"

FindBuckets
cpu_find_buckets(ElementKind kind)
{
	static const FindBuckets finds[ELEMENT_KINDS] = KIND_TABLE(find_buckets);

	return finds[kind];
}

static void
bucket_piece(void *argument, int number)
{
	CpuJob	   *job = argument;
	const EngineRequest *request = &job->request;
	CpuPiece   *piece = &job->pieces[number];
	int32_t    *out = (int32_t *) request->outputs[0].memory + piece->first;

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	cpu_find_buckets(request->kinds[0]) (request, piece->data[0],
										 piece->count, out);
	cpu_piece_done(piece);
}

static TeamWork
bucket_work(const EngineRequest *request)
{
	return bucket_piece;
}

const CpuOperation cpu_bucket = {CPU_BY_PIECES, .piece_work = bucket_work};
