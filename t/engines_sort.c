/*
 * engines_sort.c
 *	  Sorts.
 */
#include "engines.h"

static int
compare_up(const void *a, const void *b)
{
	int32_t		x = *(const int32_t *) a;
	int32_t		y = *(const int32_t *) b;

	return (x > y) - (x < y);
}

static int
compare_down(const void *a, const void *b)
{
	return compare_up(b, a);
}

void
test_sort(int64_t count, int data)
{
	int32_t    *in = malloc(count * sizeof(int32_t));
	int32_t    *out = malloc(count * sizeof(int32_t));
	int32_t    *sorted = malloc(count * sizeof(int32_t));
	EngineResult result;

	make_data(KIND_INT4, data, in, count);
	for (int variant = 0; variant < 4; variant++)
	{
		EngineRequest request = {
			.operation = ENGINE_SORT,
			.kind = KIND_INT4,
			.count = count,
			.descending = variant & 1,
			.threads = variant & 2 ? 4 : 1,
			.result = out
		};

		memcpy(sorted, in, count * sizeof(int32_t));
		qsort(sorted, count, sizeof(int32_t),
			  request.descending ? compare_down : compare_up);
		if (run_request(&request, in, NULL, &result))
			expect(result.count == count &&
				   memcmp(out, sorted, count * sizeof(int32_t)) == 0,
				   &request, "sort", data);
	}
	free(in);
	free(out);
	free(sorted);
}
