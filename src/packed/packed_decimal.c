/*
 * packed_decimal.c
 *	  Floats that are integers of a scale.
 */
#include <math.h>

#include "contract/cpu_clones.h"
#include "packed/packed_decimal.h"

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

/* An element as a double, which has the bits of a float4, too. */
PACKED_INLINE double
load_float(const void *floats, int i, bool wide)
{
	return wide ? ((const double *) floats)[i] : ((const float *) floats)[i];
}

PACKED_INLINE bool
same_bits(double a, double b, bool wide)
{
	float		narrow_a = (float) a;
	float		narrow_b = (float) b;

	return wide ? load_64(&a) == load_64(&b) :
		load_32(&narrow_a) == load_32(&narrow_b);
}

/* The float of an integer; "divided" is how the scale makes it. */
PACKED_INLINE double
float_of_integer(uint64_t integer, double number, bool wide, bool divided)
{
	double		decimal = decimal_of_integer(integer);
	double		scaled = divided ? decimal / number : decimal * number;

	return wide ? scaled : (float) scaled;
}

/* Finds the integer of a float.  Returns false if there is none. */
PACKED_INLINE bool
find_integer(double element, const DecimalScale *scale, int64_t *integer,
			 bool wide, bool divided)
{
	double		scaled = element * scale->factor;
	bool		fits = scaled > -DECIMAL_LIMIT && scaled < DECIMAL_LIMIT;
	uint64_t	found = integer_of_decimal(fits ? scaled : 0);

	*integer = (int64_t) found;
	return fits &
		same_bits(float_of_integer(found, scale->number, wide, divided),
				  element, wide);
}

PACKED_INLINE void
make_floats(const DecimalScale *scale, const uint64_t *restrict integers,
			int count, void *restrict floats, bool wide, bool divided)
{
	for (int i = 0; i < count; i++)
	{
		double		made = float_of_integer(integers[i], scale->number, wide,
											divided);

		if (wide)
			((double *) floats)[i] = made;
		else
			((float *) floats)[i] = (float) made;
	}
}

PACKED_INLINE int64_t
make_integers(const DecimalScale *scale, const void *restrict floats,
			  int count, int64_t *restrict integers, bool wide, bool divided)
{
	int64_t		failures = 0;

	for (int i = 0; i < count; i++)
		failures += !find_integer(load_float(floats, i, wide), scale,
								  &integers[i], wide, divided);
	return failures;
}

/* Calls a loop that is made for each type of floats and way of scaling. */
#define CALL_LOOP(loop, kind, scale, ...) \
	((kind) == KIND_FLOAT8 ? \
	 (scale)->mapping == PACKED_DIVIDED ? \
	 loop(scale, __VA_ARGS__, true, true) : \
	 loop(scale, __VA_ARGS__, true, false) : \
	 (scale)->mapping == PACKED_DIVIDED ? \
	 loop(scale, __VA_ARGS__, false, true) : \
	 loop(scale, __VA_ARGS__, false, false))

CPU_CLONES void
floats_of_integers(ElementKind kind, const DecimalScale *scale,
				   const uint64_t *integers, int count, void *floats)
{
	CALL_LOOP(make_floats, kind, scale, integers, count, floats);
}

/* Returns the number of floats that are not made by an integer. */
CPU_CLONES static int64_t
try_scale(ElementKind kind, const DecimalScale *scale, const void *floats,
		  int count, int64_t *integers)
{
	return CALL_LOOP(make_integers, kind, scale, floats, count, integers);
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
	DecimalScale product = {
		PACKED_MULTIPLIED, 1 / scale->factor, scale->factor
	};
	int64_t		failures = try_scale(kind, scale, floats, count, integers);

	if (scale->mapping == PACKED_MULTIPLIED ||
		failures * FEW_EXCEPTIONS <= count)
		return failures;
	if (try_scale(kind, &product, floats, count, integers) < failures)
		*scale = product;
	return try_scale(kind, scale, floats, count, integers);
}

/*
 * Finds the floats that their integers do not make, and gives them the integer
 * of a neighbour.
 */
PACKED_INLINE void
find_exceptions(const void *made, const void *floats, int count,
				int64_t *integers, DecimalExceptions *exceptions, bool wide)
{
	int			last = 0;		/* one that is none */

	while (last < count - 1 &&
		   !same_bits(load_float(made, last, wide),
					  load_float(floats, last, wide), wide))
		last++;
	for (int i = 0; i < count; i++)
	{
		if (same_bits(load_float(made, i, wide), load_float(floats, i, wide),
					  wide))
			last = i;
		else
		{
			exceptions->positions[exceptions->count++] = (uint16_t) i;
			integers[i] = integers[last];
		}
	}
}

bool
integers_of_floats(ElementKind kind, DecimalScale *scale, const void *floats,
				   int count, int64_t *integers, DecimalExceptions *exceptions)
{
	int64_t		failures = find_integers(kind, scale, floats, count, integers);
	double		made[PACKED_BLOCK];

	exceptions->count = 0;
	if (failures == 0 || failures * EXCEPTIONS > count)
		return failures == 0;
	floats_of_integers(kind, scale, (const uint64_t *) integers, count, made);
	if (kind == KIND_FLOAT8)
		find_exceptions(made, floats, count, integers, exceptions, true);
	else
		find_exceptions(made, floats, count, integers, exceptions, false);
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
	return load_float(sample->floats, sample->positions[i],
					  sample->kind == KIND_FLOAT8);
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
	bool		wide = sample->kind == KIND_FLOAT8;
	bool		divided = scale->mapping == PACKED_DIVIDED;
	int			failures = 0;
	int64_t		integer;

	for (int i = 0; i < sample->count; i++)
	{
		failures += !find_integer(sampled(sample, i), scale, &integer, wide,
								  divided);
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
