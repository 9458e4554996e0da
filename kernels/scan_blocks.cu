/*
 * scan_blocks.cu
 *	  Scans by any operator, in the order of float_order.h: reduce, then scan.
 *
 * The array is cut into blocks, and these into runs.  A first kernel finds the
 * result of each block; a second one goes through the blocks in turn, to find
 * the result of all before each of them; a third one makes the results.  Names
 * are those of float_order.h: integers go the same way, though they need not.
 */
#include "engine/float_order.h"
#include "kernels.h"
#include "number.h"

/* A thread for each run of a block. */
#define BLOCK_THREADS	FLOAT_RUNS

/* The left operand that leaves every element as it is. */
template <typename T>
__device__ static inline T
identity(ScanOperator op)
{
	switch (op)
	{
		case SCAN_ADD:
			return (T) -0.0;
		case SCAN_MULTIPLY:
			return 1;
		case SCAN_MIN:
			return Number<T>::greatest;
		case SCAN_MAX:
			return Number<T>::least;
		case SCAN_AND:
			return (T) -1;
		default:
			return 0;
	}
}

/* Core's order: a NaN is greater than all that are none. */
template <typename T>
__device__ static inline bool
less(T a, T b)
{
	return a < b || (!is_nan(a) && is_nan(b));
}

/*
 * Integers wrap.  Of those that are equal, the later one is the least, or the
 * greatest.
 */
template <typename T>
__device__ static inline T
combine(ScanOperator op, T a, T b)
{
	typedef unsigned long long Bits;

	switch (op)
	{
		case SCAN_ADD:
			return Number<T>::is_float ? (T) (a + b) :
				(T) ((Bits) a + (Bits) b);
		case SCAN_MULTIPLY:
			return Number<T>::is_float ? (T) (a * b) :
				(T) ((Bits) a * (Bits) b);
		case SCAN_MIN:
			return less(a, b) ? a : b;
		case SCAN_MAX:
			return less(b, a) ? a : b;
		case SCAN_AND:
			return (T) ((Bits) a & (Bits) b);
		case SCAN_OR:
			return (T) ((Bits) a | (Bits) b);
		case SCAN_XOR:
			return (T) ((Bits) a ^ (Bits) b);
	}
	return b;
}

__host__ __device__ static inline bool
can_overflow(ScanOperator op)
{
	return op == SCAN_ADD || op == SCAN_MULTIPLY;
}

/* The overflows that have been seen: a bit for each EngineOverflow. */
typedef unsigned Overflows;

template <typename T>
__device__ static inline Overflows
overflow_of(ScanOperator op, T a, T b, T result)
{
	bool		product = op == SCAN_MULTIPLY;
	bool		up;

	if (!can_overflow(op))
		return 0;
	if (Number<T>::is_float)
	{
		up = is_infinite(result) && !is_infinite(a) && !is_infinite(b);
		return (product && result == 0 && a != 0 && b != 0) <<
			OVERFLOW_DOWN | up << OVERFLOW_UP;
	}
	if (!product)
		up = (b < 0) != (result < a);
	else if (sizeof(T) < sizeof(long long))
		up = (long long) a * (long long) b != (long long) result;
	else
		up = __mul64hi((long long) a, (long long) b) !=
			(long long) result >> 63;
	return up << OVERFLOW_UP;
}

/* Combines, and notes what overflows. */
template <typename T>
__device__ static inline T
check(ScanOperator op, T a, T b, Overflows *seen)
{
	T			result = combine(op, a, b);

	*seen |= overflow_of(op, a, b, result);
	return result;
}

/* A sum or product that is a NaN is always the same one. */
template <typename T>
__device__ static inline T
one_nan(ScanOperator op, T value)
{
	return can_overflow(op) && is_nan(value) ? Number<T>::nan :
		value;
}

/*
 * A block in shared memory, with a run in a row.  Rows are a bit longer, so
 * that threads that go through one row each find their items in different
 * banks.
 */
template <typename T>
struct Block
{
	T			items[FLOAT_RUNS][FLOAT_RUN + (sizeof(T) < 4 ? 2 : 1)];
	T			last_s[FLOAT_RUNS];
	T			r[FLOAT_RUNS];
};

/* How many items the array has left for this block. */
__device__ static inline int
block_count(long long count)
{
	return (int) min((long long) FLOAT_BLOCK,
					 count - (long long) blockIdx.x * FLOAT_BLOCK);
}

__device__ static inline int
runs_of(int count)
{
	return (count + FLOAT_RUN - 1) / FLOAT_RUN;
}

/* And for this thread's run. */
__device__ static inline int
run_count(int count)
{
	return max(0, min(FLOAT_RUN, count - (int) threadIdx.x * FLOAT_RUN));
}

/* Loads a block, and finds the last s and the r of each run. */
template <typename In, typename T>
__device__ static inline void
fold_block(Block<T> *block, ScanOperator op, const In *in,
		   int count, Overflows *seen)
{
	int			runs = runs_of(count);
	int			run_items = run_count(count);
	const T    *run = block->items[threadIdx.x];
	T			s = identity<T>(op);

	for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
		block->items[i / FLOAT_RUN][i % FLOAT_RUN] = in[i];
	__syncthreads();
	for (int i = 0; i < run_items; i++)
		s = combine(op, s, run[i]);
	block->last_s[threadIdx.x] = s;
	__syncthreads();
	if (threadIdx.x == 0)
	{
		T			r = identity<T>(op);

		block->r[0] = r;
		for (int i = 1; i < runs; i++)
		{
			r = check(op, r, block->last_s[i - 1], seen);
			block->r[i] = r;
		}
	}
	__syncthreads();
}

/* The result of a block: c before it is (c op r) op s after it. */
template <typename T>
struct BlockTotal
{
	T			r;				/* of its last run */
	T			s;				/* the last one */
};

template <typename In, typename T>
__global__ void __launch_bounds__(BLOCK_THREADS)
total_blocks(ScanOperator op, const In *in, long long count,
			 BlockTotal<T> *totals)
{
	__shared__ Block<T> block;
	Overflows	ignored = 0;
	int			items = block_count(count);
	int			last = runs_of(items) - 1;

	fold_block(&block, op,
			   in + (long long) blockIdx.x * FLOAT_BLOCK, items, &ignored);
	if (threadIdx.x == 0)
		totals[blockIdx.x] = {block.r[last], block.last_s[last]};
}

/* The c of each block, and of the one that would be next, by one block. */
template <typename T>
__global__ void __launch_bounds__(CHAIN_THREADS)
chain_blocks(ScanOperator op, const BlockTotal<T> *totals,
			 int blocks, T *c, const T *start, T *end)
{
	__shared__ BlockTotal<T> some_totals[CHAIN_BLOCKS];
	__shared__ T some_c[CHAIN_BLOCKS];
	T			running = start ? *start : identity<T>(op);

	for (int first = 0; first < blocks; first += CHAIN_BLOCKS)
	{
		int			some = min(CHAIN_BLOCKS, blocks - first);

		for (int i = threadIdx.x; i < some; i += CHAIN_THREADS)
			some_totals[i] = totals[first + i];
		__syncthreads();
		if (threadIdx.x == 0)
		{
			for (int i = 0; i < some; i++)
			{
				some_c[i] = running;
				running = combine(op, running, some_totals[i].r);
				running = combine(op, running, some_totals[i].s);
			}
		}
		__syncthreads();
		for (int i = threadIdx.x; i < some; i += CHAIN_THREADS)
			c[first + i] = some_c[i];
	}
	if (threadIdx.x == 0)
		*end = one_nan(op, running);
}

/*
 * The results of a block, to "out" unless that is NULL.
 *
 * Of floats, every operation on the way to a result is checked here.  Of
 * integers, the last step to each result is: from the result before it, which
 * may have wrapped, and the element.  The first prefix of the array that is out
 * of range is noticed, as all before it are right; and if none is, no step
 * overflows.
 */
template <typename In, typename T>
__global__ void __launch_bounds__(BLOCK_THREADS)
finish_blocks(ScanOperator op, const In *in, T *out,
			  long long count, const T *c, int *overflow)
{
	__shared__ Block<T> block;
	long long	first = (long long) blockIdx.x * FLOAT_BLOCK;
	int			items = block_count(count);
	int			run_items = run_count(items);
	T		   *run = block.items[threadIdx.x];
	Overflows	seen_of_r = 0;
	Overflows	seen = 0;
	T			s = identity<T>(op);
	T			before = c[blockIdx.x];

	fold_block(&block, op, in + first, items, &seen_of_r);
	if (Number<T>::is_float)
		seen = seen_of_r;
	if (run_items > 0)
		before = Number<T>::is_float ?
			check(op, before, block.r[threadIdx.x], &seen) :
			combine(op, before, block.r[threadIdx.x]);
	for (int i = 0; i < run_items; i++)
	{
		if (Number<T>::is_float)
		{
			s = check(op, s, run[i], &seen);
			run[i] = one_nan(op,
							 check(op, before, s, &seen));
		}
		else
			run[i] = before = check(op, before, run[i], &seen);
	}
	if (seen & 1 << OVERFLOW_UP)
		overflow[OVERFLOW_UP] = 1;
	if (seen & 1 << OVERFLOW_DOWN)
		overflow[OVERFLOW_DOWN] = 1;

	if (out == NULL)
		return;
	__syncthreads();
	for (int i = threadIdx.x; i < items; i += BLOCK_THREADS)
		out[first + i] = block.items[i / FLOAT_RUN][i % FLOAT_RUN];
}

static int
blocks_of(int64_t count)
{
	return (int) ((count + FLOAT_BLOCK - 1) / FLOAT_BLOCK);
}

size_t
scan_blocks_scratch_bytes(int64_t count)
{
	return blocks_of(count) * (sizeof(BlockTotal<double>) + sizeof(double));
}

template <typename In, typename T>
static cudaError_t
scan_array(cudaStream_t stream, ScanOperator op, const void *in, void *out,
		   int64_t count, const void *start, void *end, void *scratch,
		   int *overflow)
{
	int			blocks = blocks_of(count);
	BlockTotal<T> *totals = (BlockTotal<T> *) scratch;
	T		   *c = (T *) (totals + blocks);
	const In   *from = (const In *) in;

	total_blocks<In, T><<<blocks, BLOCK_THREADS, 0, stream>>>
		(op, from, count, totals);
	TRY(cudaGetLastError());
	chain_blocks<T><<<1, CHAIN_THREADS, 0, stream>>>
		(op, totals, blocks, c, (const T *) start, (T *) end);
	TRY(cudaGetLastError());
	if (out == NULL && !can_overflow(op))
		return cudaSuccess;
	finish_blocks<In, T><<<blocks, BLOCK_THREADS, 0, stream>>>
		(op, from, (T *) out, count, c, overflow);
	return cudaGetLastError();
}

bool
scan_blocks_supports(ScanOperator op, ElementKind kind, ElementKind sum_kind)
{
	if (!kind_is_number(kind) || (kind_is_float(kind) && op >= SCAN_AND))
		return false;
	return sum_kind == kind ||
		(sum_kind == KIND_INT8 && !kind_is_float(kind) && op == SCAN_ADD);
}

template <typename T>
static cudaError_t
scan_to_same(cudaStream_t stream, ScanOperator op, const void *in, void *out,
			 int64_t count, const void *start, void *end, void *scratch,
			 int *overflow)
{
	return scan_array<T, T>(stream, op, in, out, count, start, end, scratch,
							overflow);
}

cudaError_t
scan_blocks(cudaStream_t stream, ScanOperator op, ElementKind kind,
			ElementKind sum_kind, const void *in, void *out, int64_t count,
			const void *start, void *end, void *scratch, int *overflow)
{
	if (sum_kind != kind && kind == KIND_INT2)
		return scan_array<int16_t, int64_t>(stream, op, in, out, count, start,
											end, scratch, overflow);
	if (sum_kind != kind && kind == KIND_INT4)
		return scan_array<int32_t, int64_t>(stream, op, in, out, count, start,
											end, scratch, overflow);
	RETURN_BY_NUMBER(kind, scan_to_same, stream, op, in, out, count, start,
					 end, scratch, overflow);
}
