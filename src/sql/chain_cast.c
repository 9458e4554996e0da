/*
 * chain_cast.c
 *	  A cast in a chain: of a leaf, or of a result to an array of numbers.
 *
 * The cast is core's.  Core casts all elements at once, cannot be interrupted
 * then, and needs nine bytes for each of them.  So a long array is cast in
 * blocks.
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "array/array_reader.h"
#include "sql/chain.h"

/* Values that are cast at once. */
#define BLOCK			(64 * 1024)

struct ChainCast
{
	ExprState  *state;
	ExprContext *context;
	ParamListInfo input;		/* its one parameter */
	int			from_size;		/* of an element; 0: not by blocks */
	int			to_size;
	Oid			from;			/* the types of the elements */
	Oid			to;
	MemoryContext memory;		/* of a block */
};

/* The bytes of an array's elements of one of our types; 0 of others. */
static int
element_size(Oid array)
{
	Oid			element = get_base_element_type(array);

	return OidIsValid(element) && is_supported_type(element) ?
		element_type(element).size : 0;
}

/*
 * Makes a cast between types of arrays.  *expr becomes its expression.
 *
 * Raises 42846 if there is none.
 */
ChainCast *
chain_cast_make(Oid from, Oid to, Expr **expr)
{
	ChainCast  *cast = palloc0(sizeof(ChainCast));
	Param	   *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = 1;
	param->paramtype = from;
	param->paramtypmod = -1;
	param->location = -1;
	/* Here a literal without a type is a parameter, which core casts to text */
	*expr = from == UNKNOWNOID && to != TEXTOID ? NULL : (Expr *)
		coerce_to_target_type(NULL, (Node *) param, from, to, -1,
							  COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	if (*expr == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CANNOT_COERCE),
				 errmsg("cannot cast type %s to %s",
						format_type_be(from), format_type_be(to))));
	cast->input = makeParamList(1);
	cast->input->params[0].ptype = from;
	cast->input->params[0].pflags = PARAM_FLAG_CONST;
	cast->context = CreateStandaloneExprContext();
	cast->context->ecxt_param_list_info = cast->input;
	cast->state = ExecInitExprWithParams(expression_planner(*expr),
										 cast->input);
	cast->from = get_base_element_type(from);
	cast->to = get_element_type(to);
	cast->to_size = element_size(to);
	if (IsA(*expr, ArrayCoerceExpr) && cast->to_size > 0)
		cast->from_size = element_size(from);
	cast->memory = AllocSetContextCreate(CurrentMemoryContext,
										 "gpucompact cast",
										 ALLOCSET_DEFAULT_SIZES);
	return cast;
}

static Datum
cast_whole(ChainCast *cast, Datum value, bool *isnull)
{
	cast->input->params[0].value = value;
	cast->input->params[0].isnull = *isnull;
	return ExecEvalExpr(cast->state, cast->context, isnull);
}

/*
 * Casts some values.  The result is put where "to" points.  Returns false if
 * the cast, which may be another's, has made NULLs.
 */
static bool
cast_block(ChainCast *cast, const char *from, int count, char *to)
{
	MemoryContext caller = MemoryContextSwitchTo(cast->memory);
	Size		bytes = (Size) count * cast->from_size;
	Size		size = ARR_OVERHEAD_NONULLS(1) + bytes;
	ArrayType  *block = palloc0(size);
	bool		isnull = false;
	bool		has_null;

	SET_VARSIZE(block, size);
	block->ndim = 1;
	block->elemtype = cast->from;
	ARR_DIMS(block)[0] = count;
	ARR_LBOUND(block)[0] = 1;
	memcpy(ARR_DATA_PTR(block), from, bytes);
	block = DatumGetArrayTypeP(cast_whole(cast, PointerGetDatum(block),
										  &isnull));
	has_null = ARR_HASNULL(block);
	if (!has_null)
		memcpy(to, ARR_DATA_PTR(block), (Size) count * cast->to_size);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(cast->memory);
	return !has_null;
}

/*
 * The array that the values of another one are cast to: of the same shape, and
 * with NULLs at the same places.
 */
static ArrayType *
make_array(const ChainCast *cast, ArrayType *like, Size offset, Size size)
{
	ArrayType  *array = palloc(size);
	Size		header = Min(offset, ARR_DATA_OFFSET(like));

	memset(array, 0, offset);
	memcpy(array, like, header);
	SET_VARSIZE(array, size);
	array->dataoffset = ARR_HASNULL(like) ? offset : 0;
	array->elemtype = cast->to;
	return array;
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
	ArrayType  *result;
	ArrayReader reader;
	int64		count;
	Size		offset;

	if (*isnull || cast->from_size == 0)
		return cast_whole(cast, value, isnull);
	array = DatumGetArrayTypeP(value);
	array_reader_open(&reader, PointerGetDatum(array), NULLS_DROPPED, NULL);
	check_array(reader.type.oid == cast->from);
	count = reader.nvalues;
	array_reader_close(&reader);
	offset = ARR_DATA_OFFSET(array);
	if (count <= BLOCK || (ARR_HASNULL(array) && count == reader.nitems) ||
		offset + count * cast->to_size > MaxAllocSize)
		return cast_whole(cast, value, isnull);

	result = make_array(cast, array, offset, offset + count * cast->to_size);
	for (int64 i = 0; i < count; i += BLOCK)
	{
		CHECK_FOR_INTERRUPTS();
		if (!cast_block(cast, ARR_DATA_PTR(array) + i * cast->from_size,
						Min(count - i, BLOCK),
						(char *) result + offset + i * cast->to_size))
		{
			pfree(result);
			return cast_whole(cast, value, isnull);
		}
	}
	return PointerGetDatum(result);
}
