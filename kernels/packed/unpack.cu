/*
 * unpack.cu
 *	  Unpacking the blocks of packed arrays: a thread block for each.
 *
 * Each lane of a warp unpacks one lane of a frame, so a row of 32 neighbours
 * is in two rows of words, and is stored as a row.  Each warp has the rows of
 * a quarter of the block, which do not depend on each other: all of their
 * words are loaded at once.  Only differences and runs are added up by all
 * threads.  src/packed/packed_unpack.c says what each step reads.  Every length
 * is checked before its bytes are looked at.
 */
#include <type_traits>

#include "kernels/common/launch.h"
#include "kernels/common/block.h"
#include "kernels/packed/unpack.h"
#include "packed/packed_decimal.h"

#define THREADS			128
#define WARPS			(THREADS / WARP)
#define ITEMS			(PACKED_BLOCK / THREADS)

typedef unsigned long long Wide;

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

/*
 * Thread blocks of a multiprocessor, by the widest type of integers: with these
 * few registers are spilled, and Turing has room for its number.
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define RESIDENT(W)		8
#else
#define RESIDENT(W)		(sizeof(W) == 4 ? 12 : 8)
#endif

/*
 * Adds up the integers of the block in their order, "start" and each.  The sums
 * of the warps are left in "sums", which may be reused after the next barrier.
 */
template <typename W>
__device__ static inline void
add_up(W (&integers)[ITEMS], W start, W *sums)
{
	int			warp = threadIdx.x / WARP;
	W			total = 0;

#pragma unroll
	for (int k = 0; k < ITEMS; k++)
	{
		W			sum = warp_inclusive_scan(integers[k]);

		integers[k] = total + sum;
		total += __shfl_sync(ALL_LANES, sum, WARP - 1);
	}
	if (threadIdx.x % WARP == 0)
		sums[warp] = total;
	__syncthreads();
	for (int i = 0; i < WARPS; i++)
		start += i < warp ? sums[i] : 0;
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		integers[k] += start;
}

/* Takes the values of a dictionary or of runs, and their number. */
template <typename W>
__device__ static bool
take_values(Cursor *cursor, int count, int width, int *number,
			Memory<W> *memory, bool *failed)
{
	const char *head = take(cursor, PACKED_NUMBER_HEAD);
	W			values[ITEMS];
	Frame		frame;
	Wide		found;

	if (head == NULL)
		return false;
	found = load<Wide>(head);
	if (found == 0 || found > (Wide) count ||
		!take_frame(cursor, (int) found, width, &frame))
		return false;
	*number = (int) found;
	unpack_frame(frame, values, memory->extra, failed);
	for (int k = 0; k < ITEMS; k++)
		memory->values[item(k)] = values[k];
	__syncthreads();
	return true;
}

template <typename W>
__device__ static bool
unpack_dictionary(Cursor *cursor, const BlockPlace &place, int width,
				  W (&integers)[ITEMS], Memory<W> *memory, bool *failed)
{
	uint32_t	numbers[ITEMS];
	Frame		frame;
	int			number;

	if (!take_values(cursor, place.count, width, &number, memory, failed) ||
		!take_frame(cursor, place.count, 32, &frame) ||
		frame.bits != place.bits)
		return false;
	unpack_frame(frame, numbers, (uint32_t *) memory->extra, failed);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
	{
		bool		known = numbers[k] < (uint32_t) number;

		*failed |= !known;
		integers[k] = known ? memory->values[numbers[k]] : 0;
	}
	return true;
}

/*
 * Unpacks runs: each integer's run is the number of heads up to it.  Empty
 * runs, which no version writes, are left to the CPU.
 */
template <typename W>
__device__ static bool
unpack_runs(Cursor *cursor, const BlockPlace &place, int width,
			W (&integers)[ITEMS], Memory<W> *memory, bool *failed)
{
	uint32_t   *heads = (uint32_t *) memory->extra;
	uint32_t   *sums = (uint32_t *) memory->sums;
	uint32_t	lengths[ITEMS];
	uint32_t	ends[ITEMS];
	uint32_t	total = 0;
	Frame		frame;
	int			number;

	if (!take_values(cursor, place.count, width, &number, memory, failed) ||
		!take_frame(cursor, number, 32, &frame))
		return false;
	unpack_frame(frame, lengths, heads, failed);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
	{
		if (item(k) < number)
			*failed |= lengths[k] == 0 || lengths[k] > place.count;
		ends[k] = lengths[k];
	}
	add_up(ends, 0u, sums);
	for (int i = 0; i < WARPS; i++)
		total += sums[i];
	if (__syncthreads_or(*failed || total != place.count))
		return false;

	/* All runs are within the block from here on, and begin apart. */
	for (int i = threadIdx.x; i < PACKED_BLOCK; i += THREADS)
		heads[i] = 0;
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
	{
		if (item(k) < number)
			heads[ends[k] - lengths[k]] = 1;
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		ends[k] = heads[item(k)];
	add_up(ends, 0u, sums);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		integers[k] = memory->values[ends[k] - 1];
	return true;
}

/*
 * Unpacks the integers of a block, which have "width" bits, at most as many as
 * W.  Behind the last one they mean nothing.  Returns false, or sets *failed,
 * if the bytes contradict each other; the return value is the same in all
 * threads.
 */
template <typename W>
__device__ static bool
unpack_integers(Cursor *cursor, const BlockPlace &place, int width,
				W (&integers)[ITEMS], Memory<W> *memory, bool *failed)
{
	int			count = place.count;
	const char *bytes;
	Frame		frame;

	switch (place.scheme)
	{
		case PACKED_RAW:
			bytes = take(cursor, (int) PACKED_ALIGN(count * (width / 8)));
			if (bytes == NULL)
				return false;
#pragma unroll
			for (int k = 0; k < ITEMS; k++)
				integers[k] = item(k) >= count ? 0 :
					(W) load_number(bytes + item(k) * (width / 8), width / 8);
			return true;
		case PACKED_CONSTANT:
			bytes = take(cursor, 8);
			if (bytes == NULL)
				return false;
#pragma unroll
			for (int k = 0; k < ITEMS; k++)
				integers[k] = (W) load<Wide>(bytes);
			return true;
		case PACKED_FRAME:
			if (!take_frame(cursor, count, width, &frame) ||
				frame.bits != place.bits)
				return false;
			unpack_frame(frame, integers, memory->extra, failed);
			return true;
		case PACKED_DELTA:
			bytes = take(cursor, 8);
			if (bytes == NULL || !take_frame(cursor, count, width, &frame) ||
				frame.bits != place.bits)
				return false;
			unpack_frame(frame, integers, memory->extra, failed);
			add_up(integers, (W) load<Wide>(bytes), memory->sums);
			return true;
		case PACKED_DICTIONARY:
			return unpack_dictionary(cursor, place, width, integers, memory,
									 failed);
		case PACKED_RUNS:
			return unpack_runs(cursor, place, width, integers, memory, failed);
	}
	return false;
}

template <bool FLOATS, typename W, typename T>
__device__ static inline bool
unpack_plain(Cursor *cursor, const BlockPlace &place, T (&elements)[ITEMS],
			 Memory<W> *memory, bool *failed)
{
	const int	width = 8 * sizeof(T);
	W			integers[ITEMS] = {};

	if (place.mapping > (FLOATS ? PACKED_ROTATED : PACKED_PLAIN) ||
		!unpack_integers(cursor, place, width, integers, memory, failed))
		return false;
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
	{
		T			element = (T) integers[k];

		elements[k] = FLOATS && place.mapping == PACKED_ROTATED ?
			(T) (element >> 1 | element << (width - 1)) : element;
	}
	return true;
}

/*
 * The bits of a float of an integer, as packed_decimal.c makes them:
 * no two operations are fused.  NaNs, which may have other bits there, fail.
 */
__device__ static inline Wide
decimal_bits(Wide integer, double number, bool divided, int size, bool *failed)
{
	double		decimal =
		__dsub_rn(__longlong_as_double((long long)
									   (integer + DECIMAL_SHIFT_BITS)),
				  DECIMAL_SHIFT);
	double		scaled = divided ? __ddiv_rn(decimal, number) :
		__dmul_rn(decimal, number);

	*failed |= scaled != scaled;
	return size == 8 ? (Wide) __double_as_longlong(scaled) :
		__float_as_uint(__double2float_rn(scaled));
}

/*
 * Looks at the positions of exceptions.  Those that do not ascend, which
 * nothing writes, are left to the CPU.
 */
__device__ static inline bool
are_positions(const char *positions, int exceptions, int count)
{
	bool		right = true;

	for (int i = threadIdx.x; i < exceptions; i += THREADS)
	{
		int			position = load<unsigned short>(positions + 2 * i);

		right &= position < count &&
			(i == 0 ||
			 position > load<unsigned short>(positions + 2 * (i - 1)));
	}
	return right;
}

/* Unpacks integers, and makes floats of all but the exceptions. */
template <typename T>
__device__ static inline bool
unpack_decimals(Cursor *cursor, const BlockPlace &place, T (&elements)[ITEMS],
				FloatExceptions *exceptions, Memory<Wide> *memory,
				bool *failed)
{
	const char *head = take(cursor, PACKED_DECIMAL_HEAD);
	Wide		integers[ITEMS] = {};
	double		number;
	Wide		found;

	if (head == NULL || place.mapping > PACKED_MULTIPLIED)
		return false;
	number = __longlong_as_double((long long) load<Wide>(head));
	found = load<Wide>(head + 8);
	if (found > place.count)
		return false;
	exceptions->count = (int) found;
	exceptions->values = take(cursor,
							  (int) PACKED_ALIGN(exceptions->count *
												 (sizeof(T) + 2)));
	if (exceptions->values == NULL ||
		!unpack_integers(cursor, place, 64, integers, memory, failed))
		return false;
	*failed |= !are_positions(exceptions->values +
							  exceptions->count * sizeof(T),
							  exceptions->count, place.count);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
	{
		bool		none = false;

		elements[k] = (T) decimal_bits(integers[k], number,
									   place.mapping == PACKED_DIVIDED,
									   sizeof(T), &none);
		*failed |= none && item(k) < place.count;
	}
	return true;
}

/* Returns whether a place is one of the piece's. */
__device__ static inline bool
is_within(const BlockPlace &place, const Unpacking &unpacking)
{
	return place.count > 0 && place.count <= PACKED_BLOCK &&
		place.skipped + place.wanted <= place.count &&
		(int64_t) place.first + place.wanted <= unpacking.count &&
		((int64_t) place.before + place.length) * 8 <= unpacking.length;
}

/* Stores the elements that are wanted, and then the exceptions among them. */
template <typename T>
__device__ static inline void
store(const BlockPlace &place, const T (&elements)[ITEMS],
	  const FloatExceptions &exceptions, T *out)
{
	const char *positions = exceptions.values + exceptions.count * sizeof(T);

	out += place.first;
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
	{
		int			i = item(k) - place.skipped;

		if (i >= 0 && i < place.wanted)
			out[i] = elements[k];
	}
	if (exceptions.count == 0)
		return;
	__syncthreads();
	for (int e = threadIdx.x; e < exceptions.count; e += THREADS)
	{
		int			i = load<unsigned short>(positions + 2 * e) -
			place.skipped;

		if (i >= 0 && i < place.wanted)
			out[i] = (T) load_number(exceptions.values + e * sizeof(T),
									 sizeof(T));
	}
}

/* W is the widest type of integers, which floats may come from. */
template <typename T, typename W, bool FLOATS>
__global__ void __launch_bounds__(THREADS, RESIDENT(W))
unpack_kernel(Unpacking unpacking)
{
	typedef std::conditional_t<sizeof(T) == 8, Wide, uint32_t> Integer;
	__shared__ Memory<W> memory;
	BlockPlace	place = unpacking.places[blockIdx.x];
	Cursor		cursor = {
		unpacking.bytes + (size_t) place.before * 8, place.length * 8
	};
	FloatExceptions exceptions = {};
	T			elements[ITEMS] = {};
	bool		within = is_within(place, unpacking);
	bool		failed = false;

	if (!within)
		failed = true;
	else if (FLOATS && place.mapping > PACKED_ROTATED)
	{
		if constexpr (FLOATS)
			failed = !unpack_decimals(&cursor, place, elements, &exceptions,
									  &memory, &failed) || failed;
	}
	else
		failed = !unpack_plain<FLOATS>(&cursor, place, elements,
									   (Memory<Integer> *) &memory,
									   &failed) || failed;
	if (__syncthreads_or(failed || cursor.left > 0))
	{
		if (threadIdx.x == 0)
			*unpacking.failed = 1;
		return;
	}
	store(place, elements, exceptions, (T *) unpacking.out);
}

template <typename T, typename W, bool FLOATS>
static cudaError_t
launch(cudaStream_t stream, const Unpacking *unpacking)
{
	return launch_kernel(stream, unpack_kernel<T, W, FLOATS>,
						 unpacking->nblocks, THREADS, 0, *unpacking);
}

cudaError_t
unpack_blocks(cudaStream_t stream, const Unpacking *unpacking)
{
	switch (unpacking->kind)
	{
		case KIND_UINT1:
			return launch<uint8_t, uint32_t, false>(stream, unpacking);
		case KIND_INT2:
			return launch<uint16_t, uint32_t, false>(stream, unpacking);
		case KIND_INT4:
		case KIND_UINT4:
			return launch<uint32_t, uint32_t, false>(stream, unpacking);
		case KIND_INT8:
			return launch<Wide, Wide, false>(stream, unpacking);
		case KIND_FLOAT4:
			return launch<uint32_t, Wide, true>(stream, unpacking);
		case KIND_FLOAT8:
			return launch<Wide, Wide, true>(stream, unpacking);
	}
	return cudaErrorInvalidValue;
}
