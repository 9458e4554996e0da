/*
 * test_map.c
 *	  Operators and functions of each element, and operators of two inputs.
 *
 * The expected results are those of wider integers, and of C's operations on
 * floats.
 */
#include <float.h>
#include <math.h>

#include "contract/operations/map.h"
#include "engines.h"

/* An element; an integer is in "integer", a float in "number". */
typedef struct Element
{
	__int128	integer;
	double		number;
	bool		error;
} Element;

static Element
element_at(ElementKind kind, const void *elements, int64_t i)
{
	TestValue	value = test_value(kind, elements, i);

	return (Element) {.integer = value.integer, .number = value.real};
}

static Element
integer_result(ElementKind kind, ElementOperator op, __int128 x, __int128 y)
{
	__int128	most = ((__int128) 1 << (8 * kind_size(kind) - 1)) - 1;
	Element		result = {0};

	switch (op)
	{
		case ELEMENT_ADD:
			result.integer = x + y;
			break;
		case ELEMENT_SUBTRACT:
			result.integer = x - y;
			break;
		case ELEMENT_MULTIPLY:
			result.integer = x * y;
			break;
		case ELEMENT_DIVIDE:
			result.error = y == 0;
			result.integer = y == 0 ? 0 : x / y;
			break;
		case ELEMENT_MODULO:
			result.error = y == 0;
			result.integer = y == 0 ? 0 : x % y;
			break;
		case ELEMENT_LEAST:
			result.integer = x < y ? x : y;
			break;
		case ELEMENT_GREATEST:
			result.integer = x > y ? x : y;
			break;
		case ELEMENT_ABS:
			result.integer = x < 0 ? -x : x;
			break;
		case ELEMENT_NEGATE:
			result.integer = -x;
			break;
		default:
			result.integer = x < 0 ? -1 : x > 0;
			break;
	}
	result.error |= result.integer > most || result.integer < -most - 1;
	return result;
}

/* NaN is greater than every number. */
static bool
is_less(double x, double y)
{
	return isnan(y) ? !isnan(x) : x < y;
}

/* A result of real is rounded once: twice as many bits are enough for that. */
static Element
float_result(ElementKind kind, ElementOperator op, double x, double y)
{
	Element		result = {0};
	double		number = x;
	bool		overflow;

	switch (op)
	{
		case ELEMENT_ADD:
			number = x + y;
			break;
		case ELEMENT_SUBTRACT:
			number = x - y;
			break;
		case ELEMENT_MULTIPLY:
			number = x * y;
			break;
		case ELEMENT_DIVIDE:
			number = x / y;
			break;
		case ELEMENT_LEAST:
			number = is_less(y, x) ? y : x;
			break;
		case ELEMENT_GREATEST:
			number = is_less(x, y) ? y : x;
			break;
		case ELEMENT_ABS:
			number = fabs(x);
			break;
		case ELEMENT_NEGATE:
			number = -x;
			break;
		case ELEMENT_SIGN:
			number = x < 0 ? -1 : x > 0 ? 1 : 0;
			break;
		case ELEMENT_FLOOR:
			number = floor(x);
			break;
		case ELEMENT_CEIL:
			number = ceil(x);
			break;
		case ELEMENT_ROUND:
			number = rint(x);
			break;
		case ELEMENT_TRUNC:
			number = trunc(x);
			break;
		default:
			number = sqrt(x);
			result.error = x < 0;
			break;
	}
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

static bool
is_result(ElementKind kind, const Element *expected, const void *out,
		  int64_t i)
{
	Element		got = element_at(kind, out, i);
	const double nan = NAN;
	const float nan4 = NAN;

	if (!kind_is_float(kind))
		return got.integer == expected->integer;
	if (isnan(expected->number))
		return kind == KIND_FLOAT4 ?
			memcmp((const float *) out + i, &nan4, sizeof(nan4)) == 0 :
			memcmp((const double *) out + i, &nan, sizeof(nan)) == 0;
	return memcmp(&got.number, &expected->number, sizeof(double)) == 0;
}

/* Runs a request with 1 and with 4 threads, and checks the results. */
static void
check_results(EngineRequest request, ElementOperator op, const void *a,
			  const void *b, int64_t a_step, int64_t b_step, int data)
{
	ElementKind kind = request.kinds[0];
	bool		zips = request.operation == ENGINE_ZIP;
	int			size = kind_size(kind);
	char	   *out = malloc(request.count * size + 1);

	request.outputs[0] = (EngineOutput) {out, kind};
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		EngineResult result;
		bool		right = true;
		bool		error = false;

		memset(out, 0xA5, request.count * size + 1);
		if (!run_request(&request, a_step > 0 ? a : b, zips ? b : NULL,
						 &result))
			continue;
		for (int64_t i = 0; i < request.count && right; i++)
		{
			Element		x = element_at(kind, a, i * a_step);
			Element		y = element_at(kind, b, i * b_step);
			Element		expected = kind_is_float(kind) ?
				float_result(kind, op, x.number, y.number) :
				integer_result(kind, op, x.integer, y.integer);

			error |= expected.error;
			right = expected.error || is_result(kind, &expected, out, i);
		}
		expect(right && error == (result.overflow == OVERFLOW_UP) &&
			   result.count == request.count &&
			   (uint8_t) out[request.count * size] == 0xA5, &request,
			   zips ? "zip" : "map", data);
	}
	free(out);
}

/* Elements that are less likely to cause an error: their last bits alone. */
static void
make_small(ElementKind kind, void *elements, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
	{
		int			value = 1 + (int) (random_bits() % 100);

		switch (kind)
		{
			case KIND_INT2:
				((int16_t *) elements)[i] = value;
				break;
			case KIND_INT4:
				((int32_t *) elements)[i] = value;
				break;
			case KIND_INT8:
				((int64_t *) elements)[i] = value;
				break;
			case KIND_FLOAT4:
				((float *) elements)[i] = value * 0.5f - 20;
				break;
			default:
				((double *) elements)[i] = value * 0.5 - 20;
				break;
		}
	}
}

static void
test_operators(ElementKind kind, const char *a, const char *b, int64_t count,
			   int data)
{
	int			size = kind_size(kind);

	for (int op = 0; op < ELEMENT_OPERATORS; op++)
	{
		EngineRequest request = {
			.operation = ENGINE_MAP,
			.kinds = {kind, kind},
			.count = count
		};
		MapParameters *parameters = PARAMETERS(&request, MapParameters);
		const char *value = b + random_bits() % count * size;

		if (!has_element_operator(kind, (ElementOperator) op) ||
			(count > MANY && random_bits() % 4 != 0))
			continue;
		parameters->op = (ElementOperator) op;
		memcpy(parameters->value, value, size);
		check_results(request, parameters->op, a, value, 1, 0, data);
		if (op >= ELEMENT_BINARY)
			continue;
		parameters->value_first = true;
		check_results(request, parameters->op, value, a, 0, 1, data);

		memset(&request.parameters, 0, sizeof(request.parameters));
		request.operation = ENGINE_ZIP;
		request.inputs = 2;
		PARAMETERS(&request, ZipParameters)->op = (ElementOperator) op;
		check_results(request, (ElementOperator) op, a, b, 1, 1, data);
	}
}

/* One error, of the last element. */
static void
test_last_error(ElementKind kind, char *a, char *b, int64_t count, int data)
{
	int			size = kind_size(kind);
	EngineRequest request = {
		.operation = ENGINE_ZIP,
		.kinds = {kind, kind},
		.inputs = 2,
		.count = count
	};

	make_small(kind, a, count);
	make_small(kind, b, count);
	memset(b + (count - 1) * size, 0, size);
	PARAMETERS(&request, ZipParameters)->op = ELEMENT_DIVIDE;
	check_results(request, ELEMENT_DIVIDE, a, b, 1, 1, data);
}

static void
test_bytes(uint8_t *a, uint8_t *b, int64_t count, int data)
{
	uint8_t    *out = malloc(count);

	for (int64_t i = 0; i < count; i++)
	{
		a[i] = random_bits() & 1;
		b[i] = random_bits() & 1;
	}
	for (int and = 0; and <= 1; and++)
	{
		EngineRequest request = {
			.operation = ENGINE_ZIP,
			.inputs = 2,
			.count = count,
			.threads = 1 + 3 * and,
			.outputs[0].memory = out
		};
		EngineResult result;
		bool		right = true;

		PARAMETERS(&request, ZipParameters)->op =
			and ? ELEMENT_LEAST : ELEMENT_GREATEST;
		if (!run_request(&request, a, b, &result))
			continue;
		for (int64_t i = 0; i < count && right; i++)
			right = out[i] == (and ? a[i] & b[i] : a[i] | b[i]);
		expect(right && result.count == count, &request, "and, or", data);
	}
	free(out);
}

static void
test_map(int64_t count, int data)
{
	static const ElementKind kinds[] = {
		KIND_INT2, KIND_INT4, KIND_INT8, KIND_FLOAT4, KIND_FLOAT8
	};
	char	   *a = malloc(count * sizeof(int64_t));
	char	   *b = malloc(count * sizeof(int64_t));

	for (int i = 0; i < 5; i++)
	{
		make_data(kinds[i], data, a, count);
		make_data(kinds[i], data, b, count);
		test_operators(kinds[i], a, b, count, data);
		make_small(kinds[i], b, count);
		test_operators(kinds[i], a, b, count, data);
		test_last_error(kinds[i], a, b, count, data);
	}
	test_bytes((uint8_t *) a, (uint8_t *) b, count, data);
	free(a);
	free(b);
}

static void
complete_map(EngineRequest *request)
{
	PARAMETERS(request, MapParameters)->op = ELEMENT_GREATEST;
}

static void
complete_zip(EngineRequest *request)
{
	request->inputs = 2;
	request->kinds[1] = KIND_INT4;
	PARAMETERS(request, ZipParameters)->op = ELEMENT_ADD;
}

TEST_FAMILY(map)
CONCURRENT_REQUEST(MAP, complete_map)
CONCURRENT_REQUEST(ZIP, complete_zip)
