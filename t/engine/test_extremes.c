/*
 * test_extremes.c
 *	  The least and the greatest element of each bucket.
 */
#include "contract/operations/extremes.h"
#include "engines.h"

#define LENGTH(array)	((int) (sizeof(array) / sizeof(array[0])))

/*
 * Makes buckets of up to "longest" elements; the last may end behind the array.
 */
static int64_t
make_ends(int64_t count, int64_t longest, int64_t *ends)
{
	int64_t		buckets = 0;

	for (int64_t end = 0; end < count;)
	{
		end += 1 + random_bits() % longest;
		ends[buckets++] = end;
	}
	return buckets;
}

static void
find_extremes(ElementKind kind, const void *in, int64_t count,
			  const int64_t *ends, int64_t buckets, EngineExtremes *extremes)
{
	for (int64_t bucket = 0, i = 0; bucket < buckets; bucket++)
	{
		EngineExtremes *this = &extremes[bucket];

		this->least = this->greatest = index_of(kind, in, i);
		this->least_at = this->greatest_at = (int32_t) i + 1;
		for (; i < ends[bucket] && i < count; i++)
		{
			uint64_t	index = index_of(kind, in, i);

			if (index < this->least)
			{
				this->least = index;
				this->least_at = (int32_t) i + 1;
			}
			if (index > this->greatest)
			{
				this->greatest = index;
				this->greatest_at = (int32_t) i + 1;
			}
		}
	}
}

static void
try_buckets(ElementKind kind, const void *in, int64_t count, int data,
			int64_t longest)
{
	int64_t    *ends = malloc(count * sizeof(int64_t));
	int64_t		buckets = make_ends(count, longest, ends);
	size_t		bytes = buckets * sizeof(EngineExtremes);
	EngineExtremes *expected = malloc(bytes);
	EngineExtremes *got = malloc(bytes);
	EngineRequest request = {
		.operation = ENGINE_EXTREMES,
		.kinds[0] = kind,
		.outputs[0].kind = KIND_INT4,
		.count = count,
		.table = ends,
		.table_bytes = buckets * sizeof(int64_t),
		.summary = got,
		.summary_bytes = (int64_t) bytes
	};
	EngineResult result;

	find_extremes(kind, in, count, ends, buckets, expected);
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		memset(got, 0x55, bytes);
		if (run_request(&request, in, NULL, &result))
			expect(memcmp(got, expected, bytes) == 0, &request, "extremes",
				   data);
	}
	free(ends);
	free(expected);
	free(got);
}

static void
test_extremes(int64_t count, int data)
{
	static const ElementKind kinds[] = {
		KIND_UINT1, KIND_INT2, KIND_INT4, KIND_UINT4, KIND_INT8, KIND_FLOAT4,
		KIND_FLOAT8
	};
	static const int64_t longest[] = {1, 3, 100, 5000, 200000, 100000000};

	for (int k = 0; k < LENGTH(kinds); k++)
	{
		void	   *in = malloc(count * kind_size(kinds[k]));

		make_data(kinds[k], data, in, count);
		for (int i = 0; i < LENGTH(longest); i++)
		{
			if (count <= MANY || (k + i + data) % 4 == 0)
				try_buckets(kinds[k], in, count, data, longest[i]);
		}
		free(in);
	}
}

/* A single bucket. */
static void
complete_extremes(EngineRequest *request)
{
	static const int64_t ends[] = {CONCURRENT_MOST};

	request->table = ends;
	request->table_bytes = sizeof(ends);
	request->summary_bytes = sizeof(EngineExtremes);
}

TEST_FAMILY(extremes)
CONCURRENT_REQUEST(EXTREMES, complete_extremes)
