/*
 * reader_fill.c
 *	  Elements of an array with values in place of its NULLs.
 */
#include "compat.h"

#include "miscadmin.h"

#include "array/element_spread.h"
#include "array/reader_parts.h"

/* Elements that are filled together, in any thread. */
typedef struct FilledPart
{
	SpanBatch	batch;			/* has their values, and maybe more bytes */
	ElementSpread spread;
	bool		forward;		/* the value before NULLs stands for them */
	bool		carries;		/* the batch's first value is before the
								 * elements */
	int64		values;			/* of the elements */
	int			size;			/* of an element */
} FilledPart;

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

static bool
fills_forward(const ArrayReader *reader)
{
	return reader->filling == NULLS_FILLED_FORWARD;
}

/* The elements from "from" to before "to", with a value for NULLs. */
static ElementSpread
element_spread(const ArrayReader *reader, int64 from, int64 to)
{
	ElementSpread spread = {.nulls = reader->nulls, .from = from, .to = to};

	memcpy(spread.fill, reader->at.fill, reader->type.size);
	return spread;
}

/* Spreads values in place, and repeats them forward if they are to be. */
static void
fill_elements(const ElementSpread *spread, char *elements, int64 values,
			  bool forward, int size)
{
	spread_elements(spread, elements, values, size);
	if (forward)
		CALL_WITH_SIZE(size, repeat_forward, elements, spread->nulls,
					   spread->from, spread->to);
}

/* Reads elements that have "values" values, with a value for NULLs. */
static void
fill_here(ArrayReader *reader, char *dest, int64 from, int64 to, int64 values)
{
	ElementSpread spread = element_spread(reader, from, to);
	int			size = reader->type.size;

	reader_read_values(reader, spread_values(&spread, dest, values, size),
					   values);
	fill_elements(&spread, dest, values, fills_forward(reader), size);
	if (fills_forward(reader) && from < to)
		memcpy(reader->at.fill, dest + (to - from - 1) * size, size);
}

/* Copies the first bytes of some spans, but for those to skip. */
static void
copy_beginning(char *dest, const ByteSpan *spans, int nspans, int64 skip,
			   int64 bytes)
{
	for (int i = 0; bytes > 0; i++)
	{
		int64		skipped = Min(skip, spans[i].length);
		int64		length = Min(spans[i].length - skipped, bytes);

		prefetch_span(spans, nspans, i + 1);
		memcpy(dest, (const char *) spans[i].bytes + skipped, length);
		dest += length;
		skip -= skipped;
		bytes -= length;
	}
}

/* Fills a part's elements.  Runs in any thread. */
static bool
fill_part(SpanBatch *batch, char *dest)
{
	FilledPart *part = (FilledPart *) batch;
	int			size = part->size;
	int64		carried = part->carries ? size : 0;

	copy_beginning(part->spread.fill, batch->spans, batch->nspans, 0, carried);
	copy_beginning(spread_values(&part->spread, dest, part->values, size),
				   batch->spans, batch->nspans, carried, part->values * size);
	fill_elements(&part->spread, dest, part->values, part->forward, size);
	return true;
}

/*
 * Has the sink fill some of the elements, which have "values" values.  Returns
 * how many values; or -1 if there is no sink any longer.
 */
static int64
send_part(ArrayReader *reader, char *dest, int64 from, int64 to, int64 values)
{
	FilledPart *part = &reader->parts[reader->nparts % (FEED_STRETCHES + 1)];
	int			size = reader->type.size;
	bool		forward = fills_forward(reader);
	int			carried = forward && from > reader->leading_nulls ? 1 : 0;
	ToastStretch *stretch = toast_reader_next(reader->stored,
											  reader->at.offset -
											  carried * size,
											  (carried + Min(values, 1)) * size,
											  (carried + values) * size);

	if (stretch == NULL)
		return -1;
	*part = (FilledPart)
	{
		.batch = {stretch->spans, stretch->nspans, fill_part},
			.spread = element_spread(reader, from, to), .forward = forward,
			.carries = carried, .values = values, .size = size
	};
	if (stretch->bytes < (carried + values) * size)
	{
		part->values = stretch->bytes / size - carried;
		spread_cut(&part->spread, part->values);
	}
	reader->nparts++;
	toast_reader_send(reader->stored, &part->batch, dest);
	return part->values;
}

/* The same for a packed array. */
static int64
send_packed(ArrayReader *reader, char *dest, int64 from, int64 to,
			int64 values)
{
	ElementSpread spread = element_spread(reader, from, to);
	PackedReader *packed = reader->packed;
	int64		sent = packed_reader_send(packed, packed->begin +
										  reader->at.offset / reader->type.size,
										  values, dest, &spread);

	return sent > 0 ? sent : -1;
}

/* The same for any array; -1, too, if nothing has to be read. */
static int64
send_some(ArrayReader *reader, char *dest, int64 from, int64 to, int64 values)
{
	int64		sent;

	if (values == 0 && !fills_forward(reader))
		return -1;
	sent = reader->packed != NULL ?
		send_packed(reader, dest, from, to, values) :
		send_part(reader, dest, from, to, values);
	if (sent > 0)
		reader->at.offset += sent * reader->type.size;
	return sent;
}

/* Reads the last value anew, as the sink that has read it is gone. */
static void
read_last(ArrayReader *reader)
{
	reader->at.offset -= reader->type.size;
	reader_read_values(reader, reader->at.fill, 1);
}

/*
 * Fills some of the elements, which have "values" values: here, if values are
 * in memory, even if these elements have none, or there is no sink any longer;
 * and else by the sink.  Returns the element behind them.
 */
static int64
fill_some(ArrayReader *reader, char *dest, int64 from, int64 to, int64 values)
{
	bool		in_memory = reader->at.values_at_hand > 0;
	int64		at_hand = Min(values, reader->at.values_at_hand);
	int64		sent = in_memory ? -1 :
		send_some(reader, dest, from, to, values);
	int64		filled = in_memory ? at_hand : sent < 0 ? values : sent;
	int64		end = filled == values ? to :
		null_bitmap_values_end(reader->nulls, from, to, filled);

	if (sent >= 0)
		return end;
	if (!in_memory && fills_forward(reader) && from > reader->leading_nulls)
		read_last(reader);
	fill_here(reader, dest, from, end, filled);
	return end;
}

/* A piece that a sink fills. */
static void
send_filled(ArrayReader *reader, char *dest, int64 from, int64 to)
{
	while (from < to)
	{
		int64		values = null_bitmap_count_values(reader->nulls, from, to);
		int64		end = fill_some(reader, dest, from, to, values);

		dest += (end - from) * reader->type.size;
		from = end;
	}
}

/* Returns whether a sink fills what is read. */
static bool
has_sink(const ArrayReader *reader)
{
	return reader->parts != NULL ||
		(reader->packed != NULL && reader->packed->parts != NULL);
}

/* A piece with a value for NULLs. */
void
reader_read_filled(ArrayReader *reader, char *buffer, int64 count)
{
	int64		from = reader->at.next;
	int64		to = from + count;

	if (reader->filling == NULLS_FILLED_BACKWARD)
		read_filled_backward(reader, buffer, count);
	else if (has_sink(reader))
		send_filled(reader, buffer, from, to);
	else
		fill_here(reader, buffer, from, to,
				  null_bitmap_count_values(reader->nulls, from, to));
}

/*
 * From now on, has a sink fill what is read.  Returns false if it is still
 * filled here.
 */
bool
reader_attach_filled(ArrayReader *reader, SpanSink *sink, int values)
{
	if (reader->filling == NULLS_FILLED_BACKWARD)
		return false;
	if (reader->packed != NULL)
		return !fills_forward(reader) &&
			packed_reader_attach(reader->packed, sink, values);
	if (reader->stored == NULL ||
		!toast_reader_attach(reader->stored, sink, values))
		return false;
	reader->nparts = 0;
	reader->parts = palloc((FEED_STRETCHES + 1) * sizeof(FilledPart));
	return true;
}

/* Ends what reader_attach_filled began, once the sink has stopped. */
void
reader_detach_filled(ArrayReader *reader)
{
	if (reader->parts != NULL)
		pfree(reader->parts);
	reader->parts = NULL;
}
