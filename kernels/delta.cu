/*
 * delta.cu
 *	  Differences of neighbours, or of two inputs, piece by piece.  The last
 *	  element of a piece stays on the device, as the neighbour of the next one.
 */
#include "number.h"
#include "operation.h"

/*
 * A difference of integers that is out of range wraps, and has the wrong sign;
 * one of floats is infinite.  A NaN is always the same one.
 */
template <typename T>
__device__ static inline T
subtract(T a, T b, bool *overflow)
{
	T			result;

	if (!Number<T>::is_float)
	{
		result = (T) ((uint64_t) a - (uint64_t) b);
		*overflow = (a < b) != (result < 0);
		return result;
	}
	result = a - b;
	*overflow = is_infinite(result) && !is_infinite(a) && !is_infinite(b);
	return is_nan(result) ? Number<T>::nan : result;
}

/* The first element is taken as it is if "before", the one before, is NULL. */
template <typename T>
__global__ void __launch_bounds__(DELTA_THREADS)
subtract_neighbours(const T *in, T *out, long long count, const T *before,
					T *last, int *overflow)
{
	long long	i = (long long) blockIdx.x * DELTA_THREADS + threadIdx.x;
	const T    *neighbour = i > 0 ? &in[i - 1] : before;
	bool		over = false;

	if (i < count)
	{
		T			item = in[i];

		out[i] = neighbour ? subtract(item, *neighbour, &over) : item;
		if (i == count - 1)
			*last = item;
	}
	if (__syncthreads_or(over) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

template <typename T>
__global__ void __launch_bounds__(DELTA_THREADS)
subtract_inputs(const T *a, const T *b, T *out, long long count,
				int *overflow)
{
	long long	i = (long long) blockIdx.x * DELTA_THREADS + threadIdx.x;
	bool		over = false;

	if (i < count)
		out[i] = subtract(a[i], b[i], &over);
	if (__syncthreads_or(over) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

static unsigned
count_blocks(const DeviceWork *work)
{
	return (unsigned) ((work->count + DELTA_THREADS - 1) / DELTA_THREADS);
}

/* The state: the last elements of pieces, two that are used in turn. */
typedef uint64_t DeltaState[2];

template <typename T>
static cudaError_t
delta_of(const DeviceWork *work)
{
	uint64_t   *carry = (uint64_t *) work->state;
	uint64_t   *before = &carry[work->turn % 2];
	uint64_t   *last = &carry[1 - work->turn % 2];

	subtract_neighbours<T>
		<<<count_blocks(work), DELTA_THREADS, 0, work->stream>>>
		((const T *) work->in[0], (T *) work->out[0], work->count,
		 work->turn > 0 ? (const T *) before : NULL, (T *) last,
		 work->report->overflow);
	return cudaGetLastError();
}

template <typename T>
static cudaError_t
difference_of(const DeviceWork *work)
{
	subtract_inputs<T>
		<<<count_blocks(work), DELTA_THREADS, 0, work->stream>>>
		((const T *) work->in[0], (const T *) work->in[1], (T *) work->out[0],
		 work->count, work->report->overflow);
	return cudaGetLastError();
}

static bool
delta_supports(const EngineRequest *request)
{
	return kind_is_number(request->kinds[0]);
}

static cudaError_t
delta_piece(const DeviceWork *work)
{
	RETURN_BY_NUMBER(work->request->kinds[0], delta_of, work);
}

static cudaError_t
subtract_piece(const DeviceWork *work)
{
	RETURN_BY_NUMBER(work->request->kinds[0], difference_of, work);
}

const DeviceOperation gpu_delta = {
	false, false, delta_supports, sizeof(DeltaState), NULL, NULL, NULL,
	delta_piece, NULL
};

const DeviceOperation gpu_subtract = {
	false, false, delta_supports, 0, NULL, NULL, NULL, subtract_piece, NULL
};
