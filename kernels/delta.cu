/*
 * delta.cu
 *	  Differences of neighbours, piece by piece: the last element of a piece
 *	  stays on the device, for the next one.
 */
#include "device.h"
#include "number.h"

#define DELTA_THREADS	256

/*
 * Out of range, a difference of integers wraps, and has the wrong sign; one of
 * floats is infinite.  A NaN is always the same one.
 */
template <typename T>
__device__ static inline T
subtract(T a, T b, bool *overflow)
{
	typedef unsigned long long Bits;
	T			result;

	if (!Number<T>::is_float)
	{
		result = (T) ((Bits) a - (Bits) b);
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
static EngineStatus
subtract_array(cudaStream_t stream, const void *in, void *out, int64_t count,
			   const void *before, void *last, int *overflow)
{
	unsigned	blocks = (unsigned) ((count + DELTA_THREADS - 1) /
									 DELTA_THREADS);

	subtract_neighbours<T><<<blocks, DELTA_THREADS, 0, stream>>>
		((const T *) in, (T *) out, count, (const T *) before, (T *) last,
		 overflow);
	TRY_CUDA(cudaGetLastError());
	return ENGINE_OK;
}

typedef EngineStatus (*SubtractArray) (cudaStream_t, const void *, void *,
									   int64_t, const void *, void *, int *);

/* By ElementKind. */
static const SubtractArray deltas[ELEMENT_KINDS] = {
	NULL,
	subtract_array<short>,
	subtract_array<int>,
	NULL,
	subtract_array<long long>,
	subtract_array<float>,
	subtract_array<double>
};

static EngineStatus
delta_sizes(const EngineJob *job, size_t *sizes)
{
	if (deltas[job->request.kind] == NULL)
		return not_supported("The CUDA engine does not know this operation.");
	return ENGINE_OK;
}

static EngineStatus
delta_piece(EngineJob *job, Slot *slot, int64_t count)
{
	Session    *session = job->session;
	long long  *before = &session->carry[(job->pieces - 1) % 2];
	long long  *last = &session->carry[job->pieces % 2];

	slot->bytes_out = count * job->result_size;
	return deltas[job->request.kind] (session->compute, slot->device_in,
									  slot->device_out, count,
									  job->pushed > 0 ? before : NULL, last,
									  session->overflow);
}

const DeviceOperation device_delta = {
	false, delta_sizes, NULL, delta_piece, NULL, NULL
};
