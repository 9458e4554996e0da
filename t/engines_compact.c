/*
 * engines_compact.c
 *	  Compaction.
 */
#include "engines.h"

void
test_compact(int64_t count, int data)
{
	int32_t    *in = malloc(count * sizeof(int32_t));
	int32_t    *out = malloc(count * sizeof(int32_t));
	EngineResult result;

	make_data(KIND_INT4, data, in, count);
	for (int threads = 1; threads <= 4; threads += 3)
	{
		EngineRequest request = {
			.operation = ENGINE_COMPACT,
			.kind = KIND_INT4,
			.predicate = {.outside = true},
			.count = count,
			.threads = threads,
			.result = out
		};
		int64_t		kept = 0;
		bool		right = true;

		if (!run_request(&request, in, NULL, &result))
			continue;
		for (int64_t i = 0; i < count && right; i++)
		{
			if (in[i] != 0)
				right = kept < result.count && out[kept++] == in[i];
		}
		expect(right && kept == result.count, &request, "not zero", data);
	}
	free(in);
	free(out);
}
