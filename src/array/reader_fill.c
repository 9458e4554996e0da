/*
 * reader_fill.c
 *	  Elements of an array with values in place of its NULLs.
 */
#include "compat.h"

#include "miscadmin.h"

#include "array/reader_parts.h"

/* The end of the last value from element "from" to before "to", or "from". */
static int64
values_end(const ArrayReader *reader, int64 from, int64 to)
{
	while (to > from && !null_bitmap_is_value(reader->nulls, to - 1))
	{
		CHECK_FOR_INTERRUPTS();
		to -= to % 8 == 0 && to - from >= 8 &&
			reader->nulls[to / 8 - 1] == 0 ? 8 : 1;
	}
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

static pg_always_inline void
put_copies(char *dest, const char *value, int64 count, int size)
{
	for (int64 i = 0; i < count; i++)
		memcpy(dest + i * size, value, size);
}

static bool
fills_forward(const ArrayReader *reader)
{
	return reader->filling == NULLS_FILLED_FORWARD;
}

/* The elements from "from" to before "to", with a value for NULLs. */
static ElementSpread
element_spread(const ArrayReader *reader, int64 from, int64 to)
{
	ElementSpread spread = {
		.nulls = reader->nulls, .from = from, .to = to,
		.repeat = fills_forward(reader) ? REPEAT_FORWARD :
			reader->filling == NULLS_FILLED_BACKWARD ? REPEAT_BACKWARD :
			REPEAT_NONE
	};

	memcpy(spread.fill, reader->at.fill, reader->type.size);
	return spread;
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
	ElementSpread spread = element_spread(reader, from, to);
	int			size = reader->type.size;
	char	   *packed = spread_values(&spread, buffer, values, size);
	char	   *rest = packed;

	if (values > 0 && reader->at.ahead)
	{
		memcpy(packed, reader->at.fill, size);
		reader->at.ahead = false;
		rest += size;
	}
	reader_read_values(reader, rest, values - (rest - packed) / size);
	spread_elements(&spread, buffer, values, size);
	if (to < from + count && !reader->at.ahead)
	{
		reader_read_values(reader, reader->at.fill, 1);
		reader->at.ahead = true;
	}
	CALL_WITH_SIZE(size, put_copies, buffer + (to - from) * size,
				   reader->at.fill, from + count - to);
}

/* Reads elements that have "values" values, with a value for NULLs. */
static void
fill_here(ArrayReader *reader, char *dest, int64 from, int64 to, int64 values)
{
	ElementSpread spread = element_spread(reader, from, to);
	int			size = reader->type.size;

	reader_read_values(reader, spread_values(&spread, dest, values, size),
					   values);
	spread_elements(&spread, dest, values, size);
	if (fills_forward(reader) && from < to)
		memcpy(reader->at.fill, dest + (to - from - 1) * size, size);
}

/*
 * Makes the sink fill some of the elements, which have *values values.  Sets
 * *values to the number of values that it got.  Returns false if there is no
 * sink any more.
 */
static bool
send_some(ArrayReader *reader, char *dest, int64 from, int64 to, int64 *values)
{
	ElementSpread spread = element_spread(reader, from, to);
	int64		sent = reader->source->methods->send(reader->source,
													 reader->at.value, *values,
													 dest, &spread);

	Assert(reader->at.values_at_hand == 0 && sent <= *values);
	if (sent >= 0)
	{
		reader->at.value += sent;
		*values = sent;
	}
	else if (fills_forward(reader) && reader->at.value > 0)
	{
		/* Only the sink has had the last value. */
		reader->at.value--;
		reader_read_values(reader, reader->at.fill, 1);
	}
	return sent >= 0;
}

/*
 * A piece with a value for NULLs: here as far as values are in memory, even if
 * the piece has none, and behind them by the sink if there is one.
 */
static void
read_filled(ArrayReader *reader, char *dest, int64 from, int64 to)
{
	for (int64 end; from < to; dest += (end - from) * reader->type.size,
		 from = end)
	{
		int64		values = null_bitmap_count_values(reader->nulls, from, to);
		int64		filled = values;
		bool		sent = false;

		if (reader->attached && reader->at.values_at_hand > 0)
			filled = Min(values, reader->at.values_at_hand);
		else if (reader->attached && (values > 0 || fills_forward(reader)))
			sent = send_some(reader, dest, from, to, &filled);
		end = filled == values ? to :
			null_bitmap_values_end(reader->nulls, from, to, filled);
		if (!sent)
			fill_here(reader, dest, from, end, filled);
	}
}

/* A piece with a value for NULLs. */
void
reader_read_filled(ArrayReader *reader, char *buffer, int64 count)
{
	if (reader->filling == NULLS_FILLED_BACKWARD)
		read_filled_backward(reader, buffer, count);
	else
		read_filled(reader, buffer, reader->at.next,
					reader->at.next + count);
}
