/*
 * scan.cu
 *	  Running sums of integers, in one pass.
 *
 * Sums as wide as the elements may wrap, and are taken as unsigned.
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
	static const bool checked = sizeof(In) == sizeof(Out);

	Out		   *out;
	long long  *end;			/* where the sum over all goes, or NULL */
	int		   *overflow;		/* by EngineOverflow; only if "checked" */
	bool		told;			/* of an overflow, by this warp */

	__device__ void sum(const In *items, long long first, int count,
						long long *warps) const;
	__device__ void arrange(In *items, long long first, int count,
							const long long *warps) const {}
	__device__ void write(const In *items, long long first, int count,
						  long long before, const long long *warps,
						  bool last);
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
							   bool last)
{
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	int			at = warp * ROWS * Row<Out>::size + lane * Row<Out>::items;
	Out		   *to = out + first;
	Out			running;
	Out			overflows = 0;	/* the sign bit says it */

	running = (Out) (before + warps[warp]);
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
			Out			previous = next;

			next += own.items[i];
			sums[i] = next;
			if (checked)
				overflows |= (previous ^ next) & (own.items[i] ^ next);
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

	/*
	 * Each step was looked at for itself, from a prefix that may have wrapped:
	 * but the first one of the array that is out of range is seen to be, as
	 * all before it are right; and if none is, no step is seen to overflow.
	 * It is the host's memory that is written to: once is enough.
	 */
	if (checked && !told &&
		__any_sync(ALL_LANES, overflows >> (8 * sizeof(Out) - 1) != 0))
	{
		told = true;
		if (lane == 0)
			overflow[OVERFLOW_UP] = 1;
	}

	if (end && last && threadIdx.x == 0)
		*end = before + warps[TILE_WARPS];
}

/* A thread takes in "ROWS" times 16 bytes, however wide the sums are. */
template <typename Word, int ROWS, typename In, typename Out>
static EngineStatus
launch_scan(cudaStream_t stream, LookAhead *ahead, const In *in, Out *out,
			int64_t count, const long long *start, long long *end,
			int *overflow)
{
	ScanWork<In, Out, ROWS * sizeof(Out) / sizeof(In)> work = {
		out, end, overflow
	};

	return launch_tiles<Word>(stream, ahead, work, in, count, start);
}

template <typename Word, typename In, typename Out>
static EngineStatus
scan_array(cudaStream_t stream, LookAhead *ahead, const void *in, void *out,
		   int64_t count, const long long *start, long long *end,
		   int *overflow)
{
	const In   *from = (const In *) in;
	Out		   *to = (Out *) out;

	if (count * sizeof(In) <= SMALL_COUNT * sizeof(int) || ahead->small_only)
		return launch_scan<Word, SMALL_ROWS>(stream, ahead, from, to, count,
											 start, end, overflow);
	return launch_scan<Word, LARGE_ROWS>(stream, ahead, from, to, count,
										 start, end, overflow);
}

/* The sums of an array of integers, from *start on, or from zero. */
EngineStatus
scan_add(cudaStream_t stream, LookAhead *ahead, ElementKind kind,
		 ElementKind sum_kind, const void *in, void *out, int64_t count,
		 const long long *start, long long *end, int *overflow)
{
	typedef EngineStatus (*ScanArray) (cudaStream_t, LookAhead *, const void *,
									   void *, int64_t, const long long *,
									   long long *, int *);

	/* By ElementKind: sums as wide as the elements, and wider ones. */
	static const ScanArray scans[ELEMENT_KINDS] = {
		NULL,
		scan_array<TileWord, unsigned short, unsigned short>,
		scan_array<TileWord, unsigned, unsigned>,
		NULL,
		scan_array<WideTileWord, unsigned long long, unsigned long long>
	};
	static const ScanArray wide_sums[ELEMENT_KINDS] = {
		NULL,
		scan_array<TileWord, short, long long>,
		scan_array<TileWord, int, long long>
	};
	ScanArray	scan = sum_kind == kind ? scans[kind] : wide_sums[kind];

	return scan(stream, ahead, in, out, count, start, end, overflow);
}
