/*
 * cpu_compact.c
 *	  Compaction: the selected elements of a piece, or their positions.
 *
 * Integers are selected in one pass (cpu_compress.c).  Else the first pass over
 * a piece flags the selected elements, unless a mask came with them.  It does
 * not branch, and the compiler vectorizes it.
 */
#include <string.h>

#include "cpu/cpu_compact.h"
#include "loops/bitmaps.h"

/* Flags that are counted together: two words of 8 bytes. */
#define FLAG_GROUP			16

/* Flags that are added up in bytes: their sum fits into one. */
#define FLAG_BATCH			128

/* Counts the flags of a group: adds up the bytes of a word. */
static inline int64_t
count_group(const uint8_t *flags)
{
	uint64_t	words[2];

	memcpy(words, flags, sizeof(words));
	return (words[0] + words[1]) * 0x0101010101010101ull >> 56;
}

#define MOVE_ITEM(i) (((const MOVE_TYPE *) piece->data[0])[i])

#define MOVE_NAME KIND_NAME(move)
#define MOVE_TYPE KIND_BITS
#define KIND_WIDTHS_ONLY
#define KIND_TEMPLATE "cpu_compact_move_template.h"
#include "cpu/cpu_kinds.h"

#undef MOVE_NAME
#undef MOVE_TYPE
#undef MOVE_ITEM
#define MOVE_ITEM(i) ((int32_t) (piece->first + (i) + 1))

#define MOVE_NAME move_positions
#define MOVE_TYPE int32_t
#include "cpu/cpu_compact_move_template.h"

static const MoveItems move_elements[] = SIZE_TABLE(move);

/* Counts the flags that are set. */
CPU_CLONES int64_t
cpu_count_flags(const uint8_t *flags, int64_t count)
{
	int64_t		found = 0;

	for (int64_t first = 0; first < count; first += FLAG_BATCH)
	{
		int64_t		end = cpu_min(first + FLAG_BATCH, count);
		uint8_t		sum = 0;

		for (int64_t i = first; i < end; i++)
			sum += flags[i];
		found += sum;
	}
	return found;
}

/* Moves the elements whose flags are set, "selected" of them. */
void
cpu_move_elements(void *to, const CpuPiece *piece, ElementKind kind,
				  const uint8_t *flags, int64_t selected)
{
	int			size = kind_size(kind);
	MoveItems	compress = cpu_compress()->elements[size];

	if (selected == piece->count)
		memcpy(to, piece->data[0], selected * size);
	else
		(compress != NULL ? compress : move_elements[size])
			(to, piece, flags, selected);
}

/* Writes the positions, from 1 on, of the elements whose flags are set. */
void
cpu_move_positions(void *to, const CpuPiece *piece, const uint8_t *flags,
				   int64_t selected)
{
	MoveItems	compress = cpu_compress()->positions;

	(compress != NULL ? compress : move_positions) (to, piece, flags, selected);
}

/*
 * Where the results of a piece go: behind those of the preceding pieces, once
 * these know how many they have.
 */
static char *
claim_place(CpuJob *job, CpuPiece *piece, int64_t selected)
{
	const EngineRequest *request = job->request;
	CpuChain   *chain = cpu_chain_wait(job, piece);
	char	   *to = (char *) request->outputs[0].memory +
		chain->count * output_size(request, 0);

	chain->count += selected;
	cpu_chain_pass(job);
	return to;
}

/*
 * The second pass, which finds the piece in the cache, moves the elements whose
 * flags are set, or their positions.
 */
void
cpu_compact_flagged(CpuJob *job, CpuPiece *piece, const uint8_t *flags,
					bool positions)
{
	int64_t		selected = cpu_count_flags(flags, piece->count);
	char	   *to = claim_place(job, piece, selected);

	if (positions)
		cpu_move_positions(to, piece, flags, selected);
	else
		cpu_move_elements(to, piece, job->request->kinds[0], flags, selected);
}

/*
 * Moves the selected elements to the piece's buffer, in which the piece may be,
 * and from there to their place.
 */
static void
compact_in_one_pass(CpuJob *job, CpuPiece *piece, MoveWhere compress)
{
	const EngineRequest *request = job->request;
	int64_t		selected =
		compress(piece->buffer, piece,
				 &PARAMETERS(request, CompactParameters)->predicate);

	memcpy(claim_place(job, piece, selected), piece->buffer,
		   selected * kind_size(request->kinds[0]));
}

/*
 * Moves the elements whose bits are set to the piece's buffer, and from there
 * to their place, where all elements have been read by then.
 */
static void
compact_by_bitmap(CpuJob *job, CpuPiece *piece)
{
	const uint8_t *bitmap = job->request->table;
	int			size = input_size(job->request, 0);
	int64_t		end = piece->first + piece->count;
	int64_t		selected = count_bits(bitmap, piece->first, end);

	compress_by_bitmap(piece->buffer, selected, piece->data[0], bitmap,
					   piece->first, end, size);
	memcpy(claim_place(job, piece, selected), piece->buffer, selected * size);
}

static void
compact_piece(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	const CompactParameters *parameters = PARAMETERS(request,
													 CompactParameters);
	uint8_t    *buffer = cpu_flags_buffer(job, piece);
	MoveWhere	compress = parameters->positions ? NULL :
		cpu_compress()->where[request->kinds[0]];

	if (parameters->by_bitmap)
		compact_by_bitmap(job, piece);
	else if (parameters->masked)
		cpu_compact_flagged(job, piece, piece->data[1], parameters->positions);
	else if (compress != NULL)
		compact_in_one_pass(job, piece, compress);
	else
	{
		cpu_flag_selected(request->kinds[0], piece->data[0], piece->count,
						  &parameters->predicate, buffer);
		cpu_compact_flagged(job, piece, buffer, parameters->positions);
	}
}

/* The flags lie behind the room for the results. */
static int64_t
compact_stage(CpuJob *job, CpuPiece *piece, const EngineStage *stage,
			  CpuStageChain *chain, void *out)
{
	const CompactParameters *parameters = PARAMETERS(stage, CompactParameters);
	uint8_t    *flags = (uint8_t *) out + CPU_PIECE * sizeof(int64_t);
	MoveWhere	compress = cpu_compress()->where[stage->from];
	int64_t		selected;

	if (compress != NULL)
		return compress(out, piece, &parameters->predicate);
	cpu_flag_selected(stage->from, piece->data[0], piece->count,
					  &parameters->predicate, flags);
	selected = cpu_count_flags(flags, piece->count);
	cpu_move_elements(out, piece, stage->from, flags, selected);
	return selected;
}

static bool
compact_can_be_stage(const EngineRequest *request)
{
	const CompactParameters *parameters = PARAMETERS(request,
													 CompactParameters);

	return !parameters->masked && !parameters->positions &&
		!parameters->by_bitmap;
}

const CpuOperation cpu_compact = {
	CPU_BY_PIECES,
	.piece = compact_piece,
	.stage = compact_stage,
	.can_be_stage = compact_can_be_stage
};
