/*
 * sort_move.cu
 *	  A pass of the sort: each tile's keys are moved to their places by one
 *	  digit, and their payload with them.
 */
#include <type_traits>

#include "device.h"
#include "sort.h"

#define SORT_THREADS	384
#define SORT_WARPS		(SORT_THREADS / WARP)

/* Blocks that are to fit on a multiprocessor; 7.5's has 1024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SORT_BLOCKS		2
#else
#define SORT_BLOCKS		3
#endif

/*
 * What a tile has published for a bin: a count of keys, above two bits that
 * say of which: the tile, or all tiles up to it.  When a pass begins, there
 * are zeros, or what the pass before has left: the latter kind only, and so it
 * is another in passes that follow each other.  So nothing has to be cleared
 * between them.
 */
#define TAG_BITS		2
#define TAG_MASK		3u
#define TAG_TILE		1u
#define TAG_PREFIX(source) (2u + (source))

/*
 * A tile in shared memory, of keys, and of payloads of so many bytes if there
 * are any.
 */
template <typename Key, int PAYLOAD>
struct Tile
{
	typedef std::conditional_t<PAYLOAD == 8, long long, int> Payload;

	/* Items of a thread, by the bytes that an item takes. */
	static const int item_bytes = sizeof(Key) + PAYLOAD;
	static const int items = item_bytes <= 4 ? 22 : item_bytes <= 8 ? 16 :
		item_bytes <= 12 ? 10 : 7;
	static const int size = SORT_THREADS * items;
	static const int blocks = item_bytes <= 4 ? SORT_BLOCKS : 2;

	unsigned	bins[SORT_WARPS][SORT_BINS];	/* how many keys a warp has,
												 * then where the next goes */
	union
	{
		unsigned	peers[SORT_WARPS][SORT_BINS];	/* lanes of a row */
		struct						/* in order */
		{
			Key			keys[size];
			Payload		payload[PAYLOAD ? size : 1];
		};
	};
	unsigned	places[SORT_BINS];	/* in the output, less that in the tile */
	unsigned	warps[SORT_WARPS];
	unsigned	tile;
};

/* What is the same for all tiles of a pass. */
template <typename Key>
struct Move
{
	Key		   *keys[2];
	void	   *payloads[2];
	long long	count;
	KeyOrder	order;
	SortPlan   *plan;
	const unsigned *starts;		/* of the digit's bins, in the output */
	unsigned   *words;
	int			digit;
	bool		positions;		/* make the payload? */
};

/*
 * Ranks this thread's keys among those of the tile, in the order in which
 * they stand: a warp's rows one after another, and within a row, lane after
 * lane.  "bins" tells where the warp's next key for each bin belongs; "peers"
 * is zero, and zero again afterwards.
 */
template <int ITEMS, typename Key>
__device__ static inline void
rank_keys(const Key *keys, int digit, unsigned *bins, unsigned *peers,
		  unsigned short *ranks)
{
	int			lane = threadIdx.x % WARP;
	unsigned	own = 1u << lane;

#pragma unroll
	for (int j = 0; j < ITEMS; j++)
	{
		unsigned	bin = digit_of(keys[j], digit);
		unsigned	same;
		unsigned	before = 0;
		int			leader;

		atomicOr(&peers[bin], own);
		__syncwarp();
		same = peers[bin];
		leader = WARP - 1 - __clz(same);
		__syncwarp();
		peers[bin] = 0;

		/* Atomic, as that is one trip to shared memory, and not two. */
		if (lane == leader)
			before = atomicAdd(&bins[bin], __popc(same));
		before = __shfl_sync(ALL_LANES, before, leader);
		__syncwarp();
		ranks[j] = (unsigned short) (before + __popc(same & (own - 1)));
	}
}

/*
 * How many keys for a bin the tiles before this one have; publishes that, with
 * the tile's own, for the tiles behind.
 */
__device__ static inline unsigned
look_back(unsigned *words, unsigned tile, unsigned own, unsigned prefix)
{
	unsigned	before = 0;

	for (int at = (int) tile - 1; at >= 0; at--)
	{
		const volatile unsigned *word = &words[(size_t) at * SORT_BINS];
		unsigned	seen;

		do
			seen = *word;
		while ((seen & TAG_MASK) != TAG_TILE && (seen & TAG_MASK) != prefix);
		before += seen >> TAG_BITS;
		if ((seen & TAG_MASK) == prefix)
			break;
	}
	*(volatile unsigned *) &words[(size_t) tile * SORT_BINS] =
		(before + own) << TAG_BITS | prefix;
	return before;
}

/*
 * Moves each tile's keys to their places.  They are first put into order in
 * shared memory, where the keys for a bin stand side by side, and so they are
 * written.  Tiles are taken in the order in which blocks begin, so that none
 * waits for one that has not begun.
 */
template <typename Key, int PAYLOAD>
__global__ void __launch_bounds__(SORT_THREADS, (Tile<Key, PAYLOAD>::blocks))
move_keys(Move<Key> move)
{
	typedef Tile<Key, PAYLOAD> Memory;
	typedef typename Memory::Payload Payload;
	const int	items = Memory::items;
	extern __shared__ __align__(128) char shared[];
	Memory	   *memory = (Memory *) shared;
	const SortPass pass = move.plan->passes[move.digit];
	const int	digit = move.digit;
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	int			at = warp * items * WARP + lane;
	const Key  *in = pass.source ? move.keys[1] : move.keys[0];
	Key		   *out = pass.source ? move.keys[0] : move.keys[1];
	Payload    *payload_out = (Payload *)
		(pass.source ? move.payloads[0] : move.payloads[1]);
	Key			own[items];
	unsigned short ranks[items];
	unsigned	bin_count = 0;
	unsigned	key_count = 0;
	unsigned	bin_start;

	if (!pass.live)
		return;
	if (threadIdx.x == 0)
		memory->tile = atomicAdd(&move.plan->tickets[digit], 1);
	for (int i = threadIdx.x; i < SORT_WARPS * SORT_BINS; i += SORT_THREADS)
	{
		memory->bins[0][i] = 0;
		memory->peers[0][i] = 0;
	}
	__syncthreads();

	unsigned	tile = memory->tile;
	unsigned   *words = move.words + threadIdx.x;
	long long	first = (long long) tile * Memory::size;
	int			tile_count = (int) min((long long) Memory::size,
									   move.count - first);

	/* What is past the end counts as the greatest key, and comes last. */
#pragma unroll
	for (int j = 0; j < items; j++)
	{
		own[j] = (Key) ~(Key) 0;
		if (at + j * WARP < tile_count)
		{
			own[j] = in[first + at + j * WARP];
			if (pass.first)
				own[j] = ordered(own[j], move.order);
		}
	}
#pragma unroll
	for (int j = 0; j < items; j++)
		atomicAdd(&memory->bins[warp][digit_of(own[j], digit)], 1);
	__syncthreads();

	/* A thread for each bin: publishes its count, for each warp its start. */
	if (threadIdx.x < SORT_BINS)
	{
		for (int i = 0; i < SORT_WARPS; i++)
			bin_count += memory->bins[i][threadIdx.x];

		/* What is past the end is in the last bin, but not to be counted. */
		key_count = bin_count;
		if (threadIdx.x == SORT_BINS - 1)
			key_count -= Memory::size - tile_count;
		*(volatile unsigned *) &words[(size_t) tile * SORT_BINS] =
			key_count << TAG_BITS | TAG_TILE;
	}
	bin_start = block_exclusive_scan<SORT_WARPS>(bin_count, memory->warps);
	if (threadIdx.x < SORT_BINS)
	{
		unsigned	next = bin_start;

		for (int i = 0; i < SORT_WARPS; i++)
		{
			unsigned	warp_count = memory->bins[i][threadIdx.x];

			memory->bins[i][threadIdx.x] = next;
			next += warp_count;
		}
	}
	__syncthreads();

	rank_keys<items>(own, digit, memory->bins[warp], memory->peers[warp],
					 ranks);
	__syncthreads();
#pragma unroll
	for (int j = 0; j < items; j++)
		memory->keys[ranks[j]] = own[j];
	if (PAYLOAD)
	{
		const Payload *from = (const Payload *)
			(pass.source ? move.payloads[1] : move.payloads[0]) + first;
		bool		make = move.positions && pass.first;

#pragma unroll
		for (int j = 0; j < items; j++)
		{
			int			i = at + j * WARP;

			if (i < tile_count)
				memory->payload[ranks[j]] = make ?
					(Payload) first + i + 1 : from[i];
		}
	}
	if (threadIdx.x < SORT_BINS)
		memory->places[threadIdx.x] = move.starts[threadIdx.x] - bin_start +
			look_back(words, tile, key_count, TAG_PREFIX(pass.source));
	__syncthreads();

#pragma unroll
	for (int j = 0; j < items; j++)
	{
		int			i = threadIdx.x + j * SORT_THREADS;

		if (i < tile_count)
		{
			Key			key = memory->keys[i];
			unsigned	to = memory->places[digit_of(key, digit)] + i;

			/* In the end the payload is all that is wanted. */
			if (!PAYLOAD || !pass.last)
				out[to] = pass.last ? restored(key, move.order) : key;
			if (PAYLOAD)
				payload_out[to] = memory->payload[i];
		}
	}
}

template <typename Key, int PAYLOAD>
static int64_t
count_tiles(const Sort *sort)
{
	const int	size = Tile<Key, PAYLOAD>::size;

	return (sort->count + size - 1) / size;
}

template <typename Key, int PAYLOAD>
static EngineStatus
move_by_digit(cudaStream_t stream, const Sort *sort, int digit)
{
	typedef Tile<Key, PAYLOAD> Memory;
	Move<Key>	move = {
		{(Key *) sort->keys[0], (Key *) sort->keys[1]},
		{sort->payloads[0], sort->payloads[1]},
		sort->count, sort_order(sort), (SortPlan *) sort->scratch,
		sort_starts(sort) + digit * SORT_BINS, sort_words(sort), digit,
		sort->payload == PAYLOAD_POSITIONS
	};

	TRY_CUDA(cudaFuncSetAttribute((const void *) move_keys<Key, PAYLOAD>,
								  cudaFuncAttributeMaxDynamicSharedMemorySize,
								  (int) sizeof(Memory)));
	move_keys<Key, PAYLOAD>
		<<<(unsigned) count_tiles<Key, PAYLOAD>(sort), SORT_THREADS,
		   sizeof(Memory), stream>>>(move);
	TRY_CUDA(cudaGetLastError());
	return ENGINE_OK;
}

template <typename Key>
static EngineStatus
move_any(cudaStream_t stream, const Sort *sort, int digit)
{
	switch (payload_size(sort->payload))
	{
		case 0:
			return move_by_digit<Key, 0>(stream, sort, digit);
		case 4:
			return move_by_digit<Key, 4>(stream, sort, digit);
		default:
			return move_by_digit<Key, 8>(stream, sort, digit);
	}
}

template <typename Key>
static int64_t
count_tiles_any(const Sort *sort)
{
	switch (payload_size(sort->payload))
	{
		case 0:
			return count_tiles<Key, 0>(sort);
		case 4:
			return count_tiles<Key, 4>(sort);
		default:
			return count_tiles<Key, 8>(sort);
	}
}

/* What the tiles publish, in bytes. */
size_t
sort_words_bytes(const Sort *sort)
{
	typedef int64_t (*CountTiles) (const Sort *sort);
	static const CountTiles by_width[] = BY_KEY_WIDTH(count_tiles_any);

	return by_width[key_width(sort)] (sort) * SORT_BINS * sizeof(unsigned);
}

/* Queues a pass, which is nothing if no keys differ in the digit. */
EngineStatus
sort_move(cudaStream_t stream, const Sort *sort, int digit)
{
	typedef EngineStatus (*MoveByDigit) (cudaStream_t stream,
										 const Sort *sort, int digit);
	static const MoveByDigit by_width[] = BY_KEY_WIDTH(move_any);

	return by_width[key_width(sort)] (stream, sort, digit);
}
