/*
 * where.cu
 *	  The choice between two elements by a mask.
 */
#include <climits>

#include "contract/operations/where.h"
#include "kernels/common/operation.h"
#include "kernels/common/vector.h"

/* If "b" is NULL, the value is chosen instead of its elements. */
template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
choose_items(const uint8_t *mask, const T *a, const T *b, T value, T *out,
			 long long count)
{
	for_each_vector(a, count, [&] (const Vector<T> &own, int number,
								   long long at) {
		Vector<T>	results;

		if (b != NULL)
			results = load_vector(b, at, number);
#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			T			other = b != NULL ? results.items[i] : value;
			bool		first = i < number && mask[at + i];

			results.items[i] = first ? own.items[i] : other;
		}
		store_vector(out, at, results, number);
	});
}

template <typename T>
static cudaError_t
choose_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	unsigned	blocks = count_vector_blocks<T>(work->count, ELEMENT_THREADS,
												UINT_MAX);

	choose_items<T>
		<<<blocks, ELEMENT_THREADS, 0, work->stream>>>
		((const uint8_t *) work->in[0], (const T *) work->in[1],
		 request->inputs > 2 ? (const T *) work->in[2] : NULL,
		 *(const T *) PARAMETERS(request, WhereParameters)->value,
		 (T *) work->out[0], work->count);
	return cudaGetLastError();
}

static cudaError_t
where_run(const DeviceWork *work)
{
	RETURN_BY_SIZE(work->request->kinds[1], choose_of, work);
}

const DeviceOperation cuda_where = {
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = where_run
};
