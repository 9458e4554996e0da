/*
 * bitmap_moves_template.h
 *	  The moves of whole vectors of 64 bytes, by AVX-512; for bitmaps.c.
 *
 * Define these before including this file:
 *
 *		MOVES_TARGET	the processors that have the instructions
 *		MOVES_ITEM		the type of an element
 *		MOVES_BITS		an integer with a bit for each element of a vector
 *		MOVES_NAME(x)	the name of a function
 *		MOVES_OP(x)		the name of an instruction for such elements
 */
#define MOVES_LANES		((int64_t) (sizeof(__m512i) / sizeof(MOVES_ITEM)))

/* The bits of the next vector. */
static MOVES_TARGET inline MOVES_BITS
MOVES_NAME(bits)(const BitmapMove *move)
{
	MOVES_BITS	bits;

	memcpy(&bits, move->bitmap + move->next / 8, sizeof(bits));
	return bits;
}

/* The first "count" elements; no other memory is read. */
static MOVES_TARGET inline __m512i
MOVES_NAME(load)(const BitmapMove *move, int count)
{
	uint64_t	those = _bzhi_u64(UINT64_MAX, count);

	return MOVES_OP(maskz_loadu) ((MOVES_BITS) those, move->from);
}

static MOVES_TARGET void
MOVES_NAME(expand)(BitmapMove *move, const void *fill)
{
	MOVES_ITEM	one;
	__m512i		fills;

	memcpy(&one, fill, sizeof(one));
	fills = MOVES_OP(set1) (one);
	for (; move->end - move->next >= MOVES_LANES; move->next += MOVES_LANES)
	{
		MOVES_BITS	bits = MOVES_NAME(bits) (move);
		int			found = __builtin_popcountll(bits);
		__m512i		values = MOVES_NAME(load) (move, found);

		_mm512_storeu_si512(move->to,
							MOVES_OP(mask_expand) (fills, bits, values));
		move->from += found * sizeof(MOVES_ITEM);
		move->to += MOVES_LANES * sizeof(MOVES_ITEM);
	}
}

/*
 * A vector is written whole: the next one overwrites what is behind its
 * elements.  So the move ends where there is no room for a vector.
 */
static MOVES_TARGET void
MOVES_NAME(compress)(BitmapMove *move, const char *to_end)
{
	for (; move->end - move->next >= MOVES_LANES &&
		 to_end - move->to >= (int64_t) sizeof(__m512i);
		 move->next += MOVES_LANES)
	{
		MOVES_BITS	bits = MOVES_NAME(bits) (move);
		__m512i		elements = _mm512_loadu_si512(move->from);

		_mm512_storeu_si512(move->to,
							MOVES_OP(maskz_compress) (bits, elements));
		move->to += __builtin_popcountll(bits) * sizeof(MOVES_ITEM);
		move->from += MOVES_LANES * sizeof(MOVES_ITEM);
	}
}

#undef MOVES_TARGET
#undef MOVES_ITEM
#undef MOVES_LANES
#undef MOVES_BITS
#undef MOVES_NAME
#undef MOVES_OP
