/*
 * test_histogram.c
 *	  Buckets and histograms.
 *
 * What is expected is found by comparing an element with the thresholds, by
 * halves.
 */
#include <math.h>

#include "engines.h"

/*
 * Numbers of thresholds: around the numbers where an engine changes its way.
 */
static const int threshold_counts[] = {
	0, 1, 2, 3, 32, 33, 64, 65, 128, 129, 256, 257,
	1022, 1023, 1024, 3000, 6000, 13000, 100000
};

/* Half of them are elements. */
static void
make_random_thresholds(ElementKind kind, const void *in, int64_t count,
					   uint64_t *thresholds, int nthresholds)
{
	for (int i = 0; i < nthresholds; i++)
		thresholds[i] = random_bits() % 2 ?
			index_of(kind, in, random_bits() % count) :
			random_bits() >> (64 - 8 * kind_size(kind));
}

/* At even distances in the order of the kind, between two elements. */
static void
make_even_indexes(ElementKind kind, const void *in, int64_t count,
				  uint64_t *thresholds, int nthresholds)
{
	uint64_t	a = index_of(kind, in, random_bits() % count);
	uint64_t	b = index_of(kind, in, random_bits() % count);
	uint64_t	low = a < b ? a : b;
	uint64_t	step = (a < b ? b - a : a - b) / (nthresholds + 1);

	for (int i = 0; i < nthresholds; i++)
		thresholds[i] = low + i * step;
}

/*
 * Floats at even distances, and for one half of the time NaN at the end.  Some
 * are so far apart that their differences overflow.
 */
static void
make_even_floats(ElementKind kind, uint64_t *thresholds, int nthresholds)
{
	double		far = kind == KIND_FLOAT4 ? 3.4e38 : 1.79e308;
	bool		is_far = random_bits() % 4 == 0;
	double		low = is_far ? -far : -(double) (random_bits() % 1000);
	double		step = is_far ? far / (nthresholds + 1) * 2 :
		1 + random_bits() % 1000 / 7.0;
	bool		nan_last = nthresholds > 0 && random_bits() % 2;

	for (int i = 0; i < nthresholds; i++)
	{
		double		element;

		put_number(kind, &element, 0, i + 1 == nthresholds && nan_last ? NAN :
				   low + i * step);
		thresholds[i] = index_of(kind, &element, 0);
	}
}

/* Thresholds in order, as an engine takes them. */
static void
make_thresholds(ElementKind kind, const void *in, int64_t count,
				uint64_t *thresholds, int nthresholds, void *table)
{
	int			size = kind_size(kind);
	int			how = random_bits() % 3;

	if (how == 0)
		make_random_thresholds(kind, in, count, thresholds, nthresholds);
	else if (how == 1 && kind_is_float(kind))
		make_even_floats(kind, thresholds, nthresholds);
	else
		make_even_indexes(kind, in, count, thresholds, nthresholds);
	qsort(thresholds, nthresholds, sizeof(uint64_t), compare_uint64);
	for (int i = 0; i < nthresholds; i++)	/* little end first */
		memcpy((char *) table + i * size, &thresholds[i], size);
}

static void
try_thresholds(ElementKind kind, const void *in, int64_t count, int data,
			   int nthresholds)
{
	OWNED uint64_t *thresholds = malloc(nthresholds * sizeof(uint64_t) + 1);
	OWNED void *table = malloc(nthresholds * sizeof(uint64_t) + 1);
	OWNED int32_t *buckets = malloc(count * sizeof(int32_t));
	OWNED int32_t *counts = calloc(nthresholds + 1, sizeof(int32_t));
	EngineRequest request = make_request(ENGINE_BUCKET, kind, KIND_INT4, count);

	request.table = table;
	request.table_bytes = nthresholds * kind_size(kind);
	make_thresholds(kind, in, count, thresholds, nthresholds, table);
	for (int64_t i = 0; i < count; i++)
	{
		buckets[i] = (int32_t) count_up_to(thresholds, nthresholds,
										   index_of(kind, in, i));
		counts[buckets[i]]++;
	}
	expect_results(&request, INPUTS(in), &(Expected) {count, buckets},
				   "buckets", data);
	request.operation = ENGINE_HISTOGRAM;
	request.summary_bytes = (nthresholds + 1) * sizeof(int32_t);
	expect_results(&request, INPUTS(in), &(Expected) {.summary = counts},
				   "histogram", data);
}

static void
test_histogram(ElementKind kind, void *in, int64_t count, int data)
{
	int			nthresholds = LENGTH(threshold_counts);
	int			step = count > 100 ? nthresholds : 1;

	for (int t = random_bits() % step; t < nthresholds; t += step)
	{
		if (count > 100 || threshold_counts[t] <= 1024)
			try_thresholds(kind, in, count, data, threshold_counts[t]);
	}
}

TEST_KINDS(histogram)

CONCURRENT_REQUEST(BUCKET)
{
	concurrent_table(request);
}

CONCURRENT_REQUEST(HISTOGRAM)
{
	concurrent_table(request);
	request->summary_bytes = (CONCURRENT_TABLE + 1) * sizeof(int32_t);
}
