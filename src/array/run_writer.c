/*
 * run_writer.c
 *	  A row of arrays, or of runs and of their lengths, in its final place.
 *
 * Core would make a row of arrays by clearing and then copying all of it in one
 * go, in small pages.  Here the arrays are built in the row.  Of runs, the
 * lengths begin behind the room for all values, and move up in the end.
 */
#include "compat.h"

#include "access/tupmacs.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "array/large_value.h"
#include "array/run_writer.h"

/* Where the first array begins in a row without NULLs. */
#define ROW_FIRST_ARRAY	MAXALIGN(SizeofHeapTupleHeader)

/* Runs between two checks for interrupts. */
#define STEP			4096

/*
 * Fills in what is before the arrays of a row that has no NULLs.
 *
 * Raises 54000 if there cannot be a row of "size" bytes.  "elements" is the
 * length of its arrays, for the error message.
 */
static void
row_fill_header(HeapTupleHeader row, Size size, int64 elements, TupleDesc type)
{
	check_row_size(size, elements);
	memset(row, 0, ROW_FIRST_ARRAY);
	HeapTupleHeaderSetDatumLength(row, size);
	HeapTupleHeaderSetTypeId(row, type->tdtypeid);
	HeapTupleHeaderSetTypMod(row, type->tdtypmod);
	ItemPointerSetInvalid(&row->t_ctid);
	HeapTupleHeaderSetNatts(row, type->natts);
	row->t_infomask = HEAP_HASVARWIDTH;
	row->t_hoff = ROW_FIRST_ARRAY;
}

/* Where an array of the row begins, at "size" or behind it. */
static Size
align_array(Size size, TupleDesc type, int column)
{
	return att_align_nominal(size, TupleDescAttr(type, column)->attalign);
}

/*
 * A row of lists of "length" elements each.
 *
 * Raises 54000 if there cannot be such a row.
 */
Datum
row_of_arrays(const RowColumn *columns, int ncolumns, int64 length,
			  TupleDesc type)
{
	HeapTupleHeader row;
	Size		size = ROW_FIRST_ARRAY;

	for (int i = 0; i < ncolumns; i++)
		size = align_array(size, type, i) +
			array_writer_list_size(&columns[i].type, length,
								   length - columns[i].nvalues);
	check_row_size(size, length);
	row = large_value_allocate(size);
	size = ROW_FIRST_ARRAY;
	for (int i = 0; i < ncolumns; i++)
	{
		const RowColumn *column = &columns[i];
		Size		begin = align_array(size, type, i);
		ArrayWriter writer;

		memset((char *) row + size, 0, begin - size);
		array_writer_place_null_list(&writer, (char *) row + begin,
									 &column->type, length,
									 length - column->nvalues);
		if (writer.bitmap != NULL)
			null_bitmap_copy(writer.bitmap, column->bitmap, 0, length);
		move_bytes(writer.values, column->values,
				   column->nvalues * column->type.size);
		(void) array_writer_finish_null_list(&writer, length, column->nvalues);
		size = begin + VARSIZE(writer.array);
	}
	row_fill_header(row, size, length, type);
	return HeapTupleHeaderGetDatum(row);
}

/*
 * Begins a row with room for "most" runs; "nulls" of them have the value NULL.
 * The second array has integers, and is aligned for them.
 *
 * Raises 54000 if there cannot be such arrays.
 */
void
run_writer_begin(RunWriter *writer, const ElementType *type, int64 most,
				 int64 nulls)
{
	Size		second = INTALIGN(ROW_FIRST_ARRAY +
								  array_writer_list_size(type, most, nulls));

	writer->size = second + array_writer_list_size(int4_type, most, 0);
	writer->row = large_value_allocate(writer->size);
	array_writer_place_null_list(&writer->elements,
								 (char *) writer->row + ROW_FIRST_ARRAY,
								 type, most, nulls);
	array_writer_place_null_list(&writer->starts,
								 (char *) writer->row + second,
								 int4_type, most, 0);
	writer->runs = writer->values = 0;
}

/* Adds a run of a value, or of NULLs. */
static pg_always_inline void
put_run(RunWriter *writer, int64 start, const ElementValue *value, int size)
{
	((int32 *) writer->starts.values)[writer->runs] = start;
	if (value != NULL)
	{
		memcpy(writer->elements.values + writer->values * size, value, size);
		null_bitmap_set_value(writer->elements.bitmap, writer->runs);
		writer->values++;
	}
	writer->runs++;
}

/*
 * Of "left" runs of values behind a number of NULLs, adds the runs that start
 * at "last" or before it, STEP at most.  Returns how many it has added.
 */
static pg_always_inline int64
put_runs(RunWriter *writer, const char *values, const int32 *starts,
		 int64 left, int64 nulls, int64 last, int size)
{
	int32	   *to = (int32 *) writer->starts.values + writer->runs;
	int64		most = Min(left, STEP);
	int64		count;

	CHECK_FOR_INTERRUPTS();
	for (count = 0; count < most && starts[count] + nulls <= last; count++)
		to[count] = (int32) (starts[count] + nulls);
	memmove(writer->elements.values + writer->values * size, values,
			count * size);
	null_bitmap_set_values(writer->elements.bitmap, writer->runs,
						   writer->runs + count);
	writer->values += count;
	writer->runs += count;
	return count;
}

/*
 * Puts runs of NULLs between "left" runs of values, which "values" and "starts"
 * have.  A run of values with NULLs in it becomes several runs.
 */
static pg_always_inline void
merge_runs(RunWriter *writer, const ArrayReader *reader,
		   const char *values, const int32 *starts, int64 left, int size)
{
	ElementValue value = {0};	/* of the last run of values */
	NullRun		run = {0};

	while (null_bitmap_next_run(reader->nulls, reader->nitems, &run))
	{
		int64		nulls = run.from - run.values;	/* before it */
		int64		count;

		if (run.isnull)
		{
			put_run(writer, run.from + 1, NULL, size);
			continue;
		}
		if (left == 0 || *starts > run.values + 1)
			put_run(writer, run.from + 1, &value, size);
		while ((count = put_runs(writer, values, starts, left, nulls, run.to,
								 size)) > 0)
		{
			values += count * size;
			starts += count;
			left -= count;
			memcpy(&value, values - size, size);
		}
	}
}

/*
 * Turns the runs among the values into the runs among all elements.  Adjacent
 * NULLs are a run, and end the run of values before them.
 *
 * The runs of values are first moved to the end of the room for all.  No run
 * is overwritten before it is read, because there is always room for the
 * remaining runs.
 */
void
run_writer_merge_nulls(RunWriter *writer, const ArrayReader *reader)
{
	int			size = reader->type.size;
	int64		runs = writer->runs;
	char	   *values = writer->elements.values +
		(reader->nvalues - runs) * size;
	int32	   *starts = (int32 *) writer->starts.values +
		(reader->nitems - runs);

	move_bytes(values, writer->elements.values, runs * size);
	move_bytes(starts, writer->starts.values, runs * sizeof(int32));
	writer->runs = writer->values = 0;
	CALL_WITH_SIZE(size, merge_runs, writer, reader, values, starts, runs);
}

/*
 * Moves the starts next to the elements, and turns them into lengths.  The
 * last run ends with the element before "end".  No start is overwritten before
 * it is read.
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
	for (int64 from = 0; from < writer->runs; from += STEP)
	{
		int64		to = Min(from + STEP, writer->runs - 1);

		CHECK_FOR_INTERRUPTS();
		for (int64 i = from; i < to; i++)
			lengths[i] = starts[i + 1] - starts[i];
	}
	if (writer->runs > 0)
		lengths[writer->runs - 1] = (int32) end - starts[writer->runs - 1];
	(void) array_writer_finish_list(&writer->starts, writer->runs);
}

/*
 * The row, of type "type".  The last run ends with the element before "end".
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
	first_end = ROW_FIRST_ARRAY + VARSIZE(writer->elements.array);
	second = INTALIGN(first_end);
	finish_lengths(writer, second, end);
	size = second + VARSIZE(writer->starts.array);
	row_fill_header(writer->row, size, writer->runs, type);
	memset((char *) writer->row + first_end, 0, second - first_end);
	writer->row = large_value_cut(writer->row, writer->size, size);
	return HeapTupleHeaderGetDatum(writer->row);
}
