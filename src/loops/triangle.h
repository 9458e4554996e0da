/*
 * triangle.h
 *	  Loops over points that look for the largest triangle.
 */
#ifndef GPUCOMPACT_LOOPS_TRIANGLE_H
#define GPUCOMPACT_LOOPS_TRIANGLE_H

#include "contract/kinds.h"

typedef struct Point
{
	double		x;
	double		y;
} Point;

/* Points of a block, and sums that are added to in turn. */
#define TRIANGLE_BLOCK		256
#define TRIANGLE_SUMS		8

/* What stands for the area NaN: more than the bits of infinity. */
#define TRIANGLE_NAN		0x7ff0000000000001

extern void count_numbers(int64_t first, int count, double *numbers);
extern void add_numbers(double sums[TRIANGLE_SUMS],
						const double numbers[TRIANGLE_SUMS][TRIANGLE_BLOCK],
						int count);
extern int64_t triangle_areas(Point a, Point c, const double *x,
							  const double *y, int count, int64_t *areas);

#endif							/* GPUCOMPACT_LOOPS_TRIANGLE_H */
