/*
 * histogram.cu
 *	  The bucket of each element among thresholds, and how many elements are in
 *	  each bucket, piece by piece.
 *
 * The thresholds are searched without branches: in shared memory, if they fit
 * there.  So do the counters of a block, in several copies if there is room, so
 * that the warps are not in each other's way if most elements are in one
 * bucket; or the lanes of a warp whose elements are in the same one count
 * together.
 */
#include "engine/order.h"
#include "number.h"
#include "operation.h"
#include "tuning.h"
#include "warp.h"

/* What makes the unsigned integer of an element that thresholds have. */
template <typename T>
__device__ static inline T
index_of(T bits, T least)
{
	return bits - least;
}

__device__ static inline uint32_t
index_of(float item, uint32_t least)
{
	return float4_order(float4_canonicalize(__float_as_uint(item))) - least;
}

__device__ static inline uint64_t
index_of(double item, uint64_t least)
{
	uint64_t	bits = (uint64_t) __double_as_longlong(item);

	return float8_order(float8_canonicalize(bits)) - least;
}

/* An element's type, and that of its threshold. */
template <typename T>
struct Threshold
{
	typedef T Type;
};

template <>
struct Threshold<float>
{
	typedef uint32_t Type;
};

template <>
struct Threshold<double>
{
	typedef uint64_t Type;
};

/* How many thresholds are no greater than the element. */
template <typename Index>
__device__ static inline int
find_bucket(Index index, const Index *thresholds, int count)
{
	int			from = 0;

	while (count > 0)
	{
		int			half = (count + 1) / 2;

		from += thresholds[from + half - 1] <= index ? half : 0;
		count -= half;
	}
	return from;
}

/* The thresholds: in shared memory, if "cached". */
template <typename Index>
__device__ static inline const Index *
load_thresholds(const Index *thresholds, int count, bool cached, void *shared)
{
	Index	   *copy = (Index *) shared;

	if (!cached)
		return thresholds;
	for (int i = threadIdx.x; i < count; i += blockDim.x)
		copy[i] = thresholds[i];
	__syncthreads();
	return copy;
}

template <typename T>
__global__ void __launch_bounds__(HISTOGRAM_THREADS)
find_buckets(const T *in, int *out, long long count,
			 const typename Threshold<T>::Type *table, int nthresholds,
			 typename Threshold<T>::Type least, bool cached)
{
	typedef typename Threshold<T>::Type Index;
	extern __shared__ uint64_t histogram_memory[];
	const Index *thresholds = load_thresholds(table, nthresholds, cached,
											  histogram_memory);
	long long	stride = (long long) gridDim.x * HISTOGRAM_THREADS;

	for (long long i = (long long) blockIdx.x * HISTOGRAM_THREADS + threadIdx.x;
		 i < count; i += stride)
		out[i] = find_bucket<Index>(index_of(in[i], least), thresholds,
									nthresholds);
}

/* Counts in shared memory: "copies" of counters, before the thresholds. */
template <typename T>
__global__ void __launch_bounds__(HISTOGRAM_THREADS)
count_few(const T *in, long long count,
		  const typename Threshold<T>::Type *table, int nthresholds,
		  typename Threshold<T>::Type least, int copies, unsigned *counts)
{
	typedef typename Threshold<T>::Type Index;
	extern __shared__ uint64_t histogram_memory[];
	int			counters = nthresholds + 1;
	unsigned   *all = (unsigned *) (histogram_memory + nthresholds);
	unsigned   *own = all + threadIdx.x / WARP % copies * counters;
	long long	stride = (long long) gridDim.x * HISTOGRAM_THREADS;
	const Index *thresholds;

	for (int i = threadIdx.x; i < copies * counters; i += HISTOGRAM_THREADS)
		all[i] = 0;
	thresholds = load_thresholds(table, nthresholds, true, histogram_memory);
	__syncthreads();
	for (long long i = (long long) blockIdx.x * HISTOGRAM_THREADS + threadIdx.x;
		 i < count; i += stride)
		atomicAdd(&own[find_bucket<Index>(index_of(in[i], least), thresholds,
										  nthresholds)], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < counters; i += HISTOGRAM_THREADS)
	{
		unsigned	sum = 0;

		for (int copy = 0; copy < copies; copy++)
			sum += all[copy * counters + i];
		if (sum > 0)
			atomicAdd(&counts[i], sum);
	}
}

/* Counts in global memory. */
template <typename T>
__global__ void __launch_bounds__(HISTOGRAM_THREADS)
count_many(const T *in, long long count,
		   const typename Threshold<T>::Type *thresholds, int nthresholds,
		   typename Threshold<T>::Type least, unsigned *counts)
{
	typedef typename Threshold<T>::Type Index;
	long long	stride = (long long) gridDim.x * HISTOGRAM_THREADS;
	int			lane = threadIdx.x % WARP;

	for (long long i = (long long) blockIdx.x * HISTOGRAM_THREADS + threadIdx.x;
		 i - lane < count; i += stride)
	{
		unsigned	active = __ballot_sync(ALL_LANES, i < count);

		if (i < count)
		{
			int			bucket = find_bucket<Index>(index_of(in[i], least),
													thresholds, nthresholds);
			unsigned	same = __match_any_sync(active, bucket);

			if (lane == __ffs(same) - 1)
				atomicAdd(&counts[bucket], (unsigned) __popc(same));
		}
	}
}

static int
count_blocks(int64_t count)
{
	int64_t		wanted = (count + HISTOGRAM_THREADS - 1) / HISTOGRAM_THREADS;

	return wanted < HISTOGRAM_BLOCKS ? (int) wanted : HISTOGRAM_BLOCKS;
}

template <typename T>
static cudaError_t
bucket_of(const DeviceWork *work)
{
	typedef typename Threshold<T>::Type Index;
	const EngineRequest *request = work->request;
	bool		cached = request->table_bytes <= HISTOGRAM_SHARED;

	find_buckets<T><<<count_blocks(work->count), HISTOGRAM_THREADS,
		cached ? request->table_bytes : 0, work->stream>>>
		((const T *) work->in[0], (int *) work->out[0], work->count,
		 (const Index *) work->table,
		 (int) (request->table_bytes / sizeof(Index)),
		 (Index) kind_least(request->kinds[0]), cached);
	return cudaGetLastError();
}

template <typename T>
static cudaError_t
histogram_of(const DeviceWork *work)
{
	typedef typename Threshold<T>::Type Index;
	const EngineRequest *request = work->request;
	const T    *in = (const T *) work->in[0];
	const Index *table = (const Index *) work->table;
	unsigned   *counts = (unsigned *) work->summary;
	int			nthresholds = (int) (request->table_bytes / sizeof(Index));
	size_t		table_bytes = nthresholds * sizeof(uint64_t);
	int64_t		room = HISTOGRAM_SHARED - (int64_t) table_bytes;
	int64_t		copies = room / request->summary_bytes;
	Index		least = (Index) kind_least(request->kinds[0]);
	int			blocks = count_blocks(work->count);

	if (copies > HISTOGRAM_THREADS / WARP)
		copies = HISTOGRAM_THREADS / WARP;
	if (copies > 0)
		count_few<T><<<blocks, HISTOGRAM_THREADS,
			table_bytes + copies * request->summary_bytes, work->stream>>>
			(in, work->count, table, nthresholds, least, (int) copies, counts);
	else
		count_many<T><<<blocks, HISTOGRAM_THREADS, 0, work->stream>>>
			(in, work->count, table, nthresholds, least, counts);
	return cudaGetLastError();
}

static cudaError_t
bucket_piece(const DeviceWork *work)
{
	RETURN_BY_KIND(work->request->kinds[0], bucket_of, work);
}

static cudaError_t
histogram_piece(const DeviceWork *work)
{
	RETURN_BY_KIND(work->request->kinds[0], histogram_of, work);
}

const DeviceOperation gpu_bucket = {
	false, false, NULL, 0, NULL, NULL, NULL, bucket_piece, NULL
};

const DeviceOperation gpu_histogram = {
	false, false, NULL, 0, NULL, NULL, NULL, histogram_piece, NULL
};
