/*
 * cpu_pack.c
 *	  Packed arrays, piece by piece.
 *
 * A piece has whole blocks.  How many bytes these take is known once they are
 * packed: so a piece packs its blocks next to its data, waits until the pieces
 * before it know where they end, and copies the bytes behind them.
 */
#include <string.h>

#include "cpu/cpu_engine.h"
#include "packed/packed.h"

_Static_assert(PIECE_MULTIPLE % PACKED_BLOCK == 0, "pieces have whole blocks");
_Static_assert((CPU_PIECE / PACKED_BLOCK + 1) * PACKED_MOST_BLOCK <=
			   CPU_PIECE_BYTES, "the blocks of a piece have room next to it");

/* The bytes are put into the stages' second buffer. */
static void
pack_piece(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	PackedBlock *blocks = (PackedBlock *) request->summary +
		piece->first / PACKED_BLOCK;
	char	   *bytes = (char *) piece->stage_buffer +
		request->nstages % 2 * CPU_PIECE_BYTES;
	int64_t		length;
	CpuChain   *chain;
	char	   *to;

	memset(blocks, 0, packed_blocks(piece->count) * sizeof(PackedBlock));
	length = packed_pack(request->kinds[0], piece->data[0], piece->count, bytes,
						 blocks);
	chain = cpu_chain_wait(job, piece);
	to = (char *) request->outputs[0].memory + chain->count;
	chain->count += length;
	cpu_chain_pass(job);
	memcpy(to, bytes, length);
}

const CpuOperation cpu_pack = {
	CPU_BY_PIECES, .piece = pack_piece, .stage_buffer = true
};
