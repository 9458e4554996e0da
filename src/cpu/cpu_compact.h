/*
 * cpu_compact.h
 *	  What comparison, compaction and runs share: a flag for each element of a
 *	  piece, a byte that is 1 if the element is selected, and functions that
 *	  move the selected elements.
 */
#ifndef GPUCOMPACT_CPU_COMPACT_H
#define GPUCOMPACT_CPU_COMPACT_H

#include "contract/operations/compact.h"
#include "cpu/cpu_engine.h"

/* The room for a piece's flags: the place of a second input. */
static inline uint8_t *
cpu_flags_buffer(const CpuJob *job, const CpuPiece *piece)
{
	return (uint8_t *) piece->buffer +
		CPU_PIECE * input_size(job->request, 0);
}

/*
 * Moves a piece's elements, or their positions, whose flags are set, "selected"
 * of them, to adjacent places.
 */
typedef void (*MoveItems) (void *to, const CpuPiece *piece,
						   const uint8_t *flags, int64_t selected);

/*
 * Moves a piece's elements that a predicate selects to adjacent places, with
 * room for 64 bytes behind them; these may be the places of the elements.
 * Returns how many there are.
 */
typedef int64_t (*MoveWhere) (void *to, const CpuPiece *piece,
							  const EnginePredicate *predicate);

/* Functions that move items; NULL if there is none. */
typedef struct CpuMoves
{
	MoveItems	elements[sizeof(int64_t) + 1];	/* by size */
	MoveItems	positions;
	MoveWhere	where[ELEMENT_KINDS];
} CpuMoves;

/* Those of the processor, in vector registers. */
extern const CpuMoves *cpu_compress(void);

extern void cpu_flag_selected(ElementKind kind, const void *data,
							  int64_t count, const EnginePredicate *predicate,
							  uint8_t *flags);
extern int64_t cpu_count_flags(const uint8_t *flags, int64_t count);
extern void cpu_compact_flagged(CpuJob *job, CpuPiece *piece,
								const uint8_t *flags, bool positions);
extern void cpu_move_elements(void *to, const CpuPiece *piece,
							  ElementKind kind, const uint8_t *flags,
							  int64_t selected);
extern void cpu_move_positions(void *to, const CpuPiece *piece,
							   const uint8_t *flags, int64_t selected);

#endif							/* GPUCOMPACT_CPU_COMPACT_H */
