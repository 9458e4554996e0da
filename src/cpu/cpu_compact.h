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
