/*
 * interpolate.cu
 *	  Linear interpolation: a search for each place.
 */
#include "contract/operations/interpolate.h"
#include "kernels/common/cells.h"
#include "kernels/common/kernels.h"

/* The points, by x. */
template <typename T>
struct Series
{
	const double *y;
	const T    *x;
	int			points;
};

/* Returns how many of the x from "from" on are no greater than a place. */
template <typename T>
__device__ static inline int
count_up_to(const Series<T> &series, int from, T place)
{
	return is_nan(place) ? series.points :
		from + find_bucket(series.x + from, series.points - from, place);
}

template <typename T>
__device__ static inline bool
are_equal(T a, T b)
{
	return a == b || (is_nan(a) && is_nan(b));
}

template <typename T>
__device__ static inline Distance
distance_of(T from, T to)
{
	if constexpr (Number<T>::is_float)
		return float_distance(from, to);
	else
		return integer_distance((uint64_t) from, (uint64_t) to);
}

template <typename T>
__device__ static inline double
value_at(const Series<T> &series, const InterpolateParameters &parameters,
		 T place, EngineOverflow *overflow)
{
	const T    *x = series.x;
	int			next = count_up_to(series, 0, place);
	int			last = next - 1;

	if (last >= 0 && are_equal(x[last], place))
		return series.y[last];
	if (last < 0 || next == series.points)
		return interpolate_null();
	if (next + 1 < series.points && are_equal(x[next + 1], x[next]))
		next = count_up_to(series, next, x[next]) - 1;
	return interpolate_between(&parameters, distance_of(x[last], place),
							   distance_of(x[last], x[next]), series.y[last],
							   series.y[next], overflow);
}

template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
interpolate_places(const T *places, double *out, long long count,
				   Series<T> series, InterpolateParameters parameters,
				   unsigned long long *nulls, DeviceReport *report)
{
	long long	i = (long long) blockIdx.x * ELEMENT_THREADS + threadIdx.x;
	EngineOverflow overflow = OVERFLOW_NONE;
	bool		null = false;
	int			block_nulls;

	if (i < count)
	{
		double		y = value_at(series, parameters, places[i], &overflow);

		out[i] = y;
		null = interpolate_is_null(y);
	}
	if (overflow != OVERFLOW_NONE)
		report->overflow[overflow] = 1;
	block_nulls = __syncthreads_count(null);
	if (threadIdx.x == 0 && block_nulls > 0)
		atomicAdd(nulls, (unsigned long long) block_nulls);
}

/* The results that are NULL count as errors. */
template <typename T>
static cudaError_t
interpolate_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	int			points = (int) interpolate_points(request);
	const double *y = (const double *) work->table;
	Series<T>	series = {y, (const T *) (y + points), points};

	TRY(errors_begin(work));
	TRY(launch_kernel(work->stream, interpolate_places<T>,
					  count_tiles(work->count, ELEMENT_THREADS),
					  ELEMENT_THREADS, 0, (const T *) work->in[0],
					  (double *) work->out[0], work->count, series,
					  *PARAMETERS(request, InterpolateParameters),
					  &((DeviceErrors *) work->scratch)->count,
					  work->report));
	return errors_report(work);
}

const DeviceOperation cuda_interpolate = {
	.sizes = errors_sizes,
	.traits = TRAIT_DIRECT,
	.run = RUN_BY(RETURN_BY_ORDER, interpolate_of)
};
