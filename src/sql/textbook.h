/*
 * textbook.h
 *	  Algorithms of the textbooks on the CPU, which only the benchmark runs.
 */
#ifndef GPUCOMPACT_TEXTBOOK_H
#define GPUCOMPACT_TEXTBOOK_H

#include "compat.h"

/*
 * Writes results of 4 bytes into "result", which has room for 8 bytes per
 * element, and returns how many results there are.
 */
typedef int64 (*TextbookFunction) (const int32 *elements, int64 count,
								   int32 *result);

extern int64 textbook_compact(const int32 *elements, int64 count,
							  int32 *result);
extern int64 textbook_sort(const int32 *elements, int64 count,
						   int32 *result);

#endif							/* GPUCOMPACT_TEXTBOOK_H */
