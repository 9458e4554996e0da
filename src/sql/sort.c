/*
 * sort.c
 *	  SQL functions that order the elements of an array.
 *
 * NULLs come last, or first if "nulls_first", which defaults to "descending",
 * as in ORDER BY.  As the number of elements stays, so does the lower bound.
 */
#include "compat.h"

#include "fmgr.h"

#include "array/array_writer.h"
#include "array/nulls.h"
#include "contract/operations/sort.h"
#include "sql/sort.h"

PG_FUNCTION_INFO_V1(gpu_radix_sort);
PG_FUNCTION_INFO_V1(gpu_argsort);

/*
 * Reads the last two of "count" arguments.  Returns false if the result is NULL
 * because another argument is NULL.
 */
bool
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
	array_writer_begin(&writer, &reader.type,
					   reader.ndim, reader.dims, reader.lbounds,
					   reader.nitems - reader.nvalues,
					   order.nulls_first ? NULLS_FIRST : NULLS_LAST);
	PARAMETERS(&request, SortParameters)->descending = order.descending;
	request.count = reader.count;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	request.stays = reader.nulls == NULL;
	call_engine(&request, &reader);
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
	int64		nulls = reader->nitems - reader->nvalues;
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
	ElementType type = element_type(INT4OID);
	SortOrder	order;
	ArrayReader reader;
	ArrayWriter writer;

	if (!sort_arguments(fcinfo, 3, &order))
		PG_RETURN_NULL();

	call_begin("gpu_argsort");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(&writer, &type,
					   reader.ndim, reader.dims, reader.lbounds,
					   0, NULLS_LAST);
	sort_positions(&reader, order, true, (int32 *) writer.values);
	return call_end(&reader, array_writer_finish(&writer));
}
