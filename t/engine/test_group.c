/*
 * test_group.c
 *	  Reductions of groups.
 *
 * The expected result of each group is the CPU engine's reduction of its
 * elements alone, which test_scan.c tests.
 */
#include "contract/operations/scan.h"
#include "engines.h"

/* How long the groups are. */
typedef enum Lengths
{
	LENGTHS_ONE,				/* of one element each */
	LENGTHS_SHORT,
	LENGTHS_SEGMENT,			/* around a segment's */
	LENGTHS_TILE,				/* around a tile's, and short ones */
	LENGTHS_LONG,
	LENGTHS_ALL,				/* one group */
	LENGTHS
} Lengths;

static int64_t
next_length(Lengths lengths)
{
	switch (lengths)
	{
		case LENGTHS_ONE:
			return 1;
		case LENGTHS_SHORT:
			return 1 + random_bits() % 7;
		case LENGTHS_SEGMENT:
			return 63 + random_bits() % 3 + (random_bits() % 2) * 64;
		case LENGTHS_TILE:
			return random_bits() % 2 ? 1 + random_bits() % 4 :
				4095 + random_bits() % 3;
		case LENGTHS_LONG:
			return 1 + random_bits() % 100000;
		default:
			return INT64_MAX;
	}
}

static int64_t
make_starts(Lengths lengths, int64_t count, int32_t *starts)
{
	int64_t		groups = 0;
	int64_t		begin = 0;

	while (begin < count)
	{
		int64_t		length = next_length(lengths);

		starts[groups++] = (int32_t) (begin + 1);
		begin = length < count - begin ? begin + length : count;
	}
	return groups;
}

/* Reduces each group by itself; returns what overflows. */
static EngineOverflow
reduce_each(EngineContext *context, const EngineRequest *request,
			const char *in, int64_t groups, char *expected)
{
	const int32_t *starts = request->table;
	int			size = kind_size(request->kinds[0]);
	EngineOverflow overflow = OVERFLOW_NONE;

	for (int64_t i = 0; i < groups; i++)
	{
		int64_t		begin = starts[i] - 1;
		int64_t		end = i + 1 < groups ? starts[i + 1] - 1 : request->count;
		EngineRequest reduction = *request;
		const void *inputs[ENGINE_INPUTS] = {in + begin * size};
		EngineResult result;

		reduction.operation = ENGINE_REDUCE;
		reduction.table = NULL;
		reduction.table_bytes = 0;
		reduction.inputs = 1;
		reduction.room = 1;
		reduction.threads = 1;
		reduction.count = end - begin;
		reduction.outputs[0].memory = expected + i * size;
		if (!run_request_in(context, &reduction, inputs, &result))
			return OVERFLOW_NONE;
		if (result.overflow != OVERFLOW_NONE)
			overflow = result.overflow;
	}
	return overflow;
}

static void
try_groups(EngineContext *context, ElementKind kind, const void *in,
		   ScanOperator op, Lengths lengths, int64_t count, int data)
{
	OWNED char *results = malloc(count * kind_size(kind));
	OWNED int32_t *starts = malloc(count * sizeof(int32_t));
	int64_t		groups = make_starts(lengths, count, starts);
	EngineRequest request = make_request(ENGINE_GROUP, kind, kind, count);
	Expected	expected = {groups, results, .any_overflow = true};

	request.table = starts;
	request.table_bytes = groups * sizeof(int32_t);
	PARAMETERS(&request, ScanParameters)->op = op;
	expected.overflow = reduce_each(context, &request, in, groups, results);
	if (expected.overflow != OVERFLOW_NONE)
		expected.results = NULL;
	expect_results(&request, INPUTS(in), &expected, "groups", data);
}

/* Elements that are not numbers have only minima and maxima. */
static bool
has_operator(ElementKind kind, ScanOperator op)
{
	return kind_is_unsigned(kind) ?
		op == SCAN_MIN || op == SCAN_MAX :
		!kind_is_float(kind) || op < SCAN_AND;
}

static void
test_group(ElementKind kind, void *in, int64_t count, int data)
{
	EngineContext *context = cpu_engine.open();

	for (int op = 0; op < SCAN_OPERATORS; op++)
	{
		if (!has_operator(kind, (ScanOperator) op))
			continue;
		for (int lengths = 0; lengths < LENGTHS; lengths++)
		{
			/* With many elements, one operator for each length. */
			if (count <= 10000 || (op + (int) kind) % LENGTHS == lengths)
				try_groups(context, kind, in, (ScanOperator) op,
						   (Lengths) lengths, count, data);
		}
	}
	cpu_engine.close(context);
}

TEST_KINDS(group)

/* A single group. */
CONCURRENT_REQUEST(GROUP)
{
	static const int32_t starts[] = {1};

	PARAMETERS(request, ScanParameters)->op = SCAN_XOR;
	request->table = starts;
	request->table_bytes = sizeof(starts);
}
