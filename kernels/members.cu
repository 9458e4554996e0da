/*
 * members.cu
 *	  Compaction by membership: the elements that a table has, or has not, piece
 *	  by piece.  One kernel makes a mask, by a binary search for each element,
 *	  in shared memory if the table fits there; then the piece is compacted by
 *	  it.
 */
#include "compact.h"
#include "kernels.h"
#include "tuning.h"

/* What is in the table: elements by their place in the order of their kind. */
template <typename T>
struct MemberTable
{
	typedef decltype(order_of(T())) Key;

	const Key  *keys;			/* ascending */
	unsigned	count;
	Key			least;
	bool		outside;
};

/* The last key that is no greater is found without a branch. */
template <typename T>
__device__ static inline bool
is_member(const MemberTable<T> &table, T item)
{
	typename MemberTable<T>::Key key = order_of(item) - table.least;
	unsigned	from = 0;

	for (unsigned left = table.count; left > 1; left -= left / 2)
		from += table.keys[from + left / 2] <= key ? left / 2 : 0;
	return (table.keys[from] == key) != table.outside;
}

template <typename T, bool SHARED>
__global__ void __launch_bounds__(MEMBERS_THREADS)
flag_members(MemberTable<T> table, const T *in, uint8_t *mask, long long count)
{
	typedef typename MemberTable<T>::Key Key;
	extern __shared__ __align__(16) char shared_keys[];
	long long	stride = (long long) gridDim.x * MEMBERS_THREADS;

	if (SHARED)
	{
		for (unsigned i = threadIdx.x; i < table.count; i += MEMBERS_THREADS)
			((Key *) shared_keys)[i] = table.keys[i];
		__syncthreads();
		table.keys = (const Key *) shared_keys;
	}
	for (long long i = (long long) blockIdx.x * MEMBERS_THREADS + threadIdx.x;
		 i < count; i += stride)
		mask[i] = is_member(table, in[i]);
}

template <typename T>
static cudaError_t
members_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	int64_t		blocks = (work->count + MEMBERS_THREADS - 1) / MEMBERS_THREADS;
	uint8_t    *mask = (uint8_t *) work->scratch;
	MemberTable<T> table;

	table.keys = (const typename MemberTable<T>::Key *) work->table;
	table.count = (unsigned) (request->table_bytes / sizeof(T));
	table.least = (typename MemberTable<T>::Key) kind_least(request->kinds[0]);
	table.outside = request->parameters.members.outside;
	if (blocks > MEMBERS_BLOCKS)
		blocks = MEMBERS_BLOCKS;
	if (request->table_bytes <= MEMBERS_SHARED)
		flag_members<T, true><<<(unsigned) blocks, MEMBERS_THREADS,
			(size_t) request->table_bytes, work->stream>>>
			(table, (const T *) work->in[0], mask, work->count);
	else
		flag_members<T, false><<<(unsigned) blocks, MEMBERS_THREADS, 0,
			work->stream>>>
			(table, (const T *) work->in[0], mask, work->count);
	TRY(cudaGetLastError());
	return compact_by_mask(work, mask);
}

static cudaError_t
members_piece(const DeviceWork *work)
{
	RETURN_BY_KIND(work->request->kinds[0], members_of, work);
}

static size_t
members_scratch_bytes(const EngineRequest *request, int64_t count)
{
	return (size_t) count;
}

const DeviceOperation gpu_members = {
	.counts = true,
	.scratch_bytes = members_scratch_bytes,
	.piece = members_piece
};
