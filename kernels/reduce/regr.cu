/*
 * regr.cu
 *	  Moments of pairs, as regr.h has them.
 *
 * A first kernel makes the moments of tiles.  A second kernel, of one block,
 * merges them.
 */
#include "contract/operations/regr.h"
#include "kernels/common/launch.h"
#include "kernels/common/segmented_tile.h"
#include "kernels/common/vector.h"
#include "kernels/reduce/merge_in_order.h"

/* The sums of a segment, of several, or of all so far. */
struct PairSums
{
	struct Squares
	{
		double		y;
		double		x;
		double		products;
	};

	double		count;
	double		y;
	double		x;

	__device__ static PairSums
	none()
	{
		return {0, -0.0, -0.0};
	}

	__device__ static PairSums
	add(const PairSums &a, const PairSums &b)
	{
		return {a.count + b.count, a.y + b.y, a.x + b.x};
	}

	__device__ static Squares
	between(const PairSums &a, const PairSums &b, bool *overflow)
	{
		const Moments a_y = {a.count, a.y, 0};
		const Moments a_x = {a.count, a.x, 0};
		const Moments b_y = {b.count, b.y, 0};
		const Moments b_x = {b.count, b.x, 0};

		*overflow |= stats_overflow(a.y + b.y, a.y, b.y) ||
			stats_overflow(a.x + b.x, a.x, b.x);
		return {moments_between(a_y, b_y), moments_between(a_x, b_x),
			products_between(a_y, a_x, b_y, b_x)};
	}

	__device__ static Squares
	add_squares(const Squares &a, const Squares &b, const Squares &between)
	{
		return {a.y + b.y + between.y, a.x + b.x + between.x,
			a.products + b.products + between.products};
	}

	__device__ static bool
	overflows(const Squares &both, const Squares &a, const Squares &b)
	{
		return stats_overflow(both.y, a.y, b.y) ||
			stats_overflow(both.x, a.x, b.x) ||
			stats_overflow(both.products, a.products, b.products);
	}

	__device__ static bool
	all_finite(const Squares &squares)
	{
		return is_finite(squares.y) && is_finite(squares.x) &&
			is_finite(squares.products);
	}
};

typedef Part<PairSums> PairPart;

/*
 * A tile: all its segments but the last, merged; the last; the bits of its
 * first pair; and whether some y, or some x, has others.
 */
typedef struct TilePairs
{
	PairPart	r;
	PairPart	s;
	uint64_t	first_y;
	uint64_t	first_x;
	int			y_differs;
	int			x_differs;
} TilePairs;

/* Numbers of a kind from index "at" on; there may be fewer than REGR_BATCH. */
template <typename T>
__device__ static inline void
convert_numbers(const void *in, long long at, int number,
				double (&numbers)[REGR_BATCH])
{
	const int	each = Vector<T>::count;
	const T    *from = (const T *) in + at;
	Vector<T>	vectors[REGR_BATCH / each];

	if (number < REGR_BATCH)
	{
		for (int i = 0; i < number; i++)
			numbers[i] = (double) from[i];
		return;
	}
	load_vectors(vectors, from, each);
#pragma unroll
	for (int i = 0; i < REGR_BATCH; i++)
		numbers[i] = (double) vectors[i / each].items[i % each];
}

__device__ static inline void
load_numbers(ElementKind kind, const void *in, long long at, int number,
			 double (&numbers)[REGR_BATCH])
{
	switch (kind)
	{
		case KIND_INT2:
			return convert_numbers<int16_t>(in, at, number, numbers);
		case KIND_INT4:
			return convert_numbers<int32_t>(in, at, number, numbers);
		case KIND_INT8:
			return convert_numbers<int64_t>(in, at, number, numbers);
		case KIND_FLOAT4:
			return convert_numbers<float>(in, at, number, numbers);
		default:
			return convert_numbers<double>(in, at, number, numbers);
	}
}

typedef struct PairInputs
{
	const void *y;
	const void *x;
	ElementKind y_kind;
	ElementKind x_kind;
	long long	count;
} PairInputs;

/* Calls a function with each pair of "length", from index "at" on. */
template <typename Function>
__device__ static inline void
for_each_pair(const PairInputs &in, long long at, int length,
			  Function function)
{
	for (int first = 0; first < length; first += REGR_BATCH)
	{
		int			number = min(REGR_BATCH, length - first);
		double		ys[REGR_BATCH];
		double		xs[REGR_BATCH];

		load_numbers(in.y_kind, in.y, at + first, number, ys);
		load_numbers(in.x_kind, in.x, at + first, number, xs);
#pragma unroll
		for (int i = 0; i < REGR_BATCH; i++)
		{
			if (i < number)
				function(ys[i], xs[i]);
		}
	}
}

__device__ static inline uint64_t
bits_of(double number)
{
	return (uint64_t) __double_as_longlong(number);
}

/*
 * The moments of a segment.  Every step is checked for overflow.  The segment
 * is read twice, the second time from a cache.
 */
__device__ static inline PairPart
sum_segment(const PairInputs &in, long long at, int length, TilePairs *tile,
			bool *overflow)
{
	PairSums	sums = {(double) length, -0.0, -0.0};
	PairSums::Squares squares = {};
	bool		y_finite = true;
	bool		x_finite = true;
	bool		over = false;
	double		y_mean;
	double		x_mean;

	for_each_pair(in, at, length, [&] (double y, double x) {
		over |= stats_overflow(sums.y + y, sums.y, y) ||
			stats_overflow(sums.x + x, sums.x, x);
		sums.y += y;
		sums.x += x;
		y_finite = y_finite && is_finite(y);
		x_finite = x_finite && is_finite(x);
		tile->y_differs |= bits_of(y) != tile->first_y;
		tile->x_differs |= bits_of(x) != tile->first_x;
	});
	y_mean = sums.y / length;
	x_mean = sums.x / length;
	for_each_pair(in, at, length, [&] (double y, double x) {
		squares.y += (y - y_mean) * (y - y_mean);
		squares.x += (x - x_mean) * (x - x_mean);
		squares.products += (y - y_mean) * (x - x_mean);
	});
	*overflow |= over || (y_finite && !is_finite(squares.y)) ||
		(x_finite && !is_finite(squares.x)) ||
		(y_finite && x_finite && !is_finite(squares.products));
	return {sums, squares};
}

/*
 * Each thread reads its own segment, whose vectors share cache lines, as in
 * reduce_then_scan.cu.
 */
__global__ void __launch_bounds__(SEGMENT_THREADS)
sum_tiles(PairInputs in, TilePairs *tiles, int *overflow)
{
	__shared__ Merge<PairSums> merges[FLOAT_SEGMENTS];
	__shared__ PairPart r;
	long long	first = (long long) blockIdx.x * FLOAT_TILE;
	int			items = tile_items(in.count);
	int			segments = segments_of(items);
	int			own = threadIdx.x * FLOAT_SEGMENT;
	int			length = segment_items(items);
	double		first_pair[2][REGR_BATCH];
	TilePairs	tile = {};
	bool		over = false;

	load_numbers(in.y_kind, in.y, first, 1, first_pair[0]);
	load_numbers(in.x_kind, in.x, first, 1, first_pair[1]);
	tile.first_y = bits_of(first_pair[0][0]);
	tile.first_x = bits_of(first_pair[1][0]);
	if (length > 0)
		merges[threadIdx.x].part = sum_segment(in, first + own, length, &tile,
											   &over);
	tile.y_differs = __syncthreads_or(tile.y_differs);
	tile.x_differs = __syncthreads_or(tile.x_differs);
	merge_in_order(merges, segments - 1, &r, &over);
	if (threadIdx.x == 0)
	{
		tile.r = r;
		tile.s = merges[segments - 1].part;
		tiles[blockIdx.x] = tile;
	}
	if (over)
		overflow[OVERFLOW_UP] = 1;
}

__device__ static inline void
put_moments(EngineRegr *regr, const PairPart &all)
{
	regr->moments.y = {all.sums.count, all.sums.y, all.squares.y};
	regr->moments.x = {all.sums.count, all.sums.x, all.squares.x};
	regr->moments.products = all.squares.products;
}

/* Merges the tiles, in their order. */
__global__ void __launch_bounds__(REGR_THREADS)
merge_tiles(const TilePairs *tiles, int ntiles, EngineRegr *regr,
			int *overflow)
{
	__shared__ Merge<PairSums> merges[MERGE_STEPS][REGR_MERGES];
	__shared__ PairPart all;
	uint64_t	first_y = tiles[0].first_y;
	uint64_t	first_x = tiles[0].first_x;
	int			y_differs = 0;
	int			x_differs = 0;
	bool		over = false;

	merge_stream(merges, 2 * ntiles, &all, &over, [&] (int i) {
		const TilePairs *tile = &tiles[i / 2];

		y_differs |= tile->y_differs || tile->first_y != first_y;
		x_differs |= tile->x_differs || tile->first_x != first_x;
		return i % 2 == 0 ? tile->r : tile->s;
	});
	y_differs = __syncthreads_or(y_differs);
	x_differs = __syncthreads_or(x_differs);
	if (threadIdx.x == 0)
	{
		put_moments(regr, all);
		regr->first_y = first_y;
		regr->first_x = first_x;
		regr->y_differs = y_differs != 0;
		regr->x_differs = x_differs != 0;
	}
	if (over)
		overflow[OVERFLOW_UP] = 1;
}

static cudaError_t
regr_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->scratch = count_tiles(request->count, FLOAT_TILE) *
		sizeof(TilePairs);
	return cudaSuccess;
}

static bool
regr_supports(const EngineRequest *request)
{
	return kind_is_number(request->kinds[0]) &&
		kind_is_number(request->kinds[1]);
}

static cudaError_t
regr_run(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	PairInputs	in = {work->in[0], work->in[1], request->kinds[0],
		request->kinds[1], work->count};
	TilePairs  *tiles = (TilePairs *) work->scratch;
	int			ntiles = (int) count_tiles(work->count, FLOAT_TILE);

	TRY(launch_kernel(work->stream, sum_tiles, ntiles, SEGMENT_THREADS, 0, in,
					  tiles, work->report->overflow));
	return launch_kernel(work->stream, merge_tiles, 1, REGR_THREADS, 0, tiles,
						 ntiles, (EngineRegr *) work->summary,
						 work->report->overflow);
}

const DeviceOperation cuda_regr = {
	.supports = regr_supports,
	.sizes = regr_sizes,
	.traits = TRAIT_DIRECT,
	.run = regr_run
};
