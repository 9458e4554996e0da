/*
 * cpu_compress_where_template.h
 *	  Moves the integers that a predicate selects to adjacent places, in one
 *	  pass; for cpu_compress.c, which has defined what cpu_compress_template.h
 *	  needs, and ELEMENTS.
 *
 * Vectors are stored whole, so "to" has room for one behind the results.
 *
 * Define these before including this file:
 *
 *		WHERE_NAME				the function
 *		WHERE_BITS				an element as an unsigned integer
 *		WHERE_ALL(x)			a vector with x in all lanes
 *		WHERE_MASK(x, low, span)	a bit for each lane where x - low, unsigned,
 *								is at most span
 */
static COMPRESS_TARGET int64_t
WHERE_NAME(void *to, const CpuPiece *piece, const EnginePredicate *predicate)
{
	COMPRESS_ITEM *out = to;
	const COMPRESS_ITEM *elements = piece->data[0];
	WHERE_BITS low = (WHERE_BITS) predicate->low;
	WHERE_BITS span = (WHERE_BITS) predicate->span;
	COMPRESS_VECTOR lows = WHERE_ALL(low);
	COMPRESS_VECTOR spans = WHERE_ALL(span);
	uint32_t	outside = predicate->outside ? (1u << COMPRESS_LANES) - 1 : 0;
	int64_t		whole = piece->count / COMPRESS_LANES * COMPRESS_LANES;
	int64_t		i;

	for (i = 0; i < whole; i += COMPRESS_LANES)
	{
		COMPRESS_VECTOR items = ELEMENTS(i);
		uint32_t	mask = WHERE_MASK(items, lows, spans) ^ outside;

		COMPRESS_STORE(out, COMPRESS_FRONT(mask, items));
		out += __builtin_popcount(mask);
	}
	for (; i < piece->count; i++)
	{
		*out = elements[i];
		out += ((WHERE_BITS) ((WHERE_BITS) elements[i] - low) <= span) !=
			predicate->outside;
	}
	return out - (COMPRESS_ITEM *) to;
}

#undef WHERE_NAME
#undef WHERE_BITS
#undef WHERE_ALL
#undef WHERE_MASK
