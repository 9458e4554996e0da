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

/* The scan of a tile, as work for tiles_kernel. */
template <typename In, typename Out, int ROWS>
struct ScanWork
{
	typedef In	Item;
	static const int tile = TILE_WARPS * ROWS * Row<Out>::size;

	Out		   *out;
	long long  *end;			/* where the sum over all goes, or NULL */

	__device__ void sum(const In *items, long long first, int count,
						long long *warps) const;
	__device__ void arrange(In *items, long long first, int count,
							const long long *warps) const {}
	__device__ void write(const In *items, long long first, int count,
						  long long before, const long long *warps,
						  bool last) const;
};

template <typename In, typename Out, int ROWS>
__device__ void
ScanWork<In, Out, ROWS>::sum(const In *items, long long first, int count,
							 long long *warps) const
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	const Items<In, Out> *part =
		(const Items<In, Out> *) (items + warp * ROWS * Row<Out>::size) + lane;
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
__device__ void
ScanWork<In, Out, ROWS>::write(const In *items, long long first, int count,
							   long long before, const long long *warps,
							   bool last) const
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	int			at = warp * ROWS * Row<Out>::size + lane * Row<Out>::items;
	Out		   *to = out + first;
	Out			running;

	for (int i = 0; i < warp; i++)
		before += warps[i];
	running = (Out) before;
	for (int row = 0; row < ROWS; row++, at += Row<Out>::size)
	{
		Items<In, Out> own = *(const Items<In, Out> *) (items + at);
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
			next += own.items[i];
			sums[i] = next;
		}
		running += __shfl_sync(ALL_LANES, inclusive, WARP - 1);

		if (at + Row<Out>::items <= count)
			*(int4 *) (to + at) = *(int4 *) sums;
		else
		{
			for (int i = 0; i < Row<Out>::items; i++)
			{
				if (at + i < count)
					to[at + i] = sums[i];
			}
		}
	}

	/* The last warp of the last tile has all but its own sum. */
	if (end && last && threadIdx.x == TILE_THREADS - 1)
		*end = before + warps[warp];
}

template <int ROWS, typename In, typename Out>
static EngineStatus
launch_scan(cudaStream_t stream, LookAhead *ahead, const In *in, Out *out,
			int64_t count, const long long *start, long long *end)
{
	ScanWork<In, Out, ROWS * 4 / Row<Out>::items> work = {out, end};

	return launch_tiles(stream, ahead, work, in, count, start);
}

template <typename In, typename Out>
static EngineStatus
scan_array(cudaStream_t stream, LookAhead *ahead, const In *in, Out *out,
		   int64_t count, const long long *start, long long *end)
{
	if (count <= SMALL_COUNT || ahead->small_only)
		return launch_scan<SMALL_ROWS>(stream, ahead, in, out, count, start,
									   end);
	return launch_scan<LARGE_ROWS>(stream, ahead, in, out, count, start, end);
}

EngineStatus
scan_int4_to_int8(cudaStream_t stream, LookAhead *ahead, const int *in,
				  long long *out, int64_t count, const long long *start,
				  long long *end)
{
	return scan_array(stream, ahead, in, out, count, start, end);
}

EngineStatus
scan_int4_to_int4(cudaStream_t stream, LookAhead *ahead, const int *in,
				  int *out, int64_t count)
{
	return scan_array(stream, ahead, in, out, count, (const long long *) NULL,
					  (long long *) NULL);
}

static EngineStatus
scan_begin(EngineJob *job)
{
	TRY_CUDA(cudaMemsetAsync(job->session->carry, 0, 2 * sizeof(long long),
							 job->session->compute));
	return ENGINE_OK;
}

/* Queues the scan of a piece, which goes on where the one before ended. */
static EngineStatus
scan_piece(EngineJob *job, Slot *slot, int64_t count)
{
	Session    *session = job->session;
	int			turn = job->pieces % 2;

	slot->bytes_out = count * sizeof(int64_t);
	return scan_int4_to_int8(session->compute, &session->ahead,
							 (const int *) slot->device_in,
							 (long long *) slot->device_out, count,
							 &session->carry[turn], &session->carry[1 - turn]);
}

const DeviceOperation device_scan = {
	false, NULL, scan_begin, scan_piece, NULL, NULL
};

static EngineStatus
none_yet(const EngineJob *job, size_t *sizes)
{
	return not_supported("");
}

const DeviceOperation device_reduce = {false, none_yet};
const DeviceOperation device_delta = {false, none_yet};
const DeviceOperation device_distinct = {false, none_yet};
