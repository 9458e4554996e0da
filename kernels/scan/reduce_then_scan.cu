/*
 * reduce_then_scan.cu
 *	  Scans by any operator, in the order of float_order.h.
 *
 * A first kernel reduces each tile, a second one scans the tiles' aggregates,
 * and a third one scans each tile from its prefix.  The names s, r and c are
 * those of float_order.h.  In the second kernel, one thread follows the order.
 *
 * A reduction needs the third kernel only to see whether a partial result
 * overflows.  No partial sum does if a bound of it is far from overflow.
 */
#include "kernels/common/block.h"
#include "kernels/common/combine.h"
#include "kernels/common/kernels.h"
#include "kernels/common/segmented_tile.h"
#include "kernels/common/vector.h"

/*
 * A tile in shared memory, with a segment in each row.  Rows are padded, so
 * that threads that each read their own row do not conflict in a bank.
 */
template <typename T>
struct SegmentedTile
{
	T			items[FLOAT_SEGMENTS][FLOAT_SEGMENT + (sizeof(T) < 4 ? 2 : 1)];
	TileEnds<T> ends;
};

/* Vectors of a thread that are in flight, at most as many as a segment has. */
template <typename T>
struct InFlight
{
	static const int most = FLOAT_SEGMENT / Vector<T>::count;
	static const int vectors = most < SEGMENT_VECTORS ? most : SEGMENT_VECTORS;
};

/* A segment so far. */
template <typename T>
struct Segment
{
	T			s;
	T			greatest;		/* |s|, but for a NaN; if floats are added */
};

template <typename T>
__device__ static inline void
add_to_segment(ScanOperator op, Segment<T> *segment, T item)
{
	segment->s = combine(op, segment->s, item);
	if (Number<T>::is_float && op == SCAN_ADD)
		segment->greatest = max(segment->greatest, magnitude(segment->s));
}

template <typename In, typename T>
__device__ static inline Segment<T>
reduce_segment(ScanOperator op, const In *in, int items)
{
	const int	each = Vector<In>::count;
	Segment<T>	segment = {identity<T>(op), 0};

	if (items < FLOAT_SEGMENT)
	{
		for (int i = 0; i < items; i++)
			add_to_segment(op, &segment, (T) in[i]);
		return segment;
	}
	for (int first = 0; first < FLOAT_SEGMENT;
		 first += InFlight<In>::vectors * each)
	{
		Vector<In>	vectors[InFlight<In>::vectors];

		load_vectors(vectors, in + first, each);
#pragma unroll
		for (int i = 0; i < InFlight<In>::vectors * each; i++)
			add_to_segment(op, &segment,
						   (T) vectors[i / each].items[i % each]);
	}
	return segment;
}

/*
 * Each thread reads its own segment, whose vectors share cache lines: so
 * nothing goes through shared memory, and more threads are at work.
 */
template <typename In, typename T>
__global__ void __launch_bounds__(SEGMENT_THREADS)
reduce_tiles(ScanOperator op, const In *in, long long count,
			 TileAggregate<T> *aggregates)
{
	__shared__ TileEnds<T> ends;
	Overflows	ignored = 0;
	int			items = tile_items(count);
	int			last = segments_of(items) - 1;
	const In   *own = in + (long long) blockIdx.x * FLOAT_TILE +
		threadIdx.x * FLOAT_SEGMENT;
	int			own_items = segment_items(items);
	Segment<T>	segment;
	T			bound = 0;

	with_operator(op, [&] (auto own_op) {
		segment = reduce_segment<In, T>(own_op, own, own_items);
		ends.last_s[threadIdx.x] = segment.s;
		__syncthreads();
		if (threadIdx.x == 0)
			chain_segments<false>(own_op, last + 1, ends.last_s, ends.r,
								  &ignored);
	});
	if (Number<T>::is_float && op == SCAN_ADD)
	{
		__syncthreads();
		if (threadIdx.x <= last)
			bound = max(segment.greatest,
						segment.greatest + magnitude(ends.r[threadIdx.x]));
		/* Of a number and a NaN, the number. */
		bound = block_reduce<SEGMENT_THREADS>(bound, [] (T a, T b) {
			return max(a, b);
		});
	}
	if (threadIdx.x == 0)
		aggregates[blockIdx.x] = {ends.r[last], ends.last_s[last], bound};
}

/*
 * Scans each tile from its prefix.  A reduction only checks for overflow, if
 * one may occur, and has no "out".
 */
template <typename In, typename T>
__global__ void __launch_bounds__(SEGMENT_THREADS)
scan_tiles(ScanOperator op, bool reduces, const In *in, T *out,
		   long long count, const T *c, const int *needs_check, int *overflow)
{
	__shared__ SegmentedTile<T> tile;
	long long	first = (long long) blockIdx.x * FLOAT_TILE;
	int			items = tile_items(count);
	T			before = c[blockIdx.x];
	T		   *own = tile.items[threadIdx.x];
	bool		checks = can_overflow(op) && (!needs_check || *needs_check);
	Overflows	seen;

	if (reduces && !checks)
		return;
#pragma unroll 8
	for (int i = threadIdx.x; i < items; i += SEGMENT_THREADS)
		tile.items[i / FLOAT_SEGMENT][i % FLOAT_SEGMENT] = in[first + i];
	__syncthreads();

	seen = checks ? scan_tile<true>(&tile.ends, op, own, items, before, own) :
		with_operator(op, [&] (auto own_op) {
			return scan_tile<false>(&tile.ends, own_op, own, items, before,
									own);
		});
	report_overflows(seen, overflow);

	if (reduces)
		return;
	__syncthreads();
	for (int i = threadIdx.x; i < items; i += SEGMENT_THREADS)
		out[first + i] = tile.items[i / FLOAT_SEGMENT][i % FLOAT_SEGMENT];
}

size_t
reduce_then_scan_scratch_bytes(int64_t count)
{
	return count_tiles(count, FLOAT_TILE) *
		(sizeof(TileAggregate<double>) + sizeof(double)) + sizeof(int);
}

template <typename In, typename T = In>
static cudaError_t
scan_array(const DeviceWork *work, bool reduces)
{
	ScanOperator op = PARAMETERS(work->request, ScanParameters)->op;
	cudaStream_t stream = work->stream;
	int			tiles = (int) count_tiles(work->count, FLOAT_TILE);
	TileAggregate<T> *aggregates = (TileAggregate<T> *) work->scratch;
	T		   *c = (T *) (aggregates + tiles);
	int		   *needs_check = Number<T>::is_float && can_overflow(op) ?
		(int *) (c + tiles) : NULL;
	T		   *end = (T *) &work->report->value;
	TileRange<T> range = {
		aggregates, tiles, c, end, needs_check, work->first > 0 ? end : NULL
	};
	const In   *from = (const In *) work->in[0];

	TRY(launch_kernel(stream, reduce_tiles<In, T>, tiles, SEGMENT_THREADS, 0,
					  op, from, work->count, aggregates));
	TRY(scan_aggregates(stream, op, 1, range));
	return launch_kernel(stream, scan_tiles<In, T>, tiles, SEGMENT_THREADS, 0,
						 op, reduces, from, (T *) work->out[0], work->count, c,
						 needs_check, work->report->overflow);
}

bool
reduce_then_scan_supports(const EngineRequest *request)
{
	ScanOperator op = PARAMETERS(request, ScanParameters)->op;
	ElementKind kind = request->kinds[0];
	ElementKind sum_kind = request->outputs[0].kind;

	if (!kind_is_number(kind) && op != SCAN_MIN && op != SCAN_MAX)
		return false;
	if (kind_is_float(kind) && op >= SCAN_AND)
		return false;
	return sum_kind == kind ||
		(sum_kind == KIND_INT8 && !kind_is_float(kind) && op == SCAN_ADD);
}

cudaError_t
reduce_then_scan(const DeviceWork *work, bool reduces)
{
	ElementKind kind = work->request->kinds[0];
	bool		wide = work->request->outputs[0].kind != kind;

	if (wide && kind == KIND_INT2)
		return scan_array<int16_t, int64_t>(work, reduces);
	if (wide && kind == KIND_INT4)
		return scan_array<int32_t, int64_t>(work, reduces);
	RETURN_BY_ORDER(kind, scan_array, work, reduces);
}
