/*
 * percentile.h
 *	  Fractions, for other functions that take percentiles.
 */
#ifndef GPUCOMPACT_PERCENTILE_H
#define GPUCOMPACT_PERCENTILE_H

extern void check_fraction(double fraction);

#endif							/* GPUCOMPACT_PERCENTILE_H */
