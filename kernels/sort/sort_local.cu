/*
 * sort_local.cu
 *	  The end of a sort whose passes sorted by the highest digits alone.
 *
 * The keys that share these digits form a group.  A thread block takes the
 * groups that begin in its tile, and sorts them in shared memory (as in Stehle
 * and Jacobsen, "A memory bandwidth-efficient hybrid radix sort on GPUs",
 * 2017).  So all lower digits take one read and one write together.
 *
 * If keys are not spread evenly, the block sorts them by digits: a sample does
 * not tell that some keys are there a hundred times.  A group that does not fit
 * is sorted in global memory (sort_part.h).  The plan was made so that there
 * are few of these.
 */
#include <type_traits>

#include "kernels/common/launch.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort_buckets.h"
#include "kernels/sort/sort_part.h"

template <typename Key>
struct LocalSort : SortBuffers<Key>
{
	int			tile;			/* a block sorts the groups that begin in one */
};

/*
 * The sort of a tile's groups.  Items are numbered from the tile's first item,
 * also those behind the tile.
 */
template <typename Key, int PAYLOAD>
struct LocalAgent
{
	typedef std::conditional_t<PAYLOAD == 0, char, PayloadOf<PAYLOAD>> Payload;
	static const int room = LOCAL_ROWS * LOCAL_THREADS;
	static_assert(2 * room < 1 << 16, "16 bits for an item's number");
	typedef Buckets<Key, PAYLOAD != 0, LOCAL_THREADS, room> KeyBuckets;

	union Memory
	{
		KeyBuckets	buckets;
		WindowMemory<Key, PAYLOAD, LOCAL_THREADS, LOCAL_ROWS> digits;
		RangeMemory<Key, LOCAL_THREADS> range;
	};

	/* A search for the end of a group, in the rows from "at" on. */
	struct GroupEnd
	{
		long long	at;
		bool		same[LOOK_ROWS];	/* the row's item is in the group */
	};

	const LocalSort<Key> &sort;
	Memory	   *memory;
	int			source;
	int			group_bits;		/* bits below those that a group shares */
	long long	first;			/* of the tile */

	__device__ const Key *in() const
	{
		return sort.keys[source] + first;
	}

	__device__ Key group_of(long long at) const
	{
		return in()[at] >> group_bits;
	}

	/* Begins to look for the end of the group of the item before "at". */
	__device__ GroupEnd look_for_end(long long at) const
	{
		Key			group = group_of(at - 1);
		long long	end = sort.count - first;
		GroupEnd	look = {at};

#pragma unroll
		for (int i = 0; i < LOOK_ROWS; i++)
		{
			long long	own = at + i * LOCAL_THREADS + threadIdx.x;

			look.same[i] = own < end && group_of(own) == group;
		}
		return look;
	}

	/*
	 * Returns the end of the group; or, if the end is greater than the limit,
	 * any number greater than the limit.  For all threads of a block.
	 */
	__device__ long long find_end(GroupEnd look, long long limit) const
	{
		for (;;)
		{
			int			same = 0;

#pragma unroll
			for (int i = 0; i < LOOK_ROWS; i++)
				same += __syncthreads_count(look.same[i]);
			look.at += same;
			if (same < LOOK_ROWS * LOCAL_THREADS || look.at > limit)
				return look.at;
			look = look_for_end(look.at);
		}
	}

	/*
	 * Sorts the items by way of shared memory, which is cleared.  Returns
	 * false, and writes nothing, if they are not spread evenly.
	 */
	__device__ bool sort_in_buckets(int begin, int end)
	{
		KeyBuckets *buckets = &memory->buckets;
		Key			within = ((Key) 1 << group_bits) - 1;
		BucketRange<Key> range = KeyBuckets::range_of(in()[begin] & ~within,
													  in()[end - 1] | within);
		long long	to = first + begin;

		if (!buckets->fill(range, [&] (auto use) {
#pragma unroll 4
				for (int i = begin + threadIdx.x; i < end; i += LOCAL_THREADS)
					use(in()[i], i);
			}))
			return false;
		buckets->sort(end - begin);
#pragma unroll 4
		for (int i = threadIdx.x; i < end - begin; i += LOCAL_THREADS)
		{
			if (PAYLOAD)
				((Payload *) sort.payloads[!source])[to + i] =
					((const Payload *) sort.payloads[source])[first +
															  buckets->from[i]];
			else
				sort.keys[!source][to + i] = restored(buckets->keys[i],
													  sort.order);
		}
		return true;
	}

	/*
	 * Sorts a group in global memory, where it is moved within both buffers.
	 * Meanwhile other blocks look for the ends of their groups, and read its
	 * places: at each time, these hold items of the group.
	 */
	__device__ void sort_range(long long begin, long long end)
	{
		RangeSort<Key, Payload, LOCAL_THREADS> range = {
			sort, &memory->range, begin, end, source, !source
		};

		__syncthreads();
		range.run();
	}

	/* Sorts groups for which there is room. */
	__device__ void sort_window(int begin, int end)
	{
		long long	to = first + begin;

		if (begin == end || sort_in_buckets(begin, end))
			return;

		/* The buckets were in the same memory. */
		__syncthreads();
		memory->digits.sort({
			.keys = sort.keys[source] + to,
			.keys_out = sort.keys[!source] + to,
			.payload = (const Payload *) sort.payloads[source] + to,
			.payload_out = (Payload *) sort.payloads[!source] + to,
			.count = end - begin
		}, sort.order);
	}

	/* The last group is sorted alone if it has no room behind the others. */
	__device__ void run(long long number)
	{
		GroupEnd	before = {};
		GroupEnd	last;
		int			length;
		int			begin;
		int			to;
		int			end;

		first = number * sort.tile;
		length = (int) min((long long) sort.tile, sort.count - first);
		if (first > 0)
			before = look_for_end(0);
		last = look_for_end(length);
		memory->buckets.clear();
		begin = (int) find_end(before, length - 1);
		if (begin >= length)
			return;
		to = end = (int) find_end(last, room);
		if (end > room)
		{
			to = first_that(0, length, [&] (int i) {
				return group_of(i) >= group_of(length - 1);
			});
			end = (int) find_end(look_for_end(end), sort.count);
			if (end - to > room)
			{
				sort_range(first + to, first + end);
				end = to;
				memory->buckets.clear();
				__syncthreads();
			}
		}
#pragma unroll 1
		for (;;)
		{
			sort_window(begin, to);
			if (to == end)
				break;
			begin = to;
			to = end;
			__syncthreads();
			memory->buckets.clear();
			__syncthreads();
		}
	}
};

/* Thread blocks on a multiprocessor: more would leave too few registers. */
template <typename Key>
constexpr int blocks_per_sm =
	resident_blocks(sizeof(Key) == 4 ? 3 : 2, LOCAL_THREADS);

/* Does nothing if the passes have sorted by all digits. */
template <typename Key, int PAYLOAD>
__global__ void __launch_bounds__(LOCAL_THREADS, blocks_per_sm<Key>)
sort_groups(const __grid_constant__ LocalSort<Key> sort, unsigned tiles)
{
	typedef LocalAgent<Key, PAYLOAD> Agent;
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	SortPass	pass;

	let_next_start();
	wait_for_preceding();
	pass = sort.plan->local;
	if (pass & PASS_LIVE)
	{
		Agent		agent = {
			sort, (typename Agent::Memory *) shared,
			pass & PASS_SOURCE ? 1 : 0, sort.plan->lowest * SORT_BITS
		};

		for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x)
		{
			agent.run(tile);
			__syncthreads();
		}
	}
}

/* Small arrays have smaller tiles, which leave room for larger groups. */
static int
tile_rows(const Sort *sort)
{
	return sort->count <= LOCAL_FEW_ITEMS ? LOCAL_FEW_TILE_ROWS :
		LOCAL_TILE_ROWS;
}

template <typename Key, int PAYLOAD>
static cudaError_t
sort_each_group(cudaStream_t stream, const Sort *sort)
{
	typedef LocalAgent<Key, PAYLOAD> Agent;
	LocalSort<Key> groups = {
		sort_buffers<Key>(sort), tile_rows(sort) * LOCAL_THREADS
	};
	int64_t		tiles = count_tiles(sort->count, groups.tile);

	return launch_dependent(stream, sort_groups<Key, PAYLOAD>,
							count_blocks(tiles, LOCAL_BLOCKS_PER_SM),
							LOCAL_THREADS, sizeof(typename Agent::Memory),
							groups, (unsigned) tiles);
}

template <typename Key, int PAYLOAD>
static int
most_in_group(const Sort *sort)
{
	return sizeof(typename LocalAgent<Key, PAYLOAD>::Memory) <=
		(size_t) device_shared_bytes() ?
		(LOCAL_ROWS - tile_rows(sort)) * LOCAL_THREADS * 9 / 10 : 0;
}

/*
 * Returns the average number of keys that groups may have, so that nearly all
 * groups fit behind a tile; or 0 if groups cannot be sorted.
 */
int
sort_most_in_group(const Sort *sort)
{
	RETURN_BY_LONG_KEY(sort, most_in_group, sort);
}

/* Queues the sort of the groups, after the passes, if there may be any. */
cudaError_t
sort_local(cudaStream_t stream, const Sort *sort)
{
	if (sort_most_in_group(sort) == 0)
		return cudaSuccess;
	RETURN_BY_LONG_KEY(sort, sort_each_group, stream, sort);
}
