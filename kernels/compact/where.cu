/*
 * where.cu
 *	  The choice between two elements by a mask.
 */
#include "contract/operations/where.h"
#include "kernels/common/vector.h"

/* If "b" is NULL, the value is chosen instead of its elements. */
template <typename T>
struct Chosen
{
	typedef T	In;
	typedef T	Out;

	const uint8_t *mask;
	const T    *b;
	T			value;

	__device__ bool results(const Vector<T> &own, int number, long long at,
							Vector<T> *results) const
	{
		if (b != NULL)
			*results = load_vector(b, at, number);
#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			T			other = b != NULL ? results->items[i] : value;
			bool		first = i < number && mask[at + i];

			results->items[i] = first ? own.items[i] : other;
		}
		return false;
	}
};

template <typename T>
static cudaError_t
choose_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;

	return each_vector(work, 1, Chosen<T> {
		(const uint8_t *) work->in[0],
		request->inputs > 2 ? (const T *) work->in[2] : NULL,
		*(const T *) PARAMETERS(request, WhereParameters)->value
	});
}

const DeviceOperation cuda_where = {
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = RUN_BY_KIND_OF(kinds[1], RETURN_BY_SIZE, choose_of)
};
