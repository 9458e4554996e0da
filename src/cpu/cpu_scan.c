/*
 * cpu_scan.c
 *	  Running sums of a piece.
 */
#include "cpu_engine.h"

/* The sum of a piece, in any order: there is no overflow. */
static int64_t
sum_piece(const int32_t *data, int64_t count)
{
	int64_t		sum = 0;

	for (int64_t i = 0; i < count; i++)
		sum += data[i];
	return sum;
}

/*
 * Two sweeps over the piece, the second of which finds it in the cache: its
 * sum, with which the next piece can go on, and then its running sums.
 */
static void
scan_piece(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const int32_t *data = piece->data[0];
	int64_t    *out = (int64_t *) job->request.result + piece->first;
	int64_t		sum = sum_piece(data, piece->count);
	CpuChain   *chain = cpu_chain_wait(job, piece);
	int64_t		running = chain->value.int8;

	chain->value.int8 += sum;
	chain->count += piece->count;
	cpu_chain_pass(job);
	for (int64_t i = 0; i < piece->count; i++)
	{
		running += data[i];
		out[i] = running;
	}
	cpu_piece_done(piece);
}

TeamWork
cpu_scan_work(const EngineRequest *request)
{
	return scan_piece;
}

TeamWork
cpu_delta_work(const EngineRequest *request)
{
	return NULL;
}
