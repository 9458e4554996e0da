/*
 * array_writer.c
 *	  An array, or bytes, that are being built, in their final place.
 *
 * The result is allocated once, at its final or its largest size, and every
 * byte of it is written once.
 */
#include "compat.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "array/array_writer.h"
#include "array/large_value.h"

void		(*array_check_null_of) (Oid domain);

/* The size of an array's header and bitmap. */
static Size
array_overhead(int ndim, int64 nitems, int64 nulls)
{
	return nulls > 0 ?
		ARR_OVERHEAD_WITHNULLS(ndim, nitems) : ARR_OVERHEAD_NONULLS(ndim);
}

/* The size of an array.  Raises 54000 if it exceeds the limits of arrays. */
static inline Size
array_size(const ElementType *type, int ndim, int64 nitems, int64 nulls)
{
	int64		values = nitems - nulls;
	Size		size = array_overhead(ndim, nitems, nulls) +
		values * type->size;

	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)",
						(int) MaxAllocSize),
				 errdetail("The result would have " INT64_FORMAT
						   " elements of %d bytes.", values, type->size)));
	return size;
}

/*
 * Begins an array of "nitems" elements, and of "size" bytes, in a place that
 * has room for it.
 */
static inline void
begin_in(ArrayWriter *writer, void *place, Size size, const ElementType *type,
		 int ndim, const int *dims, const int *lbounds,
		 int64 nitems, int64 nulls, NullPlacement placement)
{
	ArrayType  *array = place;
	Size		overhead = array_overhead(ndim, nitems, nulls);

	Assert(nulls >= 0 && nulls <= nitems);

	/* Only behind a bitmap there are bytes that nobody sets. */
	if (nulls > 0 && placement != NULLS_FIRST)
		memset(array, 0, overhead);
	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->dataoffset = nulls > 0 ? overhead : 0;
	array->elemtype = type->oid;
	for (int i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = dims[i];
		ARR_LBOUND(array)[i] = lbounds[i];
	}

	writer->type = *type;
	writer->leading_nulls = 0;
	writer->array = array;
	writer->bitmap = ARR_NULLBITMAP(array);
	writer->values = ARR_DATA_PTR(array);
}

/* "filled" leaves room for a value in place of each NULL. */
static pg_always_inline void
begin(ArrayWriter *writer, const ElementType *type, int ndim, const int *dims,
	  const int *lbounds, int64 nulls, NullPlacement placement, bool filled)
{
	int64		nitems = shape_items(ndim, dims);
	Size		size = array_size(type, ndim, nitems, nulls);

	writer->room = size + (filled ? nulls * type->size : 0);
	begin_in(writer, large_value_allocate(writer->room), size, type,
			 ndim, dims, lbounds, nitems, nulls, placement);
	if (placement == NULLS_FIRST)
		writer->leading_nulls = nulls;
	else if (nulls > 0 && placement == NULLS_LAST)
		null_bitmap_set_values(writer->bitmap, 0, nitems - nulls);
}

/*
 * Begins an array of the shape of another one, with "nulls" NULLs.  The caller
 * puts the values of the other elements, side by side, into writer->values.  If
 * NULLs are scattered, the caller sets the bits of these elements in
 * writer->bitmap.  If they come first, a value that is deferred does without
 * the bitmap.
 *
 * Raises 54000 if there cannot be such an array.
 */
void
array_writer_begin(ArrayWriter *writer, const ElementType *type,
				   const ArrayReader *shape, int64 nulls,
				   NullPlacement placement)
{
	begin(writer, type, shape->ndim, shape->dims, shape->lbounds, nulls,
		  placement, false);
}

/*
 * Begins an array with a value for each element that a reader hands out, and
 * with NULL for the others.
 */
void
array_writer_begin_like(ArrayWriter *writer, const ElementType *type,
						const ArrayReader *reader)
{
	int64		nulls = reader->nitems - reader->count;

	array_writer_begin(writer, type, reader, nulls, reader->nulls == NULL ?
					   NULLS_FIRST : NULLS_SCATTERED);
	if (nulls > 0 && reader->nulls != NULL)
		null_bitmap_copy(writer->bitmap, reader->nulls, 0, reader->nitems);
}

/*
 * Like array_writer_begin, but leaves room for a value in place of each NULL.
 */
void
array_writer_begin_filled(ArrayWriter *writer, const ElementType *type,
						  const ArrayReader *shape, int64 nulls)
{
	begin(writer, type, shape->ndim, shape->dims, shape->lbounds, nulls,
		  NULLS_SCATTERED, true);
}

/*
 * Raises the error of core for a NULL in the text of an array, if the elements
 * are of a domain that forbids NULL: 23502 or 23514.
 */
static void
check_null(const ElementType *type)
{
	if (type->oid != type->base)
		array_check_null_of(type->oid);
}

/* Puts the bitmap into an array that begins with NULLs, and has room for it. */
void
array_put_leading_nulls(ArrayType *array, int64 nulls)
{
	uint8	   *bitmap = ARR_NULLBITMAP(array);
	int64		nitems = shape_items(ARR_NDIM(array), ARR_DIMS(array));

	Assert(bitmap != NULL && nulls <= nitems);

	/* Fewer bytes than these are behind the bitmap. */
	memset(ARR_DATA_PTR(array) - MAXIMUM_ALIGNOF, 0, MAXIMUM_ALIGNOF);
	null_bitmap_begin_with(bitmap, nulls, nitems);
}

/* Raises 23502 or 23514 if a NULL is no value of the array's domain. */
void
array_writer_check(const ArrayWriter *writer)
{
	if (ARR_HASNULL(writer->array))
		check_null(&writer->type);
}

/* The array.  Raises what array_writer_check does. */
Datum
array_writer_finish(ArrayWriter *writer)
{
	ArrayType  *array = writer->array;

	array_writer_check(writer);
	if (writer->leading_nulls > 0)
		array_put_leading_nulls(array, writer->leading_nulls);
	return PointerGetDatum(array);
}

/* The value, cut to its first bytes. */
static Datum
finish_cut(ArrayWriter *writer, Size size)
{
	Assert(writer->room == 0 || size <= writer->room);
	if (writer->room > 0)
		writer->array = large_value_cut(writer->array, writer->room, size);
	SET_VARSIZE(writer->array, size);
	return PointerGetDatum(writer->array);
}

/*
 * The array in its current shape, cut to its first "nvalues" values; without a
 * bitmap if all elements are values.
 *
 * Raises what array_writer_finish does.
 */
Datum
array_writer_finish_values(ArrayWriter *writer, int64 nvalues)
{
	ArrayType  *array = writer->array;
	int			ndim = ARR_NDIM(array);
	int64		nitems = shape_items(ndim, ARR_DIMS(array));
	Size		overhead = array_overhead(ndim, nitems, nitems - nvalues);
	Size		bytes = nvalues * writer->type.size;

	Assert(nvalues >= 0 && nvalues <= nitems);
	Assert(writer->leading_nulls == 0);
	Assert(writer->bitmap != NULL || nvalues == nitems);
	if (nvalues < nitems)
		check_null(&writer->type);
	array->dataoffset = nvalues < nitems ? overhead : 0;
	if (ARR_DATA_PTR(array) != writer->values)
		move_bytes(ARR_DATA_PTR(array), writer->values, bytes);
	return finish_cut(writer, overhead + bytes);
}

/*
 * Begins an array of one dimension with "most" values at most.
 *
 * Raises 54000 if there cannot be such an array.
 */
void
array_writer_begin_list(ArrayWriter *writer, const ElementType *type,
						int64 most)
{
	array_writer_begin_null_list(writer, type, most, 0);
}

/* Begins a list of "most" elements at most, "nulls" of them NULL, anywhere. */
void
array_writer_begin_null_list(ArrayWriter *writer, const ElementType *type,
							 int64 most, int64 nulls)
{
	int			length = (int) Min(most, PG_INT32_MAX);
	int			lbound = 1;

	begin(writer, type, 1, &length, &lbound, nulls, NULLS_SCATTERED, false);
}

/*
 * The size of a list of "most" elements, "nulls" of them NULL.
 *
 * Raises 54000 if it exceeds the limits of arrays.
 */
Size
array_writer_list_size(const ElementType *type, int64 most, int64 nulls)
{
	int			length = (int) Min(most, PG_INT32_MAX);

	return array_size(type, 1, shape_items(1, &length), nulls);
}

/* Begins the list inside a value of the caller's, which has room for it. */
void
array_writer_place_null_list(ArrayWriter *writer, void *place,
							 const ElementType *type,
							 int64 most, int64 nulls)
{
	int			length = (int) most;
	int			lbound = 1;

	begin_in(writer, place, array_writer_list_size(type, most, nulls), type,
			 1, &length, &lbound, most, nulls, NULLS_SCATTERED);
	writer->room = 0;
}

/* The list, cut to its first "count" values. */
Datum
array_writer_finish_list(ArrayWriter *writer, int64 count)
{
	return array_writer_finish_null_list(writer, count, count);
}

/* The list, cut to its first "count" elements, "nvalues" of them values. */
Datum
array_writer_finish_null_list(ArrayWriter *writer, int64 count, int64 nvalues)
{
	Assert(ARR_NDIM(writer->array) == 1 &&
		   count <= ARR_DIMS(writer->array)[0]);
	if (count > 0)
		ARR_DIMS(writer->array)[0] = count;
	else
		ARR_NDIM(writer->array) = 0;
	return array_writer_finish_values(writer, nvalues);
}

/*
 * The list, cut to its first "nvalues" values, and one NULL behind them if the
 * list was begun with one.
 */
Datum
array_writer_finish_null_last(ArrayWriter *writer, int64 nvalues)
{
	bool		null = writer->bitmap != NULL;

	if (null)
		null_bitmap_set_values(writer->bitmap, 0, nvalues);
	return array_writer_finish_null_list(writer, nvalues + null, nvalues);
}

/*
 * Raises 54000 if "size" exceeds the size of a datum, for a row of arrays of
 * "elements" elements each.
 */
void
check_row_size(Size size, int64 elements)
{
	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("row size exceeds the maximum allowed (%d)",
						(int) MaxAllocSize),
				 errdetail("The result would have arrays of " INT64_FORMAT
						   " elements.", elements)));
}

/*
 * Begins a bytea or a text with "most" bytes at most.
 *
 * Raises 54000 if there cannot be such a value.
 */
void
array_writer_begin_bytes(ArrayWriter *writer, int64 most)
{
	if (!AllocSizeIsValid(VARHDRSZ + most))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("string size exceeds the maximum allowed (%d)",
						(int) (MaxAllocSize - VARHDRSZ)),
				 errdetail("The result would have " INT64_FORMAT " bytes.",
						   most)));
	writer->room = VARHDRSZ + most;
	writer->array = large_value_allocate(writer->room);
	writer->values = VARDATA(writer->array);
}

/* The bytea or text, cut to its first "count" bytes. */
Datum
array_writer_finish_bytes(ArrayWriter *writer, int64 count)
{
	return finish_cut(writer, VARHDRSZ + count);
}
