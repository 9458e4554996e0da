/*
 * array_reader.c
 *	  An array datum as a stream of pieces.
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
#include "array/reader_parts.h"
#include "loops/numbers.h"

/* Elements whose positions are told together. */
#define POSITIONS_BLOCK	1024

/* Elements that are copied between two checks for interrupts. */
#define COPY_BLOCK		65536

/* Returns whether the array may have fewer elements than the reader says. */
bool
array_reader_is_filtered(const ArrayReader *reader)
{
	const AbsentArray *absent = reader->absent;

	return absent != NULL && !absent->arrived && absent->staged != NULL &&
		absent->staged->filtered;
}

/* Values in memory, in place. */
static const char *
take_values(ArrayReader *reader, int64 count)
{
	const char *values;

	if (reader->absent != NULL)
		absent_fetch(reader->absent);
	if (reader->at.values == NULL && reader->compressed != NULL)
		reader->at.values = reader->compressed->offset +
			(const char *) compressed_value(reader->compressed);
	values = reader->at.values;
	reader->at.values += count * reader->type.size;
	reader->at.values_at_hand -= count;
	return values;
}

/*
 * Decompresses the value, unless it is not compressed; after that, the pieces
 * come without work.
 */
void
array_reader_decompress(ArrayReader *reader)
{
	(void) take_values(reader, 0);
}

/*
 * The value as it was detoasted to be read, which the caller has to free; NULL
 * if it need not be.
 */
struct varlena *
array_reader_keep_copy(ArrayReader *reader)
{
	struct varlena *copy = NULL;

	if (reader->compressed != NULL)
	{
		copy = compressed_value(reader->compressed);
		reader->compressed->value = NULL;
	}
	else if (reader->stored == NULL)
	{
		copy = reader->copy;
		reader->copy = NULL;
	}
	return copy;
}

/*
 * The next values, and how many of them can be had without reading: none, and
 * NULL, if they are packed, or stored behind a bitmap.  What is compressed is
 * decompressed.
 */
const void *
array_reader_peek(ArrayReader *reader, int64 *count)
{
	*count = reader->at.values_at_hand;
	return *count > 0 ? take_values(reader, 0) : NULL;
}

/* Copies the next element, which is read again after that. */
void
array_reader_copy_next(ArrayReader *reader, char *dest)
{
	ReaderPlace place = reader->at;

	array_reader_copy(reader, dest, 1);
	reader->at = place;
}

/*
 * Values, from memory and then from the TOAST table, or unpacked, into the
 * buffer.
 */
void
reader_read_values(ArrayReader *reader, char *dest, int64 count)
{
	int64		at_hand = Min(count, reader->at.values_at_hand);
	int32		bytes = (count - at_hand) * reader->type.size;

	if (at_hand > 0)
		memcpy(dest, take_values(reader, at_hand),
			   at_hand * reader->type.size);
	if (bytes > 0 && reader->packed != NULL)
		packed_reader_read(reader->packed, reader->packed->begin +
						   reader->at.offset / reader->type.size, count, dest);
	else if (bytes > 0)
		toast_reader_read(reader->stored, reader->at.offset,
						  dest + at_hand * reader->type.size, bytes);
	reader->at.offset += bytes;
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
 * "buffer".  Core takes every byte but 0 for true.  It makes no other than 1,
 * but a binary-coercible cast may.
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

/* As array_reader_next, for elements that may take work. */
const void *
array_reader_read(ArrayReader *reader, void *buffer, int64 count)
{
	const void *piece = buffer;

	Assert(count >= 0 && count <= reader_left(reader));
	if (reader->filled)
		reader_read_filled(reader, buffer, count);
	else if (count <= reader->at.values_at_hand)
		piece = take_values(reader, count);
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

	(void) take_values(reader, at_hand);
	reader->at.offset += (count - at_hand) * reader->type.size;
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
		number_from(buffer, from + 1, count);
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
 * All elements, where they lie or in memory to be freed, of which *copy tells;
 * NULL if there are none.
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

/* No more is read of the stored value. */
void
reader_close_stored(ArrayReader *reader)
{
	if (reader->stored != NULL)
		toast_reader_close(reader->stored);
	reader->stored = NULL;
}

/*
 * Frees the values, which must not be read again.  The bitmap of NULLs stays
 * where it is until array_reader_close.
 */
void
array_reader_free_values(ArrayReader *reader)
{
	reader_close_stored(reader);
	if (reader->packed != NULL)
		packed_reader_close(reader->packed);
	if (reader->compressed != NULL)
		compressed_close(reader->compressed);
	reader->packed = NULL;
	reader->compressed = NULL;
	reader->at.values = NULL;
	reader->at.values_at_hand = 0;
	if (reader->copy != NULL &&
		(reader->nulls == NULL || reader->nulls == reader->nulls_copy))
	{
		pfree(reader->copy);
		reader->copy = NULL;
	}
}

/* As array_reader_close, for a reader that holds something. */
void
array_reader_free(ArrayReader *reader)
{
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
