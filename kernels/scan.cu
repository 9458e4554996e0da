/*
 * scan.cu
 *	  Running sums, in one pass.
 */
#include "device.h"
#include "kernels.h"
#include "lookahead.h"

/*
 * A warp scans its part of a tile row by row.  In a row, each thread has so
 * many items side by side that their sums make up 16 bytes: the most that it
 * can write at once, and the row is then written without a gap.
 */
template <typename Out>
struct Row
{
	static const int items = 16 / sizeof(Out);	/* of a thread */
	static const int size = WARP * items;
};

/* A thread's items in a row, loaded at once. */
template <typename In, typename Out>
struct __align__(sizeof(In) * Row<Out>::items) Items
{
	In			items[Row<Out>::items];
};

/* Warps' sums over a tile; of this round and of the next. */
struct WarpSums
{
	long long	sums[2][TILE_WARPS];
};

template <typename In, typename Out, int ROWS>
struct ScanMemory
{
	static const int tile = TILE_WARPS * ROWS * Row<Out>::size;

	__align__(128) Stages<In, tile> stages;
	WarpSums	warps;
	RoundSums	round;
};

/* Sums up a tile: each warp its part. */
template <typename In, typename Out, int ROWS>
__device__ static inline void
sum_tile(const In *tile, long long *warps)
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	const Items<In, Out> *part =
		(const Items<In, Out> *) (tile + warp * ROWS * Row<Out>::size) + lane;
	long long	sum = 0;

	for (int row = 0; row < ROWS; row++)
	{
		Items<In, Out> own = part[row * WARP];

		for (int i = 0; i < Row<Out>::items; i++)
			sum += own.items[i];
	}
	sum = warp_sum(sum);
	if (lane == 0)
		warps[warp] = sum;
}

template <typename In, typename Out, int ROWS>
__device__ static inline void
scan_tile(const In *tile, Out *out, int count, bool exclusive, long long before)
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	int			at = warp * ROWS * Row<Out>::size + lane * Row<Out>::items;
	Out			running = (Out) before;

	for (int row = 0; row < ROWS; row++, at += Row<Out>::size)
	{
		Items<In, Out> own = *(const Items<In, Out> *) (tile + at);
		__align__(16) Out sums[Row<Out>::items];
		Out			sum = 0;
		Out			inclusive;
		Out			next;

		for (int i = 0; i < Row<Out>::items; i++)
			sum += own.items[i];
		inclusive = warp_inclusive_scan(sum);
		next = running + inclusive - sum;
		for (int i = 0; i < Row<Out>::items; i++)
		{
			sums[i] = exclusive ? next : next + (Out) own.items[i];
			next += own.items[i];
		}
		running += __shfl_sync(ALL_LANES, inclusive, WARP - 1);

		if (at + Row<Out>::items <= count)
			*(int4 *) (out + at) = *(int4 *) sums;
		else
		{
			for (int i = 0; i < Row<Out>::items; i++)
			{
				if (at + i < count)
					out[at + i] = sums[i];
			}
		}
	}
}

/*
 * Scans an array, starting at *start, or at zero if that is NULL; the sum over
 * all of it goes into *end, if that is not NULL.  All blocks must be on the
 * device at once, unless there is but one round.
 */
template <typename In, typename Out, int ROWS>
__global__ void __launch_bounds__(TILE_THREADS, 2)
scan_kernel(const In *in, Out *out, long long count, bool exclusive,
			TileWord *words, unsigned epoch, const long long *start,
			long long *end)
{
	typedef ScanMemory<In, Out, ROWS> Memory;
	extern __shared__ __align__(128) char shared[];
	Memory	   *memory = (Memory *) shared;
	const int	tile_size = Memory::tile;
	int			blocks = gridDim.x;
	int			tiles = (int) ((count + tile_size - 1) / tile_size);
	int			rounds = (tiles - (int) blockIdx.x + blocks - 1) / blocks;
	int			warp = threadIdx.x / WARP;
	long long	round_start = start ? *start : 0;

	init_stages(&memory->stages);
	for (int ahead = 0; ahead < STAGES && ahead < rounds; ahead++)
	{
		long long	first = (long long) (ahead * blocks + blockIdx.x) * tile_size;

		start_loading(&memory->stages, ahead, in + first,
					  (int) min((long long) tile_size, count - first));
	}

	/* In round -1, only the first tile's sum is published. */
	for (int round = -1; round < rounds; round++)
	{
		int			next = round + 1;
		long long	before;
		long long	total;

		if (next < rounds)
		{
			int			tile = next * blocks + blockIdx.x;
			long long	first = (long long) tile * tile_size;
			In		   *items = memory->stages.items[next % STAGES];

			finish_loading(&memory->stages, next % STAGES, next / STAGES,
						   in + first,
						   (int) min((long long) tile_size, count - first));
			sum_tile<In, Out, ROWS>(items, memory->warps.sums[next & 1]);
			__syncthreads();
			if (warp == 0)
			{
				long long	sum = threadIdx.x < TILE_WARPS ?
					memory->warps.sums[next & 1][threadIdx.x] : 0;

				sum = warp_sum(sum);
				if (threadIdx.x == 0)
					publish_sum(&words[tile], sum, epoch);
			}
		}
		if (round < 0)
			continue;

		int			tile = round * blocks + blockIdx.x;
		long long	first = (long long) tile * tile_size;
		bool		last_round = (round + 1) * blocks >= tiles;

		add_up_round(&memory->round, words + round * blocks,
					 min(blocks, tiles - round * blocks), !last_round, epoch,
					 &before, &total);
		before += round_start;
		round_start += total;
		for (int i = 0; i < warp; i++)
			before += memory->warps.sums[round & 1][i];
		scan_tile<In, Out, ROWS>(memory->stages.items[round % STAGES],
								 out + first,
								 (int) min((long long) tile_size, count - first),
								 exclusive, before);

		/* The last warp of the last tile has all but its own sum. */
		if (end && tile == tiles - 1 && threadIdx.x == TILE_THREADS - 1)
			*end = before + memory->warps.sums[round & 1][warp];

		/* The stage is free again. */
		__syncthreads();
		if (round + STAGES < rounds)
		{
			long long	ahead = first + (long long) STAGES * blocks * tile_size;

			start_loading(&memory->stages, round % STAGES, in + ahead,
						  (int) min((long long) tile_size, count - ahead));
		}
	}
}

template <typename In, typename Out, int ROWS>
static EngineStatus
launch_scan(cudaStream_t stream, LookAhead *ahead, const In *in, Out *out,
			int64_t count, bool exclusive, const long long *start,
			long long *end)
{
	typedef ScanMemory<In, Out, ROWS> Memory;
	static int	resident = 0;
	int64_t		tiles = (count + Memory::tile - 1) / Memory::tile;
	long long	items = count;
	void	   *arguments[] = {
		&in, &out, &items, &exclusive, &ahead->words, &ahead->epoch,
		&start, &end
	};

	TRY(lookahead_launch(stream, ahead,
						 (const void *) scan_kernel<In, Out, ROWS>,
						 sizeof(Memory), tiles, arguments, &resident));
	return ENGINE_OK;
}

template <typename In, typename Out>
static EngineStatus
scan_array(cudaStream_t stream, LookAhead *ahead, const In *in, Out *out,
		   int64_t count, bool exclusive, const long long *start,
		   long long *end)
{
	const int	rows = 4 / Row<Out>::items; /* that are as long as one */

	if (count <= SMALL_COUNT || ahead->small_only)
		return launch_scan<In, Out, SMALL_ROWS * rows>(stream, ahead, in, out,
													   count, exclusive, start,
													   end);
	return launch_scan<In, Out, LARGE_ROWS * rows>(stream, ahead, in, out,
												   count, exclusive, start,
												   end);
}

EngineStatus
scan_int4_to_int8(cudaStream_t stream, LookAhead *ahead, const int *in,
				  long long *out, int64_t count, bool exclusive,
				  const long long *start, long long *end)
{
	return scan_array(stream, ahead, in, out, count, exclusive, start, end);
}

EngineStatus
scan_int4_to_int4(cudaStream_t stream, LookAhead *ahead, const int *in,
				  int *out, int64_t count, bool exclusive)
{
	return scan_array(stream, ahead, in, out, count, exclusive,
					  (const long long *) NULL, (long long *) NULL);
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
	TRY(scan_int4_to_int8(session->compute, &session->ahead,
						  (const int *) slot->device_in,
						  (long long *) slot->device_out, count,
						  job->request.exclusive,
						  &session->carry[turn], &session->carry[1 - turn]));
	return ENGINE_OK;
}
