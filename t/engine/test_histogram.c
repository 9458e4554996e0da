/*
 * test_histogram.c
 *	  Buckets and histograms.
 *
 * What is expected is found by comparing an element with the thresholds, one
 * after the other, or by halves if these are many.
 */
#include <math.h>

#include "engines.h"

static const ElementKind kinds[] = {
	KIND_UINT1, KIND_INT2, KIND_INT4, KIND_UINT4, KIND_INT8, KIND_FLOAT4,
	KIND_FLOAT8
};

/* Numbers of thresholds: around those that an engine treats in other ways. */
static const int threshold_counts[] = {
	0, 1, 2, 3, 32, 33, 64, 65, 128, 129, 256, 257,
	1022, 1023, 1024, 3000, 6000, 13000, 100000
};

#define LENGTH(array)	((int) (sizeof(array) / sizeof(array[0])))

static int
compare(const void *a, const void *b)
{
	uint64_t	left = *(const uint64_t *) a;
	uint64_t	right = *(const uint64_t *) b;

	return left < right ? -1 : left > right;
}

static int32_t
expected_bucket(const uint64_t *thresholds, int count, uint64_t index)
{
	int			from = 0;

	while (count - from > 16)
	{
		int			middle = from + (count - from) / 2;

		if (thresholds[middle] <= index)
			from = middle + 1;
		else
			count = middle;
	}
	while (from < count && thresholds[from] <= index)
		from++;
	return from;
}

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

	for (int i = 0; i < nthresholds; i++)
	{
		double		wide = low + i * step;
		float		narrow = (float) wide;

		if (kind == KIND_FLOAT4)
			memcpy(&thresholds[i], &narrow, sizeof(narrow));
		else
			memcpy(&thresholds[i], &wide, sizeof(wide));
		thresholds[i] = index_of(kind, &thresholds[i], 0);
	}
	if (nthresholds > 0 && random_bits() % 2)
	{
		double		nan = NAN;
		float		narrow = NAN;

		thresholds[nthresholds - 1] =
			index_of(kind, kind == KIND_FLOAT4 ? (void *) &narrow : &nan, 0);
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
	qsort(thresholds, nthresholds, sizeof(uint64_t), compare);
	for (int i = 0; i < nthresholds; i++)	/* little end first */
		memcpy((char *) table + i * size, &thresholds[i], size);
}

static void
try_thresholds(ElementKind kind, const void *in, int64_t count, int data,
			   int nthresholds)
{
	uint64_t   *thresholds = malloc(nthresholds * sizeof(uint64_t) + 1);
	void	   *table = malloc(nthresholds * sizeof(uint64_t) + 1);
	int32_t    *buckets = malloc(count * sizeof(int32_t));
	int32_t    *got = malloc(count * sizeof(int32_t));
	int32_t    *counts = calloc(nthresholds + 1, sizeof(int32_t));
	int32_t    *got_counts = malloc((nthresholds + 1) * sizeof(int32_t));
	size_t		bytes = (nthresholds + 1) * sizeof(int32_t);
	EngineRequest request = {
		.kinds[0] = kind,
		.outputs[0].kind = KIND_INT4,
		.outputs[0].memory = got,
		.count = count,
		.table = table,
		.table_bytes = nthresholds * kind_size(kind)
	};
	EngineResult result;

	make_thresholds(kind, in, count, thresholds, nthresholds, table);
	for (int64_t i = 0; i < count; i++)
	{
		buckets[i] = expected_bucket(thresholds, nthresholds,
									 index_of(kind, in, i));
		counts[buckets[i]]++;
	}
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		request.operation = ENGINE_BUCKET;
		memset(got, 0x55, count * sizeof(int32_t));
		if (run_request(&request, in, NULL, &result))
			expect(result.count == count &&
				   memcmp(got, buckets, count * sizeof(int32_t)) == 0,
				   &request, "buckets", data);

		request.operation = ENGINE_HISTOGRAM;
		request.summary = got_counts;
		request.summary_bytes = bytes;
		memset(got_counts, 0x55, bytes);
		if (run_request(&request, in, NULL, &result))
			expect(memcmp(got_counts, counts, bytes) == 0, &request,
				   "histogram", data);
		request.summary_bytes = 0;
	}
	free(thresholds);
	free(table);
	free(buckets);
	free(got);
	free(counts);
	free(got_counts);
}

static void
test_histogram(int64_t count, int data)
{
	void	   *in = malloc(count * sizeof(int64_t));

	for (int i = 0; i < LENGTH(kinds); i++)
	{
		int			nthresholds = LENGTH(threshold_counts);
		int			step = count > 100 ? nthresholds : 1;

		make_data(kinds[i], data, in, count);
		for (int t = random_bits() % step; t < nthresholds; t += step)
		{
			if (count > 100 || threshold_counts[t] <= 1024)
				try_thresholds(kinds[i], in, count, data,
							   threshold_counts[t]);
		}
	}
	free(in);
}

static void
complete_histogram(EngineRequest *request)
{
	concurrent_table(request);
	request->summary_bytes = (CONCURRENT_TABLE + 1) * sizeof(int32_t);
}

TEST_FAMILY(histogram)
CONCURRENT_REQUEST(BUCKET, concurrent_table)
CONCURRENT_REQUEST(HISTOGRAM, complete_histogram)
