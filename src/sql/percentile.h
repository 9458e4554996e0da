/*
 * percentile.h
 *	  What other functions that take percentiles need, too.
 */
#ifndef GPUCOMPACT_PERCENTILE_H
#define GPUCOMPACT_PERCENTILE_H

#include "array/element.h"

extern double percentile_number(const ElementType *type, const char *element);
extern void check_fraction(double fraction);

#endif							/* GPUCOMPACT_PERCENTILE_H */
