/*
 * cpu_utf8.h
 *	  What the parts of the CPU engine that deal with UTF-8 share.
 */
#ifndef GPUCOMPACT_CPU_UTF8_H
#define GPUCOMPACT_CPU_UTF8_H

#include "cpu_engine.h"

/* What is called in the clones of a function has to be compiled with each. */
#define UTF8_INLINE			static inline __attribute__((always_inline))

/* What stands for what is invalid. */
#define REPLACEMENT			0xFFFD

/* What a piece makes, as far as the next piece has to know of it. */
typedef struct Utf8Outcome
{
	int64_t		results;
	int64_t		errors;
	int64_t		first_error;	/* of the whole array's elements, from 0 on */
} Utf8Outcome;

extern void *cpu_utf8_place(EngineJob *job, const CpuPiece *piece,
							const Utf8Outcome *outcome);
extern void cpu_utf8_encode_piece(void *argument, int number);

#endif							/* GPUCOMPACT_CPU_UTF8_H */
