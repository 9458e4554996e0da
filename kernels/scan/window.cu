/*
 * window.cu
 *	  Windows: the elements of a frame around each element, combined.
 *
 * Where blocks are short, a thread block finds P and S of a tile, and of the
 * blocks around it that frames reach: so an array is read once, and nothing but
 * results is written.  For the others, a first kernel writes the P and the S of
 * each element within its tile.  Where a block has several tiles, a second
 * kernel combines the tiles.  The last kernel extends P and S by the combined
 * tiles, and combines P with S.  For narrow frames, it is the only kernel.  The
 * order and its names are those of window.h.
 */
#include "contract/operations/window.h"
#include "kernels/common/combine.h"
#include "kernels/common/kernels.h"
#include "kernels/common/launch.h"
#include "kernels/common/vector.h"

/* A sum of finite floats, and which other values there are. */
template <typename T>
struct FloatSum
{
	T			finite;
	int			has;
};

/* The operators: of an element type, in a type in which they combine. */
template <typename T, typename S>
struct AddIntegers
{
	typedef T	Element;
	typedef S	Sum;

	__device__ static Sum identity()
	{
		return 0;
	}

	__device__ static Sum load(T element)
	{
		return element;
	}

	__device__ static Sum combine(Sum a, Sum b)
	{
		return a + b;
	}
};

template <typename T, typename S>
struct AddFloats
{
	typedef T	Element;
	typedef FloatSum<S> Sum;

	__device__ static Sum identity()
	{
		return {(S) -0.0, 0};
	}

	__device__ static Sum load(T element)
	{
		int			has = is_nan(element) ? HAS_NAN :
			!is_infinite(element) ? 0 :
			element > 0 ? HAS_INFINITY : HAS_MINUS_INFINITY;

		return {has == 0 ? (S) element : (S) -0.0, has};
	}

	__device__ static Sum combine(Sum a, Sum b)
	{
		return {a.finite + b.finite, a.has | b.has};
	}
};

/* The least, or the greatest: the later one of equal elements. */
template <typename T, bool least>
struct Extreme
{
	typedef T	Element;
	typedef T	Sum;

	__device__ static Sum identity()
	{
		return least ? Number<T>::greatest : Number<T>::least;
	}

	__device__ static Sum load(T element)
	{
		return element;
	}

	__device__ static Sum combine(Sum a, Sum b)
	{
		return (least ? less(a, b) : less(b, a)) ? a : b;
	}
};

/*
 * Stores a result; "length" is the number of elements of an average, or 1.
 * Returns whether it is out of range.
 */
template <typename Result, typename Sum>
__device__ static inline bool
store(Result *result, Sum sum, int length)
{
	if (is_nan(sum))
	{
		*result = Number<Result>::nan;
		return false;
	}
	*result = (Result) sum;
	return *result != sum;
}

__device__ static inline bool
store(double *result, int64_t sum, int length)
{
	*result = wide_sum_average(sum, length);
	return false;
}

__device__ static inline bool
store(double *result, WideSum sum, int length)
{
	*result = wide_sum_average(sum, length);
	return false;
}

template <typename T>
__device__ static inline bool
store(T *result, FloatSum<T> sum, int length)
{
	const T		infinity = -Number<T>::least;

	if (sum.has == 0)
	{
		*result = sum.finite / length;
		return is_nan(sum.finite) || is_infinite(sum.finite);
	}
	*result = sum.has == HAS_INFINITY ? infinity :
		sum.has == HAS_MINUS_INFINITY ? -infinity : Number<T>::nan;
	return false;
}

/* What to divide sums by. */
struct Lengths
{
	bool		average;		/* else by 1 */
	const int  *lengths;		/* NULL: by those of the frames */

	__device__ int of(int64_t i, int length) const
	{
		return !average ? 1 : lengths != NULL ? lengths[i] : length;
	}
};

/*
 * Combines a frame from P and S of elements, which "sums" has.  All indexes
 * count from the beginning of a block.
 */
template <typename Op, typename PrefixesSuffixes, typename Index>
__device__ static inline typename Op::Sum
combine_blocks(const PrefixesSuffixes &sums, Index block, Index first,
			   Index last)
{
	typename Op::Sum sum;

	if (first / block == last / block)
		return first % block == 0 ? sums.prefix(last) : sums.suffix(first);
	sum = sums.suffix(first);
	if (last / block - first / block == 2)
		sum = Op::combine(sum, sums.prefix(last / block * block - 1));
	return Op::combine(sum, sums.prefix(last));
}

/*
 * P and S of the elements of a part of an array.  A thread has a row, which is
 * a segment: it combines the segment both ways, and then extends it by the
 * segments of its block before and after, in the order of window.h.  Rows are
 * padded, as each thread reads its own row.
 */
template <typename Op, int ROWS>
struct WindowRows
{
	typedef typename Op::Element Element;
	typedef typename Op::Sum Sum;

	Element		elements[ROWS][WINDOW_SEGMENT + 1];
	Sum			prefixes[ROWS][WINDOW_SEGMENT + 1];
	Sum			suffixes[ROWS][WINDOW_SEGMENT + 1];

	__device__ Sum prefix(int i) const
	{
		return prefixes[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT];
	}

	__device__ Sum suffix(int i) const
	{
		return suffixes[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT];
	}

	/* Combines the first "count" elements of a row both ways. */
	__device__ void combine_row(int row, int count)
	{
		Sum			s = Op::identity();

		for (int i = 0; i < count; i++)
			prefixes[row][i] = s = Op::combine(s, Op::load(elements[row][i]));
		s = Op::identity();
		for (int i = count - 1; i >= 0; i--)
			suffixes[row][i] = s = Op::combine(Op::load(elements[row][i]), s);
	}

	/*
	 * Extends a row by the rows of its block before it and after it.  All
	 * threads call this, because rows are read before they are extended; a
	 * thread without a row has the "count" 0.
	 */
	__device__ void extend_row(int row, int rows, int rows_of_block, int count)
	{
		int			first = row / rows_of_block * rows_of_block;
		int			end = min(first + rows_of_block, rows);
		Sum			before = Op::identity();
		Sum			after = Op::identity();

		for (int i = first; i < row && count > 0; i++)
			before = Op::combine(before, prefixes[i][WINDOW_SEGMENT - 1]);
		for (int i = end - 1; i > row && count > 0; i--)
			after = Op::combine(suffixes[i][0], after);
		__syncthreads();
		for (int i = 0; i < count; i++)
		{
			prefixes[row][i] = Op::combine(before, prefixes[row][i]);
			suffixes[row][i] = Op::combine(suffixes[row][i], after);
		}
		__syncthreads();
	}

	/*
	 * Finds P and S of some items, which begin with a block.  "block" is the
	 * length of blocks, or of what the items have of a longer one.
	 */
	__device__ void find(const Element *in, int items, int block)
	{
		int			row = (int) threadIdx.x;
		int			count = max(0, min(WINDOW_SEGMENT,
									   items - row * WINDOW_SEGMENT));

		for (int i = row; i < items; i += blockDim.x)
			elements[i / WINDOW_SEGMENT][i % WINDOW_SEGMENT] = in[i];
		__syncthreads();
		combine_row(row, count);
		__syncthreads();
		extend_row(row, (items + WINDOW_SEGMENT - 1) / WINDOW_SEGMENT,
				   block / WINDOW_SEGMENT, count);
	}
};

/* A thread has a segment of a tile. */
#define SEGMENTS		(WINDOW_TILE / WINDOW_SEGMENT)

/* What the kernels know of each element and of each tile. */
template <typename Sum>
struct Sums
{
	Sum		   *prefixes;		/* P within the tile */
	Sum		   *suffixes;		/* S within the tile */
	Sum		   *before;			/* each tile, and its block's tiles before */
	Sum		   *after;			/* each tile, and its block's tiles after */
};

template <typename Op>
__global__ void __launch_bounds__(SEGMENTS)
combine_tiles(const typename Op::Element *in, WindowFrames frames,
			  Sums<typename Op::Sum> sums)
{
	__shared__ WindowRows<Op, SEGMENTS> tile;
	int64_t		first = (int64_t) blockIdx.x * WINDOW_TILE;
	int			items = (int) min((long long) WINDOW_TILE,
								  (long long) (frames.count - first));

	tile.find(in + first, items,
			  (int) min((long long) WINDOW_TILE, (long long) frames.block));
	for (int i = threadIdx.x; i < items; i += SEGMENTS)
	{
		sums.prefixes[first + i] = tile.prefix(i);
		sums.suffixes[first + i] = tile.suffix(i);
	}
	if (threadIdx.x == 0)
	{
		sums.before[blockIdx.x] = tile.prefix(items - 1);
		sums.after[blockIdx.x] = tile.suffix(0);
	}
}

/*
 * Combines the tiles of each block, in one thread up to each tile, and in
 * another one from each tile on.
 */
template <typename Op>
__global__ void __launch_bounds__(WINDOW_THREADS)
accumulate_tiles(int tiles, int tiles_of_block, Sums<typename Op::Sum> sums)
{
	long long	thread = (long long) blockIdx.x * WINDOW_THREADS + threadIdx.x;
	bool		backward = thread % 2;
	long long	first = thread / 2 * tiles_of_block;
	int			count = (int) min((long long) tiles_of_block, tiles - first);
	typename Op::Sum c = Op::identity();

	for (int i = 0; i < count; i++)
	{
		typename Op::Sum *at = backward ? &sums.after[first + count - 1 - i] :
			&sums.before[first + i];

		if (i == 0)
			c = *at;
		else
			c = backward ? Op::combine(*at, c) : Op::combine(c, *at);
		*at = c;
	}
}

/* P and S of an element, for combine_blocks. */
template <typename Op>
struct FarSums
{
	typedef typename Op::Sum Sum;

	const WindowFrames &frames;
	const Sums<Sum> &sums;

	__device__ Sum prefix(int64_t i) const
	{
		int64_t		tile = i / WINDOW_TILE;

		if (tile * WINDOW_TILE % frames.block == 0 ||
			frames.block < WINDOW_TILE)
			return sums.prefixes[i];
		return Op::combine(sums.before[tile - 1], sums.prefixes[i]);
	}

	__device__ Sum suffix(int64_t i) const
	{
		int64_t		tile = i / WINDOW_TILE + 1;	/* the next one */

		if (tile * WINDOW_TILE % frames.block == 0 ||
			frames.block < WINDOW_TILE ||
			tile * WINDOW_TILE >= frames.count)
			return sums.suffixes[i];
		return Op::combine(sums.suffixes[i], sums.after[tile]);
	}
};

template <typename Op>
__device__ static inline typename Op::Sum
combine_frame(const typename Op::Element *in, const WindowFrames &frames,
			  const Sums<typename Op::Sum> &sums, int64_t first, int64_t last)
{
	FarSums<Op>	far = {frames, sums};
	typename Op::Sum sum;

	if (!window_is_narrow(&frames))
		return combine_blocks<Op>(far, frames.block, first, last);
	sum = Op::load(in[first]);
	for (int64_t i = first + 1; i <= last; i++)
		sum = Op::combine(sum, Op::load(in[i]));
	return sum;
}

template <typename Op, typename Result>
__global__ void __launch_bounds__(WINDOW_THREADS)
combine_frames(const typename Op::Element *in, Result *out,
			   WindowFrames frames, Sums<typename Op::Sum> sums,
			   Lengths lengths, int *overflow)
{
	int64_t		i = (int64_t) blockIdx.x * WINDOW_THREADS + threadIdx.x;
	bool		over = false;

	if (i < frames.count)
	{
		int64_t		first = window_first(&frames, i);
		int64_t		last = window_last(&frames, i);

		over = store(&out[i], combine_frame<Op>(in, frames, sums, first, last),
					 lengths.of(i, (int) (last - first + 1)));
	}
	if (__syncthreads_or(over) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

/* Elements of a tile where blocks are short. */
template <typename Op>
constexpr int near_items = sizeof(typename Op::Sum) > sizeof(int64_t) ?
	512 : 1024;

template <typename Op, typename Result>
__global__ void __launch_bounds__(WINDOW_THREADS)
combine_near_frames(const typename Op::Element *in, Result *out,
					WindowFrames frames, Lengths lengths, int *overflow)
{
	const int	rows = (near_items<Op> + 3 * NEAR_BLOCK) / WINDOW_SEGMENT;
	__shared__ WindowRows<Op, rows> tile;
	static_assert(rows <= WINDOW_THREADS, "a thread has one row");
	int64_t		begin = (int64_t) blockIdx.x * near_items<Op>;
	int64_t		end = min((long long) (begin + near_items<Op>),
						  (long long) frames.count);
	int64_t		origin = window_first(&frames, begin) / frames.block *
		frames.block;
	int64_t		stop = (window_last(&frames, end - 1) / frames.block + 1) *
		frames.block;
	int			block = (int) frames.block;
	bool		over = false;

	tile.find(in + origin, (int) (min((long long) stop,
									  (long long) frames.count) - origin),
			  block);
	for (int64_t i = begin + threadIdx.x; i < end; i += WINDOW_THREADS)
	{
		int			first = (int) (window_first(&frames, i) - origin);
		int			last = (int) (window_last(&frames, i) - origin);

		over |= store(&out[i],
					  combine_blocks<Op>(tile, block, first, last),
					  lengths.of(i, last - first + 1));
	}
	if (__syncthreads_or(over) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

/* Returns whether blocks are so short that a thread block finds P and S. */
static bool
is_near(const WindowFrames *frames)
{
	return !window_is_narrow(frames) && frames->block <= NEAR_BLOCK;
}

template <typename Op, typename Result>
static cudaError_t
launch(const DeviceWork *work)
{
	typedef typename Op::Sum Sum;
	const WindowParameters *parameters =
		PARAMETERS(work->request, WindowParameters);
	WindowFrames frames = window_frames(parameters, work->request->count);
	Lengths		lengths = {
		parameters->average,
		work->request->table_bytes > 0 ? (const int *) work->table : NULL
	};
	const typename Op::Element *in =
		(const typename Op::Element *) work->in[0];
	int			tiles = (int) count_tiles(frames.count, WINDOW_TILE);
	Sum		   *scratch = (Sum *) work->scratch;
	Sums<Sum>	sums = {scratch, scratch + frames.count,
		scratch + 2 * frames.count, scratch + 2 * frames.count + tiles};

	if (is_near(&frames))
		return launch_kernel(work->stream, combine_near_frames<Op, Result>,
							 count_tiles(frames.count, near_items<Op>),
							 WINDOW_THREADS, 0, in, (Result *) work->out[0],
							 frames, lengths, work->report->overflow);
	if (!window_is_narrow(&frames))
		TRY(launch_kernel(work->stream, combine_tiles<Op>, tiles, SEGMENTS, 0,
						  in, frames, sums));
	if (frames.block > WINDOW_TILE)
		TRY(launch_kernel(work->stream, accumulate_tiles<Op>,
						  count_tiles(2 * count_tiles(frames.count,
													  frames.block),
									  WINDOW_THREADS), WINDOW_THREADS, 0,
						  tiles, frames.block / WINDOW_TILE, sums));
	return launch_kernel(work->stream, combine_frames<Op, Result>,
						 count_tiles(frames.count, WINDOW_THREADS),
						 WINDOW_THREADS, 0, in, (Result *) work->out[0],
						 frames, sums, lengths, work->report->overflow);
}

template <typename T>
static cudaError_t
extremes_of(const DeviceWork *work)
{
	if (PARAMETERS(work->request, WindowParameters)->op == SCAN_MIN)
		return launch<Extreme<T, true>, T>(work);
	return launch<Extreme<T, false>, T>(work);
}

/* Sums of the elements' type, or averages. */
template <typename Op, typename Average = Op>
static cudaError_t
sums_of(const DeviceWork *work)
{
	if (work->request->kinds[0] == work->request->outputs[0].kind)
		return launch<Op, typename Op::Element>(work);
	return launch<Average, double>(work);
}

static cudaError_t
sums_of_kind(const DeviceWork *work)
{
	switch (work->request->kinds[0])
	{
		case KIND_INT2:
			return sums_of<AddIntegers<int16_t, int64_t>>(work);
		case KIND_INT4:
			return sums_of<AddIntegers<int32_t, int64_t>>(work);
		case KIND_INT8:
			return sums_of<AddIntegers<int64_t, WideSum>>(work);
		case KIND_FLOAT4:
			return sums_of<AddFloats<float, float>,
				AddFloats<float, double>>(work);
		case KIND_FLOAT8:
			return launch<AddFloats<double, double>, double>(work);
		default:
			return cudaErrorInvalidValue;
	}
}

static cudaError_t
window_run(const DeviceWork *work)
{
	if (PARAMETERS(work->request, WindowParameters)->op == SCAN_ADD)
		return sums_of_kind(work);
	RETURN_BY_ORDER(work->request->kinds[0], extremes_of, work);
}

/* The bytes of a Sum, as sums_of and extremes_of choose it. */
static size_t
sum_size(const EngineRequest *request)
{
	ElementKind kind = request->kinds[0];

	static_assert(sizeof(FloatSum<float>) == sizeof(int64_t) &&
				  sizeof(FloatSum<double>) == sizeof(WideSum), "two sizes");
	if (PARAMETERS(request, WindowParameters)->op != SCAN_ADD)
		return kind_size(kind);
	return kind == KIND_INT8 || (kind_is_float(kind) &&
								 request->outputs[0].kind == KIND_FLOAT8) ?
		sizeof(WideSum) : sizeof(int64_t);
}

static cudaError_t
window_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	WindowFrames frames = window_frames(PARAMETERS(request, WindowParameters),
										request->count);

	if (!window_is_narrow(&frames) && !is_near(&frames))
		sizes->scratch = 2 * sum_size(request) *
			(request->count + count_tiles(request->count, WINDOW_TILE));
	return cudaSuccess;
}

static bool
window_supports(const EngineRequest *request)
{
	ScanOperator op = PARAMETERS(request, WindowParameters)->op;

	return op == SCAN_MIN || op == SCAN_MAX ||
		(op == SCAN_ADD && kind_is_number(request->kinds[0]));
}

const DeviceOperation cuda_window = {
	.supports = window_supports,
	.sizes = window_sizes,
	.run = window_run
};
