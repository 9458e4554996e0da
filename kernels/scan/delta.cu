/*
 * delta.cu
 *	  Differences of each element from the one "lag" before.
 */
#include "contract/operations/delta.h"
#include "kernels/common/combine.h"
#include "kernels/common/launch.h"
#include "kernels/common/vector.h"

/* The least and the greatest, which may stand for infinity. */
template <typename T>
__device__ static inline bool
is_extreme(T item)
{
	return item == Number<T>::least || item == Number<T>::greatest;
}

/*
 * Like store_vector, but stores from item "first" on, and "out" need not be
 * aligned to a vector: the first elements may have no result.
 */
template <typename T>
__device__ static inline void
store_from(T *out, long long at, const Vector<T> &vector, int first, int number)
{
	if (first == 0 && (uintptr_t) out % sizeof(vector) == 0)
	{
		store_vector(out, at, vector, number);
		return;
	}
#pragma unroll
	for (int i = 0; i < Vector<T>::count; i++)
	{
		if (i >= first && i < number)
			out[at + i] = vector.items[i];
	}
}

template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
subtract_lagged(const T *in, T *out, long long before, long long count,
				long long lag, bool absent, bool infinities, int *overflow)
{
	bool		over = false;

	for_each_vector(in, count, [&] (const Vector<T> &own, int number,
									long long at) {
		Vector<T>	results;

#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			T			result = own.items[i];

			if (i < number && before + at + i >= lag)
			{
				result = subtract_checked(result, in[at + i - lag], &over);
				result = is_nan(result) ? Number<T>::nan : result;
			}
			results.items[i] = result;
			if (infinities)
				over |= is_extreme(own.items[i]) && i < number;
		}
		store_from(out, at, results,
				   absent ? (int) max(0ll, lag - before - at) : 0, number);
	});
	if (__syncthreads_or(over) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

template <typename T>
static cudaError_t
delta_of(const DeviceWork *work)
{
	const DeltaParameters *parameters = PARAMETERS(work->request,
												   DeltaParameters);

	return launch_kernel(work->stream, subtract_lagged<T>,
						 count_tiles(work->count,
									 ELEMENT_THREADS * Vector<T>::count),
						 ELEMENT_THREADS, 0, (const T *) work->in[0],
						 (T *) work->out[0], work->first, work->count,
						 parameters->lag, work->request->absent > 0,
						 parameters->infinities, work->report->overflow);
}

static bool
delta_supports(const EngineRequest *request)
{
	return kind_is_number(request->kinds[0]) &&
		PARAMETERS(request, DeltaParameters)->lag > 0;
}

const DeviceOperation cuda_delta = {
	.supports = delta_supports,
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = RUN_BY(RETURN_BY_NUMBER, delta_of)
};
