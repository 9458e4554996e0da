/*
 * sort.c
 *	  SQL functions that order the elements of an array, or rank them.
 *
 * NULLs come last, or first if "nulls_first", which defaults to "descending",
 * as in ORDER BY.  As the number of elements stays, so does the lower bound.
 *
 * To order elements by keys, elements of four or eight bytes are the payload of
 * their keys.  If elements are shorter, or some are NULL, their positions are
 * the payload, and gpu_take's requests take the elements.
 */
#include "sql/function.h"

#include "loops/bitmaps.h"
#include "loops/numbers.h"

/* The order by arguments: descending; then nulls_first, which may be NULL. */
static SortOrder
order_argument(FunctionCallInfo fcinfo, int argument)
{
	bool		descending = PG_GETARG_BOOL(argument);

	return (SortOrder) {
		descending,
		PG_ARGISNULL(argument + 1) ? descending : PG_GETARG_BOOL(argument + 1)
	};
}

/*
 * gpu_radix_sort(a anyarray, descending boolean, nulls_first boolean)
 *		returns anyarray
 *
 * As array_agg(x ORDER BY x).
 */
SQL_CALL_FUNCTION(gpu_radix_sort, "gpu_radix_sort", 2)
{
	EngineRequest request = {.operation = ENGINE_SORT};
	SortOrder	order = order_argument(fcinfo, 1);
	ArrayReader reader;
	ArrayWriter writer;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(&writer, &reader.type, &reader,
					   array_reader_nulls(&reader),
					   order.nulls_first ? NULLS_FIRST : NULLS_LAST);
	PARAMETERS(&request, SortParameters)->descending = order.descending;
	request.stays = reader.nulls == NULL;
	call_engine_into(&request, &reader, &writer);
	return call_end(&reader, array_writer_finish(&writer));
}

/*
 * The positions, from 1 on, of the elements in order; a stable sort.  If
 * "stays", they may be deferred in a chain.  Closes the reader.
 */
void
sort_positions(ArrayReader *reader, SortOrder order, bool stays,
			   int32 *positions)
{
	int64		nulls = array_reader_nulls(reader);
	CallInput	payload = positions_input(reader);
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.count = reader->count,
		.kinds[1] = KIND_INT4,
		.outputs[0].kind = KIND_INT4,
		.outputs[0].memory = positions + (order.nulls_first ? nulls : 0),
		.stays = stays && nulls == 0,
		.parameters = PARAMETERS_OF(SortParameters,
									.descending = order.descending,
									.positions = nulls == 0)
	};

	nulls_list(reader, positions + (order.nulls_first ? 0 : reader->nvalues));
	if (nulls > 0)
		call_engine_paired(&request, reader, &payload);
	else
		call_engine(&request, reader);
	array_reader_close(reader);
}

/*
 * gpu_argsort(a anyarray, descending boolean, nulls_first boolean)
 *		returns integer[]
 *
 * As array_agg(i ORDER BY x, i), where i is the position of x, from 1 on.
 */
SQL_CALL_FUNCTION(gpu_argsort, "gpu_argsort", 2)
{
	SortOrder	order = order_argument(fcinfo, 1);
	ArrayReader reader;
	ArrayWriter writer;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(&writer, int4_type, &reader, 0, NULLS_LAST);
	sort_positions(&reader, order, true, (int32 *) writer.values);
	return call_end(&reader, array_writer_finish(&writer));
}

/* Sorts the positions, and then takes the elements in their order. */
static Datum
sort_and_take(ArrayReader *reader, ArrayReader *keys, SortOrder order)
{
	int32	   *sorted = large_value_allocate(reader->nitems * sizeof(int32));
	ArrayReader positions;
	Datum		result;

	sort_positions(keys, order, false, sorted);
	array_reader_open_values(&positions, int4_type, sorted, reader->nitems);
	positions.ndim = reader->ndim;
	positions.dims[0] = reader->dims[0];
	positions.lbounds[0] = reader->lbounds[0];
	result = take_elements(reader, &positions);
	pfree(sorted);
	return result;
}

/* Sorts the keys with the elements as their payload. */
static Datum
sort_payload(ArrayReader *reader, ArrayReader *keys, SortOrder order)
{
	int			size = reader->type.size;
	int64		nulls = array_reader_nulls(keys);
	CallInput	payload = array_input(reader);
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.count = keys->count,
		.outputs[0].kind = reader->type.kind,
		.parameters = PARAMETERS_OF(SortParameters,
									.descending = order.descending)
	};
	ArrayWriter writer;

	array_writer_begin_like(&writer, &reader->type, reader);
	request.outputs[0].memory = writer.values +
		(order.nulls_first ? nulls * size : 0);
	if (nulls == 0)
		call_engine_paired(&request, keys, &payload);
	else
	{
		SelectedElements selected;

		selected_begin(&selected, reader, keys->nulls, keys->nvalues,
					   writer.values +
					   (order.nulls_first ? 0 : keys->nvalues * size));
		call_engine_paired(&request, keys, &selected.input);
		selected_end(&selected);
	}
	array_reader_close(keys);
	return array_writer_finish(&writer);
}

/*
 * gpu_sort_by_key(a anyarray, keys anycompatiblearray, descending boolean,
 *				   nulls_first boolean) returns anyarray
 *
 * The elements of "a" in the order of the keys at their positions; as
 * array_agg(x ORDER BY k, i), where i is the position of x and k.
 */
SQL_CALL_FUNCTION(gpu_sort_by_key, "gpu_sort_by_key", 3)
{
	SortOrder	order = order_argument(fcinfo, 2);
	ArrayReader reader;
	ArrayReader keys;

	call_open_list(&reader, fcinfo, 0, NULLS_FILLED);
	call_open_paired(&keys, fcinfo, 1, NULLS_DROPPED,
					 &reader, "keys");
	/* The engine carries elements of four or eight bytes as payload. */
	return call_end(&reader, reader.nulls == NULL &&
					reader.type.size >= (int) sizeof(int32) ?
					sort_payload(&reader, &keys, order) :
					sort_and_take(&reader, &keys, order));
}

static const char *const method_names[] = {
	[RANK_DENSE] = "dense",
	[RANK_MIN] = "min",
	[RANK_MAX] = "max",
	[RANK_FIRST] = "first"
};

/*
 * Moves the ranks of the values, which stand at the end of the room for all, to
 * their places among the elements, and ranks the NULLs.
 */
static void
insert_nulls(RankMethod method, const uint8 *nulls, int64 nitems,
			 int64 nvalues, int32 *ranks)
{
	const int32 *values = ranks + (nitems - nvalues);
	int32		rank = nvalues + 1; /* of NULLs, or of the first of them */

	if (method == RANK_DENSE)
		rank = greatest_integer(values, nvalues) + 1;
	else if (method == RANK_MAX)
		rank = nitems;
	else if (method == RANK_SUM)
		rank += nitems;

	for (int64 from = 0; from < nitems; from += CHECK_STEP)
	{
		int64		to = Min(from + CHECK_STEP, nitems);

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
SQL_CALL_FUNCTION(gpu_rank, "gpu_rank", 0)
{
	RankMethod	method = name_argument(fcinfo, "method", PG_GETARG_DATUM(1),
									   method_names, lengthof(method_names));
	ArrayReader reader;
	ArrayWriter writer;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(&writer, int4_type, &reader, 0, NULLS_LAST);
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
SQL_CALL_FUNCTION(gpu_rank_avg, "gpu_rank_avg", 0)
{
	ArrayReader reader;
	ArrayWriter writer;
	double	   *averages;
	int32	   *sums;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(&writer, float8_type, &reader, 0, NULLS_LAST);
	averages = (double *) writer.values;
	sums = (int32 *) (averages + reader.nitems) - reader.nitems;
	rank_elements(&reader, RANK_SUM, sums, false);
	for (int64 from = 0; from < reader.nitems; from += CHECK_STEP)
	{
		int64		to = Min(from + CHECK_STEP, reader.nitems);

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
