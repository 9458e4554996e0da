/*
 * test_compare.c
 *	  Whether a predicate selects each element, and how the elements of two
 *	  inputs compare.
 *
 * What a predicate means is defined by order.h, whose order test_compact.c
 * compares with C's.
 */
#include "contract/operations/compare.h"
#include "engines.h"

static bool
selects(ElementKind kind, const EnginePredicate *predicate, uint64_t order)
{
	uint64_t	mask = UINT64_MAX >> (64 - 8 * kind_size(kind));

	return (((order - predicate->low) & mask) <= (predicate->span & mask)) !=
		predicate->outside;
}

static void
try_predicate(EngineRequest request, const void *in, int data)
{
	const EnginePredicate *predicate =
		&PARAMETERS(&request, CompareParameters)->predicate;
	OWNED uint8_t *flags = malloc(request.count);

	for (int64_t i = 0; i < request.count; i++)
		flags[i] = selects(request.kinds[0], predicate,
						   order_at(request.kinds[0], in, i));
	expect_results(&request, INPUTS(in), &(Expected) {request.count, flags},
				   "compare", data);
}

static void
try_pairs(EngineRequest request, const void *a, const void *b, int data)
{
	const ComparePairsParameters *parameters =
		PARAMETERS(&request, ComparePairsParameters);
	OWNED uint8_t *flags = malloc(request.count);

	for (int64_t i = 0; i < request.count; i++)
	{
		uint64_t	x = index_of(request.kinds[0], a, i);
		uint64_t	y = index_of(request.kinds[0], b, i);

		flags[i] = ((x < y && parameters->less) ||
					(x == y && parameters->equal)) != parameters->outside;
	}
	expect_results(&request, INPUTS(a, b), &(Expected) {request.count, flags},
				   "compare pairs", data);
}

static void
test_pairs(EngineRequest request, const void *a, int data)
{
	OWNED char *b = malloc(request.count * sizeof(int64_t));
	int			size = kind_size(request.kinds[0]);

	request.operation = ENGINE_COMPARE_PAIRS;
	request.inputs = 2;
	request.kinds[1] = request.kinds[0];
	make_data(request.kinds[0], data, b, request.count);
	memcpy(b, a, request.count / 3 * size);
	for (int variant = 0; variant < 6; variant++)
	{
		*PARAMETERS(&request, ComparePairsParameters) =
			(ComparePairsParameters) {
			variant % 3 != 0, variant % 3 != 1, variant / 3
		};
		try_pairs(request, a, b, data);
	}
}

static void
test_compare(ElementKind kind, void *in, int64_t count, int data)
{
	EngineRequest request = make_request(ENGINE_COMPARE, kind, KIND_UINT1,
										 count);
	EnginePredicate *predicate =
		&PARAMETERS(&request, CompareParameters)->predicate;

	for (int variant = 0; variant < 6; variant++)
	{
		uint64_t	low = order_at(kind, in, random_bits() % count);
		uint64_t	high = order_at(kind, in, random_bits() % count);

		/* One element, a range, or all elements; and the others. */
		predicate->low = low;
		predicate->span = variant / 2 == 0 ? 0 : variant / 2 == 1 ?
			high - low : UINT64_MAX;
		predicate->outside = variant % 2;
		try_predicate(request, in, data);
	}
	memset(&request.parameters, 0, sizeof(request.parameters));
	test_pairs(request, in, data);
}

TEST_KINDS(compare)

CONCURRENT_REQUEST(COMPARE)
{
	request->outputs[0].kind = KIND_UINT1;
	PARAMETERS(request, CompareParameters)->predicate.span = 0x7FFFFFFF;
}

CONCURRENT_REQUEST(COMPARE_PAIRS)
{
	request->inputs = 2;
	request->kinds[1] = KIND_INT4;
	request->outputs[0].kind = KIND_UINT1;
	PARAMETERS(request, ComparePairsParameters)->less = true;
}
