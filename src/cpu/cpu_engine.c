/*
 * cpu_engine.c
 *	  The CPU engine: how a job goes through it.
 *
 * Most operations work on a piece while it is in the cache, and write its
 * result once.  In a large job helpers do that while the caller reads the next
 * piece; in a small one, the caller does it at once.  A sort needs all its
 * keys first, and goes its own way, in cpu_sort.c.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_engine.h"

static EngineJob the_job;
static const char *failure = "";

/*
 * Waits for a piece's turn, and returns the chain, which tells of all pieces
 * before it, and is to be changed to tell of this one, too; cpu_chain_pass
 * then hands it on.  The piece before has begun already, so that the wait is
 * short, unless its thread is not running.
 */
CpuChain *
cpu_chain_wait(EngineJob *job, const CpuPiece *piece)
{
	CpuChain   *chain = &job->chain;

	for (int spins = 0;
		 __atomic_load_n(&chain->turn, __ATOMIC_ACQUIRE) != piece->turn;
		 spins++)
	{
		if (spins >= 1000)
			sched_yield();
	}
	return chain;
}

void
cpu_chain_pass(EngineJob *job)
{
	__atomic_store_n(&job->chain.turn, job->chain.turn + 1, __ATOMIC_RELEASE);
}

/* The piece's data and buffer are no longer needed. */
void
cpu_piece_done(CpuPiece *piece)
{
	__atomic_store_n(&piece->pending, 0, __ATOMIC_RELEASE);
}

/* A result overflows: if any does upwards, that is what the job says. */
void
cpu_note_overflow(EngineJob *job, EngineOverflow overflow)
{
	int			none = OVERFLOW_NONE;

	if (overflow == OVERFLOW_UP)
		__atomic_store_n(&job->overflow, overflow, __ATOMIC_RELAXED);
	else
		__atomic_compare_exchange_n(&job->overflow, &none, overflow, false,
									__ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* The buffer that goes with a piece, which the session keeps; or NULL. */
void *
cpu_piece_buffer(CpuPiece *piece)
{
	if (piece->buffer == NULL)
		piece->buffer = malloc(CPU_PIECE_BYTES);
	return piece->buffer;
}

static EngineStatus
cpu_out_of_memory(void)
{
	failure = "The CPU engine could not get memory from the system.";
	return ENGINE_OUT_OF_MEMORY;
}

static bool
sorts(const EngineJob *job)
{
	return job->request.operation == ENGINE_SORT ||
		job->request.operation == ENGINE_DISTINCT;
}

static TeamWork
work_on_pieces(const EngineRequest *request)
{
	switch (request->operation)
	{
		case ENGINE_SCAN:
		case ENGINE_REDUCE:
			return cpu_scan_work(request);
		case ENGINE_DELTA:
			return cpu_delta_work(request);
		case ENGINE_COMPACT:
			return cpu_compact_work(request);
		case ENGINE_RUNS:
			return cpu_runs_work(request);
		case ENGINE_COPY:
			return cpu_copy_work(request);
		case ENGINE_UTF8_DECODE:
		case ENGINE_UTF8_REPAIR:
		case ENGINE_UTF8_ERRORS:
		case ENGINE_UTF8_VALIDATE:
		case ENGINE_UTF8_ENCODE:
			return cpu_utf8_work(request);
		case ENGINE_SORT:
		case ENGINE_DISTINCT:
			break;
	}
	return NULL;
}

static EngineStatus
cpu_begin(const EngineRequest *request, EngineJob **job)
{
	EngineJob  *this = &the_job;
	int64_t		piece_count = reads_utf8(request->operation) ?
		CPU_UTF8_PIECE : CPU_PIECE;
	int			helpers = request->count >= CPU_TEAM_PIECES * piece_count ||
		request->algorithm == ALGORITHM_PARALLEL ? request->threads - 1 : 0;

	this->request = *request;
	this->piece_count = piece_count;
	this->pushed = 0;
	this->turn = 0;
	memset(this->before, 0, sizeof(this->before));
	this->chain = (CpuChain) {0};
	this->overflow = OVERFLOW_NONE;
	this->piece_work = work_on_pieces(request);
	this->team.helpers = 0;
	if (sorts(this) && !cpu_sort_begin(this))
		return cpu_out_of_memory();
	if (!sorts(this) && this->piece_work == NULL)
	{
		failure = "The CPU engine does not know this operation.";
		return ENGINE_NOT_SUPPORTED;
	}
	if (helpers > 0)
		team_start(&this->team, helpers);
	this->npieces = this->team.helpers > 0 ? this->team.helpers + 3 : 1;
	*job = this;
	return ENGINE_OK;
}

static EngineStatus
cpu_buffer(EngineJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	CpuPiece   *piece = &job->pieces[job->turn % job->npieces];
	char	   *buffer;

	if (sorts(job))
	{
		cpu_sort_buffer(job, buffers, capacity);
		return ENGINE_OK;
	}

	while (__atomic_load_n(&piece->pending, __ATOMIC_ACQUIRE) != 0)
		team_wait(&job->team, &piece->pending);
	buffer = cpu_piece_buffer(piece);
	if (buffer == NULL)
		return cpu_out_of_memory();
	if (reads_utf8(job->request.operation))
		buffer += CPU_UTF8_FRONT;
	buffers[0] = buffer;
	buffers[1] = buffer + job->piece_count * kind_size(job->request.kind);
	*capacity = job->piece_count;
	return ENGINE_OK;
}

static EngineStatus
cpu_push(EngineJob *job, const void *const data[ENGINE_INPUTS], int64_t count)
{
	int			number = job->turn % job->npieces;
	CpuPiece   *piece = &job->pieces[number];

	if (sorts(job))
	{
		cpu_sort_push(job, data, count);
		return ENGINE_OK;
	}
	memcpy(piece->data, data, sizeof(piece->data));
	piece->count = count;
	piece->first = job->pushed;
	piece->turn = job->turn++;
	piece->pending = 1;
	if (reads_utf8(job->request.operation))
		cpu_utf8_push(job, piece);
	job->pushed += count;
	team_add(&job->team, job->piece_work, job, number);
	return ENGINE_OK;
}

static EngineStatus
cpu_finish(EngineJob *job, EngineResult *result)
{
	if (sorts(job))
	{
		EngineStatus status = cpu_sort_finish(job, result);

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
	result->count = job->chain.count;
	result->overflow = (EngineOverflow) job->overflow;
	result->errors = job->chain.errors;
	result->first_error = job->chain.first_error;
	return ENGINE_OK;
}

static void
cpu_end(EngineJob *job)
{
	__atomic_store_n(&job->sort.cancelled, true, __ATOMIC_RELAXED);
	team_stop(&job->team);
	for (int i = 0; i < job->npieces; i++)
		job->pieces[i].pending = 0;
	if (sorts(job))
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

/* Between two jobs there is no thread. */
static bool
cpu_idle(void)
{
	return true;
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
	.idle = cpu_idle,
};
