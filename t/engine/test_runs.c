/*
 * test_runs.c
 *	  The head of each run of equal elements.
 */
#include <math.h>

#include "engines.h"

/* As PostgreSQL compares: all NaNs are equal, and so are 0 and -0. */
static bool
equal(ElementKind kind, const void *a, const void *b)
{
	float		float4s[2];
	double		float8s[2];

	if (!kind_is_float(kind))
		return memcmp(a, b, kind_size(kind)) == 0;
	if (kind == KIND_FLOAT4)
	{
		memcpy(&float4s[0], a, sizeof(float));
		memcpy(&float4s[1], b, sizeof(float));
		float8s[0] = float4s[0];
		float8s[1] = float4s[1];
	}
	else
	{
		memcpy(&float8s[0], a, sizeof(double));
		memcpy(&float8s[1], b, sizeof(double));
	}
	return float8s[0] == float8s[1] || (isnan(float8s[0]) && isnan(float8s[1]));
}

/* Returns true if the result has exactly the runs of the elements. */
static bool
are_runs(const EngineRequest *request, const char *in, int64_t runs)
{
	int			size = kind_size(request->kinds[0]);
	const char *out = request->outputs[0].memory;
	const int32_t *starts = request->outputs[1].memory;
	int64_t		found = 0;

	for (int64_t i = 0; i < request->count; i++)
	{
		const char *element = in + i * size;

		if (i > 0 && equal(request->kinds[0], element - size, element))
			continue;
		if (found == runs || memcmp(out + found * size, element, size) != 0 ||
			(starts && starts[found] != i + 1))
			return false;
		found++;
	}
	return found == runs;
}

static void
test_runs(int64_t count, int data)
{
	/* Runs begin at multiples of these. */
	static const int lengths[] = {1, 3, 1536, 4096};
	char	   *in = malloc(count * sizeof(int64_t));
	void	   *out = malloc(count * sizeof(int64_t));
	int32_t    *starts = malloc(count * sizeof(int32_t));
	EngineResult result;

	for (int variant = 0; variant < ELEMENT_KINDS * 4; variant++)
	{
		ElementKind kind = (ElementKind) (variant / 4);
		int			length = lengths[variant % 4];
		int			size = kind_size(kind);

		make_data(kind, data, in, count);
		for (int64_t i = 0; i < count; i++)
			memmove(in + i * size, in + (i - i % length) * size, size);
		for (int option = 0; option < 4; option++)
		{
			EngineRequest request = {
				.operation = ENGINE_RUNS,
				.kinds[0] = kind,
				.count = count,
				.threads = option & 1 ? 4 : 1,
				.outputs = {
					{out, kind}, {option & 2 ? starts : NULL, KIND_INT4}
				}
			};

			if (count > MANY && option != random_bits() % 4)
				continue;
			memset(out, 0xA5, count * size);
			memset(starts, 0xA5, count * sizeof(int32_t));
			if (run_request(&request, in, NULL, &result))
				expect(are_runs(&request, in, result.count), &request,
					   option & 2 ? "runs and starts" : "runs", data);
		}
	}
	free(in);
	free(out);
	free(starts);
}

TEST_FAMILY(runs)
