/*
 * cpu_clones.h
 *	  Functions that are compiled for several processors.
 */
#ifndef GPUCOMPACT_CPU_CLONES_H
#define GPUCOMPACT_CPU_CLONES_H

#include <stdint.h>				/* for __GLIBC__ */

/*
 * Compiles a function for several processors.  The dynamic linker chooses the
 * best version when it loads the library.  With -DCPU_CLONES= there is one
 * version, for all processors, which takes less time to compile.
 */
#if defined(CPU_CLONES)
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
	!defined(__clang__)
#define CPU_CLONES \
	__attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CPU_CLONES
#endif

/* What the processor has, for functions with intrinsics. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CPU_HAS_AVX512		__builtin_cpu_supports("avx512f")
#define CPU_HAS_AVX2		__builtin_cpu_supports("avx2")
#else
#define CPU_HAS_AVX512		false
#define CPU_HAS_AVX2		false
#endif

#endif							/* GPUCOMPACT_CPU_CLONES_H */
