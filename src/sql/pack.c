/*
 * pack.c
 *	  gpu_pack: a packed array of an array's elements.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "array/large_value.h"
#include "call/call.h"
#include "sql/packed.h"

PG_FUNCTION_INFO_V1(gpu_pack);

/*
 * Raises 0A000 for a domain: nothing would keep it from being dropped while
 * there are packed arrays of it.
 */
void
check_packable(const ElementType *type)
{
	if (type->oid != type->base)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("arrays of domain type %s are not supported",
						format_type_be(type->oid)),
				 errhint("Cast the array to %s.",
						 format_type_be(type->array))));
}

/* Raises 54000 if a packed array is larger than a value can be. */
static void
check_size(const PackedArray *packed)
{
	if (!AllocSizeIsValid(VARHDRSZ + packed->length))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("packed array size exceeds the maximum allowed (%d)",
						(int) (MaxAllocSize - VARHDRSZ)),
				 errdetail("The packed array has " INT64_FORMAT " bytes.",
						   packed->length)));
}

/*
 * A packed array of a reader's elements, of which NULLs are dropped.
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
		.nulls = reader->nitems - reader->nvalues
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
	check_size(&packed);
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
Datum
gpu_pack(PG_FUNCTION_ARGS)
{
	ArrayReader reader;

	call_begin("gpu_pack");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	check_packable(&reader.type);
	return call_end(&reader, pack_elements(&reader));
}
