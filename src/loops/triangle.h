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

extern void convert_numbers(ElementKind kind, const void *numbers, int count,
							double *converted);
extern double add_numbers(double sum, const double *numbers, int count);
extern void triangle_areas(Point a, Point c, const double *x, const double *y,
						   int count, double *areas);

#endif							/* GPUCOMPACT_LOOPS_TRIANGLE_H */
