/*
 * dot.cu
 *	  Sums of products of two inputs, as dot.h has them.
 *
 * Each block sums a share of integers, and the last one adds the sums of all.
 * Floats take three kernels: one makes the sum of each tile, the second adds
 * these in their order, and the third looks whether one of these additions
 * overflows.
 */
#include <type_traits>

#include "contract/operations/dot.h"
#include "kernels/common/kernels.h"
#include "kernels/common/segmented_tile.h"
#include "kernels/common/vector.h"
#include "kernels/common/block.h"

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
__global__ void __launch_bounds__(REDUCE_THREADS)
multiply_integers(const T *a, const T *b, long long count, DotPart<T> *parts,
				  GridState *grid, EngineDot *dot)
{
	typedef typename DotPart<T>::Wide Wide;
	const int	half = 4 * sizeof(Wide);	/* bits of a product */
	const Wide	lower = ((Wide) 1 << half) - 1;
	DotPart<T>	part = {};
	auto		add = [] (const DotPart<T> &a, const DotPart<T> &b) {
		return DotPart<T> {a.low + b.low, a.high + b.high};
	};

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
	part = block_reduce<REDUCE_THREADS>(part, add);
	if (merge_blocks<REDUCE_THREADS>(&part, parts, &grid->done, add))
		dot->integers = dot_total(part.low, part.high, sizeof(T));
}

/* Floats. */

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
	for (int first = 0; first < FLOAT_SEGMENT; first += REDUCE_VECTORS * each)
	{
		Vector<T>	x[REDUCE_VECTORS];
		Vector<T>	y[REDUCE_VECTORS];

		load_vectors(x, a + first, each);
		load_vectors(y, b + first, each);
#pragma unroll
		for (int i = 0; i < REDUCE_VECTORS * each; i++)
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
multiply_tiles(const T *a, const T *b, long long count,
			   TileAggregate<T> *tiles, int *overflow)
{
	__shared__ TileEnds<T> ends;
	long long	tile = (long long) blockIdx.x * FLOAT_TILE;
	int			items = tile_items(count);
	int			last = segments_of(items) - 1;
	int			first = threadIdx.x * FLOAT_SEGMENT;
	Overflows	seen = 0;

	ends.last_s[threadIdx.x] =
		multiply_segment(a + tile + first, b + tile + first,
						 segment_items(items), &seen);
	__syncthreads();
	if (threadIdx.x == 0)
	{
		chain_segments<true>(SCAN_ADD, last + 1, ends.last_s, ends.r, &seen);
		tiles[blockIdx.x] = {ends.r[last], ends.last_s[last], 0};
	}
	report_overflows(seen, overflow);
}

/*
 * Puts the sum.  After an overflow it is never finite: only then is the
 * addition of each tile checked.
 */
template <typename T>
__global__ void __launch_bounds__(REDUCE_THREADS)
check_tiles(TileRange<T> range, EngineDot *dot, int *overflow)
{
	T			sum = *range.end;
	Overflows	seen = 0;

	if (threadIdx.x == 0)
		dot->floats = sum;
	if (is_finite(sum))
		return;
	for (int i = threadIdx.x; i < range.tiles; i += REDUCE_THREADS)
	{
		TileAggregate<T> tile = range.aggregates[i];

		sum = combine_checked(SCAN_ADD, range.c[i], tile.r, &seen);
		(void) combine_checked(SCAN_ADD, sum, tile.s, &seen);
	}
	report_overflows(seen, overflow);
}

static cudaError_t
dot_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->scratch = kind_is_float(request->kinds[0]) ?
		reduce_then_scan_scratch_bytes(request->count) :
		device_blocks(REDUCE_BLOCKS_PER_SM) * sizeof(DotPart<int64_t>);
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
		TileAggregate<T> *tiles = (TileAggregate<T> *) work->scratch;
		int			ntiles = (int) count_tiles(work->count, FLOAT_TILE);
		T		   *c = (T *) (tiles + ntiles);
		TileRange<T> range = {tiles, ntiles, c, (T *) &work->report->value};

		TRY(launch_kernel(work->stream, multiply_tiles<T>, ntiles,
						  SEGMENT_THREADS, 0, a, b, work->count, tiles,
						  work->report->overflow));
		TRY(scan_aggregates(work->stream, SCAN_ADD, 1, range));
		return launch_kernel(work->stream, check_tiles<T>, 1, REDUCE_THREADS, 0,
							 range, dot, work->report->overflow);
	}
	else
		return launch_kernel(work->stream, multiply_integers<T>,
							 count_vector_blocks<T>(work->count, REDUCE_THREADS,
													REDUCE_BLOCKS_PER_SM),
							 REDUCE_THREADS, 0, a, b, work->count,
							 (DotPart<T> *) work->scratch, work->grid, dot);
}

const DeviceOperation cuda_dot = {
	.supports = supports_numbers,
	.sizes = dot_sizes,
	.traits = TRAIT_DIRECT,
	.run = RUN_BY(RETURN_BY_NUMBER, dot_of)
};
