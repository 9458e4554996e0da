/*
 * cpu_copy.c
 *	  A copy, which is also the baseline of the benchmarks.
 */
#include <string.h>

#include "cpu/cpu_engine.h"

static void
copy_piece(void *argument, int number)
{
	CpuJob	   *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	int			size = input_size(job->request, 0);

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	memcpy((char *) job->request->outputs[0].memory + piece->first * size,
		   piece->data[0], piece->count * size);
	cpu_piece_done(piece);
}

static TeamWork
copy_work(const EngineRequest *request)
{
	return copy_piece;
}

const CpuOperation cpu_copy = {CPU_BY_PIECES, .piece_work = copy_work};
