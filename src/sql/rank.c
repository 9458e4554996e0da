/*
 * rank.c
 *	  The SQL functions that rank the elements of an array.
 *
 * An engine ranks the values.  NULLs are after all of them.
 */
#include "compat.h"

#include "miscadmin.h"

#include "call/call.h"
#include "contract/operations/sort.h"
#include "loops/bitmap_moves.h"
#include "loops/numbers.h"
#include "sql/operator.h"

PG_FUNCTION_INFO_V1(gpu_rank);
PG_FUNCTION_INFO_V1(gpu_rank_avg);

static const char *const method_names[] = {
	[RANK_DENSE] = "dense",
	[RANK_MIN] = "min",
	[RANK_MAX] = "max",
	[RANK_FIRST] = "first"
};

/* Ranks between two checks for interrupts. */
#define STEP			65536

/* The rank of NULLs, or of the first of them, behind "count" values. */
static int32
null_rank(RankMethod method, const int32 *ranks, int64 count, int64 nitems)
{
	switch (method)
	{
		case RANK_DENSE:
			return greatest_integer(ranks, count) + 1;
		case RANK_MAX:
			return nitems;
		case RANK_SUM:
			return count + 1 + nitems;
		default:
			return count + 1;
	}
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
	int32		rank = null_rank(method, values, nvalues, nitems);

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
 * Ranks the elements of an array.  The ranks are the last ones that the room
 * for results holds.
 */
static void
rank_elements(ArrayReader *reader, RankMethod method, int32 *ranks, bool stays)
{
	EngineRequest request = {
		.operation = ENGINE_RANK,
		.count = reader->count,
		.outputs[0] = {ranks + array_reader_nulls(reader), KIND_INT4},
		.stays = stays && reader->nulls == NULL,
		.parameters = PARAMETERS_OF(SortParameters, .method = method)
	};

	call_engine(&request, reader);
	if (reader->nulls != NULL)
		insert_nulls(method, reader->nulls, reader->nitems, reader->nvalues,
					 ranks);
}

/* Opens the array, and begins a result of the same shape. */
static void
begin_ranks(FunctionCallInfo fcinfo, Oid result, ArrayReader *reader,
			ArrayWriter *writer)
{
	ElementType type = element_type(result);

	call_open_list(reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(writer, &type, reader, 0, NULLS_LAST);
}

/*
 * gpu_rank(a anyarray, method text) returns integer[]
 *
 * As dense_rank() ('dense'), rank() ('min') or row_number() ('first', equal
 * elements by their position) OVER (ORDER BY x); or, as pandas and SciPy, the
 * greatest row_number() of equal elements ('max').  NULLs come last, and are
 * equal to each other.  The result has the lower bound of "a".
 *
 * Raises 22023 if there is no such method.
 */
Datum
gpu_rank(PG_FUNCTION_ARGS)
{
	RankMethod	method;
	ArrayReader reader;
	ArrayWriter writer;

	call_begin("gpu_rank");
	method = (RankMethod) name_argument("method", "gpu_rank",
										PG_GETARG_DATUM(1), method_names,
										lengthof(method_names));
	begin_ranks(fcinfo, INT4OID, &reader, &writer);
	rank_elements(&reader, method, (int32 *) writer.values, true);
	return call_end(&reader, array_writer_finish(&writer));
}

/*
 * gpu_rank_avg(a anyarray) returns double precision[]
 *
 * The average row_number() OVER (ORDER BY x) of equal elements, which is half
 * of the sum of their least and greatest one.  The result is as that of
 * gpu_rank.
 */
Datum
gpu_rank_avg(PG_FUNCTION_ARGS)
{
	ArrayReader reader;
	ArrayWriter writer;
	double	   *averages;
	int32	   *sums;

	call_begin("gpu_rank_avg");
	begin_ranks(fcinfo, FLOAT8OID, &reader, &writer);
	averages = (double *) writer.values;
	sums = (int32 *) (averages + reader.nitems) - reader.nitems;
	rank_elements(&reader, RANK_SUM, sums, false);
	for (int64 from = 0; from < reader.nitems; from += STEP)
	{
		int64		to = Min(from + STEP, reader.nitems);

		CHECK_FOR_INTERRUPTS();
		/* An average takes the room of sums that have been read. */
		for (int64 i = from; i < to; i++)
		{
			int32		sum;

			memcpy(&sum, &sums[i], sizeof(sum));
			averages[i] = sum / 2.0;
		}
	}
	return call_end(&reader, array_writer_finish(&writer));
}
