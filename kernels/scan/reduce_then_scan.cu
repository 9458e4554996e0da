/*
 * reduce_then_scan.cu
 *	  Scans by any operator, in the order of float_order.h.
 *
 * A first kernel reduces each tile, a second one scans the tiles' aggregates,
 * and a third one scans each tile from its prefix.  The names s, r and c are
 * those of float_order.h.  In the second kernel, one thread follows the order;
 * where the order does not matter, all threads of a block scan.
 *
 * A reduction needs the third kernel only to see whether a partial result
 * overflows.  No partial sum does if a bound of it is far from overflow.
 */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "kernels/common/combine.h"
#include "kernels/common/kernels.h"
#include "kernels/common/vector.h"
#include "kernels/scan/scan_aggregates.h"

/* Vectors that a thread loads at once: h200-kernels-operations.md. */
#define SEGMENT_VECTORS		8

/* A thread block has a tile, and a thread has a segment of it. */
#define SEGMENT_THREADS	FLOAT_SEGMENTS

/*
 * A tile in shared memory, with a segment in each row.  Rows are padded, so
 * that threads that each read their own row do not conflict in a bank.
 */
template <typename T>
struct SegmentedTile
{
	T			items[FLOAT_SEGMENTS][FLOAT_SEGMENT + (sizeof(T) < 4 ? 2 : 1)];
	T			last_s[FLOAT_SEGMENTS];
	T			r[FLOAT_SEGMENTS];
};

/* Vectors of a thread that are in flight, at most those of a segment. */
template <typename T>
struct InFlight
{
	static const int most = FLOAT_SEGMENT / Vector<T>::count;
	static const int vectors = most < SEGMENT_VECTORS ? most : SEGMENT_VECTORS;
};

/* The number of items in this thread block's tile. */
__device__ static inline int
tile_items(long long count)
{
	return (int) min((long long) FLOAT_TILE,
					 count - (long long) blockIdx.x * FLOAT_TILE);
}

__device__ static inline int
segments_of(int items)
{
	return (items + FLOAT_SEGMENT - 1) / FLOAT_SEGMENT;
}

/* The number of items in this thread's segment. */
__device__ static inline int
segment_items(int items)
{
	return max(0, min(FLOAT_SEGMENT,
					  items - (int) threadIdx.x * FLOAT_SEGMENT));
}

/* Loads a tile; if it is full, several vectors of a thread are in flight. */
template <typename In, typename T>
__device__ static inline void
load_tile(SegmentedTile<T> *tile, const In *in, int items)
{
	const int	each = Vector<In>::count;
	const int	apart = SEGMENT_THREADS * each;

	if (items < FLOAT_TILE)
	{
		for (int i = threadIdx.x; i < items; i += SEGMENT_THREADS)
			tile->items[i / FLOAT_SEGMENT][i % FLOAT_SEGMENT] = in[i];
		return;
	}
	for (int first = threadIdx.x * each; first < FLOAT_TILE;
		 first += InFlight<In>::vectors * apart)
	{
		Vector<In>	vectors[InFlight<In>::vectors];

		load_vectors(vectors, in + first, apart);
#pragma unroll
		for (int i = 0; i < InFlight<In>::vectors * each; i++)
		{
			int			at = first + i / each * apart + i % each;

			tile->items[at / FLOAT_SEGMENT][at % FLOAT_SEGMENT] =
				vectors[i / each].items[i % each];
		}
	}
}

/* Combines; adds an overflow to *seen if that is to be checked. */
template <bool checks, typename T>
__device__ static inline T
combine_step(ScanOperator op, T a, T b, Overflows *seen)
{
	return checks ? combine_checked(op, a, b, seen) : combine(op, a, b);
}

/*
 * Computes r of each segment from the last s of the segments before, which is
 * the identity for those behind the last element.  For one thread.
 */
template <bool checks, typename T>
__device__ static inline void
chain_segments(ScanOperator op, const T last_s[FLOAT_SEGMENTS],
			   T r[FLOAT_SEGMENTS], Overflows *seen)
{
	T			running = identity<T>(op);

	for (int first = 0; first < FLOAT_SEGMENTS; first += CHAINED_STEPS)
	{
		T			own[CHAINED_STEPS];

#pragma unroll
		for (int i = 0; i < CHAINED_STEPS; i++)
			own[i] = last_s[first + i];
#pragma unroll
		for (int i = 0; i < CHAINED_STEPS; i++)
		{
			r[first + i] = running;
			running = combine_step<checks>(op, running, own[i], seen);
		}
	}
}

/* Computes each segment's last s and its r, of a tile that is loaded. */
template <bool checks, typename T>
__device__ static inline void
reduce_segments(SegmentedTile<T> *tile, ScanOperator op, int own_items,
				Overflows *seen)
{
	const T    *own = tile->items[threadIdx.x];
	T			s = identity<T>(op);

	for (int i = 0; i < own_items; i++)
		s = combine(op, s, own[i]);
	tile->last_s[threadIdx.x] = s;
	__syncthreads();
	if (threadIdx.x == 0)
		chain_segments<checks>(op, tile->last_s, tile->r, seen);
	__syncthreads();
}

/* The greater of two numbers; of a number and a NaN, the number. */
struct Greatest
{
	template <typename T>
	__device__ T
	operator()(T a, T b) const
	{
		return max(a, b);
	}
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
	typedef cub::BlockReduce<T, SEGMENT_THREADS> BlockReduce;
	__shared__ typename BlockReduce::TempStorage shared;
	__shared__ T last_s[FLOAT_SEGMENTS];
	__shared__ T r[FLOAT_SEGMENTS];
	Overflows	ignored = 0;
	int			items = tile_items(count);
	int			last = segments_of(items) - 1;
	const In   *own = in + (long long) blockIdx.x * FLOAT_TILE +
		threadIdx.x * FLOAT_SEGMENT;
	int			own_items = segment_items(items);
	Segment<T>	segment;
	T			bound = 0;

	/* Where the operator is known, the compiler removes the others. */
	switch (op)
	{
		case SCAN_ADD:
			segment = reduce_segment<In, T>(SCAN_ADD, own, own_items);
			break;
		case SCAN_MAX:
			segment = reduce_segment<In, T>(SCAN_MAX, own, own_items);
			break;
		default:
			segment = reduce_segment<In, T>(op, own, own_items);
			break;
	}
	last_s[threadIdx.x] = segment.s;
	__syncthreads();
	if (threadIdx.x == 0)
	{
		if (op == SCAN_ADD)
			chain_segments<false>(SCAN_ADD, last_s, r, &ignored);
		else
			chain_segments<false>(op, last_s, r, &ignored);
	}
	if (Number<T>::is_float && op == SCAN_ADD)
	{
		__syncthreads();
		if (threadIdx.x <= last)
			bound = max(segment.greatest,
						segment.greatest + magnitude(r[threadIdx.x]));
		bound = BlockReduce(shared).Reduce(bound, Greatest());
	}
	if (threadIdx.x == 0)
		aggregates[blockIdx.x] = {r[last], last_s[last], bound};
}

/*
 * Scans each tile from its prefix.  A reduction only checks for overflow, if
 * one may occur, and has no "out".
 *
 * For floats, each operation that contributes to a result is checked here.
 * For integers, only the step from the preceding result is.  That result may
 * have wrapped, but the first one of the array that is out of range is
 * noticed, because all results before it are right; and if none is out of
 * range, no step overflows.
 */
template <bool checks, typename T>
__device__ static inline Overflows
scan_tile(SegmentedTile<T> *tile, ScanOperator op, int own_items, T before)
{
	const bool	checks_all = checks && Number<T>::is_float;
	T		   *own = tile->items[threadIdx.x];
	Overflows	seen = 0;
	T			s = identity<T>(op);

	reduce_segments<checks_all>(tile, op, own_items, &seen);
	if (own_items > 0)
		before = combine_step<checks_all>(op, before, tile->r[threadIdx.x],
										  &seen);
	for (int i = 0; i < own_items; i++)
	{
		if (Number<T>::is_float)
		{
			s = combine_step<checks>(op, s, own[i], &seen);
			own[i] = canonical_nan(op, combine_step<checks>(op, before, s,
															&seen));
		}
		else
			own[i] = before = combine_step<checks>(op, before, own[i], &seen);
	}
	return seen;
}

template <typename In, typename T>
__global__ void __launch_bounds__(SEGMENT_THREADS)
scan_tiles(ScanOperator op, bool reduces, const In *in, T *out,
		   long long count, const T *c, const int *needs_check, int *overflow)
{
	__shared__ SegmentedTile<T> tile;
	long long	first = (long long) blockIdx.x * FLOAT_TILE;
	int			items = tile_items(count);
	int			own_items = segment_items(items);
	T			before = c[blockIdx.x];
	bool		checks = can_overflow(op) && (!needs_check || *needs_check);
	Overflows	seen;

	if (reduces && !checks)
		return;
	load_tile(&tile, in + first, items);
	__syncthreads();

	/* Where the operator is known, the compiler removes the others. */
	if (checks)
		seen = scan_tile<true>(&tile, op, own_items, before);
	else if (op == SCAN_ADD)
		seen = scan_tile<false>(&tile, SCAN_ADD, own_items, before);
	else if (op == SCAN_MIN)
		seen = scan_tile<false>(&tile, SCAN_MIN, own_items, before);
	else if (op == SCAN_MAX)
		seen = scan_tile<false>(&tile, SCAN_MAX, own_items, before);
	else
		seen = scan_tile<false>(&tile, op, own_items, before);
	if (seen & 1 << OVERFLOW_UP)
		overflow[OVERFLOW_UP] = 1;
	if (seen & 1 << OVERFLOW_DOWN)
		overflow[OVERFLOW_DOWN] = 1;

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

template <typename In, typename T>
static cudaError_t
scan_array(cudaStream_t stream, ScanOperator op, bool reduces, const void *in,
		   void *out, int64_t count, const void *start, void *end,
		   void *scratch, int *overflow)
{
	int			tiles = (int) count_tiles(count, FLOAT_TILE);
	TileAggregate<T> *aggregates = (TileAggregate<T> *) scratch;
	T		   *c = (T *) (aggregates + tiles);
	int		   *needs_check = is_ordered<T>(op) ? (int *) (c + tiles) : NULL;
	const In   *from = (const In *) in;

	reduce_tiles<In, T><<<tiles, SEGMENT_THREADS, 0, stream>>>
		(op, from, count, aggregates);
	TRY(cudaGetLastError());
	if (needs_check)
		scan_aggregates<T><<<1, AGGREGATE_THREADS, 0, stream>>>
			(op, aggregates, tiles, c, (const T *) start, (T *) end,
			 needs_check);
	else
		scan_aggregates_in_parallel<T><<<1, PARALLEL_THREADS, 0, stream>>>
			(op, aggregates, tiles, c, (const T *) start, (T *) end);
	TRY(cudaGetLastError());
	scan_tiles<In, T><<<tiles, SEGMENT_THREADS, 0, stream>>>
		(op, reduces, from, (T *) out, count, c, needs_check, overflow);
	return cudaGetLastError();
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

template <typename T>
static cudaError_t
scan_to_same(cudaStream_t stream, ScanOperator op, bool reduces,
			 const void *in, void *out, int64_t count, const void *start,
			 void *end, void *scratch, int *overflow)
{
	return scan_array<T, T>(stream, op, reduces, in, out, count, start, end,
							scratch, overflow);
}

cudaError_t
reduce_then_scan(cudaStream_t stream, ScanOperator op, bool reduces,
				 ElementKind kind, ElementKind sum_kind, const void *in,
				 void *out, int64_t count, const void *start, void *end,
				 void *scratch, int *overflow)
{
	if (sum_kind != kind && kind == KIND_INT2)
		return scan_array<int16_t, int64_t>(stream, op, reduces, in, out,
											count, start, end, scratch,
											overflow);
	if (sum_kind != kind && kind == KIND_INT4)
		return scan_array<int32_t, int64_t>(stream, op, reduces, in, out,
											count, start, end, scratch,
											overflow);
	RETURN_BY_ORDER(kind, scan_to_same, stream, op, reduces, in, out, count,
					start, end, scratch, overflow);
}
