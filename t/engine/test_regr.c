/*
 * test_regr.c
 *	  Moments of pairs.
 *
 * What is expected is reckoned one pair after the other, in the order that
 * regr.h lays down.
 */
#include <float.h>
#include <math.h>

#include "contract/operations/regr.h"
#include "engines.h"

#define SEGMENT		64
#define TILE		4096

static const ElementKind kinds[] = {
	KIND_INT2, KIND_INT4, KIND_INT8, KIND_FLOAT4, KIND_FLOAT8
};

#define KINDS		((int) (sizeof(kinds) / sizeof(kinds[0])))

/* The sums of some pairs: of y, of x, and of their products. */
typedef struct Sums
{
	double		count;
	double		sum[2];
	double		squares[2];
	double		products;
} Sums;

static double
load(ElementKind kind, const void *array, int64_t i)
{
	switch (kind)
	{
		case KIND_INT2:
			return ((const int16_t *) array)[i];
		case KIND_INT4:
			return ((const int32_t *) array)[i];
		case KIND_INT8:
			return (double) ((const int64_t *) array)[i];
		case KIND_FLOAT4:
			return ((const float *) array)[i];
		default:
			return ((const double *) array)[i];
	}
}

static double
checked(double result, double a, double b, bool *overflow)
{
	if (isinf(result) && isfinite(a) && isfinite(b))
		*overflow = true;
	return result;
}

static Sums
merge(Sums a, Sums b, bool *overflow)
{
	Sums		both = {.count = a.count + b.count};
	double		apart[2];

	if (a.count == 0)
		return b;
	if (b.count == 0)
		return a;
	for (int i = 0; i < 2; i++)
	{
		apart[i] = a.sum[i] / a.count - b.sum[i] / b.count;
		both.sum[i] = checked(a.sum[i] + b.sum[i], a.sum[i], b.sum[i],
							  overflow);
		both.squares[i] = checked(a.squares[i] + b.squares[i] +
								  a.count * b.count * apart[i] * apart[i] /
								  both.count,
								  a.squares[i], b.squares[i], overflow);
	}
	both.products = checked(a.products + b.products +
							a.count * b.count * apart[1] * apart[0] /
							both.count,
							a.products, b.products, overflow);
	return both;
}

static Sums
reckon_segment(const double *y, const double *x, int64_t count, bool *overflow)
{
	const double *numbers[2] = {y, x};
	Sums		sums = {count, {-0.0, -0.0}, {0, 0}, 0};
	bool		finite[2] = {true, true};

	for (int j = 0; j < 2; j++)
	{
		for (int64_t i = 0; i < count; i++)
		{
			sums.sum[j] = checked(sums.sum[j] + numbers[j][i], sums.sum[j],
								  numbers[j][i], overflow);
			finite[j] &= isfinite(numbers[j][i]);
		}
		for (int64_t i = 0; i < count; i++)
			sums.squares[j] += (numbers[j][i] - sums.sum[j] / count) *
				(numbers[j][i] - sums.sum[j] / count);
		if (finite[j] && !isfinite(sums.squares[j]))
			*overflow = true;
	}
	for (int64_t i = 0; i < count; i++)
		sums.products += (y[i] - sums.sum[0] / count) *
			(x[i] - sums.sum[1] / count);
	if (finite[0] && finite[1] && !isfinite(sums.products))
		*overflow = true;
	return sums;
}

/* Returns whether there are other bits than the first number's. */
static bool
differ(const double *numbers, int64_t count)
{
	for (int64_t i = 1; i < count; i++)
		if (memcmp(&numbers[i], &numbers[0], sizeof(double)) != 0)
			return true;
	return false;
}

static Sums
reckon(const double *y, const double *x, int64_t count, bool *overflow)
{
	Sums		c = {0};

	for (int64_t tile = 0; tile < count; tile += TILE)
	{
		int64_t		end = tile + TILE < count ? tile + TILE : count;
		Sums		r = {0};
		Sums		s = {0};

		for (int64_t i = tile; i < end; i += SEGMENT)
		{
			r = merge(r, s, overflow);
			s = reckon_segment(y + i, x + i,
							   end - i < SEGMENT ? end - i : SEGMENT,
							   overflow);
		}
		c = merge(merge(c, r, overflow), s, overflow);
	}
	return c;
}

/* The same bits, or both a NaN. */
static bool
same(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

static bool
same_moments(const PairMoments *a, const Sums *b)
{
	return a->y.count == b->count && a->x.count == b->count &&
		same(a->y.sum, b->sum[0]) && same(a->x.sum, b->sum[1]) &&
		same(a->y.squares, b->squares[0]) &&
		same(a->x.squares, b->squares[1]) && same(a->products, b->products);
}

/* Returns whether something overflows, as it is expected to. */
static bool
try_regr(ElementKind y_kind, const void *y, ElementKind x_kind, const void *x,
		 int64_t count, int data)
{
	double	   *ys = malloc(count * sizeof(double));
	double	   *xs = malloc(count * sizeof(double));
	EngineRegr	regr;
	EngineRequest request = {
		.operation = ENGINE_REGR,
		.inputs = 2,
		.kinds = {y_kind, x_kind},
		.count = count,
		.summary = &regr,
		.summary_bytes = sizeof(regr)
	};
	EngineResult result;
	bool		overflow = false;
	Sums		expected;

	for (int64_t i = 0; i < count; i++)
	{
		ys[i] = load(y_kind, y, i);
		xs[i] = load(x_kind, x, i);
	}
	expected = reckon(ys, xs, count, &overflow);
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		memset(&regr, 0x55, sizeof(regr));
		if (!run_request(&request, y, x, &result))
			continue;
		expect((result.overflow != OVERFLOW_NONE) == overflow &&
			   (overflow ||
				(same_moments(&regr.moments, &expected) &&
				 (regr.y_differs != 0) == differ(ys, count) &&
				 (regr.x_differs != 0) == differ(xs, count))),
			   &request, "regr", data);
	}
	free(ys);
	free(xs);
	return overflow;
}

/*
 * Numbers so large that only the last sum overflows, or only the squares of y
 * do; and one pair that is unlike all others.
 */
static void
test_last(double *y, double *x, int64_t count)
{
	EngineRequest request = {.kinds[0] = KIND_FLOAT8, .count = count};

	for (int64_t i = 0; i < count; i++)
		y[i] = x[i] = 0.1;
	expect(!try_regr(KIND_FLOAT8, y, KIND_FLOAT8, x, count, 2), &request,
		   "equal numbers are not to overflow", 0);
	x[count - 1] = 0.2;
	expect(!try_regr(KIND_FLOAT8, y, KIND_FLOAT8, x, count, 2), &request,
		   "the last x is not to overflow", 0);
	y[count - 1] = 1e200;
	expect(try_regr(KIND_FLOAT8, y, KIND_FLOAT8, x, count, 0), &request,
		   "the squares are to overflow", 0);
	x[count - 1] = INFINITY;
	y[count - 1] = 1;
	expect(!try_regr(KIND_FLOAT8, y, KIND_FLOAT8, x, count, 0), &request,
		   "infinity is not to overflow", 0);
	x[count - 2] = x[count - 1] = DBL_MAX;
	expect(try_regr(KIND_FLOAT8, y, KIND_FLOAT8, x, count, 0), &request,
		   "the sum is to overflow", 0);
}

static void
test_regr(int64_t count, int data)
{
	void	   *y = malloc(count * sizeof(int64_t));
	void	   *x = malloc(count * sizeof(int64_t));

	for (int i = 0; i < KINDS; i++)
	{
		make_data(kinds[i], data, y, count);
		for (int j = 0; j < KINDS; j++)
		{
			/* A long array has each kind once in each place. */
			if (count > MANY && j != (i + 1) % KINDS)
				continue;
			make_data(kinds[j], data == 4 ? i : data, x, count);
			try_regr(kinds[i], y, kinds[j], x, count, data);
		}
	}
	if (data == 0 && count > 1)
		test_last(y, x, count);
	free(y);
	free(x);
}

static void
complete_regr(EngineRequest *request)
{
	request->inputs = 2;
	request->summary_bytes = sizeof(EngineRegr);
}

TEST_FAMILY(regr)
CONCURRENT_REQUEST(REGR, complete_regr)
