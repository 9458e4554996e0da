/*
 * cpu_compress.h
 *	  Compaction in vector registers.
 */
#ifndef GPUCOMPACT_CPU_COMPRESS_H
#define GPUCOMPACT_CPU_COMPRESS_H

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

#endif							/* GPUCOMPACT_CPU_COMPRESS_H */
