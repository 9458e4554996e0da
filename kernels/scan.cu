/*
 * scan.cu
 *	  Running sums, in one pass.
 */
#include "device.h"
#include "tile.h"

/*
 * Scans an array, starting at *start, and puts the sum over all of it into
 * *end.  "in" and "out" may be the same array.
 */
template <typename In, typename Out>
__global__ void __launch_bounds__(TILE_THREADS)
scan_tiles(const In *in, Out *out, long long count, bool exclusive,
		   TileWord *words, const long long *start, long long *end)
{
	long long	tile = take_tile(words);
	long long	first = tile * TILE + threadIdx.x * TILE_ITEMS;
	__align__(16) In items[TILE_ITEMS];
	__align__(16) Out sums[TILE_ITEMS];
	long long	sum = 0;
	long long	tile_sum;
	long long	before;

	load_items(in, first, count, items);
	for (int i = 0; i < TILE_ITEMS; i++)
		sum += items[i];
	before = block_exclusive_scan(sum, &tile_sum);
	before += tile_prefix(words, tile, tile_sum, *start);

	for (int i = 0; i < TILE_ITEMS; i++)
	{
		sums[i] = (Out) (exclusive ? before : before + items[i]);
		before += items[i];
	}
	if (first + TILE_ITEMS <= count)
	{
		for (int i = 0; i < (int) (sizeof(sums) / sizeof(int4)); i++)
			((int4 *) (out + first))[i] = ((int4 *) sums)[i];
	}
	else
	{
		for (int i = 0; i < TILE_ITEMS && first + i < count; i++)
			out[first + i] = sums[i];
	}

	/* The last thread of the last tile has all items before it. */
	if (tile == gridDim.x - 1 && threadIdx.x == TILE_THREADS - 1)
		*end = before;
}

size_t
scan_tiles_bytes(int64_t count)
{
	return tile_words(count) * sizeof(TileWord);
}

template <typename In, typename Out>
static EngineStatus
launch_scan(cudaStream_t stream, const In *in, Out *out, int64_t count,
			bool exclusive, TileWord *words, const long long *start,
			long long *end)
{
	unsigned	tiles = (unsigned) ((count + TILE - 1) / TILE);

	TRY_CUDA(cudaMemsetAsync(words, 0, scan_tiles_bytes(count), stream));
	scan_tiles<<<tiles, TILE_THREADS, 0, stream>>>(in, out, count, exclusive,
												   words, start, end);
	TRY_CUDA(cudaGetLastError());
	return ENGINE_OK;
}

EngineStatus
scan_begin(EngineJob *job)
{
	TRY_CUDA(cudaMemsetAsync(job->session->carry, 0, 2 * sizeof(long long),
							 job->session->compute));
	return ENGINE_OK;
}

/* Queues the scan of a piece, which goes on where the one before ended. */
EngineStatus
scan_piece(EngineJob *job, Slot *slot, int64_t count)
{
	Session    *session = job->session;
	int			turn = job->pieces % 2;

	slot->bytes_out = count * sizeof(int64_t);
	TRY_CUDA(cudaEventRecord(slot->kernel.begin, session->compute));
	TRY(launch_scan(session->compute, (const int *) slot->device_in,
					(long long *) slot->device_out, count,
					job->request.exclusive, slot->tiles,
					&session->carry[turn], &session->carry[1 - turn]));
	TRY_CUDA(cudaEventRecord(slot->kernel.end, session->compute));
	slot->state = SLOT_COMPUTING;
	return ENGINE_OK;
}

/* Queues the exclusive scan of a sort's counts, in place. */
EngineStatus
scan_counts(Session *session, int64_t count)
{
	unsigned   *counts = (unsigned *) session->buffers[BUFFER_COUNTS].memory;
	TileWord   *words = (TileWord *) session->buffers[BUFFER_TILES].memory;

	TRY_CUDA(cudaMemsetAsync(session->carry, 0, 2 * sizeof(long long),
							 session->compute));
	return launch_scan(session->compute, counts, counts, count, true, words,
					   &session->carry[0], &session->carry[1]);
}
