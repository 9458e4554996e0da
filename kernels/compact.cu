/*
 * compact.cu
 *	  Compaction, in one pass: map to 0 and 1, scan, scatter.
 */
#include "device.h"
#include "kernels.h"
#include "lookahead.h"

/*
 * A warp goes through its part of a tile row by row; in a row, each thread has
 * four items side by side.
 */
#define ROW_ITEMS		4
#define ROW				(WARP * ROW_ITEMS)

/*
 * The compaction of a tile, as work for tiles_kernel: what it adds up is the
 * number of survivors.  Items past the end of the array are loaded as zeros.
 */
template <int ROWS>
struct CompactWork
{
	typedef int Item;
	static const int tile = TILE_WARPS * ROWS * ROW;

	int		   *out;
	long long  *survivors;

	__device__ void sum(const int *items, long long *warps) const;
	__device__ void arrange(int *items, const long long *warps) const;
	__device__ void write(const int *items, long long first, int count,
						  long long before, const long long *warps,
						  bool last) const;
};

/* Counts the survivors: each warp in its part. */
template <int ROWS>
__device__ void
CompactWork<ROWS>::sum(const int *items, long long *warps) const
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	const int4 *part = (const int4 *) (items + warp * ROWS * ROW) + lane;
	int			count = 0;

	for (int row = 0; row < ROWS; row++)
	{
		int4		own = part[row * WARP];

		count += (own.x != 0) + (own.y != 0) + (own.z != 0) + (own.w != 0);
	}
	count = warp_sum(count);
	if (lane == 0)
		warps[warp] = count;
}

/* Moves the survivors to the front of the tile, in order. */
template <int ROWS>
__device__ void
CompactWork<ROWS>::arrange(int *items, const long long *warps) const
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	unsigned	lanes_before = (1u << lane) - 1;
	const int4 *part = (const int4 *) (items + warp * ROWS * ROW) + lane;
	int			own[ROWS][ROW_ITEMS];
	int			before = 0;

	for (int row = 0; row < ROWS; row++)
		*(int4 *) own[row] = part[row * WARP];
	for (int i = 0; i < warp; i++)
		before += (int) warps[i];
	__syncthreads();
	for (int row = 0; row < ROWS; row++)
	{
		int			rank = before;

		for (int i = 0; i < ROW_ITEMS; i++)
		{
			unsigned	survive = __ballot_sync(ALL_LANES, own[row][i] != 0);

			rank += __popc(survive & lanes_before);
			before += __popc(survive);
		}
		for (int i = 0; i < ROW_ITEMS; i++)
		{
			if (own[row][i] != 0)
				items[rank++] = own[row][i];
		}
	}
	__syncthreads();
}

template <int ROWS>
__device__ void
CompactWork<ROWS>::write(const int *items, long long first, int count,
						 long long before, const long long *warps,
						 bool last) const
{
	int			found = 0;

	for (int i = 0; i < TILE_WARPS; i++)
		found += (int) warps[i];
	for (int i = threadIdx.x; i < found; i += TILE_THREADS)
		out[before + i] = items[i];
	if (last && threadIdx.x == 0)
		*survivors = before + found;
}

template <int ROWS>
static EngineStatus
launch_compact(cudaStream_t stream, LookAhead *ahead, const int *in, int *out,
			   int64_t count, long long *survivors)
{
	CompactWork<ROWS> work = {out, survivors};

	return launch_tiles(stream, ahead, work, in, count,
						(const long long *) NULL);
}

/* The items that are not zero, side by side; how many goes to *survivors. */
EngineStatus
compact_int4(cudaStream_t stream, LookAhead *ahead, const int *in, int *out,
			 int64_t count, long long *survivors)
{
	if (count <= SMALL_COUNT || ahead->small_only)
		return launch_compact<SMALL_ROWS>(stream, ahead, in, out, count,
										  survivors);
	return launch_compact<LARGE_ROWS>(stream, ahead, in, out, count,
									  survivors);
}

/* Queues the compaction of a piece. */
static EngineStatus
compact_piece(EngineJob *job, Slot *slot, int64_t count)
{
	Session    *session = job->session;

	slot->counted = true;
	return compact_int4(session->compute, &session->ahead,
						(const int *) slot->device_in,
						(int *) slot->device_out, count, slot->count);
}

const DeviceOperation device_compact = {
	false, NULL, NULL, compact_piece, NULL, NULL
};
