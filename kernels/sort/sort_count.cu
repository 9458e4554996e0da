/*
 * sort_count.cu
 *	  The first part of a sort: the histograms of all digits.
 */
#include "kernels/sort/sort.h"
#include "kernels/common/vector.h"

/*
 * Fewer blocks count few keys, so that a thread has this many vectors of 16
 * bytes.
 */
#define COUNT_VECTORS	2

/*
 * Counts the digits of a warp's keys.  If all of them have the same digit,
 * they are counted together, because their atomic operations would be
 * serialized.
 */
template <typename Key>
__device__ static inline void
count_warp(unsigned *bins, const Vector<Key> &own)
{
	const int	count = Vector<Key>::count;
	Key			first = __shfl_sync(ALL_LANES, own.items[0], 0);
	Key			differing = 0;

	for (int j = 0; j < count; j++)
		differing |= own.items[j] ^ first;
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		if (__any_sync(ALL_LANES, digit_of(differing, digit) != 0))
		{
			for (int j = 0; j < count; j++)
				atomicAdd(&bins[digit_of(own.items[j], digit)], 1);
		}
		else if (threadIdx.x % WARP == 0)
			atomicAdd(&bins[digit_of(first, digit)], WARP * count);
		bins += SORT_BINS;
	}
}

template <typename Key>
__device__ static inline void
count_key(unsigned *bins, Key key)
{
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
		atomicAdd(&bins[digit * SORT_BINS + digit_of(key, digit)], 1);
}

/* Adds the digits of the keys to the histograms of all digits. */
template <typename Key>
__global__ void __launch_bounds__(COUNT_THREADS)
count_digits(const Key *keys, long long count, KeyOrder order,
			 unsigned *histogram)
{
	const int	all_bins = (int) sizeof(Key) * SORT_BINS;
	__shared__ unsigned bins[all_bins];
	const int	vector_count = Vector<Key>::count;
	long long	vectors = count / vector_count;
	long long	stride = (long long) gridDim.x * COUNT_THREADS;
	int			lane = threadIdx.x % WARP;

	for (int i = threadIdx.x; i < all_bins; i += COUNT_THREADS)
		bins[i] = 0;
	wait_for_preceding();
	let_next_start();			/* which may read the keys at once */
	__syncthreads();

	for (long long row = (long long) blockIdx.x * COUNT_THREADS +
		 threadIdx.x - lane; row < vectors; row += stride)
	{
		Vector<Key> own = {};

		if (row + lane < vectors)
			own = ((const Vector<Key> *) keys)[row + lane];
		for (int j = 0; j < vector_count; j++)
			own.items[j] = ordered(own.items[j], order);
		if (row + WARP <= vectors)
			count_warp(bins, own);
		else if (row + lane < vectors)
		{
			for (int j = 0; j < vector_count; j++)
				count_key(bins, own.items[j]);
		}
	}

	/* The keys that do not fill a vector. */
	for (long long i = vectors * vector_count + threadIdx.x;
		 i < count && blockIdx.x == 0; i += COUNT_THREADS)
		count_key(bins, ordered(keys[i], order));

	__syncthreads();
	for (int i = threadIdx.x; i < all_bins; i += COUNT_THREADS)
	{
		if (bins[i] > 0)
			atomicAdd(&histogram[i], bins[i]);
	}
}

template <typename Key>
static cudaError_t
count_keys(cudaStream_t stream, const Sort *sort, const void *keys,
		   int64_t count)
{
	unsigned	blocks = count_vector_blocks<Key>
		(count, COUNT_THREADS * COUNT_VECTORS, sort_count_blocks());

	/* Let the next kernel's block, which has tables, run beside this one. */
	TRY(cudaFuncSetAttribute((const void *) count_digits<Key>,
							 cudaFuncAttributePreferredSharedMemoryCarveout,
							 cudaSharedmemCarveoutMaxShared));
	return launch_dependent(stream, count_digits<Key>, blocks,
							COUNT_THREADS, 0, (const Key *) keys,
							(long long) count, sort_order(sort),
							sort_starts(sort));
}

/* Queues the histograms of some of the keys, if the passes need them. */
cudaError_t
sort_count_keys(cudaStream_t stream, const Sort *sort, const void *keys,
				int64_t count)
{
	if (sort_takes_one_launch(sort))
		return cudaSuccess;
	RETURN_BY_SIZE(sort->kind, count_keys, stream, sort, keys, count);
}
