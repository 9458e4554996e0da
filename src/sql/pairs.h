/*
 * pairs.h
 *	  The pairs of two arrays, element by element, without pairs that have a
 *	  NULL.
 */
#ifndef GPUCOMPACT_PAIRS_H
#define GPUCOMPACT_PAIRS_H

#include "compat.h"

#include "call/call.h"

typedef struct ArrayPairs
{
	ArrayReader first;
	ArrayReader second;
	uint8	   *values;			/* the bitmap of the pairs without a NULL; or
								 * NULL if no pair has one */
	int64		count;			/* of these pairs */
} ArrayPairs;

extern void pairs_open(ArrayPairs *pairs, FunctionCallInfo fcinfo,
					   const char *first_name, const char *second_name,
					   bool numbers);
extern EngineResult pairs_run(ArrayPairs *pairs, EngineRequest *request);
extern void pairs_end(ArrayPairs *pairs, int64 bytes_out);

#endif							/* GPUCOMPACT_PAIRS_H */
