/*
 * take.c
 *	  SQL functions that take the elements of an array at some positions:
 *	  gpu_take at given ones, gpu_slice those next to each other, and gpu_pad
 *	  all, with NULLs behind them.
 *
 * Slices are copied as they are read, on the CPU.  For gpu_take, an engine gets
 * the positions piece by piece.  The elements are its table, with zeros in
 * place of NULLs, unless it has them already.  It also marks the positions that
 * have an element.  If the array has NULLs, a request before this one does
 * that, with the NULL bitmap as its table.
 */
#include "sql/function.h"

#include "contract/operations/take.h"
#include "loops/bitmaps.h"

/* For as few positions, a request to an engine takes longer than their bits. */
#define FEW			256

/*
 * Marks the positions of elements that are not NULL, unless there are no
 * others.  Returns how many others there are.
 */
static int64
find_values(const ArrayReader *reader, ArrayReader *positions, uint8 *found)
{
	EngineRequest request = {
		.operation = ENGINE_TAKE,
		.count = positions->nitems,
		.outputs[0].kind = KIND_UINT1,
		.table = reader->nulls,
		.table_bytes = null_bitmap_bytes(reader->nitems),
		.summary = found,
		.summary_bytes = null_bitmap_bytes(positions->nitems),
		.parameters = PARAMETERS_OF(TakeParameters, .bits = reader->nitems)
	};
	ReaderPlace start = positions->at;
	int64		missing;

	if (request.count <= FEW)
	{
		int32		buffer[FEW];

		take_bits(found, reader->nulls, (uint32) reader->nitems,
				  array_reader_next(positions, buffer, request.count),
				  request.count);
		missing = request.count -
			null_bitmap_count_values(found, 0, request.count);
	}
	else
		missing = call_engine(&request, positions).errors;
	positions->at = start;
	return missing;
}

/* Takes the elements, which need not come here if they "stay". */
static EngineResult
take(EngineRequest *request, ArrayReader *positions, CallTable *table,
	 const ArrayWriter *writer, bool stay)
{
	ReaderPlace start = positions->at;
	EngineResult result;

	request->outputs[0].memory = writer->values;
	request->stays = stay;
	result = call_engine_table(request, positions, table);
	positions->at = start;
	return result;
}

/*
 * The elements of an array, whose reader has a value in place of each NULL, at
 * positions: NULL if there is no such position.  The result has the shape of
 * the positions.
 */
Datum
take_elements(ArrayReader *reader, ArrayReader *positions)
{
	EngineRequest request = {
		.operation = ENGINE_TAKE,
		.count = positions->nitems,
		.outputs[0].kind = reader->type.kind,
		.temporary = positions->nulls != NULL
	};
	int64		nvalues = positions->nitems;
	uint8	   *found = palloc(null_bitmap_bytes(nvalues));
	CallTable	table = call_table(reader);
	ArrayWriter writer;
	EngineResult result;

	if (reader->nulls != NULL)
		request.temporary = find_values(reader, positions, found) > 0;
	else
	{
		request.summary = found;
		request.summary_bytes = null_bitmap_bytes(nvalues);
	}

	/* Results with NULLs do not stay for the next call of a chain. */
	array_writer_begin_filled(&writer, &reader->type, positions,
							  request.temporary);
	result = take(&request, positions, &table, &writer, true);
	if (result.errors > 0 && !request.temporary)
	{
		ArrayWriter plain = writer;

		request.temporary = true;
		array_writer_begin_filled(&writer, &reader->type, positions, 1);
		if (result.on_device && defer_allowed(&request))
		{
			defer_not();
			result = take(&request, positions, &table, &writer, true);
		}
		else
			move_bytes(writer.values, plain.values,
					   nvalues * reader->type.size);
		pfree(plain.array);
	}
	if (request.temporary)
	{
		/* What is NULL is left out, on the device if the results are there. */
		memcpy(writer.bitmap, found, null_bitmap_bytes(nvalues));
		nvalues = result.resident == 0 ? -1 :
			null_results_fetch(&writer, &result);
		if (nvalues < 0 && result.resident != 0)	/* it has lost them */
			(void) take(&request, positions, &table, &writer, false);
		if (nvalues < 0)
			nvalues = null_results_leave_out(&writer);
	}
	pfree(found);
	call_table_free(&table);
	return array_writer_finish_values(&writer, nvalues);
}

/*
 * gpu_take(a anyarray, positions integer[]) returns anyarray
 *
 * The element at each position, counted from 1 whatever the lower bound: NULL
 * if there is no such position.  The result has the shape of "positions".
 */
SQL_CALL_FUNCTION(gpu_take, "gpu_take", 0)
{
	ArrayReader reader;
	ArrayReader positions;
	Datum		result;

	call_open_list(&reader, fcinfo, 0, NULLS_FILLED);
	call_open_list(&positions, fcinfo, 1, NULLS_FILLED);
	result = take_elements(&reader, &positions);
	array_reader_close(&positions);
	return call_end(&reader, result);
}

/*
 * gpu_slice(a anyarray, first integer, last integer) returns anyarray
 *
 * As a[first:last], but positions count from 1 whatever the lower bound.
 */
SQL_CALL_FUNCTION(gpu_slice, "gpu_slice", 0)
{
	ArrayReader reader;

	call_open_slice(&reader, fcinfo, 0, PG_GETARG_INT32(1),
					PG_GETARG_INT32(2));
	call_on_cpu(&reader);
	return call_end_padded(&reader, reader.nitems);
}

/*
 * gpu_pad(a anyarray, n integer) returns anyarray
 *
 * As a || array_fill(NULL::T, ARRAY[n - cardinality(a)]), with lower bound 1.
 *
 * Raises 22023 if n is negative, and 2202E if the array is longer than n.
 */
SQL_CALL_FUNCTION(gpu_pad, "gpu_pad", 0)
{
	int64		n = at_least(0, "n", PG_GETARG_INT32(1),
								 ERRCODE_INVALID_PARAMETER_VALUE);
	ArrayReader reader;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (reader.nitems > n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array is longer than n"),
				 errdetail("It has length " INT64_FORMAT ", and n is " INT64_FORMAT
						   ".", reader.nitems, n),
				 errhint("gpu_slice(a, 1, " INT64_FORMAT ") shortens it.", n)));
	return call_end_padded(&reader, n);
}
