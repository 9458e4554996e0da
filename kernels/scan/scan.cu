/*
 * scan.cu
 *	  Scans; and the single-pass scan of integers.
 *
 * Sums as wide as the elements may wrap, so they are unsigned.
 */
#include "kernels/common/kernels.h"
#include "kernels/common/tiles_kernel.h"
#include "kernels/common/vector.h"

/*
 * A warp scans its part of a tile row by row.  In a row, each thread has
 * adjacent items whose sums take VECTOR_BYTES, the widest store.  So a warp's
 * stores are coalesced.
 */
template <typename Out>
struct Row
{
	static const int items = VECTOR_BYTES / sizeof(Out);	/* of a thread */
	static const int size = WARP * items;
};

template <typename In, typename Out>
using Items = Vector<In, Row<Out>::items>;

template <typename In, typename Out>
struct ScanAgent : TileAgent<In>
{
	static const int row = Row<Out>::size;
	static const bool checked = sizeof(In) == sizeof(Out);

	Out		   *out;
	bool		goes_on;		/* behind out[-1] */
	int		   *overflow;		/* by EngineOverflow; only if "checked" */
	bool		reported;		/* this warp has set *overflow */

	__device__ void reduce(const TileView<In> &tile, long long *warps) const
	{
		int			warp = threadIdx.x / WARP;
		int			lane = threadIdx.x % WARP;
		const Items<In, Out> *part =
			(const Items<In, Out> *) (tile.items + warp * tile.rows * row) +
			lane;
		long long	sum = 0;

#pragma unroll 6
		for (int r = 0; r < tile.rows; r++)
		{
			Items<In, Out> own = part[r * WARP];

			for (int i = 0; i < Row<Out>::items; i++)
				sum += own.items[i];
		}
		sum = warp_sum(sum);
		if (lane == 0)
			warps[warp] = sum;
	}

	/*
	 * Reports overflows, which are in the sign bits.
	 *
	 * Only the step from the preceding result is checked, which may have
	 * wrapped.  But the first result of the array that is out of range is
	 * noticed, because all results before it are right; and if none is out of
	 * range, no step overflows.  The flag is in the host's memory, so it is
	 * written only once.
	 */
	__device__ void report(Out overflows)
	{
		if (checked && !reported &&
			__any_sync(ALL_LANES, overflows >> (8 * sizeof(Out) - 1) != 0))
		{
			reported = true;
			if (threadIdx.x % WARP == 0)
				overflow[OVERFLOW_UP] = 1;
		}
	}

	__device__ void write(const TileView<In> &tile, long long before,
						  const long long *warps)
	{
		int			warp = threadIdx.x / WARP;
		int			lane = threadIdx.x % WARP;
		int			at = warp * tile.rows * row + lane * Row<Out>::items;
		Out		   *to = out + tile.first;
		Out			running;
		Out			overflows = 0;

		running = (Out) (before + warps[warp]);
		if (goes_on)
			running += out[-1];
#pragma unroll 3
		for (int r = 0; r < tile.rows; r++, at += row)
		{
			Items<In, Out> own = *(const Items<In, Out> *) (tile.items + at);
			Vector<Out>	sums;
			Out			sum = 0;
			Out			inclusive;
			Out			next;

			for (int i = 0; i < Row<Out>::items; i++)
				sum += own.items[i];
			inclusive = warp_inclusive_scan(sum);
			next = running + inclusive - sum;
			for (int i = 0; i < Row<Out>::items; i++)
			{
				Out			previous = next;

				next += own.items[i];
				sums.items[i] = next;
				if (checked)
					overflows |= (previous ^ next) & (own.items[i] ^ next);
			}
			running += __shfl_sync(ALL_LANES, inclusive, WARP - 1);
			store_vector(to, at, sums, min(Row<Out>::items, tile.count - at));
		}
		report(overflows);
	}
};

template <typename In, typename Out>
static cudaError_t
scan_array(const DeviceWork *work, const void *in, void *out, int64_t count)
{
	ScanAgent<In, Out> agent = {
		{}, (Out *) out, work->first > 0, work->report->overflow
	};

	return launch_tiles(work, agent, (const In *) in, count);
}

cudaError_t
scan_add(const DeviceWork *work, ElementKind kind, ElementKind sum_kind,
		 const void *in, void *out, int64_t count)
{
	bool		wide = sum_kind != kind;

	switch (kind)
	{
		case KIND_INT2:
			return wide ? scan_array<int16_t, int64_t>(work, in, out, count) :
				scan_array<uint16_t, uint16_t>(work, in, out, count);
		case KIND_INT4:
			return wide ? scan_array<int32_t, int64_t>(work, in, out, count) :
				scan_array<uint32_t, uint32_t>(work, in, out, count);
		case KIND_INT8:
			return scan_array<uint64_t, uint64_t>(work, in, out, count);
		default:
			return cudaErrorInvalidValue;
	}
}

static bool
is_integer_sum(const EngineRequest *request)
{
	return PARAMETERS(request, ScanParameters)->op == SCAN_ADD &&
		!kind_is_float(request->kinds[0]);
}

static cudaError_t
scan_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	if (!is_integer_sum(request))
		sizes->scratch = reduce_then_scan_scratch_bytes(request->count);
	return cudaSuccess;
}

static cudaError_t
scan_run(const DeviceWork *work)
{
	const EngineRequest *request = work->request;

	if (is_integer_sum(request))
		return scan_add(work, request->kinds[0], request->outputs[0].kind,
						work->in[0], work->out[0], work->count);
	return reduce_then_scan(work, false);
}

const DeviceOperation cuda_scan = {
	.supports = reduce_then_scan_supports,
	.sizes = scan_sizes,
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = scan_run
};
