/*
 * cpu_triangles.h
 *	  Loops over points that look for the largest triangle.
 */
#ifndef GPUCOMPACT_CPU_TRIANGLES_H
#define GPUCOMPACT_CPU_TRIANGLES_H

#include "contract/operations/lttb.h"

/*
 * Points, or spans of neighbours, of a block; points of a span; and sums that
 * are added to in turn.
 */
#define TRIANGLE_BLOCK		256
#define TRIANGLE_SPAN		32
#define TRIANGLE_SUMS		8

extern void count_numbers(int64_t first, int count, double *numbers);
extern int64_t sum_integers(ElementKind kind, const void *numbers,
							int64_t count);
extern void find_ranges(ElementKind kind, const void *numbers, int count,
						double *least, double *greatest);
extern void add_numbers(double sums[TRIANGLE_SUMS],
						const double numbers[TRIANGLE_SUMS][TRIANGLE_BLOCK],
						int count);
extern int64_t triangle_areas(Point a, Point c, const double *x,
							  const double *y, int count, int64_t *areas);
extern int	bound_triangles(Point a, Point c, const double *x,
							const double *least, const double *greatest,
							int spans, int64_t *bounds);

#endif							/* GPUCOMPACT_CPU_TRIANGLES_H */
