/*
 * run_writer.c
 *	  A row of two arrays, of runs and of their lengths, in its final place.
 *
 * Core would make a row of two arrays by clearing and then copying all of it
 * in one go, in small pages.  Here both arrays are built in the row: the
 * second one behind the room for the first, from where it moves up in the end.
 */
#include "compat.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "array/large_value.h"
#include "array/run_writer.h"

/* Where the first array begins in the row. */
#define FIRST_ARRAY		MAXALIGN(SizeofHeapTupleHeader)

/*
 * Begins a row with room for so many runs, of which some are sure to be of
 * NULLs.  The second array is of integers, and aligned as these are.
 *
 * Raises 54000 if there cannot be such arrays.
 */
void
run_writer_begin(RunWriter *writer, const ElementType *type, int64 most,
				 int64 nulls)
{
	ElementType int4 = element_type(INT4OID);
	Size		second = INTALIGN(FIRST_ARRAY +
								  array_writer_list_size(type, most, nulls));

	writer->size = second + array_writer_list_size(&int4, most, 0);
	writer->row = large_value_allocate(writer->size);
	array_writer_place_null_list(&writer->elements,
								 (char *) writer->row + FIRST_ARRAY,
								 type, most, nulls);
	array_writer_place_null_list(&writer->starts,
								 (char *) writer->row + second,
								 &int4, most, 0);
	writer->runs = writer->values = 0;
}

/*
 * Moves the starts up to the elements, and makes lengths of them; the last run
 * ends with the element before "end".  None is written over before it is read.
 */
static void
finish_lengths(RunWriter *writer, Size second, int64 end)
{
	const int32 *starts = (int32 *) writer->starts.values;
	ArrayType  *array = (ArrayType *) ((char *) writer->row + second);
	int32	   *lengths;

	memmove(array, writer->starts.array, ARR_OVERHEAD_NONULLS(1));
	writer->starts.array = array;
	writer->starts.values = ARR_DATA_PTR(array);
	lengths = (int32 *) writer->starts.values;
	for (int64 i = 0; i < writer->runs; i++)
	{
		CHECK_FOR_INTERRUPTS();
		lengths[i] = (i + 1 < writer->runs ? starts[i + 1] : end) - starts[i];
	}
	(void) array_writer_finish_list(&writer->starts, writer->runs);
}

/* What is before the arrays of a row that has no NULLs. */
static void
fill_header(HeapTupleHeader row, Size size, TupleDesc type)
{
	memset(row, 0, FIRST_ARRAY);
	HeapTupleHeaderSetDatumLength(row, size);
	HeapTupleHeaderSetTypeId(row, type->tdtypeid);
	HeapTupleHeaderSetTypMod(row, type->tdtypmod);
	ItemPointerSetInvalid(&row->t_ctid);
	HeapTupleHeaderSetNatts(row, type->natts);
	row->t_infomask = HEAP_HASVARWIDTH;
	row->t_hoff = FIRST_ARRAY;
}

/*
 * The row, which is of that type; the last run ends with the element before
 * "end".
 *
 * Raises 54000 if there cannot be such a row.
 */
Datum
run_writer_finish(RunWriter *writer, int64 end, TupleDesc type)
{
	Size		first_end;
	Size		second;
	Size		size;

	(void) array_writer_finish_null_list(&writer->elements, writer->runs,
										 writer->values);
	first_end = FIRST_ARRAY + VARSIZE(writer->elements.array);
	second = INTALIGN(first_end);
	finish_lengths(writer, second, end);
	size = second + VARSIZE(writer->starts.array);
	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("row size exceeds the maximum allowed (%d)",
						(int) MaxAllocSize),
				 errdetail("The result would have two arrays of " INT64_FORMAT
						   " elements.", writer->runs)));

	memset((char *) writer->row + first_end, 0, second - first_end);
	writer->row = large_value_cut(writer->row, writer->size, size);
	fill_header(writer->row, size, type);
	return HeapTupleHeaderGetDatum(writer->row);
}
