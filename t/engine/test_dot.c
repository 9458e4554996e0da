/*
 * test_dot.c
 *	  Sums of products of two inputs.
 *
 * What is expected is reckoned one pair after the other: sums of positive
 * products of integers apart from those of negative ones; and floats in the
 * order that dot.h lays down.
 */
#include <float.h>
#include <math.h>

#include "contract/operations/dot.h"
#include "engines.h"

#define SEGMENT		64
#define TILE		4096

typedef unsigned __int128 Wide;

/* A sum of numbers that are not negative: its lower 64 bits, and the others. */
typedef struct Sum
{
	uint64_t	low;
	Wide		high;
} Sum;

static int64_t
load_integer(ElementKind kind, const void *array, int64_t i)
{
	return kind == KIND_INT2 ? ((const int16_t *) array)[i] :
		kind == KIND_INT4 ? ((const int32_t *) array)[i] :
		((const int64_t *) array)[i];
}

static double
load_float(ElementKind kind, const void *array, int64_t i)
{
	return kind == KIND_FLOAT4 ? ((const float *) array)[i] :
		((const double *) array)[i];
}

static void
add(Sum *sum, Wide value)
{
	Wide		low = (Wide) sum->low + (uint64_t) value;

	sum->low = (uint64_t) low;
	sum->high += (value >> 64) + (low >> 64);
}

static void
reckon_integers(ElementKind kind, const void *a, const void *b, int64_t count,
				EngineDot *dot)
{
	Sum			positive = {0};
	Sum			negative = {0};
	Wide		high;

	for (int64_t i = 0; i < count; i++)
	{
		__int128	product = (__int128) load_integer(kind, a, i) *
			load_integer(kind, b, i);

		if (product < 0)
			add(&negative, (Wide) -product);
		else
			add(&positive, (Wide) product);
	}
	high = positive.high - negative.high - (positive.low < negative.low);
	dot->integers = (WideInteger)
	{
		{
			positive.low - negative.low, (uint64_t) high,
				(uint64_t) (high >> 64)
		}
	};
}

/* A result as the type has it; notes whether it overflows. */
static double
checked(ElementKind kind, double result, double a, double b, bool *overflow)
{
	if (kind == KIND_FLOAT4)
		result = (float) result;
	if (isinf(result) && isfinite(a) && isfinite(b))
		*overflow = true;
	return result;
}

static double
plus(ElementKind kind, double a, double b, bool *overflow)
{
	return checked(kind, a + b, a, b, overflow);
}

static EngineOverflow
reckon_floats(ElementKind kind, const void *a, const void *b, int64_t count,
			  EngineDot *dot)
{
	double		c = -0.0;
	double		r = -0.0;
	double		s = -0.0;
	bool		overflow = false;
	bool		underflow = false;

	for (int64_t i = 0; i < count; i++)
	{
		double		x = load_float(kind, a, i);
		double		y = load_float(kind, b, i);
		double		product = checked(kind, x * y, x, y, &overflow);

		if (i % TILE == 0)
		{
			c = plus(kind, plus(kind, c, r, &overflow), s, &overflow);
			r = s = -0.0;
		}
		else if (i % SEGMENT == 0)
		{
			r = plus(kind, r, s, &overflow);
			s = -0.0;
		}
		underflow |= product == 0 && x != 0 && y != 0;
		s = plus(kind, s, product, &overflow);
	}
	dot->floats = plus(kind, plus(kind, c, r, &overflow), s, &overflow);
	return overflow ? OVERFLOW_UP : underflow ? OVERFLOW_DOWN : OVERFLOW_NONE;
}

/* The same sums; any NaN is the same as another one. */
static bool
same_dot(const EngineDot *a, const EngineDot *b)
{
	return memcmp(&a->integers, &b->integers, sizeof(a->integers)) == 0 &&
		((isnan(a->floats) && isnan(b->floats)) ||
		 memcmp(&a->floats, &b->floats, sizeof(a->floats)) == 0);
}

/* Returns what overflows, as it is expected to. */
static EngineOverflow
try_dot(ElementKind kind, const void *a, const void *b, int64_t count,
		int data)
{
	EngineDot	expected = {.floats = 0};
	EngineDot	dot;
	EngineRequest request = {
		.operation = ENGINE_DOT,
		.inputs = 2,
		.kinds = {kind, kind},
		.count = count,
		.summary = &dot,
		.summary_bytes = sizeof(dot)
	};
	EngineResult result;
	EngineOverflow overflow = OVERFLOW_NONE;

	if (kind_is_float(kind))
		overflow = reckon_floats(kind, a, b, count, &expected);
	else
		reckon_integers(kind, a, b, count, &expected);
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		memset(&dot, 0x55, sizeof(dot));
		if (!run_request(&request, a, b, &result))
			continue;
		if (!kind_is_float(kind))
			dot.floats = 0;
		expect(result.overflow == overflow &&
			   (overflow == OVERFLOW_UP || same_dot(&dot, &expected)),
			   &request, "dot", data);
	}
	return overflow;
}

static void
put_float(ElementKind kind, void *array, int64_t i, double value)
{
	if (kind == KIND_FLOAT4)
		((float *) array)[i] = (float) value;
	else
		((double *) array)[i] = value;
}

/*
 * Zeros, but for the last pairs: a product overflows, a product underflows, or
 * none does, but the sum of two overflows.
 */
static void
test_overflow(ElementKind kind, void *a, void *b, int64_t count)
{
	double		most = kind == KIND_FLOAT4 ? FLT_MAX : DBL_MAX;
	double		least = kind == KIND_FLOAT4 ? FLT_MIN : DBL_MIN;
	EngineRequest request = {.kinds[0] = kind, .count = count};
	int64_t		last = count - 1;

	memset(a, 0, count * kind_size(kind));
	memset(b, 0, count * kind_size(kind));
	put_float(kind, a, last, most);
	put_float(kind, b, last, -2);
	expect(try_dot(kind, a, b, count, 0) == OVERFLOW_UP, &request,
		   "the product is to overflow", 0);
	put_float(kind, a, last, least);
	put_float(kind, b, last, least);
	expect(try_dot(kind, a, b, count, 0) == OVERFLOW_DOWN, &request,
		   "the product is to underflow", 0);
	put_float(kind, a, last, INFINITY);
	expect(try_dot(kind, a, b, count, 0) == OVERFLOW_NONE, &request,
		   "infinity is not to overflow", 0);
	if (count == 1)
		return;
	put_float(kind, a, last, most);
	put_float(kind, b, last, 1);
	put_float(kind, a, 0, most);
	put_float(kind, b, 0, 1);
	expect(try_dot(kind, a, b, count, 0) == OVERFLOW_UP, &request,
		   "the sum is to overflow", 0);
}

static void
test_dot(int64_t count, int data)
{
	static const ElementKind kinds[] = {
		KIND_INT2, KIND_INT4, KIND_INT8, KIND_FLOAT4, KIND_FLOAT8
	};
	void	   *a = malloc(count * sizeof(int64_t));
	void	   *b = malloc(count * sizeof(int64_t));

	for (int i = 0; i < (int) (sizeof(kinds) / sizeof(kinds[0])); i++)
	{
		make_data(kinds[i], data, a, count);
		make_data(kinds[i], data, b, count);
		try_dot(kinds[i], a, b, count, data);
		try_dot(kinds[i], a, a, count, data);
		make_data(kinds[i], 1, b, count);
		try_dot(kinds[i], a, b, count, data);
		if (data == 0 && kind_is_float(kinds[i]))
			test_overflow(kinds[i], a, b, count);
	}
	free(a);
	free(b);
}

static void
complete_dot(EngineRequest *request)
{
	request->inputs = 2;
	request->kinds[1] = KIND_INT4;
	request->summary_bytes = sizeof(EngineDot);
}

TEST_FAMILY(dot)
CONCURRENT_REQUEST(DOT, complete_dot)
