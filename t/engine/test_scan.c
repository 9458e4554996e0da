/*
 * test_scan.c
 *	  Scans, reductions and differences.
 */
#include "contract/operations/delta.h"
#include "contract/operations/scan.h"
#include "scan_reference.h"

static const char *const operator_names[SCAN_OPERATORS] = {
	[SCAN_ADD] = "+",
	[SCAN_MULTIPLY] = "*",
	[SCAN_MIN] = "min",
	[SCAN_MAX] = "max",
	[SCAN_AND] = "&",
	[SCAN_OR] = "|",
	[SCAN_XOR] = "#"
};

/* The memory and the name of a test. */
typedef struct Trial
{
	void	   *in;
	void	   *expected;
	int			data;
	char		what[64];
} Trial;

/*
 * Runs a request with one thread and with several.  If a scan overflows, its
 * results are undefined; differences are always defined.
 */
static void
run_trial(Trial *trial, EngineRequest *request, EngineOverflow overflow)
{
	bool		reduces = request->operation == ENGINE_REDUCE;
	int64_t		before = reduces ? request->count - 1 : 0;
	int64_t		count = request->count - request->absent - before;
	Expected	expected = {.count = count, .overflow = overflow};

	if (overflow == OVERFLOW_NONE || request->operation == ENGINE_DELTA)
		expected.results = (char *) trial->expected +
			before * output_size(request, 0);
	expect_results(request, INPUTS(trial->in), &expected, trial->what,
				   trial->data);
}

/* Tests a scan and the reduction; returns the expected overflow. */
static EngineOverflow
try_scan(Trial *trial, ElementKind kind, ElementKind sum_kind,
		 ScanOperator operator, int64_t count)
{
	EngineRequest request = make_request(ENGINE_SCAN, kind, sum_kind, count);
	bool		ordered = kind_is_float(kind) &&
		(operator == SCAN_ADD || operator == SCAN_MULTIPLY);
	EngineOverflow overflow;

	PARAMETERS(&request, ScanParameters)->op = operator;
	overflow = ordered ? scan_in_order(&request, trial->in, trial->expected) :
		scan_in_turn(&request, trial->in, trial->expected);
	snprintf(trial->what, sizeof(trial->what), "scan %s to kind %d",
			 operator_names[operator], sum_kind);
	run_trial(trial, &request, overflow);
	request.operation = ENGINE_REDUCE;
	snprintf(trial->what, sizeof(trial->what), "reduce %s to kind %d",
			 operator_names[operator], sum_kind);
	run_trial(trial, &request, overflow);
	return overflow;
}

/*
 * Returns true if the least or the greatest of the kind is among the elements.
 */
static bool
has_extreme(ElementKind kind, const void *array, int64_t count)
{
	uint64_t	most = UINT64_MAX >> (64 - 8 * kind_size(kind));

	for (int64_t i = 0; i < count; i++)
	{
		if (index_of(kind, array, i) == 0 || index_of(kind, array, i) == most)
			return true;
	}
	return false;
}

/*
 * Differences, of integers also where the least and the greatest stand for
 * infinity.
 */
static void
try_delta(Trial *trial, ElementKind kind, int64_t lag, int64_t count)
{
	EngineRequest request = make_request(ENGINE_DELTA, kind, kind, count);
	EngineOverflow overflow = subtract_in_turn(&request, lag, trial->in,
											   trial->expected);

	PARAMETERS(&request, DeltaParameters)->lag = lag;
	snprintf(trial->what, sizeof(trial->what), "delta to %lld before",
			 (long long) lag);
	run_trial(trial, &request, overflow);
	if (lag < count)
	{
		request.absent = lag;
		memmove(trial->expected,
				(char *) trial->expected + lag * kind_size(kind),
				(count - lag) * kind_size(kind));
		strcat(trial->what, ", without the first");
		run_trial(trial, &request, overflow);
	}
	if (kind_is_float(kind))
		return;
	PARAMETERS(&request, DeltaParameters)->infinities = true;
	if (has_extreme(kind, trial->in, count))
		overflow = OVERFLOW_UP;
	strcat(trial->what, ", of times");
	run_trial(trial, &request, overflow);
}

/* Lags within a piece, of a piece, of several pieces, and of all elements. */
static void
test_lags(Trial *trial, ElementKind kind, int64_t count)
{
	const int64_t lags[] = {
		1, 7, 4096, CONCURRENT_MOST / 5, count / 2 + 1, count - 1, count,
		INT32_MAX
	};

	for (int i = 0; i < LENGTH(lags); i++)
	{
		if (lags[i] > 0)
			try_delta(trial, kind, lags[i], count);
	}
}

/* Every operator of the kind. */
static void
test_operators(Trial *trial, ElementKind kind, int64_t count)
{
	int			operators = kind_is_float(kind) ? SCAN_AND : SCAN_OPERATORS;

	if (kind_is_unsigned(kind))
	{
		try_scan(trial, kind, kind, SCAN_MIN, count);
		try_scan(trial, kind, kind, SCAN_MAX, count);
		return;
	}
	for (int operator = 0; operator < operators; operator++)
		try_scan(trial, kind, kind, (ScanOperator) operator, count);
	if (kind == KIND_INT2 || kind == KIND_INT4)
		try_scan(trial, kind, KIND_INT8, SCAN_ADD, count);
	test_lags(trial, kind, count);
}

/*
 * Makes random elements whose sums or products stay in range: sums cover
 * nearly all of it, and each factor is followed by its inverse.
 */
static void
make_tame(ElementKind kind, ScanOperator operator, void *array, int64_t count)
{
	bool		is_float = kind_is_float(kind);
	int64_t		most = is_float ? INT32_MAX : greatest(kind).integer;
	int64_t		sum = 0;
	double		factor = 1;

	for (int64_t i = 0; i < count; i++)
	{
		TestValue	number = number_of(kind, random_bits() % 2 ? 1 : -1);
		int64_t		element;

		if (operator == SCAN_ADD)
		{
			do
				element = (int64_t) random_bits() % most;
			while (element > 0 ? sum > most - element : sum < -most - element);
			sum += element;
			number.integer = element;
			if (is_float)
				number.real = (double) element / 1000;
		}
		else if (is_float)
		{
			factor = i % 2 ? 1 / factor :
				1 + (double) (random_bits() % 1000) / 1000;
			number.real *= factor;
		}
		put_value(kind, array, i, number);
	}
	if (operator == SCAN_MULTIPLY && !is_float)
		put_value(kind, array, count / 2, number_of(kind, -127));
}

static void
fill(ElementKind kind, void *array, int64_t count, TestValue value)
{
	for (int64_t i = 0; i < count; i++)
		put_value(kind, array, i, value);
}

static TestValue
negated(ElementKind kind, TestValue number)
{
	return kind_is_float(kind) ? (TestValue) {.real = -number.real} :
		(TestValue) {.integer = -number.integer};
}

/* A scan whose results have its elements' kind is to have this outcome. */
static void
expect_scan(Trial *trial, ElementKind kind, ScanOperator operator,
			int64_t count, EngineOverflow overflow, const char *what)
{
	EngineRequest request = make_request(ENGINE_SCAN, kind, kind, count);

	expect(try_scan(trial, kind, kind, operator, count) == overflow, &request,
		   what, trial->data);
}

/*
 * Tests that the prefix that ends at an element is the first to overflow.
 * From the next one on, sums are in range again, and products are zero.
 */
static void
test_overflow_at(Trial *trial, ElementKind kind, int64_t at, int64_t count)
{
	bool		is_float = kind_is_float(kind);
	TestValue	none = number_of(kind, 0);
	TestValue	one = number_of(kind, 1);
	TestValue	two = number_of(kind, 2);
	TestValue	most = greatest(kind);
	TestValue	least = number_of(kind,
								  kind == KIND_FLOAT4 ? FLT_MIN : DBL_MIN);
	TestValue	step = is_float ? most : two;
	TestValue	minus_most = negated(kind, most);
	TestValue	minus_step = negated(kind, step);
	const struct
	{
		ScanOperator op;
		TestValue	others;
		TestValue	first[2];
		TestValue	there[2];	/* at the element, and behind it */
		EngineOverflow overflow;
		const char *what;
	}			cases[] = {
		{
			SCAN_ADD, none, {most, none}, {step, minus_step}, OVERFLOW_UP,
			"the sum is to overflow"
		},
		{
			SCAN_ADD, none, {minus_most, none}, {minus_step, step},
			OVERFLOW_UP, "the sum is to overflow"
		},
		{
			SCAN_MULTIPLY, one, {most, one}, {two, none}, OVERFLOW_UP,
			"the product is to overflow"
		},

		/* Of floats alone. */
		{
			SCAN_MULTIPLY, one, {least, one}, {least, one}, OVERFLOW_DOWN,
			"the product is to underflow"
		},

		/* Both ways, because a segment's first two are multiplied first. */
		{
			SCAN_MULTIPLY, one, {most, most}, {least, least}, OVERFLOW_UP,
			"the product overflows both ways"
		}
	};

	for (int i = 0; i < (is_float ? LENGTH(cases) : 3); i++)
	{
		if (i == 4)
			at = at / FLOAT_SEGMENT * FLOAT_SEGMENT;
		if (i == 4 && (at == 0 || at + 1 >= count))
			break;
		fill(kind, trial->in, count, cases[i].others);
		for (int j = 0; j < 2; j++)
			put_value(kind, trial->in, j, cases[i].first[j]);
		for (int j = 0; j < 2 && at + j < count; j++)
			put_value(kind, trial->in, at + j, cases[i].there[j]);
		expect_scan(trial, kind, cases[i].op, count, cases[i].overflow,
					cases[i].what);
		if (cases[i].op == SCAN_ADD && (kind == KIND_INT2 || kind == KIND_INT4))
			try_scan(trial, kind, KIND_INT8, SCAN_ADD, count);
	}
}

/* An element that is infinite, of times, is the only one that is not zero. */
static void
test_infinity_at(Trial *trial, ElementKind kind, int64_t at, int64_t count)
{
	int64_t		most = greatest(kind).integer;

	for (int i = 0; i < 2; i++)
	{
		fill(kind, trial->in, count, (TestValue) {0});
		put_value(kind, trial->in, at,
				  (TestValue) {.integer = i == 0 ? most : -most - 1});
		try_delta(trial, kind, 1, count);
	}
}

/* Sums and products in range, and out of range from one of these places on. */
static void
test_ranges(Trial *trial, ElementKind kind, int64_t count)
{
	const int64_t places[] = {
		1, FLOAT_SEGMENT - 1, FLOAT_SEGMENT, count / 2, FLOAT_TILE - 1,
		FLOAT_TILE, 65535, 65536, count - 1
	};

	for (int i = SCAN_ADD; i <= SCAN_MULTIPLY; i++)
	{
		ScanOperator operator = (ScanOperator) i;

		make_tame(kind, operator, trial->in, count);
		expect_scan(trial, kind, operator, count, OVERFLOW_NONE,
					"all is to be in range");
	}
	for (int i = 0; i < LENGTH(places); i++)
	{
		if (places[i] < 1 || places[i] >= count)
			continue;
		test_overflow_at(trial, kind, places[i], count);
		if (!kind_is_float(kind))
			test_infinity_at(trial, kind, places[i], count);
	}
}

/* Unsupported operators are refused. */
static void
test_refusals(Trial *trial)
{
	static const struct
	{
		ElementKind kind;
		ElementKind sum_kind;
		ScanOperator operator;
	}			refused[] = {
		{KIND_FLOAT4, KIND_FLOAT4, SCAN_AND},
		{KIND_FLOAT8, KIND_FLOAT8, SCAN_XOR},
		{KIND_UINT1, KIND_UINT1, SCAN_OR},
		{KIND_UINT4, KIND_UINT4, SCAN_ADD},
		{KIND_UINT4, KIND_INT8, SCAN_ADD},
		{KIND_FLOAT4, KIND_INT8, SCAN_ADD},
		{KIND_INT4, KIND_INT8, SCAN_MULTIPLY}
	};

	memset(trial->in, 0, sizeof(int64_t));
	for (int i = 0; i < LENGTH(refused); i++)
	{
		for (int reduces = 0; reduces < 2; reduces++)
		{
			EngineRequest request =
				make_request(reduces ? ENGINE_REDUCE : ENGINE_SCAN,
							 refused[i].kind, refused[i].sum_kind, 1);
			EngineResult result;

			PARAMETERS(&request, ScanParameters)->op = refused[i].operator;
			request.threads = 1;
			request.outputs[0].memory = trial->expected;
			expect(!run_request(&request, trial->in, NULL, &result), &request,
				   "refused", 0);
		}
	}
}

static void
test_scan(ElementKind kind, void *in, int64_t count, int data)
{
	OWNED void *expected = malloc(count * sizeof(int64_t));
	Trial		trial = {.in = in, .expected = expected, .data = data};

	test_operators(&trial, kind, count);
	if (data == 0 && !kind_is_unsigned(kind))
		test_ranges(&trial, kind, count);
	if (count == 1)
		test_refusals(&trial);
}

TEST_KINDS(scan)

CONCURRENT_REQUEST(SCAN)
{
	PARAMETERS(request, ScanParameters)->op = SCAN_XOR;
}

CONCURRENT_REQUEST(REDUCE)
{
	PARAMETERS(request, ScanParameters)->op = SCAN_XOR;
}

CONCURRENT_REQUEST(DELTA)
{
	PARAMETERS(request, DeltaParameters)->lag = CONCURRENT_MOST / 100;
}
