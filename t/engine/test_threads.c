/*
 * test_threads.c
 *	  Concurrent jobs: random operations in threads with a context each.
 *
 * The expected result is the result of the same job alone, which the other
 * tests check.  Each family's file says what its operations need.  Jobs end in
 * the same way if the system allows no thread.  And helpers that make pages for
 * results.
 */
#include <errno.h>
#include <pthread.h>

#include "contract/operations/delta.h"
#include "contract/team.h"
#include "engines.h"

#define THREADS			8
#define CASES			48
#define ROUNDS			40

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

ConcurrentRequest concurrent_requests[ENGINE_OPERATIONS];

static int32_t table[CONCURRENT_TABLE];	/* in ascending order */

void
concurrent_table(EngineRequest *request)
{
	request->table = table;
	request->table_bytes = sizeof(table);
}

static void
make_case(Case *this, int number)
{
	EngineRequest *request = &this->request;
	const void *inputs[ENGINE_INPUTS];
	int64_t		count = 1 + random_bits() % CONCURRENT_MOST;

	if (number % 3 == 0)
		count = 1 + random_bits() % 1000;
	*request = make_request((EngineOperation) (number % ENGINE_OPERATIONS),
							KIND_INT4, KIND_INT4, count);
	request->kinds[1] = KIND_INT8;
	if (concurrent_requests[request->operation] != NULL)
		concurrent_requests[request->operation] (request);
	request->threads = 1;
	request->room = most_results(request);
	for (int i = 0; i < request->inputs; i++)
	{
		this->inputs[i] = malloc(request->count * sizeof(int64_t));
		make_data(request->kinds[i], i == 0 ? 1 : 0, this->inputs[i],
				  request->count);
		/* Else there would be an error, and nothing to compare. */
		if (request->operation == ENGINE_RANGE_WINDOW && i == 0)
			sort_elements(request->kinds[i], this->inputs[i], request->count);
		inputs[i] = this->inputs[i];
	}

	/* Nothing is written where a job ends in an error. */
	this->expected = calloc(1, request->room * output_size(request, 0) + 1);
	request->outputs[0].memory = this->expected;
	this->summary = calloc(1, request->summary_bytes + 1);
	request->summary = this->summary;
	this->supported = run_request_in(options.context, request, inputs,
									 &this->result);
}

static bool
run_case(EngineContext *context, const Case *this, int threads)
{
	EngineRequest request = this->request;
	const void *inputs[ENGINE_INPUTS] = {
		this->inputs[0], this->inputs[1], this->inputs[2]
	};
	OWNED void *memory = calloc(1, request.room * output_size(&request, 0) + 1);
	OWNED void *summary = calloc(1, request.summary_bytes + 1);
	EngineResult result;

	request.outputs[0].memory = memory;
	request.summary = summary;
	request.threads = threads;
	return run_request_in(context, &request, inputs, &result) &&
		result.count == this->result.count &&
		result.errors == this->result.errors &&
		memcmp(memory, this->expected,
			   result.count * output_size(&request, 0)) == 0 &&
		memcmp(summary, this->summary, request.summary_bytes) == 0;
}

static void *
thread_main(void *argument)
{
	Thread	   *thread = argument;
	EngineContext *context = open_context();

	for (int round = 0; round < ROUNDS; round++)
	{
		const Case *this = &cases[next_bits(&thread->seed) % CASES];

		if (!this->supported)
			continue;
		thread->runs++;
		if (!run_case(context, this, 1 + next_bits(&thread->seed) % 3))
			thread->failures++;
	}
	options.engine->close(context);
	return NULL;
}

/* The system allows no thread. */
static bool no_threads = false;

/* The linker has pthread_create() call this. */
extern int	__wrap_pthread_create(pthread_t *thread,
								  const pthread_attr_t *attributes,
								  void *(*start) (void *), void *argument);
extern int	__real_pthread_create(pthread_t *thread,
								  const pthread_attr_t *attributes,
								  void *(*start) (void *), void *argument);

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
					  void *(*start) (void *), void *argument)
{
	return no_threads ? EAGAIN :
		__real_pthread_create(thread, attributes, start, argument);
}

/* Helpers that make the pages of few results write to no byte behind them. */
static void
test_few_results(void)
{
	int64_t		count = 1024 * 1024 + 1;
	int64_t		bytes = count * sizeof(int32_t);
	OWNED void *in = calloc(count, sizeof(int32_t));
	OWNED char *out = malloc(bytes);
	EngineRequest request = make_request(ENGINE_DELTA, KIND_INT4, KIND_INT4,
										 count);
	EngineResult result;
	int64_t		written = sizeof(int32_t);

	request.absent = PARAMETERS(&request, DeltaParameters)->lag = count - 1;
	request.room = most_results(&request);
	request.threads = 4;
	request.outputs[0].memory = out;
	memset(out, 0x55, bytes);
	if (!run_request_in(options.context, &request, INPUTS(in), &result))
		return;
	while (written < bytes && out[written] == 0x55)
		written++;
	expect(result.count == 1 && written == bytes, &request, "few results", 0);
}

/* A team that got no thread is as one that asked for none. */
static void
test_no_threads(void)
{
	static Team team;
	int			failures = 0;

	no_threads = true;
	team_start(&team, 2);
	expect(team.helpers == 0 && !team.threaded, &cases[0].request,
		   "no threads", 0);
	for (int i = 0; i < CASES; i++)
	{
		if (cases[i].supported && !run_case(options.context, &cases[i], 3))
			failures++;
	}
	expect(failures == 0, &cases[0].request, "jobs without threads", 0);
	no_threads = false;
}

void
test_threads(void)
{
	Thread		threads[THREADS];
	int			failures = 0;
	int			runs = 0;

	for (int i = 0; i < CONCURRENT_TABLE; i++)
		table[i] = INT32_MIN + UINT32_MAX / CONCURRENT_TABLE * i;
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
	test_no_threads();
	test_few_results();
	for (int i = 0; i < CASES; i++)
	{
		for (int input = 0; input < ENGINE_INPUTS; input++)
			free(cases[i].inputs[input]);
		free(cases[i].expected);
		free(cases[i].summary);
	}
}
