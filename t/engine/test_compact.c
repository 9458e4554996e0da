/*
 * test_compact.c
 *	  Compaction, by predicate, by mask and by bitmap.
 *
 * The expected elements are selected by C's comparison of values, except for
 * NaNs.  The engine's predicate means the same because of order.h.
 */
#include <float.h>
#include <math.h>

#include "contract/order.h"
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

/* The order of an element, as in EnginePredicate. */
static uint64_t
order_at(ElementKind kind, const void *element)
{
	uint64_t	bits = 0;

	memcpy(&bits, element, kind_size(kind));	/* little-endian */
	if (kind == KIND_FLOAT4)
		return float4_order(float4_canonicalize((uint32_t) bits));
	return kind == KIND_FLOAT8 ? float8_order(float8_canonicalize(bits)) : bits;
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
	bool		is_unsigned = kind == KIND_UINT1 || kind == KIND_UINT4;
	const float float4s[] = {-INFINITY, NAN};
	const double float8s[] = {-INFINITY, NAN};

	memset(bounds, 0, BOUNDS * sizeof(uint64_t));
	memcpy(&bounds[ELEMENT], (const char *) elements +
		   random_bits() % count * kind_size(kind), kind_size(kind));
	if (kind == KIND_FLOAT4)
	{
		memcpy(&bounds[LEAST], &float4s[0], sizeof(float));
		memcpy(&bounds[GREATEST], &float4s[1], sizeof(float));
	}
	else if (kind == KIND_FLOAT8)
	{
		memcpy(&bounds[LEAST], &float8s[0], sizeof(double));
		memcpy(&bounds[GREATEST], &float8s[1], sizeof(double));
	}
	else
	{
		bounds[LEAST] = is_unsigned ? 0 : (uint64_t) 1 << (bits - 1);
		bounds[GREATEST] = UINT64_MAX >> (64 - bits) ^ bounds[LEAST];
	}
}

/* Runs a request with 1 and with 4 threads, and checks the results. */
static void
check_selected(EngineRequest request, const void *in, const uint8_t *mask,
			   const bool *selected, const char *what, int data)
{
	int			size = kind_size(request.kinds[0]);
	bool		positions = PARAMETERS(&request, CompactParameters)->positions;
	const char *elements = in;

	request.outputs[0].kind = positions ? KIND_INT4 : request.kinds[0];

	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		EngineResult result;
		int64_t		kept = 0;
		bool		right = true;

		memset(request.outputs[0].memory, 0xA5,
			   request.count * output_size(&request, 0));
		if (!run_request(&request, in, mask, &result))
			continue;
		for (int64_t i = 0; i < request.count && right; i++)
		{
			if (!selected[i])
				continue;
			if (kept == result.count)
				right = false;
			else if (positions)
				right = ((int32_t *) request.outputs[0].memory)[kept] == i + 1;
			else
				right = memcmp((char *) request.outputs[0].memory + kept * size,
							   elements + i * size, size) == 0;
			kept++;
		}
		expect(right && kept == result.count, &request, what, data);
	}
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
	for (int range = 0; range < 7; range++)
	{
		TestValue	low = test_value(kind, &bounds[ranges[range].low], 0);
		TestValue	high = test_value(kind, &bounds[ranges[range].high], 0);
		EnginePredicate *predicate =
			&PARAMETERS(&request, CompactParameters)->predicate;

		if (request.count > MANY && random_bits() % OF_MANY != 0)
			continue;
		predicate->low = order_at(kind, &bounds[ranges[range].low]);
		predicate->span = order_at(kind, &bounds[ranges[range].high]) -
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
			check_selected(request, in, NULL, selected, ranges[range].name,
						   data);
		}
	}
}

/*
 * A mask, and a bitmap, whose bits behind the last element are set; the
 * predicate, which must be ignored, selects nothing.
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
		check_selected(masked, in, mask, selected, names[variant], data);
		marked.table = bitmap;
		marked.table_bytes = (request.count + 7) / 8;
		PARAMETERS(&marked, CompactParameters)->by_bitmap = true;
		check_selected(marked, in, NULL, selected, names[variant], data);
	}
}

static void
test_compact(int64_t count, int data)
{
	void	   *in = malloc(count * sizeof(int64_t));
	void	   *out = malloc(count * sizeof(int64_t));
	uint8_t    *mask = malloc(count);
	uint8_t    *bitmap = malloc(count / 8 + 1);
	bool	   *selected = malloc(count * sizeof(bool));

	for (int kind = 0; kind < ELEMENT_KINDS; kind++)
	{
		EngineRequest request = {
			.operation = ENGINE_COMPACT,
			.kinds[0] = (ElementKind) kind,
			.count = count,
			.outputs[0].memory = out
		};

		make_data(request.kinds[0], data, in, count);
		test_ranges(request, in, selected, data);
		test_masks(request, in, mask, bitmap, selected, data);
	}
	free(in);
	free(out);
	free(mask);
	free(bitmap);
	free(selected);
}

static void
complete_compact(EngineRequest *request)
{
	PARAMETERS(request, CompactParameters)->predicate.span = 0x7FFFFFFF;
}

TEST_FAMILY(compact)
CONCURRENT_REQUEST(COMPACT, complete_compact)
