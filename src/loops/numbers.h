/*
 * numbers.h
 *	  Loops over elements of any kind that have no operation of their own.
 */
#ifndef GPUCOMPACT_LOOPS_NUMBERS_H
#define GPUCOMPACT_LOOPS_NUMBERS_H

#include "contract/kinds.h"

extern void convert_numbers(ElementKind kind, const void *numbers, int count,
							double *converted);
extern void find_cells(ElementKind kind, const void *floats, int count,
					   double low, double scale, int last, uint16_t *cells);
extern bool are_ascending(ElementKind kind, const void *elements, int count);
extern bool are_booleans(const uint8_t *bytes, int64_t count);
extern void number_from(int32_t *numbers, int32_t first, int64_t count);
extern int32_t greatest_integer(const int32_t *numbers, int64_t count);

#endif							/* GPUCOMPACT_LOOPS_NUMBERS_H */
