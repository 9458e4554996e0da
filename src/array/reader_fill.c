/*
 * reader_fill.c
 *	  Elements of an array with values in place of its NULLs.
 */
#include "compat.h"

#include "array/reader_parts.h"
#include "loops/bitmap_moves.h"

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

/* The same by the element behind; the last one is not NULL. */
static pg_always_inline void
repeat_backward(char *elements, const uint8 *nulls, int64 from, int64 to,
				int size)
{
	int64		left = to - 1 - from;

	while (left > 0)
	{
		int64		next = from + left - 1;

		if (left >= BITS_PER_BYTE &&
			are_values(nulls, from + left - BITS_PER_BYTE))
			left -= BITS_PER_BYTE;
		else
		{
			char	   *element = elements + (next - from) * size;
			bool		is_value = null_bitmap_is_value(nulls, next);

			memmove(element, element + (is_value ? 0 : size), size);
			left--;
		}
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
	expand_by_bitmap(buffer, packed, reader->at.fill, reader->nulls, from, to,
					 size);
	CALL_WITH_SIZE(size, repeat_backward, buffer, reader->nulls, from, to);
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
	expand_by_bitmap(buffer, packed, reader->at.fill, reader->nulls, from, to,
					 size);
	if (reader->filling == NULLS_FILLED_FORWARD && count > 0)
	{
		CALL_WITH_SIZE(size, repeat_forward, buffer, reader->nulls, from, to);
		memcpy(reader->at.fill, buffer + (count - 1) * size, size);
	}
}
