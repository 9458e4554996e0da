/*
 * array_reader.c
 *	  An array datum as a stream of pieces, with values in place of its NULLs or
 *	  without these.
 *
 * Most of the time of a call on a large array goes into making the array:
 * reading it from its TOAST table into fresh memory, page fault by page fault.
 * So a toasted array that is not compressed is never made here.  Its values are
 * read piece by piece into a buffer that the caller reuses.  An array that is
 * in memory already is used in place.  Only a compressed array is detoasted
 * whole, and a large one only when its values are asked for, as an engine may
 * have cached them.
 */
#include "compat.h"

#include "miscadmin.h"

#include "array/large_value.h"
#include "array/array_reader.h"
#include "loops/numbers.h"

/* Elements whose positions are told together. */
#define POSITIONS_BLOCK	1024

/*
 * Fewer bytes of values do not go through a sink.  They are read in less time
 * than it takes to start a thread.
 */
#define MIN_ATTACHED	(64 * 1024)

/* Elements that are copied between two checks for interrupts. */
#define COPY_BLOCK		65536

/* Values in memory, in place. */
static inline const char *
reader_take_values(ArrayReader *reader, int64 count)
{
	const char *values;

	Assert(count <= reader->at.values_at_hand);
	if (reader->at.values == NULL && reader->deferred != NULL)
	{
		const ArrayType *array = deferred_array(reader->deferred);

		if (VARSIZE(array) != reader->size)
			elog(ERROR, "step of a chain returned another array than before");
		reader->at.values = (const char *) array + reader->offset;
	}
	if (reader->at.values == NULL && reader_load(reader) != NULL)
		reader->at.values = (const char *) reader->whole +
			value_source_offset(reader->source, 0);
	values = reader->at.values;
	reader->at.values += count * reader->type.size;
	reader->at.values_at_hand -= count;
	return values;
}

/* Values, from memory and then from the source, into the buffer. */
static void
reader_read_values(ArrayReader *reader, char *dest, int64 count)
{
	int64		at_hand = Min(count, reader->at.values_at_hand);
	int64		rest = count - at_hand;

	if (at_hand > 0)
		memcpy(dest, reader_take_values(reader, at_hand),
			   at_hand * reader->type.size);
	if (rest > 0)
		reader->source->methods->read(reader->source, reader->at.value, rest,
									  dest + at_hand * reader->type.size);
	reader->at.value += rest;
}

/* Returns whether the array may have fewer elements than the reader says. */
bool
array_reader_is_filtered(const ArrayReader *reader)
{
	const DeferredStages *stages = deferred_stages(reader->deferred);

	return stages != NULL && stages->filtered;
}

/*
 * Loads all values, if the source provides them only as a whole.  Returns
 * whether it had to; after that, the pieces come without work.
 */
bool
array_reader_load(ArrayReader *reader)
{
	return reader->whole == NULL && reader_load(reader) != NULL;
}

/*
 * The next values, and how many of them are there without reading: none, and
 * NULL, if they are packed, or stored behind a bitmap.  If the source provides
 * values only as a whole, they are loaded.
 */
const void *
array_reader_peek(ArrayReader *reader, int64 *count)
{
	*count = reader->at.values_at_hand;
	return *count > 0 ? reader_take_values(reader, 0) : NULL;
}

/* Copies the next element, which is read again after that. */
void
array_reader_copy_next(ArrayReader *reader, char *dest)
{
	ReaderPlace place = reader->at;

	Assert(!reader->attached);
	array_reader_copy(reader, dest, 1);
	reader->at = place;
}

/* Returns whether all bytes are 0 or 1. */
static bool
are_clean(const uint8 *booleans, int64 count)
{
	uint64		any = 0;
	int64		i = 0;

	for (; i + (int64) sizeof(any) <= count; i += sizeof(any))
	{
		uint64		eight;

		memcpy(&eight, booleans + i, sizeof(eight));
		any |= eight;
	}
	for (; i < count; i++)
		any |= booleans[i];
	return (any & ~UINT64CONST(0x0101010101010101)) == 0;
}

/*
 * Booleans as bytes of 0 and 1, because engines add them up: in place, or in
 * "buffer".  To core, every byte but 0 is true.  Core itself makes only 1, but
 * a binary-coercible cast may make others.
 */
static const uint8 *
clean_booleans(const uint8 *booleans, uint8 *buffer, int64 count)
{
	if (are_clean(booleans, count))
		return booleans;
	for (int64 i = 0; i < count; i++)
		buffer[i] = booleans[i] != 0;
	return buffer;
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
		.repeat = fills_forward(reader)
	};

	memcpy(spread.fill, reader->at.fill, reader->type.size);
	return spread;
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

#ifdef USE_ASSERT_CHECKING
/* How many elements are left.  Leading NULLs may have been left out. */
static int64
reader_left(const ArrayReader *reader)
{
	bool		forward = reader->filled &&
		(reader->filling == LATER_NULLS_FILLED ||
		 reader->filling == NULLS_FILLED_FORWARD);

	return reader->count - reader->at.next +
		(forward ? reader->leading_nulls : 0);
}
#endif

/* The part of array_reader_next for elements that may take work. */
const void *
array_reader_read(ArrayReader *reader, void *buffer, int64 count)
{
	const void *piece = buffer;

	Assert(count >= 0 && count <= reader_left(reader));
	if (reader->filled)
		read_filled(reader, buffer, reader->at.next,
					reader->at.next + count);
	else if (count <= reader->at.values_at_hand)
		piece = reader_take_values(reader, count);
	else
		reader_read_values(reader, buffer, count);
	reader->at.next += count;
	return reader_holds_booleans(reader) ?
		clean_booleans(piece, buffer, count) : piece;
}

/* Skips "count" elements of an array without NULLs to fill, or of bytes. */
void
array_reader_skip(ArrayReader *reader, int64 count)
{
	int64		at_hand = Min(count, reader->at.values_at_hand);

	Assert(!reader->filled);
	Assert(count >= 0 && count <= reader_left(reader));
	(void) reader_take_values(reader, at_hand);
	reader->at.value += count - at_hand;
	reader->at.next += count;
}

/*
 * The positions of the next "count" values among the array's elements, NULLs
 * included, from 1 on.
 */
const int32 *
array_reader_positions(ArrayReader *reader, int32 *buffer, int64 count)
{
	int32		positions[POSITIONS_BLOCK];
	int32	   *next = buffer;
	int64		from = reader->at.position;
	int64		end = from + count;

	if (reader->nulls == NULL)
		number_from(buffer, reader->leading_nulls + from + 1, count);
	else
		end = null_bitmap_values_end(reader->nulls, from, reader->nitems,
									 count);
	for (int64 to; reader->nulls != NULL && from < end; from = to)
	{
		int64		values;

		to = Min(end, from + POSITIONS_BLOCK);
		values = null_bitmap_positions(positions, reader->nulls, from, to);
		memcpy(next, positions, values * sizeof(int32));
		next += values;
	}
	Assert(end <= reader->nitems);
	reader->at.position = end;
	return buffer;
}

/*
 * Copies the next "count" elements; at least "count" are left.
 */
void
array_reader_copy(ArrayReader *reader, char *dest, int64 count)
{
	int			size = reader->type.size;

	Assert(count >= 0 && count <= reader_left(reader));
	for (int64 block; count > 0; count -= block, dest += block * size)
	{
		const void *elements;

		CHECK_FOR_INTERRUPTS();
		block = Min(COPY_BLOCK, count);
		elements = array_reader_next(reader, dest, block);
		if (elements != dest)
			memcpy(dest, elements, block * size);
	}
}

/*
 * Returns all elements, or NULL if there are none.  If they are not in memory
 * already, *copy is a copy, which the caller frees; otherwise it is NULL.
 */
const char *
array_reader_all(ArrayReader *reader, char **copy)
{
	*copy = NULL;
	if (reader->count == 0)
		return NULL;
	if (reader->in_memory)
		return array_reader_next(reader, NULL, reader->count);
	*copy = large_value_allocate(reader->count * reader->type.size);
	array_reader_copy(reader, *copy, reader->count);
	return *copy;
}

/*
 * From now on, a sink copies the bytes that array_reader_next reads, perhaps
 * in other threads.  A piece is complete after array_reader_drain.  "arrays"
 * arrays are read at a time, including this one.  Returns false if there is
 * nothing to gain, or if the elements of a piece are changed here.
 */
bool
array_reader_attach(ArrayReader *reader, SpanSink *sink, int arrays)
{
	ValueSource *source = reader->source;

	Assert(!reader->attached && arrays > 0);
	if (source == NULL || reader_holds_booleans(reader) ||
		(source->count - reader->at.value) * source->size < MIN_ATTACHED)
		return false;
	reader->attached = source->methods->attach(source, sink, arrays,
											   fills_forward(reader));
	return reader->attached;
}

/* Unpins the pages that are copied already. */
void
array_reader_unpin(ArrayReader *reader)
{
	if (reader->attached)
		reader->source->methods->settle(reader->source, false);
}

/* Waits until all pieces are there; then no page is pinned. */
void
array_reader_drain(ArrayReader *reader)
{
	if (reader->attached)
		reader->source->methods->settle(reader->source, true);
}

/* Ends what array_reader_attach began, once the sink has stopped. */
void
array_reader_detach(ArrayReader *reader)
{
	if (reader->attached)
		value_source_detach(reader->source);
	reader->attached = false;
}

/*
 * Frees the values, which must not be read again.  The bitmap of NULLs stays
 * where it is until array_reader_close.
 */
void
array_reader_free_values(ArrayReader *reader)
{
	if (reader->source != NULL)
		value_source_close(reader->source);
	if (reader->whole != NULL)
		pfree(reader->whole);
	reader->source = NULL;
	reader->whole = NULL;
	reader->attached = false;
	reader->at.values = NULL;
	reader->at.values_at_hand = 0;
	if (reader->copy != NULL &&
		(reader->nulls == NULL || reader->nulls == reader->nulls_copy))
	{
		pfree(reader->copy);
		reader->copy = NULL;
	}
}

/* The part of array_reader_close for a reader that holds something. */
void
array_reader_free(ArrayReader *reader)
{
	Assert(!reader->attached);
	array_reader_free_values(reader);
	if (reader->copy != NULL)
		pfree(reader->copy);
	if (reader->nulls_copy != NULL)
		pfree(reader->nulls_copy);
	if (reader->identity != NULL)
		pfree(reader->identity);
	reader->copy = reader->nulls_copy = NULL;
	reader->identity = NULL;
}
