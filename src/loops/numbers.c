/*
 * numbers.c
 *	  Loops over elements of any kind that have no operation of their own.
 */
#include <math.h>
#include <string.h>

#include "contract/cpu_clones.h"
#include "contract/order.h"
#include "loops/numbers.h"

/* NaNs are found by their bits, which is faster than to compare floats. */
#define CONVERT(KIND, type) \
	case KIND_##KIND: \
		for (int i = 0; i < count; i++) \
		{ \
			double		number = (double) ((const type *) numbers)[i]; \
			uint64_t	bits; \
\
			memcpy(&bits, &number, sizeof(bits)); \
			if (kind_is_float(KIND_##KIND)) \
				bits = bits << 1 > 0xFFE0000000000000 ? nan_bits : bits; \
			memcpy(&converted[i], &bits, sizeof(bits)); \
		} \
		break;

/* Numbers of a kind as float8.  All NaNs become the same one. */
CPU_CLONES void
convert_numbers(ElementKind kind, const void *numbers, int count,
				double *restrict converted)
{
	const double nan = NAN;
	uint64_t	nan_bits;

	memcpy(&nan_bits, &nan, sizeof(nan));
	switch (kind)
	{
		FOR_EACH_KIND(CONVERT)
	}
}

#define FIND_CELLS(type) \
	do { \
		for (int i = 0; i < count; i++) \
		{ \
			type		cell = (((const type *) floats)[i] - (type) low) * \
				(type) scale; \
\
			cell = cell < (type) last ? cell : (type) last; \
			cells[i] = (uint16_t) (int) (cell > 0 ? cell : 0); \
		} \
	} while (0)

/*
 * Finds the cells of floats, from 0 to "last", with "scale" cells for a
 * difference of 1.  Rounding is monotonic, so a greater float is in the same
 * cell or in a later one.  NaN is in the last one.
 */
CPU_CLONES void
find_cells(ElementKind kind, const void *floats, int count, double low,
		   double scale, int last, uint16_t *restrict cells)
{
	if (kind == KIND_FLOAT8)
		FIND_CELLS(double);
	else
		FIND_CELLS(float);
}

#define ASCENDING(KIND, type) \
	case KIND_##KIND: \
		for (int i = 1; i < count; i++) \
			descends |= FLOAT_LESS(((const type *) elements)[i], \
								   ((const type *) elements)[i - 1]); \
		break;

/* Returns whether no element is less than the one before it. */
CPU_CLONES bool
are_ascending(ElementKind kind, const void *elements, int count)
{
	int			descends = 0;

	switch (kind)
	{
		FOR_EACH_KIND(ASCENDING)
	}
	return !descends;
}

/* Returns whether all bytes are 0 or 1. */
CPU_CLONES bool
are_booleans(const uint8_t *bytes, int64_t count)
{
	uint8_t		any = 0;

	for (int64_t i = 0; i < count; i++)
		any |= bytes[i];
	return any <= 1;
}

/* Counts up from "first" on. */
CPU_CLONES void
number_from(int32_t *numbers, int32_t first, int64_t count)
{
	for (int i = 0; i < (int) count; i++)
		numbers[i] = first + i;
}

/* Returns the greatest of some numbers from 0 on, or 0. */
CPU_CLONES int32_t
greatest_integer(const int32_t *numbers, int64_t count)
{
	int32_t		greatest = 0;

	for (int64_t i = 0; i < count; i++)
		greatest = numbers[i] > greatest ? numbers[i] : greatest;
	return greatest;
}
