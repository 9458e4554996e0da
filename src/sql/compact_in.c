/*
 * compact_in.c
 *	  The SQL function that selects the elements that another array contains.
 *
 * The other array is sorted, and the engine looks up each element in it.
 */
#include "compat.h"

#include "miscadmin.h"

#include "call/call.h"
#include "contract/operations/members.h"
#include "sql/sets.h"

PG_FUNCTION_INFO_V1(gpu_compact_in);

/* The values of the reader that the other array has, or has not. */
static int64
select_members(EngineRequest *request, ArrayReader *reader,
			   ArrayReader *members)
{
	TemporaryArray *distinct = temporary_distinct(members);
	CallTable	table = call_table(&distinct->reader);
	int64		count;

	count = call_engine_table(request, reader, &table).count;
	call_table_free(&table);
	temporary_end(distinct);
	return count;
}

/* All elements, NULLs included, in an array with lower bound 1. */
static Datum
all_elements(ArrayReader *reader)
{
	ArrayWriter writer;

	array_writer_begin_null_list(&writer, &reader->type, reader->nitems,
								 array_reader_nulls(reader));
	if (reader->nulls != NULL)
		memcpy(writer.bitmap, reader->nulls,
			   null_bitmap_bytes(reader->nitems));
	array_reader_copy(reader, writer.values, reader->nvalues);
	return call_end(reader, array_writer_finish_null_list(&writer,
														  reader->nitems,
														  reader->nvalues));
}

/*
 * gpu_compact_in(a anycompatiblearray, b anycompatiblearray,
 *				negate boolean)
 *		returns anycompatiblearray
 *
 * The elements of "a", in their order, that "b" has; as
 * ARRAY(SELECT x FROM unnest(a) x WHERE x = ANY (b)).  If "negate", the elements
 * for which x <> ALL (b): none if "b" has a NULL; if "b" is empty, all
 * elements, NULLs included.
 */
Datum
gpu_compact_in(PG_FUNCTION_ARGS)
{
	bool		negate = PG_GETARG_BOOL(2);
	EngineRequest request = {
		.operation = ENGINE_MEMBERS,
		.parameters = PARAMETERS_OF(MembersParameters, .outside = negate)
	};
	ArrayReader reader;
	ArrayReader members;
	ArrayWriter writer;
	ElementType type;
	bool		has_null;
	int64		count = 0;

	call_begin("gpu_compact_in");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_open_list(&members, fcinfo, 1, NULLS_DROPPED);
	type = reader.type;
	has_null = members.nulls != NULL;
	if (negate && members.nitems == 0)
	{
		array_reader_close(&members);
		return all_elements(&reader);
	}

	request.count = members.count == 0 || (negate && has_null) ? 0 :
		reader.count;
	array_writer_begin_list(&writer, &type, request.count);
	request.outputs[0] = (EngineOutput) {writer.values, type.kind};
	request.stays = true;
	if (request.count > 0)
		count = select_members(&request, &reader, &members);
	array_reader_close(&members);
	return call_end(&reader, array_writer_finish_list(&writer, count));
}
