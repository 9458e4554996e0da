/*
 * unpack.cu
 *	  Unpacking the blocks of packed arrays: a thread block for each.
 *
 * Each lane of a warp unpacks one lane of a frame, so a row of 32 neighbours
 * is in two rows of words, and is stored as a row.  Each warp has the rows of
 * a quarter of the block, which do not depend on each other: all of their
 * words are loaded at once.  Only differences and runs are added up by all
 * threads. src/packed/packed_unpack.c says what each step reads.
 */
#include "kernels/common/launch.h"
#include "kernels/common/warp.h"
#include "kernels/packed/unpack.h"
#include "kernels/packed/unpack_frame.h"
#include "packed/packed_decimal.h"

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
	typedef typename IntegerOf<T>::Type Integer;
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
