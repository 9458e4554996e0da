/*
 * cpu_triangles.c
 *	  Loops over points that look for the largest triangle.
 */
#include <string.h>

#include "contract/cpu_clones.h"
#include "cpu/cpu_triangles.h"

/* Numbers from "first" on. */
CPU_CLONES void
count_numbers(int64_t first, int count, double *restrict numbers)
{
	double		base = (double) first;

	for (int i = 0; i < count; i++)
		numbers[i] = base + i;
}

#define SUM(type) \
	do { \
		for (int64_t i = 0; i < count; i++) \
			sum += ((const type *) numbers)[i]; \
	} while (0)

/* The sum of fewer than 2^31 integers of 2 or of 4 bytes. */
CPU_CLONES int64_t
sum_integers(ElementKind kind, const void *numbers, int64_t count)
{
	int64_t		sum = 0;

	if (kind == KIND_INT2)
		SUM(int16_t);
	else
		SUM(int32_t);
	return sum;
}

/*
 * Floats are compared as integers: the bits of negative ones, but for the sign,
 * are complemented.  A NaN is beyond infinity on its sign's side.
 */
#define INTEGER_KEY(type, bits)		(bits)
#define FLOAT_KEY(type, bits) \
	((bits) ^ ((bits) >> (8 * sizeof(type) - 1) & \
			   (type) (((uint64_t) 1 << (8 * sizeof(type) - 1)) - 1)))

/* Finds the range of the next "size" numbers, whose keys are integers. */
#define RANGE(number, type, KEY, size) \
	do { \
		type		low = KEY(type, ((const type *) numbers)[first]); \
		type		high = low; \
		number		ends[2]; \
\
		for (int i = first; i < first + (size); i++) \
		{ \
			type		key = KEY(type, ((const type *) numbers)[i]); \
\
			low = key < low ? key : low; \
			high = key > high ? key : high; \
		} \
		low = KEY(type, low); \
		high = KEY(type, high); \
		memcpy(&ends[0], &low, sizeof(low)); \
		memcpy(&ends[1], &high, sizeof(high)); \
		least[first / TRIANGLE_SPAN] = (double) ends[0]; \
		greatest[first / TRIANGLE_SPAN] = (double) ends[1]; \
	} while (0)

#define RANGES(number, type, KEY) \
	do { \
		int			first = 0; \
\
		for (; first + TRIANGLE_SPAN <= count; first += TRIANGLE_SPAN) \
			RANGE(number, type, KEY, TRIANGLE_SPAN); \
		if (first < count) \
			RANGE(number, type, KEY, count - first); \
	} while (0)

/*
 * Finds the least and the greatest number of each span.  If a span has a NaN,
 * one of them is NaN.
 */
CPU_CLONES void
find_ranges(ElementKind kind, const void *numbers, int count,
			double *restrict least, double *restrict greatest)
{
	switch (kind)
	{
		case KIND_INT2:
			RANGES(int16_t, int16_t, INTEGER_KEY);
			break;
		case KIND_INT4:
			RANGES(int32_t, int32_t, INTEGER_KEY);
			break;
		case KIND_INT8:
			RANGES(int64_t, int64_t, INTEGER_KEY);
			break;
		case KIND_FLOAT4:
			RANGES(float, int32_t, FLOAT_KEY);
			break;
		default:
			RANGES(double, int64_t, FLOAT_KEY);
			break;
	}
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
 * Twice the area of the triangle that each point makes with two others, as
 * lttb_area_order() has it.  Returns the largest.
 */
CPU_CLONES int64_t
triangle_areas(Point a, Point c, const double *x, const double *y, int count,
			   int64_t *restrict areas)
{
	int64_t		largest = 0;

	for (int i = 0; i < count; i++)
	{
		int64_t		area = lttb_area(a, (Point) {x[i], y[i]}, c);

		areas[i] = area;
		largest = area > largest ? area : largest;
	}
	return largest;
}

static inline int64_t
greater_area(double a, double b)
{
	int64_t		of_a = lttb_area_order(a);
	int64_t		of_b = lttb_area_order(b);

	return of_a > of_b ? of_a : of_b;
}

/*
 * Finds bounds of the areas that triangle_areas() has for the points of spans,
 * by the corners around them.  A span is from x[i] to x[i + 1].  If a corner's
 * area is infinite, the bound is NaN, as points within may make NaN.  Returns
 * the first span that has the greatest bound.
 */
CPU_CLONES int
bound_triangles(Point a, Point c, const double *x, const double *least,
				const double *greatest, int spans, int64_t *restrict bounds)
{
	int64_t		largest = 0;
	int			best = 0;

	for (int i = 0; i < spans; i++)
	{
		double		low = (a.x - c.x) * (least[i] - a.y);
		double		high = (a.x - c.x) * (greatest[i] - a.y);
		double		first = (a.x - x[i]) * (c.y - a.y);
		double		last = (a.x - x[i + 1]) * (c.y - a.y);
		int64_t		of_low = greater_area(low - first, low - last);
		int64_t		of_high = greater_area(high - first, high - last);
		int64_t		bound = of_low > of_high ? of_low : of_high;

		bound = bound < LTTB_NAN - 1 ? bound : LTTB_NAN;
		bounds[i] = bound;
		largest = bound > largest ? bound : largest;
	}
	while (bounds[best] != largest)
		best++;
	return best;
}
