/*
 * sort.h
 *	  What the parts of the radix sort share: digits, the order of keys, and
 *	  the scratch memory.
 */
#ifndef GPUCOMPACT_KERNELS_SORT_H
#define GPUCOMPACT_KERNELS_SORT_H

#include "kernels/common/block.h"
#include "kernels/common/launch.h"
#include "contract/order.h"
#include "kernels/common/kernels.h"

/* A key has as many digits as bytes. */
#define SORT_BITS		8
#define SORT_BINS		(1 << SORT_BITS)
#define SORT_DIGITS		8

/* Parts of the scratch memory, and tiles, begin at a line of the L2 cache. */
#define SORT_ALIGNMENT	128

static inline size_t
aligned(size_t bytes)
{
	return (bytes + SORT_ALIGNMENT - 1) / SORT_ALIGNMENT * SORT_ALIGNMENT;
}

template <typename Key>
__device__ static inline unsigned
digit_of(Key key, int digit)
{
	return (unsigned) (key >> (digit * SORT_BITS)) & (SORT_BINS - 1);
}

/* The bins of a pass over a digit. */
struct DigitBins
{
	int			digit;

	template <typename Key>
	__device__ unsigned operator()(Key key) const
	{
		return digit_of(key, digit);
	}
};

/*
 * How keys become unsigned integers of the same order.  If "canonicalize",
 * equal floats become the same integer.  If not, ordered() is one to one, and
 * restored() is its inverse.
 */
typedef struct KeyOrder
{
	bool		is_float;
	bool		canonicalize;
	uint64_t	flip;			/* bits to invert last */
} KeyOrder;

template <typename Key>
__device__ static inline Key
ordered(Key bits, KeyOrder order)
{
	if constexpr (sizeof(Key) == 4)
	{
		if (order.is_float)
			bits = float4_order(order.canonicalize ?
								float4_canonicalize(bits) : bits);
	}
	if constexpr (sizeof(Key) == 8)
	{
		if (order.is_float)
			bits = float8_order(order.canonicalize ?
								float8_canonicalize(bits) : bits);
	}
	return bits ^ (Key) order.flip;
}

template <typename Key>
__device__ static inline Key
restored(Key key, KeyOrder order)
{
	key ^= (Key) order.flip;
	if constexpr (sizeof(Key) == 4)
	{
		if (order.is_float)
			key = float4_of_order(key);
	}
	if constexpr (sizeof(Key) == 8)
	{
		if (order.is_float)
			key = float8_of_order(key);
	}
	return key;
}

/* Of some keys; without any, the least is greater than the greatest. */
template <typename Key>
struct KeyRange
{
	Key			least = (Key) ~(Key) 0;
	Key			greatest = 0;

	__device__ void merge(KeyRange other)
	{
		least = min(least, other.least);
		greatest = max(greatest, other.greatest);
	}

	__device__ KeyRange of_lane(int distance) const
	{
		return {(Key) __shfl_xor_sync(ALL_LANES, least, distance),
			(Key) __shfl_xor_sync(ALL_LANES, greatest, distance)};
	}
};

/* Merges the ranges of all lanes.  The exchanges of the ends overlap. */
template <template <typename> typename Range, typename Key>
__device__ static inline Range<Key>
warp_merge(Range<Key> own)
{
	for (int distance = WARP / 2; distance > 0; distance /= 2)
		own.merge(own.of_lane(distance));
	return own;
}

/* Merges the ranges of all threads.  "warps" may be reused after a barrier. */
template <int THREADS, template <typename> typename Range, typename Key>
__device__ static inline Range<Key>
block_merge(Range<Key> own, Range<Key> *warps)
{
	int			lane = threadIdx.x % WARP;

	own = warp_merge(own);
	if (lane == 0)
		warps[threadIdx.x / WARP] = own;
	__syncthreads();
	return warp_merge(lane < THREADS / WARP ? warps[lane] : Range<Key>());
}

/* What the device finds out about a pass, from the histograms: bits. */
typedef unsigned SortPass;

#define PASS_LIVE		1u		/* two keys differ in the digit */
#define PASS_SOURCE		2u		/* it reads the second buffer */
#define PASS_FIRST		4u		/* it is the first live pass */
#define PASS_TOP		8u		/* it is the last live pass */
#define PASS_LAST		16u		/* it makes the result */

/*
 * The beginning of the scratch memory.  It is followed by the histogram of
 * each digit, which becomes the start of each bin in the output; and by the
 * tile descriptors.
 */
typedef struct __align__(SORT_ALIGNMENT) SortPlan
{
	unsigned long long base;	/* digits are those of distances from it */
	int			lowest;			/* digit that needs a pass, as the sample says;
								 * or 0 */
	unsigned	below_base;		/* the number of keys that are less */
	SortPass	passes[SORT_DIGITS];
	SortPass	local;			/* the sort of groups: live, and its source */
	int			selector;		/* the second buffer has the result */
	int			in_first;		/* the first buffer has the result */
	unsigned	counted;		/* thread blocks that have counted their keys */
	unsigned	tickets[SORT_DIGITS];	/* tiles taken in each pass */
} SortPlan;

static inline unsigned *
sort_starts(const Sort *sort)
{
	return (unsigned *) ((SortPlan *) sort->scratch + 1);
}

static inline unsigned *
sort_descriptors(const Sort *sort)
{
	return sort_starts(sort) + kind_size(sort->kind) * SORT_BINS;
}

/* Numbers of a thread, each of BITS bits, which are set in their order. */
template <int NUMBERS, int BITS>
struct ShortNumbers
{
	static const int each = 32 / BITS;	/* of a word */

	unsigned	words[(NUMBERS + each - 1) / each];

	__device__ void set(int i, unsigned number)
	{
		unsigned   *word = &words[i / each];

		*word = i % each == 0 ? number : *word | number << i % each * BITS;
	}

	__device__ unsigned operator[](int i) const
	{
		return words[i / each] >> i % each * BITS & ((1u << BITS) - 1);
	}
};

/* The ranks of a thread's keys. */
template <int ITEMS>
using KeyRanks = ShortNumbers<ITEMS, 16>;

/*
 * Ranks the keys of a warp stably by their bins: row after row, and within a
 * row, lane by lane.  "bins" has the place of the warp's next key of each bin.
 * "peers", the lanes with the same bin, is zero before and after a row.
 *
 * Lanes find their peers by atomic operations, which wait for each other if
 * they are on the same word.  Many keys may be in one bin, so the lanes of the
 * first lane's bin find each other by a vote.
 */
template <int ITEMS, typename Keys, typename BinOf>
__device__ static inline void
rank_keys(const Keys &keys, int rows, BinOf bin_of, unsigned *bins,
		  unsigned *peers, KeyRanks<ITEMS> *ranks)
{
	int			lane = threadIdx.x % WARP;
	unsigned	own_lane = 1u << lane;

#pragma unroll
	for (int j = 0; j < ITEMS; j++)
	{
		unsigned	bin = bin_of(keys[j]);
		bool		votes;
		unsigned	same;
		unsigned	before = 0;
		int			leader;

		if (j >= rows)
			break;
		votes = bin == __shfl_sync(ALL_LANES, bin, 0);
		same = __ballot_sync(ALL_LANES, votes);
		if (!votes)
			atomicOr(&peers[bin], own_lane);
		__syncwarp();
		if (!votes)
			same = peers[bin];
		leader = WARP - 1 - __clz(same);
		__syncwarp();
		if (!votes)
			peers[bin] = 0;

		/* An atomic operation is one round trip to shared memory, not two. */
		if (lane == leader)
			before = atomicAdd(&bins[bin], __popc(same));
		before = __shfl_sync(ALL_LANES, before, leader);
		__syncwarp();
		ranks->set(j, before + __popc(same & (own_lane - 1)));
	}
}

/*
 * Returns the result of a function template for the keys of a sort, and the
 * bytes of its payload.
 */
#define RETURN_BY_PAYLOAD(sort, function, Key, ...) \
	return (sort)->payload_size == 0 ? function<Key, 0>(__VA_ARGS__) : \
		(sort)->payload_size == 4 ? function<Key, 4>(__VA_ARGS__) : \
		function<Key, 8>(__VA_ARGS__)

#define RETURN_BY_ITEM(sort, function, ...) \
	do { \
		switch (kind_size((sort)->kind)) \
		{ \
			case 1: \
				RETURN_BY_PAYLOAD(sort, function, uint8_t, __VA_ARGS__); \
			case 2: \
				RETURN_BY_PAYLOAD(sort, function, uint16_t, __VA_ARGS__); \
			case 4: \
				RETURN_BY_PAYLOAD(sort, function, uint32_t, __VA_ARGS__); \
			default: \
				RETURN_BY_PAYLOAD(sort, function, uint64_t, __VA_ARGS__); \
		} \
	} while (0)

/* The same, but 0 for keys of two digits or fewer, which need only passes. */
#define RETURN_BY_LONG_KEY(sort, function, ...) \
	do { \
		if (kind_size((sort)->kind) < 4) \
			return decltype(function<uint32_t, 0>(__VA_ARGS__))(0); \
		if (kind_size((sort)->kind) == 4) \
			RETURN_BY_PAYLOAD(sort, function, uint32_t, __VA_ARGS__); \
		RETURN_BY_PAYLOAD(sort, function, uint64_t, __VA_ARGS__); \
	} while (0)

/* sort.cu */
extern KeyOrder sort_order(const Sort *sort);

/* The arguments of the kernels of a sort of more than one launch. */
template <typename Key>
struct SortBuffers
{
	Key		   *keys[2];
	void	   *payloads[2];
	long long	count;
	KeyOrder	order;
	SortPlan   *plan;
};

template <typename Key>
static SortBuffers<Key>
sort_buffers(const Sort *sort)
{
	return {
		{(Key *) sort->keys[0], (Key *) sort->keys[1]},
		{sort->payloads[0], sort->payloads[1]}, sort->count, sort_order(sort),
		(SortPlan *) sort->scratch
	};
}

/* sort.cu */
extern Sort sort_of(const DeviceWork *work);

/* sort_block.cu */
extern bool sort_fits_block(const Sort *sort);
extern cudaError_t sort_in_block(cudaStream_t stream, const Sort *sort);

/* sort_grid.cu */
extern bool sort_fits_grid(const Sort *sort);
extern size_t sort_grid_scratch_bytes(const Sort *sort);
extern cudaError_t sort_in_grid(cudaStream_t stream, const Sort *sort);

/* sort_local.cu */
extern int	sort_most_in_group(const Sort *sort);
extern cudaError_t sort_local(cudaStream_t stream, const Sort *sort);

/* sort_move.cu */
extern size_t sort_descriptors_bytes(const Sort *sort);
extern cudaError_t sort_move(cudaStream_t stream, const Sort *sort, int digit);

/* sort_plan.cu */
extern int	sort_seed(void);
extern cudaError_t sort_plan(cudaStream_t stream, const Sort *sort);

#endif							/* GPUCOMPACT_KERNELS_SORT_H */
