/*
 * lttb.cu
 *	  Largest triangle, three buckets, as lttb.h has it.
 *
 * The averages of all buckets are found first, by a warp for each bucket.  Each
 * choice depends on the one before it, so one thread block makes all choices;
 * or, if buckets are long, a thread block cluster (on Hopper and later).  While
 * the threads compute the areas of a few points, they load the next points,
 * those of the next bucket too.
 */
#include <climits>

/* Without what is not used, it takes a third of the time to compile. */
#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cooperative_groups.h>

#include "contract/operations/lttb.h"
#include "kernels/common/launch.h"
#include "kernels/common/number.h"
#include "kernels/common/vector.h"

#define LTTB_WARPS			(LTTB_THREADS / WARP)

#define AVERAGE_WARPS		4

/* The thread blocks that choose: before Hopper there is one. */
#if __CUDA_ARCH__ >= 900
typedef cooperative_groups::cluster_group Cluster;
#else
struct Cluster
{
	__device__ static unsigned num_blocks()
	{
		return 1;
	}

	__device__ static unsigned block_rank()
	{
		return 0;
	}

	__device__ static void sync()
	{
		__syncthreads();
	}

	template <typename T>
	__device__ static T *map_shared_rank(T *memory, unsigned block)
	{
		return memory;
	}
};
#endif

/* A bucket: its points, from 0 on, and the average of the bucket behind. */
typedef struct LttbBucket
{
	int			from;
	int			to;
	Point		behind;
} LttbBucket;

/* The points of an array; x, int or double, is NULL if it is their place. */
template <typename T, typename X>
struct Points
{
	const T    *y;
	const X    *x;
	int			count;
};

/* Sums integers in any order, which is exact for as many as a bucket has. */
template <typename T>
__device__ static inline double
sum_exactly(const T *y, int from, int to)
{
	long long	sum = 0;

	static_assert(LTTB_MOST_POINTS <= LTTB_MOST_EXACT, "sums may be rounded");
	for (int i = from + threadIdx.x % WARP; i < to; i += WARP)
		sum += y[i];
	return (double) warp_sum(sum);
}

/* Sums from left to right, for rounded sums; -0 changes no sum. */
template <typename T>
__device__ static inline double
sum_in_order(const T *y, int from, int to)
{
	double		sum = -0.0;
	int			at = from + threadIdx.x % WARP;
	double		next = at < to ? (double) y[at] : -0.0;

	for (; from < to; from += WARP)
	{
		double		own = next;

		at += WARP;
		next = at < to ? (double) y[at] : -0.0;
#pragma unroll
		for (int i = 0; i < WARP; i++)
			sum += __shfl_sync(ALL_LANES, own, i);
	}
	return sum;
}

template <typename T>
__device__ static inline double
sum_values(const T *y, int from, int to)
{
	if constexpr (Number<T>::is_float || sizeof(T) == sizeof(int64_t))
		return sum_in_order(y, from, to);
	else
		return sum_exactly(y, from, to);
}

template <typename T, typename X>
__device__ static inline double
sum_x(const Points<T, X> &points, int from, int to)
{
	if (points.x == NULL)
		return (double) ((long long) (to - from) * (from + to + 1LL) / 2);
	return sum_values(points.x, from, to);
}

template <typename T, typename X>
__global__ void __launch_bounds__(AVERAGE_WARPS * WARP)
average_buckets(Points<T, X> points, LttbBucket *buckets, int nbuckets)
{
	int			i = blockIdx.x * AVERAGE_WARPS + threadIdx.x / WARP;
	int			from;
	int			to;
	Point		sum;

	if (i >= nbuckets)
		return;
	from = (int) lttb_first(points.count, nbuckets, i + 1);
	to = (int) lttb_first(points.count, nbuckets, i + 2);
	sum.x = sum_x(points, from, to);
	sum.y = sum_values(points.y, from, to);
	if (threadIdx.x % WARP == 0)
		buckets[i] = {(int) lttb_first(points.count, nbuckets, i), from,
			{sum.x / (to - from), sum.y / (to - from)}};
}

/* Threads that choose, and the number of this one. */
__device__ static inline int
all_threads()
{
	return Cluster::num_blocks() * blockDim.x;
}

__device__ static inline int
this_thread()
{
	return Cluster::block_rank() * blockDim.x + threadIdx.x;
}

__device__ static inline void
sync_all()
{
	if (Cluster::num_blocks() > 1)
		Cluster::sync();
	else
		__syncthreads();
}

/* Points of a thread, "all_threads" apart. */
template <typename T, typename X>
struct Batch
{
	T			y[LTTB_ITEMS];
	X			x[LTTB_ITEMS];
};

/* Loads the next points up to "to", the thread's first one at "own". */
template <typename T, typename X>
__device__ static inline void
load_batch(Batch<T, X> *batch, const Points<T, X> &points, int own, int to)
{
#pragma unroll
	for (int i = 0; i < LTTB_ITEMS; i++, own += all_threads())
	{
		if (own < to)
		{
			batch->y[i] = points.y[own];
			batch->x[i] = points.x != NULL ? points.x[own] : own + 1;
		}
	}
}

typedef struct Largest
{
	unsigned long long area;	/* as lttb_area_order() has it */
	unsigned	at;				/* NO_POINT: none */
	Point		point;
} Largest;

#define NO_POINT	UINT_MAX

template <typename T, typename X>
__device__ static inline void
search_batch(Largest *largest, const Batch<T, X> &batch, int own, int to,
			 Point a, Point c)
{
#pragma unroll
	for (int i = 0; i < LTTB_ITEMS; i++, own += all_threads())
	{
		Point		b = {(double) batch.x[i], (double) batch.y[i]};
		unsigned long long area = lttb_area(a, b, c);

		if (own < to && (area > largest->area || largest->at == NO_POINT))
			*largest = {area, (unsigned) own, b};
	}
}

/*
 * Returns the lane that has the first one of the largest triangles.  The halves
 * of areas are compared one after the other.
 */
__device__ static inline int
largest_lane(const Largest &own)
{
	unsigned	high = (unsigned) (own.area >> 32);
	unsigned	most_high = warp_max(high);
	unsigned	low = high == most_high ? (unsigned) own.area : 0;
	unsigned	most_low = warp_max(low);
	bool		is_largest = high == most_high && low == most_low;
	unsigned	at = is_largest ? own.at : NO_POINT;
	unsigned	first = warp_min(at);

	return __ffs(__ballot_sync(ALL_LANES, at == first)) - 1;
}

/* The largest triangle that each warp of a cluster has found. */
typedef Largest LargestOfWarps[LTTB_BLOCKS * LTTB_WARPS];

/*
 * The largest triangle of all threads; each block has the largest of each
 * warp.
 */
__device__ static inline Largest
largest_of_all(const Largest &own, LargestOfWarps warps)
{
	int			lane = threadIdx.x % WARP;
	Largest		found = {0, NO_POINT};

	if (lane == largest_lane(own))
	{
		for (unsigned block = 0; block < Cluster::num_blocks(); block++)
			*Cluster::map_shared_rank(&warps[this_thread() / WARP], block) =
				own;
	}
	sync_all();
	for (int i = lane; i < all_threads() / WARP; i += WARP)
	{
		Largest		other = warps[i];

		if (other.area > found.area ||
			(other.area == found.area && other.at < found.at))
			found = other;
	}
	lane = largest_lane(found);
	return {__shfl_sync(ALL_LANES, found.area, lane),
		__shfl_sync(ALL_LANES, found.at, lane),
		{__shfl_sync(ALL_LANES, found.point.x, lane),
		__shfl_sync(ALL_LANES, found.point.y, lane)}};
}

/*
 * The memory of the largest triangles takes turns, so that a warp may go on to
 * the next bucket while another one still reads.
 */
template <typename T, typename X>
__global__ void __launch_bounds__(LTTB_THREADS)
choose_points(Points<T, X> points, const LttbBucket *buckets, int nbuckets,
			  int *chosen, long long *results)
{
	__shared__ LargestOfWarps warps[2];
	const int	thread = this_thread();
	const int	step = all_threads() * LTTB_ITEMS;
	LttbBucket	own = buckets[0];
	LttbBucket	next = buckets[min(1, nbuckets - 1)];
	Largest		largest = {0, NO_POINT};
	Point		a = {points.x != NULL ? (double) points.x[0] : 1.0,
		(double) points.y[0]};
	Batch<T, X> batch;

	load_batch(&batch, points, own.from + thread, own.to);
	sync_all();					/* all blocks have begun */
	for (int bucket = 0, at = own.from, next_at; bucket < nbuckets;
		 at = next_at)
	{
		bool		last = at + step >= own.to;
		LttbBucket	later = buckets[min(bucket + 2, nbuckets - 1)];
		Batch<T, X> next_batch;

		next_at = last ? next.from : at + step;
		load_batch(&next_batch, points, next_at + thread,
				   last ? next.to : own.to);
		search_batch(&largest, batch, at + thread, own.to, a, own.behind);
		batch = next_batch;
		if (!last)
			continue;
		largest = largest_of_all(largest, warps[bucket % 2]);
		if (thread == 0)
			chosen[bucket + 1] = (int) largest.at + 1;
		a = largest.point;
		largest = {0, NO_POINT};
		own = next;
		next = later;
		bucket++;
	}
	if (thread == 0)
	{
		chosen[0] = 1;
		chosen[nbuckets + 1] = points.count;
		*results = nbuckets + 2;
	}
}

static bool
lttb_supports(const EngineRequest *request)
{
	return kind_is_number(request->kinds[0]) && lttb_is_for_gpu(request);
}

static cudaError_t
lttb_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	int64_t		buckets = lttb_buckets(request);

	sizes->out[0] = (buckets + 2) * sizeof(int);
	sizes->scratch = buckets * sizeof(LttbBucket);
	return cudaSuccess;
}

static unsigned
count_threads(int64_t points)
{
	unsigned	threads = WARP;

	while (threads < LTTB_THREADS && threads * LTTB_ITEMS < points)
		threads *= 2;
	return threads;
}

static cudaLaunchAttribute
cluster_of(unsigned blocks)
{
	cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};

	attribute.val.clusterDim = {blocks, 1, 1};
	return attribute;
}

/* Returns the blocks of a cluster that the device can run. */
template <typename T, typename X>
static int
find_cluster_blocks()
{
	cudaLaunchAttribute cluster = cluster_of(LTTB_BLOCKS);
	cudaLaunchConfig_t config = {
		.gridDim = LTTB_BLOCKS,
		.blockDim = LTTB_THREADS,
		.attrs = &cluster,
		.numAttrs = 1
	};
	int			clusters = 0;
	bool		can_run = is_for_hopper() &&
		cudaOccupancyMaxActiveClusters(&clusters, choose_points<T, X>,
									   &config) == cudaSuccess;

	(void) cudaGetLastError();
	return can_run && clusters > 0 ? LTTB_BLOCKS : 1;
}

template <typename T, typename X>
static cudaError_t
choose_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	int			nbuckets = (int) lttb_buckets(request);
	int64_t		length = request->count / nbuckets;
	static const int most_blocks = find_cluster_blocks<T, X>();
	unsigned	blocks = length < LTTB_LONG ? 1 : most_blocks;
	cudaLaunchAttribute cluster = cluster_of(blocks);
	LttbBucket *buckets = (LttbBucket *) work->scratch;
	Points<T, X> points = {
		(const T *) work->in[0],
		request->inputs > 1 ? (const X *) work->in[1] : NULL,
		(int) request->count
	};

	TRY(launch_kernel(work->stream, average_buckets<T, X>,
					  count_tiles(nbuckets, AVERAGE_WARPS),
					  AVERAGE_WARPS * WARP, 0, points, buckets, nbuckets));
	return launch_with(work->stream, choose_points<T, X>, blocks,
					   count_threads(length / blocks), 0, &cluster,
					   most_blocks > 1 ? 1 : 0, points, buckets, nbuckets,
					   (int *) work->out[0], work->results);
}

template <typename T>
static cudaError_t
lttb_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;

	return request->inputs > 1 && request->kinds[1] == KIND_FLOAT8 ?
		choose_of<T, double>(work) : choose_of<T, int>(work);
}

const DeviceOperation cuda_lttb = {
	.supports = lttb_supports,
	.sizes = lttb_sizes,
	.run = RUN_BY(RETURN_BY_NUMBER, lttb_of)
};
