/*
 * test_regr.c
 *	  Moments of pairs.
 *
 * What is expected is reckoned one pair after the other, in the order that
 * regr.h lays down.
 */
#include "contract/operations/regr.h"
#include "float_reference.h"

/* Returns whether there are other bits than the first number's. */
static bool
differ(const double *numbers, int64_t count)
{
	for (int64_t i = 1; i < count; i++)
		if (memcmp(&numbers[i], &numbers[0], sizeof(double)) != 0)
			return true;
	return false;
}

static bool
same_moments(Moments a, Moments b)
{
	return a.count == b.count && same_double(a.sum, b.sum) &&
		same_double(a.squares, b.squares);
}

static bool
same_regr(const void *got, const void *expected)
{
	const EngineRegr *a = got;
	const EngineRegr *b = expected;

	return same_moments(a->moments.y, b->moments.y) &&
		same_moments(a->moments.x, b->moments.x) &&
		same_double(a->moments.products, b->moments.products) &&
		(a->y_differs != 0) == b->y_differs &&
		(a->x_differs != 0) == b->x_differs;
}

/* Returns whether something overflows, as it is expected to. */
static bool
try_regr(ElementKind y_kind, const void *y, ElementKind x_kind, const void *x,
		 int64_t count, int data)
{
	OWNED double *ys = doubles_of(y_kind, y, count);
	OWNED double *xs = doubles_of(x_kind, x, count);
	EngineRequest request = {
		.operation = ENGINE_REGR,
		.inputs = 2,
		.kinds = {y_kind, x_kind},
		.count = count,
		.summary_bytes = sizeof(EngineRegr)
	};
	Expected	expected = {.same_summary = same_regr};
	PairSums	sums = sum_pairs(ys, xs, count, &expected.overflow);
	EngineRegr	regr = {
		.moments.y = {sums.count, sums.sum[0], sums.squares[0]},
		.moments.x = {sums.count, sums.sum[1], sums.squares[1]},
		.moments.products = sums.products,
		.y_differs = differ(ys, count),
		.x_differs = differ(xs, count)
	};

	expected.summary = expected.overflow == OVERFLOW_NONE ? &regr : NULL;
	expect_results(&request, INPUTS(y, x), &expected, "regr", data);
	return expected.overflow != OVERFLOW_NONE;
}

/* Pairs of 0.1, but for the last x and y. */
static void
test_last(double *y, double *x, int64_t count)
{
	static const struct
	{
		double		x[2];
		double		y;
		bool		overflow;
		const char *what;
	}			lasts[] = {
		{{0.1, 0.1}, 0.1, false, "equal numbers are not to overflow"},
		{{0.1, 0.2}, 0.1, false, "the last x is not to overflow"},
		{{0.1, 0.2}, 1e200, true, "the squares are to overflow"},
		{{0.1, INFINITY}, 1, false, "infinity is not to overflow"},
		{{DBL_MAX, DBL_MAX}, 1, true, "the sum is to overflow"}
	};
	EngineRequest request = {.kinds[0] = KIND_FLOAT8, .count = count};

	for (int64_t i = 0; i < count; i++)
		y[i] = x[i] = 0.1;
	for (int i = 0; i < LENGTH(lasts); i++)
	{
		memcpy(x + count - 2, lasts[i].x, sizeof(lasts[i].x));
		y[count - 1] = lasts[i].y;
		expect(try_regr(KIND_FLOAT8, y, KIND_FLOAT8, x, count, 0) ==
			   lasts[i].overflow, &request, lasts[i].what, 0);
	}
}

static void
test_regr(int64_t count, int data)
{
	OWNED void *y = malloc(count * sizeof(int64_t));
	OWNED void *x = malloc(count * sizeof(int64_t));

	for (int i = 0; i < NUMBER_KINDS; i++)
	{
		make_data(number_kinds[i], data, y, count);
		for (int j = 0; j < NUMBER_KINDS; j++)
		{
			/* A long array has each kind once in each place. */
			if (count > MANY && j != (i + 1) % NUMBER_KINDS)
				continue;
			make_data(number_kinds[j], data == 4 ? i : data, x, count);
			try_regr(number_kinds[i], y, number_kinds[j], x, count, data);
		}
	}
	if (data == 0 && count > 1)
		test_last(y, x, count);
}

TEST_FAMILY(regr)

CONCURRENT_REQUEST(REGR)
{
	request->inputs = 2;
	request->summary_bytes = sizeof(EngineRegr);
}
