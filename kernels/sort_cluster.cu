/*
 * sort_cluster.cu
 *	  The sort of a small array in one launch, in shared memory.
 *
 * A thread block sorts as many items as its shared memory has room for; a
 * thread block cluster (on Hopper and later) as many as the distributed shared
 * memory of all its blocks.  A block alone sorts keys that are spread evenly by
 * buckets.  A cluster moves its items to bins of the same width, and each block
 * sorts the bins that begin in its part by buckets.
 *
 * Else all digits take a pass: each block sorts its part by a digit, as a tile
 * of a larger array, and sends its histogram to all blocks.  From these it
 * knows the places of its bins in the cluster, and scatters its items to them.
 * The items of a bin are adjacent by then, so most of a warp's stores go to one
 * block.
 */
#include "kernel_end.h"
#include "sort_cluster.h"
#include "sort_cluster_groups.h"

template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::clear_buckets()
{
	if (threadIdx.x == 0)
	{
		alone->least = ~0ull;
		alone->greatest = 0;
	}
	alone->buckets.clear();
	__syncthreads();
}

/* Finds the buckets of the keys of a block alone. */
template <typename Key, int PAYLOAD>
__device__ BucketRange<Key>
ClusterAgent<Key, PAYLOAD>::find_range()
{
	KeyRange<Key> range = order_keys();

	if (threadIdx.x % WARP == 0)
	{
		atomicMin(&alone->least, (unsigned long long) range.least);
		atomicMax(&alone->greatest, (unsigned long long) range.greatest);
	}
	__syncthreads();
	return alone->buckets.range_of((Key) alone->least, (Key) alone->greatest);
}

/*
 * Sorts the items of a block alone, and writes them.  Returns false, and does
 * nothing, if the keys are not spread evenly.
 */
template <typename Key, int PAYLOAD>
__device__ bool
ClusterAgent<Key, PAYLOAD>::sort_in_buckets()
{
	auto	   *buckets = &alone->buckets;
	BucketRange<Key> range = find_range();

	if (alone->least == alone->greatest)
		return false;
#pragma unroll
	for (int j = 0; j < items; j++)
	{
		if (exists(j))
			buckets->count(range.bucket_of(own[j]));
		if (PAYLOAD && exists(j))
			alone->payload[at() + j * WARP] = payload[j];
	}
	__syncthreads();
	buckets->scan();
	if (buckets->is_uneven())
		return false;
#pragma unroll
	for (int j = 0; j < items; j++)
	{
		if (exists(j))
			buckets->put(own[j], at() + j * WARP, range.bucket_of(own[j]));
	}
	buckets->sort(sort.count);
#pragma unroll
	for (int j = 0; j < items; j++)
	{
		int			i = threadIdx.x + j * CLUSTER_THREADS;

		if (i >= sort.count)
			break;
		if (PAYLOAD)
			((Payload *) sort.payload_out)[i] =
				alone->payload[buckets->from[i]];
		else
			sort.keys_out[i] = restored(buckets->keys[i], sort.order);
	}
	return true;
}

/* Sorts and writes the items.  Returns true after end_writes(). */
template <typename Key, int PAYLOAD>
template <ClusterWay WAY>
__device__ bool
ClusterAgent<Key, PAYLOAD>::sort_items()
{
	if constexpr (WAY == IN_GROUPS)
	{
		if (cluster_blocks() > 1 && sort_in_groups())
			return true;
	}
	load();
	if constexpr (WAY == IN_BUCKETS)
	{
		clear_buckets();
		if (sort_in_buckets())
			return false;

		/* The buckets were in the same memory. */
		__syncthreads();
	}
	clear();

	/* No block uses another one's memory before that has begun. */
	cluster_sync();
	sort_by_digits<WAY != IN_BUCKETS>();
	return false;
}

template <typename Key, int PAYLOAD>
template <ClusterWay WAY>
__device__ void
ClusterAgent<Key, PAYLOAD>::run()
{
	unsigned long long begun_ns = now_ns();
	bool		ended = sort_items<WAY>();

	if (threadIdx.x == 0 && cluster_block() == 0)
	{
		sort.plan->in_other = 1;
		sort.plan->in_first = 0;
	}
	if (sort.end == NULL)
		return;
	if (!ended)
		end_writes();
	if (threadIdx.x == 0 && cluster_block() == 0)
		tell_end(begun_ns, sort.end, sort.end_number);
}

/* Buckets, and groups, are for keys of more than two digits. */
template <typename Key, int PAYLOAD, ClusterWay WAY>
__global__ void __launch_bounds__(CLUSTER_THREADS)
sort_cluster(const __grid_constant__ ClusterSort<Key> sort)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	ClusterMemory<Key, PAYLOAD> *memory =
		(ClusterMemory<Key, PAYLOAD> *) shared;
	ClusterAgent<Key, PAYLOAD> agent = {
		sort, &memory->tile, &memory->alone
	};

	let_next_start();
	wait_for_preceding();
	agent.template run<WAY>();
}

static cudaLaunchAttribute
cluster_of(unsigned blocks)
{
	cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};

	attribute.val.clusterDim.x = blocks;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	return attribute;
}

/* Can the current device run a cluster of so many blocks? */
static bool
can_run(const void *kernel, size_t shared, unsigned blocks)
{
	cudaLaunchAttribute cluster = cluster_of(blocks);
	cudaLaunchConfig_t config = {
		.gridDim = blocks,
		.blockDim = CLUSTER_THREADS,
		.dynamicSmemBytes = shared,
		.attrs = &cluster,
		.numAttrs = 1
	};
	int			clusters = 0;

	return cudaOccupancyMaxActiveClusters(&clusters, kernel,
										  &config) == cudaSuccess &&
		clusters > 0;
}

static bool
may_have(const void *kernel, size_t shared)
{
	return cudaFuncSetAttribute(kernel,
								cudaFuncAttributeMaxDynamicSharedMemorySize,
								(int) shared) == cudaSuccess;
}

/*
 * The blocks that a cluster of a kernel may have on the current device: a power
 * of two; or 0 if the device lacks the shared memory for one, or for the kernel
 * of a block alone.  More than eight have to be allowed.
 */
static int
find_most_blocks(const void *kernel, const void *alone, size_t shared)
{
	unsigned	most = 1;

	if (!may_have(kernel, shared) || !may_have(alone, shared))
		most = 0;
	else if (is_for_hopper(kernel))
	{
		(void) cudaFuncSetAttribute
			(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
		while (most < CLUSTER_BLOCKS && can_run(kernel, shared, most * 2))
			most *= 2;
	}
	(void) cudaGetLastError();
	return (int) most;
}

template <typename Key>
using ClusterKernel = void (*) (const ClusterSort<Key>);

template <typename Key, int PAYLOAD>
static ClusterKernel<Key>
kernel_for(unsigned blocks)
{
	const bool	is_long = sizeof(Key) >= 4;

	return blocks > 1 ?
		sort_cluster<Key, PAYLOAD, is_long ? IN_GROUPS : BY_DIGITS> :
		sort_cluster<Key, PAYLOAD, is_long ? IN_BUCKETS : BY_DIGITS>;
}

/* The same, found out once for each device. */
template <typename Key, int PAYLOAD>
static int
most_blocks()
{
	static int	known[MOST_DEVICES];	/* 0: not known yet; -1: none */
	int			device;
	int			most;

	if (cudaGetDevice(&device) != cudaSuccess || device >= MOST_DEVICES)
		return 0;
	most = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
	if (most == 0)
	{
		most = find_most_blocks((const void *)
								kernel_for<Key, PAYLOAD>(CLUSTER_BLOCKS),
								(const void *) kernel_for<Key, PAYLOAD>(1),
								sizeof(ClusterMemory<Key, PAYLOAD>));
		__atomic_store_n(&known[device], most == 0 ? -1 : most,
						 __ATOMIC_RELAXED);
	}
	return most > 0 ? most : 0;
}

template <typename Key, int PAYLOAD>
static int64_t
most_items()
{
	return (int64_t) most_blocks<Key, PAYLOAD>() *
		ClusterTile<Key, PAYLOAD>::size;
}

template <typename Key>
static int64_t
most_items_any(const Sort *sort)
{
	return sort->payload_size == 0 ? most_items<Key, 0>() :
		sort->payload_size == 4 ? most_items<Key, 4>() : most_items<Key, 8>();
}

bool
sort_fits_cluster(const Sort *sort)
{
	int			size = kind_size(sort->kind);

	return sort->count <= (size == 1 ? most_items_any<uint8_t>(sort) :
						   size == 2 ? most_items_any<uint16_t>(sort) :
						   size == 4 ? most_items_any<uint32_t>(sort) :
						   most_items_any<uint64_t>(sort));
}

/*
 * Divides an array into the parts of blocks, "most_blocks" at most.  Returns
 * their number.
 */
static unsigned
divide(int64_t count, unsigned most_blocks, int *part_bits)
{
	unsigned	blocks = 1;

	*part_bits = CLUSTER_PART_BITS;
	if (count <= 1 << CLUSTER_ALONE_BITS || most_blocks == 1)
	{
		*part_bits = CLUSTER_LEAST_BITS;
		while ((int64_t) 1 << *part_bits < count)
			(*part_bits)++;
	}
	while ((int64_t) blocks << *part_bits < count)
	{
		if (blocks < most_blocks)
			blocks *= 2;
		else
			(*part_bits)++;
	}
	return blocks;
}

template <typename Key, int PAYLOAD>
static cudaError_t
sort_items(cudaStream_t stream, const Sort *sort)
{
	ClusterSort<Key> items = {
		.keys = (const Key *) sort->keys[0],
		.keys_out = (Key *) sort->keys[1],
		.payload = sort->payloads[0],
		.payload_out = sort->payloads[1],
		.count = (int) sort->count,
		.order = sort_order(sort),
		.plan = (SortPlan *) sort->scratch,
		.positions = sort->positions,
		.end = sort->end,
		.end_number = sort->end_number
	};
	unsigned	blocks = divide(sort->count, most_blocks<Key, PAYLOAD>(),
								&items.part_bits);
	ClusterKernel<Key> kernel = kernel_for<Key, PAYLOAD>(blocks);
	cudaLaunchAttribute attributes[] = {
		dependent_launch(), cluster_of(blocks)
	};
	cudaLaunchConfig_t config = {
		.gridDim = blocks,
		.blockDim = CLUSTER_THREADS,
		.dynamicSmemBytes = sizeof(ClusterMemory<Key, PAYLOAD>),
		.stream = stream,
		.attrs = attributes,
		.numAttrs = !is_for_hopper((const void *) kernel) ? 0u :
			blocks > 1 ? 2u : 1u
	};

	items.rows = (1 << items.part_bits) / CLUSTER_THREADS;
	return cudaLaunchKernelEx(&config, kernel, items);
}

template <typename Key>
static cudaError_t
sort_any(cudaStream_t stream, const Sort *sort)
{
	switch (sort->payload_size)
	{
		case 0:
			return sort_items<Key, 0>(stream, sort);
		case 4:
			return sort_items<Key, 4>(stream, sort);
		case 8:
			return sort_items<Key, 8>(stream, sort);
	}
	return cudaErrorInvalidValue;
}

/* Queues the sort of an array that fits, into the second buffers. */
cudaError_t
sort_in_cluster(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_SIZE(sort->kind, sort_any, stream, sort);
}
