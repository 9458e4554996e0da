/*
 * rank.c
 *	  The SQL function that ranks the elements of an array.
 *
 * An engine ranks the values.  NULLs are after all of them.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "array/null_bitmap.h"
#include "call/call.h"
#include "contract/operations/sort.h"
#include "loops/bitmap_moves.h"
#include "loops/numbers.h"
#include "sql/operator.h"

PG_FUNCTION_INFO_V1(gpu_rank);

static const char *const method_names[] = {
	[RANK_DENSE] = "dense",
	[RANK_MIN] = "min",
	[RANK_FIRST] = "first"
};

/* Ranks between two checks for interrupts. */
#define STEP			65536

/* The rank of the last value in order. */
static int32
greatest_rank(RankMethod method, const int32 *ranks, int64 count)
{
	return method == RANK_DENSE ? greatest_integer(ranks, count) :
		(int32) count;
}

/*
 * Moves the ranks of the values, which stand at the end of the room for all, to
 * their places among the elements, and ranks the NULLs.
 */
static void
insert_nulls(RankMethod method, const uint8 *nulls, int64 nitems,
			 int64 nvalues, int32 *ranks)
{
	const int32 *values = ranks + (nitems - nvalues);
	int32		rank = greatest_rank(method, values, nvalues) + 1;

	for (int64 from = 0; from < nitems; from += STEP)
	{
		int64		to = Min(from + STEP, nitems);

		CHECK_FOR_INTERRUPTS();
		expand_by_bitmap(ranks + from, values, &rank, nulls, from, to,
						 sizeof(int32));
		values += null_bitmap_count_values(nulls, from, to);
		for (int64 i = from; method == RANK_FIRST && i < to; i++)
		{
			if (!null_bitmap_is_value(nulls, i))
				ranks[i] = rank++;
		}
	}
}

/*
 * gpu_rank(a anyarray, method text) returns integer[]
 *
 * As dense_rank() ('dense'), rank() ('min') or row_number() ('first', equal
 * elements by their position) OVER (ORDER BY x).  NULLs come last, and are
 * equal to each other.  The result has the lower bound of "a".
 *
 * Raises 22023 if there is no such method.
 */
Datum
gpu_rank(PG_FUNCTION_ARGS)
{
	ElementType type = element_type(INT4OID);
	EngineRequest request = {.operation = ENGINE_RANK};
	RankMethod	method;
	ArrayReader reader;
	ArrayWriter writer;

	call_begin("gpu_rank");
	method = (RankMethod) name_argument("method", PG_GETARG_DATUM(1),
										method_names, lengthof(method_names));
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(&writer, &type,
					   reader.ndim, reader.dims, reader.lbounds,
					   0, NULLS_LAST);
	PARAMETERS(&request, SortParameters)->method = method;
	request.count = reader.count;
	request.outputs[0].kind = type.kind;
	request.outputs[0].memory = (int32 *) writer.values +
		(reader.nitems - reader.nvalues);
	request.stays = reader.nulls == NULL;
	call_engine(&request, &reader);
	if (reader.nulls != NULL)
		insert_nulls(method, reader.nulls, reader.nitems, reader.nvalues,
					 (int32 *) writer.values);
	return call_end(&reader, array_writer_finish(&writer));
}
