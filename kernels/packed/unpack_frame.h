/*
 * unpack_frame.h
 *	  A frame of integers, for the threads of a block: the bytes that it has,
 *	  and its integers, as src/packed/README.md has them.
 *
 * Every length is checked before its bytes are looked at.
 */
#ifndef GPUCOMPACT_UNPACK_FRAME_H
#define GPUCOMPACT_UNPACK_FRAME_H

#include "kernels/common/warp.h"
#include "packed/packed_decimal.h"

#define THREADS			128
#define WARPS			(THREADS / WARP)
#define ITEMS			(PACKED_BLOCK / THREADS)

typedef unsigned long long Wide;

/* The type that has the integers of elements. */
template <typename T>
struct IntegerOf
{
	typedef uint32_t Type;
};

template <>
struct IntegerOf<Wide>
{
	typedef Wide Type;
};

/* What the threads of a block share; W is the type of integers. */
template <typename W>
struct Memory
{
	W			extra[PACKED_BLOCK];	/* exceptions, or the heads of runs */
	W			values[PACKED_BLOCK];	/* of a dictionary, or of runs */
	W			sums[WARPS];
};

/* Bytes that are still to be read.  All threads of a block have the same. */
typedef struct Cursor
{
	const char *at;
	int			left;
} Cursor;

/* A frame in bytes, which is within these bytes. */
typedef struct Frame
{
	int			count;
	int			bits;
	Wide		base;
	Wide		step;
	const uint32_t *words;
	int			log_lanes;
	unsigned	exceptions;		/* how many each quarter has, in a byte each */
	int			total;			/* of these */
	int			exception_bytes;
	const char *values;
} Frame;

/* Floats that do not follow from their integers. */
typedef struct FloatExceptions
{
	int			count;
	const char *values;
} FloatExceptions;

/* The number in the block of a thread's k-th integer: rows of a warp. */
__device__ static inline int
item(int k)
{
	return (threadIdx.x / WARP * ITEMS + k) * WARP + threadIdx.x % WARP;
}

template <typename N>
__device__ static inline N
load(const char *bytes)
{
	return __ldg((const N *) bytes);
}

/* A number of 1, 2, 4 or 8 bytes. */
__device__ static inline Wide
load_number(const char *bytes, int size)
{
	return size == 1 ? load<unsigned char>(bytes) :
		size == 2 ? load<unsigned short>(bytes) :
		size == 4 ? load<unsigned>(bytes) : load<Wide>(bytes);
}

/* Takes the next bytes, or returns NULL if these are not all there. */
__device__ static inline const char *
take(Cursor *cursor, int bytes)
{
	const char *taken = cursor->at;

	if (bytes > cursor->left)
		return NULL;
	cursor->at += bytes;
	cursor->left -= bytes;
	return taken;
}

/* Bytes of the words for "count" integers of up to 32 bits. */
__device__ static inline int
lanes_bytes(int count, int bits, int log_lanes)
{
	int			rows = (count + (1 << log_lanes) - 1) >> log_lanes;

	return (rows * bits + 31) / 32 << (log_lanes + 2);
}

/* Takes the exceptions, whose positions are still to be looked at. */
__device__ static inline bool
take_exceptions(Cursor *cursor, Frame *frame)
{
	int			size = frame->exception_bytes;

	frame->total = (frame->exceptions & 0xFF) +
		(frame->exceptions >> 8 & 0xFF) + (frame->exceptions >> 16 & 0xFF) +
		(frame->exceptions >> 24);
	if (frame->total == 0)
		return size == 0;
	if ((size != 1 && size != 2 && size != 4 && size != 8) ||
		frame->bits == 64)
		return false;
	frame->values = take(cursor, (int) PACKED_ALIGN(frame->total * (size + 1)));
	return frame->values != NULL;
}

/*
 * Takes a frame of "count" integers of "width" bits.  Returns false if the
 * bytes are none.
 */
__device__ static bool
take_frame(Cursor *cursor, int count, int width, Frame *frame)
{
	const char *head = take(cursor, FRAME_HEAD);
	const char *step;
	Wide		facts;
	int			bytes;

	if (head == NULL)
		return false;
	facts = load<Wide>(head);
	frame->count = count;
	frame->exceptions = (unsigned) facts;
	frame->bits = (int) (facts >> 32 & 0xFF);
	frame->exception_bytes = (int) (facts >> 40 & 0xFF);
	frame->base = load<Wide>(head + 8);
	frame->step = 1;
	frame->log_lanes = count <= 256 ? 3 : 5;
	if (frame->bits > width || facts >> 48 > FRAME_HAS_STEP)
		return false;
	if (facts >> 48 == FRAME_HAS_STEP)
	{
		step = take(cursor, 8);
		if (step == NULL)
			return false;
		frame->step = load<Wide>(step);
	}
	bytes = lanes_bytes(count, min(frame->bits, 32), frame->log_lanes) +
		lanes_bytes(count, max(frame->bits - 32, 0), frame->log_lanes);
	frame->words = (const uint32_t *) take(cursor, bytes);
	return frame->words != NULL && take_exceptions(cursor, frame);
}

/* Integer i of up to 32 bits. */
__device__ static inline uint32_t
unpack_word(const uint32_t *words, int bits, int log_lanes, int i)
{
	int			lanes = 1 << log_lanes;
	int			bit = (i >> log_lanes) * bits;
	int			shift = bit % 32;
	uint32_t	low;
	uint32_t	high = 0;

	if (bits == 0)
		return 0;
	words += (bit / 32 << log_lanes) + (i & (lanes - 1));
	low = __ldg(words);
	if (shift + bits > 32)
		high = __ldg(words + lanes);
	return __funnelshift_r(low, high, shift) & (UINT32_MAX >> (32 - bits));
}

/* Integer i of a frame, without its exception. */
template <typename W>
__device__ static inline W
unpack_integer(const Frame &frame, int i)
{
	W			packed = unpack_word(frame.words, min(frame.bits, 32),
									 frame.log_lanes, i);

	if (sizeof(W) == 8 && frame.bits > 32)
		packed |= (W) ((Wide)
					   unpack_word(frame.words +
								   lanes_bytes(frame.count, 32,
											   frame.log_lanes) / 4,
								   frame.bits - 32, frame.log_lanes, i) << 32);
	return (W) frame.base + (W) frame.step * packed;
}

/* The number of an exception's integer. */
__device__ static inline int
exception_position(const Frame &frame, int number)
{
	int			before = 0;
	int			quarter = 0;

	for (int i = 0; i < FRAME_QUARTERS - 1; i++)
	{
		before += frame.exceptions >> (8 * i) & 0xFF;
		quarter += number >= before;
	}
	return quarter * FRAME_QUARTER +
		load<unsigned char>(frame.values + frame.total * frame.exception_bytes +
							number);
}

/* What an exception adds to its integer. */
__device__ static inline Wide
exception_value(const Frame &frame, int number)
{
	int			size = frame.exception_bytes;
	int			unused = 64 - 8 * size;
	Wide		value = load_number(frame.values + number * size, size);

	value = (Wide) ((long long) (value << unused) >> unused);
	return (value << frame.bits) * frame.step;
}

template <typename W>
__device__ static void
add_exceptions(const Frame &frame, W (&integers)[ITEMS], W *extra, bool *failed)
{
	__syncthreads();			/* it may still be in use */
	for (int i = threadIdx.x; i < PACKED_BLOCK; i += THREADS)
		extra[i] = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < frame.total; i += THREADS)
	{
		int			position = exception_position(frame, i);

		if (position < frame.count)
			atomicAdd(&extra[position], (W) exception_value(frame, i));
		else
			*failed = true;
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		integers[k] += extra[item(k)];
}

/* Unpacks a frame; behind its last integer there are zeros. */
template <typename W>
__device__ static inline void
unpack_frame(const Frame &frame, W (&integers)[ITEMS], W *extra, bool *failed)
{
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		integers[k] = item(k) < frame.count ?
			unpack_integer<W>(frame, item(k)) : 0;
	if (frame.total > 0)
		add_exceptions(frame, integers, extra, failed);
}

#endif							/* GPUCOMPACT_UNPACK_FRAME_H */
