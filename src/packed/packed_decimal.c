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

/* Floats that are looked at for a scale. */
#define SAMPLE				32

/* One of so many floats may be an exception; fewer are no matter. */
#define EXCEPTIONS			8
#define FEW_EXCEPTIONS		64

/* Powers of ten that are tried, all of them or those for float4. */
#define POWERS				16
#define FLOAT4_POWERS		10

/* The last power of two that is tried, and the greatest integers for it. */
#define MOST_HALVINGS		1022
#define FLOAT4_MOST_BINARY	4194304.0	/* 2^22 */
#define FLOAT8_MOST_BINARY	17592186044416.0	/* 2^44 */

static const double powers[POWERS] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15
};

/* The loops for one type of floats and one way of scaling. */
typedef struct DecimalLoops
{
	void		(*floats_of_integers) (const DecimalScale *scale,
									   const uint64_t *integers, int count,
									   void *floats);
	int64_t		(*integers_of_floats) (const DecimalScale *scale,
									   const void *floats, int count,
									   int64_t *integers);
	bool		(*has_integer) (const DecimalScale *scale, const void *floats,
								int position);
	void		(*find_exceptions) (const DecimalScale *scale,
									const void *floats, int count,
									int64_t *integers,
									DecimalExceptions *exceptions);
} DecimalLoops;

#define LOOPS(suffix) \
	{ \
		floats_of_integers_##suffix, integers_of_floats_##suffix, \
		has_integer_##suffix, find_exceptions_##suffix \
	}

static const DecimalLoops loops_divided[ELEMENT_KINDS] = {
	[KIND_FLOAT4] = LOOPS(4_divided),
	[KIND_FLOAT8] = LOOPS(8_divided)
};

static const DecimalLoops loops_multiplied[ELEMENT_KINDS] = {
	[KIND_FLOAT4] = LOOPS(4_multiplied),
	[KIND_FLOAT8] = LOOPS(8_multiplied)
};

static const DecimalLoops *
loops_of(ElementKind kind, const DecimalScale *scale)
{
	return scale->mapping == PACKED_DIVIDED ? &loops_divided[kind] :
		&loops_multiplied[kind];
}

void
floats_of_integers(ElementKind kind, const DecimalScale *scale,
				   const uint64_t *integers, int count, void *floats)
{
	loops_of(kind, scale)->floats_of_integers(scale, integers, count, floats);
}

/*
 * A quotient and a product by the same power of ten are the same for most
 * floats.  The product becomes the scale if it has fewer exceptions in this
 * block.  Returns the number of exceptions, and finds the integers.
 */
static int64_t
find_integers(ElementKind kind, DecimalScale *scale, const void *floats,
			  int count, int64_t *integers)
{
	const DecimalLoops *quotients = &loops_divided[kind];
	const DecimalLoops *products = &loops_multiplied[kind];
	DecimalScale product = {
		PACKED_MULTIPLIED, 1 / scale->factor, scale->factor
	};
	int64_t		failures;

	if (scale->mapping == PACKED_MULTIPLIED)
		return products->integers_of_floats(scale, floats, count, integers);
	failures = quotients->integers_of_floats(scale, floats, count, integers);
	if (failures * FEW_EXCEPTIONS <= count)
		return failures;
	if (products->integers_of_floats(&product, floats, count,
									 integers) < failures)
		*scale = product;
	return loops_of(kind, scale)->integers_of_floats(scale, floats, count,
													 integers);
}

bool
integers_of_floats(ElementKind kind, DecimalScale *scale, const void *floats,
				   int count, int64_t *integers, DecimalExceptions *exceptions)
{
	int64_t		failures = find_integers(kind, scale, floats, count, integers);

	exceptions->count = 0;
	if (failures == 0 || failures * EXCEPTIONS > count)
		return failures == 0;
	loops_of(kind, scale)->find_exceptions(scale, floats, count, integers,
										   exceptions);
	return true;
}

/* Positions of some floats that are finite, and how many. */
typedef struct Sample
{
	ElementKind kind;
	const void *floats;
	int			count;
	int			positions[SAMPLE];
} Sample;

static double
sampled(const Sample *sample, int i)
{
	int			at = sample->positions[i];

	return sample->kind == KIND_FLOAT8 ? ((const double *) sample->floats)[at] :
		((const float *) sample->floats)[at];
}

static void
take_sample(Sample *sample, int count)
{
	int			most = count < SAMPLE ? count : SAMPLE;

	sample->count = 0;
	for (int i = 0; i < most; i++)
	{
		sample->positions[sample->count] = i * count / most;
		if (isfinite(sampled(sample, sample->count)))
			sample->count++;
	}
}

/* Whether enough of the sample are integers of a scale. */
static bool
suits(const Sample *sample, const DecimalScale *scale)
{
	const DecimalLoops *loops = loops_of(sample->kind, scale);
	int			failures = 0;

	for (int i = 0; i < sample->count; i++)
	{
		failures += !loops->has_integer(scale, sample->floats,
										sample->positions[i]);
		if (failures * EXCEPTIONS > sample->count)
			return false;
	}
	return sample->count > 0;
}

/*
 * The exponent of the power of two that a float is multiplied by to become an
 * integer.
 */
static int
find_halvings(double element)
{
	int			exponent;
	double		fraction = frexp(element, &exponent);
	uint64_t	integer = (uint64_t) (int64_t) ldexp(fraction, 53);

	return element == 0 ? 0 : 53 - __builtin_ctzll(integer) - exponent;
}

/*
 * The scale of a power of two that suits all of the sample.  Returns false if
 * that is not worth it.
 */
static bool
find_binary_scale(const Sample *sample, DecimalScale *scale)
{
	double		limit = sample->kind == KIND_FLOAT8 ? FLOAT8_MOST_BINARY :
		FLOAT4_MOST_BINARY;
	double		greatest = 0;
	int			most = 0;

	for (int i = 0; i < sample->count; i++)
	{
		double		element = fabs(sampled(sample, i));
		int			halvings = find_halvings(element);

		most = halvings > most ? halvings : most;
		greatest = element > greatest ? element : greatest;
	}
	if (most > MOST_HALVINGS)
		return false;
	*scale = (DecimalScale) {
		PACKED_MULTIPLIED, ldexp(1, -most), ldexp(1, most)
	};
	return greatest * scale->factor < limit;
}

bool
find_scale(ElementKind kind, const void *floats, int count,
		   DecimalScale *scale)
{
	Sample		sample = {.kind = kind, .floats = floats};
	int			tried = kind == KIND_FLOAT8 ? POWERS : FLOAT4_POWERS;
	DecimalScale binary;
	double		limit = INFINITY;

	take_sample(&sample, count);
	if (find_binary_scale(&sample, &binary))
		limit = binary.factor;

	/* The smallest factor makes the smallest integers. */
	for (int i = 0; i < tried && powers[i] < limit; i++)
	{
		*scale = (DecimalScale) {PACKED_DIVIDED, powers[i], powers[i]};
		if (suits(&sample, scale))
			return true;
		*scale = (DecimalScale) {PACKED_MULTIPLIED, 1 / powers[i], powers[i]};
		if (suits(&sample, scale))
			return true;
	}
	*scale = binary;
	return limit < INFINITY && suits(&sample, scale);
}
