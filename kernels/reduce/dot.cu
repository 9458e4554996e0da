/*
 * dot.cu
 *	  Sums of products of two inputs, as dot.h has them.
 *
 * Each block sums a share of integers, and the last one adds the sums of all.
 * Floats take two kernels: one makes the sum of each tile, and another, of one
 * block, adds these in their order.
 */
#include <type_traits>

#include "contract/operations/dot.h"
#include "kernels/common/device_fact.h"
#include "kernels/common/operation.h"
#include "kernels/common/segmented_tile.h"
#include "kernels/common/vector.h"
#include "kernels/reduce/merge_blocks.h"

/* Integers. */

/* Sums of the products' halves, in a type in which they do not overflow. */
template <typename T>
struct DotPart
{
	typedef std::conditional_t<(sizeof(T) < sizeof(int64_t)), int64_t, WideSum>
		Wide;

	Wide		low;
	Wide		high;
};

template <typename T>
struct AddParts
{
	__device__ DotPart<T>
	operator() (const DotPart<T> &a, const DotPart<T> &b) const
	{
		return {a.low + b.low, a.high + b.high};
	}
};

template <typename T>
__global__ void __launch_bounds__(DOT_THREADS)
multiply_integers(const T *a, const T *b, long long count, DotPart<T> *parts,
				  GridState *grid, EngineDot *dot)
{
	typedef typename DotPart<T>::Wide Wide;
	typedef cub::BlockReduce<DotPart<T>, DOT_THREADS> BlockReduce;
	const int	half = 4 * sizeof(Wide);	/* bits of a product */
	const Wide	lower = ((Wide) 1 << half) - 1;
	__shared__ typename BlockReduce::TempStorage shared;
	DotPart<T>	part = {};

	/* In the last vector, the items beyond the array are zero. */
	for_each_vector(a, count, [&] (const Vector<T> &own, int number,
								   long long at) {
		Vector<T>	others = load_vector(b, at, number);

#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			Wide		product = (Wide) own.items[i] * others.items[i];

			part.low += product & lower;
			part.high += product >> half;
		}
	});
	part = BlockReduce(shared).Reduce(part, AddParts<T>());
	if (merge_blocks<DOT_THREADS>(&part, parts, &grid->done, AddParts<T>()))
		dot->integers = dot_total(part.low, part.high, sizeof(T));
}

/* Floats. */

/* The sum of a tile: r of its last segment, and s at its last element. */
template <typename T>
struct TileSum
{
	T			r;
	T			s;
};

template <typename T>
__device__ static inline T
add_product(T s, T x, T y, Overflows *seen)
{
	return combine_checked(SCAN_ADD, s,
						   combine_checked(SCAN_MULTIPLY, x, y, seen), seen);
}

/* Sums the products of a segment.  The last segment may be shorter. */
template <typename T>
__device__ static inline T
multiply_segment(const T *a, const T *b, int length, Overflows *seen)
{
	const int	each = Vector<T>::count;
	T			s = identity<T>(SCAN_ADD);

	if (length < FLOAT_SEGMENT)
	{
		for (int i = 0; i < length; i++)
			s = add_product(s, a[i], b[i], seen);
		return s;
	}
	for (int first = 0; first < FLOAT_SEGMENT; first += DOT_VECTORS * each)
	{
		Vector<T>	x[DOT_VECTORS];
		Vector<T>	y[DOT_VECTORS];

		load_vectors(x, a + first, each);
		load_vectors(y, b + first, each);
#pragma unroll
		for (int i = 0; i < DOT_VECTORS * each; i++)
			s = add_product(s, x[i / each].items[i % each],
							y[i / each].items[i % each], seen);
	}
	return s;
}

/*
 * Each thread reads its own segment, whose vectors share cache lines, as in
 * reduce_then_scan.cu.
 */
template <typename T>
__global__ void __launch_bounds__(SEGMENT_THREADS)
multiply_tiles(const T *a, const T *b, long long count, TileSum<T> *tiles,
			   int *overflow)
{
	__shared__ T last_s[FLOAT_SEGMENTS];
	long long	tile = (long long) blockIdx.x * FLOAT_TILE;
	int			items = tile_items(count);
	int			last = segments_of(items) - 1;
	int			first = threadIdx.x * FLOAT_SEGMENT;
	T			r = identity<T>(SCAN_ADD);
	Overflows	seen = 0;

	last_s[threadIdx.x] =
		multiply_segment(a + tile + first, b + tile + first,
						 segment_items(items), &seen);
	__syncthreads();
	if (threadIdx.x == 0)
	{
#pragma unroll 8
		for (int i = 0; i < last; i++)
			r = combine_checked(SCAN_ADD, r, last_s[i], &seen);
		tiles[blockIdx.x] = {r, last_s[last]};
	}
	report_overflows(seen, overflow);
}

/*
 * Adds tiles to the sum of all before them, in their order; for one thread.
 * After an overflow a sum is never finite.  Only then is each step checked,
 * because the thread would wait for each check.
 */
template <typename T>
__device__ static inline T
add_in_order(T before, const TileSum<T> *tiles, int ntiles, Overflows *seen)
{
	T			c = before;

#pragma unroll 8
	for (int i = 0; i < ntiles; i++)
		c = c + tiles[i].r + tiles[i].s;
	if (is_finite(c))
		return c;

	c = before;
	for (int i = 0; i < ntiles; i++)
	{
		c = combine_checked(SCAN_ADD, c, tiles[i].r, seen);
		c = combine_checked(SCAN_ADD, c, tiles[i].s, seen);
	}
	return c;
}

/* Adds the tiles, in their order. */
template <typename T>
__global__ void __launch_bounds__(DOT_THREADS)
add_tiles(const TileSum<T> *tiles, int ntiles, EngineDot *dot, int *overflow)
{
	__shared__ TileSum<T> batch[DOT_TILES];
	T			c = identity<T>(SCAN_ADD);
	Overflows	seen = 0;

	for (int first = 0; first < ntiles; first += DOT_TILES)
	{
		int			some = min(DOT_TILES, ntiles - first);

		for (int i = threadIdx.x; i < some; i += DOT_THREADS)
			batch[i] = tiles[first + i];
		__syncthreads();
		if (threadIdx.x == 0)
			c = add_in_order(c, batch, some, &seen);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		dot->floats = c;
	report_overflows(seen, overflow);
}

static cudaError_t
dot_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->scratch = kind_is_float(request->kinds[0]) ?
		count_tiles(request->count, FLOAT_TILE) * sizeof(TileSum<double>) :
		device_blocks(DOT_BLOCKS_PER_SM) * sizeof(DotPart<int64_t>);
	return cudaSuccess;
}

template <typename T>
static cudaError_t
dot_of(const DeviceWork *work)
{
	const T    *a = (const T *) work->in[0];
	const T    *b = (const T *) work->in[1];
	EngineDot  *dot = (EngineDot *) work->summary;

	if constexpr (Number<T>::is_float)
	{
		TileSum<T> *tiles = (TileSum<T> *) work->scratch;
		int			ntiles = (int) count_tiles(work->count, FLOAT_TILE);

		multiply_tiles<T><<<ntiles, SEGMENT_THREADS, 0, work->stream>>>
			(a, b, work->count, tiles, work->report->overflow);
		TRY(cudaGetLastError());
		add_tiles<T><<<1, DOT_THREADS, 0, work->stream>>>
			(tiles, ntiles, dot, work->report->overflow);
	}
	else
	{
		unsigned	blocks = count_vector_blocks<T>
			(work->count, DOT_THREADS, device_blocks(DOT_BLOCKS_PER_SM));

		multiply_integers<T><<<blocks, DOT_THREADS, 0, work->stream>>>
			(a, b, work->count, (DotPart<T> *) work->scratch, work->grid, dot);
	}
	return cudaGetLastError();
}

const DeviceOperation cuda_dot = {
	.supports = supports_numbers,
	.sizes = dot_sizes,
	.traits = TRAIT_DIRECT,
	.run = RUN_BY(RETURN_BY_NUMBER, dot_of)
};
