/*
 * tile.h
 *	  The parallel prefix scan, on which all kernels rest: within a block, and
 *	  over the tiles of an array, in one pass.
 *
 * An array is cut into tiles, one for each block.  A block scans its tile,
 * and for what comes before it looks back over the tiles in front of it: at
 * the sum of each that has only that, until it meets one that knows the sum
 * of all up to itself (Merrill and Garland, "Single-pass parallel prefix scan
 * with decoupled look-back", 2016).  So the array is read once and written
 * once.
 */
#ifndef GPUCOMPACT_TILE_H
#define GPUCOMPACT_TILE_H

#define WARP			32
#define ALL_LANES		0xFFFFFFFFu

#define TILE_THREADS	256
#define TILE_ITEMS		8		/* of a thread, side by side */
#define TILE			(TILE_THREADS * TILE_ITEMS)

/*
 * What a tile has published: a sum and, in the two low bits, of what it is
 * the sum.  They share a word, so that one is never seen without the other.
 * That leaves 62 bits, and 2^27 integers of 32 bits add up to less than 2^59.
 */
typedef unsigned long long TileWord;

#define TILE_NOTHING	0ull
#define TILE_SUM		1ull	/* of the tile */
#define TILE_PREFIX		2ull	/* of all tiles up to it */

/* The words of an array: the first is the next tile that a block may take. */
static inline __host__ __device__ long long
tile_words(long long count)
{
	return 1 + (count + TILE - 1) / TILE;
}

__device__ static inline void
publish(TileWord *word, long long sum, TileWord what)
{
	*(volatile TileWord *) word = (TileWord) sum << 2 | what;
}

/* Waits until a tile has published something. */
__device__ static inline TileWord
published(const TileWord *word)
{
	TileWord	seen;

	do
		seen = *(const volatile TileWord *) word;
	while ((seen & 3) == TILE_NOTHING);
	return seen;
}

/*
 * The tile for this block.  Blocks take tiles in the order in which they
 * begin, so that none waits for one that has not begun.
 */
__device__ static inline long long
take_tile(TileWord *words)
{
	__shared__ TileWord tile;

	if (threadIdx.x == 0)
		tile = atomicAdd(&words[0], 1ull);
	__syncthreads();
	return (long long) tile;
}

template <typename T>
__device__ static inline T
warp_sum(T value)
{
	for (int distance = WARP / 2; distance > 0; distance /= 2)
		value += __shfl_xor_sync(ALL_LANES, value, distance);
	return value;
}

/* The sum over the lanes up to this one (Hillis and Steele, 1986). */
template <typename T>
__device__ static inline T
warp_inclusive_scan(T value)
{
	int			lane = threadIdx.x % WARP;

	for (int distance = 1; distance < WARP; distance *= 2)
	{
		T			before = __shfl_up_sync(ALL_LANES, value, distance);

		if (lane >= distance)
			value += before;
	}
	return value;
}

/*
 * The sum over the threads before this one, and over all of them.  Every
 * thread of a block of TILE_THREADS takes part.
 */
template <typename T>
__device__ static inline T
block_exclusive_scan(T value, T *total)
{
	__shared__ T warps[TILE_THREADS / WARP];
	int			warp = threadIdx.x / WARP;
	T			inclusive = warp_inclusive_scan(value);
	T			before = 0;
	T			sum = 0;

	if (threadIdx.x % WARP == WARP - 1)
		warps[warp] = inclusive;
	__syncthreads();
	for (int i = 0; i < TILE_THREADS / WARP; i++)
	{
		if (i == warp)
			before = sum;
		sum += warps[i];
	}
	__syncthreads();
	*total = sum;
	return before + inclusive - value;
}

/*
 * The sum over all tiles before this one, and "start" before those.  The
 * first warp calls this, with the sum of its own tile.
 */
__device__ static inline long long
look_back(TileWord *words, long long tile, long long sum, long long start)
{
	int			lane = threadIdx.x % WARP;
	TileWord   *own = &words[1 + tile];
	long long	before = start;

	if (tile > 0)
	{
		unsigned	prefixes;
		long long	last = tile - 1;

		if (lane == 0)
			publish(own, sum, TILE_SUM);
		before = 0;
		do
		{
			TileWord	seen = TILE_PREFIX;
			int			nearest;

			if (last - lane >= 0)
				seen = published(&words[1 + last - lane]);
			prefixes = __ballot_sync(ALL_LANES, (seen & 3) == TILE_PREFIX);
			nearest = prefixes ? __ffs(prefixes) - 1 : WARP - 1;
			before += warp_sum(lane <= nearest ? (long long) seen >> 2 : 0);
			last -= WARP;
		} while (prefixes == 0);
	}
	if (lane == 0)
		publish(own, before + sum, TILE_PREFIX);
	return before;
}

/*
 * The same, for every thread of the block.
 */
__device__ static inline long long
tile_prefix(TileWord *words, long long tile, long long sum, long long start)
{
	__shared__ long long shared;

	if (threadIdx.x < WARP)
	{
		long long	before = look_back(words, tile, sum, start);

		if (threadIdx.x == 0)
			shared = before;
	}
	__syncthreads();
	return shared;
}

/*
 * This thread's items of a tile, with zeros past the end of the array.  The
 * array is aligned to 16 bytes.
 */
template <typename T>
__device__ static inline void
load_items(const T *in, long long first, long long count, T *items)
{
	if (first + TILE_ITEMS <= count)
	{
		const int4 *vectors = (const int4 *) (in + first);

		for (int i = 0; i < (int) (TILE_ITEMS * sizeof(T) / sizeof(int4)); i++)
			((int4 *) items)[i] = vectors[i];
	}
	else
	{
		for (int i = 0; i < TILE_ITEMS; i++)
			items[i] = first + i < count ? in[first + i] : 0;
	}
}

#endif							/* GPUCOMPACT_TILE_H */
