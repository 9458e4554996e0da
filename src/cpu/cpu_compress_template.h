/*
 * cpu_compress_template.h
 *	  Moves the items whose flags are set, "selected" of them, to adjacent
 *	  places; for cpu_compress.c.
 *
 * Define these before including this file:
 *
 *		COMPRESS_NAME			the function
 *		COMPRESS_TARGET			the processors that have the vectors
 *		COMPRESS_VECTOR			a vector
 *		COMPRESS_ITEM			the type of an item
 *		COMPRESS_LANES			items of a vector
 *		COMPRESS_FLAGS(at)		as many flags, as bits
 *		COMPRESS_ITEMS(i)		the items of "piece" from i on
 *		COMPRESS_ONE(i)			item i
 *		COMPRESS_FRONT(mask, x)	the items of x whose bits are set, at its front
 *		COMPRESS_STORE(to, x)
 *		COMPRESS_STORE_FIRST(to, count, x)	stores the first items alone
 */
static COMPRESS_TARGET void
COMPRESS_NAME(void *to, const CpuPiece *piece, const uint8_t *flags,
			  int64_t selected)
{
	COMPRESS_ITEM *out = to;
	COMPRESS_ITEM *end = out + selected;
	int64_t		whole = piece->count / COMPRESS_LANES * COMPRESS_LANES;
	int64_t		i;

	for (i = 0; i < whole && out < end; i += COMPRESS_LANES)
	{
		uint32_t	mask = COMPRESS_FLAGS(flags + i);
		COMPRESS_VECTOR items = COMPRESS_FRONT(mask, COMPRESS_ITEMS(i));
		int			found = __builtin_popcount(mask);

		if (end - out >= COMPRESS_LANES)
			COMPRESS_STORE(out, items);
		else
			COMPRESS_STORE_FIRST(out, found, items);
		out += found;
	}
	for (; out < end; i++)
	{
		*out = COMPRESS_ONE(i);
		out += flags[i];
	}
}

#undef COMPRESS_NAME
#undef COMPRESS_ITEMS
#undef COMPRESS_ONE
