/*
 * triangle.c
 *	  Loops over points that look for the largest triangle.
 *
 * They are here, and are no operation, because the triangles of a bucket depend
 * on the point that was chosen from the one before it.
 */
#include <math.h>
#include <string.h>

#include "contract/cpu_clones.h"
#include "loops/triangle.h"

/* Numbers from "first" on. */
CPU_CLONES void
count_numbers(int64_t first, int count, double *restrict numbers)
{
	double		base = (double) first;

	for (int i = 0; i < count; i++)
		numbers[i] = base + i;
}

/*
 * Adds numbers to sums, each from left to right: the next number to each of
 * TRIANGLE_SUMS sums in turn, as no sum can be added to again at once.
 */
void
add_numbers(double sums[TRIANGLE_SUMS],
			const double numbers[TRIANGLE_SUMS][TRIANGLE_BLOCK], int count)
{
	double		totals[TRIANGLE_SUMS];

	memcpy(totals, sums, sizeof(totals));
	for (int i = 0; i < count; i++)
	{
		for (int sum = 0; sum < TRIANGLE_SUMS; sum++)
			totals[sum] += numbers[sum][i];
	}
	memcpy(sums, totals, sizeof(totals));
}

/*
 * The areas, which are not negative, have the order of their bits.  NaN, of
 * which there are many, is greater than all others.
 */
static inline int64_t
area_order(double area)
{
	int64_t		bits;

	memcpy(&bits, &area, sizeof(bits));
	return bits < TRIANGLE_NAN ? bits : TRIANGLE_NAN;
}

/*
 * Twice the area of the triangle that each point makes with two others, as
 * area_order() has it.  Returns the largest.
 */
CPU_CLONES int64_t
triangle_areas(Point a, Point c, const double *x, const double *y, int count,
			   int64_t *restrict areas)
{
	int64_t		largest = 0;

	for (int i = 0; i < count; i++)
	{
		int64_t		area = area_order(fabs((a.x - c.x) * (y[i] - a.y) -
										   (a.x - x[i]) * (c.y - a.y)));

		areas[i] = area;
		largest = area > largest ? area : largest;
	}
	return largest;
}
