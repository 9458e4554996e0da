/*
 * members.cu
 *	  Compaction by membership: the elements that a table has, or has not.  A
 *	  first kernel makes thresholds of the table's elements.  A second one makes
 *	  a mask: it searches them as a histogram does (cells.h, if they fit into
 *	  shared memory).  Then the array is compacted by the mask.
 */
#include "contract/operations/members.h"
#include "kernels/common/cells.h"
#include "kernels/compact/compact.h"
#include "kernels/common/kernels.h"

/* The thresholds, which are orders, of the table's elements. */
template <typename T>
__global__ void __launch_bounds__(CELLS_THREADS)
make_thresholds(const T *table, Cells<T> cells,
				typename Cells<T>::Threshold *thresholds)
{
	int			stride = gridDim.x * CELLS_THREADS;

	for (int i = blockIdx.x * CELLS_THREADS + threadIdx.x;
		 i < cells.nthresholds; i += stride)
		thresholds[i] = cells.threshold_of(table[i]);
}

/* Bytes of the thresholds, behind which the mask is. */
static size_t
thresholds_bytes(const EngineRequest *request)
{
	return (request->table_bytes + VECTOR_BYTES - 1) / VECTOR_BYTES *
		VECTOR_BYTES;
}

template <typename T>
static cudaError_t
members_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	Cells<T>	cells = cells_of<T>(work);
	auto	   *thresholds = (typename Cells<T>::Threshold *) work->scratch;
	uint8_t    *mask = (uint8_t *) work->scratch + thresholds_bytes(request);

	TRY(launch_kernel(work->stream, make_thresholds<T>,
					  cells_blocks<T>(cells.nthresholds), CELLS_THREADS, 0,
					  (const T *) work->table, cells, thresholds));
	cells.thresholds = thresholds;
	TRY(launch_look_up(work, cells, mask,
					   PARAMETERS(request, MembersParameters)->outside));
	return compact_by_mask(work, mask);
}

static cudaError_t
members_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->scratch = thresholds_bytes(request) + request->count;
	return cudaSuccess;
}

const DeviceOperation cuda_members = {
	.sizes = members_sizes,
	.traits = TRAIT_DIRECT,
	.run = RUN_BY(RETURN_BY_KIND, members_of)
};
