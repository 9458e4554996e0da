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

template <int ROWS>
struct CompactMemory
{
	static const int tile = TILE_WARPS * ROWS * ROW;

	__align__(128) Stages<int, tile> stages;
	int			warps[2][TILE_WARPS];	/* survivors, this round and the next */
	RoundSums	round;
};

/* Counts the survivors in a tile: each warp in its part. */
template <int ROWS>
__device__ static inline void
count_survivors(const int *tile, int *warps)
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	const int4 *part = (const int4 *) (tile + warp * ROWS * ROW) + lane;
	int			count = 0;

	for (int row = 0; row < ROWS; row++)
	{
		int4		items = part[row * WARP];

		count += (items.x != 0) + (items.y != 0) + (items.z != 0) +
			(items.w != 0);
	}
	count = warp_sum(count);
	if (lane == 0)
		warps[warp] = count;
}

/*
 * Moves a tile's survivors to its front, in order; this warp's go after
 * "before" others.
 */
template <int ROWS>
__device__ static inline void
gather_survivors(int *tile, int before)
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	unsigned	lanes_before = (1u << lane) - 1;
	const int4 *part = (const int4 *) (tile + warp * ROWS * ROW) + lane;
	int			items[ROWS][ROW_ITEMS];

	for (int row = 0; row < ROWS; row++)
		*(int4 *) items[row] = part[row * WARP];
	__syncthreads();
	for (int row = 0; row < ROWS; row++)
	{
		int			rank = before;

		for (int i = 0; i < ROW_ITEMS; i++)
		{
			unsigned	survive = __ballot_sync(ALL_LANES, items[row][i] != 0);

			rank += __popc(survive & lanes_before);
			before += __popc(survive);
		}
		for (int i = 0; i < ROW_ITEMS; i++)
		{
			if (items[row][i] != 0)
				tile[rank++] = items[row][i];
		}
	}
	__syncthreads();
}

/*
 * Puts the items that are not zero side by side into "out", and how many they
 * are into *survivors.  Items past the end of the array are loaded as zeros.
 */
template <int ROWS>
__global__ void __launch_bounds__(TILE_THREADS, 2)
compact_kernel(const int *in, int *out, long long count, TileWord *words,
			   unsigned epoch, long long *survivors)
{
	typedef CompactMemory<ROWS> Memory;
	extern __shared__ __align__(128) char shared[];
	Memory	   *memory = (Memory *) shared;
	const int	tile_size = Memory::tile;
	int			blocks = gridDim.x;
	int			tiles = (int) ((count + tile_size - 1) / tile_size);
	int			rounds = (tiles - (int) blockIdx.x + blocks - 1) / blocks;
	int			warp = threadIdx.x / WARP;
	long long	round_start = 0;

	init_stages(&memory->stages);
	for (int ahead = 0; ahead < STAGES && ahead < rounds; ahead++)
	{
		long long	first = (long long) (ahead * blocks + blockIdx.x) * tile_size;

		start_loading(&memory->stages, ahead, in + first,
					  (int) min((long long) tile_size, count - first));
	}

	/* In round -1, only the first tile's count is published. */
	for (int round = -1; round < rounds; round++)
	{
		int			next = round + 1;
		long long	before;
		long long	total;

		if (next < rounds)
		{
			int			tile = next * blocks + blockIdx.x;
			long long	first = (long long) tile * tile_size;

			finish_loading(&memory->stages, next % STAGES, next / STAGES,
						   in + first,
						   (int) min((long long) tile_size, count - first));
			count_survivors<ROWS>(memory->stages.items[next % STAGES],
								  memory->warps[next & 1]);
			__syncthreads();
			if (warp == 0)
			{
				int			found = threadIdx.x < TILE_WARPS ?
					memory->warps[next & 1][threadIdx.x] : 0;

				found = warp_sum(found);
				if (threadIdx.x == 0)
					publish_sum(&words[tile], found, epoch);
			}
		}
		if (round < 0)
			continue;

		int			tile = round * blocks + blockIdx.x;
		bool		last_round = (round + 1) * blocks >= tiles;
		int		   *items = memory->stages.items[round % STAGES];
		int			warp_before = 0;
		int			found = 0;

		for (int i = 0; i < TILE_WARPS; i++)
		{
			if (i == warp)
				warp_before = found;
			found += memory->warps[round & 1][i];
		}
		gather_survivors<ROWS>(items, warp_before);
		add_up_round(&memory->round, words + round * blocks,
					 min(blocks, tiles - round * blocks), !last_round, epoch,
					 &before, &total);
		before += round_start;
		round_start += total;
		for (int i = threadIdx.x; i < found; i += TILE_THREADS)
			out[before + i] = items[i];
		if (tile == tiles - 1 && threadIdx.x == 0)
			*survivors = before + found;

		/* The stage is free again. */
		__syncthreads();
		if (round + STAGES < rounds)
		{
			long long	ahead = (long long) (tile + STAGES * blocks) * tile_size;

			start_loading(&memory->stages, round % STAGES, in + ahead,
						  (int) min((long long) tile_size, count - ahead));
		}
	}
}

template <int ROWS>
static EngineStatus
launch_compact(cudaStream_t stream, LookAhead *ahead, const int *in, int *out,
			   int64_t count, long long *survivors)
{
	typedef CompactMemory<ROWS> Memory;
	static int	resident = 0;
	int64_t		tiles = (count + Memory::tile - 1) / Memory::tile;
	long long	items = count;
	void	   *arguments[] = {
		&in, &out, &items, &ahead->words, &ahead->epoch, &survivors
	};

	return lookahead_launch(stream, ahead,
							(const void *) compact_kernel<ROWS>,
							sizeof(Memory), tiles, arguments, &resident);
}

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
EngineStatus
compact_piece(EngineJob *job, Slot *slot, int64_t count)
{
	Session    *session = job->session;

	TRY(compact_int4(session->compute, &session->ahead,
					 (const int *) slot->device_in, (int *) slot->device_out,
					 count, slot->count));
	return ENGINE_OK;
}
