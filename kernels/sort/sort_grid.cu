/*
 * sort_grid.cu
 *	  The sort of an array of middle size in one launch, by thread blocks that
 *	  run at the same time (a cooperative launch), one on each multiprocessor.
 *
 * A sample of the keys is sorted, and some of its keys are splitters: 255 of
 * them make 256 bins, whatever the keys are (Sanders and Winkel, "Super scalar
 * sample sort", 2004).  A key that is several splitters has a bin of its own
 * (as in Axtmann, Witt, Ferizovic and Sanders, "In-place parallel super scalar
 * samplesort", 2017).  A pass moves the items of all blocks to their bins,
 * stably, by way of global memory.  The items of a bin form a group.  The
 * groups that have their middle in a block's part are its window, which the
 * block sorts: by buckets, of the same width in a group; or if these are
 * uneven, by digits.
 *
 * The array is read once, and the result written once, so both may be in the
 * host's memory.
 */
#include "kernels/common/cooperative_launch.h"
#include "kernels/common/launch.h"
#include "kernels/common/sample.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort_buckets.h"
#include "kernels/sort/sort_part.h"

/* Threads that sum the histograms: each two bins of some of the blocks. */
#define GRID_PAIRS		(SORT_BINS / 2)
#define GRID_SUMMERS	(GRID_THREADS / GRID_PAIRS)

/* The most keys of the sample. */
#define SAMPLE_KEYS		(GRID_SAMPLE * SORT_BINS)

/* Instead of a bucket: the item is at its place. */
#define PLACED_ITEM		0xFFFF

/* The number of items in a bin: of all blocks, and of those before this one. */
struct BinCounts
{
	unsigned	total;
	unsigned	before;
};

/* The groups of a block, by their places in the array. */
struct PartWindow
{
	unsigned	begin;			/* not before the end if there are none */
	unsigned	end;
	unsigned	first_bin;
	unsigned	last_bin;
};

/* What the blocks share, in the scratch memory. */
template <typename Key>
struct GridShared
{
	unsigned short counts[GRID_BLOCKS][SORT_BINS];
	KeyRange<Key> ranges[GRID_BLOCKS];
	Key			sampled[SAMPLE_KEYS];
	Key			sample[SAMPLE_KEYS];	/* in order */
};

struct GridSums
{
	uint2		totals[GRID_SUMMERS][GRID_PAIRS];
	uint2		befores[GRID_SUMMERS][GRID_PAIRS];
};

/* The buckets of a group of the window: a key's distance, scaled. */
template <typename Key>
struct GroupBuckets
{
	Key			low;
	float		scale;
	int			shift;			/* of the distance, to 32 bits */
};

/*
 * The shared memory.  A window has room for 17 / 8 as many items as a part:
 * with more, 8-byte keys would not fit into Hopper's 227 kB.
 */
template <typename Key, int PAYLOAD>
struct GridMemory
{
	static const int items = sizeof(Key) + PAYLOAD <= 8 ? GRID_ITEMS_8 :
		GRID_ITEMS_16;
	typedef PartItems<Key, PAYLOAD, GRID_THREADS, items> Items;
	typedef typename Items::Payload Payload;
	static const int size = GRID_THREADS * items;
	static_assert(size < 1 << 16, "16 bits for a block's count");

	static const int rows = (items * 17 + 7) / 8;
	static const int room = rows * GRID_THREADS;

	/*
	 * What the pass needs until the items are at their places.  The buckets'
	 * counts are cleared before: they lie where the first two members do.
	 */
	struct Pass
	{
		GridSums	sums;
		Key			sample[SAMPLE_KEYS];
		typename Items::Memory items;	/* of this block, by their bins */
		unsigned char sorted_bins[size];
	};

	static_assert(sizeof(GridSums) + sizeof(Key) * SAMPLE_KEYS >
				  sizeof(unsigned) * ((1 << SORT_BUCKET_BITS) + 2),
				  "the items are not where the counts are");

	struct Groups
	{
		Buckets<Key, PAYLOAD != 0, GRID_THREADS, room> buckets;
		unsigned short bucket_of[room];
	};

	union
	{
		Pass		pass;
		Groups		groups;
		WindowMemory<Key, PAYLOAD, GRID_THREADS, rows> digits;
		RangeMemory<Key, GRID_THREADS> range;
	};
	Key			tree[SORT_BINS];	/* of the splitters; the first is unused */
	Key			splitters[SORT_BINS];	/* and the greatest of the sample */
	GroupBuckets<Key> group_buckets[SORT_BINS];
	bool		placed[SORT_BINS];	/* the bins of one key */
	bool		direct[SORT_BINS];	/* those of them that are in no window */
	unsigned	places[SORT_BINS];	/* in the array, less in the block */
	unsigned	warps[GRID_THREADS / WARP];
	SortRange<Key> warp_ranges[GRID_THREADS / WARP];
	PartWindow	window;
};

template <typename Key>
struct GridSort : PartSort<Key>
{
	GridShared<Key> *shared;
	Key		   *moved;			/* the items by their bins */
	void	   *moved_payload;
};

/* A thread's part in the sort, in the phases of run(). */
template <typename SortKey, int PAYLOAD>
struct GridAgent
{
	typedef SortKey Key;
	typedef GridMemory<Key, PAYLOAD> Memory;
	typedef typename Memory::Payload Payload;

	const GridSort<Key> &sort;
	Memory	   *memory;
	typename Memory::Items own;
	ShortNumbers<Memory::items, SORT_BITS> bins;	/* of the keys */

	__device__ unsigned part() const
	{
		return sort.rows * GRID_THREADS;
	}

	__device__ Payload *moved_payload() const
	{
		return (Payload *) sort.moved_payload;
	}

	/* Writes an item of the result: its key, or its payload. */
	__device__ void put(int to, Key key, const Payload *payload) const
	{
		if (PAYLOAD)
			((Payload *) sort.payload_out)[to] = *payload;
		else
			sort.keys_out[to] = restored(key, sort.order);
	}

	/*
	 * The keys of the sample for each splitter.  Few blocks have much room in
	 * their windows, and many keys of the sample each to rank.
	 */
	__device__ static int sample_each()
	{
		return gridDim.x < GRID_FEW_BLOCKS ? GRID_SAMPLE / 4 :
			gridDim.x < GRID_SOME_BLOCKS ? GRID_SAMPLE / 2 : GRID_SAMPLE;
	}

	__device__ static int sample_keys()
	{
		return sample_each() * SORT_BINS;
	}

	/* The buckets of each group of the window. */
	__device__ unsigned buckets_each() const
	{
		return (1 << SORT_BUCKET_BITS) /
			(memory->window.last_bin - memory->window.first_bin + 1);
	}

	/*
	 * Shares the range of the block's keys, and the block's part of a sample:
	 * a key of any row of any thread, of each of some ranges of threads.  At
	 * even distances, a sample misses keys that come again at these distances;
	 * then a window may have no room.
	 */
	__device__ void share_sample()
	{
		Key		   *sample = memory->pass.sample;
		SortRange<Key> range = block_merge<GRID_THREADS>(own.order_keys(),
														 memory->warp_ranges);
		unsigned	each = (sample_keys() - 1 - blockIdx.x) / gridDim.x + 1;
		unsigned	number = blockIdx.x * GRID_THREADS + threadIdx.x;
		int			row = (int) sample_position(number, sort.seed, sort.rows);

		if (threadIdx.x == 0)
			sort.shared->ranges[blockIdx.x] = range;
		sample[threadIdx.x] = range.least;
#pragma unroll
		for (int j = 0; j < Memory::items; j++)
		{
			if (own.exists(j) && j <= row)
				sample[threadIdx.x] = own.keys[j];
		}
		__syncthreads();
		if (threadIdx.x < each)
			sort.shared->sampled[blockIdx.x + threadIdx.x * gridDim.x] =
				sample[(threadIdx.x * GRID_THREADS +
						sample_position(number, ~sort.seed, GRID_THREADS)) /
					   each];
		grid_sync();
	}

	/*
	 * Ranks the block's part of the sample: a key's place is the number of
	 * keys of the sample that are before it.
	 */
	__device__ void rank_sample()
	{
		Key		   *sample = memory->pass.sample;

		for (int i = threadIdx.x; i < sample_keys(); i += GRID_THREADS)
			sample[i] = sort.shared->sampled[i];
		__syncthreads();
		for (int i = blockIdx.x + own.warp() * gridDim.x; i < sample_keys();
			 i += gridDim.x * (GRID_THREADS / WARP))
		{
			Key			key = sample[i];
			unsigned	before = 0;

#pragma unroll 8
			for (int j = threadIdx.x % WARP; j < sample_keys(); j += WARP)
				before += sample[j] < key || (sample[j] == key && j < i);
			before = warp_sum(before);
			if (threadIdx.x % WARP == 0)
				sort.shared->sample[before] = key;
		}
		grid_sync();
	}

	/*
	 * Takes the splitters, in order and as a tree: the children of a node are
	 * at twice its index, and behind that.  Returns the range of the array.
	 */
	__device__ KeyRange<Key> take_splitters()
	{
		const Key  *sample = sort.shared->sample;
		SortRange<Key> range;

		if (threadIdx.x < SORT_BINS)
		{
			int			bin = threadIdx.x;
			int			level = 31 - __clz(bin | 1);
			int			node = ((2 * (bin - (1 << level)) + 1) <<
								(SORT_BITS - 1 - level)) - 1;
			Key			splitter = sample[(bin + 1) * sample_each() - 1];

			memory->splitters[bin] = splitter;
			memory->placed[bin] = bin > 0 && bin < SORT_BINS - 1 &&
				sample[bin * sample_each() - 1] == splitter;
			if (bin > 0)
				memory->tree[bin] = sample[(node + 1) * sample_each() - 1];
		}
		if (threadIdx.x < gridDim.x)
		{
			range.least = sort.shared->ranges[threadIdx.x].least;
			range.greatest = sort.shared->ranges[threadIdx.x].greatest;
		}
		return block_merge<GRID_THREADS>(range, memory->warp_ranges);
	}

	/*
	 * The bin of a key: the number of splitters that are less; or the bin
	 * behind, if the key is several splitters.
	 */
	__device__ unsigned bin_of(Key key) const
	{
		unsigned	bin = 1;

#pragma unroll
		for (int level = 0; level < SORT_BITS; level++)
			bin = 2 * bin + (memory->tree[bin] < key);
		bin -= SORT_BINS;
		if (memory->splitters[bin] == key && bin < SORT_BINS - 1)
			bin += memory->placed[bin + 1];
		return bin;
	}

	/*
	 * Sorts the block's items by their bins, in shared memory, and shares
	 * their counts.  Returns the place of this thread's bin in the block.
	 */
	__device__ unsigned sort_by_bins()
	{
		auto	   *pass = &memory->pass;
		unsigned	bin_count;
		unsigned	bin_start;

		own.for_each_row([&] (int j) { bins.set(j, bin_of(own.keys[j])); });
		bin_count = own.rank(bins, [] (unsigned bin) { return bin; },
							 &pass->items);
		if (own.has_bin())
			sort.shared->counts[blockIdx.x][threadIdx.x] =
				(unsigned short) bin_count;
		bin_start = own.start_bins(bin_count, &pass->items);
		own.for_each_row([&] (int j) {
			unsigned	to = pass->items.bins[own.warp()][bins[j]] +
				own.ranks[j];

			pass->items.sorted[to] = own.keys[j];
			pass->sorted_bins[to] = (unsigned char) bins[j];
			if (PAYLOAD)
				pass->items.sorted_payload[to] = own.payload[j];
		});
		grid_sync();
		return bin_start;
	}

	/*
	 * A thread sums the counts of two bins, of some of the blocks.  Many loads
	 * are in flight at once, each of a word with two counts.  Loads of vectors
	 * of two counts waited for each other.
	 */
	__device__ BinCounts sum_counts()
	{
		GridSums   *sums = &memory->pass.sums;
		int			pair = threadIdx.x % GRID_PAIRS;
		int			summer = threadIdx.x / GRID_PAIRS;
		uint2		total = {0, 0};
		uint2		before = {0, 0};
		BinCounts	counts = {0, 0};

		for (unsigned first = summer; first < gridDim.x;
			 first += GRID_SUMMERS * GRID_LOADS)
		{
			unsigned	two[GRID_LOADS];

#pragma unroll
			for (int i = 0; i < GRID_LOADS; i++)
			{
				unsigned	block = first + i * GRID_SUMMERS;

				two[i] = block < gridDim.x ?
					((const unsigned *) sort.shared->counts[block])[pair] : 0;
			}
#pragma unroll
			for (int i = 0; i < GRID_LOADS; i++)
			{
				bool		is_before = first + i * GRID_SUMMERS < blockIdx.x;

				total.x += two[i] & 0xFFFF;
				total.y += two[i] >> 16;
				before.x += is_before ? two[i] & 0xFFFF : 0;
				before.y += is_before ? two[i] >> 16 : 0;
			}
		}
		sums->totals[summer][pair] = total;
		sums->befores[summer][pair] = before;
		__syncthreads();
		if (own.has_bin())
		{
#pragma unroll
			for (int i = 0; i < GRID_SUMMERS; i++)
			{
				counts.total +=
					((const unsigned *) sums->totals[i])[threadIdx.x];
				counts.before +=
					((const unsigned *) sums->befores[i])[threadIdx.x];
			}
		}
		return counts;
	}

	/*
	 * Finds the places of the block's bins in the array, from all histograms,
	 * and the block's window: the groups with their middle in its part.  So if
	 * each part has only a few groups, the windows have as few.  A large group
	 * of one key is in no window, so no window has groups on both of its
	 * sides.  Returns the number of items in this thread's bin, if it has one.
	 * The items that pad parts are at the end of the last bin, and do not
	 * count.
	 */
	__device__ unsigned place_bins(unsigned bin_start)
	{
		PartWindow *window = &memory->window;
		unsigned	padding = bin_of((Key) ~(Key) 0);
		BinCounts	counts = sum_counts();
		unsigned	start = block_exclusive_scan<SORT_BINS / WARP>
			(counts.total, memory->warps);

		if (own.has_bin())
		{
			unsigned	middle;
			bool		direct;

			memory->places[threadIdx.x] = start + counts.before - bin_start;
			if (threadIdx.x == padding)
				counts.total -= part() * gridDim.x - sort.count;
			direct = memory->placed[threadIdx.x] && counts.total > part();
			memory->direct[threadIdx.x] = direct;
			middle = start + counts.total / 2;
			if (!direct && counts.total > 0 && middle - own.first < part())
			{
				atomicMin(&window->begin, start);
				atomicMax(&window->end, start + counts.total);
				atomicMin(&window->first_bin, threadIdx.x);
				atomicMax(&window->last_bin, threadIdx.x);
			}
		}
		__syncthreads();
		return counts.total;
	}

	/*
	 * Scatters the sorted items to their places.  Items that are in no window
	 * are results there.
	 */
	__device__ void scatter()
	{
		const auto *pass = &memory->pass;

		own.for_each_row([&] (int j) {
			unsigned	from = threadIdx.x + j * GRID_THREADS;
			unsigned	bin = pass->sorted_bins[from];
			unsigned	to = memory->places[bin] + from;
			Key			key = pass->items.sorted[from];

			if (to >= sort.count)
				return;
			if (memory->direct[bin])
				put(to, key, pass->items.sorted_payload + from);
			else
			{
				sort.moved[to] = key;
				if (PAYLOAD)
					moved_payload()[to] = pass->items.sorted_payload[from];
			}
		});
	}

	/*
	 * Makes the buckets of this thread's bin, if the window has it.  "total"
	 * is the number of the bin's items.  The items of a bin of one key are at
	 * their places already, and so is their bucket's count.
	 */
	__device__ void make_buckets(KeyRange<Key> range, unsigned total)
	{
		PartWindow *window = &memory->window;
		unsigned	bin = threadIdx.x;

		if (bin < window->first_bin || bin > window->last_bin)
			return;
		if (bin > 0)
			range.least = memory->splitters[bin - 1];
		if (bin < SORT_BINS - 1)
			range.greatest = memory->splitters[bin];
		if (range.least < range.greatest)
		{
			Key			width = range.greatest - range.least;
			int			shift = max(0, 32 - __clzll((long long) width));

			memory->group_buckets[bin] = {
				range.least, buckets_each() / ((float) (width >> shift) + 1),
				shift
			};
		}
		else
			memory->group_buckets[bin] = {range.least, 0, 0};
		if (memory->placed[bin])
			memory->groups.buckets.counts[(bin - window->first_bin) *
										  buckets_each()] =
				total | BUCKET_PLACED;
	}

	/* The bin of a key of the window, which has few bins. */
	__device__ unsigned window_bin(Key key) const
	{
		unsigned	last = memory->window.last_bin;
		unsigned	bin = memory->window.first_bin;

		bin -= memory->placed[bin];
		while (bin < last && memory->splitters[bin] < key)
			bin++;
		if (bin < last && memory->splitters[bin] == key)
			bin += memory->placed[bin + 1];
		return bin;
	}

	/* The bucket of a key of the window, in its bin. */
	__device__ unsigned bucket_in(unsigned bin, Key key) const
	{
		unsigned	each = buckets_each();
		GroupBuckets<Key> own_buckets = memory->group_buckets[bin];
		unsigned	distance = (unsigned) ((Key) (key - own_buckets.low) >>
										   own_buckets.shift);

		return (bin - memory->window.first_bin) * each +
			min((unsigned) (distance * own_buckets.scale), each - 1);
	}

	/*
	 * Puts the keys of the window into buckets.  Returns false, in all
	 * threads, if they are not spread evenly.
	 */
	__device__ bool fill_buckets(int begin, int count)
	{
		auto	   *buckets = &memory->groups.buckets;
		unsigned short *bucket_of_item = memory->groups.bucket_of;
		const Key  *window = sort.moved + begin;

#pragma unroll 4
		for (int i = threadIdx.x; i < count; i += GRID_THREADS)
		{
			Key			key = window[i];
			unsigned	bin = window_bin(key);
			unsigned	bucket = memory->placed[bin] ? PLACED_ITEM :
				bucket_in(bin, key);

			bucket_of_item[i] = (unsigned short) bucket;
			if (bucket != PLACED_ITEM)
				buckets->count(bucket);
		}
		__syncthreads();
		buckets->scan();
		if (buckets->is_uneven())
			return false;
#pragma unroll 4
		for (int i = threadIdx.x; i < count; i += GRID_THREADS)
		{
			if (bucket_of_item[i] != PLACED_ITEM)
				buckets->put(window[i], i, bucket_of_item[i]);
			else
			{
				buckets->keys[i] = window[i];
				if (PAYLOAD)
					buckets->from[i] = (unsigned short) i;
			}
		}
		return true;
	}

	/*
	 * Sorts and writes the window.  A window that is larger than the shared
	 * memory, which is very rare, is sorted in global memory.
	 */
	__device__ void sort_window()
	{
		typedef std::conditional_t<PAYLOAD == 0, char, Payload> Moved;
		int			begin = memory->window.begin;
		int			count = memory->window.end - begin;

		if (memory->window.begin >= memory->window.end)
			return;
		if (count > Memory::room)
		{
			SortBuffers<Key> buffers = {
				.keys = {sort.moved, sort.keys_out},
				.payloads = {sort.moved_payload, sort.payload_out},
				.order = sort.order
			};
			RangeSort<Key, Moved, GRID_THREADS> range = {
				buffers, &memory->range, begin, begin + count, 0, 1
			};

			range.run();
		}
		else if (fill_buckets(begin, count))
		{
			const auto *buckets = &memory->groups.buckets;

			memory->groups.buckets.sort(count);
#pragma unroll 4
			for (int i = threadIdx.x; i < count; i += GRID_THREADS)
				put(begin + i, buckets->keys[i],
					moved_payload() + begin + (PAYLOAD ? buckets->from[i] : 0));
		}
		else
		{
			/* The buckets were in the same memory. */
			__syncthreads();
			memory->digits.sort({
				.keys = sort.moved + begin,
				.keys_out = sort.keys_out + begin,
				.payload = moved_payload() + begin,
				.payload_out = (Payload *) sort.payload_out + begin,
				.count = count
			}, sort.order);
		}
	}

	__device__ void run()
	{
		KeyRange<Key> range;
		unsigned	bin_start;
		unsigned	total;

		own.load();
		if (threadIdx.x == 0)
			memory->window = {~0u, 0, ~0u, 0};
		share_sample();
		rank_sample();
		range = take_splitters();
		bin_start = sort_by_bins();
		total = place_bins(bin_start);
		memory->groups.buckets.clear();
		scatter();
		__syncthreads();
		make_buckets(range, total);
		grid_sync();
		sort_window();
	}
};

template <typename Key, int PAYLOAD>
__global__ void __launch_bounds__(GRID_THREADS)
sort_grid(const __grid_constant__ GridSort<Key> sort)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	GridAgent<Key, PAYLOAD> agent = {
		sort, (GridMemory<Key, PAYLOAD> *) shared,
		{sort, (int) blockIdx.x * sort.rows * GRID_THREADS}
	};

	unsigned long long begun_ns = now_ns();

	if (blockIdx.x == 0 && threadIdx.x == 0)
		select_other(sort.plan);
	agent.run();
	if (sort.end == NULL)
		return;

	/* All blocks have written, so the kernel may report its end. */
	__threadfence_system();
	grid_sync();
	if (blockIdx.x == 0 && threadIdx.x == 0)
		timer_stop(begun_ns, sort.end, sort.timer_number);
}

/* Returns the most blocks of a grid, or 0. */
template <typename Key, int PAYLOAD>
static int
most_blocks()
{
	static const int found =
		find_cooperative_blocks((const void *) sort_grid<Key, PAYLOAD>,
								GRID_THREADS, sizeof(GridMemory<Key, PAYLOAD>));

	return found;
}

template <typename Key, int PAYLOAD>
static bool
fits_grid(const Sort *sort)
{
	return sort->count <= (int64_t) most_blocks<Key, PAYLOAD>() *
		GridMemory<Key, PAYLOAD>::size;
}

bool
sort_fits_grid(const Sort *sort)
{
	RETURN_BY_LONG_KEY(sort, fits_grid, sort);
}

/* Behind what blocks share are the items that are moved to their bins. */
static size_t
moved_keys_begin()
{
	return sizeof(SortPlan) + aligned(sizeof(GridShared<uint64_t>));
}

static size_t
moved_payload_begin(const Sort *sort)
{
	return moved_keys_begin() + aligned(sort->count * kind_size(sort->kind));
}

size_t
sort_grid_scratch_bytes(const Sort *sort)
{
	return moved_payload_begin(sort) +
		aligned(sort->count * sort->payload_size);
}

template <typename Key, int PAYLOAD>
static cudaError_t
start_grid(cudaStream_t stream, const Sort *sort)
{
	int64_t		row = (int64_t) GRID_THREADS * most_blocks<Key, PAYLOAD>();
	int			rows = (int) count_tiles(sort->count, row);
	GridSort<Key> items = {
		part_sort<Key>(sort, rows),
		(GridShared<Key> *) ((SortPlan *) sort->scratch + 1),
		(Key *) ((char *) sort->scratch + moved_keys_begin()),
		(char *) sort->scratch + moved_payload_begin(sort)
	};

	return launch_cooperative(stream, sort_grid<Key, PAYLOAD>,
							  count_tiles(sort->count, rows * GRID_THREADS),
							  GRID_THREADS, sizeof(GridMemory<Key, PAYLOAD>),
							  items);
}

/* Queues the sort of an array that fits, into the second buffers. */
cudaError_t
sort_in_grid(cudaStream_t stream, const Sort *sort)
{
	RETURN_BY_LONG_KEY(sort, start_grid, stream, sort);
}
