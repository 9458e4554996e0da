/*
 * stats.cu
 *	  Statistics of numbers, as stats.h has them.
 *
 * Each block sums up a share of integers, and the last one merges the sums of
 * all.  Those of floats are moments (merge_in_order.h).
 */
#include "contract/order.h"
#include "contract/operations/stats.h"
#include "kernels/reduce/merge_in_order.h"

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

template <typename T>
__global__ void __launch_bounds__(REDUCE_THREADS, STATS_BLOCKS_PER_SM)
sum_integers(const T *in, long long count, IntegerPart *parts, GridState *grid,
			 EngineStats *stats)
{
	IntegerPart part = {{}, INT64_MAX, INT64_MIN};

	for_each_vector(in, count, [&] (const Vector<T> &own, int number,
									long long) {
#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			T			item = own.items[i];

			if (i >= number)
				break;
			part.least = min(part.least, (int64_t) item);
			part.greatest = max(part.greatest, (int64_t) item);
			if (sizeof(T) < sizeof(int64_t))
				integer_sums_add_narrow(&part.sums, (int32_t) item);
			else
				integer_sums_add_wide(&part.sums, item);
		}
	});
	part = block_reduce<REDUCE_THREADS>(part, MergeIntegers());
	if (!merge_blocks<REDUCE_THREADS>(&part, parts, &grid->done,
									 MergeIntegers()))
		return;
	integer_sums_total(&part.sums, stats);
	stats->least = part.least;
	stats->greatest = part.greatest;
}

/* Floats. */

/* The sums of a segment, of several, or of all so far. */
template <typename T>
struct FloatSums
{
	typedef double Squares;

	double		count;
	double		sum;
	T			own_sum;		/* each addition rounded to this type */

	__device__ static FloatSums
	none()
	{
		return {0, -0.0, (T) -0.0};
	}

	__device__ static FloatSums
	add(const FloatSums &a, const FloatSums &b)
	{
		return {a.count + b.count, a.sum + b.sum, a.own_sum + b.own_sum};
	}

	__device__ static double
	between(const FloatSums &a, const FloatSums &b, bool *overflow)
	{
		FloatSums	both = add(a, b);

		*overflow |= stats_overflow(both.sum, a.sum, b.sum) ||
			stats_overflow(both.own_sum, a.own_sum, b.own_sum);
		return moments_between({a.count, a.sum, 0}, {b.count, b.sum, 0});
	}

	__device__ static double
	add_squares(double a, double b, double between)
	{
		return a + b + between;
	}

	__device__ static bool
	overflows(double both, double a, double b)
	{
		return stats_overflow(both, a, b);
	}

	__device__ static bool
	all_finite(double squares)
	{
		return is_finite(squares);
	}
};

/* The elements' order, which is one to one. */
template <typename T>
__device__ static inline uint64_t
exact_order(T item)
{
	if constexpr (sizeof(T) == sizeof(float))
		return float4_order(__float_as_uint(item));
	else
		return float8_order((uint64_t) __double_as_longlong(item));
}

struct OrderRange
{
	uint64_t	least;
	uint64_t	greatest;

	__device__ static OrderRange
	none()
	{
		return {UINT64_MAX, 0};
	}

	__device__ OrderRange
	operator() (const OrderRange &a, const OrderRange &b) const
	{
		return {min(a.least, b.least), max(a.greatest, b.greatest)};
	}
};

template <typename T>
struct Floats
{
	typedef FloatSums<T> Sums;
	typedef OrderRange Facts;
	typedef EngineStats Summary;

	const T    *in;
	long long	count;

	/*
	 * Every step is checked for overflow.  Rows of a tile are a bit longer than
	 * a segment, so that threads that go through one row each find their items
	 * in different banks.
	 */
	__device__ Part<Sums>
	sum_segment(OrderRange *range, bool *overflow) const
	{
		__shared__ T rows[FLOAT_SEGMENTS][FLOAT_SEGMENT + 1];
		const T    *items = rows[threadIdx.x];
		long long	first = (long long) blockIdx.x * FLOAT_TILE;
		int			tile_count = tile_items(count);
		int			length = segment_items(tile_count);
		FloatSums<T> sums = {(double) length, -0.0, (T) -0.0};
		double		squares = 0;
		bool		finite = true;
		bool		in_range = true;
		double		mean;

		for (int i = threadIdx.x; i < tile_count; i += SEGMENT_THREADS)
			rows[i / FLOAT_SEGMENT][i % FLOAT_SEGMENT] = in[first + i];
		__syncthreads();
		for (int i = 0; i < length; i++)
		{
			T			item = items[i];
			T			own_sum = sums.own_sum + item;
			double		sum = sums.sum + item;

			if (stats_overflow(own_sum, sums.own_sum, item) ||
				stats_overflow(sum, sums.sum, item))
				in_range = false;
			sums.own_sum = own_sum;
			sums.sum = sum;
			finite = finite && is_finite(item);
			*range = OrderRange()(*range,
								  {exact_order(item), exact_order(item)});
		}
		mean = sums.sum / length;
		for (int i = 0; i < length; i++)
		{
			double		apart = items[i] - mean;

			squares += apart * apart;
		}
		*overflow = !in_range || (finite && !is_finite(squares));
		return {sums, squares};
	}

	__device__ static void
	put(EngineStats *stats, const Part<Sums> &all, const OrderRange &range)
	{
		stats->moments = {all.sums.count, all.sums.sum, all.squares};
		stats->own_sum = all.sums.own_sum;
		stats->least_order = range.least;
		stats->greatest_order = range.greatest;
	}
};

static cudaError_t
stats_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->scratch = kind_is_float(request->kinds[0]) ?
		moments_scratch_bytes<Floats<double>>(request->count) :
		device_blocks(STATS_BLOCKS_PER_SM) * sizeof(IntegerPart);
	return cudaSuccess;
}

template <typename T>
static cudaError_t
stats_of(const DeviceWork *work)
{
	const T    *in = (const T *) work->in[0];

	if constexpr (Number<T>::is_float)
		return find_moments(work, Floats<T> {in, work->count});
	else
		return launch_kernel(work->stream, sum_integers<T>,
							 count_vector_blocks<T>(work->count, REDUCE_THREADS,
													STATS_BLOCKS_PER_SM),
							 REDUCE_THREADS, 0, in, work->count,
							 (IntegerPart *) work->scratch, work->grid,
							 (EngineStats *) work->summary);
}

const DeviceOperation cuda_stats = {
	.supports = supports_numbers,
	.sizes = stats_sizes,
	.traits = TRAIT_DIRECT | TRAIT_ALONE,
	.run = RUN_BY(RETURN_BY_NUMBER, stats_of)
};
