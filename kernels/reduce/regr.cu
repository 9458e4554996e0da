/*
 * regr.cu
 *	  Moments of pairs, as regr.h has them.
 */
#include "contract/operations/regr.h"
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

/* Whether some y, or some x, has other bits than the first one. */
struct PairsDiffer
{
	int			y;
	int			x;

	__device__ static PairsDiffer
	none()
	{
		return {};
	}

	__device__ PairsDiffer
	operator() (const PairsDiffer &a, const PairsDiffer &b) const
	{
		return {a.y | b.y, a.x | b.x};
	}
};

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

__device__ static inline uint64_t
bits_of(double number)
{
	return (uint64_t) __double_as_longlong(number);
}

struct Pairs
{
	typedef PairSums Sums;
	typedef PairsDiffer Facts;
	typedef EngineRegr Summary;

	const void *y;
	const void *x;
	ElementKind y_kind;
	ElementKind x_kind;
	long long	count;

	/* Calls a function with each pair of "length", from index "at" on. */
	template <typename Function>
	__device__ void
	for_each(long long at, int length, Function function) const
	{
		for (int first = 0; first < length; first += REGR_BATCH)
		{
			int			number = min(REGR_BATCH, length - first);
			double		ys[REGR_BATCH];
			double		xs[REGR_BATCH];

			load_numbers(y_kind, y, at + first, number, ys);
			load_numbers(x_kind, x, at + first, number, xs);
#pragma unroll
			for (int i = 0; i < REGR_BATCH; i++)
			{
				if (i < number)
					function(ys[i], xs[i]);
			}
		}
	}

	/* The bits of the first y, or of the first x. */
	__device__ static uint64_t
	first_bits(ElementKind kind, const void *in)
	{
		double		numbers[REGR_BATCH];

		load_numbers(kind, in, 0, 1, numbers);
		return bits_of(numbers[0]);
	}

	/*
	 * Every step is checked for overflow.  The segment is read twice, the
	 * second time from a cache.  Each thread reads its own one, whose vectors
	 * share cache lines, as in reduce_then_scan.cu.
	 */
	__device__ Part<PairSums>
	sum_segment(PairsDiffer *differ, bool *overflow) const
	{
		uint64_t	first_y = first_bits(y_kind, y);
		uint64_t	first_x = first_bits(x_kind, x);
		int			length = segment_items(tile_items(count));
		long long	at = (long long) blockIdx.x * FLOAT_TILE +
			threadIdx.x * FLOAT_SEGMENT;
		PairSums	sums = {(double) length, -0.0, -0.0};
		PairSums::Squares squares = {};
		bool		y_finite = true;
		bool		x_finite = true;
		bool		over = false;
		double		y_mean;
		double		x_mean;

		for_each(at, length, [&] (double y, double x) {
			over |= stats_overflow(sums.y + y, sums.y, y) ||
				stats_overflow(sums.x + x, sums.x, x);
			sums.y += y;
			sums.x += x;
			y_finite = y_finite && is_finite(y);
			x_finite = x_finite && is_finite(x);
			differ->y |= bits_of(y) != first_y;
			differ->x |= bits_of(x) != first_x;
		});
		y_mean = sums.y / length;
		x_mean = sums.x / length;
		for_each(at, length, [&] (double y, double x) {
			squares.y += (y - y_mean) * (y - y_mean);
			squares.x += (x - x_mean) * (x - x_mean);
			squares.products += (y - y_mean) * (x - x_mean);
		});
		*overflow = over || (y_finite && !is_finite(squares.y)) ||
			(x_finite && !is_finite(squares.x)) ||
			(y_finite && x_finite && !is_finite(squares.products));
		return {sums, squares};
	}

	__device__ void
	put(EngineRegr *regr, const Part<PairSums> &all, PairsDiffer differ) const
	{
		regr->moments.y = {all.sums.count, all.sums.y, all.squares.y};
		regr->moments.x = {all.sums.count, all.sums.x, all.squares.x};
		regr->moments.products = all.squares.products;
		regr->first_y = first_bits(y_kind, y);
		regr->first_x = first_bits(x_kind, x);
		regr->y_differs = differ.y;
		regr->x_differs = differ.x;
	}
};

static cudaError_t
regr_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->scratch = moments_scratch_bytes<Pairs>(request->count);
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

	return find_moments(work, Pairs {
		work->in[0], work->in[1], request->kinds[0], request->kinds[1],
		work->count
	});
}

const DeviceOperation cuda_regr = {
	.supports = regr_supports,
	.sizes = regr_sizes,
	.traits = TRAIT_DIRECT,
	.run = regr_run
};
