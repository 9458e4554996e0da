/*
 * cpu_clones.h
 *	  Functions that are compiled for several processors.
 */
#ifndef GPUCOMPACT_CPU_CLONES_H
#define GPUCOMPACT_CPU_CLONES_H

#include <stdint.h>				/* for __GLIBC__ */

/*
 * Compiles a function for several processors.  The dynamic linker chooses the
 * best version when it loads the library.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
	!defined(__clang__)
#define CPU_CLONES \
	__attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CPU_CLONES
#endif

#endif							/* GPUCOMPACT_CPU_CLONES_H */
