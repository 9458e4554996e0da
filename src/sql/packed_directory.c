/*
 * packed_directory.c
 *	  What the header and the directory of a packed array say, without its
 *	  elements.
 *
 * It has the least and the greatest value of each block.  So it knows the least
 * and the greatest value of the array, and which blocks have nothing that a
 * predicate selects.
 */
#include "sql/function.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/* The packed array that a reader reads, if it reads all values; or NULL. */
static PackedReader *
whole_packed(const ArrayReader *reader)
{
	PackedReader *packed = packed_reader_of(reader->source);

	return packed != NULL && packed->base.count > 0 &&
		packed->base.count == packed_present(&packed->array) &&
		reader->at.value == 0 ? packed : NULL;
}

/* What the directory says of the whole array. */
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

	*info = (PackedInfo) {0};
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

/*
 * Finds the least or the greatest value of a packed array that has a value.
 * Returns false if the directory does not say: the reader does not read
 * all of the array, or the value is a zero or NaN, which has several forms.
 */
bool
packed_extreme(ArrayReader *reader, bool greatest, ElementValue *value)
{
	PackedReader *packed = whole_packed(reader);
	ElementKind kind = reader->type.kind;
	PackedInfo	info;
	const uint64 *found = greatest ? &info.greatest : &info.least;

	if (packed == NULL)
		return false;
	read_directory(packed, &info);
	if (kind_is_float(kind) &&
		(*found == 0 || element_index(kind, *found) == last_index(kind)))
		return false;
	memcpy(value, found, reader->type.size);
	return true;
}

/* Returns whether a predicate may select an element of a block. */
static bool
may_select(ElementKind kind, const EnginePredicate *predicate,
		   const PackedBlock *block)
{
	uint64		mask = kind_mask(kind);
	uint64		low = (predicate->low - kind_least(kind)) & mask;
	uint64		high = low + predicate->span;
	uint64		least = element_index(kind, block->least);
	uint64		greatest = element_index(kind, block->greatest);

	if (predicate->span == mask)
		return !predicate->outside;
	return predicate->outside ? least < low || greatest > high :
		least <= high && greatest >= low;
}

/*
 * Has the reader leave out the blocks of a packed array that have nothing which
 * a predicate selects, if these are the most.  Returns whether it does.
 */
bool
packed_skip_blocks(ArrayReader *reader, const EnginePredicate *predicate)
{
	PackedReader *packed = whole_packed(reader);
	int32	   *chosen;
	int64		blocks;
	int64		n = 0;

	if (packed == NULL)
		return false;
	blocks = packed_blocks(packed->base.count);
	chosen = palloc(blocks * sizeof(int32));
	for (int64 i = 0; i < blocks && 2 * n <= blocks; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (may_select(reader->type.kind, predicate,
					   packed_reader_block(packed, i)))
			chosen[n++] = (int32) i;
	}
	if (2 * n > blocks)
	{
		pfree(chosen);
		return false;
	}
	array_reader_choose_blocks(reader, chosen, n);
	return true;
}

/*
 * Converts ascending positions among the values of the blocks that a reader has
 * chosen to positions among all values.
 */
void
packed_renumber(const ArrayReader *reader, int32 *positions, int64 count)
{
	const int32 *chosen = packed_reader_of(reader->source)->chosen;

	for (int64 i = 0; i < count; i++)
	{
		int32		value = positions[i] - 1;

		CHECK_FOR_INTERRUPTS();
		positions[i] = chosen[value / PACKED_BLOCK] * PACKED_BLOCK +
			value % PACKED_BLOCK + 1;
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
							 json.len > 1 ? ", " : "", packed_scheme_names[i],
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
	Datum		element = element_datum(&type, bits);
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
 * blocks of decimals, the minimum and the maximum.
 */
SQL_FUNCTION(gpu_packed_info)
{
	static const Oid types[] = {
		REGTYPEOID, INT8OID, INT8OID, INT8OID, FLOAT8OID, JSONBOID, INT8OID,
		TEXTOID, TEXTOID
	};
	TupleDesc	row_type = call_row_type(fcinfo, lengthof(types), types);
	PackedReader *reader = packed_reader_open(PG_GETARG_DATUM(0),
											  ERRCODE_DATA_CORRUPTED);
	const PackedArray *array = &reader->array;
	PackedInfo	info;
	bool		empty = reader->base.count == 0;
	HeapTuple	row;

	read_directory(reader, &info);
	row = form_row(row_type, (NullableDatum[]) {
		{ObjectIdGetDatum(array->element_type)},
		{Int64GetDatum(array->count)},
		{Int64GetDatum(array->nulls)},
		{Int64GetDatum(VARHDRSZ + array->length)},
		{Float8GetDatum(8.0 * array->length / array->count), array->count == 0},
		{blocks_in_json(&info)},
		{Int64GetDatum(info.decimal)},
		{element_text(array->element_type, &info.least), empty},
		{element_text(array->element_type, &info.greatest), empty}
	}, lengthof(types));
	value_source_close(&reader->base);
	return HeapTupleGetDatum(row);
}
