/*
 * scan_blocks.cu
 *	  Scans by any operator, in the order of float_order.h: reduce, then scan.
 *
 * The array is cut into blocks, and these into runs.  A first kernel finds
 * what each block comes to; a second one goes through the blocks in turn, to
 * know what comes before each of them; a third one makes the results.  Names
 * are those of float_order.h: integers go the same way, though they need not.
 */
#include "device.h"
#include "engine/float_order.h"
#include "kernels.h"
#include "number.h"

/* A thread for each run of a block. */
#define BLOCK_THREADS	FLOAT_RUNS

/* Blocks that the second kernel goes through between two looks at memory. */
#define CHAIN_BLOCKS	512
#define CHAIN_THREADS	128

/* What, on the left, leaves every element as it is. */
template <typename T>
__device__ static inline T
identity(ScanOperator scan_operator)
{
	switch (scan_operator)
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
combine(ScanOperator scan_operator, T a, T b)
{
	typedef unsigned long long Bits;

	switch (scan_operator)
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
can_overflow(ScanOperator scan_operator)
{
	return scan_operator == SCAN_ADD || scan_operator == SCAN_MULTIPLY;
}

/* What overflows have been seen: a bit for each EngineOverflow. */
typedef unsigned Overflows;

template <typename T>
__device__ static inline Overflows
overflow_of(ScanOperator scan_operator, T a, T b, T result)
{
	bool		product = scan_operator == SCAN_MULTIPLY;
	bool		up;

	if (!can_overflow(scan_operator))
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
check(ScanOperator scan_operator, T a, T b, Overflows *seen)
{
	T			result = combine(scan_operator, a, b);

	*seen |= overflow_of(scan_operator, a, b, result);
	return result;
}

/* A sum or product that is a NaN is always the same one. */
template <typename T>
__device__ static inline T
one_nan(ScanOperator scan_operator, T value)
{
	return can_overflow(scan_operator) && is_nan(value) ? Number<T>::nan :
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
fold_block(Block<T> *block, ScanOperator scan_operator, const In *in,
		   int count, Overflows *seen)
{
	int			runs = runs_of(count);
	int			run_items = run_count(count);
	const T    *run = block->items[threadIdx.x];
	T			s = identity<T>(scan_operator);

	for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
		block->items[i / FLOAT_RUN][i % FLOAT_RUN] = in[i];
	__syncthreads();
	for (int i = 0; i < run_items; i++)
		s = combine(scan_operator, s, run[i]);
	block->last_s[threadIdx.x] = s;
	__syncthreads();
	if (threadIdx.x == 0)
	{
		T			r = identity<T>(scan_operator);

		block->r[0] = r;
		for (int i = 1; i < runs; i++)
		{
			r = check(scan_operator, r, block->last_s[i - 1], seen);
			block->r[i] = r;
		}
	}
	__syncthreads();
}

/* What a block comes to: c before it is (c op r) op s after it. */
template <typename T>
struct BlockTotal
{
	T			r;				/* of its last run */
	T			s;				/* the last one */
};

template <typename In, typename T>
__global__ void __launch_bounds__(BLOCK_THREADS)
total_blocks(ScanOperator scan_operator, const In *in, long long count,
			 BlockTotal<T> *totals)
{
	__shared__ Block<T> block;
	Overflows	ignored = 0;
	int			items = block_count(count);
	int			last = runs_of(items) - 1;

	fold_block(&block, scan_operator,
			   in + (long long) blockIdx.x * FLOAT_BLOCK, items, &ignored);
	if (threadIdx.x == 0)
		totals[blockIdx.x] = {block.r[last], block.last_s[last]};
}

/* The c of each block, and of the one that would be next, by one block. */
template <typename T>
__global__ void __launch_bounds__(CHAIN_THREADS)
chain_blocks(ScanOperator scan_operator, const BlockTotal<T> *totals,
			 int blocks, T *c, const T *start, T *end)
{
	__shared__ BlockTotal<T> some_totals[CHAIN_BLOCKS];
	__shared__ T some_c[CHAIN_BLOCKS];
	T			running = start ? *start : identity<T>(scan_operator);

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
				running = combine(scan_operator, running, some_totals[i].r);
				running = combine(scan_operator, running, some_totals[i].s);
			}
		}
		__syncthreads();
		for (int i = threadIdx.x; i < some; i += CHAIN_THREADS)
			c[first + i] = some_c[i];
	}
	if (threadIdx.x == 0)
		*end = one_nan(scan_operator, running);
}

/*
 * The results of a block, to "out" unless that is NULL.
 *
 * All that floats overflow on the way to a result is seen here.  Of integers,
 * each result is looked at as what it is made of in turn: the one before it,
 * which may have wrapped, and the element.  The first prefix of the array that
 * is out of range is seen to be, as all before it are right; and if none is,
 * no step is seen to overflow.
 */
template <typename In, typename T>
__global__ void __launch_bounds__(BLOCK_THREADS)
finish_blocks(ScanOperator scan_operator, const In *in, T *out,
			  long long count, const T *c, int *overflow)
{
	__shared__ Block<T> block;
	long long	first = (long long) blockIdx.x * FLOAT_BLOCK;
	int			items = block_count(count);
	int			run_items = run_count(items);
	T		   *run = block.items[threadIdx.x];
	Overflows	seen_of_r = 0;
	Overflows	seen = 0;
	T			s = identity<T>(scan_operator);
	T			before = c[blockIdx.x];

	fold_block(&block, scan_operator, in + first, items, &seen_of_r);
	if (Number<T>::is_float)
		seen = seen_of_r;
	if (run_items > 0)
		before = Number<T>::is_float ?
			check(scan_operator, before, block.r[threadIdx.x], &seen) :
			combine(scan_operator, before, block.r[threadIdx.x]);
	for (int i = 0; i < run_items; i++)
	{
		if (Number<T>::is_float)
		{
			s = check(scan_operator, s, run[i], &seen);
			run[i] = one_nan(scan_operator,
							 check(scan_operator, before, s, &seen));
		}
		else
			run[i] = before = check(scan_operator, before, run[i], &seen);
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
static EngineStatus
scan_array(cudaStream_t stream, ScanOperator scan_operator, const void *in,
		   void *out, int64_t count, const void *start, void *end,
		   void *scratch, int *overflow)
{
	int			blocks = blocks_of(count);
	BlockTotal<T> *totals = (BlockTotal<T> *) scratch;
	T		   *c = (T *) (totals + blocks);
	const In   *from = (const In *) in;

	total_blocks<In, T><<<blocks, BLOCK_THREADS, 0, stream>>>
		(scan_operator, from, count, totals);
	TRY_CUDA(cudaGetLastError());
	chain_blocks<T><<<1, CHAIN_THREADS, 0, stream>>>
		(scan_operator, totals, blocks, c, (const T *) start, (T *) end);
	TRY_CUDA(cudaGetLastError());
	if (out == NULL && !can_overflow(scan_operator))
		return ENGINE_OK;
	finish_blocks<In, T><<<blocks, BLOCK_THREADS, 0, stream>>>
		(scan_operator, from, (T *) out, count, c, overflow);
	TRY_CUDA(cudaGetLastError());
	return ENGINE_OK;
}

typedef EngineStatus (*ScanArray) (cudaStream_t, ScanOperator, const void *,
								   void *, int64_t, const void *, void *,
								   void *, int *);

/* By ElementKind: results of the elements' kind, and sums of 8 bytes. */
static const ScanArray scans[ELEMENT_KINDS] = {
	NULL,
	scan_array<short, short>,
	scan_array<int, int>,
	NULL,
	scan_array<long long, long long>,
	scan_array<float, float>,
	scan_array<double, double>
};

static const ScanArray wide_sums[ELEMENT_KINDS] = {
	NULL,
	scan_array<short, long long>,
	scan_array<int, long long>
};

static ScanArray
find_scan(ScanOperator scan_operator, ElementKind kind, ElementKind sum_kind)
{
	if (kind_is_float(kind) && scan_operator >= SCAN_AND)
		return NULL;
	if (sum_kind == kind)
		return scans[kind];
	return sum_kind == KIND_INT8 && scan_operator == SCAN_ADD ?
		wide_sums[kind] : NULL;
}

bool
scan_blocks_can(ScanOperator scan_operator, ElementKind kind,
				ElementKind sum_kind)
{
	return find_scan(scan_operator, kind, sum_kind) != NULL;
}

EngineStatus
scan_blocks(cudaStream_t stream, ScanOperator scan_operator, ElementKind kind,
			ElementKind sum_kind, const void *in, void *out, int64_t count,
			const void *start, void *end, void *scratch, int *overflow)
{
	ScanArray	scan = find_scan(scan_operator, kind, sum_kind);

	return scan(stream, scan_operator, in, out, count, start, end, scratch,
				overflow);
}
