/*
 * cpu_compress.h
 *	  Compaction in vector registers.
 */
#ifndef GPUCOMPACT_CPU_COMPRESS_H
#define GPUCOMPACT_CPU_COMPRESS_H

#include "contract/operations/compact.h"
#include "cpu/cpu_engine.h"

/*
 * Move a piece's elements of "size" bytes, or their positions, whose flags are
 * set, "selected" of them, to adjacent places.  Return false if the processor
 * cannot do that.
 */
extern bool cpu_compress(void *to, const CpuPiece *piece, int size,
						 const uint8_t *flags, int64_t selected);
extern bool cpu_compress_positions(void *to, const CpuPiece *piece,
								   const uint8_t *flags, int64_t selected);

/*
 * Moves a piece's elements that a predicate selects to adjacent places, with
 * room for 64 bytes behind them; these may be the places of the elements.
 * Returns how many there are, or -1 if the processor cannot do that.
 */
extern int64_t cpu_compress_where(void *to, const CpuPiece *piece,
								  ElementKind kind,
								  const EnginePredicate *predicate);

#endif							/* GPUCOMPACT_CPU_COMPRESS_H */
