/*
 * pack.c
 *	  gpu_pack: a packed array of an array's elements; gpu_unpack and gpu_slice:
 *	  the elements of a packed array; and what its header and its directory say
 *	  without its elements.
 *
 * The directory has the least and the greatest value of each block.  So it
 * knows the least and the greatest value of the array, and which blocks have
 * nothing that a predicate selects.
 */
#include "sql/function.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

/*
 * Raises 0A000 for a domain: nothing would keep it from being dropped while
 * there are packed arrays of it.
 */
void
check_packable(const ElementType *type)
{
	if (type->oid != type->base)
		raise_domain(type, NULL);
}

/*
 * A packed array of a reader's elements.  The reader leaves out NULLs.
 *
 * Raises 54000 if it is too large.  That is known at the end, as it may well be
 * smaller than the array.
 */
Datum
pack_elements(ArrayReader *reader)
{
	PackedArray packed = {
		.kind = reader->type.kind,
		.element_type = reader->type.base,
		.lower_bound = reader->ndim > 0 ? reader->lbounds[0] : 1,
		.count = reader->nitems,
		.nulls = array_reader_nulls(reader)
	};
	Size		room = VARHDRSZ + packed_most(&packed);
	char	   *value = large_value_allocate(room);
	int64		nblocks = packed_blocks(reader->count);
	PackedBlock *blocks = palloc(Max(nblocks, 1) * sizeof(PackedBlock));
	EngineRequest request = {
		.operation = ENGINE_PACK,
		.count = reader->count,
		.outputs[0] = {VARDATA(value) + packed_front(&packed), KIND_UINT1},
		.room = packed_most_blocks(packed.kind, reader->count),
		.summary = blocks,
		.summary_bytes = nblocks * sizeof(PackedBlock)
	};

	(void) call_engine(&request, reader);
	packed_write_front(&packed, reader->nulls, blocks, VARDATA(value));
	pfree(blocks);
	if (!AllocSizeIsValid(VARHDRSZ + packed.length))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("packed array size exceeds the maximum allowed (%d)",
						(int) (MaxAllocSize - VARHDRSZ)),
				 errdetail("The packed array has " INT64_FORMAT " bytes.",
						   packed.length)));
	value = large_value_cut(value, room, VARHDRSZ + packed.length);
	SET_VARSIZE(value, VARHDRSZ + packed.length);
	return PointerGetDatum(value);
}

/*
 * The array packed, as gpu_pack does, where it is no argument.  It is recorded
 * as a call.
 */
Datum
pack_array(Datum array)
{
	ArrayReader reader;

	call_begin("gpu_pack");
	call_open_datum(&reader, array, NULLS_DROPPED, NULL);
	check_packable(&reader.type);
	return call_end(&reader, pack_elements(&reader));
}

/*
 * gpu_pack(a anyarray) returns gpu_packed
 *
 * The array in a fraction of its bytes, from which gpu_unpack makes it again,
 * bit for bit.
 */
SQL_CALL_FUNCTION(gpu_pack, "gpu_pack", 0)
{
	ArrayReader reader;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	check_packable(&reader.type);
	return call_end(&reader, pack_elements(&reader));
}

/* The array of a reader's elements, outside of calls. */
Datum
unpack_elements(ArrayReader *reader)
{
	ArrayWriter writer;

	array_writer_begin_like(&writer, &reader->type, reader);
	array_reader_copy(reader, writer.values, reader->count);
	return array_writer_finish(&writer);
}

/*
 * Opens the elements of the first argument from the position "first" to "last".
 *
 * Raises 42804 if their type is not that of the elements of another argument;
 * or, if there is none, of the result.
 */
static void
open_like(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
		  int64 first, int64 last)
{
	bool		is_cast = argument >= PG_NARGS();
	Oid			declared = is_cast ?
		get_func_rettype(fcinfo->flinfo->fn_oid) :
		get_fn_expr_argtype(fcinfo->flinfo, argument);
	Oid			element = is_cast ? get_element_type(declared) :
		element_of_argument(fcinfo, argument);

	call_open_packed(reader, PG_GETARG_DATUM(0), first, last);
	if (reader->type.oid != element)
		raise_mismatch("packed array has elements of type %s, not %s",
					   reader->type.oid, element,
					   psprintf(_("Cast it to %s first."),
								format_type_be(reader->type.array)));
	check_declared(&reader->type, getBaseType(declared));
}

/*
 * Ends a call with all that the reader has, which may stay packed if it is the
 * whole array.
 */
static Datum
end_unpacked(ArrayReader *reader, bool whole)
{
	ArrayWriter writer;

	array_writer_begin_like(&writer, &reader->type, reader);
	if (!whole || !defer_packed(reader))
	{
		call_on_cpu(reader);
		unpack(reader, writer.values);
	}
	return call_end(reader, array_writer_finish(&writer));
}

/*
 * gpu_unpack(p gpu_packed, "like" anyarray) returns anyarray
 * gpucompact_unpack_T(p gpu_packed) returns T[], a cast, for each type T
 *
 * The array that "p" was made of.  It has the type of "like", whose value does
 * not matter.
 *
 * Raises 42804 if the elements are of another type, and XX001 if "p" is damaged.
 */
SQL_FUNCTION(gpu_unpack)
{
	ArrayReader reader;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	call_begin_at(fcinfo, "gpu_unpack");
	open_like(&reader, fcinfo, 1, 1, PG_INT32_MAX);
	return end_unpacked(&reader, true);
}

/*
 * gpu_slice(p gpu_packed, first integer, last integer, "like" anyarray)
 *	  returns anyarray
 *
 * The elements from position "first" to "last", counted from 1 whatever the
 * lower bound, as far as they are there; NULL if one of these is NULL.  Of a
 * stored array only the blocks that have them are read.
 *
 * Raises what gpu_unpack does.
 */
SQL_CALL_FUNCTION(gpu_slice_packed, "gpu_slice", 3)
{
	ArrayReader reader;

	open_like(&reader, fcinfo, 3, PG_GETARG_INT32(1), PG_GETARG_INT32(2));
	reader.lbounds[0] = 1;
	return end_unpacked(&reader, false);
}

/*
 * gpu_count(p gpu_packed) returns bigint
 *
 * How many elements are not NULL, which the header says.
 */
SQL_CALL_FUNCTION(gpu_count_packed, "gpu_count", 0)
{
	ArrayReader reader;
	int64		count;

	call_open_packed(&reader, PG_GETARG_DATUM(0), 1, 0);
	call_on_cpu(&reader);
	count = packed_present(&packed_reader_of(reader.source)->array);
	call_end_bytes(&reader, sizeof(count));
	PG_RETURN_INT64(count);
}

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
