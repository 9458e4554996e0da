/*
 * sort_move.cu
 *	  A pass of the sort: scatters the keys, and their payload, by one digit.
 */
#include <type_traits>

#include "sort.h"

#define SORT_WARPS		(SORT_THREADS / WARP)

/*
 * A tile has a descriptor for each bin: a count of keys above a tag.  The
 * count is partial, of the tile's keys, or inclusive, of all tiles up to it.
 * When a pass begins, descriptors are zero or the inclusive ones of the
 * preceding pass.  The tag of inclusive descriptors changes from pass to pass,
 * so descriptors need not be cleared between passes.
 */
#define TAG_BITS		2
#define TAG_MASK		3u
#define TAG_PARTIAL		1u
#define TAG_INCLUSIVE(pass) ((pass) & PASS_SOURCE ? 3u : 2u)

/*
 * A tile in shared memory, of keys, and of payloads of PAYLOAD bytes if that
 * is not 0.
 */
template <typename Key, int PAYLOAD>
struct SortTile
{
	typedef std::conditional_t<PAYLOAD == 8, int64_t, int> Payload;

	/* Items of a thread, by the bytes that an item takes. */
	static const int item_bytes = sizeof(Key) + PAYLOAD;
	static const int items = item_bytes <= 4 ? SORT_ITEMS_4 :
		item_bytes <= 8 ? SORT_ITEMS_8 : item_bytes <= 12 ? SORT_ITEMS_12 :
		SORT_ITEMS_16;
	static const int size = SORT_THREADS * items;
	static const int blocks = item_bytes <= 4 ? SORT_BLOCKS_PER_SM : 2;

	unsigned	bins[SORT_WARPS][SORT_BINS];	/* a warp's histogram, then
												 * the next key's place */
	union
	{
		unsigned	peers[SORT_WARPS][SORT_BINS];	/* lanes with the same
														 * bin */
		struct						/* sorted */
		{
			Key			keys[size];
			Payload		payload[PAYLOAD ? size : 1];
		};
	};
	unsigned	counts[SORT_BINS];	/* the tile's histogram */
	unsigned	places[SORT_BINS];	/* in the output, less those in the tile */
	unsigned	warps[SORT_WARPS];
	unsigned	tile;
};

/* The arguments of a pass. */
template <typename Key>
struct Move
{
	Key		   *keys[2];
	void	   *payloads[2];
	long long	count;
	KeyOrder	order;
	SortPlan   *plan;
	const unsigned *starts;		/* of the digit's bins in the output */
	unsigned   *descriptors;
	int			digit;
	bool		positions;		/* are the payloads the positions? */
};

/*
 * A thread's part in a pass over a tile, in the phases of run().  A thread has
 * one key of each row of its warp; and the bin of its number, if there is one.
 */
template <typename Key, int PAYLOAD>
struct MoveAgent
{
	typedef SortTile<Key, PAYLOAD> Tile;
	typedef typename Tile::Payload Payload;
	static const int items = Tile::items;

	const Move<Key> &move;
	SortPass	pass;
	Tile	   *memory;
	unsigned	tile;
	Key			own[items];
	unsigned short ranks[items];

	__device__ int warp() const
	{
		return threadIdx.x / WARP;
	}

	/* This thread's first item in the tile. */
	__device__ int at() const
	{
		return warp() * items * WARP + threadIdx.x % WARP;
	}

	/* The tile's first item in the array, and its number of items. */
	__device__ long long first() const
	{
		return (long long) tile * Tile::size;
	}

	__device__ int tile_count() const
	{
		return (int) min((long long) Tile::size, move.count - first());
	}

	__device__ bool has_bin() const
	{
		return threadIdx.x < SORT_BINS;
	}

	__device__ unsigned *descriptor(unsigned of_tile) const
	{
		return &move.descriptors[(size_t) of_tile * SORT_BINS + threadIdx.x];
	}

	__device__ void take_tile();
	__device__ void load_keys();
	__device__ void count_bins();
	__device__ unsigned store_partial();
	__device__ void scan_bins(unsigned bin_count);
	__device__ void scatter_to_shared();
	__device__ unsigned look_back();
	__device__ void place_bins();
	template <bool LAST> __device__ void write();
	__device__ void run();
};

/*
 * Takes the next tile, and clears shared memory.  Thread blocks take tiles in
 * the order in which they start, so none waits for one that has not started.
 */
template <typename Key, int PAYLOAD>
__device__ void
MoveAgent<Key, PAYLOAD>::take_tile()
{
	if (threadIdx.x == 0)
		memory->tile = atomicAdd(&move.plan->tickets[move.digit], 1);
	for (int i = threadIdx.x; i < SORT_WARPS * SORT_BINS; i += SORT_THREADS)
	{
		memory->bins[0][i] = 0;
		memory->peers[0][i] = 0;
	}
	__syncthreads();
	tile = memory->tile;
}

/*
 * Pads the last tile with the greatest key, which comes last.  No key is used
 * before all loads are under way: a branch behind each made them wait for each
 * other.
 */
template <typename Key, int PAYLOAD>
__device__ void
MoveAgent<Key, PAYLOAD>::load_keys()
{
	const Key  *in =
		(pass & PASS_SOURCE ? move.keys[1] : move.keys[0]) + first();
	int			left = tile_count() - at();

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		own[j] = (Key) ~(Key) 0;
		if (j * WARP < left)
			own[j] = in[at() + j * WARP];
	}
	if (pass & PASS_FIRST)
	{
#pragma unroll
		for (int j = 0; j < items; j++)
			if (j * WARP < left)
				own[j] = ordered(own[j], move.order);
	}
}

template <typename Key, int PAYLOAD>
__device__ void
MoveAgent<Key, PAYLOAD>::count_bins()
{
#pragma unroll
	for (int j = 0; j < items; j++)
		atomicAdd(&memory->bins[warp()][digit_of(own[j], move.digit)], 1);
	__syncthreads();
}

/*
 * Stores the tile's partial count of a bin, without padding, in its
 * descriptor.  Returns the count with padding.
 */
template <typename Key, int PAYLOAD>
__device__ unsigned
MoveAgent<Key, PAYLOAD>::store_partial()
{
	unsigned	bin_count = 0;
	unsigned	key_count;

	if (!has_bin())
		return 0;
	for (int i = 0; i < SORT_WARPS; i++)
		bin_count += memory->bins[i][threadIdx.x];
	key_count = bin_count;
	if (threadIdx.x == SORT_BINS - 1)
		key_count -= Tile::size - tile_count();
	*(volatile unsigned *) descriptor(tile) =
		key_count << TAG_BITS | TAG_PARTIAL;
	memory->counts[threadIdx.x] = key_count;
	return bin_count;
}

/*
 * Scans the histograms: turns those of the warps into the place of each warp's
 * first key of each bin in the tile; and computes the place of each bin in the
 * output, without the preceding tiles' keys.
 */
template <typename Key, int PAYLOAD>
__device__ void
MoveAgent<Key, PAYLOAD>::scan_bins(unsigned bin_count)
{
	unsigned	bin_start =
		block_exclusive_scan<SORT_WARPS>(bin_count, memory->warps);

	if (has_bin())
	{
		unsigned	next = bin_start;

		memory->places[threadIdx.x] = move.starts[threadIdx.x] - bin_start;
		for (int i = 0; i < SORT_WARPS; i++)
		{
			unsigned	warp_count = memory->bins[i][threadIdx.x];

			memory->bins[i][threadIdx.x] = next;
			next += warp_count;
		}
	}
	__syncthreads();
}

/* Scatters the items to their places in shared memory. */
template <typename Key, int PAYLOAD>
__device__ void
MoveAgent<Key, PAYLOAD>::scatter_to_shared()
{
#pragma unroll
	for (int j = 0; j < items; j++)
		memory->keys[ranks[j]] = own[j];
	if (PAYLOAD)
	{
		const Payload *from = (const Payload *) (pass & PASS_SOURCE ?
			move.payloads[1] : move.payloads[0]) + first();
		bool		make = move.positions && (pass & PASS_FIRST);
		int			count = tile_count();

#pragma unroll
		for (int j = 0; j < items; j++)
		{
			int			i = at() + j * WARP;

			if (i < count)
				memory->payload[ranks[j]] = make ?
					(Payload) first() + i + 1 : from[i];
		}
	}
}

/*
 * Decoupled look-back: returns the number of keys that the preceding tiles
 * have for this thread's bin, and stores the inclusive count in the
 * descriptor.
 */
template <typename Key, int PAYLOAD>
__device__ unsigned
MoveAgent<Key, PAYLOAD>::look_back()
{
	unsigned	inclusive = TAG_INCLUSIVE(pass);
	unsigned	before = 0;

	for (int other = (int) tile - 1; other >= 0; other--)
	{
		unsigned	seen;

		do
			seen = *(const volatile unsigned *) descriptor(other);
		while ((seen & TAG_MASK) != TAG_PARTIAL &&
			   (seen & TAG_MASK) != inclusive);
		before += seen >> TAG_BITS;
		if ((seen & TAG_MASK) == inclusive)
			break;
	}
	*(volatile unsigned *) descriptor(tile) =
		(before + memory->counts[threadIdx.x]) << TAG_BITS | inclusive;
	return before;
}

/* Adds the preceding tiles' keys to the place of each bin. */
template <typename Key, int PAYLOAD>
__device__ void
MoveAgent<Key, PAYLOAD>::place_bins()
{
	if (has_bin())
		memory->places[threadIdx.x] += look_back();
	__syncthreads();
}

/*
 * Writes the items to their places; in the last pass, only the payload.  A
 * branch for each item would cost 1 %.
 */
template <typename Key, int PAYLOAD>
template <bool LAST>
__device__ void
MoveAgent<Key, PAYLOAD>::write()
{
	Key		   *out = pass & PASS_SOURCE ? move.keys[0] : move.keys[1];
	Payload    *payload_out = (Payload *)
		(pass & PASS_SOURCE ? move.payloads[0] : move.payloads[1]);
	int			count = tile_count();

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		int			i = threadIdx.x + j * SORT_THREADS;

		if (i < count)
		{
			Key			key = memory->keys[i];
			unsigned	to = memory->places[digit_of(key, move.digit)] + i;

			if (!PAYLOAD || !LAST)
				out[to] = LAST ? restored(key, move.order) : key;
			if (PAYLOAD)
				payload_out[to] = memory->payload[i];
		}
	}
}

template <typename Key, int PAYLOAD>
__device__ void
MoveAgent<Key, PAYLOAD>::run()
{
	take_tile();
	load_keys();
	count_bins();
	scan_bins(store_partial());
	rank_keys<items>(own, items, move.digit, memory->bins[warp()],
					 memory->peers[warp()], ranks);
	__syncthreads();
	scatter_to_shared();
	place_bins();
	if (pass & PASS_LAST)
		write<true>();
	else
		write<false>();
}

/*
 * Scatters each tile's keys by way of shared memory, where the keys of a bin
 * are adjacent, so that most writes are coalesced.
 */
template <typename Key, int PAYLOAD>
__global__ void
__launch_bounds__(SORT_THREADS, (SortTile<Key, PAYLOAD>::blocks))
move_keys(Move<Key> move)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	MoveAgent<Key, PAYLOAD> agent = {
		move, 0, (SortTile<Key, PAYLOAD> *) shared
	};

	wait_for_preceding();
	agent.pass = move.plan->passes[move.digit];

	if (agent.pass & PASS_LIVE)
		agent.run();
}

template <typename Key, int PAYLOAD>
static int64_t
count_tiles(const Sort *sort)
{
	const int	size = SortTile<Key, PAYLOAD>::size;

	return (sort->count + size - 1) / size;
}

template <typename Key, int PAYLOAD>
static cudaError_t
move_by_digit(cudaStream_t stream, const Sort *sort, int digit)
{
	typedef SortTile<Key, PAYLOAD> Tile;
	Move<Key>	move = {
		.keys = {(Key *) sort->keys[0], (Key *) sort->keys[1]},
		.payloads = {sort->payloads[0], sort->payloads[1]},
		.count = sort->count,
		.order = sort_order(sort),
		.plan = (SortPlan *) sort->scratch,
		.starts = sort_starts(sort) + digit * SORT_BINS,
		.descriptors = sort_descriptors(sort),
		.digit = digit,
		.positions = sort->positions
	};

	TRY(cudaFuncSetAttribute((const void *) move_keys<Key, PAYLOAD>,
							 cudaFuncAttributeMaxDynamicSharedMemorySize,
							 (int) sizeof(Tile)));
	return launch_dependent(stream, move_keys<Key, PAYLOAD>,
							(unsigned) count_tiles<Key, PAYLOAD>(sort),
							SORT_THREADS, sizeof(Tile), move);
}

template <typename Key>
static cudaError_t
move_any(cudaStream_t stream, const Sort *sort, int digit)
{
	switch (sort->payload_size)
	{
		case 0:
			return move_by_digit<Key, 0>(stream, sort, digit);
		case 4:
			return move_by_digit<Key, 4>(stream, sort, digit);
		case 8:
			return move_by_digit<Key, 8>(stream, sort, digit);
	}
	return cudaErrorInvalidValue;
}

template <typename Key>
static int64_t
count_tiles_any(const Sort *sort)
{
	return sort->payload_size == 0 ? count_tiles<Key, 0>(sort) :
		sort->payload_size == 4 ? count_tiles<Key, 4>(sort) :
		count_tiles<Key, 8>(sort);
}

/* The size of the tile descriptors, in bytes. */
size_t
sort_descriptors_bytes(const Sort *sort)
{
	int			size = kind_size(sort->kind);
	int64_t		tiles = size == 1 ? count_tiles_any<uint8_t>(sort) :
		size == 2 ? count_tiles_any<uint16_t>(sort) :
		size == 4 ? count_tiles_any<uint32_t>(sort) :
		count_tiles_any<uint64_t>(sort);

	return tiles * SORT_BINS * sizeof(unsigned);
}

/* Queues a pass, which does nothing if no keys differ in the digit. */
cudaError_t
sort_move(cudaStream_t stream, const Sort *sort, int digit)
{
	RETURN_BY_SIZE(sort->kind, move_any, stream, sort, digit);
}
