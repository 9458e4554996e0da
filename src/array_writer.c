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
static void
set_not_null(bits8 *bitmap, int64 from, int64 to)
{
	for (; from < to && from % 8 != 0; from++)
		bitmap[from / 8] |= 1 << (from % 8);
	if (from < to)
	{
		memset(bitmap + from / 8, 0xFF, (to - from) / 8);
		for (from = to - (to - from) % 8; from < to; from++)
			bitmap[from / 8] |= 1 << (from % 8);
	}
}

/*
 * Begins an array whose shape is known, with "nulls" NULLs at one of its ends;
 * the caller puts the values of the other elements into writer->values.
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
	if (nulls > 0 && placement == NULLS_FIRST)
		set_not_null(ARR_NULLBITMAP(array), nulls, nitems);
	else if (nulls > 0)
		set_not_null(ARR_NULLBITMAP(array), 0, values);

	writer->type = *type;
	writer->array = array;
	writer->values = ARR_DATA_PTR(array);
}

Datum
array_writer_finish(ArrayWriter *writer)
{
	return PointerGetDatum(writer->array);
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
	int			length = (int) Min(most, PG_INT32_MAX);
	int			lbound = 1;

	array_writer_begin(writer, type, 1, &length, &lbound, 0, NULLS_LAST);
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

/* The list, cut to its first "count" values. */
Datum
array_writer_finish_list(ArrayWriter *writer, int64 count)
{
	ArrayType  *array = writer->array;
	Size		size = ARR_OVERHEAD_NONULLS(1) + count * writer->type.size;

	if (count == 0)
	{
		pfree(array);
		return PointerGetDatum(construct_empty_array(writer->type.oid));
	}
	ARR_DIMS(array)[0] = count;
	return PointerGetDatum(cut(array, size));
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
