/*
 * engines_scan.c
 *	  Scans.
 */
#include "engines.h"

void
test_scan(int64_t count, int data)
{
	int32_t    *in = malloc(count * sizeof(int32_t));
	int64_t    *out = malloc(count * sizeof(int64_t));
	EngineResult result;
	int64_t		sum = 0;
	bool		right = true;

	make_data(KIND_INT4, data, in, count);
	for (int threads = 1; threads <= 4; threads += 3)
	{
		EngineRequest request = {
			.operation = ENGINE_SCAN,
			.kind = KIND_INT4,
			.sum_kind = KIND_INT8,
			.count = count,
			.threads = threads,
			.result = out
		};

		if (!run_request(&request, in, NULL, &result))
			continue;
		sum = 0;
		right = result.count == count;
		for (int64_t i = 0; i < count && right; i++)
			right = out[i] == (sum += in[i]);
		expect(right, &request, "prefix sum", data);
	}
	free(in);
	free(out);
}
