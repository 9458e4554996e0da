/*
 * take.c
 *	  gpu_take: the elements of an array at given positions.
 *
 * An engine gets the positions piece by piece, and the elements as a table in
 * which zeros stand for NULLs, unless it has them already.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "array/large_value.h"
#include "call/call.h"
#include "call/defer.h"
#include "call/null_results.h"
#include "loops/bitmap_take.h"

PG_FUNCTION_INFO_V1(gpu_take);

/* Elements between two checks for interrupts: a multiple of 8. */
#define STEP			65536

/*
 * From LEAST_TAKEN positions on, a GPU that has taken the elements takes less
 * time, as it has the positions already.  As it needs a byte for each element
 * of the array, there has to be a position for every MOST_SKIPPED elements.
 */
#define LEAST_TAKEN		STEP
#define MOST_SKIPPED	8

/* Sets the bits of the positions of elements that are not NULL. */
static void
find_values(const ArrayReader *reader, ArrayReader *positions, uint8 *bitmap)
{
	int32		buffer[STEP / 4];

	while (positions->at.next < positions->nitems)
	{
		int64		from = positions->at.next;
		int64		count = Min(positions->nitems - from, lengthof(buffer));

		CHECK_FOR_INTERRUPTS();
		take_bits(bitmap + from / BITS_PER_BYTE, reader->nulls,
				  (uint32) reader->nitems,
				  array_reader_next(positions, buffer, count), count);
	}
}

/* The same by an engine, which takes booleans as it takes elements. */
static void
take_values(const ArrayReader *reader, ArrayReader *positions, uint8 *bitmap)
{
	ElementType type = element_type(BOOLOID);
	int64		nitems = positions->nitems;
	bool	   *are_values = large_value_allocate(reader->nitems +
												  BITS_PER_BYTE);
	bool	   *taken = large_value_allocate(nitems);
	ArrayReader elements;
	CallTable	table = {&elements, (const char *) are_values};
	EngineRequest request = {
		.operation = ENGINE_TAKE,
		.count = nitems,
		.outputs[0] = {taken, type.kind}
	};

	for (int64 from = 0; from < reader->nitems; from += STEP)
	{
		CHECK_FOR_INTERRUPTS();
		null_bitmap_to_booleans(are_values + from, reader->nulls, from,
								Min(from + STEP, reader->nitems));
	}
	array_reader_open_values(&elements, &type, are_values, reader->nitems);
	(void) call_engine_table(&request, positions, &table);
	pfree(are_values);
	for (int64 from = 0; from < nitems; from += STEP)
	{
		CHECK_FOR_INTERRUPTS();
		null_bitmap_from_booleans(bitmap + from / BITS_PER_BYTE, taken + from,
								  Min(STEP, nitems - from));
	}
	pfree(taken);
}

/*
 * Removes the results that are NULL: where the position is NULL or out of
 * range, or the element is NULL.  Returns how many are left.
 */
static int64
leave_out_nulls(ArrayWriter *writer, const ArrayReader *reader,
				Datum positions, bool on_device)
{
	ArrayReader again;
	int64		nitems;

	array_reader_open(&again, positions, NULLS_FILLED, NULL);
	nitems = again.nitems;
	if (on_device && reader->nulls != NULL && nitems >= LEAST_TAKEN &&
		nitems >= reader->nitems / MOST_SKIPPED)
		take_values(reader, &again, writer->bitmap);
	else
		find_values(reader, &again, writer->bitmap);
	array_reader_close(&again);
	return null_results_leave_out(writer, nitems);
}

/* Begins the result, with room for a bitmap of NULLs or without. */
static void
begin_result(ArrayWriter *writer, const ArrayReader *reader,
			 const ArrayReader *positions, bool has_nulls)
{
	array_writer_begin_filled(writer, &reader->type, positions->ndim,
							  positions->dims, positions->lbounds,
							  has_nulls ? 1 : 0);
}

/*
 * Takes the elements.  The result tells how many positions there are not.  If
 * there are any, the results are not left on a device: they need NULLs, so that
 * the elements are taken anew.
 */
static EngineResult
take(EngineRequest *request, ArrayReader *positions, CallTable *table)
{
	EngineResult result = call_engine_table(request, positions, table);
	Datum		datum = positions->datum;

	if (result.errors == 0 || result.resident == 0)
		return result;
	defer_not();
	request->stays = false;
	array_reader_close(positions);
	array_reader_open(positions, datum, NULLS_FILLED, NULL);
	return call_engine_table(request, positions, table);
}

/*
 * gpu_take(a anyarray, positions integer[]) returns anyarray
 *
 * The element at each position, counted from 1 whatever the lower bound: NULL
 * if there is no such position.  The result has the shape of "positions".
 */
Datum
gpu_take(PG_FUNCTION_ARGS)
{
	EngineRequest request = {.operation = ENGINE_TAKE};
	ArrayReader reader;
	ArrayReader positions;
	ArrayWriter writer;
	CallTable	table = call_table(&reader);
	EngineResult result;
	bool		has_nulls;
	int64		nvalues;

	call_begin("gpu_take");
	call_open_list(&reader, fcinfo, 0, NULLS_FILLED);
	call_open_list(&positions, fcinfo, 1, NULLS_FILLED);
	has_nulls = positions.nitems > 0 &&
		(reader.nulls != NULL || positions.nulls != NULL);
	begin_result(&writer, &reader, &positions, has_nulls);
	request.count = nvalues = positions.nitems;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	request.stays = !has_nulls;
	result = take(&request, &positions, &table);
	if (result.errors > 0 && !has_nulls)
	{
		ArrayWriter plain = writer;

		has_nulls = true;
		begin_result(&writer, &reader, &positions, true);
		move_bytes(writer.values, plain.values,
				   request.count * reader.type.size);
		pfree(plain.array);
	}
	if (has_nulls)
		nvalues = leave_out_nulls(&writer, &reader, PG_GETARG_DATUM(1),
								  result.on_device);
	call_table_free(&table);
	array_reader_close(&positions);
	return call_end(&reader, array_writer_finish_values(&writer, nvalues));
}
