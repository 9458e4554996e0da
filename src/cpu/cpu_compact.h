/*
 * cpu_compact.h
 *	  What compaction and runs share: flags, which say of each element of a
 *	  piece whether it is selected, as bytes of 0 or 1; and the moving of the
 *	  elements that are.
 */
#ifndef GPUCOMPACT_CPU_COMPACT_H
#define GPUCOMPACT_CPU_COMPACT_H

#include "cpu_engine.h"

/* Room for a piece's flags: that of a second input, if it has none. */
static inline uint8_t *
cpu_flags_buffer(const CpuJob *job, const CpuPiece *piece)
{
	return (uint8_t *) piece->buffer +
		CPU_PIECE * input_size(&job->request, 0);
}

extern int64_t cpu_count_flags(const uint8_t *flags, int64_t count);
extern void cpu_move_elements(void *to, const CpuPiece *piece,
							  ElementKind kind, const uint8_t *flags,
							  int64_t selected);
extern void cpu_move_positions(void *to, const CpuPiece *piece,
							   const uint8_t *flags, int64_t selected);

#endif							/* GPUCOMPACT_CPU_COMPACT_H */
