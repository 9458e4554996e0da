/*
 * test_scan.c
 *	  Scans, reductions and differences.
 */
#include "contract/float_order.h"
#include "contract/operations/delta.h"
#include "contract/operations/scan.h"
#include "engines.h"
#include "scan_reference.h"

static const ElementKind kinds[] = {
	KIND_UINT1, KIND_INT2, KIND_INT4, KIND_UINT4, KIND_INT8, KIND_FLOAT4,
	KIND_FLOAT8
};

#define KINDS	((int) (sizeof(kinds) / sizeof(kinds[0])))

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
	void	   *out;
	void	   *expected;
	int			data;
	char		what[64];
} Trial;

/*
 * Runs a request with one thread and with several.  If a scan overflows, its
 * results are undefined; those of differences never are.
 */
static void
run_trial(Trial *trial, EngineRequest *request, EngineOverflow overflow)
{
	int			size = output_size(request, 0);
	bool		reduces = request->operation == ENGINE_REDUCE;
	int64_t		results = reduces ? 1 : request->count;
	const char *expected = trial->expected;
	EngineResult result;

	if (reduces)
		expected += (request->count - 1) * size;
	request->outputs[0].memory = trial->out;
	for (request->threads = 1; request->threads <= 4; request->threads += 3)
	{
		memset(trial->out, 0x55, results * size);
		if (!run_request(request, trial->in, NULL, &result))
			continue;
		expect(result.count == results && result.overflow == overflow &&
			   ((overflow != OVERFLOW_NONE &&
				 request->operation != ENGINE_DELTA) ||
				memcmp(trial->out, expected, results * size) == 0),
			   request, trial->what, trial->data);
	}
}

/* Tests a scan and the reduction; returns the expected overflow. */
static EngineOverflow
try_scan(Trial *trial, ElementKind kind, ElementKind sum_kind,
		 ScanOperator operator, int64_t count)
{
	EngineRequest request = {
		.operation = ENGINE_SCAN,
		.kinds[0] = kind,
		.outputs[0].kind = sum_kind,
		.parameters = PARAMETERS_OF(ScanParameters, .op = operator),
		.count = count
	};
	bool		ordered = kind_is_float(kind) &&
		(operator == SCAN_ADD || operator == SCAN_MULTIPLY);
	EngineOverflow overflow =
		ordered ? scan_in_order(&request, trial->in, trial->expected) :
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
	int64_t		most = greatest(kind).integer;

	for (int64_t i = 0; i < count; i++)
	{
		int64_t		element = load(kind, array, i).integer;

		if (element == most || element == -most - 1)
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
	EngineRequest request = {
		.operation = ENGINE_DELTA,
		.kinds[0] = kind,
		.outputs[0].kind = kind,
		.parameters = PARAMETERS_OF(DeltaParameters, .lag = lag),
		.count = count
	};
	EngineOverflow overflow = subtract_in_turn(&request, lag, trial->in,
											   trial->expected);

	snprintf(trial->what, sizeof(trial->what), "delta to %lld before",
			 (long long) lag);
	run_trial(trial, &request, overflow);
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

	for (int i = 0; i < (int) (sizeof(lags) / sizeof(lags[0])); i++)
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
		Number		number = number_of(kind, random_bits() % 2 ? 1 : -1);
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
		store(kind, array, i, number);
	}
	if (operator == SCAN_MULTIPLY && !is_float)
		store(kind, array, count / 2, number_of(kind, -127));
}

static void
fill(ElementKind kind, void *array, int64_t count, double value)
{
	for (int64_t i = 0; i < count; i++)
		store(kind, array, i, number_of(kind, value));
}

static Number
negated(ElementKind kind, Number number)
{
	return kind_is_float(kind) ? (Number) {.real = -number.real} :
		(Number) {.integer = -number.integer};
}

/* A scan whose results have its elements' kind is to have this outcome. */
static void
expect_scan(Trial *trial, ElementKind kind, ScanOperator operator,
			int64_t count, EngineOverflow overflow, const char *what)
{
	EngineRequest request = {.count = count};

	request.kinds[0] = request.outputs[0].kind = kind;
	expect(try_scan(trial, kind, kind, operator, count) == overflow, &request,
		   what, trial->data);
}

/* The partial sum that ends at an element is out of range, none after it is. */
static void
test_sum_overflow_at(Trial *trial, ElementKind kind, int64_t at, int64_t count,
					 bool negative)
{
	Number		first = greatest(kind);
	Number		step = kind_is_float(kind) ? first : number_of(kind, 2);

	if (negative)
	{
		first = negated(kind, first);
		step = negated(kind, step);
	}
	fill(kind, trial->in, count, 0);
	store(kind, trial->in, 0, first);
	store(kind, trial->in, at, step);
	if (at + 1 < count)
		store(kind, trial->in, at + 1, negated(kind, step));
	expect_scan(trial, kind, SCAN_ADD, count, OVERFLOW_UP,
				"the sum is to overflow");
	if (!kind_is_float(kind) && kind != KIND_INT8)
		try_scan(trial, kind, KIND_INT8, SCAN_ADD, count);
}

/*
 * Tests that the prefix that ends at an element is the first to overflow.
 * From the next one on, sums are in range again, and products are zero.
 */
static void
test_overflow_at(Trial *trial, ElementKind kind, int64_t at, int64_t count)
{
	bool		is_float = kind_is_float(kind);
	double		least = kind == KIND_FLOAT4 ? FLT_MIN : DBL_MIN;

	test_sum_overflow_at(trial, kind, at, count, false);
	test_sum_overflow_at(trial, kind, at, count, true);

	fill(kind, trial->in, count, 1);
	store(kind, trial->in, 0, greatest(kind));
	store(kind, trial->in, at, number_of(kind, 2));
	if (at + 1 < count)
		store(kind, trial->in, at + 1, number_of(kind, 0));
	expect_scan(trial, kind, SCAN_MULTIPLY, count, OVERFLOW_UP,
				"the product is to overflow");
	if (!is_float)
		return;

	fill(kind, trial->in, count, 1);
	store(kind, trial->in, 0, number_of(kind, least));
	store(kind, trial->in, at, number_of(kind, least));
	expect_scan(trial, kind, SCAN_MULTIPLY, count, OVERFLOW_DOWN,
				"the product is to underflow");
	at = at / FLOAT_SEGMENT * FLOAT_SEGMENT;
	if (at == 0 || at + 1 >= count)
		return;

	/* Both ways, because the latter two are multiplied first. */
	fill(kind, trial->in, count, 1);
	store(kind, trial->in, 0, greatest(kind));
	store(kind, trial->in, 1, greatest(kind));
	store(kind, trial->in, at, number_of(kind, least));
	store(kind, trial->in, at + 1, number_of(kind, least));
	expect_scan(trial, kind, SCAN_MULTIPLY, count, OVERFLOW_UP,
				"the product overflows both ways");
}

/* An element that is infinite, of times, is the only one that is not zero. */
static void
test_infinity_at(Trial *trial, ElementKind kind, int64_t at, int64_t count)
{
	int64_t		most = greatest(kind).integer;

	for (int i = 0; i < 2; i++)
	{
		fill(kind, trial->in, count, 0);
		store(kind, trial->in, at,
			  (Number) {.integer = i == 0 ? most : -most - 1});
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
	for (int i = 0; i < (int) (sizeof(places) / sizeof(places[0])); i++)
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
	for (int i = 0; i < (int) (sizeof(refused) / sizeof(refused[0])); i++)
	{
		for (int reduces = 0; reduces < 2; reduces++)
		{
			EngineRequest request = {
				.operation = reduces ? ENGINE_REDUCE : ENGINE_SCAN,
				.kinds[0] = refused[i].kind,
				.outputs[0].kind = refused[i].sum_kind,
				.parameters = PARAMETERS_OF(ScanParameters,
											.op = refused[i].operator),
				.count = 1,
				.threads = 1,
				.outputs[0].memory = trial->out
			};
			EngineResult result;

			expect(!run_request(&request, trial->in, NULL, &result), &request,
				   "refused", 0);
		}
	}
}

static void
test_scan(int64_t count, int data)
{
	Trial		trial = {
		.in = malloc(count * sizeof(int64_t)),
		.out = malloc(count * sizeof(int64_t)),
		.expected = malloc(count * sizeof(int64_t)),
		.data = data
	};

	for (int i = 0; i < KINDS; i++)
	{
		make_data(kinds[i], data, trial.in, count);
		test_operators(&trial, kinds[i], count);
		if (data == 0 && !kind_is_unsigned(kinds[i]))
			test_ranges(&trial, kinds[i], count);
	}
	if (count == 1)
		test_refusals(&trial);
	free(trial.in);
	free(trial.out);
	free(trial.expected);
}

static void
complete_scan(EngineRequest *request)
{
	PARAMETERS(request, ScanParameters)->op = SCAN_XOR;
}

static void
complete_delta(EngineRequest *request)
{
	PARAMETERS(request, DeltaParameters)->lag = CONCURRENT_MOST / 100;
}

TEST_FAMILY(scan)
CONCURRENT_REQUEST(SCAN, complete_scan)
CONCURRENT_REQUEST(REDUCE, complete_scan)
CONCURRENT_REQUEST(DELTA, complete_delta)
