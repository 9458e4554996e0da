/*
 * cpu_runs.c
 *	  The first of each run of equal elements of a piece.
 *
 * A compaction, in which what differs from the element before survives.
 */
#include "cpu_compact.h"

/* A piece's first and last element: equal bits for what is equal. */
typedef struct RunEnds
{
	uint64_t	first;
	uint64_t	last;
} RunEnds;

typedef void (*FlagChanges) (const void *data, int64_t count, uint8_t *flags,
							 RunEnds *ends);

#define KIND_TEMPLATE "cpu_runs_flag.h"
#include "cpu_kinds.h"

static const FlagChanges flag_changes[ELEMENT_KINDS] =
KIND_TABLE(flag_changes);

/* Whether the first element starts a run is known by the chain alone. */
static void
runs_piece(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	const EngineRequest *request = &job->request;
	int			size = kind_size(request->kind);
	uint8_t    *flags = cpu_flags_buffer(job, piece);
	RunEnds		ends;
	int64_t		runs;
	int64_t		before;
	CpuChain   *chain;

	flag_changes[request->kind] (piece->data[0], piece->count, flags, &ends);
	runs = cpu_count_flags(flags + 1, piece->count - 1);

	chain = cpu_chain_wait(job, piece);
	flags[0] = piece->first == 0 || ends.first != chain->value.bits;
	runs += flags[0];
	before = chain->count;
	chain->count += runs;
	chain->value.bits = ends.last;
	cpu_chain_pass(job);

	cpu_move_elements((char *) request->result + before * size, piece,
					  request->kind, flags, runs);
	if (request->starts)
		cpu_move_positions(request->starts + before, piece, flags, runs);
	cpu_piece_done(piece);
}

TeamWork
cpu_runs_work(const EngineRequest *request)
{
	return runs_piece;
}
