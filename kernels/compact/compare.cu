/*
 * compare.cu
 *	  Whether a predicate selects each element, or each pair of elements.
 */
#include "contract/operations/compare.h"
#include "kernels/common/vector.h"
#include "kernels/common/number.h"

/* As EnginePredicate says. */
template <typename T>
struct Selected
{
	typedef T	In;
	typedef uint8_t Out;

	EnginePredicate predicate;

	__device__ bool results(const Vector<T> &own, int number, long long at,
							Results<Selected> *flags) const
	{
#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
			flags->items[i] = is_selected(predicate, own.items[i]);
		return false;
	}
};

template <typename T>
static cudaError_t
compare_of(const DeviceWork *work)
{
	return each_vector(work, 0, Selected<T> {
		PARAMETERS(work->request, CompareParameters)->predicate
	});
}

const DeviceOperation cuda_compare = {
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = RUN_BY(RETURN_BY_KIND, compare_of)
};

template <typename T>
struct SelectedPairs
{
	typedef T	In;
	typedef uint8_t Out;
	typedef decltype(order_of(T())) Order;

	const T    *b;
	Order		least;
	ComparePairsParameters parameters;

	__device__ bool results(const Vector<T> &own, int number, long long at,
							Results<SelectedPairs> *flags) const
	{
		Vector<T>	others = load_vector(b, at, number);

#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			Order		x = order_of(own.items[i]) - least;
			Order		y = order_of(others.items[i]) - least;

			flags->items[i] = ((x < y && parameters.less) ||
							   (x == y && parameters.equal)) !=
				parameters.outside;
		}
		return false;
	}
};

template <typename T>
static cudaError_t
compare_pairs_of(const DeviceWork *work)
{
	typedef typename SelectedPairs<T>::Order Order;

	return each_vector(work, 0, SelectedPairs<T> {
		(const T *) work->in[1],
		(Order) kind_least(work->request->kinds[0]),
		*PARAMETERS(work->request, ComparePairsParameters)
	});
}

const DeviceOperation cuda_compare_pairs = {
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = RUN_BY(RETURN_BY_KIND, compare_pairs_of)
};
