/*
 * test_stages.c
 *	  A request with stages equals its stages and itself one after another; and
 *	  so do stages of a short job, without a request.
 */
#include "contract/operations/compact.h"
#include "contract/operations/compare.h"
#include "contract/operations/delta.h"
#include "contract/operations/map.h"
#include "contract/operations/scan.h"
#include "contract/operations/window.h"
#include "engines.h"

#define CHAINS		4			/* of each kind and each array */
#define MAX_STAGES	3

/* Elements without a result that all stages of a request may have. */
#define MOST_ABSENT	8192

/* About half of all elements, of any kind. */
static EnginePredicate
random_predicate(ElementKind kind)
{
	EnginePredicate predicate = {
		.low = random_bits() >> (64 - 8 * kind_size(kind)),
		.span = UINT64_MAX >> (65 - 8 * kind_size(kind)),
		.outside = random_bits() % 2
	};

	return predicate;
}

static EngineStage
random_map(ElementKind kind)
{
	EngineStage stage = {ENGINE_MAP, kind, kind};
	MapParameters *parameters = PARAMETERS(&stage, MapParameters);

	parameters->op = random_bits() % 3 == 0 ? ELEMENT_ABS : ELEMENT_SUBTRACT;
	parameters->value_first = random_bits() % 2;
	put_number(kind, parameters->value, 0, kind_is_float(kind) ? 2.5 : 1);
	return stage;
}

/* Frames before, after and around an element, narrow ones and wide ones. */
static EngineStage
random_window(ElementKind kind)
{
	static const int64_t sizes[] = {0, 3, 20, 500};
	EngineStage stage = {ENGINE_WINDOW, kind, kind};
	WindowParameters *parameters = PARAMETERS(&stage, WindowParameters);

	parameters->preceding = sizes[random_bits() % 4];
	parameters->following = sizes[random_bits() % 4];
	parameters->op = random_bits() % 2 ? SCAN_MIN : SCAN_ADD;
	parameters->average = parameters->op == SCAN_ADD;
	if (parameters->average)
		stage.kind = KIND_FLOAT8;
	return stage;
}

/*
 * If "window", it may be a window.  A window has to know the positions of the
 * elements, and there is at most one.  Up to "absent" elements may have no
 * result.
 */
static EngineStage
random_stage(ElementKind kind, bool window, int64_t absent)
{
	int64_t		lag;

	static const int64_t lags[] = {1, 7, 4096};
	EngineStage stage = {ENGINE_DELTA, kind, kind};

	switch (random_bits() % (window ? 5 : 4))
	{
		case 4:
			return random_window(kind);
		case 0:
			return random_map(kind);
		case 1:
			stage.operation = ENGINE_COMPACT;
			PARAMETERS(&stage, CompactParameters)->predicate =
				random_predicate(kind);
			return stage;
		case 2:
			stage.operation = ENGINE_COMPARE;
			stage.kind = KIND_UINT1;
			PARAMETERS(&stage, CompareParameters)->predicate =
				random_predicate(kind);
			return stage;
		default:
			lag = lags[random_bits() % 3];
			PARAMETERS(&stage, DeltaParameters)->lag = lag;
			if (lag <= absent && random_bits() % 4 > 0)
				stage.absent = lag;
			return stage;
	}
}

/* The request that does a stage by itself. */
static EngineRequest
complete(const EngineStage *stage, int64_t count, void *out)
{
	EngineRequest request = make_request(stage->operation, stage->from,
										 stage->kind, count);

	request.parameters = stage->parameters;
	request.absent = stage->absent;
	request.outputs[0].memory = out;
	request.threads = 1 + random_bits() % 3;
	request.room = most_results(&request);
	return request;
}

/*
 * The operation behind the stages: one for each way to write results.  The
 * results of a scan have places, which are known if nothing is filtered.
 */
static EngineStage
random_last(ElementKind kind, bool filtered)
{
	static const EngineOperation operations[] = {
		ENGINE_COMPACT, ENGINE_REDUCE, ENGINE_SCAN, ENGINE_RUNS, ENGINE_COPY
	};
	EngineStage last = {
		operations[random_bits() % (filtered ? 2 : 5)], kind, kind
	};

	if (last.operation == ENGINE_COMPACT)
		PARAMETERS(&last, CompactParameters)->predicate =
			random_predicate(kind);
	if (last.operation == ENGINE_REDUCE)
		PARAMETERS(&last, ScanParameters)->op = SCAN_MAX;
	if (last.operation == ENGINE_SCAN)
		PARAMETERS(&last, ScanParameters)->op = SCAN_MIN;
	return last;
}

/* Does the stages one by one.  Returns the elements left, -1 if one fails. */
static int64_t
run_apart(const EngineStage *stages, int nstages, int64_t count,
		  void *elements, void *results)
{
	for (int i = 0; i < nstages && count > 0; i++)
	{
		EngineRequest request = complete(&stages[i], count, results);
		EngineResult result;

		(void) run_request_in(options.context, &request, INPUTS(elements),
							  &result);
		if (result.overflow != OVERFLOW_NONE)
			return -1;
		count = result.count;
		memcpy(elements, results, count * kind_size(stages[i].kind));
	}
	return count;
}

/* Does the stages for the elements of a short job. */
static void
check_short(const EngineStage *stages, int nstages, int64_t count,
			const void *elements, const void *expected, int64_t left,
			int data)
{
	EngineRequest last = complete(&stages[nstages - 1], count, NULL);
	int64_t		results = count;
	const void *values;

	if (count > MAX_SHORT_JOB)
		return;
	values = options.engine->short_stages(options.context, stages, nstages,
										  elements, &results);
	expect((values == NULL) == (left < 0), &last, "short stages fail", data);
	if (values == NULL || left < 0)
		return;
	expect(results == left, &last, "results of short stages", data);
	expect(memcmp(values, expected,
				  left * kind_size(stages[nstages - 1].kind)) == 0, &last,
		   "values of short stages", data);
}

static void
check_chain(ElementKind kind, const void *elements, int64_t count, int data)
{
	EngineStage stages[MAX_STAGES + 1];
	OWNED char *apart = malloc(3 * count * sizeof(int64_t));
	char	   *expected = apart + count * sizeof(int64_t);
	char	   *out = expected + count * sizeof(int64_t);
	ElementKind of = kind;
	bool		filtered = false;
	bool		window = true;
	int			nstages = 1 + random_bits() % MAX_STAGES;
	int64_t		absent = count <= MOST_ABSENT ? count - 1 : MOST_ABSENT;
	EngineRequest request;
	EngineResult result;
	int64_t		left;

	for (int i = 0; i < nstages; i++)
	{
		stages[i] = random_stage(of, window, filtered ? 0 : absent);
		of = stages[i].kind;
		absent -= stages[i].absent;
		filtered |= stages[i].operation == ENGINE_COMPACT;
		window &= !filtered && stages[i].operation != ENGINE_WINDOW;
		if (of == KIND_UINT1)	/* which has no other stages */
			nstages = i + 1;
	}
	stages[nstages] = random_last(of, filtered);
	memcpy(apart, elements, count * kind_size(kind));
	left = run_apart(stages, nstages, count, apart, expected);
	check_short(stages, nstages, count, elements, apart, left, data);

	request = complete(&stages[nstages], count, out);
	request.kinds[0] = kind;
	request.stages = stages;
	request.nstages = nstages;
	memset(out, 0xA5, count * sizeof(int64_t));
	options.piece = random_bits() % 2 * PIECE_MULTIPLE;
	(void) run_request_in(options.context, &request, INPUTS(elements), &result);
	options.piece = 0;
	expect(result.stage_failed == (left < 0), &request, "stage fails", data);
	if (left > 0)
	{
		EngineResult last;

		request = complete(&stages[nstages], left, expected);
		(void) run_request_in(options.context, &request, INPUTS(apart), &last);
		expect(result.count == last.count, &request, "count", data);
		expect(memcmp(out, expected, last.count * kind_size(of)) == 0, &request,
			   "results", data);
		if (request.operation == ENGINE_REDUCE)
			check_short(stages, nstages + 1, count, elements, expected,
						last.count, data);
	}
	if (left >= 0)
		expect(result.elements == left, &request, "elements", data);
}

static void
test_stages(ElementKind kind, void *elements, int64_t count, int data)
{
	if (options.engine->can_be_stage == NULL || count == 0 ||
		count > INT32_MAX / 16 || options.algorithm != ALGORITHM_AUTO)
		return;
	for (int i = 0; i < CHAINS; i++)
		check_chain(kind, elements, count, data);
}

TEST_NUMBERS(stages)
