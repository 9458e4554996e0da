/*
 * cpu_network_template.h
 *	  A sorting network of vectors of 64 bytes, for keys of one size.
 *
 * Define these before including this file:
 *
 *	  NETWORK_KEY		the unsigned integer of that size
 *	  NETWORK_NAME(x)	the name with the size's suffix
 *	  NETWORK_LANES		keys of a vector
 *	  NETWORK_MASK		the integer with a bit for each lane
 *	  NETWORK_NUMBERS	the vector of the lanes' numbers
 *	  NETWORK_OP(x)		the intrinsic function for lanes of that size
 *	  NETWORK_OPU(x)	the intrinsic function for unsigned lanes
 */

/* Compares lanes with others.  The lanes in "greater" get the greater keys. */
NETWORK_INLINE __m512i
NETWORK_NAME(exchange) (__m512i own, __m512i other, __m512i lanes,
						NETWORK_MASK greater)
{
	other = NETWORK_OP(permutexvar) (lanes, other);
	return NETWORK_OPU(mask_max) (NETWORK_OPU(min) (own, other), greater, own,
								  other);
}

/*
 * Compares each key with the key whose number differs from its own in "bits".
 * The lowest bits of a number tell the row.
 */
NETWORK_INLINE void
NETWORK_NAME(step) (__m512i *rows, int nrows, int bits)
{
	int			row_bits = bits % nrows;
	int			lane_bits = bits / nrows;
	__m512i		lanes = _mm512_xor_si512(NETWORK_OP(set1) (lane_bits),
										 NETWORK_NUMBERS);

	/* Lanes whose number has the highest of lane_bits. */
	NETWORK_MASK greater = (NETWORK_MASK)
		(lane_bits >= 8 ? 0xFF00 : lane_bits >= 4 ? 0xF0F0 :
		 lane_bits >= 2 ? 0xCCCC : 0xAAAA);

#pragma GCC unroll 32
	for (int i = 0; i < nrows; i++)
	{
		int			j = i ^ row_bits;
		__m512i		a = rows[i];
		__m512i		b = rows[j];

		if (lane_bits == 0 && i < j)
		{
			rows[i] = NETWORK_OPU(min) (a, b);
			rows[j] = NETWORK_OPU(max) (a, b);
		}
		else if (lane_bits > 0 && i <= j)
		{
			rows[i] = NETWORK_NAME(exchange) (a, b, lanes, greater);
			if (i < j)
				rows[j] = NETWORK_NAME(exchange) (b, a, lanes, greater);
		}
	}
}

/* Merges each two adjacent sorted parts to a part of "size" keys. */
NETWORK_INLINE void
NETWORK_NAME(merge) (__m512i *rows, int nrows, int size)
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

NETWORK_INLINE void
NETWORK_NAME(sort_rows) (NETWORK_KEY *keys, int count, int nrows)
{
	__m512i		rows[NETWORK_MAX / NETWORK_LANES];

#pragma GCC unroll 32
	for (int i = 0; i < nrows; i++)
	{
		int			left = count - i * NETWORK_LANES;
		unsigned	lanes = left >= NETWORK_LANES ? ~0u :
			left <= 0 ? 0 : (1u << left) - 1;

		rows[i] = NETWORK_OP(mask_loadu) (NETWORK_OP(set1) (-1),
										  (NETWORK_MASK) lanes,
										  keys + i * NETWORK_LANES);
	}
	NETWORK_NAME(merge) (rows, nrows, 2);
	NETWORK_NAME(merge) (rows, nrows, 4);
	NETWORK_NAME(merge) (rows, nrows, 8);
	NETWORK_NAME(merge) (rows, nrows, 16);
	NETWORK_NAME(merge) (rows, nrows, 32);
	NETWORK_NAME(merge) (rows, nrows, 64);
	NETWORK_NAME(merge) (rows, nrows, 128);
	NETWORK_NAME(merge) (rows, nrows, 256);
#pragma GCC unroll 32
	for (int i = 0; i < nrows; i++)
		_mm512_storeu_si512(keys + i * NETWORK_LANES, rows[i]);
}

NETWORK_TARGET int
NETWORK_NAME(cpu_network_sort) (NETWORK_KEY *keys, int count)
{
	const int	row_bits = 31 - __builtin_clz(NETWORK_MAX / 4 / NETWORK_LANES);

	if (count <= NETWORK_MAX / 4)
	{
		NETWORK_NAME(sort_rows) (keys, count, 1 << row_bits);
		return row_bits;
	}
	if (count <= NETWORK_MAX / 2)
	{
		NETWORK_NAME(sort_rows) (keys, count, 2 << row_bits);
		return row_bits + 1;
	}
	NETWORK_NAME(sort_rows) (keys, count, 4 << row_bits);
	return row_bits + 2;
}

#undef NETWORK_KEY
#undef NETWORK_NAME
#undef NETWORK_LANES
#undef NETWORK_MASK
#undef NETWORK_NUMBERS
#undef NETWORK_OP
#undef NETWORK_OPU
