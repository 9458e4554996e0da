/*
 * reader_open.c
 *	  The beginning of an array reader: the header, the NULLs, and where the
 *	  values are.
 */
#include "compat.h"

#include "access/detoast.h"
#include "catalog/pg_class.h"
#include "utils/memutils.h"

#include "array/reader_parts.h"
#include "array/shape.h"

/* Bytes of the array header, before a bitmap of NULLs if there is one. */
#define HEADER_BYTES(ndim) (sizeof(ArrayType) + 2 * sizeof(int) * (ndim))

/* Opens a value that is stored, perhaps compressed. */
ToastReader *
reader_open_stored(const struct varatt_external *pointer)
{
	ToastReader *stored;

	check_array(VARATT_EXTERNAL_GET_EXTSIZE(*pointer) > 0 &&
				VARATT_EXTERNAL_GET_EXTSIZE(*pointer) <=
				MaxAllocSize - VARHDRSZ &&
				pointer->va_rawsize >= VARHDRSZ);
	stored = toast_reader_open(pointer);
	check_array(stored->toastrel->rd_rel->relkind == RELKIND_TOASTVALUE);
	return stored;
}

/*
 * Has core detoast a value.  Core takes for granted that a pointer is of a kind
 * that it knows, and that the relation it names is a TOAST table.
 */
struct varlena *
reader_detoast(struct varlena *attr)
{
	if (VARATT_IS_EXTERNAL_ONDISK(attr))
	{
		struct varatt_external pointer;

		VARATT_EXTERNAL_GET_POINTER(pointer, attr);
		toast_reader_close(reader_open_stored(&pointer));
	}
	else
		check_array(!VARATT_IS_EXTERNAL(attr) ||
					VARATT_IS_EXTERNAL_INDIRECT(attr) ||
					VARATT_IS_EXTERNAL_EXPANDED(attr));
	return detoast_attr(attr);
}

/*
 * The toasted array's first piece, as the beginning of an ArrayType; from
 * then on the value is open, unless the piece is all of it.
 */
static ArrayType *
open_toasted(ArrayReader *reader, const struct varlena *attr, int first_piece)
{
	ToastReader *stored = reader->stored;
	int			bytes = Min(first_piece, stored->size);

	reader->source = stored->pages != NULL ? "toast pages" : "toast slices";
	reader->copy = palloc(VARHDRSZ + bytes);
	toast_reader_read(stored, 0, VARDATA(reader->copy), bytes);
	SET_VARSIZE(reader->copy, VARHDRSZ + bytes);
	reader->size = VARHDRSZ + stored->size;
	reader_identify(reader, stored, attr, VARDATA(reader->copy));
	return (ArrayType *) reader->copy;
}

/*
 * A packed array is unpacked as it is read.  An array whose length is not known
 * yet is fetched, unless the caller takes it as it is.
 */
static void
open_absent(ArrayReader *reader)
{
	AbsentArray *absent = reader->absent;

	if (absent->packed != (Datum) 0)
	{
		reader->source = "in place";
		if (!absent->arrived)
			reader_begin_packed(reader, absent->packed);
		reader->absent = NULL;
		return;
	}
	reader->source = absent->staged != NULL ? "streamed" : "on the GPU";
	if (absent->staged != NULL && absent->staged->filtered &&
		!absent->stays_filtered)
		absent_fetch(absent);
}

/* As open_datum, for a value that is not in memory as it is used. */
static ArrayType *
open_extended(ArrayReader *reader, Datum datum, int first_piece)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);

	if (VARATT_IS_SHORT(attr) && !VARATT_IS_EXTERNAL(attr))
	{
		Size		bytes = VARSIZE_SHORT(attr) - VARHDRSZ_SHORT;
		char	   *value = (char *) reader->short_value;

		reader->source = "unpacked";
		SET_VARSIZE(value, VARHDRSZ + bytes);
		memcpy(value + VARHDRSZ, VARDATA_SHORT(attr), bytes);
		attr = (struct varlena *) value;
	}
	else if (VARATT_IS_EXTERNAL_ONDISK(attr))
	{
		struct varatt_external pointer;

		VARATT_EXTERNAL_GET_POINTER(pointer, attr);
		reader->stored = reader_open_stored(&pointer);
		return VARATT_EXTERNAL_IS_COMPRESSED(pointer) ?
			reader_open_compressed(reader, attr, &pointer) :
			open_toasted(reader, attr, first_piece);
	}
	else if (VARATT_IS_EXTERNAL_EXPANDED(attr))
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
	else
	{
		reader->source = "decompressed";
		attr = reader->copy = reader_detoast(attr);
	}

	reader->size = VARSIZE(attr);
	return (ArrayType *) attr;
}

/*
 * The array in memory: whole, or the first piece of a toasted one, of
 * "first_piece" bytes.
 */
static inline ArrayType *
open_datum(ArrayReader *reader, Datum datum, int first_piece)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);

	if (VARATT_IS_EXTENDED(attr))
		return open_extended(reader, datum, first_piece);
	reader->absent = absent_find(attr);
	if (reader->absent != NULL)
		open_absent(reader);
	else
		reader->source = "in place";
	reader->size = VARSIZE(attr);
	return (ArrayType *) attr;
}

/* The header.  Returns how many bytes there are before the values. */
static inline Size
read_header(ArrayReader *reader, const ArrayType *array)
{
	Size		header;			/* bytes before the values, not aligned */
	Size		offset;

	check_array(VARSIZE(array) >= sizeof(ArrayType) &&
				ARR_NDIM(array) >= 0 && ARR_NDIM(array) <= MAXDIM &&
				VARSIZE(array) >= HEADER_BYTES(ARR_NDIM(array)));
	reader->type = element_type(ARR_ELEMTYPE(array));
	reader->ndim = ARR_NDIM(array);
	for (int i = 0; i < reader->ndim; i++)
	{
		reader->dims[i] = ARR_DIMS(array)[i];
		reader->lbounds[i] = ARR_LBOUND(array)[i];
	}
	reader->nitems = shape_items(reader->ndim, reader->dims);
	header = HEADER_BYTES(reader->ndim);
	if (ARR_HASNULL(array))
		header += null_bitmap_bytes(reader->nitems);
	offset = ARR_DATA_OFFSET(array);
	check_array(offset <= reader->size && offset == MAXALIGN(offset) &&
				offset >= header);
	return offset;
}

/*
 * The bitmap of NULLs up to element "to", which may go on after the first
 * piece.  It is copied out of a copy of the whole array, because that may be
 * freed before the bitmap.
 */
static const uint8 *
open_nulls(ArrayReader *reader, const ArrayType *array, int64 to)
{
	Size		offset = HEADER_BYTES(reader->ndim);
	Size		bytes = null_bitmap_bytes(to);
	bool		is_copy = reader->copy != NULL && reader->stored == NULL;

	if (reader->compressed != NULL)
	{
		array = (ArrayType *) compressed_value(reader->compressed);
		is_copy = true;
	}
	if (!is_copy && offset + bytes <= VARSIZE(array))
		return ARR_NULLBITMAP(array);

	reader->nulls_copy = palloc(bytes);
	if (is_copy)
		memcpy(reader->nulls_copy, (const char *) array + offset, bytes);
	else
		toast_reader_read(reader->stored, offset - VARHDRSZ,
						  reader->nulls_copy, bytes);
	return reader->nulls_copy;
}

/* The bitmap of the elements from "from" to before "to" of another one. */
static const uint8 *
cut_nulls(ArrayReader *reader, const uint8 *nulls, int64 from, int64 to)
{
	uint8	   *copy = palloc(null_bitmap_bytes(to - from));

	null_bitmap_copy(copy, nulls, from, to);
	if (reader->nulls_copy != NULL)
		pfree(reader->nulls_copy);
	return reader->nulls_copy = copy;
}

/*
 * Finds the values, which begin "offset" bytes after the datum does.  The
 * values in memory come first.  A compressed array is decompressed when its
 * values are taken.
 */
static inline void
open_values(ArrayReader *reader, const void *datum, Size offset)
{
	int			size = reader->type.size;

	if (reader->packed != NULL)
	{
		reader_cut_packed(reader, (offset - ARR_DATA_OFFSET(
								(const ArrayType *) datum)) / size);
		return;
	}
	if (reader->stored == NULL)
	{
		if (reader->compressed != NULL)
			reader->compressed->offset = offset;
		else
			reader->at.values = (const char *) datum + offset;
		reader->at.values_at_hand = reader->nvalues;
		return;
	}
	if (VARSIZE(datum) > offset)
	{
		reader->at.values = (const char *) datum + offset;
		reader->at.values_at_hand = Min(reader->nvalues,
										(VARSIZE(datum) - offset) / size);
	}
	reader->at.offset = offset - VARHDRSZ +
		reader->at.values_at_hand * size;
	if (reader->at.values_at_hand == reader->nvalues)
		reader_close_stored(reader);
}

/*
 * Finds the values among the elements from "from" to before "to".  Returns how
 * many are before these.
 */
static pg_noinline int64
find_values(ArrayReader *reader, const ArrayType *array, int64 from, int64 to)
{
	const uint8 *nulls = open_nulls(reader, array, to);
	int64		before = null_bitmap_count_values(nulls, 0, from);
	NullRun		first = {0};

	reader->nvalues = null_bitmap_count_values(nulls, from, to);
	if (reader->nvalues < reader->nitems)
	{
		reader->nulls = from == 0 ? nulls :
			cut_nulls(reader, nulls, from, to);
		if (null_bitmap_next_run(reader->nulls, reader->nitems, &first) &&
			first.isnull)
			reader->leading_nulls = first.to;
	}
	return before;
}

/*
 * Goes to the elements from "from" to before "to", as if the array had no
 * others.  "offset" is where the array's values begin.  Returns where theirs
 * do.
 */
static inline Size
find_elements(ArrayReader *reader, const ArrayType *array, Size offset,
			  int64 from, int64 to)
{
	int64		before = from;

	reader->nitems = reader->nvalues = to - from;
	if (ARR_HASNULL(array))
		before = find_values(reader, array, from, to);
	offset += before * reader->type.size;
	check_array(offset <= reader->size &&
				reader->nvalues * reader->type.size <= reader->size - offset);
	return offset;
}

/*
 * Begins to read an array, or its elements from the position "first" to "last".
 * Of a stored array, the first piece has "first_piece" bytes.
 */
static inline void
open_array(ArrayReader *reader, Datum datum, int first_piece,
		   int64 first, int64 last, NullHandling null_handling,
		   const ElementValue *fill)
{
	ArrayType  *array;
	Size		offset;
	int64		to;

	memset(reader, 0, offsetof(ArrayReader, dims));
	reader->datum = datum;
	array = open_datum(reader, datum, first_piece);
	offset = read_header(reader, array);
	to = Min(last, reader->nitems);
	offset = find_elements(reader, array, offset, Min(first - 1, to), to);
	open_values(reader, array, offset);

	/* Which elements the pieces are made of. */
	reader->count = reader->nvalues;
	if (null_handling != NULLS_DROPPED && reader->nulls != NULL)
		reader_begin_filled(reader, null_handling, fill);
	reader->in_memory = !reader->filled && reader->stored == NULL &&
		reader->packed == NULL && !reader_holds_booleans(reader);
	if (reader->identity != NULL)
		reader_identify_values(reader, offset);
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
	open_array(reader, datum, FIRST_PIECE, 1, PG_INT32_MAX, null_handling,
			   fill);
}

/*
 * Begins to read the elements of a list from the position "first" to "last", as
 * far as there are any, as if they were all and counted from 1.  Of a stored
 * value that is not compressed, only the chunks of the header, of the bitmap of
 * NULLs up to "last", and of these elements are read.
 */
void
array_reader_open_slice(ArrayReader *reader, Datum datum,
						int64 first, int64 last)
{
	open_array(reader, datum, TOAST_MAX_CHUNK_SIZE, Max(first, 1),
			   Max(last, 0), NULLS_DROPPED, NULL);
	if (reader->ndim == 1)
	{
		reader->dims[0] = (int) reader->nitems;
		reader->lbounds[0] = 1;
	}
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

	memset(reader, 0, offsetof(ArrayReader, dims));
	value = open_datum(reader, datum, FIRST_PIECE);
	reader->type = byte_type;
	reader->ndim = 1;
	reader->nitems = reader->nvalues = reader->count =
		reader->size - VARHDRSZ;
	open_values(reader, value, VARHDRSZ);
	reader->in_memory = reader->stored == NULL;
	if (reader->identity != NULL)
		reader_identify_values(reader, VARHDRSZ);
}

/* Begins to read values that are side by side in memory, as their array. */
void
array_reader_open_values(ArrayReader *reader, const ElementType *type,
						 const void *values, int64 count)
{
	memset(reader, 0, offsetof(ArrayReader, dims));
	reader->type = *type;
	reader->ndim = 1;
	reader->source = "in place";
	reader->nitems = reader->nvalues = reader->count = count;
	reader->at.values = values;
	reader->at.values_at_hand = count;
	reader->in_memory = !reader_holds_booleans(reader);
}
