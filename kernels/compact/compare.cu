/*
 * compare.cu
 *	  Whether a predicate selects each element.
 */
#include <climits>

#include "contract/operations/compare.h"
#include "kernels/common/operation.h"
#include "kernels/common/order_of.h"
#include "kernels/common/vector.h"

/* The flags of a vector of items, which are stored at once. */
template <int N>
struct __align__(N) Flags
{
	uint8_t		items[N];
};

template <int N>
__device__ static inline void
store_flags(uint8_t *out, long long at, const Flags<N> &flags, int number)
{
	if (number == N)
	{
		*(Flags<N> *) (out + at) = flags;
		return;
	}
	for (int i = 0; i < N; i++)
	{
		if (i < number)
			out[at + i] = flags.items[i];
	}
}

/* As EnginePredicate says. */
template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
compare_items(const T *in, uint8_t *out, long long count,
			  EnginePredicate predicate)
{
	typedef decltype(order_of(T())) Order;
	Order		low = (Order) predicate.low;
	Order		span = (Order) predicate.span;

	for_each_vector(in, count, [&] (const Vector<T> &own, int number,
									long long at) {
		Flags<Vector<T>::count> flags;

#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
			flags.items[i] = ((Order) (order_of(own.items[i]) - low) <= span)
				!= predicate.outside;
		store_flags(out, at, flags, number);
	});
}

template <typename T>
static cudaError_t
compare_of(const DeviceWork *work)
{
	unsigned	blocks = count_vector_blocks<T>(work->count, ELEMENT_THREADS,
												UINT_MAX);

	compare_items<T>
		<<<blocks, ELEMENT_THREADS, 0, work->stream>>>
		((const T *) work->in[0], (uint8_t *) work->out[0], work->count,
		 PARAMETERS(work->request, CompareParameters)->predicate);
	return cudaGetLastError();
}

static cudaError_t
compare_run(const DeviceWork *work)
{
	RETURN_BY_KIND(work->request->kinds[0], compare_of, work);
}

const DeviceOperation cuda_compare = {
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = compare_run
};

template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
compare_pairs(const T *a, const T *b, uint8_t *out, long long count,
			  uint64_t least_order, ComparePairsParameters parameters)
{
	typedef decltype(order_of(T())) Order;
	Order		least = (Order) least_order;

	for_each_vector(a, count, [&] (const Vector<T> &own, int number,
								   long long at) {
		Vector<T>	others = load_vector(b, at, number);
		Flags<Vector<T>::count> flags;

#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			Order		x = order_of(own.items[i]) - least;
			Order		y = order_of(others.items[i]) - least;

			flags.items[i] = ((x < y && parameters.less) ||
							  (x == y && parameters.equal)) !=
				parameters.outside;
		}
		store_flags(out, at, flags, number);
	});
}

template <typename T>
static cudaError_t
compare_pairs_of(const DeviceWork *work)
{
	unsigned	blocks = count_vector_blocks<T>(work->count, ELEMENT_THREADS,
												UINT_MAX);

	compare_pairs<T>
		<<<blocks, ELEMENT_THREADS, 0, work->stream>>>
		((const T *) work->in[0], (const T *) work->in[1],
		 (uint8_t *) work->out[0], work->count,
		 kind_least(work->request->kinds[0]),
		 *PARAMETERS(work->request, ComparePairsParameters));
	return cudaGetLastError();
}

static cudaError_t
compare_pairs_run(const DeviceWork *work)
{
	RETURN_BY_KIND(work->request->kinds[0], compare_pairs_of, work);
}

const DeviceOperation cuda_compare_pairs = {
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = compare_pairs_run
};
