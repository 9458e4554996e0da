/*
 * element_spread.c
 *	  Values that are spread over an array's elements, with values for NULLs.
 */
#include "compat.h"

#include "array/element.h"
#include "array/element_spread.h"
#include "loops/bitmap_moves.h"

/* Returns whether "from" is the first of eight values in one byte. */
static inline bool
are_values(const uint8 *nulls, int64 from)
{
	return from % BITS_PER_BYTE == 0 && nulls[from / BITS_PER_BYTE] == 0xFF;
}

/*
 * Replaces NULLs by the element before, from element "from" to before "to".
 * The first one is not NULL, or has been replaced.  There is no branch for an
 * element, as NULLs may be anywhere.
 */
static pg_always_inline void
repeat_forward(char *elements, const uint8 *nulls, int64 from, int64 to,
			   int size)
{
	int64		next = from + 1;

	while (next < to)
	{
		if (to - next >= BITS_PER_BYTE && are_values(nulls, next))
			next += BITS_PER_BYTE;
		else
		{
			char	   *element = elements + (next - from) * size;
			bool		is_value = null_bitmap_is_value(nulls, next);

			memmove(element, element - (is_value ? 0 : size), size);
			next++;
		}
	}
}

/* Spreads the values in place.  Runs in any thread. */
void
spread_elements(const ElementSpread *spread, char *elements, int64 values,
				int size)
{
	expand_by_bitmap(elements, spread_values(spread, elements, values, size),
					 spread->fill, spread->nulls, spread->from, spread->to,
					 size);
	if (spread->repeat)
		CALL_WITH_SIZE(size, repeat_forward, elements, spread->nulls,
					   spread->from, spread->to);
}
