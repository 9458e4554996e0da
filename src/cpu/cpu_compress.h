/*
 * cpu_compress.h
 *	  Compaction in vector registers.
 */
#ifndef GPUCOMPACT_CPU_COMPRESS_H
#define GPUCOMPACT_CPU_COMPRESS_H

#include "contract/operations/compact.h"
#include "cpu/cpu_engine.h"

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

/* The functions for elements; NULL if the processor has none. */
extern MoveItems cpu_compress(int size);
extern MoveItems cpu_compress_positions(void);
extern MoveWhere cpu_compress_where(ElementKind kind);

#endif							/* GPUCOMPACT_CPU_COMPRESS_H */
