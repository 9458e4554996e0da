/*
 * test_stats.c
 *	  Statistics of numbers.
 *
 * What is expected is reckoned one element after the other, in the order that
 * stats.h lays down, with integers of 128 bits.
 */
#include <float.h>
#include <math.h>

#include "contract/order.h"
#include "contract/operations/stats.h"
#include "engines.h"

#define SEGMENT		64
#define TILE		4096

typedef unsigned __int128 Wide;

static int64_t
load_integer(ElementKind kind, const void *array, int64_t i)
{
	return kind == KIND_INT2 ? ((const int16_t *) array)[i] :
		kind == KIND_INT4 ? ((const int32_t *) array)[i] :
		((const int64_t *) array)[i];
}

/*
 * 128 bits of a sum, and those above: of a sum of such that are not negative.
 */
static WideInteger
wide_of(Wide low, uint64_t high)
{
	WideInteger wide = {{(uint64_t) low, (uint64_t) (low >> 64), high}};

	return wide;
}

static void
reckon_integers(ElementKind kind, const void *in, int64_t count,
				EngineStats *stats)
{
	__int128	sum = 0;
	Wide		squares_low = 0;	/* of the lower 64 bits of each square */
	Wide		squares_high = 0;

	stats->least = stats->greatest = load_integer(kind, in, 0);
	for (int64_t i = 0; i < count; i++)
	{
		int64_t		element = load_integer(kind, in, i);
		Wide		square = (Wide) ((__int128) element * element);

		sum += element;
		squares_low += (uint64_t) square;
		squares_high += (uint64_t) (square >> 64);
		if (element < stats->least)
			stats->least = element;
		if (element > stats->greatest)
			stats->greatest = element;
	}
	squares_high += squares_low >> 64;
	stats->sum = wide_of((Wide) sum, sum < 0 ? UINT64_MAX : 0);
	stats->squares = wide_of((uint64_t) squares_low |
							 (Wide) (uint64_t) squares_high << 64,
							 (uint64_t) (squares_high >> 64));
}

/* The sums of some elements, and what overflows on the way. */
typedef struct Sums
{
	double		count;
	double		sum;
	double		squares;
	double		own;			/* the sum in the elements' type */
} Sums;

static double
checked(double result, double a, double b, bool *overflow)
{
	if (isinf(result) && isfinite(a) && isfinite(b))
		*overflow = true;
	return result;
}

static double
add_own(ElementKind kind, double a, double b, bool *overflow)
{
	return checked(kind == KIND_FLOAT4 ? (float) (a + b) : a + b, a, b,
				   overflow);
}

static Sums
merge(ElementKind kind, Sums a, Sums b, bool *overflow)
{
	double		apart = a.sum / a.count - b.sum / b.count;

	if (a.count == 0)
		return b;
	if (b.count == 0)
		return a;
	return (Sums)
	{
		a.count + b.count,
			checked(a.sum + b.sum, a.sum, b.sum, overflow),
			checked(a.squares + b.squares + a.count * b.count * apart * apart /
					(a.count + b.count), a.squares, b.squares, overflow),
			add_own(kind, a.own, b.own, overflow)
	};
}

static Sums
reckon_segment(ElementKind kind, const double *elements, int64_t count,
			   bool *overflow)
{
	Sums		sums = {count, -0.0, 0, -0.0};
	bool		finite = true;

	for (int64_t i = 0; i < count; i++)
	{
		sums.sum = checked(sums.sum + elements[i], sums.sum, elements[i],
						   overflow);
		sums.own = add_own(kind, sums.own, elements[i], overflow);
		finite &= isfinite(elements[i]);
	}
	for (int64_t i = 0; i < count; i++)
		sums.squares += (elements[i] - sums.sum / count) *
			(elements[i] - sums.sum / count);
	if (finite && !isfinite(sums.squares))
		*overflow = true;
	return sums;
}

static bool
reckon_floats(ElementKind kind, const void *in, int64_t count,
			  EngineStats *stats)
{
	double	   *elements = malloc(count * sizeof(double));
	Sums		c = {0};
	bool		overflow = false;

	stats->least_order = UINT64_MAX;
	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	order;

		if (kind == KIND_FLOAT4)
			order = float4_order(((const uint32_t *) in)[i]);
		else
			order = float8_order(((const uint64_t *) in)[i]);
		elements[i] = kind == KIND_FLOAT4 ? ((const float *) in)[i] :
			((const double *) in)[i];
		if (order < stats->least_order)
			stats->least_order = order;
		if (order > stats->greatest_order)
			stats->greatest_order = order;
	}
	for (int64_t tile = 0; tile < count; tile += TILE)
	{
		int64_t		end = tile + TILE < count ? tile + TILE : count;
		Sums		r = {0};
		Sums		s = {0};

		for (int64_t i = tile; i < end; i += SEGMENT)
		{
			r = merge(kind, r, s, &overflow);
			s = reckon_segment(kind, elements + i,
							   end - i < SEGMENT ? end - i : SEGMENT,
							   &overflow);
		}
		c = merge(kind, merge(kind, c, r, &overflow), s, &overflow);
	}
	stats->moments = (Moments) {c.count, c.sum, c.squares};
	stats->own_sum = c.own;
	free(elements);
	return overflow;
}

/* The same bits, or both a NaN. */
static bool
same(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

static bool
same_stats(const EngineStats *a, const EngineStats *b)
{
	return a->least == b->least && a->greatest == b->greatest &&
		a->least_order == b->least_order &&
		a->greatest_order == b->greatest_order &&
		memcmp(&a->sum, &b->sum, sizeof(a->sum)) == 0 &&
		memcmp(&a->squares, &b->squares, sizeof(a->squares)) == 0 &&
		same(a->moments.count, b->moments.count) &&
		same(a->moments.sum, b->moments.sum) &&
		same(a->moments.squares, b->moments.squares) &&
		same(a->own_sum, b->own_sum);
}

/* Returns whether something overflows, as it is expected to. */
static bool
try_stats(ElementKind kind, const void *in, int64_t count, int data)
{
	EngineStats expected = {0};
	EngineStats stats;
	EngineRequest request = {
		.operation = ENGINE_STATS,
		.kinds[0] = kind,
		.outputs[0].kind = kind,
		.count = count,
		.summary = &stats,
		.summary_bytes = sizeof(stats)
	};
	EngineResult result;
	bool		overflow = false;

	if (kind_is_float(kind))
		overflow = reckon_floats(kind, in, count, &expected);
	else
		reckon_integers(kind, in, count, &expected);
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		memset(&stats, 0x55, sizeof(stats));
		if (!run_request(&request, in, NULL, &result))
			continue;
		expect((result.overflow != OVERFLOW_NONE) == overflow &&
			   (overflow || same_stats(&stats, &expected)),
			   &request, "stats", data);
	}
	return overflow;
}

/*
 * Floats so large that their sum overflows at the end of the array, or only the
 * sum of squares does.
 */
static void
test_overflow(ElementKind kind, void *in, int64_t count)
{
	double		most = kind == KIND_FLOAT4 ? FLT_MAX : DBL_MAX;
	EngineRequest request = {.kinds[0] = kind, .count = count};

	memset(in, 0, count * kind_size(kind));
	for (int64_t i = count - 2; i < count; i++)
	{
		if (kind == KIND_FLOAT4)
			((float *) in)[i] = most;
		else
			((double *) in)[i] = most;
	}
	expect(try_stats(kind, in, count, 0), &request, "the sum is to overflow",
		   0);
	if (kind == KIND_FLOAT4)
		return;
	((double *) in)[count - 2] = -1e200;
	((double *) in)[count - 1] = 1e200;
	expect(try_stats(kind, in, count, 0), &request,
		   "the squares are to overflow", 0);
}

static void
test_stats(int64_t count, int data)
{
	static const ElementKind kinds[] = {
		KIND_INT2, KIND_INT4, KIND_INT8, KIND_FLOAT4, KIND_FLOAT8
	};
	void	   *in = malloc(count * sizeof(int64_t));

	for (int i = 0; i < (int) (sizeof(kinds) / sizeof(kinds[0])); i++)
	{
		make_data(kinds[i], data, in, count);
		try_stats(kinds[i], in, count, data);
		if (data == 0 && kind_is_float(kinds[i]) && count > 1)
			test_overflow(kinds[i], in, count);
	}
	free(in);
}

static void
complete_stats(EngineRequest *request)
{
	request->summary_bytes = sizeof(EngineStats);
}

TEST_FAMILY(stats)
CONCURRENT_REQUEST(STATS, complete_stats)
