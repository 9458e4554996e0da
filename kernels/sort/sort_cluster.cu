/*
 * sort_cluster.cu
 *	  The sort of a small array in one launch, in shared memory.
 *
 * A thread block sorts as many items as its shared memory has room for; a
 * thread block cluster (on Hopper and later) as many as the distributed shared
 * memory of all its blocks (sort_agent.h).  A block alone sorts keys that are
 * spread evenly by buckets, and others by digits.
 */
#include "kernels/common/cluster_launch.h"
#include "kernels/common/device_fact.h"
#include "kernels/common/kernel_timer.h"
#include "kernels/sort/sort_cluster.h"

/*
 * A block alone sorts up to 1 << CLUSTER_ALONE_BITS items.  A block of a
 * cluster has at least 1 << CLUSTER_PART_BITS items.  A grid sorts more than
 * 65,536 items faster: 2^17 take 17.4 us instead of 21.6.
 */
#define CLUSTER_MIN_BITS	9
#define CLUSTER_ALONE_BITS	12
#define CLUSTER_PART_BITS	11

/* The shared memory of a block alone that sorts by buckets. */
template <typename Key, int PAYLOAD>
struct BucketTile
{
	typedef ClusterTile<Key, PAYLOAD> Tile;

	Buckets<Key, PAYLOAD != 0, CLUSTER_THREADS, Tile::size> buckets;
	typename Tile::Payload payload[PAYLOAD ? Tile::size : 1];
	SortRange<Key> warp_ranges[CLUSTER_THREADS / WARP];
	Key			sample[WARP];	/* of the keys */
};

template <typename Key, int PAYLOAD>
union ClusterMemory
{
	ClusterTile<Key, PAYLOAD> tile;
	BucketTile<Key, PAYLOAD> alone;
};

/* How to begin.  Keys that are not spread evenly are sorted by digits then. */
enum ClusterWay
{
	BY_DIGITS,
	IN_BUCKETS,					/* by a block alone */
	IN_GROUPS					/* by a cluster */
};

/* A thread's part in the sort by a cluster, or by a block alone. */
template <typename Key, int PAYLOAD>
struct ClusterAgent
{
	typedef SortAgent<ClusterExchange<Key, PAYLOAD>> Agent;
	typedef typename Agent::Payload Payload;

	const ClusterSort<Key> &sort;
	BucketTile<Key, PAYLOAD> *alone;
	Agent		agent;

	template <bool TAKES_EQUAL, typename Range>
	__device__ bool sort_in_buckets(Range range);
	__device__ void take_sample();
	__device__ bool sort_by_codes(SortRange<Key> range);
	__device__ void sort_alone();
	__device__ void end_writes() const;
	template <ClusterWay WAY> __device__ void run();
};

/*
 * Sorts the items of a block alone, and writes them.  Returns false, and writes
 * nothing, if the keys are not spread evenly.  Floats that are bunched look
 * like repeated ones in their own bits, but codes are better for them.
 */
template <typename Key, int PAYLOAD>
template <bool TAKES_EQUAL, typename Range>
__device__ bool
ClusterAgent<Key, PAYLOAD>::sort_in_buckets(Range range)
{
	const auto &own = agent.own;
	auto	   *buckets = &alone->buckets;

#pragma unroll
	for (int j = 0; j < CLUSTER_ITEMS; j++)
	{
		if (PAYLOAD && own.exists(j))
			alone->payload[own.at(j)] = own.payload[j];
	}
	if (!buckets->template fill<TAKES_EQUAL>(sort.count, range,
											 TAKES_EQUAL ||
											 !sort.order.is_float,
											 [&] (auto use) {
#pragma unroll
			for (int j = 0; j < CLUSTER_ITEMS; j++)
			{
				if (own.exists(j))
					use(own.keys[j], own.at(j));
			}
		}))
		return false;
	buckets->sort(sort.count);
#pragma unroll
	for (int j = 0; j < CLUSTER_ITEMS; j++)
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

/* Takes a sample of the keys, of threads at even distances. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::take_sample()
{
	unsigned	row = sort.rows * WARP;
	unsigned	warps = (sort.count + row - 1) / row;

	if (threadIdx.x < warps * WARP && threadIdx.x % warps == sort.seed % warps)
		alone->sample[threadIdx.x / warps] = agent.own.any_key();
	__syncthreads();
}

/*
 * The same, with the codes that a sample tells, and the buckets of another
 * attempt.  Keys of any kind may have codes: of so few, few are equal.
 */
template <typename Key, int PAYLOAD>
__device__ bool
ClusterAgent<Key, PAYLOAD>::sort_by_codes(SortRange<Key> range)
{
	KeyCodes<Key> codes;

	take_sample();
	if (choose_bins<Key>(range, sort.order, alone->sample[threadIdx.x % WARP],
						 true, sort.count, sort.count, &codes,
						 NULL) != BINS_OF_CODES)
		return false;
	alone->buckets.clear();
	__syncthreads();
	return sort_in_buckets<true>(CodeBins<Key>(codes, range.greatest)
								 .buckets_of(0, SORT_BINS - 1));
}

/* Sorts and writes the items of a block alone. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::sort_alone()
{
	SortRange<Key> range;

	agent.own.load();
	alone->buckets.clear();
	range = block_merge<CLUSTER_THREADS>(agent.own.order_keys(),
										 alone->warp_ranges);
	if (range.differing != 0 &&
		(sort_in_buckets<false>(alone->buckets.range_of(range.least,
														range.greatest)) ||
		 sort_by_codes(range)))
		return;

	/* The buckets were in the same memory. */
	__syncthreads();
	agent.sort_by_digits(range);
}

/* When this returns, all blocks have written, and the kernel may tell. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::end_writes() const
{
	if (sort.end != NULL)
		__threadfence_system();
	cluster_sync();
}

template <typename Key, int PAYLOAD>
template <ClusterWay WAY>
__device__ void
ClusterAgent<Key, PAYLOAD>::run()
{
	unsigned long long begun_ns = now_ns();

	if constexpr (WAY == IN_BUCKETS)
		sort_alone();
	else
	{
		agent.begin();
		agent.template run<WAY == IN_GROUPS>();
	}
	if (threadIdx.x == 0 && cluster_block() == 0)
		select_other(sort.plan);
	if (sort.end == NULL)
		return;
	end_writes();
	if (threadIdx.x == 0 && cluster_block() == 0)
		timer_stop(begun_ns, sort.end, sort.timer_number);
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
		sort, &memory->alone,
		{{sort, &memory->tile,
		  {sort, (int) cluster_block() << sort.part_bits}}}
	};

	let_next_start();
	wait_for_preceding();
	agent.template run<WAY>();
}

static bool
may_have(const void *kernel, size_t shared)
{
	return cudaFuncSetAttribute(kernel,
								cudaFuncAttributeMaxDynamicSharedMemorySize,
								(int) shared) == cudaSuccess;
}

/*
 * Returns the most blocks of a cluster of a kernel on the current device: a
 * power of two; or 0 if the device lacks the shared memory for a block, or for
 * the kernel of a block alone.  More than eight blocks have to be allowed for a
 * kernel.
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
		while (most < CLUSTER_BLOCKS &&
			   can_run_cluster(kernel, CLUSTER_THREADS, shared, most * 2))
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

template <typename Key, int PAYLOAD>
static int
find_most_blocks_for()
{
	return find_most_blocks((const void *)
							kernel_for<Key, PAYLOAD>(CLUSTER_BLOCKS),
							(const void *) kernel_for<Key, PAYLOAD>(1),
							sizeof(ClusterMemory<Key, PAYLOAD>));
}

template <typename Key, int PAYLOAD>
static int
most_blocks()
{
	return device_fact<find_most_blocks_for<Key, PAYLOAD>>();
}

template <typename Key, int PAYLOAD>
static bool
fits(const Sort *sort)
{
	return sort->count <= (int64_t) most_blocks<Key, PAYLOAD>() *
		ClusterTile<Key, PAYLOAD>::size;
}

bool
sort_fits_cluster(const Sort *sort)
{
	RETURN_BY_ITEM(sort, fits, sort);
}

/*
 * Divides an array into the parts of blocks.  Returns the number of blocks,
 * which is at most "most_blocks".
 */
static unsigned
divide(int64_t count, unsigned most_blocks, int *part_bits)
{
	unsigned	blocks = 1;

	*part_bits = CLUSTER_PART_BITS;
	if (count <= 1 << CLUSTER_ALONE_BITS || most_blocks == 1)
	{
		*part_bits = CLUSTER_MIN_BITS;
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
	int			part_bits;
	unsigned	blocks = divide(sort->count, most_blocks<Key, PAYLOAD>(),
								&part_bits);
	ClusterSort<Key> items = {
		part_sort<Key>(sort, (1 << part_bits) / CLUSTER_THREADS), part_bits,
		sort->end, sort->timer_number
	};
	ClusterKernel<Key> kernel = kernel_for<Key, PAYLOAD>(blocks);
	cudaLaunchAttribute attributes[] = {
		dependent_launch(), cluster_of(blocks)
	};
	bool		for_hopper = is_for_hopper((const void *) kernel);

	return launch_kernel(stream, kernel, blocks, CLUSTER_THREADS,
						 sizeof(ClusterMemory<Key, PAYLOAD>), attributes,
						 !for_hopper ? 0 : blocks > 1 ? 2 : 1, items);
}

/* Queues the sort of an array that fits, into the second buffers. */
cudaError_t
sort_in_cluster(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_ITEM(sort, sort_items, stream, sort);
}
