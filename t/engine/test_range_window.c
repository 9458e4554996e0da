/*
 * test_range_window.c
 *	  Frames by range: each is found by a search of its own, and combined by
 *	  loops over its elements, in the order that range_window.h lays down.
 *
 * Of many places, a few frames are looked at, besides those whose results are
 * known for all: counts, and sums of integers as differences of prefixes.
 */
#include "contract/operations/range_window.h"
#include "float_reference.h"
#include "window_reference.h"

/* Frames that are looked at, of many. */
#define FEW				60

/* A series, and places. */
typedef struct RangeTest
{
	EngineRequest request;
	RangeWindowParameters *parameters;
	ElementKind x_kind;
	ElementKind kind;			/* of the elements */
	const char *places;
	const char *x;
	const char *elements;
	int64_t		count;			/* of the series */
	WideSum    *sums;			/* of the elements before each integer */
	int64_t    *first;			/* of each frame */
	int64_t    *end;
	EngineOverflow overflow;
} RangeTest;

/* A bound of frames: core's in_range for integers and floats. */
static bool
is_in_range(const RangeTest *test, int64_t at, int64_t place, bool preceding)
{
	TestValue	x = test_value(test->x_kind, test->x, at);
	TestValue	base = test_value(test->x_kind, test->places, place);
	RangeOffset offset = preceding ? test->parameters->preceding :
		test->parameters->following;
	int64_t		greatest =
		(int64_t) (UINT64_MAX >> (65 - 8 * kind_size(test->x_kind)));
	WideSum		sum;

	if (kind_is_float(test->x_kind))
	{
		double		real;

		if (isnan(x.real))
			return isnan(base.real) || preceding;
		if (isnan(base.real))
			return !preceding;
		if (isinf(offset.real) && isinf(base.real) &&
			(preceding ? base.real > 0 : base.real < 0))
			return true;
		real = preceding ? base.real - offset.real : base.real + offset.real;
		return preceding ? x.real >= real : x.real <= real;
	}
	if (preceding ? test->parameters->preceding_all :
		test->parameters->following_all)
		return true;
	sum = preceding ? (WideSum) base.integer - offset.integer :
		(WideSum) base.integer + offset.integer;
	if (test->parameters->times)
	{
		bool		infinite = x.integer == greatest ||
			x.integer == -greatest - 1;

		if (base.integer == greatest || base.integer == -greatest - 1)
			sum = base.integer;
		else if (infinite)
			return preceding == (x.integer > 0);
	}
	return preceding ? x.integer >= sum : x.integer <= sum;
}

static void
find_frame(RangeTest *test, int64_t place)
{
	int64_t		bounds[2] = {0, 0};

	for (int i = 0; i < 2; i++)
	{
		int64_t		to = test->count;

		while (bounds[i] < to)
		{
			int64_t		middle = bounds[i] + (to - bounds[i]) / 2;

			if (is_in_range(test, middle, place, i == 0) == (i == 0))
				to = middle;
			else
				bounds[i] = middle + 1;
		}
	}
	test->first[place] = bounds[0];
	test->end[place] = bounds[1];
}

/* The sum of adjacent elements, all of them finite numbers. */
static double
add_row(const RangeTest *test, ElementKind to, int64_t from, int64_t end,
		bool backward)
{
	double		sum = -0.0;

	for (int64_t i = from; i < end; i++)
	{
		double		x = number_at(test->kind, test->elements,
								  backward ? from + end - 1 - i : i);

		if (isfinite(x))
			sum = plus(to, sum, x, &(EngineOverflow) {0});
	}
	return sum;
}

static double
add_tile(const RangeTest *test, ElementKind to, int64_t tile)
{
	double		sum = -0.0;

	for (int64_t i = 0; i < RANGE_TILE; i += RANGE_SEGMENT)
		sum = plus(to, sum, add_row(test, to, tile * RANGE_TILE + i,
									tile * RANGE_TILE + i + RANGE_SEGMENT,
									false), &(EngineOverflow) {0});
	return sum;
}

/* The sum of the finite elements of a frame. */
static double
sum_frame(const RangeTest *test, ElementKind to, int64_t first, int64_t last)
{
	EngineOverflow ignored = OVERFLOW_NONE;
	double		c[2] = {-0.0, -0.0};
	int64_t		cut = last;
	int64_t		begin;
	int64_t		end;

	if (first == last)
		return add_row(test, to, first, last + 1, false);
	for (int64_t digit = 1; cut - (cut & digit) > first; digit *= 2)
		cut -= cut & digit;
	end = (first / RANGE_TILE + 1) * RANGE_TILE;
	end = end < cut ? end : cut;
	begin = last / RANGE_TILE * RANGE_TILE;
	begin = begin > cut ? begin : cut;
	for (int64_t tile = cut / RANGE_TILE - 1; tile * RANGE_TILE >= end; tile--)
		c[0] = plus(to, add_tile(test, to, tile), c[0], &ignored);
	for (int64_t tile = cut / RANGE_TILE; (tile + 1) * RANGE_TILE <= begin;
		 tile++)
		c[1] = plus(to, c[1], add_tile(test, to, tile), &ignored);
	return plus(to, plus(to, add_row(test, to, first, end, true), c[0],
						 &ignored),
				plus(to, c[1], add_row(test, to, begin, last + 1, false),
					 &ignored), &ignored);
}

static double
float_sum(RangeTest *test, ElementKind to, int64_t first, int64_t end)
{
	double		sum = sum_frame(test, to, first, end - 1);
	bool		has[3] = {false, false, false};

	for (int64_t i = first; i < end; i++)
	{
		double		x = number_at(test->kind, test->elements, i);

		if (!isfinite(x))
			has[isnan(x) ? 0 : x > 0 ? 1 : 2] = true;
	}
	if (has[0] || (has[1] && has[2]))
		return NAN;
	if (has[1] || has[2])
		return has[1] ? INFINITY : -INFINITY;
	if (!isfinite(sum))
		test->overflow = OVERFLOW_UP;
	return sum;
}

/* The last one of the least elements, or of the greatest. */
static int64_t
extreme_at(const RangeTest *test, int64_t first, int64_t end, bool least)
{
	int64_t		best = first;

	for (int64_t i = first + 1; i < end; i++)
	{
		uint64_t	a = index_of(test->kind, test->elements, best);
		uint64_t	b = index_of(test->kind, test->elements, i);

		if (least ? b <= a : b >= a)
			best = i;
	}
	return best;
}

/* Puts the result of a frame that has elements. */
static void
put_result(RangeTest *test, char *results, int64_t place)
{
	ElementKind to = test->request.outputs[0].kind;
	int64_t		first = test->first[place];
	int64_t		end = test->end[place];
	int			size = kind_size(test->kind);
	int64_t		at;

	switch (test->parameters->op)
	{
		case RANGE_COUNT:
			if (kind_is_float(to))
				put_number(to, results, place, (double) (end - first));
			else if (!put_integer(to, results, place, end - first))
				test->overflow = OVERFLOW_UP;
			return;
		case RANGE_SUM:
			if (kind_is_float(to))
				put_number(to, results, place, float_sum(test, to, first, end));
			else if (!put_integer(to, results, place,
								  test->sums[end] - test->sums[first]))
				test->overflow = OVERFLOW_UP;
			return;
		case RANGE_AVERAGE:
			put_number(to, results, place, kind_is_float(test->kind) ?
					   float_sum(test, to, first, end) / (end - first) :
					   wide_sum_average(test->sums[end] - test->sums[first],
										end - first));
			return;
		case RANGE_FIRST:
			at = first;
			break;
		case RANGE_LAST:
			at = end - 1;
			break;
		default:
			at = extreme_at(test, first, end,
							test->parameters->op == RANGE_MIN);
			break;
	}
	memcpy(results + place * size, test->elements + at * size, size);
}

/* Returns whether the result of each frame is known at once. */
static bool
is_quick(const RangeTest *test)
{
	RangeOperator op = test->parameters->op;

	return op >= RANGE_COUNT ||
		(op <= RANGE_AVERAGE && !kind_is_float(test->kind));
}

static void
try_ranges(RangeTest *test, int data)
{
	static const char *const names[RANGE_OPERATORS] = {
		"range sum", "range average", "range min", "range max", "range count",
		"range first", "range last"
	};
	int64_t		count = most_results(&test->request);
	bool		has_places = test->request.table_bytes > 0;
	OWNED char *results = calloc(count, sizeof(double));
	OWNED bool *undefined = calloc(count, 1);
	OWNED bool *exist = calloc(count, 1);
	int64_t		no_errors = 0;
	Expected	expected = {
		.count = count,
		.results = results,
		.second = has_places ? exist : NULL,
		.errors = &no_errors,
		.any_nan = kind_is_float(test->request.outputs[0].kind),
		.undefined = undefined
	};

	test->overflow = OVERFLOW_NONE;
	for (int64_t i = 0; i < count; i++)
	{
		find_frame(test, i);
		exist[i] = test->end[i] > test->first[i];
		undefined[i] = !exist[i] ||
			(count > 2 * FEW && !is_quick(test) &&
			 random_bits() % (count / FEW) != 0);
		if (!undefined[i])
			put_result(test, results, i);
	}
	expected.overflow = test->overflow;
	if (test->overflow != OVERFLOW_NONE)
		expected.results = NULL;
	expect_results(&test->request, INPUTS(test->x, test->elements),
				   &expected, names[test->parameters->op], data);
}

/* Floats whose sums do not overflow, among them some that are not finite. */
static void
make_elements(ElementKind kind, int data, char *elements, int64_t count)
{
	int64_t		rare = count < 5000 ? 50 : 20000;

	if (!kind_is_float(kind) || (data != 4 && count < 1000))
	{
		make_data(kind, kind_is_float(kind) && data == 4 ? 0 : data, elements,
				  count);
		return;
	}
	for (int64_t i = 0; i < count; i++)
		put_number(kind, elements, i, random_bits() % rare == 0 ?
				   (double[]) {NAN, INFINITY, -INFINITY}[random_bits() % 3] :
				   ((double) (random_bits() % 2000001) - 1e6) / 7);
}

/* About as wide as makes frames of some elements. */
static RangeOffset
choose_offset(ElementKind kind, const char *x, int64_t count)
{
	uint64_t	which = random_bits() % 8;
	int64_t		near = random_bits() % (count < 3000 ? count : 3000);
	int64_t		far = which == 0 ? count - 1 : near;
	RangeOffset offset = {0};

	if (kind_is_float(kind))
	{
		offset.real = test_value(kind, x, far).real -
			test_value(kind, x, 0).real;
		if (isnan(offset.real) || which == 1)
			offset.real = which == 1 ? INFINITY : 7.5;
		return offset;
	}
	offset.integer = (int64_t) ((uint64_t) test_value(kind, x, far).integer -
								(uint64_t) test_value(kind, x, 0).integer);
	if (offset.integer < 0 || which == 1)
		offset.integer = INT64_MAX;
	if (which == 2)
		offset.integer = 0;
	return offset;
}

static void
test_range_window(int64_t count, int data)
{
	const ElementKind kinds[] = {
		KIND_INT2, KIND_INT4, KIND_INT8, KIND_FLOAT4, KIND_FLOAT8, KIND_UINT1,
		KIND_UINT4
	};
	const int64_t series[] = {1, count, 17 + count / 100, 2 * count + 1};
	int			rounds = count > MANY ? 6 : count > 2000 ? 14 : 70;
	int64_t		most = 2 * count + 18;
	OWNED char *places = malloc(count * sizeof(double));
	OWNED char *x = malloc(most * sizeof(double));
	OWNED char *elements = malloc(most * sizeof(double));
	OWNED WideSum *sums = malloc((most + 1) * sizeof(WideSum));
	OWNED int64_t *first = malloc(count * sizeof(int64_t));
	OWNED int64_t *end = malloc(count * sizeof(int64_t));
	RangeTest	test = {.sums = sums, .first = first, .end = end};

	for (int number = 0; number < rounds; number++)
	{
		bool		alone = number % 3 == 0;
		RangeOperator op = (RangeOperator) (random_bits() % RANGE_OPERATORS);
		bool		numbers = op < RANGE_MIN || op == RANGE_COUNT;

		test.x_kind = kinds[random_bits() % 5];
		test.kind = kinds[random_bits() % (numbers ? 5 : 7)];
		test.count = alone ? series[random_bits() % 4] : count;
		make_data(test.x_kind, random_bits() % 2 ? data : 3, x, test.count);
		sort_elements(test.x_kind, x, test.count);
		make_elements(test.kind, data, elements, test.count);
		test.request = make_request(ENGINE_RANGE_WINDOW, test.x_kind,
									op == RANGE_AVERAGE ? KIND_FLOAT8 :
									test.kind, test.count);
		test.request.outputs[1].kind = KIND_UINT1;
		test.request.kinds[1] = test.kind;
		test.request.inputs = 2;
		test.parameters = PARAMETERS(&test.request, RangeWindowParameters);
		test.parameters->op = op;
		if (!kind_is_float(test.x_kind))
		{
			test.parameters->times = random_bits() % 3 == 0;
			test.parameters->preceding_all = random_bits() % 20 == 0;
			test.parameters->following_all = random_bits() % 20 == 0;
		}
		test.parameters->preceding = choose_offset(test.x_kind, x, test.count);
		if (random_bits() % 2)
			test.parameters->following = choose_offset(test.x_kind, x,
													   test.count);
		test.x = test.places = x;
		test.elements = elements;
		if (alone)
		{
			make_data(test.x_kind, data, places, count);
			sort_elements(test.x_kind, places, count);
			test.request.table = test.places = places;
			test.request.table_bytes = count * kind_size(test.x_kind);
		}
		test.sums[0] = 0;
		for (int64_t i = 0; i < test.count; i++)
			test.sums[i + 1] = test.sums[i] +
				test_value(test.kind, elements, i).integer;
		try_ranges(&test, data);
	}
}

TEST_FAMILY(range_window)

CONCURRENT_REQUEST(RANGE_WINDOW)
{
	request->inputs = 2;
	request->parameters = PARAMETERS_OF(RangeWindowParameters,
										.op = RANGE_LAST,
										.preceding.integer = 5000);
	request->outputs[0].kind = KIND_INT8;
}
