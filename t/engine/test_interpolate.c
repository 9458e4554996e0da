/*
 * test_interpolate.c
 *	  Linear interpolation between the points of a series.
 */
#include <math.h>

#include "contract/operations/interpolate.h"
#include "engines.h"

#define LENGTH(array)	((int) (sizeof(array) / sizeof(array[0])))

static const uint64_t nan_bits = INTERPOLATE_NAN;

/* The points, and for each its place in the order of x. */
typedef struct TestSeries
{
	ElementKind kind;
	int64_t		points;
	double	   *table;
	uint64_t   *indexes;
} TestSeries;

static ElementKind sorted_kind;

static int
compare_elements(const void *a, const void *b)
{
	uint64_t	x = index_of(sorted_kind, a, 0);
	uint64_t	y = index_of(sorted_kind, b, 0);

	return x < y ? -1 : x > y;
}

/* Makes points, of which one y in eight is NULL. */
static TestSeries
make_series(ElementKind kind, int data, int64_t points)
{
	int			size = kind_size(kind);
	TestSeries	series = {kind, points};
	char	   *x;

	series.table = malloc(points * (sizeof(double) + size) + 1);
	series.indexes = malloc(points * sizeof(uint64_t) + 1);
	make_data(KIND_FLOAT8, data, series.table, points);
	for (int64_t i = 0; i < points; i++)
	{
		if (random_bits() % 8 == 0)
			series.table[i] = interpolate_null();
		else if (series.table[i] != series.table[i])
			memcpy(&series.table[i], &nan_bits, sizeof(double));
	}
	x = (char *) (series.table + points);
	make_data(kind, data, x, points);
	sorted_kind = kind;
	qsort(x, points, size, compare_elements);
	for (int64_t i = 0; i < points; i++)
		series.indexes[i] = index_of(kind, x, i);
	return series;
}

/* How many x are less than an index, or no greater. */
static int64_t
count_less(const TestSeries *series, uint64_t index, bool or_equal)
{
	int64_t		from = 0;
	int64_t		to = series->points;

	while (from < to)
	{
		int64_t		middle = (from + to) / 2;
		uint64_t	x = series->indexes[middle];

		if (x < index || (or_equal && x == index))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Core's operators of floats, which note overflows and underflows. */
static double
check(double result, bool up, bool down, EngineOverflow *overflow)
{
	if (up)
		*overflow = OVERFLOW_UP;
	else if (down && *overflow == OVERFLOW_NONE)
		*overflow = OVERFLOW_DOWN;
	return result;
}

static double
add(double a, double b, EngineOverflow *overflow)
{
	return check(a + b, isinf(a + b) && !isinf(a) && !isinf(b), false,
				 overflow);
}

static double
subtract(double a, double b, EngineOverflow *overflow)
{
	return check(a - b, isinf(a - b) && !isinf(a) && !isinf(b), false,
				 overflow);
}

static double
multiply(double a, double b, EngineOverflow *overflow)
{
	return check(a * b, isinf(a * b) && !isinf(a) && !isinf(b),
				 a * b == 0 && a != 0 && b != 0, overflow);
}

static double
divide(double a, double b, EngineOverflow *overflow)
{
	return check(a / b, isinf(a / b) && !isinf(a),
				 a / b == 0 && a != 0 && !isinf(b), overflow);
}

/* The difference of two elements. */
static double
difference(ElementKind kind, const char *x, const char *y,
		   EngineOverflow *overflow)
{
	if (kind_is_float(kind))
		return subtract(test_value(kind, x, 0).real,
						test_value(kind, y, 0).real, overflow);
	return (double) (index_of(kind, x, 0) - index_of(kind, y, 0));
}

/* The result at a place. */
static double
value_at(const TestSeries *series, const char *place,
		 const InterpolateParameters *parameters, EngineOverflow *overflow)
{
	int			size = kind_size(series->kind);
	const double *y = series->table;
	const char *x = (const char *) (y + series->points);
	uint64_t	index = index_of(series->kind, place, 0);
	int64_t		last = count_less(series, index, true) - 1;
	int64_t		next;
	double		gap;
	double		part;
	double		result;
	EngineOverflow ignored = OVERFLOW_NONE;
	bool		is_null;

	if (last >= 0 && series->indexes[last] == index)
		return y[last];
	if (last < 0 || last + 1 == series->points)
		return interpolate_null();
	next = count_less(series, series->indexes[last + 1], true) - 1;
	gap = difference(series->kind, x + next * size, x + last * size, overflow);
	if (parameters->limited && !(gap <= parameters->widest))
		return interpolate_null();
	part = divide(difference(series->kind, place, x + last * size, overflow),
				  gap, overflow);
	is_null = interpolate_is_null(y[last]) || interpolate_is_null(y[next]);
	if (is_null)
		overflow = &ignored;
	result = add(y[last], multiply(subtract(y[next], y[last], overflow), part,
								   overflow), overflow);
	if (is_null)
		return interpolate_null();
	if (result != result)
		memcpy(&result, &nan_bits, sizeof(result));
	return result;
}

static void
try_places(const TestSeries *series, const char *places, int64_t count,
		   int data, const InterpolateParameters *parameters)
{
	int			size = kind_size(series->kind);
	double	   *expected = malloc(count * sizeof(double));
	double	   *got = malloc(count * sizeof(double));
	EngineOverflow overflow = OVERFLOW_NONE;
	int64_t		nulls = 0;
	EngineRequest request = {
		.operation = ENGINE_INTERPOLATE,
		.kinds[0] = series->kind,
		.outputs[0] = {got, KIND_FLOAT8},
		.count = count,
		.table = series->table,
		.table_bytes = series->points * (sizeof(double) + size)
	};
	EngineResult result;

	*PARAMETERS(&request, InterpolateParameters) = *parameters;
	for (int64_t i = 0; i < count; i++)
	{
		expected[i] = value_at(series, places + i * size, parameters,
							   &overflow);
		nulls += interpolate_is_null(expected[i]);
	}
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		memset(got, 0x55, count * sizeof(double));
		if (run_request(&request, places, NULL, &result))
			expect(result.count == count && result.errors == nulls &&
				   result.overflow == overflow &&
				   memcmp(got, expected, count * sizeof(double)) == 0,
				   &request, "interpolate", data);
	}
	free(expected);
	free(got);
}

static void
test_interpolate(int64_t count, int data)
{
	static const ElementKind kinds[] = {
		KIND_UINT1, KIND_INT2, KIND_INT4, KIND_UINT4, KIND_INT8, KIND_FLOAT4,
		KIND_FLOAT8
	};
	const int64_t points[] = {0, 1, 2, 17 + count / 100, 2 * count + 1};

	for (int k = 0; k < LENGTH(kinds); k++)
	{
		int			size = kind_size(kinds[k]);
		char	   *places = malloc(count * size);

		for (int i = 0; i < LENGTH(points); i++)
		{
			InterpolateParameters parameters = {
				.widest = data == 4 ? INFINITY : 1e6
			};
			TestSeries	series;

			if (count > MANY / 50 && (k + 5 * i + data) % 16 != 0)
				continue;
			series = make_series(kinds[k], data, points[i]);
			make_data(kinds[k], data, places, count);
			for (int unlimited = 0; unlimited < 2; unlimited++)
			{
				parameters.limited = !unlimited;
				try_places(&series, places, count, data, &parameters);
			}

			/* In order, as they mostly are. */
			sorted_kind = kinds[k];
			qsort(places, count, size, compare_elements);
			try_places(&series, places, count, data, &parameters);
			free(series.table);
			free(series.indexes);
		}
		free(places);
	}
}

/* Points whose y is their x. */
static void
complete_interpolate(EngineRequest *request)
{
	enum {POINTS = 200};
	static struct
	{
		double		y[POINTS];
		int32_t		x[POINTS];
	}			series;

	for (int i = 0; i < POINTS; i++)
		series.y[i] = series.x[i] = 3 * i - 200;
	request->table = &series;
	request->table_bytes = POINTS * (sizeof(double) + sizeof(int32_t));
	request->outputs[0].kind = KIND_FLOAT8;
}

TEST_FAMILY(interpolate)
CONCURRENT_REQUEST(INTERPOLATE, complete_interpolate)
