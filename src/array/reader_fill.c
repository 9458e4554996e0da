/*
 * reader_fill.c
 *	  Elements of an array with values in place of its NULLs.
 */
#include "compat.h"

#include "array/reader_parts.h"

/* The end of the last value from element "from" to before "to", or "from". */
static int64
values_end(const ArrayReader *reader, int64 from, int64 to)
{
	while (to > from && !null_bitmap_is_value(reader->nulls, to - 1))
		to -= to % 8 == 0 && to - from >= 8 &&
			reader->nulls[to / 8 - 1] == 0 ? 8 : 1;
	return to;
}

/*
 * Begins to hand out elements with a value for NULLs, of an array that has
 * NULLs.
 */
void
reader_begin_filled(ArrayReader *reader, NullHandling null_handling,
					const ElementValue *fill)
{
	reader->filled = true;
	reader->filling = null_handling;
	if (fill != NULL)
		memcpy(reader->at.fill, &fill[reader->type.kind], reader->type.size);
	if (null_handling == LATER_NULLS_FILLED ||
		null_handling == NULLS_FILLED_FORWARD)
		reader->at.next = reader->leading_nulls;
	reader->count = reader->nitems - reader->at.next;
	if (null_handling == NULLS_FILLED_BACKWARD)
		reader->count = values_end(reader, 0, reader->nitems);
}

/* Returns whether the next byte's elements are all values. */
static inline bool
are_values(const uint8 *nulls, int64 from, int64 to)
{
	return from % BITS_PER_BYTE == 0 && to - from >= BITS_PER_BYTE &&
		nulls[from / BITS_PER_BYTE] == 0xFF;
}

/*
 * Spreads values over the elements from "from" to before "to", in place: the
 * values stand at the end of the room for the elements.  No value is written
 * over before it is read, as there are never more elements left than room.
 * NULLs get a copy of "fill", or, with "forward", of the element before, which
 * "fill" has between pieces.  There is no branch for an element, as NULLs may be
 * anywhere.
 */
static pg_always_inline void
spread(char *dest, const char *values, const uint8 *nulls, int64 from,
	   int64 to, char *fill, bool forward, int size)
{
	const char *instead = fill;

	while (from < to)
	{
		if (are_values(nulls, from, to))
		{
			memmove(dest, values, BITS_PER_BYTE * size);
			values += BITS_PER_BYTE * size;
			dest += BITS_PER_BYTE * size;
			from += BITS_PER_BYTE;
		}
		else
		{
			const char *sources[] = {instead, values};
			int			is_value = null_bitmap_is_value(nulls, from);

			memmove(dest, sources[is_value], size);
			values += is_value * size;
			dest += size;
			from++;
		}
		if (forward)
			instead = dest - size;
	}
	if (forward)
		memmove(fill, instead, size);
}

/* As spread, with the next value for NULLs; the last element is one. */
static pg_always_inline void
spread_backward(char *dest, const char *values, const uint8 *nulls,
				int64 from, int64 to, int size)
{
	for (; from < to; from++, dest += size)
	{
		memmove(dest, values, size);
		values += null_bitmap_is_value(nulls, from) ? size : 0;
	}
}

static pg_always_inline void
put_copies(char *dest, const char *value, int64 count, int size)
{
	for (int64 i = 0; i < count; i++)
		memcpy(dest + i * size, value, size);
}

/*
 * A piece with the next value for NULLs.  If it ends with NULLs, the value
 * that follows is read ahead, into "fill".
 */
static void
read_filled_backward(ArrayReader *reader, char *buffer, int64 count)
{
	int64		from = reader->at.next;
	int64		to = values_end(reader, from, from + count);
	int64		values = null_bitmap_count_values(reader->nulls, from, to);
	int			size = reader->type.size;
	char	   *packed = buffer + (to - from - values) * size;
	char	   *rest = packed;

	if (values > 0 && reader->at.ahead)
	{
		memcpy(packed, reader->at.fill, size);
		reader->at.ahead = false;
		rest += size;
	}
	reader_read_values(reader, rest, values - (rest - packed) / size);
	CALL_WITH_SIZE(size, spread_backward, buffer, packed, reader->nulls,
				   from, to);
	if (to < from + count && !reader->at.ahead)
	{
		reader_read_values(reader, reader->at.fill, 1);
		reader->at.ahead = true;
	}
	CALL_WITH_SIZE(size, put_copies, buffer + (to - from) * size,
				   reader->at.fill, from + count - to);
}

/* A piece with a value for NULLs. */
void
reader_read_filled(ArrayReader *reader, char *buffer, int64 count)
{
	int64		from = reader->at.next;
	int64		to = from + count;
	int64		values = null_bitmap_count_values(reader->nulls, from, to);
	int			size = reader->type.size;
	char	   *packed = buffer + (count - values) * size;

	if (reader->filling == NULLS_FILLED_BACKWARD)
	{
		read_filled_backward(reader, buffer, count);
		return;
	}
	reader_read_values(reader, packed, values);
	CALL_WITH_SIZE(size, spread, buffer, packed, reader->nulls, from, to,
				   reader->at.fill,
				   reader->filling == NULLS_FILLED_FORWARD);
}
