/*
 * test_map.c
 *	  Operators and functions of each element, and operators of two inputs.
 *
 * The expected results come from wider integers, and from C's operations on
 * floats.
 */
#include "contract/operations/map.h"
#include "float_reference.h"

/* The result of an element, a float in "number"; or an error. */
typedef struct Element
{
	__int128	integer;
	double		number;
	bool		error;
} Element;

static Element
integer_result(ElementKind kind, ElementOperator op, __int128 x, __int128 y)
{
	__int128	most = ((__int128) 1 << (8 * kind_size(kind) - 1)) - 1;
	bool		divides = op == ELEMENT_DIVIDE || op == ELEMENT_MODULO;
	__int128	result = divides && y == 0 ? most + 1 :
		op == ELEMENT_ADD ? x + y :
		op == ELEMENT_SUBTRACT ? x - y :
		op == ELEMENT_MULTIPLY ? x * y :
		op == ELEMENT_DIVIDE ? x / y :
		op == ELEMENT_MODULO ? x % y :
		op == ELEMENT_LEAST ? (x < y ? x : y) :
		op == ELEMENT_GREATEST ? (x > y ? x : y) :
		op == ELEMENT_ABS ? (x < 0 ? -x : x) :
		op == ELEMENT_NEGATE ? -x : (x > 0) - (x < 0);

	return (Element) {
		.integer = result, .error = result > most || result < -most - 1
	};
}

/* A result of real is rounded once: twice as many bits are enough for that. */
static Element
float_result(ElementKind kind, ElementOperator op, double x, double y)
{
	double		number =
		op == ELEMENT_ADD ? x + y :
		op == ELEMENT_SUBTRACT ? x - y :
		op == ELEMENT_MULTIPLY ? x * y :
		op == ELEMENT_DIVIDE ? x / y :
		op == ELEMENT_LEAST ? (is_less(y, x) ? y : x) :
		op == ELEMENT_GREATEST ? (is_less(x, y) ? y : x) :
		op == ELEMENT_ABS ? fabs(x) :
		op == ELEMENT_NEGATE ? -x :
		op == ELEMENT_SIGN ? (x > 0) - (x < 0) :
		op == ELEMENT_FLOOR ? floor(x) :
		op == ELEMENT_CEIL ? ceil(x) :
		op == ELEMENT_ROUND ? rint(x) :
		op == ELEMENT_TRUNC ? trunc(x) : sqrt(x);
	Element		result = {.error = op == ELEMENT_SQRT && x < 0};
	bool		overflow;

	result.number = kind == KIND_FLOAT4 ? (float) number : number;
	overflow = isinf(result.number) && !isinf(x) &&
		(op == ELEMENT_DIVIDE || !isinf(y));
	if (op <= ELEMENT_DIVIDE)
		result.error |= overflow;
	if (op == ELEMENT_MULTIPLY)
		result.error |= result.number == 0 && x != 0 && y != 0;
	if (op == ELEMENT_DIVIDE)
		result.error |= (y == 0 && !isnan(x)) ||
			(result.number == 0 && x != 0 && !isinf(y));
	return result;
}

/*
 * Compares a request's results with the results for x and y, or for one of
 * them.
 */
static void
try_elements(EngineRequest request, ElementOperator op, const void *a,
			 const void *b, int64_t a_step, int64_t b_step, int data)
{
	ElementKind kind = request.kinds[0];
	bool		zips = request.operation == ENGINE_ZIP;
	OWNED void *results = malloc(request.count * kind_size(kind));
	OWNED bool *undefined = malloc(request.count);
	Expected	expected = {
		.count = request.count,
		.results = results,
		.undefined = undefined
	};

	for (int64_t i = 0; i < request.count; i++)
	{
		TestValue	x = test_value(kind, a, i * a_step);
		TestValue	y = test_value(kind, b, i * b_step);
		Element		result = kind_is_float(kind) ?
			float_result(kind, op, x.real, y.real) :
			integer_result(kind, op, x.integer, y.integer);

		put_value(kind, results, i, (TestValue) {
			(int64_t) result.integer, isnan(result.number) ? NAN : result.number
		});
		undefined[i] = result.error;
		if (result.error)
			expected.overflow = OVERFLOW_UP;
	}
	expect_results(&request, INPUTS(a_step > 0 ? a : b, zips ? b : NULL),
				   &expected, zips ? "zip" : "map", data);
}

/* Elements that are less likely to cause an error: their last bits alone. */
static void
make_small(ElementKind kind, void *elements, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
	{
		int			value = 1 + (int) (random_bits() % 100);

		put_number(kind, elements, i, kind_is_float(kind) ? value * 0.5 - 20 :
				   value);
	}
}

static void
test_operators(ElementKind kind, const char *a, const char *b, int64_t count,
			   int data)
{
	int			size = kind_size(kind);

	for (int op = 0; op < ELEMENT_OPERATORS; op++)
	{
		EngineRequest request = make_request(ENGINE_MAP, kind, kind, count);
		MapParameters *parameters = PARAMETERS(&request, MapParameters);
		const char *value = b + random_bits() % count * size;

		if (!has_element_operator(kind, (ElementOperator) op) ||
			(count > MANY && random_bits() % 4 != 0))
			continue;
		parameters->op = (ElementOperator) op;
		memcpy(parameters->value, value, size);
		try_elements(request, parameters->op, a, value, 1, 0, data);
		if (op >= ELEMENT_BINARY)
			continue;
		parameters->value_first = true;
		try_elements(request, parameters->op, value, a, 0, 1, data);

		memset(&request.parameters, 0, sizeof(request.parameters));
		request.operation = ENGINE_ZIP;
		request.inputs = 2;
		request.kinds[1] = kind;
		PARAMETERS(&request, ZipParameters)->op = (ElementOperator) op;
		try_elements(request, (ElementOperator) op, a, b, 1, 1, data);
	}
}

/* Bins by the quotient of integers of 128 bits. */
static void
test_bins(ElementKind kind, const char *a, int64_t count, int data)
{
	BinParameters bins = {
		.stride = 1 + (int64_t) (random_bits() >> (2 + random_bits() % 62)),
		.least = kind == KIND_INT4 ? INT32_MIN : INT64_MIN,
		.times = random_bits() % 2
	};
	OWNED char *results = malloc(count * sizeof(int64_t));
	OWNED bool *errors = calloc(count, sizeof(bool));
	EngineRequest request = make_request(ENGINE_MAP, kind, kind, count);
	Expected	expected = {count, results, .undefined = errors};

	bins.origin = (int64_t) (random_bits() % bins.stride);
	*PARAMETERS(&request, MapParameters) = map_parameters_of_bins(&bins);
	for (int64_t i = 0; i < count; i++)
	{
		TestValue	x = test_value(kind, a, i);
		__int128	apart = (__int128) x.integer - bins.origin;
		__int128	rest = apart % bins.stride;

		rest += rest < 0 ? bins.stride : 0;
		if (!bins.times || (x.integer != INT64_MIN && x.integer != INT64_MAX))
		{
			errors[i] = x.integer - rest < bins.least;
			x.integer -= errors[i] ? 0 : (int64_t) rest;
		}
		put_value(kind, results, i, x);
		if (errors[i])
			expected.overflow = OVERFLOW_UP;
	}
	expect_results(&request, INPUTS(a), &expected, "bins", data);
}

/* One error, of the last element. */
static void
test_last_error(ElementKind kind, char *a, char *b, int64_t count, int data)
{
	int			size = kind_size(kind);
	EngineRequest request = make_request(ENGINE_ZIP, kind, kind, count);

	request.inputs = 2;
	request.kinds[1] = kind;
	make_small(kind, a, count);
	make_small(kind, b, count);
	memset(b + (count - 1) * size, 0, size);
	PARAMETERS(&request, ZipParameters)->op = ELEMENT_DIVIDE;
	try_elements(request, ELEMENT_DIVIDE, a, b, 1, 1, data);
}

static void
test_bytes(uint8_t *a, uint8_t *b, int64_t count, int data)
{
	OWNED uint8_t *results = malloc(count);

	for (int64_t i = 0; i < count; i++)
	{
		a[i] = random_bits() & 1;
		b[i] = random_bits() & 1;
	}
	for (int and = 0; and <= 1; and++)
	{
		EngineRequest request = make_request(ENGINE_ZIP, KIND_UINT1, KIND_UINT1,
											 count);

		request.inputs = 2;
		PARAMETERS(&request, ZipParameters)->op =
			and ? ELEMENT_LEAST : ELEMENT_GREATEST;
		for (int64_t i = 0; i < count; i++)
			results[i] = and ? a[i] & b[i] : a[i] | b[i];
		expect_results(&request, INPUTS(a, b), &(Expected) {count, results},
					   "and, or", data);
	}
}

static void
test_map(ElementKind kind, void *a, int64_t count, int data)
{
	OWNED char *b = malloc(count * sizeof(int64_t));

	make_data(kind, data, b, count);
	test_operators(kind, a, b, count, data);
	for (int j = 0; has_element_operator(kind, ELEMENT_BIN) && j < 4; j++)
		test_bins(kind, a, count, data);
	make_small(kind, b, count);
	test_operators(kind, a, b, count, data);
	test_last_error(kind, a, b, count, data);
	if (kind == KIND_INT2)
		test_bytes(a, (uint8_t *) b, count, data);
}

TEST_NUMBERS(map)

CONCURRENT_REQUEST(MAP)
{
	PARAMETERS(request, MapParameters)->op = ELEMENT_GREATEST;
}

CONCURRENT_REQUEST(ZIP)
{
	request->inputs = 2;
	request->kinds[1] = KIND_INT4;
	PARAMETERS(request, ZipParameters)->op = ELEMENT_ADD;
}
