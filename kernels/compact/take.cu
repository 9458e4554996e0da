/*
 * take.cu
 *	  The elements at given positions, out of a table of all.
 */
#include "contract/operations/take.h"
#include "kernels/common/kernels.h"
#include "kernels/common/launch.h"
#include "kernels/common/vector.h"

/*
 * A position outside of the table, or of a bit that is not set, takes a zero,
 * and is counted.  The others are marked, unless "found" is NULL.
 */
template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
take_elements(const int *positions, T *out, long long count,
			  const T *elements, const uint8_t *bits, unsigned nelements,
			  unsigned *found, unsigned long long *missing)
{
	long long	i = (long long) blockIdx.x * ELEMENT_THREADS + threadIdx.x;
	bool		there = false;
	unsigned	those_there;
	int			absentees;

	if (i < count)
	{
		unsigned	element = (unsigned) positions[i] - 1;

		there = element < nelements &&
			(bits == NULL || (bits[element / 8] >> element % 8 & 1));
		if (bits == NULL)
			out[i] = there ? elements[element] : 0;
	}
	those_there = __ballot_sync(ALL_LANES, there);
	if (found != NULL && i < count && threadIdx.x % WARP == 0)
		found[i / WARP] = those_there;
	absentees = __syncthreads_count(i < count && !there);
	if (threadIdx.x == 0 && absentees > 0)
		atomicAdd(missing, (unsigned long long) absentees);
}

/* A word of the summary has the bits of a warp. */
template <typename T>
static cudaError_t
take_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	int64_t		bits = PARAMETERS(request, TakeParameters)->bits;
	unsigned   *found = request->summary_bytes > 0 ?
		(unsigned *) work->summary + work->first / WARP : NULL;

	static_assert(PIECE_MULTIPLE % WARP == 0, "a part has words of its own");
	TRY(errors_begin(work));
	TRY(launch_kernel(work->stream, take_elements<T>,
					  count_tiles(work->count, ELEMENT_THREADS),
					  ELEMENT_THREADS, 0, (const int *) work->in[0],
					  (T *) work->out[0], work->count, (const T *) work->table,
					  bits > 0 ? (const uint8_t *) work->table : NULL,
					  bits > 0 ? bits : request->table_bytes / sizeof(T),
					  found, &((DeviceErrors *) work->scratch)->count));
	return errors_report(work);
}

const DeviceOperation cuda_take = {
	.sizes = errors_sizes,
	.traits = TRAIT_DIRECT | TRAIT_ERRORS | TRAIT_PARTS,
	.run = RUN_BY_KIND_OF(outputs[0].kind, RETURN_BY_SIZE, take_of)
};
