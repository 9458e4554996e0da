/*
 * sort.c
 *	  SQL functions that order the elements of an array.
 *
 * NULLs come last, or first if "nulls_first", which defaults to "descending",
 * as in ORDER BY.  As the number of elements stays, so does the lower bound.
 *
 * To order elements by keys, elements of four or eight bytes are the payload of
 * their keys.  If elements are shorter, or some are NULL, their positions are
 * the payload, and the elements are gathered by the sorted positions.
 */
#include "compat.h"

#include "miscadmin.h"

#include "array/nulls.h"
#include "call/temporary.h"
#include "contract/operations/sort.h"
#include "sql/sort.h"

PG_FUNCTION_INFO_V1(gpu_radix_sort);
PG_FUNCTION_INFO_V1(gpu_argsort);
PG_FUNCTION_INFO_V1(gpu_sort_by_key);

/*
 * Reads the last two of "count" arguments.  Returns false if the result is NULL
 * because another argument is NULL.
 */
static bool
sort_arguments(FunctionCallInfo fcinfo, int count, SortOrder *order)
{
	for (int i = 0; i < count - 1; i++)
	{
		if (PG_ARGISNULL(i))
			return false;
	}
	order->descending = PG_GETARG_BOOL(count - 2);
	order->nulls_first = PG_ARGISNULL(count - 1) ?
		order->descending : PG_GETARG_BOOL(count - 1);
	return true;
}

/*
 * gpu_radix_sort(a anyarray, descending boolean, nulls_first boolean)
 *		returns anyarray
 *
 * As array_agg(x ORDER BY x).
 */
Datum
gpu_radix_sort(PG_FUNCTION_ARGS)
{
	EngineRequest request = {.operation = ENGINE_SORT};
	SortOrder	order;
	ArrayReader reader;
	ArrayWriter writer;

	if (!sort_arguments(fcinfo, 3, &order))
		PG_RETURN_NULL();

	call_begin("gpu_radix_sort");
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
		call_engine_beside(&request, reader, &payload);
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
Datum
gpu_argsort(PG_FUNCTION_ARGS)
{
	SortOrder	order;
	ArrayReader reader;
	ArrayWriter writer;

	if (!sort_arguments(fcinfo, 3, &order))
		PG_RETURN_NULL();

	call_begin("gpu_argsort");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(&writer, int4_type, &reader, 0, NULLS_LAST);
	sort_positions(&reader, order, true, (int32 *) writer.values);
	return call_end(&reader, array_writer_finish(&writer));
}

/* Prefetch distance, as the elements are scattered over memory. */
#define FETCH_AHEAD		32

/* The elements at the positions, with NULLs as in the bitmap. */
static pg_always_inline void
gather(ArrayWriter *writer, const char *elements, const uint8 *nulls,
	   const int32 *positions, int64 count, int size)
{
	char	   *dest = writer->values;

	for (int64 i = 0; i < count; i++)
	{
		int64		from = positions[i] - 1;

		CHECK_FOR_INTERRUPTS();
		if (i + FETCH_AHEAD < count)
			__builtin_prefetch(elements +
							   (positions[i + FETCH_AHEAD] - 1) * (int64) size);
		if (nulls != NULL)
		{
			if (!null_bitmap_is_value(nulls, from))
				continue;
			null_bitmap_set_value(writer->bitmap, i);
		}
		memcpy(dest, elements + from * size, size);
		dest += size;
	}
}

/* Sorts the positions, and then takes the elements in their order. */
static void
sort_and_gather(ArrayReader *reader, ArrayReader *keys, SortOrder order,
				ArrayWriter *writer)
{
	int32	   *positions = palloc(reader->nitems * sizeof(int32));
	const char *elements;
	char	   *copy;

	sort_positions(keys, order, false, positions);
	elements = array_reader_all(reader, &copy);
	CALL_WITH_SIZE(reader->type.size, gather, writer, elements, reader->nulls,
				   positions, reader->nitems);
	pfree(positions);
	if (copy != NULL)
		pfree(copy);
}

/* Returns whether the engine can carry the elements as payload. */
static bool
is_payload(const ArrayReader *reader)
{
	return reader->nulls == NULL &&
		(reader->type.size == sizeof(int32) ||
		 reader->type.size == sizeof(int64));
}

/* Sorts the keys with the elements as their payload. */
static void
sort_payload(ArrayReader *reader, ArrayReader *keys, SortOrder order,
			 ArrayWriter *writer)
{
	int			size = reader->type.size;
	int64		nulls = array_reader_nulls(keys);
	char	   *at_nulls = writer->values +
		(order.nulls_first ? 0 : keys->nvalues * size);
	CallInput	payload = array_input(reader);
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.count = keys->count,
		.outputs[0].kind = reader->type.kind,
		.outputs[0].memory = writer->values +
		(order.nulls_first ? nulls * size : 0),
		.parameters = PARAMETERS_OF(SortParameters,
									.descending = order.descending)
	};

	if (nulls == 0)
		call_engine_beside(&request, keys, &payload);
	else
	{
		SelectedElements selected;

		selected_begin(&selected, reader, keys->nulls, keys->nvalues,
					   at_nulls);
		call_engine_beside(&request, keys, &selected.input);
		selected_end(&selected);
	}
	array_reader_close(keys);
}

/*
 * gpu_sort_by_key(a anyarray, keys anycompatiblearray, descending boolean,
 *				   nulls_first boolean) returns anyarray
 *
 * The elements of "a" in the order of the keys that stand beside them; as
 * array_agg(x ORDER BY k, i), where i is the position of x and k.
 */
Datum
gpu_sort_by_key(PG_FUNCTION_ARGS)
{
	SortOrder	order;
	ArrayReader reader;
	ArrayReader keys;
	ArrayWriter writer;

	if (!sort_arguments(fcinfo, 4, &order))
		PG_RETURN_NULL();

	call_begin("gpu_sort_by_key");
	call_open_list(&reader, fcinfo, 0, NULLS_FILLED);
	call_open_beside(&keys, fcinfo, 1, NULLS_DROPPED,
					 &reader, "keys");
	array_writer_begin(&writer, &reader.type, &reader,
					   array_reader_nulls(&reader), NULLS_SCATTERED);
	if (is_payload(&reader))
		sort_payload(&reader, &keys, order, &writer);
	else
		sort_and_gather(&reader, &keys, order, &writer);
	return call_end(&reader, array_writer_finish(&writer));
}
