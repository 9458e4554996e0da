/*
 * sort_cluster.cu
 *	  The sort of a small array in one launch, in shared memory.
 *
 * A thread block sorts as many items as its shared memory has room for; a
 * thread block cluster (on Hopper and later) as many as the distributed shared
 * memory of all its blocks.  In a pass, each block sorts its part by a digit,
 * as a tile of a larger array, and sends its histogram to all blocks.  From
 * these it knows the places of its bins in the cluster, and scatters its items
 * to them.  The items of a bin are adjacent by then, so most of a warp's
 * stores go to one block.
 */
#include <type_traits>

#include <cooperative_groups.h>

#include "kernel_end.h"
#include "sort.h"

namespace cg = cooperative_groups;

#define CLUSTER_WARPS	(CLUSTER_THREADS / WARP)

/*
 * A block's part in shared memory, of keys, and of payloads of PAYLOAD bytes if
 * that is not 0.
 */
template <typename Key, int PAYLOAD>
struct ClusterTile
{
	typedef std::conditional_t<PAYLOAD == 8, int64_t, int> Payload;
	static const int items = sizeof(Key) + PAYLOAD <= 8 ? CLUSTER_ITEMS_8 :
		CLUSTER_ITEMS_16;
	static const int size = CLUSTER_THREADS * items;

	unsigned	bins[CLUSTER_WARPS][SORT_BINS];	/* as in sort_move.cu */
	unsigned	peers[CLUSTER_WARPS][SORT_BINS];
	Key			keys[size];		/* of the next pass, from all blocks */
	Payload		payload[PAYLOAD ? size : 1];
	Key			sorted[size];	/* of this block, by a digit */
	Payload		sorted_payload[PAYLOAD ? size : 1];
	unsigned	counts[CLUSTER_BLOCKS][SORT_BINS];	/* the blocks' histograms */
	unsigned	places[SORT_BINS];	/* in the cluster, less in the block */
	unsigned	warps[2][CLUSTER_WARPS];
	unsigned long long differing[CLUSTER_BLOCKS];	/* bits in which keys differ
													 * from the first one */
};

/* The arguments. */
template <typename Key>
struct ClusterSort
{
	const Key  *keys;
	Key		   *keys_out;
	const void *payload;
	void	   *payload_out;
	int			count;
	int			part_bits;		/* a block's part has 1 << part_bits items, */
	int			rows;			/* of which a warp has so many rows */
	KeyOrder	order;
	SortPlan   *plan;
	bool		positions;		/* are the payloads the positions? */
	KernelEnd  *end;			/* to tell; or NULL */
	unsigned	end_number;
};

#if __CUDA_ARCH__ >= 900

__device__ static inline void
cluster_sync()
{
	cg::this_cluster().sync();
}

__device__ static inline unsigned
cluster_block()
{
	return cg::this_cluster().block_rank();
}

__device__ static inline unsigned
cluster_blocks()
{
	return cg::this_cluster().num_blocks();
}

/* The same shared memory of another block. */
template <typename T>
__device__ static inline T *
of_block(T *memory, unsigned block)
{
	return cg::this_cluster().map_shared_rank(memory, block);
}

#else

/* Without clusters, there is one thread block. */
__device__ static inline void
cluster_sync()
{
	__syncthreads();
}

__device__ static inline unsigned
cluster_block()
{
	return 0;
}

__device__ static inline unsigned
cluster_blocks()
{
	return 1;
}

template <typename T>
__device__ static inline T *
of_block(T *memory, unsigned block)
{
	return memory;
}

#endif

/*
 * A thread's part in the sort, in the phases of run().  A thread has one item
 * of each row of its warp; and the bin of its number, if there is one.
 */
template <typename Key, int PAYLOAD>
struct ClusterAgent
{
	typedef ClusterTile<Key, PAYLOAD> Tile;
	typedef typename Tile::Payload Payload;
	static const int items = Tile::items;

	const ClusterSort<Key> &sort;
	Tile	   *memory;
	Key			own[items];
	Payload		payload[PAYLOAD ? items : 1];
	unsigned short ranks[items];

	__device__ int warp() const
	{
		return threadIdx.x / WARP;
	}

	/* This thread's first item in the block's part. */
	__device__ int at() const
	{
		return warp() * sort.rows * WARP + threadIdx.x % WARP;
	}

	/* The block's first item in the array. */
	__device__ int first() const
	{
		return cluster_block() << sort.part_bits;
	}

	__device__ bool has_bin() const
	{
		return threadIdx.x < SORT_BINS;
	}

	__device__ void load();
	__device__ void find_differing();
	__device__ unsigned rank(int digit);
	__device__ void scatter_to_shared(int digit);
	__device__ void place_bins(unsigned bin_start);
	__device__ void scatter(int digit);
	__device__ void take();
	__device__ void write() const;
	__device__ void run();
};

/*
 * Pads the last part with the greatest key, which comes last.  No block uses
 * another one's shared memory before that has begun.
 */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::load()
{
	const Payload *from = (const Payload *) sort.payload;

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		int			i = first() + at() + j * WARP;
		bool		exists = j < sort.rows && i < sort.count;

		own[j] = (Key) ~(Key) 0;
		if (exists)
			own[j] = sort.keys[i];
		if (PAYLOAD && exists)
			payload[j] = sort.positions ? (Payload) i + 1 : from[i];
	}
	for (int i = threadIdx.x % WARP; i < SORT_BINS; i += WARP)
		memory->peers[warp()][i] = 0;
	if (threadIdx.x < CLUSTER_BLOCKS)
		memory->differing[threadIdx.x] = 0;
	cluster_sync();
}

/* Finds the bits in which the block's keys differ from the array's first. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::find_differing()
{
	Key			first_key = ordered(sort.keys[0], sort.order);
	unsigned long long differing = 0;

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		if (j < sort.rows && first() + at() + j * WARP < sort.count)
		{
			own[j] = ordered(own[j], sort.order);
			differing |= own[j] ^ first_key;
		}
	}
	for (int distance = WARP / 2; distance > 0; distance /= 2)
		differing |= __shfl_xor_sync(ALL_LANES, differing, distance);
	if (threadIdx.x % WARP == 0 && differing != 0)
		atomicOr(&memory->differing[cluster_block()], differing);
}

/*
 * Ranks the keys of a warp by a digit; turns the warps' histograms into the
 * place of each warp's first key of each bin in the block; and sends the
 * block's histogram to all blocks, in the first pass with the differing bits.
 * Returns the place of this thread's bin in the block.
 */
template <typename Key, int PAYLOAD>
__device__ unsigned
ClusterAgent<Key, PAYLOAD>::rank(int digit)
{
	unsigned	sum = 0;
	unsigned	start;

	for (int i = threadIdx.x % WARP; i < SORT_BINS; i += WARP)
		memory->bins[warp()][i] = 0;
	__syncwarp();
	rank_keys<items>(own, sort.rows, DigitBins{digit}, memory->bins[warp()],
					 memory->peers[warp()], ranks);
	__syncthreads();
	if (has_bin())
	{
#pragma unroll
		for (int i = 0; i < CLUSTER_WARPS; i++)
		{
			unsigned	warp_count = memory->bins[i][threadIdx.x];

			memory->bins[i][threadIdx.x] = sum;
			sum += warp_count;
		}
		for (unsigned i = 0; i < cluster_blocks(); i++)
			*of_block(&memory->counts[cluster_block()][threadIdx.x], i) = sum;
	}
	if (digit == 0 && threadIdx.x < cluster_blocks() &&
		threadIdx.x != cluster_block())
		*of_block(&memory->differing[cluster_block()], threadIdx.x) =
			memory->differing[cluster_block()];
	start = block_exclusive_scan<SORT_BINS / WARP>(sum, memory->warps[0]);
	if (has_bin())
	{
#pragma unroll
		for (int i = 0; i < CLUSTER_WARPS; i++)
			memory->bins[i][threadIdx.x] += start;
	}
	__syncthreads();
	return start;
}

/* Sorts the block's items by the digit, a stable sort. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::scatter_to_shared(int digit)
{
	bool		alone = cluster_blocks() == 1;
	Key		   *to = alone ? memory->keys : memory->sorted;
	Payload    *payload_to = alone ? memory->payload :
		memory->sorted_payload;

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		unsigned	bin = digit_of(own[j], digit);
		unsigned	i = memory->bins[warp()][bin] + ranks[j];

		if (j >= sort.rows)
			break;
		to[i] = own[j];
		if (PAYLOAD)
			payload_to[i] = payload[j];
	}
}

/* Finds the places of the block's bins in the cluster, from all histograms. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::place_bins(unsigned bin_start)
{
	unsigned	before = 0;
	unsigned	total = 0;
	unsigned	start;

	if (has_bin())
	{
#pragma unroll
		for (unsigned i = 0; i < CLUSTER_BLOCKS; i++)
		{
			unsigned	count = i < cluster_blocks() ?
				memory->counts[i][threadIdx.x] : 0;

			total += count;
			before += i < cluster_block() ? count : 0;
		}
	}
	start = block_exclusive_scan<SORT_BINS / WARP>(total, memory->warps[1]);
	if (has_bin())
		memory->places[threadIdx.x] = start + before - bin_start;
	__syncthreads();
}

/* Scatters the sorted items to their places in the cluster. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::scatter(int digit)
{
#pragma unroll
	for (int j = 0; j < items; j++)
	{
		unsigned	at = threadIdx.x + j * CLUSTER_THREADS;
		Key			key = memory->sorted[at];
		unsigned	to = memory->places[digit_of(key, digit)] + at;
		unsigned	block = to >> sort.part_bits;
		unsigned	i = to & ((1u << sort.part_bits) - 1);

		if (j >= sort.rows)
			break;
		of_block(memory->keys, block)[i] = key;
		if (PAYLOAD)
			of_block(memory->payload, block)[i] = memory->sorted_payload[at];
	}
}

/* Takes the items of the next pass. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::take()
{
#pragma unroll
	for (int j = 0; j < items; j++)
	{
		if (j >= sort.rows)
			break;
		own[j] = memory->keys[at() + j * WARP];
		if (PAYLOAD)
			payload[j] = memory->payload[at() + j * WARP];
	}
}

/* Writes the sorted items; of those with a payload, that alone. */
template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::write() const
{
#pragma unroll
	for (int j = 0; j < items; j++)
	{
		int			i = first() + at() + j * WARP;

		if (j >= sort.rows || i >= sort.count)
			continue;
		if (PAYLOAD)
			((Payload *) sort.payload_out)[i] = payload[j];
		else
			sort.keys_out[i] = restored(own[j], sort.order);
	}
}

template <typename Key, int PAYLOAD>
__device__ void
ClusterAgent<Key, PAYLOAD>::run()
{
	unsigned long long begun_ns = now_ns();
	unsigned long long differing = 0;

	load();
	find_differing();
	for (int digit = 0; digit < (int) sizeof(Key); digit++)
	{
		unsigned	bin_start;

		if (digit > 0 && digit_of(differing, digit) == 0)
			continue;
		bin_start = rank(digit);
		scatter_to_shared(digit);
		cluster_sync();
		if (digit == 0)
		{
			for (unsigned i = 0; i < cluster_blocks(); i++)
				differing |= memory->differing[i];
		}
		if (cluster_blocks() > 1)
		{
			place_bins(bin_start);
			scatter(digit);
			cluster_sync();
		}
		take();
	}
	write();
	if (threadIdx.x == 0 && cluster_block() == 0)
	{
		sort.plan->in_other = 1;
		sort.plan->in_first = 0;
	}
	if (sort.end == NULL)
		return;
	__threadfence_system();
	cluster_sync();
	if (threadIdx.x == 0 && cluster_block() == 0)
		tell_end(begun_ns, sort.end, sort.end_number);
}

template <typename Key, int PAYLOAD>
__global__ void __launch_bounds__(CLUSTER_THREADS)
sort_cluster(const __grid_constant__ ClusterSort<Key> sort)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	ClusterAgent<Key, PAYLOAD> agent = {
		sort, (ClusterTile<Key, PAYLOAD> *) shared
	};

	let_next_start();
	wait_for_preceding();
	agent.run();
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

/*
 * The blocks that a cluster of a kernel may have on the current device: a power
 * of two; or 0 if the device lacks the shared memory for one.  More than eight
 * have to be allowed.
 */
static int
find_most_blocks(const void *kernel, size_t shared)
{
	unsigned	most = 1;

	if (cudaFuncSetAttribute(kernel,
							 cudaFuncAttributeMaxDynamicSharedMemorySize,
							 (int) shared) != cudaSuccess)
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
		most = find_most_blocks((const void *) sort_cluster<Key, PAYLOAD>,
								sizeof(ClusterTile<Key, PAYLOAD>));
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
	void		(*kernel) (const ClusterSort<Key>) =
		sort_cluster<Key, PAYLOAD>;
	cudaLaunchAttribute attributes[] = {
		dependent_launch(), cluster_of(blocks)
	};
	cudaLaunchConfig_t config = {
		.gridDim = blocks,
		.blockDim = CLUSTER_THREADS,
		.dynamicSmemBytes = sizeof(ClusterTile<Key, PAYLOAD>),
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
