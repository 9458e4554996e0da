/*
 * test_compact.c
 *	  Compaction, by predicate, by mask and by bitmap.
 *
 * The expected elements are selected by C's comparison of values, except for
 * NaNs.  The engine's predicate means the same because of order.h.
 */
#include <math.h>

#include "contract/operations/compact.h"
#include "engines.h"

/* With many elements, one of this many requests is tested. */
#define OF_MANY			8

/* NaN is greater than every number. */
static bool
at_most(TestValue a, TestValue b)
{
	return a.integer <= b.integer && (a.real <= b.real || isnan(b.real));
}

/* The bounds of ranges. */
typedef enum Bound
{
	LEAST,
	ZERO,
	ELEMENT,					/* an element of the array */
	GREATEST,
	BOUNDS
} Bound;

static void
make_bounds(ElementKind kind, const void *elements, int64_t count,
			uint64_t bounds[BOUNDS])
{
	int			bits = 8 * kind_size(kind);
	int64_t		least = kind_is_unsigned(kind) ? 0 : INT64_MIN >> (64 - bits);

	memset(bounds, 0, BOUNDS * sizeof(uint64_t));
	put_value(kind, &bounds[ELEMENT], 0,
			  test_value(kind, elements, random_bits() % count));
	put_value(kind, &bounds[LEAST], 0, (TestValue) {least, -INFINITY});
	put_value(kind, &bounds[GREATEST], 0, (TestValue) {
		(int64_t) (UINT64_MAX >> (64 - bits)) ^ least, NAN
	});
}

/* Compares with the selected elements, or their positions. */
static void
try_selection(EngineRequest request, const void *in, const uint8_t *mask,
			  const bool *selected, const char *what, int data)
{
	int			size = kind_size(request.kinds[0]);
	bool		positions = PARAMETERS(&request, CompactParameters)->positions;
	OWNED char *results = malloc(request.count * sizeof(int64_t));
	int64_t		kept = 0;

	if (positions)
		request.outputs[0].kind = KIND_INT4;
	for (int64_t i = 0; i < request.count; i++)
	{
		if (!selected[i])
			continue;
		if (positions)
			((int32_t *) results)[kept] = (int32_t) i + 1;
		else
			memcpy(results + kept * size, (const char *) in + i * size, size);
		kept++;
	}
	expect_results(&request, INPUTS(in, mask), &(Expected) {kept, results},
				   what, data);
}

/* Elements in a range, and those outside of it, and their positions. */
static void
test_ranges(EngineRequest request, const void *in, bool *selected, int data)
{
	static const struct
	{
		const char *name;
		Bound		low;
		Bound		high;
	}			ranges[] = {
		{"zeros", ZERO, ZERO},
		{"equal elements", ELEMENT, ELEMENT},
		{"elements up to one", LEAST, ELEMENT},
		{"elements from one on", ELEMENT, GREATEST},
		{"elements up to zero", LEAST, ZERO},
		{"elements from zero on", ZERO, GREATEST},
		{"all elements", LEAST, GREATEST}
	};
	ElementKind kind = request.kinds[0];
	uint64_t	bounds[BOUNDS];

	make_bounds(kind, in, request.count, bounds);
	for (int range = 0; range < LENGTH(ranges); range++)
	{
		TestValue	low = test_value(kind, &bounds[ranges[range].low], 0);
		TestValue	high = test_value(kind, &bounds[ranges[range].high], 0);
		EnginePredicate *predicate =
			&PARAMETERS(&request, CompactParameters)->predicate;

		if (request.count > MANY && random_bits() % OF_MANY != 0)
			continue;
		predicate->low = order_at(kind, &bounds[ranges[range].low], 0);
		predicate->span = order_at(kind, &bounds[ranges[range].high], 0) -
			predicate->low;
		for (int variant = 0; variant < 4; variant++)
		{
			predicate->outside = variant & 1;
			PARAMETERS(&request, CompactParameters)->positions = variant & 2;
			for (int64_t i = 0; i < request.count; i++)
			{
				TestValue	value = test_value(kind, in, i);

				selected[i] = (at_most(low, value) && at_most(value, high)) !=
					predicate->outside;
			}
			try_selection(request, in, NULL, selected, ranges[range].name,
						  data);
		}
	}
}

/*
 * A mask, and a bitmap whose bits behind the last element are set.  The
 * predicate selects nothing, and must be ignored.
 */
static void
test_masks(EngineRequest request, const void *in, uint8_t *mask,
		   uint8_t *bitmap, bool *selected, int data)
{
	static const char *const names[] = {
		"mask of none", "mask of all", "mask of every second", "random mask",
		"mask of few"
	};

	PARAMETERS(&request, CompactParameters)->predicate =
		(EnginePredicate) {0, UINT64_MAX, true};
	for (int variant = 0; variant < 5; variant++)
	{
		EngineRequest masked = request;
		EngineRequest marked = request;

		if (request.count > MANY && random_bits() % OF_MANY != 0)
			continue;
		memset(bitmap, 0, request.count / 8);
		bitmap[request.count / 8] = 0xFF << request.count % 8;
		for (int64_t i = 0; i < request.count; i++)
		{
			selected[i] = variant == 0 ? 0 : variant == 1 ? 1 :
				variant == 2 ? i & 1 : variant == 3 ? random_bits() & 1 :
				random_bits() % 100 == 0;
			mask[i] = selected[i];
			bitmap[i / 8] |= selected[i] << i % 8;
		}
		masked.inputs = 2;
		masked.kinds[1] = KIND_UINT1;
		PARAMETERS(&masked, CompactParameters)->masked = true;
		try_selection(masked, in, mask, selected, names[variant], data);
		marked.table = bitmap;
		marked.table_bytes = (request.count + 7) / 8;
		PARAMETERS(&marked, CompactParameters)->by_bitmap = true;
		try_selection(marked, in, NULL, selected, names[variant], data);
	}
}

static void
test_compact(ElementKind kind, void *in, int64_t count, int data)
{
	OWNED uint8_t *mask = malloc(count);
	OWNED uint8_t *bitmap = malloc(count / 8 + 1);
	OWNED bool *selected = malloc(count * sizeof(bool));
	EngineRequest request = make_request(ENGINE_COMPACT, kind, kind, count);

	test_ranges(request, in, selected, data);
	test_masks(request, in, mask, bitmap, selected, data);
}

TEST_KINDS(compact)

CONCURRENT_REQUEST(COMPACT)
{
	PARAMETERS(request, CompactParameters)->predicate.span = 0x7FFFFFFF;
}
