/*
 * cpu_window_stage.c
 *	  Windows: as a stage, for frames that are narrower than a tile.
 *
 * A piece gets the elements that its frames need from the pieces before it.
 * Frames that end behind the piece are left to the next one.  After the stage,
 * each piece but the last has a multiple of PIECE_MULTIPLE elements again; the
 * first piece has as many as later stages need for that.
 *
 * Blocks have fixed places in the array.  So the elements that a piece gets
 * begin with a tile.
 */
#include <string.h>

#include "cpu/cpu_window.h"

/* The most elements behind a piece, and those kept for the next piece. */
#define STAGE_BEHIND		(PIECE_MULTIPLE + WINDOW_TILE)
#define STAGE_KEPT			(STAGE_BEHIND + WINDOW_TILE)

_Static_assert(STAGE_KEPT <= CPU_STAGE_KEPT, "a stage keeps what frames need");
_Static_assert((CPU_STAGED_PIECE + CPU_STAGE_KEPT + STAGE_KEPT) *
			   sizeof(int64_t) <= CPU_PIECE_BYTES / 2,
			   "the first piece and what is kept have room");

/*
 * Elements whose frames end within the first "count" elements.  Later stages
 * have no results for the first "absent" of them.
 */
static int64_t
complete_frames(const WindowParameters *parameters, int64_t absent,
				int64_t count)
{
	int64_t		complete = count - parameters->following - absent;

	return complete < 0 ? 0 :
		complete / PIECE_MULTIPLE * PIECE_MULTIPLE + absent;
}

/* The first element that the frame of an element, and those behind it, need. */
static int64_t
first_needed(const WindowParameters *parameters, int64_t i)
{
	return i < parameters->preceding ? 0 :
		(i - parameters->preceding) / WINDOW_TILE * WINDOW_TILE;
}

/*
 * The elements of a piece, and those kept for it, lie in the half of the buffer
 * behind the results.
 */
int64_t
cpu_window_stage(CpuJob *job, CpuPiece *piece, const EngineStage *stage,
				 CpuStageChain *chain, void *out)
{
	const WindowParameters *parameters = PARAMETERS(stage, WindowParameters);
	int			size = kind_size(stage->from);
	char	   *elements = (char *) out + CPU_PIECE_BYTES / 2;
	int64_t		from;			/* the results */
	int64_t		to;
	int64_t		first;			/* of the elements */
	int64_t		count;
	int64_t		keep;			/* the first element for the next piece */
	CpuWindow	window;

	cpu_wait_turn(job, &chain->turn, piece);
	from = complete_frames(parameters, chain->absent, chain->count);
	first = first_needed(parameters, from);
	count = chain->count - first;
	memcpy(elements, chain->kept, count * size);
	memcpy(elements + count * size, piece->data[0], piece->count * size);
	count += piece->count;
	chain->count += piece->count;
	to = complete_frames(parameters, chain->absent, chain->count);
	keep = first_needed(parameters, to);
	memcpy(chain->kept, elements + (keep - first) * size,
		   (chain->count - keep) * size);
	if (piece->is_last)
		to = chain->count;
	cpu_pass_turn(job, &chain->turn);

	window = cpu_window_over(parameters, stage->from, stage->kind, count);
	window.elements = elements;
	if (cpu_window_chunk(&window, from - first, to - first, out))
		cpu_stage_failed(job);
	piece->first = from;
	return to - from;
}

/*
 * The last piece has more elements behind the stage, which there is room for
 * once.
 */
bool
cpu_window_can_be_stage(const EngineRequest *request)
{
	const WindowParameters *parameters = PARAMETERS(request, WindowParameters);

	for (int i = 0; i < request->nstages; i++)
	{
		if (request->stages[i].operation == ENGINE_WINDOW)
			return false;
	}
	return parameters->preceding + parameters->following + 1 < WINDOW_TILE;
}
