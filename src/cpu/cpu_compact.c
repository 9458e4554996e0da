/*
 * cpu_compact.c
 *	  The elements of a piece that are not zero.
 */
#include "cpu_engine.h"

static int64_t
count_nonzero(const int32_t *data, int64_t count)
{
	int64_t		survivors = 0;

	for (int64_t i = 0; i < count; i++)
		survivors += data[i] != 0;
	return survivors;
}

/*
 * Two sweeps over the piece, the second of which finds it in the cache: the
 * count of the survivors, with which the next piece can go on, and then each
 * to its place.  Whether an element survives is not branched on, as no one
 * could predict it.  An element that does not is written all the same, where
 * the next survivor will be; when the last is written the sweep ends, so that
 * nothing is ever written where another piece's survivors belong.
 */
void
cpu_compact_piece(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const int32_t *data = piece->data;
	int64_t		survivors = count_nonzero(data, piece->count);
	int64_t		first = cpu_chain_pass(&job->chain, piece->turn, survivors);
	int32_t    *out = (int32_t *) job->request.result + first;

	for (int64_t done = 0; done < survivors; data++)
	{
		out[done] = *data;
		done += *data != 0;
	}
	__atomic_store_n(&piece->pending, 0, __ATOMIC_RELEASE);
}
