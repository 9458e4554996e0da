/*
 * test_where.c
 *	  The choice between two elements by a mask.
 */
#include "contract/operations/where.h"
#include "engines.h"

/* Runs a request with 1 and with 4 threads, and checks the results. */
static void
check_choices(EngineRequest request, const uint8_t *mask, const char *a,
			  const char *b, int data)
{
	const void *inputs[ENGINE_INPUTS] = {mask, a, b};
	const char *value = PARAMETERS(&request, WhereParameters)->value;
	int			size = kind_size(request.kinds[1]);
	char	   *out = malloc(request.count * size + 1);

	request.outputs[0] = (EngineOutput) {out, request.kinds[1]};
	request.algorithm = options.algorithm;
	request.room = request.count;
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		EngineResult result;
		bool		right = true;

		memset(out, 0xA5, request.count * size + 1);
		if (!run_request_in(options.context, &request, inputs, &result))
			continue;
		for (int64_t i = 0; i < request.count && right; i++)
		{
			const char *expected = mask[i] ? a + i * size :
				request.inputs > 2 ? b + i * size : value;

			right = memcmp(out + i * size, expected, size) == 0;
		}
		expect(right && result.count == request.count &&
			   (uint8_t) out[request.count * size] == 0xA5, &request, "where",
			   data);
	}
	free(out);
}

static void
test_where(int64_t count, int data)
{
	uint8_t    *mask = malloc(count);
	char	   *a = malloc(count * sizeof(int64_t));
	char	   *b = malloc(count * sizeof(int64_t));

	for (int kind = 0; kind < ELEMENT_KINDS; kind++)
	{
		EngineRequest request = {
			.operation = ENGINE_WHERE,
			.kinds = {KIND_UINT1, (ElementKind) kind, (ElementKind) kind},
			.count = count
		};

		make_data(request.kinds[1], data, a, count);
		make_data(request.kinds[1], data, b, count);
		for (int variant = 0; variant < 4; variant++)
		{
			for (int64_t i = 0; i < count; i++)
				mask[i] = variant == 0 ? 0 : variant == 1 ? 1 :
					random_bits() & 1;
			request.inputs = 2 + variant % 2;
			memcpy(PARAMETERS(&request, WhereParameters)->value, b,
				   kind_size(request.kinds[1]));
			check_choices(request, mask, a, b, data);
		}
		request.inputs = 3;
		check_choices(request, mask, a, b, data);
	}
	free(mask);
	free(a);
	free(b);
}

static void
complete_where(EngineRequest *request)
{
	request->inputs = 3;
	request->kinds[0] = KIND_UINT1;
	request->kinds[1] = request->kinds[2] = KIND_INT4;
}

TEST_FAMILY(where)
CONCURRENT_REQUEST(WHERE, complete_where)
