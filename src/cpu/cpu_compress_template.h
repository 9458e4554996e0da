/*
 * cpu_compress_template.h
 *	  Moves the items whose flags are set, "selected" of them, to adjacent
 *	  places; for cpu_compress.c.
 *
 * Define these before including this file:
 *
 *		COMPRESS_NAME			the function
 *		COMPRESS_ITEM			the type of an item
 *		COMPRESS_LANES			items of a vector
 *		COMPRESS_FLAGS(at)		a vector of as many flags
 *		COMPRESS_VECTOR(i)		the items of "piece" from i on
 *		COMPRESS_ONE(i)			item i
 *		COMPRESS_OP(name)		an instruction on items
 *		COMPRESS_TEST			a mask of the items with bits in common
 */
COMPRESS_TARGET void
COMPRESS_NAME(void *to, const CpuPiece *piece, const uint8_t *flags,
			  int64_t selected)
{
	COMPRESS_ITEM *out = to;
	COMPRESS_ITEM *end = out + selected;
	int64_t		whole = piece->count / COMPRESS_LANES * COMPRESS_LANES;
	int64_t		i;

	for (i = 0; i < whole && out < end; i += COMPRESS_LANES)
	{
		__m512i		set = COMPRESS_FLAGS(flags + i);
		uint32_t	mask = COMPRESS_TEST(set, set);
		__m512i		items = COMPRESS_OP(maskz_compress)
			(mask, COMPRESS_VECTOR(i));
		int			found = __builtin_popcount(mask);

		if (end - out >= COMPRESS_LANES)
			_mm512_storeu_si512(out, items);
		else
			COMPRESS_OP(mask_storeu) (out, (1u << found) - 1, items);
		out += found;
	}
	for (; out < end; i++)
	{
		*out = COMPRESS_ONE(i);
		out += flags[i];
	}
}

#undef COMPRESS_NAME
#undef COMPRESS_ITEM
#undef COMPRESS_LANES
#undef COMPRESS_FLAGS
#undef COMPRESS_VECTOR
#undef COMPRESS_ONE
#undef COMPRESS_OP
#undef COMPRESS_TEST
