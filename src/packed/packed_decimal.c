/*
 * packed_decimal.c
 *	  Floats that are integers of a scale.
 */
#include <math.h>

#include "contract/cpu_clones.h"
#include "packed/packed_decimal.h"

#define DIVIDED(a, b)		((a) / (b))
#define MULTIPLIED(a, b)	((a) * (b))

#define DECIMAL_NAME(name)	name##_8_divided
#define DECIMAL_FLOAT		double
#define DECIMAL_BITS		uint64_t
#define DECIMAL_SCALED		DIVIDED
#include "packed/packed_decimal_template.h"

#define DECIMAL_NAME(name)	name##_8_multiplied
#define DECIMAL_FLOAT		double
#define DECIMAL_BITS		uint64_t
#define DECIMAL_SCALED		MULTIPLIED
#include "packed/packed_decimal_template.h"

#define DECIMAL_NAME(name)	name##_4_divided
#define DECIMAL_FLOAT		float
#define DECIMAL_BITS		uint32_t
#define DECIMAL_SCALED		DIVIDED
#include "packed/packed_decimal_template.h"

#define DECIMAL_NAME(name)	name##_4_multiplied
#define DECIMAL_FLOAT		float
#define DECIMAL_BITS		uint32_t
#define DECIMAL_SCALED		MULTIPLIED
#include "packed/packed_decimal_template.h"

/* Floats that are looked at for a scale; one of so many may lack it. */
#define SAMPLE				32
#define SAMPLE_FAILURES		8

/* Powers of ten that are tried, all of them or those for float4. */
#define POWERS				16
#define FLOAT4_POWERS		10

/* The last power of two that is tried. */
#define MOST_HALVINGS		1022

static const double powers[POWERS] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15
};

static const double inverse_powers[POWERS] = {
	1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11,
	1e-12, 1e-13, 1e-14, 1e-15
};

void
floats_of_integers(ElementKind kind, const DecimalScale *scale,
				   const uint64_t *integers, int count, void *floats)
{
	if (kind == KIND_FLOAT8 && scale->mapping == PACKED_DIVIDED)
		floats_of_integers_8_divided(scale, integers, count, floats);
	else if (kind == KIND_FLOAT8)
		floats_of_integers_8_multiplied(scale, integers, count, floats);
	else if (scale->mapping == PACKED_DIVIDED)
		floats_of_integers_4_divided(scale, integers, count, floats);
	else
		floats_of_integers_4_multiplied(scale, integers, count, floats);
}

void
integers_of_floats(ElementKind kind, const DecimalScale *scale,
				   const void *floats, int count, int64_t *integers,
				   DecimalExceptions *exceptions)
{
	uint8_t		flags[PACKED_BLOCK];
	int			last = 0;		/* an integer that is not an exception's */

	if (kind == KIND_FLOAT8 && scale->mapping == PACKED_DIVIDED)
		integers_of_floats_8_divided(scale, floats, count, integers, flags);
	else if (kind == KIND_FLOAT8)
		integers_of_floats_8_multiplied(scale, floats, count, integers, flags);
	else if (scale->mapping == PACKED_DIVIDED)
		integers_of_floats_4_divided(scale, floats, count, integers, flags);
	else
		integers_of_floats_4_multiplied(scale, floats, count, integers, flags);

	exceptions->count = 0;
	while (last < count - 1 && !flags[last])
		last++;
	for (int i = 0; i < count; i++)
	{
		if (flags[i])
			last = i;
		else
		{
			exceptions->positions[exceptions->count++] = (uint16_t) i;
			integers[i] = integers[last];
		}
	}
}

/* Some of the floats that are finite; returns their number. */
static int
take_sample(ElementKind kind, const void *floats, int count, double *sample)
{
	int			most = count < SAMPLE ? count : SAMPLE;
	int			taken = 0;

	for (int i = 0; i < most; i++)
	{
		int			at = i * count / most;
		double		element = kind == KIND_FLOAT8 ?
			((const double *) floats)[at] : ((const float *) floats)[at];

		if (isfinite(element))
			sample[taken++] = element;
	}
	return taken;
}

static bool
has_integer(ElementKind kind, double element, const DecimalScale *scale)
{
	int64_t		integer;

	if (kind == KIND_FLOAT8)
		return scale->mapping == PACKED_DIVIDED ?
			find_integer_8_divided(element, scale, &integer) :
			find_integer_8_multiplied(element, scale, &integer);
	return scale->mapping == PACKED_DIVIDED ?
		find_integer_4_divided((float) element, scale, &integer) :
		find_integer_4_multiplied((float) element, scale, &integer);
}

/* Whether enough of the sample are integers of a scale. */
static bool
suits(ElementKind kind, const double *sample, int count,
	  const DecimalScale *scale)
{
	int			failures = 0;

	for (int i = 0; i < count; i++)
	{
		failures += !has_integer(kind, sample[i], scale);
		if (failures * SAMPLE_FAILURES > count)
			return false;
	}
	return count > 0;
}

/*
 * The number by which a float is to be multiplied to have no bits behind the
 * point: a power of two.
 */
static int
find_halvings(double element)
{
	int			exponent;
	double		fraction = frexp(element, &exponent);
	uint64_t	integer = (uint64_t) (int64_t) ldexp(fraction, 53);

	return element == 0 ? 0 : 53 - __builtin_ctzll(integer) - exponent;
}

/* The scale of a power of two that suits all of the sample. */
static DecimalScale
binary_scale(const double *sample, int count)
{
	int			most = 0;

	for (int i = 0; i < count; i++)
	{
		int			halvings = find_halvings(sample[i]);

		most = halvings > most ? halvings : most;
	}
	if (most > MOST_HALVINGS)
		most = MOST_HALVINGS;
	return (DecimalScale) {
		PACKED_MULTIPLIED, ldexp(1, -most), ldexp(1, most)
	};
}

bool
find_scale(ElementKind kind, const void *floats, int count,
		   DecimalScale *scale)
{
	double		sample[SAMPLE];
	int			taken = take_sample(kind, floats, count, sample);
	int			tried = kind == KIND_FLOAT8 ? POWERS : FLOAT4_POWERS;
	DecimalScale binary = binary_scale(sample, taken);

	/* The smallest factor makes the smallest integers. */
	for (int i = 0; i < tried && powers[i] < binary.factor; i++)
	{
		*scale = (DecimalScale) {PACKED_DIVIDED, powers[i], powers[i]};
		if (suits(kind, sample, taken, scale))
			return true;
		*scale = (DecimalScale) {
			PACKED_MULTIPLIED, inverse_powers[i], powers[i]
		};
		if (suits(kind, sample, taken, scale))
			return true;
	}
	*scale = binary;
	return suits(kind, sample, taken, scale);
}
