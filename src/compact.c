/*
 * compact.c
 *	  SQL functions that leave elements of an array out, or tell where they are.
 */
#include "compat.h"

#include "access/tupmacs.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "array/array_writer.h"
#include "engine/call.h"
#include "predicate.h"

PG_FUNCTION_INFO_V1(gpu_compact);
PG_FUNCTION_INFO_V1(gpu_compact_where);
PG_FUNCTION_INFO_V1(gpu_compact_masked);
PG_FUNCTION_INFO_V1(gpu_positions_where);
PG_FUNCTION_INFO_V1(gpu_positions_masked);

/*
 * Makes of positions among the values those among all elements.
 */
static void
count_nulls(const ArrayReader *reader, int32 *positions, int64 count)
{
	int64		values = 0;		/* before "to" */
	int64		to;

	for (int64 from = 0; count > 0; from = to)
	{
		CHECK_FOR_INTERRUPTS();
		to = array_reader_stretch(reader, from);
		if (att_isnull(from, reader->nulls))
			continue;
		values += to - from;
		for (; count > 0 && *positions <= values; count--)
		{
			if (count % INTERRUPT_STEP == 0)
				CHECK_FOR_INTERRUPTS();
			*positions++ += to - values;
		}
	}
}

/*
 * The elements that the predicate leaves, or their positions, from index 1 on.
 */
static Datum
compact_array(ArrayReader *reader, EngineRequest *request)
{
	bool		positions = request->parameters.compact.positions;
	ElementType type = positions ? element_type(INT4OID) : reader->type;
	ArrayWriter writer;
	int64		count;

	array_writer_begin_list(&writer, &type, reader->count);
	request->count = reader->count;
	request->outputs[0].kind = type.kind;
	request->outputs[0].memory = writer.values;
	count = call_engine(request, reader, NULL).count;
	if (positions && reader->count < reader->nitems)
		count_nulls(reader, (int32 *) writer.values, count);
	return call_end(reader, array_writer_finish_list(&writer, count));
}

/*
 * gpu_compact(a anyarray) returns anyarray
 *
 * The elements of "a" that are neither zero nor NULL, in their order; as
 * ARRAY(SELECT x FROM unnest(a) x WHERE x <> 0).
 */
Datum
gpu_compact(PG_FUNCTION_ARGS)
{
	EngineRequest request = {.operation = ENGINE_COMPACT};
	ArrayReader reader;

	call_begin("gpu_compact");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (!reader.type.has_zero)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("type %s has no zero",
						format_type_be(reader.type.oid)),
				 errhint("Name an operator and a value to compare the "
						 "elements with.")));
	request.parameters.compact.predicate = not_zero(&reader.type);
	return compact_array(&reader, &request);
}

/*
 * The elements, or their positions, that compare with a value as an operator
 * says.  None does with NULL.
 */
static Datum
compact_where(FunctionCallInfo fcinfo, const char *function, bool positions)
{
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.parameters.compact.positions = positions
	};
	PredicateOperator operator;
	ArrayReader reader;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	operator = predicate_operator(PG_GETARG_DATUM(1));

	call_begin(function);
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (PG_ARGISNULL(2))
		reader.count = 0;
	else
		request.parameters.compact.predicate =
			compare_with(&reader.type, operator,
						 get_fn_expr_argtype(fcinfo->flinfo, 2),
						 PG_GETARG_DATUM(2));
	return compact_array(&reader, &request);
}

/*
 * gpu_compact(a anyarray, op text, value anyelement) returns anyarray
 * gpu_compact(a anyarray, op varchar, value "any") returns anyarray
 *
 * As ARRAY(SELECT x FROM unnest(a) x WHERE x op value).
 */
Datum
gpu_compact_where(PG_FUNCTION_ARGS)
{
	return compact_where(fcinfo, "gpu_compact", false);
}

/*
 * gpu_positions(a anyarray, op text, value anyelement) returns integer[]
 * gpu_positions(a anyarray, op varchar, value "any") returns integer[]
 *
 * As ARRAY(SELECT i FROM unnest(a) WITH ORDINALITY AS u (x, i)
 * WHERE x op value).
 */
Datum
gpu_positions_where(PG_FUNCTION_ARGS)
{
	return compact_where(fcinfo, "gpu_positions", true);
}

/*
 * gpu_positions(mask boolean[]) returns integer[]
 *
 * As ARRAY(SELECT i FROM unnest(mask) WITH ORDINALITY AS u (m, i) WHERE m).
 */
Datum
gpu_positions_masked(PG_FUNCTION_ARGS)
{
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.parameters.compact.positions = true
	};
	ArrayReader reader;

	call_begin("gpu_positions");
	call_open_list(&reader, fcinfo, 0, NULLS_FILLED);
	request.parameters.compact.predicate = not_zero(&reader.type);
	return compact_array(&reader, &request);
}

/* Elements of a mask that are read at once. */
#define MASK_BLOCK		8192

/*
 * A mask beside an array whose NULLs the engine does not get: what belongs to
 * these is left out.  On the way it is seen which of them the mask keeps.
 */
typedef struct NullMask
{
	SecondInput base;			/* of the mask's reader */
	const ArrayReader *array;
	ArrayWriter *result;
	int64		next;			/* element of the array */
	int64		kept;			/* elements so far, NULLs among them */
	int64		read;			/* elements of the mask */
	const bool *block;			/* those from "next" on */
	bool		buffer[MASK_BLOCK];
} NullMask;

/*
 * Takes the mask of the elements up to and with the next "count" values, or of
 * all that are left.  Nothing here is branched on but where a block ends, as
 * no one could predict it.
 */
static void
take_mask(NullMask *input, bool *mask, int64 count)
{
	const uint8 *nulls = input->array->nulls;
	uint8	   *bitmap = input->result->bitmap;
	int64		nitems = input->array->nitems;
	int64		next = input->next;
	int64		kept = input->kept;

	for (int64 taken = 0; taken < count && next < nitems; next++)
	{
		bool		value = !att_isnull(next, nulls);
		bool		keep;

		if (next == input->read)
		{
			int64		block = Min(MASK_BLOCK, nitems - next);

			CHECK_FOR_INTERRUPTS();
			input->block = array_reader_next(input->base.reader,
											 input->buffer, block);
			input->read += block;
		}
		keep = *input->block++;
		mask[taken] = keep;
		taken += value;
		bitmap[kept / 8] |= (keep & value) << (kept % 8);
		kept += keep;
	}
	input->next = next;
	input->kept = kept;
}

static const void *
next_mask_of_values(SecondInput *input, void *buffer, int64 count)
{
	take_mask((NullMask *) input, buffer, count);
	return buffer;
}

/* What is in the result's bitmap already will be there again. */
static void
rewind_mask_of_values(SecondInput *input)
{
	NullMask   *mask = (NullMask *) input;

	mask->next = mask->kept = mask->read = 0;
}

/* Compacts an array with NULLs; how many elements are kept? */
static int64
compact_null_mask(EngineRequest *request, ArrayReader *reader,
				  ArrayReader *mask, ArrayWriter *result, int64 *values)
{
	NullMask   *input = palloc(sizeof(NullMask));
	bool		unused;
	int64		kept;

	input->base.next = next_mask_of_values;
	input->base.reader = mask;
	input->base.rewind = rewind_mask_of_values;
	input->array = reader;
	input->result = result;
	rewind_mask_of_values(&input->base);
	*values = call_engine(request, reader, &input->base).count;
	take_mask(input, &unused, 1);	/* of NULLs at the end */
	kept = input->kept;
	pfree(input);
	return kept;
}

/*
 * gpu_compact(a anyarray, mask boolean[]) returns anyarray
 *
 * The elements of "a", NULLs among them, where the mask is true; as
 * ARRAY(SELECT x FROM unnest(a, mask) AS u (x, m) WHERE m).
 */
Datum
gpu_compact_masked(PG_FUNCTION_ARGS)
{
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.parameters.compact.masked = true
	};
	ArrayReader reader;
	ArrayReader mask;
	SecondInput second = {next_elements, &mask};
	ArrayWriter writer;
	int64		kept;
	int64		values;

	call_begin("gpu_compact");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_open_beside(&mask, fcinfo, 1, NULLS_FILLED,
					 &reader, "mask");
	array_writer_begin_null_list(&writer, &reader.type, reader.nitems,
								 reader.nitems - reader.nvalues);
	request.count = reader.count;
	request.kinds[1] = mask.type.kind;
	request.outputs[0].kind = reader.type.kind;
	request.outputs[0].memory = writer.values;
	if (reader.nulls != NULL)
		kept = compact_null_mask(&request, &reader, &mask, &writer, &values);
	else
		kept = values = call_engine(&request, &reader, &second).count;
	array_reader_close(&mask);
	return call_end(&reader,
					array_writer_finish_null_list(&writer, kept, values));
}
