/*
 * test_interpolate.c
 *	  Linear interpolation between the points of a series.
 */
#include "contract/operations/interpolate.h"
#include "float_reference.h"

static const uint64_t nan_bits = INTERPOLATE_NAN;

/* The points, and for each its place in the order of x. */
typedef struct TestSeries
{
	ElementKind kind;
	int64_t		points;
	double	   *table;
	uint64_t   *indexes;
} TestSeries;

/* Makes points; one y in eight is NULL. */
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
	sort_elements(kind, x, points);
	for (int64_t i = 0; i < points; i++)
		series.indexes[i] = index_of(kind, x, i);
	return series;
}

/* Divides floats as core does. */
static double
divide(double a, double b, EngineOverflow *overflow)
{
	return rounded(KIND_FLOAT8, a / b, a, b, !isinf(b), overflow);
}

/* The difference of two elements. */
static double
difference(ElementKind kind, const char *x, const char *y,
		   EngineOverflow *overflow)
{
	if (kind_is_float(kind))
		return minus(KIND_FLOAT8, test_value(kind, x, 0).real,
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
	int64_t		last = count_up_to(series->indexes, series->points, index) - 1;
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
	next = count_up_to(series->indexes, series->points,
					   series->indexes[last + 1]) - 1;
	gap = difference(series->kind, x + next * size, x + last * size, overflow);
	if (parameters->limited && !(gap <= parameters->widest))
		return interpolate_null();
	part = divide(difference(series->kind, place, x + last * size, overflow),
				  gap, overflow);
	is_null = interpolate_is_null(y[last]) || interpolate_is_null(y[next]);
	if (is_null)
		overflow = &ignored;
	result = minus(KIND_FLOAT8, y[next], y[last], overflow);
	result = times(KIND_FLOAT8, result, part, overflow);
	result = plus(KIND_FLOAT8, y[last], result, overflow);
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
	OWNED double *values = malloc(count * sizeof(double));
	int64_t		nulls = 0;
	Expected	expected = {count, values, .errors = &nulls};
	EngineRequest request = make_request(ENGINE_INTERPOLATE, series->kind,
										 KIND_FLOAT8, count);

	request.table = series->table;
	request.table_bytes = series->points * (sizeof(double) + size);
	*PARAMETERS(&request, InterpolateParameters) = *parameters;
	for (int64_t i = 0; i < count; i++)
	{
		values[i] = value_at(series, places + i * size, parameters,
							 &expected.overflow);
		nulls += interpolate_is_null(values[i]);
	}
	expect_results(&request, INPUTS(places), &expected, "interpolate", data);
}

static void
test_interpolate(ElementKind kind, void *places, int64_t count, int data)
{
	const int64_t points[] = {0, 1, 2, 17 + count / 100, 2 * count + 1};

	for (int i = 0; i < LENGTH(points); i++)
	{
		InterpolateParameters parameters = {
			.widest = data == 4 ? INFINITY : 1e6
		};
		TestSeries	series;

		if (count > MANY / 50 && ((int) kind + 5 * i + data) % 16 != 0)
			continue;
		series = make_series(kind, data, points[i]);
		make_data(kind, data, places, count);
		for (int unlimited = 0; unlimited < 2; unlimited++)
		{
			parameters.limited = !unlimited;
			try_places(&series, places, count, data, &parameters);
		}

		/* In order, as they mostly are. */
		sort_elements(kind, places, count);
		try_places(&series, places, count, data, &parameters);
		free(series.table);
		free(series.indexes);
	}
}

TEST_KINDS(interpolate)

/* Points whose y is their x. */
CONCURRENT_REQUEST(INTERPOLATE)
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
