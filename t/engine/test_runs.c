/*
 * test_runs.c
 *	  The head of each run of equal elements.
 */
#include "engines.h"

static void
test_runs(ElementKind kind, void *elements, int64_t count, int data)
{
	/* Runs begin at multiples of these. */
	static const int lengths[] = {1, 3, 1536, 4096};
	OWNED char *in = malloc(count * sizeof(int64_t));
	OWNED char *heads = malloc(count * sizeof(int64_t));
	OWNED int32_t *starts = malloc(count * sizeof(int32_t));

	for (int variant = 0; variant < LENGTH(lengths); variant++)
	{
		int			length = lengths[variant];
		int			size = kind_size(kind);
		int64_t		runs = 0;
		EngineRequest request = make_request(ENGINE_RUNS, kind, kind, count);

		request.outputs[1].kind = KIND_INT4;
		for (int64_t i = 0; i < count; i++)
			memcpy(in + i * size,
				   (char *) elements + (i - i % length) * size, size);
		for (int64_t i = 0; i < count; i++)
		{
			if (i > 0 && index_of(kind, in, i) == index_of(kind, in, i - 1))
				continue;
			memcpy(heads + runs * size, in + i * size, size);
			starts[runs++] = (int32_t) i + 1;
		}
		for (int second = 0; second < 2; second++)
		{
			if (count > MANY && second != random_bits() % 2)
				continue;
			expect_results(&request, INPUTS(in), &(Expected) {
				runs, heads, second ? starts : NULL
			}, second ? "runs and starts" : "runs", data);
		}
	}
}

TEST_KINDS(runs)
