/*
 * sort_block.cu
 *	  The sort of a small array by one thread block, in shared memory.
 *
 * It sorts keys that are spread evenly by buckets, and others by digits.
 */
#include "kernels/common/launch.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort_buckets.h"
#include "kernels/sort/sort_part.h"

template <typename Key, int PAYLOAD>
struct BlockMemory
{
	static const int items = sizeof(Key) > 4 ? BLOCK_ITEMS_8 : BLOCK_ITEMS_4;
	typedef PartItems<Key, PAYLOAD, BLOCK_SORT_THREADS, items> Items;
	typedef typename Items::Payload Payload;

	struct InBuckets
	{
		Buckets<Key, PAYLOAD != 0, BLOCK_SORT_THREADS, Items::size> buckets;
		Payload		payload[PAYLOAD ? Items::size : 1];
	};

	union
	{
		InBuckets	in_buckets;
		typename Items::Memory digits;
	};
	SortRange<Key> warp_ranges[BLOCK_SORT_THREADS / WARP];
};

/*
 * Sorts the items, and writes them.  Returns false, and writes nothing, if the
 * keys are not spread evenly.
 */
template <typename Key, int PAYLOAD>
__device__ static inline bool
sort_in_buckets(const PartSort<Key> &sort,
				typename BlockMemory<Key, PAYLOAD>::Items &own,
				BlockMemory<Key, PAYLOAD> *memory, SortRange<Key> range)
{
	auto	   *buckets = &memory->in_buckets.buckets;
	auto	   *payload = memory->in_buckets.payload;

	own.for_each_row([&] (int j) {
		if (PAYLOAD && own.exists(j))
			payload[own.at(j)] = own.payload[j];
	});
	if (!buckets->fill(buckets->range_of(range.least, range.greatest),
					   [&] (auto use) {
			own.for_each_row([&] (int j) {
				if (own.exists(j))
					use(own.keys[j], own.at(j));
			});
		}))
		return false;
	buckets->sort(sort.count);
	own.for_each_row([&] (int j) {
		int			i = threadIdx.x + j * BLOCK_SORT_THREADS;

		if (i >= sort.count)
			return;
		if constexpr (PAYLOAD != 0)
			((PayloadOf<PAYLOAD> *) sort.payload_out)[i] =
				payload[buckets->from[i]];
		else
			sort.keys_out[i] = restored(buckets->keys[i], sort.order);
	});
	return true;
}

/* Buckets are for keys of more than two digits. */
template <typename Key, int PAYLOAD>
__global__ void __launch_bounds__(BLOCK_SORT_THREADS)
sort_block(const __grid_constant__ PartSort<Key> sort)
{
	const bool	is_long = sizeof(Key) >= 4;
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	auto	   *memory = (BlockMemory<Key, PAYLOAD> *) shared;
	typename BlockMemory<Key, PAYLOAD>::Items own = {sort, 0};
	unsigned long long begun_ns;
	SortRange<Key> range;

	let_next_start();
	wait_for_preceding();
	begun_ns = now_ns();
	own.load();
	if (is_long)
		memory->in_buckets.buckets.clear();
	range = block_merge<BLOCK_SORT_THREADS>(own.order_keys(),
											memory->warp_ranges);
	if (!is_long || range.differing == 0 ||
		!sort_in_buckets<Key, PAYLOAD>(sort, own, memory, range))
	{
		/* The buckets were in the same memory. */
		__syncthreads();
		own.write(own.sort_by_digits(range, &memory->digits));
	}
	if (threadIdx.x == 0)
		select_other(sort.plan);
	if (sort.end == NULL)
		return;

	/* All threads have written, so the kernel may report its end. */
	__threadfence_system();
	__syncthreads();
	if (threadIdx.x == 0)
		timer_stop(begun_ns, sort.end, sort.timer_number);
}

template <typename Key, int PAYLOAD>
static bool
fits_block(const Sort *sort)
{
	typedef BlockMemory<Key, PAYLOAD> Memory;

	return sort->count <= Memory::Items::size &&
		sizeof(Memory) <= (size_t) device_shared_bytes();
}

bool
sort_fits_block(const Sort *sort)
{
	RETURN_BY_ITEM(sort, fits_block, sort);
}

template <typename Key, int PAYLOAD>
static cudaError_t
start_block(cudaStream_t stream, const Sort *sort)
{
	int			rows = (int) count_tiles(sort->count, BLOCK_SORT_THREADS);

	return launch_dependent(stream, sort_block<Key, PAYLOAD>, 1,
							BLOCK_SORT_THREADS,
							sizeof(BlockMemory<Key, PAYLOAD>),
							part_sort<Key>(sort, rows));
}

/* Queues the sort of an array that fits, into the second buffers. */
cudaError_t
sort_in_block(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_ITEM(sort, start_block, stream, sort);
}
