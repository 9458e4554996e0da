/*
 * test_stats.c
 *	  Statistics of numbers.
 *
 * What is expected is reckoned one element after the other, in the order that
 * stats.h lays down, with integers of 128 bits.
 */
#include "contract/order.h"
#include "contract/operations/stats.h"
#include "float_reference.h"

typedef unsigned __int128 Wide;

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

	stats->least = stats->greatest = test_value(kind, in, 0).integer;
	for (int64_t i = 0; i < count; i++)
	{
		int64_t		element = test_value(kind, in, i).integer;
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

static EngineOverflow
reckon_floats(ElementKind kind, const void *in, int64_t count,
			  EngineStats *stats)
{
	OWNED double *elements = doubles_of(kind, in, count);
	EngineOverflow overflow = OVERFLOW_NONE;
	PairSums	sums = sum_pairs(elements, elements, count, &overflow);

	stats->least_order = UINT64_MAX;
	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	order = kind == KIND_FLOAT4 ?
			float4_order(((const uint32_t *) in)[i]) :
			float8_order(((const uint64_t *) in)[i]);

		if (order < stats->least_order)
			stats->least_order = order;
		if (order > stats->greatest_order)
			stats->greatest_order = order;
	}
	stats->moments = (Moments) {sums.count, sums.sum[0], sums.squares[0]};
	stats->own_sum = sum_in_order(kind, elements, count, &overflow);
	return overflow;
}

static bool
same_stats(const void *got, const void *expected)
{
	const EngineStats *a = got;
	const EngineStats *b = expected;

	return a->least == b->least && a->greatest == b->greatest &&
		a->least_order == b->least_order &&
		a->greatest_order == b->greatest_order &&
		memcmp(&a->sum, &b->sum, sizeof(a->sum)) == 0 &&
		memcmp(&a->squares, &b->squares, sizeof(a->squares)) == 0 &&
		same_double(a->moments.count, b->moments.count) &&
		same_double(a->moments.sum, b->moments.sum) &&
		same_double(a->moments.squares, b->moments.squares) &&
		same_double(a->own_sum, b->own_sum);
}

/* Returns whether something overflows, as it is expected to. */
static bool
try_stats(ElementKind kind, const void *in, int64_t count, int data)
{
	EngineStats stats = {0};
	EngineRequest request = make_request(ENGINE_STATS, kind, kind, count);
	Expected	expected = {.same_summary = same_stats};

	request.summary_bytes = sizeof(stats);
	if (kind_is_float(kind))
		expected.overflow = reckon_floats(kind, in, count, &stats);
	else
		reckon_integers(kind, in, count, &stats);
	expected.summary = expected.overflow == OVERFLOW_NONE ? &stats : NULL;
	expect_results(&request, INPUTS(in), &expected, "stats", data);
	return expected.overflow != OVERFLOW_NONE;
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
	put_number(kind, in, count - 2, most);
	put_number(kind, in, count - 1, most);
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
test_stats(ElementKind kind, void *in, int64_t count, int data)
{
	try_stats(kind, in, count, data);
	if (data == 0 && kind_is_float(kind) && count > 1)
		test_overflow(kind, in, count);
}

TEST_NUMBERS(stats)

CONCURRENT_REQUEST(STATS)
{
	request->summary_bytes = sizeof(EngineStats);
}
