/*
 * cpu_compact.c
 *	  The elements of a piece that are not zero.
 */
#include <string.h>

#include "cpu_engine.h"

/* Elements in a cache line. */
#define LINE			16

static inline int64_t
count_nonzero(const int32_t *data, int64_t count)
{
	int64_t		survivors = 0;

	for (int64_t i = 0; i < count; i++)
		survivors += data[i] != 0;
	return survivors;
}

/*
 * Moves the survivors of a line, "survivors" in number, to "out".  Whether an
 * element survives is not branched on, as no one could predict it: one that
 * does not is written all the same, where the next survivor will be.  With
 * the last survivor it ends, so that nothing is written past it, where
 * another piece's survivors belong.
 */
static inline void
move_survivors(int32_t *out, const int32_t *line, int64_t survivors)
{
	for (int64_t done = 0; done < survivors; line++)
	{
		out[done] = *line;
		done += *line != 0;
	}
}

/*
 * Two sweeps over the piece, the second of which finds it in the cache: the
 * count of the survivors, with which the next piece can go on, and then each
 * to its place.  The second goes by lines, as often all of a line survives, or
 * nothing.
 */
CPU_CLONES static void
compact_piece(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const int32_t *line = piece->data[0];
	const int32_t *end = line + piece->count;
	int64_t		found = count_nonzero(line, piece->count);
	CpuChain   *chain = cpu_chain_wait(job, piece);
	int32_t    *out = (int32_t *) job->request.result + chain->count;

	chain->count += found;
	cpu_chain_pass(job);
	for (; end - line >= LINE; line += LINE)
	{
		int64_t		survivors = count_nonzero(line, LINE);

		if (survivors == LINE)
			memcpy(out, line, LINE * sizeof(int32_t));
		else
			move_survivors(out, line, survivors);
		out += survivors;
	}
	move_survivors(out, line, count_nonzero(line, end - line));
	cpu_piece_done(piece);
}

TeamWork
cpu_compact_work(const EngineRequest *request)
{
	return compact_piece;
}

TeamWork
cpu_runs_work(const EngineRequest *request)
{
	return NULL;
}
