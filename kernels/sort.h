/*
 * sort.h
 *	  What the parts of the radix sort share: its digits, the order of keys,
 *	  and what it keeps in scratch memory.
 */
#ifndef GPUCOMPACT_SORT_H
#define GPUCOMPACT_SORT_H

#include "device.h"
#include "kernels.h"
#include "engine/order.h"
#include "warp.h"

/* A key has as many digits as bytes. */
#define SORT_BITS		8
#define SORT_BINS		(1 << SORT_BITS)
#define SORT_DIGITS		8

/* A function for each width of keys, and which of them is a sort's. */
#define BY_KEY_WIDTH(function) \
	{ \
		function<uint8_t>, function<uint16_t>, function<uint32_t>, \
		function<uint64_t> \
	}

static inline int
key_width(const Sort *sort)
{
	return __builtin_ctz(kind_size(sort->kind));
}

template <typename Key>
__device__ static inline unsigned
digit_of(Key key, int digit)
{
	return (unsigned) (key >> (digit * SORT_BITS)) & (SORT_BINS - 1);
}

/*
 * How keys become unsigned integers in the order wanted.  Floats that are
 * equal become the same integer if "unify"; if not, ordered() is one to one,
 * and restored() turns it back.
 */
typedef struct KeyOrder
{
	bool		is_float;
	bool		unify;
	unsigned long long flip;	/* bits to be inverted, in the end */
} KeyOrder;

template <typename Key>
__device__ static inline Key
ordered(Key bits, KeyOrder order)
{
	if constexpr (sizeof(Key) == 4)
	{
		if (order.is_float)
			bits = float4_order(order.unify ? float4_unify(bits) : bits);
	}
	if constexpr (sizeof(Key) == 8)
	{
		if (order.is_float)
			bits = float8_order(order.unify ? float8_unify(bits) : bits);
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

/* What the device itself finds out about a pass, from the counts. */
typedef struct SortPass
{
	int			live;			/* do any two keys differ in the digit? */
	int			source;			/* which buffer has the keys before it */
	int			first;			/* is it the first one live? */
	int			last;
} SortPass;

/*
 * At the beginning of the scratch memory.  Behind it are the counts of each
 * digit's bins, which become where each bin starts in the output; and then the
 * words that tiles publish.
 */
typedef struct __align__(128) SortPlan
{
	SortPass	passes[SORT_DIGITS];
	int			in_other;		/* which buffer has the keys in the end */
	unsigned	tickets[SORT_DIGITS];	/* tiles taken */
} SortPlan;

static inline unsigned *
sort_starts(const Sort *sort)
{
	return (unsigned *) ((SortPlan *) sort->scratch + 1);
}

static inline unsigned *
sort_words(const Sort *sort)
{
	return sort_starts(sort) + kind_size(sort->kind) * SORT_BINS;
}

/*
 * The sum over the threads before this one; only the first WARPS warps need
 * have anything to add.  "warps" has room for all, and is free again after the
 * next barrier.
 */
template <int WARPS>
__device__ static inline unsigned
block_exclusive_scan(unsigned value, unsigned *warps)
{
	int			warp = threadIdx.x / WARP;
	unsigned	inclusive = warp_inclusive_scan(value);
	unsigned	before = 0;

	if (threadIdx.x % WARP == WARP - 1)
		warps[warp] = inclusive;
	__syncthreads();
	for (int i = 0; i < WARPS; i++)
		before += i < warp ? warps[i] : 0;
	return before + inclusive - value;
}

/* sort.cu */
extern KeyOrder sort_order(const Sort *sort);
extern EngineStatus sort_sizes(const EngineJob *job, size_t *sizes);
extern EngineStatus sort_begin(EngineJob *job);
extern EngineStatus sort_piece(EngineJob *job, Slot *slot, int64_t count);
extern EngineStatus sort_start(EngineJob *job);

/* sort_count.cu */
extern EngineStatus sort_make_plan(cudaStream_t stream, const Sort *sort);

/* sort_move.cu */
extern size_t sort_words_bytes(const Sort *sort);
extern EngineStatus sort_move(cudaStream_t stream, const Sort *sort,
							  int digit);

#endif							/* GPUCOMPACT_SORT_H */
