/*
 * cpu_bucket.c
 *	  The bucket of each element among thresholds, piece by piece.
 *
 * The buckets of several elements are searched side by side, without branches,
 * so that no search waits for another one's loads.
 */
#include "cpu/cpu_bucket.h"

/* Elements whose buckets are searched side by side. */
#define BUCKET_ABREAST		32

#define KIND_TEMPLATE		"cpu_bucket_template.h"
#include "cpu/cpu_kinds.h"

FindBuckets
cpu_find_buckets(const CpuJob *job)
{
	static const FindBuckets searches[ELEMENT_KINDS] =
		KIND_TABLE(search_buckets);
	ElementKind kind = job->request->kinds[0];

	return job->state != NULL ? cpu_look_up_buckets(kind) : searches[kind];
}

static void
bucket_piece(CpuJob *job, CpuPiece *piece)
{
	cpu_find_buckets(job) (job, piece->data[0], piece->count,
						   cpu_piece_results(job, piece));
}

static bool
bucket_begin(CpuJob *job)
{
	return cpu_buckets_begin(job) && cpu_pieces_begin(job);
}

const CpuOperation cpu_bucket = {
	.begin = bucket_begin,
	.buffer = cpu_pieces_buffer,
	.push = cpu_pieces_push,
	.finish = cpu_pieces_finish,
	.end = cpu_drop_pieces,
	.piece = bucket_piece
};
