/*
 * test_threads.c
 *	  Concurrent jobs: random operations in threads with a context each.
 *
 * The expected result is that of the same job alone, which the other tests
 * check.
 */
#include <pthread.h>

#include "contract/stats.h"
#include "engines.h"

#define THREADS			8
#define CASES			48
#define ROUNDS			40

/* Elements of the longest array, which has more pieces than helpers. */
#define LONGEST			700000

/* Entries of a table. */
#define TABLE			1000

typedef struct Case
{
	EngineRequest request;
	void	   *inputs[ENGINE_INPUTS];
	void	   *expected;
	void	   *summary;
	EngineResult result;
	bool		supported;
} Case;

typedef struct Thread
{
	pthread_t	thread;
	uint64_t	seed;
	int			failures;
	int			runs;
} Thread;

static Case cases[CASES];

/* The ranks of a selection; an array may have a single element. */
static const int64_t first_ranks[] = {0};

/* The start of one group. */
static const int32_t one_group[] = {1};

/* The end of one bucket, which all arrays are in. */
static const int64_t bucket_ends[] = {LONGEST};

/* Thresholds, or elements, of KIND_INT4. */
static uint32_t table[TABLE];

/* The bytes of "count" results of a request. */
static size_t
result_bytes(const EngineRequest *request, int64_t count)
{
	return count * output_size(request, 0);
}

static EngineRequest
make_request(EngineOperation operation)
{
	EngineRequest request = {
		.operation = operation,
		.algorithm = options.algorithm,
		.inputs = 1,
		.kinds = {KIND_INT4, KIND_INT8},
		.outputs[0].kind = KIND_INT4
	};

	switch (operation)
	{
		case ENGINE_SCAN:
		case ENGINE_REDUCE:
			request.parameters.scan.op = SCAN_XOR;
			break;
		case ENGINE_GROUP:
			request.parameters.scan.op = SCAN_XOR;
			request.table = one_group;
			request.table_bytes = sizeof(one_group);
			break;
		case ENGINE_SUBTRACT:
			request.inputs = 2;
			request.kinds[1] = request.kinds[0];
			break;
		case ENGINE_STATS:
			request.summary_bytes = sizeof(EngineStats);
			break;
		case ENGINE_EXTREMES:
			request.table = bucket_ends;
			request.table_bytes = sizeof(bucket_ends);
			request.summary_bytes = sizeof(EngineExtremes);
			break;
		case ENGINE_HISTOGRAM:
			request.summary_bytes = (TABLE + 1) * sizeof(int32_t);
			/* fall through */
		case ENGINE_BUCKET:
		case ENGINE_MEMBERS:
		case ENGINE_TAKE:
			request.table = table;
			request.table_bytes = sizeof(table);
			break;
		case ENGINE_WINDOW:
			request.parameters.window.op = SCAN_MAX;
			request.parameters.window.preceding = 5000;
			break;
		case ENGINE_COMPACT:
			request.parameters.compact.predicate.span = 0x7FFFFFFF;
			break;
		case ENGINE_SORT:
			request.inputs = random_bits() % 2 + 1;
			request.outputs[0].kind = request.kinds[request.inputs - 1];
			break;
		case ENGINE_SET:
			request.parameters.set.op = SET_UNION;
			break;
		case ENGINE_SELECT:
			request.table = first_ranks;
			request.table_bytes = sizeof(first_ranks);
			break;
		case ENGINE_UTF8_DECODE:
		case ENGINE_UTF8_REPAIR:
		case ENGINE_UTF8_ERRORS:
		case ENGINE_UTF8_VALIDATE:
			request.kinds[0] = KIND_UINT1;
			request.outputs[0].kind = operation == ENGINE_UTF8_DECODE ?
				KIND_INT4 : operation == ENGINE_UTF8_ERRORS ? KIND_INT8 :
				KIND_UINT1;
			break;
		case ENGINE_UTF8_ENCODE:
			request.outputs[0].kind = KIND_UINT1;
			break;
		default:
			break;
	}
	return request;
}

static void
make_case(Case *this, int number)
{
	EngineRequest *request = &this->request;
	const void *inputs[ENGINE_INPUTS];

	*request = make_request((EngineOperation) (number % ENGINE_OPERATIONS));
	request->count = 1 + random_bits() % LONGEST;
	if (number % 3 == 0)
		request->count = 1 + random_bits() % 1000;
	request->threads = 1;
	request->room = most_results(request);
	for (int i = 0; i < request->inputs; i++)
	{
		this->inputs[i] = malloc(request->count * sizeof(int64_t));
		make_data(request->kinds[i], i == 0 ? 1 : 0, this->inputs[i],
				  request->count);
		inputs[i] = this->inputs[i];
	}
	this->expected = malloc(result_bytes(request, request->room) + 1);
	request->outputs[0].memory = this->expected;
	this->summary = malloc(request->summary_bytes + 1);
	request->summary = this->summary;
	this->supported = run_request_in(options.context, request, inputs,
									 &this->result);
}

static bool
run_case(EngineContext *context, const Case *this, int threads)
{
	EngineRequest request = this->request;
	const void *inputs[ENGINE_INPUTS] = {this->inputs[0], this->inputs[1]};
	void	   *memory = malloc(result_bytes(&request, request.room) + 1);
	void	   *summary = malloc(request.summary_bytes + 1);
	EngineResult result;
	bool		right;

	request.outputs[0].memory = memory;
	request.summary = summary;
	request.threads = threads;
	right = run_request_in(context, &request, inputs, &result) &&
		result.count == this->result.count &&
		result.errors == this->result.errors &&
		memcmp(memory, this->expected,
			   result_bytes(&request, result.count)) == 0 &&
		memcmp(summary, this->summary, request.summary_bytes) == 0;
	free(memory);
	free(summary);
	return right;
}

static uint64_t
draw(Thread *thread)
{
	thread->seed ^= thread->seed << 13;
	thread->seed ^= thread->seed >> 7;
	thread->seed ^= thread->seed << 17;
	return thread->seed;
}

static void *
thread_main(void *argument)
{
	Thread	   *thread = argument;
	EngineContext *context = open_context();

	for (int round = 0; round < ROUNDS; round++)
	{
		const Case *this = &cases[draw(thread) % CASES];

		if (!this->supported)
			continue;
		thread->runs++;
		if (!run_case(context, this, 1 + draw(thread) % 3))
			thread->failures++;
	}
	options.engine->close(context);
	return NULL;
}

void
test_threads(void)
{
	Thread		threads[THREADS];
	int			failures = 0;
	int			runs = 0;

	for (int i = 0; i < TABLE; i++)
		table[i] = UINT32_MAX / TABLE * i;
	for (int i = 0; i < CASES; i++)
		make_case(&cases[i], i);
	for (int i = 0; i < THREADS; i++)
	{
		threads[i] = (Thread) {.seed = random_bits() | 1};
		pthread_create(&threads[i].thread, NULL, thread_main, &threads[i]);
	}
	for (int i = 0; i < THREADS; i++)
	{
		pthread_join(threads[i].thread, NULL);
		failures += threads[i].failures;
		runs += threads[i].runs;
	}
	expect(runs > 0 && failures == 0, &cases[0].request, "threads", 0);
	for (int i = 0; i < CASES; i++)
	{
		free(cases[i].inputs[0]);
		free(cases[i].inputs[1]);
		free(cases[i].expected);
		free(cases[i].summary);
	}
}
