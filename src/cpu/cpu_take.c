/*
 * cpu_take.c
 *	  The elements at given positions, piece by piece.
 */
#include <string.h>

#include "contract/operations/take.h"
#include "cpu/cpu_engine.h"
#include "loops/bitmaps.h"

/* Positions whose elements are fetched ahead. */
#define TAKE_AHEAD			64

/* Marks the positions in a table, all but "missing" of a piece's. */
static void
mark_found(const EngineRequest *request, const CpuPiece *piece,
		   uint32_t nelements, int64_t missing)
{
	uint8_t    *found = (uint8_t *) request->summary + piece->first / 8;
	size_t		count = piece->count;

	if (missing > 0)
		take_bits(found, NULL, nelements, piece->data[0], count);
	else
	{
		memset(found, 0xFF, count / 8);
		if (count % 8 > 0)
			found[count / 8] = (uint8_t) ((1 << count % 8) - 1);
	}
}

/*
 * Makes a task for elements of a width.  For a position outside of the table,
 * the first element is read and a zero is written, without a branch.
 */
#define TAKE_WORK(name, type) \
	CPU_CLONES static void \
	name(CpuJob *job, CpuPiece *piece) \
	{ \
		const EngineRequest *request = job->request; \
		const int32_t *positions = piece->data[0]; \
		const type *elements = request->table; \
		uint32_t	nelements = request->table_bytes / sizeof(type); \
		type	   *out = cpu_piece_results(job, piece); \
		int64_t		missing = 0; \
		\
		for (int64_t i = 0; nelements > 0 && i < piece->count; i++) \
		{ \
			int64_t		ahead = i + TAKE_AHEAD < piece->count ? \
				i + TAKE_AHEAD : i; \
			uint32_t	next = (uint32_t) positions[ahead] - 1; \
			uint32_t	element = (uint32_t) positions[i] - 1; \
			uint32_t	there = element < nelements; \
			\
			__builtin_prefetch(&elements[next < nelements ? next : 0]); \
			out[i] = elements[there ? element : 0] & (type) -(type) there; \
			missing += !there; \
		} \
		if (nelements == 0) \
		{ \
			memset(out, 0, piece->count * sizeof(type)); \
			missing = piece->count; \
		} \
		if (request->summary_bytes > 0) \
			mark_found(request, piece, nelements, missing); \
		__atomic_add_fetch(&job->chain.errors, missing, __ATOMIC_RELAXED); \
	}

TAKE_WORK(take_1, uint8_t)
TAKE_WORK(take_2, uint16_t)
TAKE_WORK(take_4, uint32_t)
TAKE_WORK(take_8, uint64_t)

/* The same for a table of bits: those that are taken are the summary. */
static void
take_marks(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	uint8_t    *found = (uint8_t *) request->summary + piece->first / 8;

	(void) cpu_piece_results(job, piece);
	take_bits(found, request->table,
			  (uint32_t) PARAMETERS(request, TakeParameters)->bits,
			  piece->data[0], piece->count);
	__atomic_add_fetch(&job->chain.errors, piece->count -
					   count_bits(found, 0, piece->count), __ATOMIC_RELAXED);
}

static PieceWork
take_work(const EngineRequest *request)
{
	static const PieceWork works[] = SIZE_TABLE(take);

	return PARAMETERS(request, TakeParameters)->bits > 0 ?
		take_marks : works[output_size(request, 0)];
}

const CpuOperation cpu_take = {CPU_BY_PIECES, .piece_work = take_work};
