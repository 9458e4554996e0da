/*
 * sort_move.cu
 *	  A pass of the sort: scatters the keys, and their payload, by one digit.
 */
#include <type_traits>

#include "kernels/common/launch.h"
#include "kernels/common/vector.h"
#include "kernels/sort/sort.h"

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

/* The sizes of tiles, in fourths of the largest: small for small arrays. */
#define SMALL_TILE		2
#define MIDDLE_TILE		3
#define LARGE_TILE		4

/* The items of a thread, by the bytes of a key and of its payload. */
constexpr int
tile_items(size_t key, int payload, int fourths)
{
	constexpr int most[2][3] = SORT_ITEMS;

	return most[key == 8][payload / 4] * fourths / LARGE_TILE;
}

/*
 * A tile in shared memory, of keys, and of payloads of PAYLOAD bytes if that
 * is not 0.
 */
template <typename SortKey, int PAYLOAD, int FOURTHS>
struct SortTile
{
	typedef SortKey Key;
	typedef std::conditional_t<PAYLOAD == 8, int64_t, int> Payload;

	static const bool has_payload = PAYLOAD != 0;
	static const int items = tile_items(sizeof(Key), PAYLOAD, FOURTHS);
	static const int size = SORT_THREADS * items;
	static const int blocks =
		resident_blocks(sizeof(Key) <= 4 ? 3 : 2, SORT_THREADS);

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
	int			digit;
	bool		is_uniform;		/* all keys are in one bin */
	Key			base;			/* the plan's */
};

template <typename Key>
struct Move : SortBuffers<Key>
{
	const unsigned *starts;		/* of the digit's bins in the output */
	unsigned   *descriptors;
	int			digit;
	bool		positions;		/* the payloads are the keys' positions */
};

/*
 * A thread's part in a pass over a tile, in the phases of run().  A thread has
 * one key of each row of its warp; and the bin of its number, if there is one.
 */
template <typename Tile>
struct MoveAgent
{
	typedef typename Tile::Key Key;
	typedef typename Tile::Payload Payload;
	static const int items = Tile::items;

	const Move<Key> &move;
	SortPass	pass;
	Tile	   *memory;
	unsigned	tile;
	Key			own[items];
	KeyRanks<items> ranks;

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

	__device__ unsigned load_descriptor(unsigned of_tile) const
	{
		return *(const volatile unsigned *) descriptor(of_tile);
	}

	/*
	 * Takes the next tile, and clears shared memory.  Thread blocks take tiles
	 * in the order in which they start, so none waits for one that has not
	 * started.
	 */
	__device__ void take_tile()
	{
		if (threadIdx.x == 0)
		{
			memory->tile = atomicAdd(&move.plan->tickets[move.digit], 1);
			memory->digit = move.digit;
			memory->is_uniform = false;
			memory->base = (Key) move.plan->base;
		}
		for (int i = threadIdx.x; i < SORT_WARPS * SORT_BINS; i += SORT_THREADS)
		{
			memory->bins[0][i] = 0;
			memory->peers[0][i] = 0;
		}
		__syncthreads();
		tile = memory->tile;
	}

	/*
	 * Between the passes, keys are distances from the plan's base.  Pads the
	 * last tile with the greatest distance, which comes last.  No key is used
	 * before all loads are under way: a branch behind each made them wait for
	 * each other.
	 */
	__device__ void load_keys()
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
					own[j] = ordered(own[j], move.order) - memory->base;
		}
	}

	/*
	 * Reads the digit's number from memory.  If the compiler knew that it is
	 * the same in the later phases, it would keep the places of all bins in
	 * registers.
	 */
	__device__ void count_bins()
	{
		int			digit = *(volatile int *) &memory->digit;

#pragma unroll
		for (int j = 0; j < items; j++)
			atomicAdd(&memory->bins[warp()][digit_of(own[j], digit)], 1);
		__syncthreads();
	}

	/*
	 * Stores the tile's partial count of a bin, without padding, in its
	 * descriptor.  Returns the count with padding.
	 */
	__device__ unsigned store_partial()
	{
		unsigned	bin_count = 0;
		unsigned	key_count;

		if (!has_bin())
			return 0;
		for (int i = 0; i < SORT_WARPS; i++)
			bin_count += memory->bins[i][threadIdx.x];
		if (bin_count == Tile::size)
			memory->is_uniform = true;
		key_count = bin_count;
		if (threadIdx.x == SORT_BINS - 1)
			key_count -= Tile::size - tile_count();
		*(volatile unsigned *) descriptor(tile) =
			key_count << TAG_BITS | TAG_PARTIAL;
		memory->counts[threadIdx.x] = key_count;
		return bin_count;
	}

	/*
	 * Scans the histograms.  The histograms of the warps become the place of
	 * each warp's first key of each bin in the tile.  The place of each bin in
	 * the output is computed without the preceding tiles' keys.
	 */
	__device__ void scan_bins(unsigned bin_count)
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

	/*
	 * Ranks the keys.  Keys that are all in one bin are in order already: this
	 * is checked first, because atomic operations on the same word take long.
	 */
	__device__ void rank()
	{
		if (memory->is_uniform)
		{
#pragma unroll
			for (int j = 0; j < items; j++)
				ranks.set(j, at() + j * WARP);
		}
		else
			rank_keys<items>(own, items, DigitBins{move.digit},
							 memory->bins[warp()], memory->peers[warp()],
							 &ranks);
		__syncthreads();
	}

	__device__ void scatter_keys()
	{
#pragma unroll
		for (int j = 0; j < items; j++)
			memory->keys[ranks[j]] = own[j];
	}

	/*
	 * Loads the payload, or makes it.  All loads are under way when a thread
	 * looks back, and before the first is waited for.
	 */
	__device__ void load_payload(Payload (&payload)[items]) const
	{
		const Payload *from = (const Payload *) (pass & PASS_SOURCE ?
			move.payloads[1] : move.payloads[0]) + first();
		bool		make = move.positions && (pass & PASS_FIRST);
		int			left = tile_count() - at();

#pragma unroll
		for (int j = 0; j < items; j++)
		{
			payload[j] = (Payload) first() + at() + j * WARP + 1;
			if (!make && j * WARP < left)
				payload[j] = from[at() + j * WARP];
		}
	}

	__device__ void scatter_payload(const Payload (&payload)[items])
	{
#pragma unroll
		for (int j = 0; j < items; j++)
			memory->payload[ranks[j]] = payload[j];
	}

	/*
	 * Decoupled look-back: returns the number of keys that the preceding tiles
	 * have for this thread's bin, and stores the inclusive count in the
	 * descriptor.  The loads of several descriptors are in flight at once:
	 * where all tiles start together, a tile meets many partial ones.
	 */
	__device__ unsigned look_back()
	{
		unsigned	inclusive = TAG_INCLUSIVE(pass);
		unsigned	before = 0;
		bool		done = tile == 0;

		for (int other = (int) tile - 1; !done; other -= SORT_LOOKBACK)
		{
			unsigned	seen[SORT_LOOKBACK];

#pragma unroll
			for (int i = 0; i < SORT_LOOKBACK; i++)
				seen[i] = other >= i ? load_descriptor(other - i) : inclusive;
#pragma unroll
			for (int i = 0; i < SORT_LOOKBACK; i++)
			{
				if (done)
					break;
				while ((seen[i] & TAG_MASK) != TAG_PARTIAL &&
					   (seen[i] & TAG_MASK) != inclusive)
					seen[i] = load_descriptor(other - i);
				before += seen[i] >> TAG_BITS;
				done = (seen[i] & TAG_MASK) == inclusive;
			}
		}
		*(volatile unsigned *) descriptor(tile) =
			(before + memory->counts[threadIdx.x]) << TAG_BITS | inclusive;
		return before;
	}

	/*
	 * Adds the preceding tiles' keys to the place of each bin.  Keys that are
	 * less than the base have the greatest distances from it: in the highest
	 * digit's pass, these keys go to the front.
	 */
	__device__ void place_bins()
	{
		if (has_bin())
			memory->places[threadIdx.x] += look_back() +
				(pass & PASS_TOP ? move.plan->below_base : 0);
	}

	/*
	 * Writes the items to their places; in the last pass, only the payload.  A
	 * branch for each item would cost 1 %.
	 */
	template <bool LAST>
	__device__ void write()
	{
		Key		   *out = pass & PASS_SOURCE ? move.keys[0] : move.keys[1];
		Payload    *payload_out = (Payload *)
			(pass & PASS_SOURCE ? move.payloads[0] : move.payloads[1]);
		Key			base = pass & PASS_TOP ? memory->base : 0;
		int			count = tile_count();

#pragma unroll
		for (int j = 0; j < items; j++)
		{
			int			i = threadIdx.x + j * SORT_THREADS;

			if (i < count)
			{
				Key			key = memory->keys[i];
				unsigned	to = memory->places[digit_of(key, move.digit)] + i;

				/* Places are below twice the count. */
				to = min(to, to - (unsigned) move.count);
				key += base;
				if (!Tile::has_payload || !LAST)
					out[to] = LAST ? restored(key, move.order) : key;
				if (Tile::has_payload)
					payload_out[to] = memory->payload[i];
			}
		}
	}

	__device__ void run()
	{
		Payload		payload[items];

		take_tile();
		load_keys();
		count_bins();
		scan_bins(store_partial());
		rank();
		scatter_keys();
		if constexpr (Tile::has_payload)
			load_payload(payload);
		place_bins();
		if constexpr (Tile::has_payload)
			scatter_payload(payload);
		__syncthreads();
		if (pass & PASS_LAST)
			write<true>();
		else
			write<false>();
	}
};

/*
 * Scatters each tile's keys by way of shared memory, where the keys of a bin
 * are adjacent, so that most writes are coalesced.
 */
template <typename Tile>
__global__ void __launch_bounds__(SORT_THREADS, Tile::blocks)
move_keys(Move<typename Tile::Key> move)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	SortPass	pass;

	wait_for_preceding();
	pass = move.plan->passes[move.digit];
	if (pass & PASS_LIVE)
	{
		MoveAgent<Tile> agent = {move, pass, (Tile *) shared};

		agent.run();
	}
}

/*
 * Returns the largest tile with which a multiprocessor can run as many blocks
 * as the launch bounds say; or as many as possible, if its shared memory is
 * smaller.
 */
template <typename Key, int PAYLOAD>
static int
largest_tile()
{
	const size_t sizes[] = {
		sizeof(SortTile<Key, PAYLOAD, SMALL_TILE>),
		sizeof(SortTile<Key, PAYLOAD, MIDDLE_TILE>),
		sizeof(SortTile<Key, PAYLOAD, LARGE_TILE>)
	};

	for (int tiles = SortTile<Key, PAYLOAD, LARGE_TILE>::blocks; tiles > 0;
		 tiles--)
	{
		for (int fourths = LARGE_TILE; fourths >= SMALL_TILE; fourths--)
		{
			if (sizes[fourths - SMALL_TILE] <=
				(size_t) device_shared_bytes(tiles))
				return fourths;
		}
	}
	return SMALL_TILE;
}

/* Tiles are smaller where there would be few large ones. */
template <typename Key, int PAYLOAD>
static int
tile_fourths(int64_t count)
{
	int64_t		tiles =
		count_tiles(count, SortTile<Key, PAYLOAD, LARGE_TILE>::size);
	int			fourths = tiles <= SORT_FEW_TILES ? SMALL_TILE :
		tiles <= SORT_SOME_TILES ? MIDDLE_TILE : LARGE_TILE;
	int			largest = largest_tile<Key, PAYLOAD>();

	return fourths < largest ? fourths : largest;
}

template <typename Key, int PAYLOAD>
static size_t
descriptors_bytes(int64_t count)
{
	int			items = tile_items(sizeof(Key), PAYLOAD,
								   tile_fourths<Key, PAYLOAD>(count));

	return count_tiles(count, SORT_THREADS * items) * SORT_BINS *
		sizeof(unsigned);
}

size_t
sort_descriptors_bytes(const Sort *sort)
{
	RETURN_BY_ITEM(sort, descriptors_bytes, sort->count);
}

template <typename Tile>
static cudaError_t
move_tiles(cudaStream_t stream, const Sort *sort, int digit)
{
	typedef typename Tile::Key Key;
	Move<Key>	move = {
		sort_buffers<Key>(sort), sort_starts(sort) + digit * SORT_BINS,
		sort_descriptors(sort), digit, sort->positions
	};

	return launch_dependent(stream, move_keys<Tile>,
							count_tiles(sort->count, Tile::size),
							SORT_THREADS, sizeof(Tile), move);
}

template <typename Key, int PAYLOAD>
static cudaError_t
move_by_digit(cudaStream_t stream, const Sort *sort, int digit)
{
	switch (tile_fourths<Key, PAYLOAD>(sort->count))
	{
		case SMALL_TILE:
			return move_tiles<SortTile<Key, PAYLOAD, SMALL_TILE>>(stream,
																  sort, digit);
		case MIDDLE_TILE:
			return move_tiles<SortTile<Key, PAYLOAD, MIDDLE_TILE>>(stream,
																   sort, digit);
	}
	return move_tiles<SortTile<Key, PAYLOAD, LARGE_TILE>>(stream, sort, digit);
}

/* Queues a pass, which does nothing if no keys differ in the digit. */
cudaError_t
sort_move(cudaStream_t stream, const Sort *sort, int digit)
{
	RETURN_BY_ITEM(sort, move_by_digit, stream, sort, digit);
}
