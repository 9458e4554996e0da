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
#include "kernels/common/vector.h"

template <typename T>
__global__ void __launch_bounds__(MEMBERS_THREADS)
flag_members(Cells<T> table, CellMemory memory, bool outside, const T *in,
			 uint8_t *mask, long long count)
{
	extern __shared__ __align__(16) char members_memory[];

	with_thresholds(table, memory, members_memory,
					[=] (const auto &members) {
		for_each_vector(in, count, [=] (const Vector<T> &own, int number,
										long long at) {
			Vector<uint8_t, Vector<T>::count> flags;

#pragma unroll
			for (int i = 0; i < Vector<T>::count; i++)
			{
				bool		equal;

				(void) members.bucket_of(own.items[i], &equal);
				flags.items[i] = equal != outside;
			}
			store_vector(mask, at, flags, number);
		});
	});
}

/* The thresholds, which are orders, of the table's elements. */
template <typename T>
__global__ void __launch_bounds__(MEMBERS_THREADS)
make_thresholds(const T *table, Cells<T> cells,
				typename Cells<T>::Threshold *thresholds)
{
	int			stride = gridDim.x * MEMBERS_THREADS;

	for (int i = blockIdx.x * MEMBERS_THREADS + threadIdx.x;
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
thresholds_of(const DeviceWork *work, Cells<T> *cells)
{
	typedef typename Cells<T>::Threshold Threshold;

	*cells = cells_of<T>(work);
	cells->thresholds = (const Threshold *) work->scratch;
	return launch_kernel(work->stream, make_thresholds<T>,
						 count_vector_blocks<T>(cells->nthresholds,
												MEMBERS_THREADS,
												MEMBERS_BLOCKS_PER_SM),
						 MEMBERS_THREADS, 0, (const T *) work->table, *cells,
						 (Threshold *) work->scratch);
}

template <typename T>
static cudaError_t
members_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	int64_t		blocks = count_vector_blocks<T>
		(work->count, MEMBERS_THREADS * MEMBERS_VECTORS,
		 MEMBERS_BLOCKS_PER_SM);
	uint8_t    *mask = (uint8_t *) work->scratch + thresholds_bytes(request);
	CellMemory	memory = divide_cell_memory<T>(request->table_bytes,
											   SHARED_BYTES);
	Cells<T>	cells;

	TRY(thresholds_of<T>(work, &cells));
	TRY(launch_kernel(work->stream, flag_members<T>, blocks, MEMBERS_THREADS,
					  cell_memory_bytes<T>(memory), cells, memory,
					  PARAMETERS(request, MembersParameters)->outside,
					  (const T *) work->in[0], mask, work->count));
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
