/*
 * test_resident.c
 *	  Results that stay on the device, as inputs of the next jobs.
 */
#include "contract/operations/compact.h"
#include "contract/operations/delta.h"
#include "contract/operations/set.h"
#include "engines.h"
#include "gpuclient/gpu_engine.h"

/* Operations of each way in which results come to be. */
static const EngineOperation producers[] = {
	ENGINE_DELTA,				/* one for each element */
	ENGINE_COMPACT,				/* as many as there are */
	ENGINE_SORT					/* of the whole array */
};

#define PRODUCERS	LENGTH(producers)

/* Completes a request over "count" elements, whose results go to "out". */
static EngineRequest
complete(EngineOperation operation, int64_t count, void *out)
{
	EngineRequest request = make_request(operation, KIND_INT4, KIND_INT4,
										 count);

	if (operation == ENGINE_COMPACT)	/* what is not negative */
		PARAMETERS(&request, CompactParameters)->predicate.span = INT32_MAX;
	if (operation == ENGINE_DELTA)
		PARAMETERS(&request, DeltaParameters)->lag = 1;
	request.outputs[0].memory = out;
	request.threads = 2;
	request.room = most_results(&request);
	return request;
}

/* Runs a request on results that have stayed, or on elements. */
static EngineResult
run(EngineRequest request, const EngineResult *resident, const void *elements)
{
	EngineResult result = {0};

	if (resident != NULL)
	{
		request.residents[0] = resident->resident;
		request.device = resident->device;
	}
	else
		request.device = -1;
	(void) run_request_in(options.context, &request, INPUTS(elements), &result);
	return result;
}

/* Checks that results that have stayed are these. */
static void
check_resident(const EngineResult *resident, const int32_t *expected,
			   int32_t *out, int data)
{
	int64_t		count = resident->count;
	EngineRequest copy = complete(ENGINE_COPY, count, out);

	memset(out, 0xA5, count * sizeof(int32_t));
	(void) run(copy, resident, NULL);
	expect(memcmp(out, expected, count * sizeof(int32_t)) == 0, &copy,
		   "resident", data);
}

/* Runs two requests, with the results of the first one in between. */
static void
check_pair(EngineOperation first, EngineOperation second,
		   const int32_t *elements, int64_t count, int data)
{
	OWNED int32_t *memory = malloc(4 * count * sizeof(int32_t));
	int32_t    *one = memory;
	int32_t    *two = memory + count;
	int32_t    *out = memory + 2 * count;
	EngineRequest request = complete(first, count, one);
	int64_t		results = run(request, NULL, elements).count;
	EngineResult stayed;
	EngineResult then;

	request.outputs[0].memory = out;
	request.stays = true;
	stayed = run(request, NULL, elements);
	expect(stayed.count == results && stayed.resident != 0, &request, "stays",
		   data);
	if (stayed.resident != 0 && results > 0)
	{
		check_resident(&stayed, one, out, data);
		request = complete(second, results, two);
		(void) run(request, NULL, one);
		request.outputs[0].memory = out;
		then = run(request, &stayed, NULL);
		expect(memcmp(out, two, then.count * sizeof(int32_t)) == 0, &request,
			   "of resident", data);
		request.stays = true;
		then = run(request, &stayed, NULL);
		expect(then.resident != 0, &request, "stays again", data);
		check_resident(&then, two, out, data);
		gpu_engine_give_back(options.context, then.device, then.resident);
	}
	if (stayed.resident != 0)
		gpu_engine_give_back(options.context, stayed.device, stayed.resident);
}

/* Sorts an array twice, and lets the second result stay. */
static EngineResult
sort_and_stay(const int32_t *elements, int64_t count, int32_t *sorted,
			  int32_t *out)
{
	EngineRequest request = complete(ENGINE_SORT, count, sorted);

	(void) run(request, NULL, elements);
	request.outputs[0].memory = out;
	request.stays = true;
	return run(request, NULL, elements);
}

/* A request that takes elements of a table of as many. */
static EngineRequest
complete_take(const void *table, int64_t count, void *out)
{
	EngineRequest request = complete(ENGINE_TAKE, count, out);

	request.table = table;
	request.table_bytes = count * sizeof(int32_t);
	return request;
}

/*
 * Takes elements of a result that has stayed as the table: at positions that
 * are pushed, and at positions that are the result itself.
 */
static void
check_table(const int32_t *elements, int64_t count, int data)
{
	OWNED int32_t *memory = malloc(4 * count * sizeof(int32_t));
	int32_t    *positions = memory;
	int32_t    *table = memory + count;
	int32_t    *expected = memory + 2 * count;
	int32_t    *out = memory + 3 * count;
	EngineRequest request = complete_take(table, count, expected);
	EngineResult stayed;
	EngineResult then;

	for (int64_t i = 0; i < count; i++)
		positions[i] = 1 + (uint32_t) elements[i] % (count + 1);
	stayed = sort_and_stay(positions, count, table, out);

	(void) run(request, NULL, positions);
	request = complete_take(NULL, count, out);
	request.residents[ENGINE_TABLE] = stayed.resident;
	(void) run(request, NULL, positions);
	expect(memcmp(out, expected, count * sizeof(int32_t)) == 0, &request,
		   "resident table", data);

	request.stays = true;
	then = run(request, &stayed, NULL);
	expect(then.resident != 0, &request, "stays, of resident table", data);
	request = complete_take(table, count, expected);
	(void) run(request, NULL, table);
	check_resident(&then, expected, out, data);
	gpu_engine_give_back(options.context, then.device, then.resident);
	gpu_engine_give_back(options.context, stayed.device, stayed.resident);
}

/* The union of two arrays; one or both have stayed on the device. */
static void
check_joined(const int32_t *elements, int64_t count, int data)
{
	OWNED int32_t *memory = malloc(3 * count * sizeof(int32_t));
	int32_t    *sorted = memory;
	int32_t    *expected = memory + count;
	int32_t    *out = memory + 2 * count;
	EngineRequest request = complete(ENGINE_SET, count, expected);
	EngineResult stayed[2];
	int64_t		results;

	request.joined = 1 + count / 3;
	PARAMETERS(&request, SetParameters)->op = SET_UNION;
	stayed[0] = sort_and_stay(elements, count - request.joined, sorted, out);
	stayed[1] = sort_and_stay(elements + count - request.joined,
							  request.joined, sorted + count - request.joined,
							  out);
	results = run(request, NULL, sorted).count;
	request.outputs[0].memory = out;
	for (int of = 1; of <= 3; of++)
	{
		EngineResult result = {0};

		for (int i = 0; i < 2; i++)
			request.residents[i] = of >> i & 1 ? stayed[i].resident : 0;
		memset(out, 0xA5, count * sizeof(int32_t));
		(void) run_request_in(options.context, &request,
							  INPUTS(of == 3 ? NULL : sorted), &result);
		expect(result.count == results &&
			   memcmp(out, expected, results * sizeof(int32_t)) == 0,
			   &request, "joined with resident", data);
	}
	for (int i = 0; i < 2; i++)
		gpu_engine_give_back(options.context, stayed[i].device,
							 stayed[i].resident);
}

static void
test_resident(int64_t count, int data)
{
	OWNED int32_t *elements = malloc(count * sizeof(int32_t));

	if (options.engine != &gpu_engine || count > INT32_MAX / 16)
		return;
	make_data(KIND_INT4, data, elements, count);
	for (int i = 0; i < PRODUCERS; i++)
		for (int j = 0; j < PRODUCERS; j++)
			check_pair(producers[i], producers[j], elements, count, data);
	check_table(elements, count, data);
	if (count > 2)
		check_joined(elements, count, data);
}

TEST_FAMILY(resident)
