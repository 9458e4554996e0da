/*
 * cpu_engine.c
 *	  The CPU engine: how a job goes through it.
 *
 * A scan or a compaction works on a piece while it is in the cache, and
 * writes its result once.  In a large job helpers do that while the caller
 * reads the next piece; in a small one, the caller does it at once.  A sort
 * needs all its keys first, and goes its own way, in cpu_sort.c.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_engine.h"

static EngineJob the_job;
static const char *failure = "";

/*
 * Waits for a piece's turn, and returns the sum over all pieces before it;
 * "sum" is the piece's own.  The piece before has begun already, so that the
 * wait is short, unless its thread is not running.
 */
int64_t
cpu_chain_pass(CpuChain *chain, int64_t turn, int64_t sum)
{
	int64_t		before;

	for (int spins = 0;
		 __atomic_load_n(&chain->turn, __ATOMIC_ACQUIRE) != turn;
		 spins++)
	{
		if (spins >= 1000)
			sched_yield();
	}
	before = chain->sum;
	chain->sum = before + sum;
	__atomic_store_n(&chain->turn, turn + 1, __ATOMIC_RELEASE);
	return before;
}

/* The buffer that goes with a piece, which the session keeps; or NULL. */
int32_t *
cpu_piece_buffer(CpuPiece *piece)
{
	if (piece->buffer == NULL)
		piece->buffer = malloc(CPU_PIECE * sizeof(int32_t));
	return piece->buffer;
}

static EngineStatus
cpu_out_of_memory(void)
{
	failure = "The CPU engine could not get memory from the system.";
	return ENGINE_OUT_OF_MEMORY;
}

static EngineStatus
cpu_begin(const EngineRequest *request, EngineJob **job)
{
	EngineJob  *this = &the_job;
	int			helpers = request->count >= CPU_TEAM_COUNT ||
		request->algorithm == ALGORITHM_PARALLEL ? request->threads - 1 : 0;

	this->request = *request;
	this->pushed = 0;
	this->turn = 0;
	this->chain = (CpuChain) {0, 0};
	this->piece_work = request->operation == ENGINE_SCAN ?
		cpu_scan_piece : cpu_compact_piece;
	this->team.helpers = 0;
	if (request->operation == ENGINE_SORT && !cpu_sort_begin(this))
		return cpu_out_of_memory();
	if (helpers > 0)
		team_start(&this->team, helpers);
	this->npieces = this->team.helpers > 0 ? this->team.helpers + 3 : 1;
	*job = this;
	return ENGINE_OK;
}

static EngineStatus
cpu_buffer(EngineJob *job, void **buffer, int64_t *capacity)
{
	CpuPiece   *piece = &job->pieces[job->turn % job->npieces];

	if (job->request.operation == ENGINE_SORT)
	{
		cpu_sort_buffer(job, buffer, capacity);
		return ENGINE_OK;
	}

	while (__atomic_load_n(&piece->pending, __ATOMIC_ACQUIRE) != 0)
		team_wait(&job->team, &piece->pending);
	*buffer = cpu_piece_buffer(piece);
	if (*buffer == NULL)
		return cpu_out_of_memory();
	*capacity = CPU_PIECE;
	return ENGINE_OK;
}

static EngineStatus
cpu_push(EngineJob *job, const void *data, int64_t count)
{
	int			number = job->turn % job->npieces;
	CpuPiece   *piece = &job->pieces[number];

	if (job->request.operation == ENGINE_SORT)
		cpu_sort_push(job, data, count);
	else
	{
		piece->data = data;
		piece->count = count;
		piece->first = job->pushed;
		piece->turn = job->turn++;
		piece->pending = 1;
		job->pushed += count;
		team_add(&job->team, job->piece_work, job, number);
	}
	return ENGINE_OK;
}

static EngineStatus
cpu_finish(EngineJob *job, EngineResult *result)
{
	result->count = job->request.count;
	if (job->request.operation == ENGINE_SORT)
	{
		EngineStatus status = cpu_sort_finish(job);

		return status == ENGINE_OUT_OF_MEMORY ? cpu_out_of_memory() : status;
	}

	for (int i = 0; i < job->npieces; i++)
	{
		if (__atomic_load_n(&job->pieces[i].pending, __ATOMIC_ACQUIRE) != 0)
		{
			team_wait(&job->team, &job->pieces[i].pending);
			return ENGINE_MORE;
		}
	}
	if (job->request.operation == ENGINE_COMPACT)
		result->count = job->chain.sum;
	return ENGINE_OK;
}

static void
cpu_end(EngineJob *job)
{
	__atomic_store_n(&job->sort.cancelled, true, __ATOMIC_RELAXED);
	team_stop(&job->team);
	for (int i = 0; i < job->npieces; i++)
		job->pieces[i].pending = 0;
	if (job->request.operation == ENGINE_SORT)
		cpu_sort_end(job);
}

static EngineStatus
cpu_devices(EngineDevice *devices, int capacity, int *count)
{
	*count = 0;
	return ENGINE_OK;
}

static const char *
cpu_message(void)
{
	return failure;
}

const Engine cpu_engine = {
	.api_version = ENGINE_API_VERSION,
	.name = "cpu",
	.begin = cpu_begin,
	.buffer = cpu_buffer,
	.push = cpu_push,
	.finish = cpu_finish,
	.end = cpu_end,
	.devices = cpu_devices,
	.message = cpu_message,
};
