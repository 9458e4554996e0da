/*
 * extremes.cu
 *	  The least and the greatest element of each bucket of neighbours.
 *
 * Every bucket is divided into the same number of parts, maybe into one.  A few
 * lanes of a warp find the extremes of a part.  A second kernel merges the
 * parts of each bucket.
 */
#include <climits>

#include "contract/operations/extremes.h"
#include "kernels/common/block.h"
#include "kernels/common/launch.h"
#include "kernels/common/number.h"
#include "kernels/common/vector.h"

#define EXTREMES_WARPS			(ELEMENT_THREADS / WARP)

typedef struct Buckets
{
	const int64_t *ends;
	int64_t		count;
	int64_t		elements;		/* of all */
	int			parts;			/* of each bucket */
	int			lanes;			/* of a warp that have a part: a power of 2 */
	uint64_t	kind_least;
	EngineExtremes *extremes;
	EngineExtremes *found;		/* of each part, by buckets, if several */
} Buckets;

/* If there are no elements, there is no least order, and no greatest. */
__device__ static inline EngineExtremes
no_extremes()
{
	return {UINT64_MAX, 0, INT_MAX, INT_MAX};
}

/* Of equal elements, the first one counts. */
__device__ static inline void
merge_extremes(EngineExtremes *all, const EngineExtremes &other)
{
	if (other.least < all->least ||
		(other.least == all->least && other.least_at < all->least_at))
	{
		all->least = other.least;
		all->least_at = other.least_at;
	}
	if (other.greatest > all->greatest ||
		(other.greatest == all->greatest &&
		 other.greatest_at < all->greatest_at))
	{
		all->greatest = other.greatest;
		all->greatest_at = other.greatest_at;
	}
}

/*
 * Merges the extremes of groups of lanes, whose first lanes have the results.
 * All lanes of the warp call it together.
 */
__device__ static inline EngineExtremes
merge_lanes(EngineExtremes own, int lanes)
{
	for (int distance = lanes / 2; distance > 0; distance /= 2)
		merge_extremes(&own, shuffle_down(own, distance));
	return own;
}

__device__ static inline int64_t
bucket_begin(const Buckets &buckets, int64_t bucket)
{
	return bucket > 0 ? buckets.ends[bucket - 1] : 0;
}

/* The last buckets may be behind all elements. */
__device__ static inline bool
is_bucket(const Buckets &buckets, int64_t bucket)
{
	return bucket < buckets.count &&
		bucket_begin(buckets, bucket) < buckets.elements;
}

/* Finds the extremes of one lane's elements of a part. */
template <typename T>
__device__ static inline EngineExtremes
find_extremes(const T *in, const Buckets &buckets, int64_t bucket, int part)
{
	typedef decltype(order_of(T())) Order;
	int64_t		begin = bucket_begin(buckets, bucket);
	int64_t		length = min(buckets.ends[bucket], buckets.elements) - begin;
	int64_t		end = begin + length * (part + 1) / buckets.parts;
	int64_t		at = begin + length * part / buckets.parts +
		threadIdx.x % buckets.lanes;
	EngineExtremes found = no_extremes();

#pragma unroll 4
	for (; at < end; at += buckets.lanes)
	{
		Order		order = order_of(in[at]) - (Order) buckets.kind_least;

		merge_extremes(&found, {order, order, (int) at + 1, (int) at + 1});
	}
	return found;
}

/* The parts of all buckets have numbers. */
template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
find_parts(const T *in, Buckets buckets)
{
	int64_t		stride = (int64_t) gridDim.x *
		(ELEMENT_THREADS / buckets.lanes);
	int64_t		own = ((int64_t) blockIdx.x * ELEMENT_THREADS + threadIdx.x) /
		buckets.lanes;

	/* The lanes of a warp end together, with the last part of the first one. */
	for (int64_t group = own - threadIdx.x % WARP / buckets.lanes;
		 is_bucket(buckets, group / buckets.parts);
		 group += stride, own += stride)
	{
		int64_t		bucket = own / buckets.parts;
		int			part = (int) (own % buckets.parts);
		bool		is_part = is_bucket(buckets, bucket);
		EngineExtremes found = is_part ?
			find_extremes(in, buckets, bucket, part) : no_extremes();

		found = merge_lanes(found, buckets.lanes);
		if (!is_part || threadIdx.x % buckets.lanes > 0)
			continue;
		if (buckets.parts > 1)
			buckets.found[bucket * buckets.parts + part] = found;
		else
			buckets.extremes[bucket] = found;
	}
}

/* A warp merges the parts of a bucket. */
__global__ void __launch_bounds__(ELEMENT_THREADS)
merge_parts(Buckets buckets)
{
	int64_t		bucket = (int64_t) blockIdx.x * EXTREMES_WARPS +
		threadIdx.x / WARP;

	for (; is_bucket(buckets, bucket);
		 bucket += (int64_t) gridDim.x * EXTREMES_WARPS)
	{
		const EngineExtremes *found = buckets.found + bucket * buckets.parts;
		EngineExtremes own = no_extremes();

		for (int part = threadIdx.x % WARP; part < buckets.parts; part += WARP)
			merge_extremes(&own, found[part]);
		own = merge_lanes(own, WARP);
		if (threadIdx.x % WARP == 0)
			buckets.extremes[bucket] = own;
	}
}

static int64_t
count_buckets(const EngineRequest *request)
{
	return request->table_bytes / (int64_t) sizeof(int64_t);
}

/*
 * Returns the parts of a bucket: as many as keep all warps busy, unless that
 * makes them short.
 */
static int
count_parts(const EngineRequest *request)
{
	int64_t		buckets = count_buckets(request);
	int64_t		parts = count_tiles(request->count, buckets * PART_ELEMENTS);
	int64_t		most = count_tiles(device_blocks(REDUCE_BLOCKS_PER_SM) *
								   EXTREMES_WARPS, buckets);

	return (int) (parts < most ? parts : most);
}

/* Returns the lanes that find the extremes of a part. */
static int
count_lanes(const EngineRequest *request)
{
	int64_t		elements = request->count / count_buckets(request);
	int			lanes = 1;

	while (lanes < WARP && lanes * LANE_ELEMENTS < elements)
		lanes *= 2;
	return lanes;
}

static cudaError_t
extremes_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	int			parts = count_parts(request);

	if (parts > 1)
		sizes->scratch = count_buckets(request) * parts *
			sizeof(EngineExtremes);
	return cudaSuccess;
}

static int64_t
blocks_of(int64_t warps)
{
	return count_blocks(count_tiles(warps, EXTREMES_WARPS),
						REDUCE_BLOCKS_PER_SM);
}

template <typename T>
static cudaError_t
extremes_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	int64_t		most = count_buckets(request);	/* with elements */
	Buckets		buckets = {
		.ends = (const int64_t *) work->table,
		.count = most,
		.elements = work->count,
		.parts = count_parts(request),
		.lanes = count_lanes(request),
		.kind_least = kind_least(request->kinds[0]),
		.extremes = (EngineExtremes *) work->summary,
		.found = (EngineExtremes *) work->scratch
	};

	if (most > work->count)
		most = work->count;
	TRY(launch_kernel(work->stream, find_parts<T>,
					  blocks_of(count_tiles(most * buckets.parts *
											buckets.lanes, WARP)),
					  ELEMENT_THREADS, 0, (const T *) work->in[0], buckets));
	if (buckets.parts == 1)
		return cudaSuccess;
	return launch_kernel(work->stream, merge_parts, blocks_of(most),
						 ELEMENT_THREADS, 0, buckets);
}

const DeviceOperation cuda_extremes = {
	.sizes = extremes_sizes,
	.traits = TRAIT_DIRECT | TRAIT_ALONE,
	.run = RUN_BY(RETURN_BY_KIND, extremes_of)
};
