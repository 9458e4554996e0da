/*
 * stats.cu
 *	  Statistics of numbers, piece by piece, as stats.h has them: the summary of
 *	  the pieces so far stays on the device.
 *
 * A first kernel makes the statistics of parts of a piece: of integers, those
 * of a block's share; of floats, those of a tile.  A second one, of one block,
 * merges these with the summary.
 */
#include <cub/block/block_reduce.cuh>

#include "engine/float_order.h"
#include "engine/order.h"
#include "engine/stats.h"
#include "number.h"
#include "operation.h"
#include "tuning.h"

/* Integers. */

typedef struct IntegerPart
{
	IntegerSums sums;
	int64_t		least;
	int64_t		greatest;
} IntegerPart;

struct MergeIntegers
{
	__device__ IntegerPart
	operator() (const IntegerPart &a, const IntegerPart &b) const
	{
		IntegerPart both = a;

		both.sums.low += b.sums.low;
		both.sums.high += b.sums.high;
		for (int half = 0; half < 2; half++)
		{
			both.sums.low_low[half] += b.sums.low_low[half];
			both.sums.low_high[half] += b.sums.low_high[half];
			both.sums.high_high[half] += b.sums.high_high[half];
		}
		both.least = min(a.least, b.least);
		both.greatest = max(a.greatest, b.greatest);
		return both;
	}
};

typedef cub::BlockReduce<IntegerPart, STATS_THREADS> ReduceIntegers;

__device__ static inline IntegerPart
no_integers()
{
	IntegerPart part = {};

	part.least = INT64_MAX;
	part.greatest = INT64_MIN;
	return part;
}

template <typename T>
__global__ void __launch_bounds__(STATS_THREADS)
sum_integers(const T *in, long long count, IntegerPart *parts)
{
	__shared__ typename ReduceIntegers::TempStorage shared;
	IntegerPart part = no_integers();
	long long	stride = (long long) gridDim.x * STATS_THREADS;

	for (long long i = (long long) blockIdx.x * STATS_THREADS + threadIdx.x;
		 i < count; i += stride)
	{
		T			item = in[i];

		part.least = min(part.least, (int64_t) item);
		part.greatest = max(part.greatest, (int64_t) item);
		if (sizeof(T) < sizeof(int64_t))
			integer_sums_add_narrow(&part.sums, (int32_t) item);
		else
			integer_sums_add_wide(&part.sums, item);
	}
	part = ReduceIntegers(shared).Reduce(part, MergeIntegers());
	if (threadIdx.x == 0)
		parts[blockIdx.x] = part;
}

__global__ void __launch_bounds__(STATS_THREADS)
merge_integers(const IntegerPart *parts, int nparts, bool first,
			   EngineStats *stats)
{
	__shared__ typename ReduceIntegers::TempStorage shared;
	IntegerPart part = no_integers();

	for (int i = threadIdx.x; i < nparts; i += STATS_THREADS)
		part = MergeIntegers()(part, parts[i]);
	part = ReduceIntegers(shared).Reduce(part, MergeIntegers());
	if (threadIdx.x == 0)
	{
		EngineStats piece;

		integer_sums_total(&part.sums, &piece);
		wide_add(&stats->sum, piece.sum);
		wide_add(&stats->squares, piece.squares);
		stats->least = first ? part.least : min(stats->least, part.least);
		stats->greatest = first ? part.greatest :
			max(stats->greatest, part.greatest);
	}
}

/* Floats. */

/* A thread for each segment of a tile. */
#define STATS_TILE_THREADS	FLOAT_SEGMENTS

/* The sums of a segment, of several, or of all so far. */
template <typename T>
struct FloatSums
{
	Moments		moments;
	T			sum;			/* each addition rounded to this type */
};

template <typename T>
__device__ static inline FloatSums<T>
merge_sums(const FloatSums<T> &a, const FloatSums<T> &b, bool *overflow)
{
	T			sum = a.sum + b.sum;

	if (a.moments.count == 0)
		return b;
	if (b.moments.count == 0)
		return a;
	*overflow |= stats_overflow(sum, a.sum, b.sum);
	return {moments_merge(a.moments, b.moments, overflow), sum};
}

/* The elements' order, which is one to one. */
__device__ static inline uint64_t
order_of(float item)
{
	return float4_order(__float_as_uint(item));
}

__device__ static inline uint64_t
order_of(double item)
{
	return float8_order((uint64_t) __double_as_longlong(item));
}

typedef struct OrderRange
{
	uint64_t	least;
	uint64_t	greatest;
} OrderRange;

struct MergeRanges
{
	__device__ OrderRange
	operator() (const OrderRange &a, const OrderRange &b) const
	{
		return {min(a.least, b.least), max(a.greatest, b.greatest)};
	}
};

typedef cub::BlockReduce<OrderRange, STATS_TILE_THREADS> ReduceRanges;

/* A tile: all its segments but the last, merged; and the last. */
template <typename T>
struct TileStats
{
	FloatSums<T> r;
	FloatSums<T> s;
	OrderRange	range;
};

/* The sums of a segment, every step of which is checked. */
template <typename T>
__device__ static inline FloatSums<T>
sum_segment(const T *items, int length, OrderRange *range, bool *overflow)
{
	FloatSums<T> sums = {{(double) length, -0.0, 0}, (T) -0.0};
	bool		finite = true;
	bool		in_range = true;
	double		mean;

	for (int i = 0; i < length; i++)
	{
		T			item = items[i];
		T			sum = sums.sum + item;
		double		wide_sum = sums.moments.sum + item;

		if (stats_overflow(sum, sums.sum, item) ||
			stats_overflow(wide_sum, sums.moments.sum, item))
			in_range = false;
		sums.sum = sum;
		sums.moments.sum = wide_sum;
		finite = finite && item - item == 0;
		*range = MergeRanges()(*range, {order_of(item), order_of(item)});
	}
	mean = sums.moments.sum / length;
	for (int i = 0; i < length; i++)
	{
		double		apart = items[i] - mean;

		sums.moments.squares += apart * apart;
	}
	if (!in_range ||
		(finite && sums.moments.squares - sums.moments.squares != 0))
		*overflow = true;
	return sums;
}

/*
 * Rows of a tile are a bit longer than a segment, so that threads that go
 * through one row each find their items in different banks.
 */
template <typename T>
__global__ void __launch_bounds__(STATS_TILE_THREADS)
sum_tiles(const T *in, long long count, TileStats<T> *tiles, int *overflow)
{
	__shared__ T items[FLOAT_SEGMENTS][FLOAT_SEGMENT + 1];
	__shared__ FloatSums<T> sums[FLOAT_SEGMENTS];
	__shared__ typename ReduceRanges::TempStorage shared;
	long long	first = (long long) blockIdx.x * FLOAT_TILE;
	int			tile_count = (int) min((long long) FLOAT_TILE, count - first);
	int			segments = (tile_count + FLOAT_SEGMENT - 1) / FLOAT_SEGMENT;
	int			length = max(0, min(FLOAT_SEGMENT, tile_count -
									(int) threadIdx.x * FLOAT_SEGMENT));
	OrderRange	range = {UINT64_MAX, 0};
	bool		over = false;

	for (int i = threadIdx.x; i < tile_count; i += STATS_TILE_THREADS)
		items[i / FLOAT_SEGMENT][i % FLOAT_SEGMENT] = in[first + i];
	__syncthreads();
	if (length > 0)
		sums[threadIdx.x] = sum_segment(items[threadIdx.x], length, &range,
										&over);
	range = ReduceRanges(shared).Reduce(range, MergeRanges());
	__syncthreads();
	if (threadIdx.x == 0)
	{
		FloatSums<T> r = {};

		for (int i = 0; i < segments - 1; i++)
			r = merge_sums(r, sums[i], &over);
		tiles[blockIdx.x] = {r, sums[segments - 1], range};
	}
	if (over)
		overflow[OVERFLOW_UP] = 1;
}

/* Merges the tiles of a piece with all before it, in their order. */
template <typename T>
__global__ void __launch_bounds__(WARP)
merge_tiles(const TileStats<T> *tiles, int ntiles, bool first_piece,
			EngineStats *stats, int *overflow)
{
	__shared__ TileStats<T> some_tiles[STATS_TILES];
	FloatSums<T> all = {stats->moments, (T) stats->own_sum};
	OrderRange	range = {stats->least_order, stats->greatest_order};
	bool		over = false;

	if (first_piece)
		range = {UINT64_MAX, 0};
	for (int first = 0; first < ntiles; first += STATS_TILES)
	{
		int			some = min(STATS_TILES, ntiles - first);

		for (int i = threadIdx.x; i < some; i += WARP)
			some_tiles[i] = tiles[first + i];
		__syncwarp();
		for (int i = 0; threadIdx.x == 0 && i < some; i++)
		{
			all = merge_sums(all, some_tiles[i].r, &over);
			all = merge_sums(all, some_tiles[i].s, &over);
			range = MergeRanges()(range, some_tiles[i].range);
		}
		__syncwarp();
	}
	if (threadIdx.x == 0)
	{
		stats->moments = all.moments;
		stats->own_sum = all.sum;
		stats->least_order = range.least;
		stats->greatest_order = range.greatest;
		if (over)
			overflow[OVERFLOW_UP] = 1;
	}
}

static int
count_tiles(int64_t count)
{
	return (int) ((count + FLOAT_TILE - 1) / FLOAT_TILE);
}

static size_t
stats_scratch_bytes(const EngineRequest *request, int64_t count)
{
	return kind_is_float(request->kinds[0]) ?
		count_tiles(count) * sizeof(TileStats<double>) :
		STATS_BLOCKS * sizeof(IntegerPart);
}

template <typename T>
static cudaError_t
stats_of(const DeviceWork *work)
{
	const T    *in = (const T *) work->in[0];
	EngineStats *stats = (EngineStats *) work->summary;

	if constexpr (Number<T>::is_float)
	{
		TileStats<T> *tiles = (TileStats<T> *) work->scratch;
		int			ntiles = count_tiles(work->count);

		sum_tiles<T><<<ntiles, STATS_TILE_THREADS, 0, work->stream>>>
			(in, work->count, tiles, work->report->overflow);
		TRY(cudaGetLastError());
		merge_tiles<T><<<1, WARP, 0, work->stream>>>
			(tiles, ntiles, work->turn == 0, stats, work->report->overflow);
	}
	else
	{
		IntegerPart *parts = (IntegerPart *) work->scratch;
		int64_t		wanted = (work->count + STATS_THREADS - 1) / STATS_THREADS;
		int			blocks =
			wanted < STATS_BLOCKS ? (int) wanted : STATS_BLOCKS;

		sum_integers<T><<<blocks, STATS_THREADS, 0, work->stream>>>
			(in, work->count, parts);
		TRY(cudaGetLastError());
		merge_integers<<<1, STATS_THREADS, 0, work->stream>>>
			(parts, blocks, work->turn == 0, stats);
	}
	return cudaGetLastError();
}

static bool
stats_supports(const EngineRequest *request)
{
	return kind_is_number(request->kinds[0]);
}

static cudaError_t
stats_piece(const DeviceWork *work)
{
	RETURN_BY_NUMBER(work->request->kinds[0], stats_of, work);
}

const DeviceOperation gpu_stats = {
	false, false, stats_supports, 0, stats_scratch_bytes, NULL, NULL,
	stats_piece, NULL
};
