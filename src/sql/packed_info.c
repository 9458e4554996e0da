/*
 * packed_info.c
 *	  gpu_packed_info: what a packed array is made of.
 *
 * All of it stands in the header and in the directory: nothing is unpacked.
 */
#include "compat.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "array/element_order.h"
#include "array/packed_reader.h"

PG_FUNCTION_INFO_V1(gpu_packed_info);

typedef struct PackedInfo
{
	int64		blocks[PACKED_SCHEMES];
	int64		decimal;		/* of these, floats as integers */
	uint64		least;			/* as the directory has it */
	uint64		greatest;
} PackedInfo;

/* Counts the blocks, and finds the extremes of all. */
static void
read_directory(PackedReader *reader, PackedInfo *info)
{
	ElementKind kind = reader->array.kind;
	int64		blocks = packed_blocks(reader->base.count);

	for (int64 i = 0; i < blocks; i++)
	{
		const PackedBlock *block = packed_reader_block(reader, i);

		CHECK_FOR_INTERRUPTS();
		info->blocks[block->scheme]++;
		info->decimal += block->mapping == PACKED_DIVIDED ||
			block->mapping == PACKED_MULTIPLIED;
		if (i == 0 || element_index(kind, block->least) <
			element_index(kind, info->least))
			info->least = block->least;
		if (i == 0 || element_index(kind, block->greatest) >
			element_index(kind, info->greatest))
			info->greatest = block->greatest;
	}
}

/* The schemes that blocks have, and how many have each, as JSON. */
static Datum
blocks_in_json(const PackedInfo *info)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int i = 0; i < PACKED_SCHEMES; i++)
	{
		if (info->blocks[i] > 0)
			appendStringInfo(&json, "%s\"%s\": " INT64_FORMAT,
							 json.len > 1 ? ", " : "", packed_scheme_name(i),
							 info->blocks[i]);
	}
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

/* An element that the directory has, as text. */
static Datum
element_text(Oid oid, const uint64 *bits)
{
	ElementType type = element_type(oid);
	Datum		element = element_datum(&type, packed_element(bits, type.size));
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(oid, &output, &is_varlena);
	return CStringGetTextDatum(OidOutputFunctionCall(output, element));
}

/*
 * gpu_packed_info(p gpu_packed) returns record
 *
 * The element type, the numbers of elements and of NULLs, the bytes of the
 * value and the bits for each element, the numbers of blocks by scheme and of
 * those of decimals, the minimum and the maximum.
 */
Datum
gpu_packed_info(PG_FUNCTION_ARGS)
{
	PackedReader *reader = packed_reader_open(PG_GETARG_DATUM(0),
											  ERRCODE_DATA_CORRUPTED);
	const PackedArray *array = &reader->array;
	PackedInfo	info = {0};
	TupleDesc	row;
	Datum		values[9];
	bool		nulls[lengthof(values)] = {false};

	if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	read_directory(reader, &info);
	values[0] = ObjectIdGetDatum(array->element_type);
	values[1] = Int64GetDatum(array->count);
	values[2] = Int64GetDatum(array->nulls);
	values[3] = Int64GetDatum(VARHDRSZ + array->length);
	values[4] = Float8GetDatum(8.0 * array->length / array->count);
	nulls[4] = array->count == 0;
	values[5] = blocks_in_json(&info);
	values[6] = Int64GetDatum(info.decimal);
	nulls[7] = nulls[8] = reader->base.count == 0;
	if (reader->base.count > 0)
	{
		values[7] = element_text(array->element_type, &info.least);
		values[8] = element_text(array->element_type, &info.greatest);
	}
	value_source_close(&reader->base);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(row), values,
											 nulls));
}
