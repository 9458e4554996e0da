/*
 * state_values.c
 *	  Aggregates that make a gpu_state of values, gpu_values_state and
 *	  gpu_distinct_state, and those that take such states.
 *
 * The values of states are gathered like those of rows, so the final functions
 * of the aggregates are those in columns.c.
 */
#include "compat.h"

#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "sql/gather.h"
#include "sql/rows.h"
#include "sql/state.h"

PG_FUNCTION_INFO_V1(gpucompact_values_state_result);
PG_FUNCTION_INFO_V1(gpucompact_values_of_state_step);
PG_FUNCTION_INFO_V1(gpucompact_array_of_state_step);
PG_FUNCTION_INFO_V1(gpucompact_distinct_of_state_step);
PG_FUNCTION_INFO_V1(gpucompact_percentile_of_state_step);
PG_FUNCTION_INFO_V1(gpucompact_percentile_list_of_state_step);

/*
 * gpu_values_state(x anynonarray) returns gpu_state
 * gpu_distinct_state(x anynonarray) returns gpu_state
 *
 * The values of rows.  Those of a domain are of its base type.
 */
Datum
gpucompact_values_state_result(PG_FUNCTION_ARGS)
{
	Gathered   *state = state_argument(fcinfo, 0);
	StateParts	parts = {.kind = STATE_VALUES};
	ElementType type;

	(void) rows_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	if (state->kind == GATHER_DISTINCT)
	{
		gather_leave_distinct(state);
		parts.kind = STATE_DISTINCT;
	}
	type = element_type(state->array.elemtype);
	parts.packed[0] = state_pack(&type, gather_values(state), state->nvalues,
								 gather_nitems(state), state->bitmap);
	return state_write(&parts);
}

/* Raises 42804 if values are not of the type of others. */
static void
check_type(Oid type, Oid other)
{
	if (type != other)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("aggregate state has values of type %s, not %s",
						format_type_be(other), format_type_be(type))));
}

/*
 * A step that gathers the values of a state.  NULLs are left out where results
 * do not depend on them.  A state that is NULL is of no rows.
 */
static Datum
add_state(FunctionCallInfo fcinfo, GatherKind kind)
{
	Gathered   *state = state_argument(fcinfo, 0);
	StateParts	parts;
	ArrayReader reader;

	(void) rows_context(fcinfo);
	if (PG_ARGISNULL(1))
		return return_state(fcinfo, state);
	state_open(&parts, PG_GETARG_DATUM(1),
			   kind == GATHER_DISTINCT ? STATE_DISTINCT : STATE_VALUES);
	array_reader_open_packed(&reader, parts.packed[0], 1, PG_INT32_MAX);
	state = gather_state(fcinfo, kind, &reader.type);
	check_type(state->array.elemtype, reader.type.oid);
	if (kind != GATHER_ALL)
	{
		reader.nitems = reader.nvalues;
		reader.nulls = NULL;
	}
	state = gather_append(state, &reader);
	array_reader_close(&reader);
	pfree(DatumGetPointer(parts.packed[0]));
	PG_RETURN_POINTER(state);
}

Datum
gpucompact_values_of_state_step(PG_FUNCTION_ARGS)
{
	return add_state(fcinfo, GATHER_ALL);
}

/* The same for gpu_array_agg(s gpu_state, "like" anyarray) returns anyarray. */
Datum
gpucompact_array_of_state_step(PG_FUNCTION_ARGS)
{
	Datum		result = add_state(fcinfo, GATHER_ALL);

	if (!fcinfo->isnull)
		check_type(get_element_type(
				   getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 2))),
				   ((Gathered *) DatumGetPointer(result))->array.elemtype);
	return result;
}

Datum
gpucompact_distinct_of_state_step(PG_FUNCTION_ARGS)
{
	return add_state(fcinfo, GATHER_DISTINCT);
}

Datum
gpucompact_percentile_of_state_step(PG_FUNCTION_ARGS)
{
	return add_state(fcinfo, GATHER_FRACTION);
}

Datum
gpucompact_percentile_list_of_state_step(PG_FUNCTION_ARGS)
{
	return add_state(fcinfo, GATHER_FRACTIONS);
}
