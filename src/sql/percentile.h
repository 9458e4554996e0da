/*
 * percentile.h
 *	  What the functions that take percentiles share.
 */
#ifndef GPUCOMPACT_PERCENTILE_H
#define GPUCOMPACT_PERCENTILE_H

#include "array/element.h"

extern double percentile_number(const ElementType *type, const char *element);
extern void check_fraction(double fraction);

#endif							/* GPUCOMPACT_PERCENTILE_H */
