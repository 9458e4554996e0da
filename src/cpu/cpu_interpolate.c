/*
 * cpu_interpolate.c
 *	  Linear interpolation, piece by piece.
 *
 * Places are looked up a block at a time.  Two searches in all of the series
 * find where the block's least place and its greatest one belong.  The others
 * belong between these, and are searched side by side, without branches, so
 * that no search waits for another one's loads.  If the places are in order, or
 * near each other, few points are between.
 */
#include "contract/operations/interpolate.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_search.h"

/* Places that are looked up side by side. */
#define PLACES				256

#define INTEGERS_EQUAL(a, b)	((a) == (b))
#define FLOATS_EQUAL(a, b)		(((a) == (b)) | (((a) != (a)) & ((b) != (b))))

#define TYPES				(TYPES_UNSIGNED | TYPES_SIGNED | TYPES_FLOATS)
#define TYPE_TEMPLATE		"cpu/cpu_interpolate_template.h"
#include "cpu/cpu_types.h"

typedef void (*Interpolate) (const EngineRequest *request, const void *places,
							 int count, double *results,
							 EngineOverflow *overflow);

static const Interpolate interpolates[ELEMENT_KINDS] = {
	TYPE_ROWS(interpolate)
};

static void
interpolate_piece(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	const char *places = piece->data[0];
	double	   *out = cpu_piece_results(job, piece);
	EngineOverflow overflow = OVERFLOW_NONE;
	int64_t		nulls = 0;

	for (int64_t i = 0, count; i < piece->count; i += count)
	{
		count = cpu_min(piece->count - i, PLACES);
		interpolates[request->kinds[0]] (request,
										 places + i * input_size(request, 0),
										 (int) count, out + i, &overflow);
		for (int64_t j = i; j < i + count; j++)
			nulls += interpolate_is_null(out[j]);
	}
	__atomic_add_fetch(&job->chain.errors, nulls, __ATOMIC_RELAXED);
	if (overflow != OVERFLOW_NONE)
		cpu_note_overflow(job, overflow);
}

const CpuOperation cpu_interpolate = {
	CPU_BY_PIECES, .piece = interpolate_piece
};
