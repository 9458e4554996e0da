/*
 * cpu_network_template.h
 *	  A sorting network of vectors, for keys of one size.
 *
 * Define these before including this file:
 *
 *	  NETWORK_NAME(x)	the name with a suffix
 *	  NETWORK_KEY		the unsigned integer of a key's size
 *	  NETWORK_LANES		keys of a vector
 *	  NETWORK_TARGET	the processors that have the vectors
 *	  NETWORK_VECTOR	a vector
 *	  NETWORK_LOAD(from, count)		the first keys of a vector; the others are
 *						the greatest key
 *	  NETWORK_STORE(to, x)
 *	  NETWORK_LEAST(x, y), NETWORK_GREATEST(x, y)		of each lane
 *	  NETWORK_SWAP(x, bits)			lane i gets the key of lane i ^ bits
 *	  NETWORK_SELECT(x, y, bit)		NETWORK_GREATEST in lanes whose number has
 *						the bit, NETWORK_LEAST in others
 *	  NETWORK_LOW(x, y), NETWORK_HIGH(x, y)		the keys of x and y in turn: the
 *						first half of them, and the second one
 */
#define NETWORK_INLINE \
	static inline __attribute__((always_inline)) NETWORK_TARGET

/*
 * Compares each key with the key whose number differs from its own in "bits".
 * The lowest bits of a number tell the row.
 */
NETWORK_INLINE void
NETWORK_NAME(step) (NETWORK_VECTOR *rows, int nrows, int bits)
{
	int			row_bits = bits % nrows;
	int			lane_bits = bits / nrows;
	int			highest = lane_bits >= 8 ? 8 : lane_bits >= 4 ? 4 :
		lane_bits >= 2 ? 2 : 1;

#pragma GCC unroll 32
	for (int i = 0; i < nrows; i++)
	{
		int			j = i ^ row_bits;
		NETWORK_VECTOR a = rows[i];
		NETWORK_VECTOR b = rows[j];
		NETWORK_VECTOR swapped_a = NETWORK_SWAP(a, lane_bits);
		NETWORK_VECTOR swapped_b = NETWORK_SWAP(b, lane_bits);

		if (lane_bits == 0 && i < j)
		{
			rows[i] = NETWORK_LEAST(a, b);
			rows[j] = NETWORK_GREATEST(a, b);
		}
		else if (lane_bits > 0 && i <= j)
		{
			rows[i] = NETWORK_SELECT(a, swapped_b, highest);
			if (i < j)
				rows[j] = NETWORK_SELECT(b, swapped_a, highest);
		}
	}
}

/* Merges each two adjacent sorted parts to a part of "size" keys. */
NETWORK_INLINE void
NETWORK_NAME(merge) (NETWORK_VECTOR *rows, int nrows, int size)
{
	if (size > nrows * NETWORK_LANES)
		return;
	NETWORK_NAME(step) (rows, nrows, size - 1);
	if (size >= 256)
		NETWORK_NAME(step) (rows, nrows, 64);
	if (size >= 128)
		NETWORK_NAME(step) (rows, nrows, 32);
	if (size >= 64)
		NETWORK_NAME(step) (rows, nrows, 16);
	if (size >= 32)
		NETWORK_NAME(step) (rows, nrows, 8);
	if (size >= 16)
		NETWORK_NAME(step) (rows, nrows, 4);
	if (size >= 8)
		NETWORK_NAME(step) (rows, nrows, 2);
	if (size >= 4)
		NETWORK_NAME(step) (rows, nrows, 1);
}

/*
 * Shuffles the keys of the first half of the rows with those of the second
 * half, like cards.
 */
NETWORK_INLINE void
NETWORK_NAME(shuffle) (NETWORK_VECTOR *rows, int nrows)
{
	NETWORK_VECTOR shuffled[NETWORK_MAX / NETWORK_LANES];

#pragma GCC unroll 32
	for (int i = 0; i < nrows / 2; i++)
	{
		shuffled[2 * i] = NETWORK_LOW(rows[i], rows[i + nrows / 2]);
		shuffled[2 * i + 1] = NETWORK_HIGH(rows[i], rows[i + nrows / 2]);
	}
#pragma GCC unroll 32
	for (int i = 0; i < nrows; i++)
		rows[i] = shuffled[i];
}

NETWORK_INLINE void
NETWORK_NAME(sort_rows) (NETWORK_KEY *keys, int count, int nrows)
{
	NETWORK_VECTOR rows[NETWORK_MAX / NETWORK_LANES];

#pragma GCC unroll 32
	for (int i = 0; i < nrows; i++)
		rows[i] = NETWORK_LOAD(keys + i * NETWORK_LANES,
							   count - i * NETWORK_LANES);
	NETWORK_NAME(merge) (rows, nrows, 2);
	NETWORK_NAME(merge) (rows, nrows, 4);
	NETWORK_NAME(merge) (rows, nrows, 8);
	NETWORK_NAME(merge) (rows, nrows, 16);
	NETWORK_NAME(merge) (rows, nrows, 32);
	NETWORK_NAME(merge) (rows, nrows, 64);
	NETWORK_NAME(merge) (rows, nrows, 128);
	NETWORK_NAME(merge) (rows, nrows, 256);

	/* Each shuffle moves the highest bit of a key's number to the lowest. */
	for (int shuffled = 1; shuffled < nrows; shuffled *= 2)
		NETWORK_NAME(shuffle) (rows, nrows);
#pragma GCC unroll 32
	for (int i = 0; i < nrows; i++)
		NETWORK_STORE(keys + i * NETWORK_LANES, rows[i]);
}

NETWORK_TARGET static void
NETWORK_NAME(sort) (NETWORK_KEY *keys, int count)
{
	const int	nrows = NETWORK_MAX / NETWORK_LANES;

	if (count <= NETWORK_MAX / 4)
		NETWORK_NAME(sort_rows) (keys, count, nrows / 4);
	else if (count <= NETWORK_MAX / 2)
		NETWORK_NAME(sort_rows) (keys, count, nrows / 2);
	else
		NETWORK_NAME(sort_rows) (keys, count, nrows);
}

#undef NETWORK_INLINE
#undef NETWORK_NAME
#undef NETWORK_KEY
#undef NETWORK_LANES
