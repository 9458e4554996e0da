/*
 * array_writer.c
 *	  An array, or bytes, that are being built, in their final place.
 *
 * The result is allocated once, at its final or its largest size, and every
 * byte of it is written once.  Page faults would cost more than the writing:
 * so a large result asks for huge pages.
 */
#include "compat.h"

#include <sys/mman.h>

#include "utils/memutils.h"

#include "array_writer.h"

/* The huge page of x86-64 and of arm64 with 4 kB pages. */
#define HUGE_PAGE		((Size) 2 * 1024 * 1024)

/*
 * Asks for huge pages in all of a chunk but its ends.  The kernel may be set
 * not to give any; then nothing is lost but time.
 */
static void
advise_huge_pages(void *chunk, Size size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t	from = TYPEALIGN(HUGE_PAGE, (uintptr_t) chunk);
	uintptr_t	to = TYPEALIGN_DOWN(HUGE_PAGE, (uintptr_t) chunk + size);

	if (from < to)
		(void) madvise((void *) from, to - from, MADV_HUGEPAGE);
#endif
}

static void *
allocate(Size size)
{
	void	   *chunk = palloc(size);

	advise_huge_pages(chunk, size);
	SET_VARSIZE(chunk, size);
	return chunk;
}

static ArrayType *
allocate_array(const ElementType *type, Size overhead, int64 values)
{
	Size		size = overhead + values * type->size;
	ArrayType  *array;

	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)",
						(int) MaxAllocSize),
				 errdetail("The result would have " INT64_FORMAT
						   " elements of %d bytes.", values, type->size)));

	array = allocate(size);
	memset((char *) array + VARHDRSZ, 0, overhead - VARHDRSZ);
	array->elemtype = type->oid;
	return array;
}

/* Marks the elements from "from" to before "to" as not NULL. */
void
array_writer_put_values(ArrayWriter *writer, int64 from, int64 to)
{
	for (; from < to && from % 8 != 0; from++)
		array_writer_put_value(writer, from);
	if (from < to)
	{
		memset(writer->bitmap + from / 8, 0xFF, (to - from) / 8);
		for (from = to - (to - from) % 8; from < to; from++)
			array_writer_put_value(writer, from);
	}
}

/*
 * Begins an array whose shape is known, with "nulls" NULLs; the caller puts the
 * values of the other elements, side by side, into writer->values, and, where
 * NULLs are scattered, says by array_writer_put_values which elements these
 * are.
 *
 * Raises 54000 if there cannot be such an array.
 */
void
array_writer_begin(ArrayWriter *writer, const ElementType *type, int ndim,
				   const int *dims, const int *lbounds,
				   int64 nulls, NullPlacement placement)
{
	int64		nitems = ArrayGetNItems(ndim, dims);
	int64		values = nitems - nulls;
	Size		overhead = nulls > 0 ?
		ARR_OVERHEAD_WITHNULLS(ndim, nitems) : ARR_OVERHEAD_NONULLS(ndim);
	ArrayType  *array = allocate_array(type, overhead, values);

	array->ndim = ndim;
	array->dataoffset = nulls > 0 ? overhead : 0;
	memcpy(ARR_DIMS(array), dims, ndim * sizeof(int));
	memcpy(ARR_LBOUND(array), lbounds, ndim * sizeof(int));

	writer->type = *type;
	writer->array = array;
	writer->bitmap = ARR_NULLBITMAP(array);
	writer->values = ARR_DATA_PTR(array);
	if (nulls > 0 && placement == NULLS_FIRST)
		array_writer_put_values(writer, nulls, nitems);
	else if (nulls > 0 && placement == NULLS_LAST)
		array_writer_put_values(writer, 0, values);
}

Datum
array_writer_finish(ArrayWriter *writer)
{
	return PointerGetDatum(writer->array);
}

/*
 * Cuts a value to its first bytes.  What is cut off a large one goes back to
 * the system; a large chunk shrinks where it is.
 */
static void *
cut(void *value, Size size)
{
	if (VARSIZE(value) - size >= HUGE_PAGE)
		value = repalloc(value, size);
	SET_VARSIZE(value, size);
	return value;
}

/*
 * The array in the shape that it has now, cut to its first "nvalues" values;
 * without a bitmap, if these are all of its elements.
 */
Datum
array_writer_finish_values(ArrayWriter *writer, int64 nvalues)
{
	ArrayType  *array = writer->array;
	int			ndim = ARR_NDIM(array);
	int64		nitems = ArrayGetNItems(ndim, ARR_DIMS(array));
	bool		nulls = nvalues < nitems;
	Size		overhead = nulls ?
		ARR_OVERHEAD_WITHNULLS(ndim, nitems) : ARR_OVERHEAD_NONULLS(ndim);
	Size		bytes = nvalues * writer->type.size;

	array->dataoffset = nulls ? overhead : 0;
	if (ARR_DATA_PTR(array) != writer->values)
		memmove(ARR_DATA_PTR(array), writer->values, bytes);
	return PointerGetDatum(cut(array, overhead + bytes));
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

/*
 * The same with "most" elements at most, of which so many are NULLs, scattered.
 */
void
array_writer_begin_null_list(ArrayWriter *writer, const ElementType *type,
							 int64 most, int64 nulls)
{
	int			length = (int) Min(most, PG_INT32_MAX);
	int			lbound = 1;

	array_writer_begin(writer, type, 1, &length, &lbound,
					   nulls, NULLS_SCATTERED);
}

/* The list, cut to its first "count" values. */
Datum
array_writer_finish_list(ArrayWriter *writer, int64 count)
{
	return array_writer_finish_null_list(writer, count, count);
}

/* The list, cut to its first "count" elements, with so many values. */
Datum
array_writer_finish_null_list(ArrayWriter *writer, int64 count, int64 nvalues)
{
	if (count == 0)
	{
		pfree(writer->array);
		return PointerGetDatum(construct_empty_array(writer->type.oid));
	}
	ARR_DIMS(writer->array)[0] = count;
	return array_writer_finish_values(writer, nvalues);
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
	writer->array = allocate(VARHDRSZ + most);
	writer->values = VARDATA(writer->array);
}

/* Its first "count" bytes. */
Datum
array_writer_finish_bytes(ArrayWriter *writer, int64 count)
{
	return PointerGetDatum(cut(writer->array, VARHDRSZ + count));
}
