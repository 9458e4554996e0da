/*
 * compact.cu
 *	  Compaction, in one pass: map to 0 and 1, scan, scatter.
 */
#include "device.h"
#include "tile.h"

/*
 * Puts the items that are not zero side by side into "out", and how many they
 * are into *survivors.  A tile's survivors gather in shared memory, in order,
 * so that they are written side by side, too.
 */
__global__ void __launch_bounds__(TILE_THREADS)
compact_tiles(const int *in, int *out, long long count, TileWord *words,
			  long long *survivors)
{
	__shared__ int gathered[TILE];
	long long	tile = take_tile(words);
	long long	first = tile * TILE + threadIdx.x * TILE_ITEMS;
	__align__(16) int items[TILE_ITEMS];
	int			found = 0;
	int			tile_found;
	int			rank;
	long long	before;

	load_items(in, first, count, items);
	for (int i = 0; i < TILE_ITEMS; i++)
		found += items[i] != 0;
	rank = block_exclusive_scan(found, &tile_found);
	for (int i = 0; i < TILE_ITEMS; i++)
	{
		if (items[i] != 0)
			gathered[rank++] = items[i];
	}
	before = tile_prefix(words, tile, tile_found, 0);
	for (int i = threadIdx.x; i < tile_found; i += TILE_THREADS)
		out[before + i] = gathered[i];
	if (tile == gridDim.x - 1 && threadIdx.x == 0)
		*survivors = before + tile_found;
}

/* Queues the compaction of a piece. */
EngineStatus
compact_piece(EngineJob *job, Slot *slot, int64_t count)
{
	cudaStream_t stream = job->session->compute;
	unsigned	tiles = (unsigned) ((count + TILE - 1) / TILE);

	TRY_CUDA(cudaEventRecord(slot->kernel.begin, stream));
	TRY_CUDA(cudaMemsetAsync(slot->tiles, 0, tile_words(count) *
							 sizeof(TileWord), stream));
	compact_tiles<<<tiles, TILE_THREADS, 0, stream>>>
		((const int *) slot->device_in, (int *) slot->device_out, count,
		 slot->tiles, slot->count);
	TRY_CUDA(cudaGetLastError());
	TRY_CUDA(cudaEventRecord(slot->kernel.end, stream));
	slot->state = SLOT_COMPUTING;
	return ENGINE_OK;
}
