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

#include "access/detoast.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "array/array_writer.h"
#include "array/large_value.h"
#include "array/packed_reader.h"
#include "loops/numbers.h"

/* Bytes of the array header, before a bitmap of NULLs if there is one. */
#define HEADER_BYTES(ndim) (sizeof(ArrayType) + 2 * sizeof(int) * (ndim))

/* Frees a chunk, if there is one, and returns NULL. */
static inline void *
freed(void *chunk)
{
	if (chunk != NULL)
		pfree(chunk);
	return NULL;
}

/* The whole datum, if that is what the source has; else NULL. */
static const struct varlena *
reader_load(ArrayReader *reader)
{
	ValueSource *source = reader->source;

	if (reader->whole == NULL && source != NULL &&
		source->methods->load != NULL)
		reader->whole = source->methods->load(source);
	return reader->whole;
}

/*
 * Notes the identity by which an engine may have cached the value, unless the
 * value is small or is not read by pages.  "first" points to its first stored
 * bytes.
 */
static void
identify(ArrayReader *reader, const ToastReader *stored,
		 const struct varlena *attr, const char *first)
{
	ValueIdentity *identity;

	if (reader->size < MIN_KEPT || stored->by_core)
		return;
	StaticAssertStmt(sizeof(varatt_external) == sizeof(identity->key.pointer),
					 "a TOAST pointer has 16 bytes");
	reader->identity = identity = palloc0(sizeof(ValueIdentity));
	identity->key.database = MyDatabaseId;
	identity->key.tag = VARTAG_EXTERNAL(attr);
	memcpy(identity->key.pointer, VARDATA_EXTERNAL(attr),
		   sizeof(identity->key.pointer));
	identity->relation = RelationGetRelid(stored->toastrel);
	identity->value = stored->value;
	identity->block = ItemPointerGetBlockNumber(&stored->first);
	identity->item = ItemPointerGetOffsetNumber(&stored->first);
	identity->xmin = stored->first_xmin;
	identity->nfirst = Min(Min(stored->size, TOAST_MAX_CHUNK_SIZE),
						   IDENTITY_FIRST);
	memcpy(identity->first, first, identity->nfirst);
}

/*
 * A value that is stored: the beginning of an ArrayType, in its first piece; or
 * all of it, if it is compressed and not large.
 */
static ArrayType *
open_stored(ArrayReader *reader, struct varlena *attr, int first_piece)
{
	struct varatt_external pointer;
	ToastReader *stored;
	const char *first;
	int			bytes;

	VARATT_EXTERNAL_GET_POINTER(pointer, attr);
	stored = toast_reader_open(&pointer);
	if (VARATT_EXTERNAL_IS_COMPRESSED(pointer))
	{
		reader->origin = "decompressed";
		reader->size = pointer.va_rawsize;
		reader->source = compressed_source(stored, &pointer, &first);
		identify(reader, stored, attr, first);
		if (reader->size >= MIN_KEPT)
			reader->copy = compressed_source_head(reader->source);
		return (ArrayType *) (reader->copy != NULL ? reader->copy :
							  reader_load(reader));
	}
	bytes = Min(first_piece, stored->size);
	reader->origin = stored->by_core ? "toast slices" : "toast pages";
	reader->size = VARHDRSZ + stored->size;
	reader->source = toast_source(stored, VARHDRSZ + bytes);
	reader->copy = palloc(VARHDRSZ + bytes);
	toast_reader_read(stored, 0, VARDATA(reader->copy), bytes);
	SET_VARSIZE(reader->copy, VARHDRSZ + bytes);
	identify(reader, stored, attr, VARDATA(reader->copy));
	return (ArrayType *) reader->copy;
}

/* Makes a packed array the source of the values. */
static void
begin_packed(ArrayReader *reader, Datum packed)
{
	PackedReader *values = packed_reader_open(packed, ERRCODE_DATA_CORRUPTED);

	reader->source = &values->base;
	reader->origin = "packed";
	reader->size = VARHDRSZ + values->array.length;
	if (values->base.stored != NULL)
		identify(reader, values->base.stored,
				 (struct varlena *) DatumGetPointer(packed), values->head);
}

/*
 * The array of a deferred value, or its part in front of the elements.  Packed
 * elements are unpacked as they are read.  If the length is not known yet, the
 * array is made, unless NULLs are FILTERED.
 */
static const ArrayType *
open_deferred(ArrayReader *reader, DeferredValue *value,
			  NullHandling null_handling)
{
	if (value->packed != (Datum) 0)
	{
		reader->origin = "in place";
		if (value->array == NULL)
			begin_packed(reader, value->packed);
	}
	else
	{
		reader->deferred = value;
		reader->origin = value->stages != NULL ? "streamed" : "on the GPU";
		if (null_handling != NULLS_FILTERED &&
			array_reader_is_filtered(reader))
			(void) deferred_array(value);
	}
	return value->array != NULL ? value->array : value->header;
}

/* The part of open_datum for a value that is not a plain array in memory. */
static ArrayType *
open_extended(ArrayReader *reader, Datum datum, int first_piece,
			  NullHandling null_handling)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);
	DeferredValue *deferred = deferred_find(datum);

	if (deferred != NULL)
		attr = (struct varlena *) open_deferred(reader, deferred,
												null_handling);
	else if (VARATT_IS_SHORT(attr) && !VARATT_IS_EXTERNAL(attr))
	{
		Size		bytes = VARSIZE_SHORT(attr) - VARHDRSZ_SHORT;
		char	   *value = (char *) reader->short_value;

		reader->origin = "unpacked";
		SET_VARSIZE(value, VARHDRSZ + bytes);
		memcpy(value + VARHDRSZ, VARDATA_SHORT(attr), bytes);
		attr = (struct varlena *) value;
	}
	else if (VARATT_IS_EXTERNAL_ONDISK(attr))
		return open_stored(reader, attr, first_piece);
	else if (VARATT_IS_EXTERNAL_EXPANDED(attr))
	{
		AnyArrayType *array = DatumGetAnyArrayP(datum);

		/* An expanded array is flattened once. */
		reader->origin = "in place";
		attr = (struct varlena *) array->xpn.fvalue;
		if (attr == NULL)
		{
			attr = reader->copy = DatumGetArrayTypePCopy(datum);
			reader->origin = "flattened";
		}
	}
	else
	{
		reader->origin = "decompressed";
		attr = reader->copy = detoast_checked(attr);
	}

	reader->size = VARSIZE(attr);
	return (ArrayType *) attr;
}

/*
 * The array in memory: whole, or the first piece of a toasted one, of
 * "first_piece" bytes.
 */
static inline ArrayType *
open_datum(ArrayReader *reader, Datum datum, int first_piece,
		   NullHandling null_handling)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(datum);

	if (VARATT_IS_EXTENDED(attr))
		return open_extended(reader, datum, first_piece, null_handling);
	reader->origin = "in place";
	reader->size = VARSIZE(attr);
	return (ArrayType *) attr;
}

/* The header.  Returns how many bytes there are before the values. */
static inline Size
read_header(ArrayReader *reader, const ArrayType *array)
{
	Size		header;			/* bytes before the values, not aligned */
	Size		offset;
	int			ndim;

	check_array(VARSIZE(array) >= sizeof(ArrayType));
	ndim = ARR_NDIM(array);
	check_array(ndim >= 0 && ndim <= MAXDIM &&
				VARSIZE(array) >= HEADER_BYTES(ndim));
	reader->type = element_type(ARR_ELEMTYPE(array));
	reader->ndim = ndim;
	for (int i = 0; i < ndim; i++)
	{
		reader->dims[i] = ARR_DIMS(array)[i];
		reader->lbounds[i] = ARR_DIMS(array)[ndim + i];
	}
	reader->nitems = shape_items(ndim, reader->dims);
	header = HEADER_BYTES(ndim);
	offset = MAXALIGN(header);
	if (ARR_HASNULL(array))
	{
		header += null_bitmap_bytes(reader->nitems);
		offset = ARR_DATA_OFFSET(array);
		check_array(offset == MAXALIGN(offset) && offset >= header);
	}
	check_array(offset <= reader->size);
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
	const void *whole = reader->source != NULL ? reader_load(reader) :
		reader->copy;

	if (reader->deferred != NULL && array == reader->deferred->header)
	{
		reader->nulls_copy = palloc(bytes);
		null_bitmap_begin_with(reader->nulls_copy,
							   reader->deferred->leading_nulls, to);
		return reader->nulls_copy;
	}
	if (whole == NULL && offset + bytes <= VARSIZE(array))
		return ARR_NULLBITMAP(array);

	reader->nulls_copy = palloc(bytes);
	if (whole != NULL)
		memcpy(reader->nulls_copy, (const char *) whole + offset, bytes);
	else
		reader->source->methods->read(reader->source, offset, bytes,
									  reader->nulls_copy);
	return reader->nulls_copy;
}

static void
set_nulls(ArrayReader *reader, const uint8 *nulls)
{
	NullRun		first = {0};

	reader->nulls = nulls;
	if (null_bitmap_next_run(nulls, reader->nitems, &first) && first.isnull)
		reader->leading_nulls = first.to;
}

/* The bitmap of the elements from "from" to before "to" of another one. */
static const uint8 *
cut_nulls(ArrayReader *reader, const uint8 *nulls, int64 from, int64 to)
{
	uint8	   *copy = palloc(null_bitmap_bytes(to - from));

	null_bitmap_copy(copy, nulls, from, to);
	(void) freed(reader->nulls_copy);
	return reader->nulls_copy = copy;
}

/*
 * Finds the values.  The first one begins "header" bytes after the datum;
 * "before" of them are not wanted.  The values in memory come first.
 */
static inline void
open_values(ArrayReader *reader, const void *datum, Size header, int64 before)
{
	ValueSource *source = reader->source;
	int			size = reader->type.size;
	Size		offset = header + before * size;

	if (source != NULL)
	{
		source->header = header;
		source->begin = before;
		source->count = reader->nvalues;
		source->size = size;
	}
	if (reader->deferred != NULL && reader->deferred->array == NULL)
	{
		reader->offset = offset;
		reader->at.values_at_hand = reader->nvalues;
		return;
	}
	if (source == NULL || source->methods->load != NULL)
		reader->at.values_at_hand = reader->nvalues;
	else if (source->piece > offset)
		reader->at.values_at_hand = Min(reader->nvalues,
										(source->piece - offset) / size);
	reader->at.value = reader->at.values_at_hand;
	if (source != NULL && (source->methods->load != NULL ||
						   reader->at.values_at_hand == 0))
		return;
	reader->at.values = (const char *) datum + offset;
	if (source != NULL && reader->at.value == source->count)
	{
		value_source_close(source);
		reader->source = NULL;
	}
}

/*
 * Finds the values among the elements from "from" to before "to".  Returns how
 * many are before these.
 */
static pg_noinline int64
find_values(ArrayReader *reader, const ArrayType *array, int64 from, int64 to,
			bool counted)
{
	const DeferredValue *deferred = reader->deferred;
	const uint8 *nulls;
	int64		before;

	if (counted && deferred != NULL && array == deferred->header)
	{
		reader->leading_nulls = deferred->leading_nulls;
		reader->nvalues = to - deferred->leading_nulls;
		return 0;
	}
	nulls = open_nulls(reader, array, to);
	before = null_bitmap_count_values(nulls, 0, from);
	reader->nvalues = null_bitmap_count_values(nulls, from, to);
	if (reader->nvalues < reader->nitems)
		set_nulls(reader, from == 0 ? nulls :
				  cut_nulls(reader, nulls, from, to));
	if (counted && reader->nvalues + reader->leading_nulls == reader->nitems)
		reader->nulls = NULL;
	return before;
}

/*
 * Goes to the elements from "from" to before "to", as if the array had no
 * others.  "header" is where the array's values begin.  Returns how many of
 * them are before these elements.
 */
static inline int64
find_elements(ArrayReader *reader, const ArrayType *array, Size header,
			  int64 from, int64 to, bool counted)
{
	int64		before = from;
	Size		offset;

	reader->nitems = reader->nvalues = to - from;
	if (ARR_HASNULL(array))
		before = find_values(reader, array, from, to, counted);
	offset = header + before * reader->type.size;
	check_array(offset <= reader->size &&
				reader->nvalues * reader->type.size <= reader->size - offset);
	return before;
}

/*
 * Notes which bytes of a value that has an identity an engine gets, and what
 * NULLs become.  "before" is the number of values before these.  The value loses
 * its identity if the bytes are few, as for an array of NULLs.
 *
 * NULLs are filled in whole arrays only, so that the bytes say where they are.
 */
static void
identify_values(ArrayReader *reader, int64 before)
{
	ValueIdentity *identity = reader->identity;
	int64		bytes = reader->count * reader->type.size;

	if (bytes < MIN_KEPT)
	{
		reader->identity = freed(identity);
		return;
	}
	identity->key.offset = before * reader->type.size;
	identity->key.booleans = reader->type.base == BOOLOID;
	if (reader->filled)
	{
		identity->key.filling = reader->filling;
		memcpy(identity->key.fill, reader->at.fill, sizeof(reader->at.fill));
	}
	identity->key.bytes = bytes;
}

/*
 * Begins to hand out elements with a value for NULLs, of an array that has
 * NULLs.
 */
static void
begin_filled(ArrayReader *reader, NullHandling null_handling,
			 const ElementValue *fill)
{
	reader->filled = true;
	reader->filling = null_handling;
	if (fill != NULL)
		memcpy(reader->at.fill, &fill[reader->type.kind], reader->type.size);
	if (null_handling == LATER_NULLS_FILLED ||
		null_handling == NULLS_FILLED_FORWARD)
		reader->first = reader->leading_nulls;
	reader->count = reader->nitems - reader->first;
}

/*
 * Begins to read an array, or its elements from the position "first" to "last".
 * Of a stored array, the first piece has "first_piece" bytes.
 */
static pg_always_inline void
open_array(ArrayReader *reader, Datum datum, int first_piece,
		   int64 first, int64 last, NullHandling null_handling,
		   const ElementValue *fill)
{
	ArrayType  *array;
	Size		header;
	int64		before;
	int64		to;

	memset(reader, 0, offsetof(ArrayReader, dims));
	reader->datum = datum;
	array = open_datum(reader, datum, first_piece, null_handling);
	header = read_header(reader, array);
	to = Min(last, reader->nitems);
	before = find_elements(reader, array, header, Min(first - 1, to), to,
						   null_handling == NULLS_FILTERED ||
						   null_handling == NULLS_COUNTED ||
						   null_handling == NULLS_FILLED_WITHIN ||
						   null_handling == LATER_NULLS_FILLED);
	open_values(reader, array, header, before);

	/* Which elements the pieces are made of. */
	reader->count = reader->nvalues;
	if (null_handling > NULLS_COUNTED && reader->nulls != NULL)
		begin_filled(reader, null_handling == NULLS_FILLED_WITHIN ?
					 NULLS_FILLED : null_handling, fill);
	reader->in_memory = !reader->filled && !reader_holds_booleans(reader) &&
		reader->at.values_at_hand == reader->nvalues;
	if (reader->identity != NULL)
		identify_values(reader, before);
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
array_reader_open(ArrayReader *reader, Datum datum, NullHandling null_handling,
				  const ElementValue *fill)
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
	value = open_datum(reader, datum, FIRST_PIECE, NULLS_DROPPED);
	reader->type = byte_type;
	reader->ndim = 1;
	reader->nitems = reader->nvalues = reader->count =
		reader->size - VARHDRSZ;
	open_values(reader, value, VARHDRSZ, 0);
	reader->in_memory = reader->at.values_at_hand == reader->nvalues;
	if (reader->identity != NULL)
		identify_values(reader, 0);
}

/*
 * Begins to read values that are adjacent in memory, as the values of an
 * array.
 */
void
array_reader_open_values(ArrayReader *reader, const ElementType *type,
						 const void *values, int64 count)
{
	memset(reader, 0, offsetof(ArrayReader, dims));
	reader->type = *type;
	reader->ndim = 1;
	reader->origin = "in place";
	reader->nitems = reader->nvalues = reader->count = count;
	reader->at.values = values;
	reader->at.values_at_hand = count;
	reader->in_memory = !reader_holds_booleans(reader);
}

/*
 * The bitmap of NULLs of "nitems" elements from number "from" on.  Returns how
 * many values there are before them.
 */
static int64
open_packed_nulls(ArrayReader *reader, PackedReader *packed, int64 from)
{
	int64		before;

	reader->nulls_copy = palloc(null_bitmap_bytes(reader->nitems));
	packed_reader_nulls(packed, from, reader->nitems,
						reader->nulls_copy, &before, &reader->nvalues);
	if (reader->nvalues < reader->nitems)
		set_nulls(reader, reader->nulls_copy);
	return before;
}

/*
 * Begins to read a packed array, or its elements from the position "first" to
 * "last", as far as there are any.  Of a stored array, only what has to do with
 * these elements is read.
 *
 * Raises XX001 if the array is damaged; also later, when damage is met.
 */
void
array_reader_open_packed(ArrayReader *reader, Datum packed,
						 int64 first, int64 last)
{
	PackedReader *values;
	const PackedArray *array;
	int64		to;
	int64		from;

	memset(reader, 0, offsetof(ArrayReader, dims));
	reader->datum = packed;
	reader->is_packed = true;
	begin_packed(reader, packed);
	values = packed_reader_of(reader->source);
	array = &values->array;
	reader->type = element_type(array->element_type);
	to = Min(Max(last, 0), array->count);
	from = Min(Max(first, 1) - 1, to);
	reader->nitems = reader->nvalues = to - from;
	reader->ndim = reader->nitems > 0 ? 1 : 0;
	reader->dims[0] = (int) reader->nitems;
	reader->lbounds[0] = array->lower_bound;
	values->base.begin = array->nulls > 0 && reader->nitems > 0 ?
		open_packed_nulls(reader, values, from) : from;
	values->base.count = reader->count = reader->nvalues;
	if (reader->identity != NULL)
		identify_values(reader, values->base.begin);
}

/* Begins to read all of a reader's array again, without NULLs. */
void
array_reader_restart(ArrayReader *reader)
{
	array_reader_close(reader);
	if (reader->is_packed)
		array_reader_open_packed(reader, reader->datum, 1, PG_INT32_MAX);
	else
		array_reader_open(reader, reader->datum, NULLS_DROPPED, NULL);
}

/*
 * From now on, reads some blocks of a packed array alone, as if the array had
 * no others; their numbers ascend, and are freed with the reader.
 */
void
array_reader_choose_blocks(ArrayReader *reader, int32 *blocks, int64 nblocks)
{
	packed_reader_choose(packed_reader_of(reader->source), blocks, nblocks);
	reader->count = reader->source->count;
	reader->identity = freed(reader->identity);
}

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
static pg_noinline void
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

/*
 * Booleans as bytes of 0 and 1, because engines add them up: in place, or in
 * "buffer".  To core, every byte but 0 is true.  Core itself makes only 1, but
 * a binary-coercible cast may make others.
 */
static const uint8 *
clean_booleans(const uint8 *booleans, uint8 *buffer, int64 count)
{
	if (are_booleans(booleans, count))
		return booleans;
	for (int64 i = 0; i < count; i++)
		buffer[i] = booleans[i] != 0;
	return buffer;
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
static pg_noinline void
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

/*
 * The next piece of "count" elements; at least "count" are left.  It is in
 * "buffer", or in memory that stays as it is until array_reader_close.
 */
const void *
array_reader_next(ArrayReader *reader, void *buffer, int64 count)
{
	const void *piece = buffer;

	Assert(count >= 0 && count <= reader->count - reader->at.next);
	if (reader->filled)
		read_filled(reader, buffer, reader->first + reader->at.next,
					reader->first + reader->at.next + count);
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
	Assert(count >= 0 && count <= reader->count - reader->at.next);
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
	int64		from = reader->at.position;
	int64		end = from + count;

	if (reader->nulls == NULL)
		number_from(buffer, reader->leading_nulls + from + 1, count);
	else
	{
		end = null_bitmap_values_end(reader->nulls, from, reader->nitems,
									 count);
		(void) null_bitmap_positions(buffer, reader->nulls, from, end);
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

	Assert(count >= 0 && count <= reader->count - reader->at.next);
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
 * in other threads.  A piece is complete once the reader has settled.  "arrays"
 * arrays are read at a time, including this one.  Returns false if there is
 * nothing to gain, or if the elements of a piece are changed here.
 */
bool
array_reader_attach(ArrayReader *reader, SpanSink sink, int arrays)
{
	ValueSource *source = reader->source;

	Assert(!reader->attached && arrays > 0);
	if (source == NULL || source->stored == NULL ||
		reader_holds_booleans(reader) ||
		(source->count - reader->at.value) * source->size < MIN_ATTACHED ||
		(source->methods->prepare != NULL &&
		 !source->methods->prepare(source, fills_forward(reader))))
		return false;
	reader->attached = toast_reader_attach(source->stored, sink,
										   source->methods->part_size, arrays);
	return reader->attached;
}

/*
 * Unpins the pages that are copied already; or if "all", waits until all pieces
 * are there, and no page is pinned.
 */
void
array_reader_settle(ArrayReader *reader, bool all)
{
	if (!reader->attached)
		return;
	toast_reader_settle(reader->source->stored, all);
	if (reader->source->methods->check != NULL)
		reader->source->methods->check(reader->source);
}

/* Ends what array_reader_attach began, once the sink has stopped. */
void
array_reader_detach(ArrayReader *reader)
{
	if (reader->attached)
		toast_reader_detach(reader->source->stored);
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
	reader->source = NULL;
	reader->whole = freed(reader->whole);
	reader->attached = false;
	reader->at.values = NULL;
	reader->at.values_at_hand = 0;
	if (reader->nulls == NULL || reader->nulls == reader->nulls_copy)
		reader->copy = freed(reader->copy);
}

/* Frees what the reader holds.  May be called again. */
void
array_reader_close(ArrayReader *reader)
{
	Assert(!reader->attached);
	array_reader_free_values(reader);
	reader->copy = freed(reader->copy);
	reader->nulls_copy = freed(reader->nulls_copy);
	reader->identity = freed(reader->identity);
}
