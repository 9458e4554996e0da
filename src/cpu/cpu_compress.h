/*
 * cpu_compress.h
 *	  Compaction in vector registers.
 */
#ifndef GPUCOMPACT_CPU_COMPRESS_H
#define GPUCOMPACT_CPU_COMPRESS_H

#include "cpu/cpu_engine.h"

/* Vectors of 64 bytes are compressed by AVX-512. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CPU_HAS_COMPRESS	__builtin_cpu_supports("avx512f")
#else
#define CPU_HAS_COMPRESS	false
#endif

extern void cpu_compress_4(void *to, const CpuPiece *piece,
						   const uint8_t *flags, int64_t selected);
extern void cpu_compress_8(void *to, const CpuPiece *piece,
						   const uint8_t *flags, int64_t selected);
extern void cpu_compress_positions(void *to, const CpuPiece *piece,
								   const uint8_t *flags, int64_t selected);

#endif							/* GPUCOMPACT_CPU_COMPRESS_H */
