/*
 * triangle.c
 *	  Loops over points that look for the largest triangle.
 *
 * They are here, and are no operation, because the triangles of a bucket depend
 * on the point that was chosen from the one before it.
 */
#include <math.h>

#include "cpu/cpu_clones.h"
#include "loops/triangle.h"

#define CONVERT(type) \
	do { \
		for (int i = 0; i < count; i++) \
			converted[i] = (double) ((const type *) numbers)[i]; \
	} while (0)

/* Numbers of a kind as float8. */
void
convert_numbers(ElementKind kind, const void *numbers, int count,
				double *restrict converted)
{
	switch (kind)
	{
		case KIND_INT2:
			CONVERT(int16_t);
			break;
		case KIND_INT4:
			CONVERT(int32_t);
			break;
		case KIND_INT8:
			CONVERT(int64_t);
			break;
		case KIND_FLOAT4:
			CONVERT(float);
			break;
		default:
			CONVERT(double);
			break;
	}
}

/* Adds numbers to a sum, from left to right. */
double
add_numbers(double sum, const double *numbers, int count)
{
	for (int i = 0; i < count; i++)
		sum += numbers[i];
	return sum;
}

/* Twice the area of the triangle that each point makes with two others. */
CPU_CLONES void
triangle_areas(Point a, Point c, const double *x, const double *y, int count,
			   double *restrict areas)
{
	for (int i = 0; i < count; i++)
		areas[i] = fabs((a.x - c.x) * (y[i] - a.y) -
						(a.x - x[i]) * (c.y - a.y));
}
