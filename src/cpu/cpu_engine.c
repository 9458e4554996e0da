/*
 * cpu_engine.c
 *	  The CPU engine: runs jobs in a few threads.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu/cpu_engine.h"
#include "contract/kept_memory.h"

const CpuOperation *const cpu_operations[ENGINE_OPERATIONS] = {
#define OPERATION(NAME, name, ...) [ENGINE_##NAME] = &cpu_##name,
#include "contract/operations.h"
};

/* Returns memory in huge pages, or NULL if there is not enough. */
static void *
cpu_huge_pages(size_t size)
{
	void	   *memory;
	bool		begun = kept_memory_begin(size);
	int			error = posix_memalign(&memory, CPU_HUGE_PAGE, size);

	kept_memory_end(begun);
	if (error != 0)
		return NULL;
#ifdef MADV_HUGEPAGE
	(void) madvise(memory, size & ~(CPU_HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
	return memory;
}

/* Returns memory for elements, in huge pages if there are many; or NULL. */
void *
cpu_memory(size_t size)
{
	return size < 2 * CPU_HUGE_PAGE ? malloc(size) : cpu_huge_pages(size);
}

/*
 * Returns scratch memory, or NULL if there is not enough.  The memory of a
 * small job is the buffer of a piece, which must not be used otherwise.
 */
void *
cpu_scratch(CpuJob *job, int piece, size_t size)
{
	return size <= CPU_PIECE_BYTES ? cpu_piece_buffer(&job->pieces[piece]) :
		cpu_huge_pages(size);
}

void
cpu_scratch_free(CpuJob *job, int piece, void *scratch)
{
	if (scratch != job->pieces[piece].buffer)
		free(scratch);
}

static EngineContext *
cpu_open(void)
{
	CpuJob	   *job = calloc(1, sizeof(CpuJob));

	if (job == NULL)
		return NULL;
	job->base.engine = &cpu_engine;
	job->message = "";
	return &job->base;
}

static void
cpu_close(EngineContext *context)
{
	CpuJob	   *job = (CpuJob *) context;

	for (int i = 0; i < CPU_PIECES; i++)
	{
		free(job->pieces[i].buffer);
		free(job->pieces[i].stage_buffer);
	}
	free(job);
}

/* A request gets the kind of elements that it has behind its stages. */
static void
put_behind_stages(EngineRequest *request)
{
	if (request->nstages > 0)
		request->kinds[0] = request->stages[request->nstages - 1].kind;
}

/* Stages go in front of operations that are over when all pieces are done. */
static bool
cpu_supports(const EngineRequest *request)
{
	const CpuOperation *operation = cpu_operations[request->operation];

	if (request->nstages > 0)
	{
		EngineRequest behind = *request;

		put_behind_stages(&behind);
		return request->inputs == 1 &&
			operation->finish == cpu_pieces_finish &&
			cpu_piece_work(operation, &behind) != NULL;
	}
	return operation->piece_work == NULL ||
		operation->piece_work(request) != NULL;
}

static bool
cpu_can_be_stage(const EngineRequest *request)
{
	const CpuOperation *operation = cpu_operations[request->operation];

	return operation->stage != NULL && request->inputs == 1 &&
		cpu_piece_work(operation, request) != NULL &&
		(operation->can_be_stage == NULL || operation->can_be_stage(request));
}

/* To fetch results from a device: microseconds, and nanoseconds for a byte. */
#define FETCH_US	60
#define FETCH_NS	0.2

/*
 * The part of a call's time that the call takes as a stage of the next one: its
 * results do not go through memory.
 */
#define STAGE_PART	0.25

static double
cpu_cost_us(EngineContext *context, const EngineRequest *request, bool waits)
{
	double		cost = request_cost_us(request, ENGINE_CPU);

	if (!cpu_supports(request))
		return -1;
	if (request->stays && cpu_can_be_stage(request))
		cost *= STAGE_PART;
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (request->residents[i] != 0)
			cost += FETCH_US + FETCH_NS / 1000 * source_bytes(request, i);
	}
	return cost;
}

/*
 * The threads that a job gets besides the caller's.  More than there are pieces
 * would have nothing to do, and starting them takes time.
 */
static int
count_helpers(const CpuJob *job)
{
	int64_t		piece = cpu_piece_count(job);
	int64_t		pieces = (shared_elements(job->request) + piece - 1) / piece;

	return (int) cpu_min(job->request->threads, pieces) - 1;
}

static void
cpu_end(EngineContext *context)
{
	CpuJob	   *job = (CpuJob *) context;

	if (job->operation != NULL)
		job->operation->end(job);
	free(job->state);
	job->state = NULL;
	job->operation = NULL;
}

static EngineStatus
cpu_begin(EngineContext *context, const EngineRequest *request)
{
	CpuJob	   *job = (CpuJob *) context;
	const OperationFacts *facts = &operation_facts[request->operation];
	bool		has_team =
		shared_elements(request) >= facts->costs[ENGINE_CPU].team_count ||
		request->algorithm == ALGORITHM_PARALLEL;

	job->operation = NULL;
	if (!cpu_supports(request))
		return cpu_not_supported(job);
	job->own_request = *request;
	put_behind_stages(&job->own_request);
	job->own_request.paged = request->paged && has_team && request->threads > 1;
	job->request = &job->own_request;
	job->pushed_kind = request->kinds[0];
	job->operation = cpu_operations[request->operation];
	job->pushed = job->turn = 0;
	job->place = 0;
	job->chain = (CpuChain) {0};
	job->overflow = OVERFLOW_NONE;
	job->phases.arrived = NULL;
	job->gathered[0].memory = NULL;
	cpu_stages_begin(job, request->stages, request->nstages);
	if (!job->operation->begin(job))
	{
		if (job->state == NULL)
		{
			cpu_phases_end(job);
			job->operation = NULL;
		}
		cpu_end(context);
		return cpu_out_of_memory(job);
	}
	team_start(&job->team, has_team ? count_helpers(job) : 0);
	return ENGINE_OK;
}

static EngineStatus
cpu_buffer(EngineContext *context, void *buffers[ENGINE_INPUTS],
		   int64_t *capacity)
{
	CpuJob	   *job = (CpuJob *) context;

	return job->operation->buffer(job, buffers, capacity);
}

/* Without helpers, nobody else would copy the bytes earlier. */
static void
cpu_fill(EngineContext *context, int input, void *dest, SpanBatch *batch,
		 int *pending)
{
	CpuJob	   *job = (CpuJob *) context;
	CpuFill		fill = {dest, batch, pending};

	cpu_fills_add(&cpu_next_piece(job)->fills, fill, job->team.helpers == 0);
}

/* The caller copies the bytes of a piece that is not pushed: no task would. */
static void
cpu_wait(EngineContext *context, const int *pending)
{
	CpuJob	   *job = (CpuJob *) context;
	CpuFills   *fills = &cpu_next_piece(job)->fills;

	if (cpu_fills_have(fills, pending))
		cpu_fills_copy(fills);
	else
		team_wait(&job->team, pending);
}

static EngineStatus
cpu_push(EngineContext *context, const void *const data[ENGINE_INPUTS],
		 int64_t count)
{
	CpuJob	   *job = (CpuJob *) context;

	job->operation->push(job, data, count);
	return ENGINE_OK;
}

static EngineStatus
cpu_finish(EngineContext *context, EngineResult *result)
{
	CpuJob	   *job = (CpuJob *) context;
	EngineStatus status = job->operation->finish(job, result);

	result->overflow = (EngineOverflow)
		__atomic_load_n(&job->overflow, __ATOMIC_RELAXED);
	result->elements = job->request->nstages > 0 ? job->staged :
		job->request->count;
	result->stage_failed = job->stage_failed;
	return status;
}

/* Does a short job, whose request is set, by the steps of any job. */
EngineStatus
cpu_run_by_steps(CpuJob *job, const void *const data[ENGINE_INPUTS],
				 EngineResult *result)
{
	void	   *buffers[ENGINE_INPUTS];
	int64_t		capacity;
	EngineStatus status = cpu_begin(&job->base, job->request);

	if (status == ENGINE_OK)
	{
		while ((status = cpu_buffer(&job->base, buffers,
									&capacity)) == ENGINE_MORE)
			continue;
	}
	if (status == ENGINE_OK)
	{
		job->operation->push(job, data, job->request->count);
		while ((status = cpu_finish(&job->base, result)) == ENGINE_MORE)
			continue;
	}
	cpu_end(&job->base);
	return status;
}

static EngineStatus
cpu_run(EngineContext *context, const EngineRequest *request,
		const void *const data[ENGINE_INPUTS], EngineResult *result)
{
	CpuJob	   *job = (CpuJob *) context;
	const CpuOperation *operation = cpu_operations[request->operation];

	job->request = request;
	job->operation = operation;
	return operation->run != NULL ? operation->run(job, data, result) :
		cpu_run_by_steps(job, data, result);
}

static const char *
cpu_message(EngineContext *context)
{
	return ((CpuJob *) context)->message;
}

const Engine cpu_engine = {
	.name = "cpu",
	.open = cpu_open,
	.close = cpu_close,
	.cost_us = cpu_cost_us,
	.can_be_stage = cpu_can_be_stage,
	.begin = cpu_begin,
	.buffer = cpu_buffer,
	.fill = cpu_fill,
	.wait = cpu_wait,
	.push = cpu_push,
	.finish = cpu_finish,
	.run = cpu_run,
	.short_stages = cpu_short_stages,
	.end = cpu_end,
	.message = cpu_message,
};
