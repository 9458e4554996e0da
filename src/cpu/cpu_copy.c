/*
 * cpu_copy.c
 *	  A copy, which is also the baseline of the benchmarks.
 */
#include <string.h>

#include "cpu/cpu_engine.h"

static void
copy_piece(CpuJob *job, CpuPiece *piece)
{
	memcpy(cpu_piece_results(job, piece), piece->data[0],
		   piece->count * input_size(job->request, 0));
}

const CpuOperation cpu_copy = {CPU_BY_PIECES, .piece = copy_piece};
