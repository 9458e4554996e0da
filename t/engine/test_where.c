/*
 * test_where.c
 *	  The choice between two elements by a mask.
 */
#include "contract/operations/where.h"
#include "engines.h"

static void
try_choices(EngineRequest request, const uint8_t *mask, const char *a,
			  const char *b, int data)
{
	const char *value = PARAMETERS(&request, WhereParameters)->value;
	int			size = kind_size(request.kinds[1]);
	OWNED char *chosen = malloc(request.count * sizeof(int64_t));

	for (int64_t i = 0; i < request.count; i++)
		memcpy(chosen + i * size, mask[i] ? a + i * size :
			   request.inputs > 2 ? b + i * size : value, size);
	request.outputs[0].kind = request.kinds[1];
	expect_results(&request, INPUTS(mask, a, b),
				   &(Expected) {request.count, chosen}, "where", data);
}

static void
test_where(ElementKind kind, void *a, int64_t count, int data)
{
	OWNED uint8_t *mask = malloc(count);
	OWNED char *b = malloc(count * sizeof(int64_t));
	EngineRequest request = {
		.operation = ENGINE_WHERE,
		.kinds = {KIND_UINT1, kind, kind},
		.count = count
	};

	make_data(kind, data, b, count);
	memcpy(PARAMETERS(&request, WhereParameters)->value, b, kind_size(kind));
	for (int variant = 0; variant < 5; variant++)
	{
		for (int64_t i = 0; i < count; i++)
			mask[i] = variant == 0 ? 0 : variant == 1 ? 1 : random_bits() & 1;
		request.inputs = variant % 2 == 1 || variant == 4 ? 3 : 2;
		try_choices(request, mask, a, b, data);
	}
}

TEST_KINDS(where)

CONCURRENT_REQUEST(WHERE)
{
	request->inputs = 3;
	request->kinds[0] = KIND_UINT1;
	request->kinds[1] = request->kinds[2] = KIND_INT4;
}
