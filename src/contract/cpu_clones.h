/*
 * cpu_clones.h
 *	  Functions that are compiled for several processors.
 */
#ifndef GPUCOMPACT_CPU_CLONES_H
#define GPUCOMPACT_CPU_CLONES_H

#include <stdbool.h>
#include <stdint.h>				/* for __GLIBC__ */

/* What code may use.  Each level has what the one before it has. */
typedef enum CpuLevel
{
	CPU_PLAIN,
	CPU_AVX2,					/* with BMI2, where the processor has it */
	CPU_AVX512
} CpuLevel;

/* The level that is chosen.  The processor may have less. */
extern int	cpu_level;

/* Returns whether the processor has a level, whatever is chosen. */
extern bool cpu_has(CpuLevel level);

/* Chooses for all code of this program or library.  It changes no result. */
extern bool cpu_choose(CpuLevel level);

/*
 * Compiles a function for several processors.  The dynamic linker chooses the
 * best version when it loads the library, and cpu_choose() another one.  With
 * -DCPU_CLONES= there is one version, for all processors, which takes less time
 * to compile.
 */
#if defined(CPU_CLONES)
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
	!defined(__clang__)
#define HAVE_CPU_CLONES
#define CPU_CLONES \
	__attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CPU_CLONES
#endif

/* What functions with intrinsics may use. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CPU_MAY_USE(level, feature) \
	(cpu_level >= (level) && __builtin_cpu_supports(feature))
#else
#define CPU_MAY_USE(level, feature)	false
#endif

#define CPU_HAS_AVX512		CPU_MAY_USE(CPU_AVX512, "avx512f")
#define CPU_HAS_AVX2		CPU_MAY_USE(CPU_AVX2, "avx2")

#endif							/* GPUCOMPACT_CPU_CLONES_H */
