/*
 * test_dot.c
 *	  Sums of products of two inputs.
 *
 * The expected results are computed one pair after the other: sums of positive
 * and of negative products of integers separately; floats in the order that
 * dot.h defines.
 */
#include "contract/operations/dot.h"
#include "float_reference.h"

typedef unsigned __int128 Wide;

/* A sum of numbers that are not negative: its lower 64 bits, and the others. */
typedef struct Sum
{
	uint64_t	low;
	Wide		high;
} Sum;

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
		__int128	product = (__int128) test_value(kind, a, i).integer *
			test_value(kind, b, i).integer;

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

static EngineOverflow
reckon_floats(ElementKind kind, const void *a, const void *b, int64_t count,
			  EngineDot *dot)
{
	OWNED double *products = malloc(count * sizeof(double));
	EngineOverflow overflow = OVERFLOW_NONE;

	for (int64_t i = 0; i < count; i++)
		products[i] = times(kind, number_at(kind, a, i), number_at(kind, b, i),
							&overflow);
	dot->floats = sum_in_order(kind, products, count, &overflow);
	return overflow;
}

static bool
same_integers(const void *got, const void *expected)
{
	const EngineDot *a = got;
	const EngineDot *b = expected;

	return memcmp(&a->integers, &b->integers, sizeof(a->integers)) == 0;
}

/* The same sums; any NaN is the same as another one. */
static bool
same_dot(const void *got, const void *expected)
{
	const EngineDot *a = got;
	const EngineDot *b = expected;

	return same_integers(a, b) && same_double(a->floats, b->floats);
}

/* Returns what overflows, as it is expected to. */
static EngineOverflow
try_dot(ElementKind kind, const void *a, const void *b, int64_t count,
		int data)
{
	EngineDot	dot = {.floats = 0};
	EngineRequest request = make_request(ENGINE_DOT, kind, kind, count);
	Expected	expected = {.summary = &dot, .same_summary = same_integers};

	request.inputs = 2;
	request.kinds[1] = kind;
	request.summary_bytes = sizeof(dot);
	if (kind_is_float(kind))
	{
		expected.overflow = reckon_floats(kind, a, b, count, &dot);
		expected.same_summary = same_dot;
	}
	else
		reckon_integers(kind, a, b, count, &dot);
	if (expected.overflow == OVERFLOW_UP)
		expected.summary = NULL;
	expect_results(&request, INPUTS(a, b), &expected, "dot", data);
	return expected.overflow;
}

/*
 * Zeros, except for the last pair, and maybe the first one: a product
 * overflows, a product underflows, or none does, but the sum of two overflows.
 */
static void
test_overflow(ElementKind kind, void *a, void *b, int64_t count)
{
	double		most = kind == KIND_FLOAT4 ? FLT_MAX : DBL_MAX;
	double		least = kind == KIND_FLOAT4 ? FLT_MIN : DBL_MIN;
	const struct
	{
		double		a;
		double		b;
		bool		first;		/* the first pair is the same */
		EngineOverflow overflow;
		const char *what;
	}			pairs[] = {
		{most, -2, false, OVERFLOW_UP, "the product is to overflow"},
		{least, least, false, OVERFLOW_DOWN, "the product is to underflow"},
		{INFINITY, least, false, OVERFLOW_NONE, "infinity is not to overflow"},
		{most, 1, true, OVERFLOW_UP, "the sum is to overflow"}
	};
	EngineRequest request = {.kinds[0] = kind, .count = count};

	memset(a, 0, count * kind_size(kind));
	memset(b, 0, count * kind_size(kind));
	for (int i = 0; i < LENGTH(pairs) - (count == 1); i++)
	{
		put_number(kind, a, count - 1, pairs[i].a);
		put_number(kind, b, count - 1, pairs[i].b);
		if (pairs[i].first)
		{
			put_number(kind, a, 0, pairs[i].a);
			put_number(kind, b, 0, pairs[i].b);
		}
		expect(try_dot(kind, a, b, count, 0) == pairs[i].overflow, &request,
			   pairs[i].what, 0);
	}
}

static void
test_dot(ElementKind kind, void *a, int64_t count, int data)
{
	OWNED void *b = malloc(count * sizeof(int64_t));

	make_data(kind, data, b, count);
	try_dot(kind, a, b, count, data);
	try_dot(kind, a, a, count, data);
	make_data(kind, 1, b, count);
	try_dot(kind, a, b, count, data);
	if (data == 0 && kind_is_float(kind))
		test_overflow(kind, a, b, count);
}

TEST_NUMBERS(dot)

CONCURRENT_REQUEST(DOT)
{
	request->inputs = 2;
	request->kinds[1] = KIND_INT4;
	request->summary_bytes = sizeof(EngineDot);
}
