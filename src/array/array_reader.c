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

#include "access/detoast.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "array/large_value.h"
#include "array/reader_parts.h"

/*
 * Fewer stored bytes do not go through a sink.  They are read in less time than
 * it takes to start a thread.
 */
#define MIN_ATTACHED	(64 * 1024)

/*
 * The first bytes of an array, which are prefetched.  The processor itself
 * prefetches the bytes that follow.
 */
#define PREFETCHED		1024
#define CACHE_LINE		64

/* Elements that are copied between two checks for interrupts. */
#define COPY_BLOCK		65536

/* Bytes of the array header, before a bitmap of NULLs if there is one. */
#define HEADER_BYTES(ndim) (sizeof(ArrayType) + 2 * sizeof(int) * (ndim))

static bool
holds_booleans(const ArrayReader *reader)
{
	return reader->type.base == BOOLOID;
}

static void
close_stored(ArrayReader *reader)
{
	if (reader->stored != NULL)
		toast_reader_close(reader->stored);
	reader->stored = NULL;
}

/*
 * The toasted array's first piece, as the beginning of an ArrayType; from
 * then on the value is open, unless the piece is all of it.
 */
static ArrayType *
open_toasted(ArrayReader *reader, const struct varlena *attr)
{
	ToastReader *stored = reader->stored;
	int			bytes = Min(FIRST_PIECE, stored->size);

	reader->source = stored->pages != NULL ? "toast pages" : "toast slices";
	reader->copy = palloc(VARHDRSZ + bytes);
	toast_reader_read(stored, 0, VARDATA(reader->copy), bytes);
	SET_VARSIZE(reader->copy, VARHDRSZ + bytes);
	reader->size = VARHDRSZ + stored->size;
	reader_identify(reader, attr, VARDATA(reader->copy));
	return (ArrayType *) reader->copy;
}

/*
 * Fetches the beginning of a value, which mostly is of a row that is not in the
 * processor's cache yet, while the call begins.
 */
static void
prefetch(const struct varlena *attr)
{
	int			bytes = Min(VARSIZE(attr), PREFETCHED);

	for (int i = CACHE_LINE; i < bytes; i += CACHE_LINE)
		__builtin_prefetch((const char *) attr + i);
}

/*
 * An array whose length is not known yet is fetched, unless the caller takes it
 * as it is.
 */
static void
open_absent(ArrayReader *reader)
{
	AbsentArray *absent = reader->absent;

	reader->source = absent->staged != NULL ? "streamed" : "on the GPU";
	if (absent->staged != NULL && absent->staged->filtered &&
		!absent_may_be_filtered)
		absent_fetch(absent);
}

/*
 * The array in memory: whole, or the first piece of a toasted one.
 */
static ArrayType *
open_datum(ArrayReader *reader, Datum datum)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);

	if (VARATT_IS_EXTERNAL_ONDISK(attr))
	{
		struct varatt_external pointer;
		Relation	toastrel;

		VARATT_EXTERNAL_GET_POINTER(pointer, attr);
		check_array(VARATT_EXTERNAL_GET_EXTSIZE(pointer) > 0 &&
					VARATT_EXTERNAL_GET_EXTSIZE(pointer) <=
					MaxAllocSize - VARHDRSZ &&
					pointer.va_rawsize >= VARHDRSZ);
		reader->stored = toast_reader_open(&pointer);
		toastrel = reader->stored->toastrel;
		check_array(RELKIND_HAS_TABLE_AM(toastrel->rd_rel->relkind));
		return VARATT_EXTERNAL_IS_COMPRESSED(pointer) ?
			reader_open_compressed(reader, attr, &pointer) :
			open_toasted(reader, attr);
	}

	if (VARATT_IS_EXTERNAL_EXPANDED(attr))
	{
		AnyArrayType *array = DatumGetAnyArrayP(datum);

		/* An expanded array is flattened once. */
		reader->source = "in place";
		attr = (struct varlena *) array->xpn.fvalue;
		if (attr == NULL)
		{
			attr = reader->copy = DatumGetArrayTypePCopy(datum);
			reader->source = "flattened";
		}
	}
	else if (VARATT_IS_EXTENDED(attr))
	{
		reader->source = VARATT_IS_EXTERNAL(attr) || !VARATT_IS_SHORT(attr) ?
			"decompressed" : "unpacked";
		attr = reader->copy = detoast_attr(attr);
	}
	else if ((reader->absent = absent_find(attr)) != NULL)
		open_absent(reader);
	else
	{
		reader->source = "in place";
		prefetch(attr);
	}

	reader->size = VARSIZE(attr);
	return (ArrayType *) attr;
}

/*
 * The bitmap of NULLs, which may go on after the first piece.
 */
static const uint8 *
open_nulls(ArrayReader *reader, ArrayType *array)
{
	Size		offset = HEADER_BYTES(reader->ndim);
	Size		bytes = null_bitmap_bytes(reader->nitems);

	check_array(offset + bytes <= reader->size);
	if (offset + bytes <= VARSIZE(array))
		return ARR_NULLBITMAP(array);

	reader->nulls_copy = palloc(bytes);
	toast_reader_read(reader->stored, offset - VARHDRSZ, reader->nulls_copy,
					  bytes);
	return reader->nulls_copy;
}

/*
 * Finds the values, which begin "offset" bytes after the datum does.  The
 * values in memory come first.  A compressed array is decompressed when its
 * values are taken.
 */
static void
open_values(ArrayReader *reader, const void *datum, Size offset)
{
	int			size = reader->type.size;

	if (reader->compressed != NULL)
	{
		reader->compressed->offset = offset;
		reader->at.values_at_hand = reader->nvalues;
		return;
	}
	if (VARSIZE(datum) > offset)
	{
		reader->at.values = (const char *) datum + offset;
		reader->at.values_at_hand = Min(reader->nvalues,
										(VARSIZE(datum) - offset) / size);
	}
	reader->at.toast_offset = offset - VARHDRSZ +
		reader->at.values_at_hand * size;
	if (reader->at.values_at_hand == reader->nvalues)
		close_stored(reader);
}

/*
 * Begins to read an array.  "fill" has, for each kind of element, the value
 * that stands for NULLs, and is not looked at where none does; NULL is one of
 * all zeros.
 *
 * Raises an error if the array is not well formed, or of a type that is not
 * supported.  What is opened here is closed by array_reader_close, or by the
 * end of the transaction.
 */
void
array_reader_open(ArrayReader *reader, Datum datum,
				  NullHandling null_handling, const ElementValue *fill)
{
	ArrayType  *array;
	Size		header;			/* bytes before the values, not aligned */
	Size		offset;
	NullRun		first = {0};
	int			size;

	memset(reader, 0, sizeof(*reader));
	reader->datum = datum;
	array = open_datum(reader, datum);

	check_array(VARSIZE(array) >= sizeof(ArrayType) &&
				ARR_NDIM(array) >= 0 && ARR_NDIM(array) <= MAXDIM &&
				VARSIZE(array) >= HEADER_BYTES(ARR_NDIM(array)));
	reader->type = element_type(ARR_ELEMTYPE(array));
	size = reader->type.size;

	reader->ndim = ARR_NDIM(array);
	for (int i = 0; i < reader->ndim; i++)
	{
		reader->dims[i] = ARR_DIMS(array)[i];
		reader->lbounds[i] = ARR_LBOUND(array)[i];
	}
	reader->nitems = ArrayGetNItems(reader->ndim, reader->dims);
	reader->nvalues = reader->nitems;
	header = HEADER_BYTES(reader->ndim);
	if (ARR_HASNULL(array))
	{
		if (reader->compressed != NULL)
			array = (ArrayType *) compressed_value(reader->compressed);
		header += null_bitmap_bytes(reader->nitems);
		reader->nulls = open_nulls(reader, array);
		reader->nvalues = null_bitmap_count_values(reader->nulls, 0,
												   reader->nitems);
		if (reader->nvalues == reader->nitems)
			reader->nulls = NULL;
		else if (null_bitmap_next_run(reader->nulls, reader->nitems, &first) &&
				 first.isnull)
			reader->leading_nulls = first.to;
	}

	offset = ARR_DATA_OFFSET(array);
	check_array(offset <= reader->size && offset == MAXALIGN(offset) &&
				offset >= header &&
				reader->nvalues * size <= reader->size - offset);
	open_values(reader, array, offset);

	/* Which elements the pieces are made of. */
	reader->count = reader->nvalues;
	if (null_handling != NULLS_DROPPED && reader->nulls != NULL)
		reader_begin_filled(reader, null_handling, fill);
	reader->in_memory = !reader->filled && reader->stored == NULL &&
		!holds_booleans(reader);
	reader_identify_values(reader, offset);
}

/* Returns whether the array may have fewer elements than the reader says. */
bool
array_reader_is_filtered(const ArrayReader *reader)
{
	const AbsentArray *absent = reader->absent;

	return absent != NULL && !absent->arrived && absent->staged != NULL &&
		absent->staged->filtered;
}

/*
 * Begins to read a bytea or a text, as an array of its bytes.
 */
void
array_reader_open_bytes(ArrayReader *reader, Datum datum)
{
	static const ElementType byte_type = {
		.oid = BYTEAOID, .kind = KIND_UINT1, .size = 1
	};
	const void *value;

	memset(reader, 0, sizeof(*reader));
	value = open_datum(reader, datum);
	reader->type = byte_type;
	reader->ndim = 1;
	reader->nitems = reader->nvalues = reader->count =
		reader->size - VARHDRSZ;
	open_values(reader, value, VARHDRSZ);
	reader->in_memory = reader->stored == NULL;
	reader_identify_values(reader, VARHDRSZ);
}

/*
 * Begins to read values that are side by side in memory, as an array of them;
 * booleans are 0 or 1.
 */
void
array_reader_open_values(ArrayReader *reader, const ElementType *type,
						 const void *values, int64 count)
{
	memset(reader, 0, sizeof(*reader));
	reader->type = *type;
	reader->ndim = 1;
	reader->source = "in place";
	reader->nitems = reader->nvalues = reader->count = count;
	reader->at.values = values;
	reader->at.values_at_hand = count;
	reader->in_memory = true;
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
 * The next values, and how many of them can be had without reading.  What is
 * compressed is decompressed.
 */
const void *
array_reader_peek(ArrayReader *reader, int64 *count)
{
	*count = reader->at.values_at_hand;
	return take_values(reader, 0);
}

/* Values, from memory and then from the TOAST table, into the buffer. */
void
reader_read_values(ArrayReader *reader, char *dest, int64 count)
{
	int64		at_hand = Min(count, reader->at.values_at_hand);
	int32		bytes = (count - at_hand) * reader->type.size;

	if (at_hand > 0)
		memcpy(dest, take_values(reader, at_hand),
			   at_hand * reader->type.size);
	if (bytes > 0)
		toast_reader_read(reader->stored, reader->at.toast_offset,
						  dest + at_hand * reader->type.size, bytes);
	reader->at.toast_offset += bytes;
}

/*
 * Booleans as bytes of 0 and 1, because engines add them up: in place, or in
 * "buffer".  Core takes every byte but 0 for true.  It makes no other than 1,
 * but a binary-coercible cast may.
 */
static const uint8 *
clean_booleans(const uint8 *booleans, uint8 *buffer, int64 count)
{
	uint8		any = 0;

	for (int64 i = 0; i < count; i++)
		any |= booleans[i];
	if (any <= 1)
		return booleans;
	for (int64 i = 0; i < count; i++)
		buffer[i] = booleans[i] != 0;
	return buffer;
}

/*
 * From now on, lets array_reader_next have a sink copy what it reads.  A piece
 * is complete after array_reader_drain.  "values" arrays are read at a time,
 * this one included.  Returns false if there is nothing to gain, or if the
 * elements of a piece are changed here.
 */
bool
array_reader_attach(ArrayReader *reader, SpanSink *sink, int values)
{
	return reader->stored != NULL && !reader->filled &&
		!holds_booleans(reader) &&
		reader->stored->size - reader->at.toast_offset >= MIN_ATTACHED &&
		toast_reader_attach(reader->stored, sink, values);
}

/* Unpins the pages that are copied already. */
void
array_reader_unpin(ArrayReader *reader)
{
	if (reader->stored != NULL)
		toast_reader_unpin(reader->stored);
}

/* Waits until all pieces are there; then no page is pinned. */
void
array_reader_drain(ArrayReader *reader)
{
	if (reader->stored != NULL)
		toast_reader_drain(reader->stored);
}

/* Ends what array_reader_attach began, once the sink has stopped. */
void
array_reader_detach(ArrayReader *reader)
{
	if (reader->stored != NULL)
		toast_reader_detach(reader->stored);
}

/*
 * The next piece of "count" elements; at least "count" are left.  It is in
 * "buffer", or in memory that stays as it is until array_reader_close.
 */
const void *
array_reader_next(ArrayReader *reader, void *buffer, int64 count)
{
	const void *piece = buffer;

	if (reader->filled)
		reader_read_filled(reader, buffer, count);
	else if (count <= reader->at.values_at_hand)
		piece = take_values(reader, count);
	else
		reader_read_values(reader, buffer, count);
	reader->at.next += count;
	return holds_booleans(reader) ?
		clean_booleans(piece, buffer, count) : piece;
}

/* Skips "count" elements of an array without NULLs to fill, or of bytes. */
void
array_reader_skip(ArrayReader *reader, int64 count)
{
	int64		at_hand = Min(count, reader->at.values_at_hand);

	(void) take_values(reader, at_hand);
	reader->at.toast_offset += (count - at_hand) * reader->type.size;
	reader->at.next += count;
}

/*
 * The positions of the next "count" values among the array's elements, NULLs
 * included, from 1 on.
 */
const int32 *
array_reader_positions(ArrayReader *reader, int32 *buffer, int64 count)
{
	const uint8 *nulls = reader->nulls;
	int64		position = reader->at.position;

	for (int64 i = 0; i < count; i++)
	{
		while (nulls != NULL && !null_bitmap_is_value(nulls, position))
			position += position % 8 == 0 && nulls[position / 8] == 0 ? 8 : 1;
		buffer[i] = ++position;
	}
	reader->at.position = position;
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

/* Frees what the reader holds.  May be called again. */
void
array_reader_close(ArrayReader *reader)
{
	close_stored(reader);
	if (reader->copy != NULL)
		pfree(reader->copy);
	if (reader->nulls_copy != NULL)
		pfree(reader->nulls_copy);
	if (reader->compressed != NULL)
		compressed_close(reader->compressed);
	if (reader->identity != NULL)
		pfree(reader->identity);
	reader->copy = reader->nulls_copy = NULL;
	reader->compressed = NULL;
	reader->identity = NULL;
}
