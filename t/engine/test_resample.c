/*
 * test_resample.c
 *	  Numbers that are summarized in bins.
 */
#include "contract/operations/resample.h"
#include "contract/order.h"
#include "contract/wide_sum.h"
#include "engines.h"
#include "float_reference.h"

/* The expected results of a request. */
typedef struct Bins
{
	int64_t		count;
	char	   *begins;			/* of the kind of the first input */
	char	   *summary;
	bool		low;			/* the beginning of a bin is out of range */
	EngineOverflow overflow;	/* of sums */
} Bins;

/* The beginning of the bin of an element, by integers of 128 bits. */
static int64_t
begin_of(const BinParameters *parameters, int64_t x, bool *low)
{
	WideSum		apart = (WideSum) x - parameters->origin;
	WideSum		bin = apart / parameters->stride;
	WideSum		begin;

	if (parameters->times && (x == INT64_MIN || x == INT64_MAX))
		return x;
	bin -= bin * parameters->stride > apart;
	begin = bin * parameters->stride + parameters->origin;
	*low |= begin < parameters->least;
	return (int64_t) begin;
}

/* Each sum up to an element is checked, as GROUP does it. */
static double
average(ElementKind kind, const void *numbers, int64_t from, int64_t to,
		EngineOverflow *overflow)
{
	double		c = -0.0;
	double		r = -0.0;
	double		s = -0.0;
	WideSum		sum = 0;

	for (int64_t i = 0; i < to - from; i++)
	{
		if (!kind_is_float(kind))
		{
			sum += test_value(kind, numbers, from + i).integer;
			continue;
		}
		if (i % FLOAT_TILE == 0)
		{
			c = plus(KIND_FLOAT8, plus(KIND_FLOAT8, c, r, overflow), s,
					 overflow);
			r = s = -0.0;
		}
		else if (i % FLOAT_SEGMENT == 0)
		{
			r = plus(KIND_FLOAT8, r, s, overflow);
			s = -0.0;
		}
		s = plus(KIND_FLOAT8, s, number_at(kind, numbers, from + i), overflow);
		(void) plus(KIND_FLOAT8, plus(KIND_FLOAT8, c, r, overflow), s,
					overflow);
	}
	if (!kind_is_float(kind))
		return wide_sum_average(sum, to - from);
	c = (c + r + s + 0.0) / (double) (to - from);
	return isnan(c) ? NAN : c;
}

/* Puts an element into a column; an extreme is the same for equal floats. */
static void
put(ElementKind kind, char *column, int64_t i, const void *numbers, int64_t at,
	bool extreme)
{
	int			size = kind_size(kind);
	uint32_t	narrow;
	uint64_t	wide;

	memcpy(column + i * size, (const char *) numbers + at * size, size);
	if (extreme && kind == KIND_FLOAT4)
	{
		memcpy(&narrow, column + i * size, size);
		narrow = float4_canonicalize(narrow);
		memcpy(column + i * size, &narrow, size);
	}
	if (extreme && kind == KIND_FLOAT8)
	{
		memcpy(&wide, column + i * size, size);
		wide = float8_canonicalize(wide);
		memcpy(column + i * size, &wide, size);
	}
}

/* Counts the bins, and summarizes them if there is a summary. */
static void
find_bins(EngineRequest *request, const void *at, const void *numbers,
		  Bins *bins)
{
	const BinParameters *parameters = PARAMETERS(request, BinParameters);
	ElementKind kind = request->kinds[1];
	ResampleColumns columns = resample_columns(request);

	bins->count = 0;
	for (int64_t from = 0, to; from < request->count; from = to)
	{
		int64_t		begin = begin_of(parameters,
									 test_value(request->kinds[0], at,
												from).integer, &bins->low);
		int64_t		least = from;
		int64_t		greatest = from;

		for (to = from; to < request->count; to++)
		{
			if (begin_of(parameters, test_value(request->kinds[0], at,
												to).integer,
						 &bins->low) != begin)
				break;
			if (columns.room == 0)
				continue;
			if (index_of(kind, numbers, to) < index_of(kind, numbers, least))
				least = to;
			if (index_of(kind, numbers, to) > index_of(kind, numbers, greatest))
				greatest = to;
		}
		if (columns.room > 0)
		{
			put_value(request->kinds[0], bins->begins, bins->count,
					  (TestValue) {begin, 0});
			columns.counts[bins->count] = to - from;
			columns.averages[bins->count] = average(kind, numbers, from, to,
													&bins->overflow);
			put(kind, columns.firsts, bins->count, numbers, from, false);
			put(kind, columns.leasts, bins->count, numbers, least, true);
			put(kind, columns.greatests, bins->count, numbers, greatest, true);
			put(kind, columns.lasts, bins->count, numbers, to - 1, false);
		}
		bins->count++;
	}
}

static void
try_bins(ElementKind from, const void *at, ElementKind kind,
		 const void *numbers, int64_t count, int data,
		 const BinParameters *parameters)
{
	EngineRequest request = make_request(ENGINE_RESAMPLE, from, from, count);
	int64_t		none = 0;
	Bins		bins = {0};
	Expected	expected = {.errors = &none};

	request.inputs = 2;
	request.kinds[1] = kind;
	*PARAMETERS(&request, BinParameters) = *parameters;
	find_bins(&request, at, numbers, &bins);
	if (bins.low)
	{
		EngineResult result;
		OWNED char *memory = malloc(count * sizeof(int64_t));

		request.outputs[0].memory = memory;
		if (run_request(&request, at, numbers, &result))
			expect(result.overflow != OVERFLOW_NONE && result.errors == 0,
				   &request, "range of bins", data);
		return;
	}
	request.summary_bytes = bins.count * resample_bin_bytes(kind);
	request.summary = bins.summary = malloc(request.summary_bytes);
	bins.begins = malloc(bins.count * sizeof(int64_t));
	find_bins(&request, at, numbers, &bins);
	expected.count = bins.count;
	expected.overflow = bins.overflow;
	if (bins.overflow == OVERFLOW_NONE)
	{
		expected.results = bins.begins;
		expected.summary = bins.summary;
	}
	expect_results(&request, INPUTS(at, numbers), &expected, "bins", data);
	free(bins.begins);
	free(bins.summary);
}

/* Elements that descend once, anywhere, are an error. */
static void
try_descending(ElementKind kind, void *at, const void *numbers, int64_t count)
{
	EngineRequest request = make_request(ENGINE_RESAMPLE, kind, kind, count);
	int64_t		one = 1;
	Expected	expected = {.errors = &one};
	int64_t		place = 1 + random_bits() % (count - 1);
	TestValue	last = test_value(kind, at, place - 1);
	TestValue	own = test_value(kind, at, place);

	if (last.integer == (kind == KIND_INT4 ? INT32_MIN : INT64_MIN))
		return;
	request.inputs = 2;
	request.kinds[1] = KIND_INT4;
	*PARAMETERS(&request, BinParameters) = (BinParameters) {
		.stride = 1, .least = INT64_MIN
	};
	last.integer--;
	put_value(kind, at, place, last);
	expect_results(&request, INPUTS(at, numbers), &expected, "order", 0);
	put_value(kind, at, place, own);
}

/* Times at intervals of up to "most", so that bins are of any length. */
static void
make_times(ElementKind kind, void *at, int64_t count, int64_t most)
{
	TestValue	time = {-(int64_t) (random_bits() % 1000000)};

	for (int64_t i = 0; i < count; i++)
	{
		put_value(kind, at, i, time);
		time.integer += random_bits() % most;
	}
}

static void
test_resample(int64_t count, int data)
{
	static const int64_t strides[] = {1, 7, 1000, 61000, INT32_MAX, INT64_MAX};
	OWNED void *at = malloc(count * sizeof(int64_t));
	OWNED void *numbers = malloc(count * sizeof(int64_t));

	for (int i = 0; i < NUMBER_KINDS; i++)
	{
		ElementKind kind = i % 2 == 0 ? KIND_INT8 : KIND_INT4;

		make_data(number_kinds[i], data, numbers, count);
		for (int j = 0; j < LENGTH(strides); j++)
		{
			BinParameters parameters = {
				.stride = strides[j],
				.origin = (int64_t) (random_bits() % strides[j]),
				.least = kind == KIND_INT4 ? INT32_MIN : INT64_MIN,
				.times = kind == KIND_INT8 && j % 2 == 0
			};

			if (count > MANY && (i + j + data) % 6 != 0)
				continue;
			make_times(kind, at, count, 1 + j);
			try_bins(kind, at, number_kinds[i], numbers, count, data,
					 &parameters);
			make_data(kind, data, at, count);
			sort_elements(kind, at, count);
			try_bins(kind, at, number_kinds[i], numbers, count, data,
					 &parameters);
		}
		if (count > 1)
			try_descending(kind, at, numbers, count);
	}
}

TEST_FAMILY(resample)

/* Its first input descends. */
CONCURRENT_REQUEST(RESAMPLE)
{
	request->inputs = 2;
	PARAMETERS(request, BinParameters)->stride = 1;
}
