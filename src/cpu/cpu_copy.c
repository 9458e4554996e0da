/*
 * cpu_copy.c
 *	  A copy, which other operations' times are measured by.
 */
#include <string.h>

#include "cpu_engine.h"

static void
copy_piece(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	int			size = kind_size(job->request.kind);

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	memcpy((char *) job->request.result + piece->first * size, piece->data[0],
		   piece->count * size);
	cpu_piece_done(piece);
}

TeamWork
cpu_copy_work(const EngineRequest *request)
{
	return copy_piece;
}
