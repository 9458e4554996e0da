/*
 * test_extremes.c
 *	  The least and the greatest element of each bucket.
 */
#include "contract/operations/extremes.h"
#include "engines.h"

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
	OWNED int64_t *ends = malloc(count * sizeof(int64_t));
	int64_t		buckets = make_ends(count, longest, ends);
	size_t		bytes = buckets * sizeof(EngineExtremes);
	OWNED EngineExtremes *extremes = malloc(bytes);
	EngineRequest request = make_request(ENGINE_EXTREMES, kind, KIND_INT4,
										 count);

	request.table = ends;
	request.table_bytes = buckets * sizeof(int64_t);
	request.summary_bytes = (int64_t) bytes;
	find_extremes(kind, in, count, ends, buckets, extremes);
	expect_results(&request, INPUTS(in), &(Expected) {.summary = extremes},
				   "extremes", data);
}

static void
test_extremes(ElementKind kind, void *in, int64_t count, int data)
{
	static const int64_t longest[] = {1, 3, 100, 5000, 200000, 100000000};

	for (int i = 0; i < LENGTH(longest); i++)
	{
		if (count <= MANY || ((int) kind + i + data) % 4 == 0)
			try_buckets(kind, in, count, data, longest[i]);
	}
}

TEST_KINDS(extremes)

/* A single bucket. */
CONCURRENT_REQUEST(EXTREMES)
{
	static const int64_t ends[] = {CONCURRENT_MOST};

	request->table = ends;
	request->table_bytes = sizeof(ends);
	request->summary_bytes = sizeof(EngineExtremes);
}
