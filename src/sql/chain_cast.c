/*
 * chain_cast.c
 *	  A cast in a chain: of a leaf, or of a result to an array of numbers.
 *
 * The cast is core's.  Core casts all elements at once, cannot be interrupted
 * then, and needs nine bytes for each of them.  So a long array is cast in
 * blocks.
 */
#include "sql/function.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"

#include "sql/chain.h"

/* Values that are cast at once. */
#define BLOCK			(64 * 1024)

struct ChainCast
{
	ExprState  *state;
	ExprContext *context;
	bool		by_blocks;
	ElementType from;			/* if by blocks */
	ElementType to;
	MemoryContext memory;		/* of a block */
};

/*
 * Makes a cast between types of arrays.  *expr becomes its expression.
 *
 * Raises 42846 if there is none.
 */
ChainCast *
chain_cast_make(Oid from, Oid to, Expr **expr)
{
	ChainCast  *cast = palloc0(sizeof(ChainCast));
	CaseTestExpr *value = makeNode(CaseTestExpr);	/* stands for it */

	value->typeId = from;
	value->typeMod = -1;
	/* Here a literal without a type is a value, which core casts to text */
	*expr = from == UNKNOWNOID && to != TEXTOID ? NULL : (Expr *)
		coerce_to_target_type(NULL, (Node *) value, from, to, -1,
							  COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	if (*expr == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CANNOT_COERCE),
				 errmsg("cannot cast type %s to %s",
						format_type_be(from), format_type_be(to))));
	cast->context = CreateStandaloneExprContext();
	cast->state = ExecInitExpr(expression_planner(*expr), NULL);
	from = get_base_element_type(from);
	to = get_element_type(to);
	cast->by_blocks = IsA(*expr, ArrayCoerceExpr) && is_supported_type(from) &&
		is_supported_type(to);
	if (cast->by_blocks)
	{
		cast->from = element_type(from);
		cast->to = element_type(to);
	}
	cast->memory = AllocSetContextCreate(CurrentMemoryContext,
										 "gpucompact cast",
										 ALLOCSET_DEFAULT_SIZES);
	return cast;
}

static Datum
cast_whole(ChainCast *cast, Datum value, bool *isnull)
{
	cast->context->caseValue_datum = value;
	cast->context->caseValue_isNull = *isnull;
	return ExecEvalExpr(cast->state, cast->context, isnull);
}

/*
 * Casts some values.  The result is put where "to" points.  Returns false if
 * the cast, which may be another's, has made NULLs.
 */
static bool
cast_block(ChainCast *cast, const char *from, int64 count, char *to)
{
	MemoryContext caller = MemoryContextSwitchTo(cast->memory);
	bool		isnull = false;
	bool		has_null;
	ArrayWriter writer;
	ArrayType  *block;

	array_writer_begin_list(&writer, &cast->from, count);
	memcpy(writer.values, from, count * cast->from.size);
	block = DatumGetArrayTypeP(cast_whole(cast, array_writer_finish(&writer),
										  &isnull));
	has_null = ARR_HASNULL(block);
	if (!has_null)
		memcpy(to, ARR_DATA_PTR(block), count * cast->to.size);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(cast->memory);
	return !has_null;
}

/*
 * The value that a value is cast to, or NULL.
 *
 * Raises XX001 if an array is damaged, or has elements of another type.
 */
Datum
chain_cast_run(ChainCast *cast, Datum value, bool *isnull)
{
	ArrayType  *array;
	ArrayReader reader;
	ArrayWriter writer;

	if (*isnull || !cast->by_blocks)
		return cast_whole(cast, value, isnull);
	array = DatumGetArrayTypeP(value);
	array_reader_open(&reader, PointerGetDatum(array), NULLS_DROPPED, NULL);
	check_array(reader.type.oid == cast->from.oid);
	if (reader.count <= BLOCK ||
		(ARR_HASNULL(array) && reader.nulls == NULL) ||
		ARR_DATA_OFFSET(array) + reader.count * cast->to.size > MaxAllocSize)
	{
		array_reader_close(&reader);
		return cast_whole(cast, value, isnull);
	}

	array_writer_begin_like(&writer, &cast->to, &reader);
	for (int64 i = 0; i < reader.count; i += BLOCK)
	{
		CHECK_FOR_INTERRUPTS();
		if (!cast_block(cast, ARR_DATA_PTR(array) + i * cast->from.size,
						Min(reader.count - i, BLOCK),
						writer.values + i * cast->to.size))
		{
			pfree(writer.array);
			return cast_whole(cast, value, isnull);
		}
	}
	array_reader_close(&reader);
	return array_writer_finish(&writer);
}
