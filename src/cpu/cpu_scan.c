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
void
cpu_scan_piece(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const EngineRequest *request = &job->request;
	const int32_t *data = piece->data;
	int64_t    *out = (int64_t *) request->result + piece->first;
	int64_t		running = cpu_chain_pass(&job->chain, piece->turn,
										 sum_piece(data, piece->count));

	if (request->exclusive)
	{
		for (int64_t i = 0; i < piece->count; i++)
		{
			out[i] = running;
			running += data[i];
		}
	}
	else
	{
		for (int64_t i = 0; i < piece->count; i++)
		{
			running += data[i];
			out[i] = running;
		}
	}
	__atomic_store_n(&piece->pending, 0, __ATOMIC_RELEASE);
}
