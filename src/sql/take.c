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
#include "array/nulls.h"
#include "call/absent_result.h"
#include "call/call.h"

PG_FUNCTION_INFO_V1(gpu_take);

/* Positions between two checks for interrupts: a multiple of 8. */
#define STEP			16384

/* The bits of "count" results, up to eight; a set bit is a value. */
static inline uint8
value_bits(const uint8 *nulls, uint32 nitems, const int32 *positions,
		   int64 count)
{
	uint8		bits = 0;

	for (int i = 0; i < count; i++)
	{
		uint32		element = (uint32) positions[i] - 1;
		bool		exists = element < nitems;

		if (nulls != NULL)
			exists &= null_bitmap_is_value(nulls, exists ? element : 0);
		bits |= exists << i;
	}
	return bits;
}

/*
 * Removes the results that are NULL: where the position is NULL or out of
 * range, or the element is NULL.  Returns how many are left.
 */
static int64
leave_out_nulls(ArrayWriter *writer, const ArrayReader *reader,
				Datum positions)
{
	ArrayReader again;
	const uint8 *nulls = reader->nulls;
	uint32		nitems = (uint32) reader->nitems;
	int32		buffer[STEP];
	int64		next = 0;

	array_reader_open(&again, positions, NULLS_FILLED, NULL);
	while (next < again.nitems)
	{
		int64		count = Min(again.nitems - next, STEP);
		const int32 *position = array_reader_next(&again, buffer, count);

		CHECK_FOR_INTERRUPTS();
		for (int64 i = 0; i < count; i += 8)
			writer->bitmap[(next + i) / 8] =
				value_bits(nulls, nitems, position + i, Min(8, count - i));
		next += count;
	}
	array_reader_close(&again);
	return nulls_pack(writer, next);
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
 * Takes the elements.  Returns how many positions there are not.  If there are
 * any, the results are not left on a device: they need NULLs, so that the
 * elements are taken anew.
 */
static int64
take(EngineRequest *request, ArrayReader *positions, CallTable *table)
{
	EngineResult result = call_engine_table(request, positions, table);
	Datum		datum = positions->datum;

	if (result.errors == 0 || result.resident == 0)
		return result.errors;
	absent_result_drop();
	request->stays = false;
	array_reader_close(positions);
	array_reader_open(positions, datum, NULLS_FILLED, NULL);
	return call_engine_table(request, positions, table).errors;
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
	if (take(&request, &positions, &table) > 0 && !has_nulls)
	{
		ArrayWriter plain = writer;

		has_nulls = true;
		begin_result(&writer, &reader, &positions, true);
		move_bytes(writer.values, plain.values,
				   request.count * reader.type.size);
		pfree(plain.array);
	}
	if (has_nulls)
		nvalues = leave_out_nulls(&writer, &reader, PG_GETARG_DATUM(1));
	call_table_free(&table);
	array_reader_close(&positions);
	return call_end(&reader, array_writer_finish_values(&writer, nvalues));
}
