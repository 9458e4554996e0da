/*
 * cpu_pieces.c
 *	  Operations that take the array piece by piece.
 *
 * A task works on a piece while that is in the cache, and writes each result
 * once.  In a large job, helpers run the tasks while the caller reads the next
 * piece.  In a small job, the caller runs each task itself.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_engine.h"

/* Returns a piece's buffer, or NULL if there is not enough memory. */
void *
cpu_piece_buffer(CpuPiece *piece)
{
	if (piece->buffer == NULL)
		piece->buffer = malloc(CPU_PIECE_BYTES);
	return piece->buffer;
}

/* The piece's data and buffer are no longer needed. */
void
cpu_piece_done(CpuPiece *piece)
{
	__atomic_store_n(&piece->pending, 0, __ATOMIC_RELEASE);
}

/* Notes that a result overflows.  OVERFLOW_UP takes precedence. */
void
cpu_note_overflow(CpuJob *job, EngineOverflow overflow)
{
	int			none = OVERFLOW_NONE;

	if (overflow == OVERFLOW_UP)
		__atomic_store_n(&job->overflow, overflow, __ATOMIC_RELAXED);
	else
		__atomic_compare_exchange_n(&job->overflow, &none, overflow, false,
									__ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* How many elements a piece's buffer has room for, of all inputs. */
int64_t
cpu_piece_count(const CpuJob *job)
{
	const EngineRequest *request = job->request;
	int64_t		most = job->operation->piece_count > 0 ?
		job->operation->piece_count : CPU_PIECE;
	int64_t		bytes = request->paged ? CPU_PAGED_BYTES : CPU_PIECE_BYTES;
	int			size = inputs_size(request);

	if (request->nstages > 0)
	{
		int			pushed = kind_size(job->pushed_kind);

		size = pushed > size ? pushed : size;
		bytes = CPU_STAGED_BYTES;
		most = most < CPU_STAGED_PIECE ? most : CPU_STAGED_PIECE;
	}

	/* Small calls are so short that a division counts. */
	return most * size <= bytes ? most :
		bytes / size / PIECE_MULTIPLE * PIECE_MULTIPLE;
}

bool
cpu_pieces_begin(CpuJob *job)
{
	job->piece_work = cpu_piece_work(job->operation, job->request);
	job->piece_count = cpu_piece_count(job);
	memset(job->before, 0, sizeof(job->before));
	return true;
}

/* Pieces in use: without helpers, each is done before the next one arrives. */
static int
count_pieces(const CpuJob *job)
{
	return job->team.helpers > 0 ?
		job->team.helpers + CPU_PIECES - TEAM_MAX_HELPERS : 1;
}

/* The piece that is pushed next, once the last piece in its place is done. */
CpuPiece *
cpu_next_piece(CpuJob *job)
{
	CpuPiece   *piece = &job->pieces[job->place];

	while (__atomic_load_n(&piece->pending, __ATOMIC_ACQUIRE) != 0)
		team_wait(&job->team, &piece->pending);
	return piece;
}

/* Pushes the next piece, with "count" elements, for a task to work on. */
void
cpu_push_piece(CpuJob *job, int64_t count, TeamWork work)
{
	int			number = job->place;
	CpuPiece   *piece = &job->pieces[number];

	piece->count = count;
	piece->first = job->pushed;
	piece->turn = job->turn++;
	piece->pending = 1;
	job->pushed += count;
	piece->is_last = job->pushed == job->request->count;
	if (++job->place == count_pieces(job))
		job->place = 0;
	team_add(&job->team, work, job, number);
}

/* Stops the team, and forgets the pieces that it has not finished. */
void
cpu_drop_pieces(CpuJob *job)
{
	int			npieces = count_pieces(job);

	team_stop(&job->team);
	for (int i = 0; i < npieces; i++)
	{
		job->pieces[i].pending = 0;
		job->pieces[i].fills.count = 0;
	}
}

/* Gets the buffers of a piece.  Returns false if there is not enough memory. */
static bool
reserve_piece(const CpuJob *job, CpuPiece *piece)
{
	bool		stages = job->request->nstages > 0 ||
		job->operation->stage_buffer;

	return cpu_piece_buffer(piece) != NULL &&
		(!stages || cpu_stages_reserve(piece));
}

EngineStatus
cpu_pieces_buffer(CpuJob *job, void *buffers[ENGINE_INPUTS],
				  int64_t *capacity)
{
	CpuPiece   *piece = cpu_next_piece(job);
	char	   *buffer;

	if (!reserve_piece(job, piece))
		return cpu_out_of_memory(job);
	buffer = (char *) piece->buffer + job->operation->piece_front;
	buffers[0] = buffer;
	buffers[1] = buffer + job->piece_count * input_size(job->request, 0);
	buffers[2] = (char *) buffers[1] +
		job->piece_count * input_size(job->request, 1);

	/* Behind the stages, the first piece has what the others have. */
	*capacity = job->piece_count +
		(job->turn == 0 ? stages_absent(job->request) : 0);
	return ENGINE_OK;
}

static void
work_on_piece(void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];

	cpu_fills_copy(&piece->fills);
	if (job->request->nstages > 0)
		cpu_stages_run(job, piece);
	job->piece_work(job, piece);
	cpu_piece_done(piece);
}

void
cpu_pieces_push(CpuJob *job, const void *const data[ENGINE_INPUTS],
				int64_t count)
{
	CpuPiece   *piece = cpu_next_piece(job);

	memcpy(piece->data, data, sizeof(piece->data));
	if (job->operation->piece_pushed)
		job->operation->piece_pushed(job, piece, count);
	cpu_push_piece(job, count, work_on_piece);
}

static void
put_result(const CpuJob *job, EngineResult *result)
{
	result->count = job->chain.count;
	result->overflow = (EngineOverflow) job->overflow;
	result->errors = job->chain.errors;
	result->first_error = job->chain.first_error;
}

/* Waits for pieces.  Returns ENGINE_OK once all are done. */
EngineStatus
cpu_pieces_wait(CpuJob *job)
{
	for (int i = 0; i < count_pieces(job); i++)
	{
		if (__atomic_load_n(&job->pieces[i].pending, __ATOMIC_ACQUIRE) != 0)
		{
			team_wait(&job->team, &job->pieces[i].pending);
			return ENGINE_MORE;
		}
	}
	return ENGINE_OK;
}

EngineStatus
cpu_pieces_finish(CpuJob *job, EngineResult *result)
{
	TRY_STATUS(cpu_pieces_wait(job));
	put_result(job, result);
	return ENGINE_OK;
}

/* Works on all elements as one piece, which has no buffers to fill. */
EngineStatus
cpu_pieces_run(CpuJob *job, const void *const data[ENGINE_INPUTS],
			   EngineResult *result)
{
	PieceWork	work = cpu_piece_work(job->operation, job->request);
	CpuPiece   *piece = &job->pieces[0];

	if (work == NULL)
		return cpu_not_supported(job);
	if (!reserve_piece(job, piece))
		return cpu_out_of_memory(job);
	job->team.helpers = 0;
	job->chain = (CpuChain) {0};
	job->overflow = OVERFLOW_NONE;
	memcpy(piece->data, data, sizeof(piece->data));
	piece->count = job->request->count;
	piece->first = piece->turn = 0;
	memset(piece->before, 0, sizeof(piece->before));
	work(job, piece);
	put_result(job, result);
	return ENGINE_OK;
}
