/*
 * columns.c
 *	  Aggregates over the values of rows: gpu_array_agg, gpu_pack_agg,
 *	  gpu_percentile_cont_agg, gpu_percentile_disc_agg, gpu_median_agg,
 *	  gpu_mode_agg, gpu_count_distinct and gpu_distinct_counts_agg; over the
 *	  elements of arrays: gpu_concat_agg and gpu_distinct_agg; and aggregates
 *	  that make a gpu_state, or take one.
 *
 * The step functions gather values.  The result is that of the function of
 * arrays whose name is the aggregate's without "_agg".  No result changes a
 * state, so that more rows may follow, as in a window.
 */
#include "sql/function.h"

#include "utils/datum.h"
#include "utils/typcache.h"

#include "sql/aggregate.h"

/* The functions of arrays. */
extern Datum gpu_distinct_counts(PG_FUNCTION_ARGS);
extern Datum gpu_mode(PG_FUNCTION_ARGS);
extern Datum gpu_percentile_cont(PG_FUNCTION_ARGS);
extern Datum gpu_percentile_cont_list(PG_FUNCTION_ARGS);
extern Datum gpu_percentile_disc(PG_FUNCTION_ARGS);
extern Datum gpu_percentile_disc_list(PG_FUNCTION_ARGS);
extern Datum gpu_sort_by_key(PG_FUNCTION_ARGS);

/*
 * Returns whether all there is to do for an argument is to store its value: it
 * is not NULL, the state has room for it, and no bitmap.  Most rows are so, and
 * steps come to them first.
 */
static pg_always_inline bool
is_only_stored(FunctionCallInfo fcinfo, int argument, const Gathered *state)
{
	return likely(!PG_ARGISNULL(argument) && state->bitmap == NULL &&
				  state->nvalues < state->room);
}

/* Stores a value, which the state has room for. */
static pg_always_inline void
store_value(Gathered *state, Datum value)
{
	Assert(state->nvalues < state->room);
	put_element_bits(gather_values(state) +
					 (Size) state->nvalues++ * state->size,
					 value, state->size);
}

/* Adds the value or NULL that an argument is.  The state may move. */
static Gathered *
add_element(FunctionCallInfo fcinfo, Gathered *state, int argument)
{
	bool		isnull = PG_ARGISNULL(argument);

	if (isnull || state->bitmap != NULL)
		gather_note(state, isnull);
	if (isnull)
	{
		state->nulls++;
		return state;
	}
	if (state->nvalues >= state->room)
		state = gather_grow(state, 1);
	store_value(state, PG_GETARG_DATUM(argument));
	return state;
}

/* The rest of a step. */
static pg_noinline Datum
add_slowly(FunctionCallInfo fcinfo, GatherKind kind)
{
	Gathered   *state = gather_state(fcinfo, kind, gather_type(fcinfo, 1));

	if (kind == GATHER_ALL || !PG_ARGISNULL(1))
		state = add_element(fcinfo, state, 1);
	PG_RETURN_POINTER(state);
}

/* A step that adds the value of a row, and NULL where all is gathered. */
static pg_always_inline Datum
add_row(FunctionCallInfo fcinfo, GatherKind kind)
{
	Gathered   *state = (Gathered *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(0) || !is_only_stored(fcinfo, 1, state))
		return add_slowly(fcinfo, kind);
	store_value(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/*
 * A step that keeps NULLs.  Aggregates that skip them have it, too: PostgreSQL
 * calls it once for all aggregates of a query that have it and the same
 * arguments.
 */
SQL_FUNCTION_AS(gpucompact_array_agg_step, add_row(fcinfo, GATHER_ALL))

/*
 * A step that adds the elements of a row's array.  For percentiles by position,
 * these are numbers, as many as in the arrays before it.
 */
static Datum
add_array(FunctionCallInfo fcinfo, GatherKind kind, const char *aggregate)
{
	Gathered   *state = aggregate_state(fcinfo);
	ArrayReader reader;

	if (!PG_ARGISNULL(1))
	{
		rows_open(&reader, fcinfo, aggregate, NULLS_DROPPED, NULL);
		if (kind == GATHER_FRACTION)
			check_number(&reader.type);
		state = gather_state(fcinfo, kind, &reader.type);
		if (kind == GATHER_FRACTION && state->row_length < 0)
			state->row_length = (int32) reader.nitems;
		if (kind == GATHER_FRACTION)
			rows_check_length(fcinfo, state->row_length, reader.nitems, 0);
		state = gather_append(state, &reader);
		call_end_bytes(&reader, 0);
	}
	return return_state(fcinfo, state);
}

SQL_FUNCTION_AS(gpucompact_concat_agg_step,
				add_array(fcinfo, GATHER_ALL, "gpu_concat_agg"))

SQL_FUNCTION_AS(gpucompact_distinct_agg_step,
				add_array(fcinfo, GATHER_UNION, "gpu_distinct_agg"))

/* A median has no fraction.  The result is percentile.c's. */
SQL_FUNCTION_AS(gpucompact_percentile_rows_agg_step,
				add_array(fcinfo, GATHER_FRACTION, PG_NARGS() > 2 ?
						  "gpu_percentile_cont_agg" : "gpu_median_agg"))

/*
 * gpu_distinct_agg(a anyarray) returns anyarray
 *
 * The elements in order, and NULL last.  More may follow, as for a window:
 * leaving out duplicates does not change their result.
 */
SQL_FUNCTION(gpucompact_distinct_agg_result)
{
	Gathered   *state = aggregate_state(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	(void) gather_count_distinct(state, true);
	return gather_copy_array(state);
}

/* The rest of the step below. */
static pg_noinline Datum
add_row_by_key(FunctionCallInfo fcinfo)
{
	Gathered   *state = state_argument(fcinfo, 0);

	if (state == NULL)
	{
		const ElementType *key_type = gather_type(fcinfo, 2);
		ElementType base = element_type(key_type->base);

		/* A key that is NULL is in no result, whatever its domain allows. */
		state = gather_begin(fcinfo, GATHER_KEYED, gather_type(fcinfo, 1));
		state->keys = gather_begin(fcinfo, GATHER_ALL, &base);
	}
	state->keys = add_element(fcinfo, state->keys, 2);
	PG_RETURN_POINTER(add_element(fcinfo, state, 1));
}

SQL_FUNCTION(gpucompact_array_agg_by_key_step)
{
	Gathered   *state = (Gathered *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(0) || !is_only_stored(fcinfo, 1, state) ||
		!is_only_stored(fcinfo, 2, state->keys))
		return add_row_by_key(fcinfo);
	store_value(state, PG_GETARG_DATUM(1));
	store_value(state->keys, PG_GETARG_DATUM(2));
	PG_RETURN_POINTER(state);
}

/*
 * gpu_array_agg(x anynonarray) returns anyarray
 * gpu_array_agg(x anynonarray, key anycompatiblenonarray) returns anyarray
 *
 * As array_agg(x), or array_agg(x ORDER BY key), equal keys in the order of the
 * rows.  gpu_concat_agg has the same result, of elements.
 */
SQL_FUNCTION(gpucompact_array_agg_result)
{
	Gathered   *state = aggregate_state(fcinfo);
	FunctionCallInfo call;

	if (state == NULL)
		PG_RETURN_NULL();
	if (state->kind != GATHER_KEYED)
		return gather_copy_array(state);
	call = gather_call(fcinfo, gpu_sort_by_key, 4);
	call->args[0].value = gather_array(state);
	call->args[1].value = gather_array(state->keys);
	call->args[2].value = BoolGetDatum(false);
	call->args[3].isnull = true;
	return FunctionCallInvoke(call);
}

/*
 * gpu_pack_agg(x anynonarray) returns gpu_packed
 * gpu_pack_agg(x anynonarray, key anycompatiblenonarray) returns gpu_packed
 *
 * As gpu_pack of what gpu_array_agg returns.
 */
SQL_FUNCTION(gpucompact_pack_agg_result)
{
	Gathered   *state = aggregate_state(fcinfo);
	Datum		array;
	Datum		packed;

	if (state == NULL)
		PG_RETURN_NULL();
	if (state->kind != GATHER_KEYED)
		return pack_array(gather_array(state));
	array = gpucompact_array_agg_result(fcinfo);
	packed = pack_array(array);
	pfree(DatumGetPointer(array));
	return packed;
}

/* A step that skips NULLs. */
SQL_FUNCTION_AS(gpucompact_count_distinct_step,
				add_row(fcinfo, GATHER_DISTINCT))

/* What a function of arrays returns for an array, as first argument. */
static Datum
result_of(FunctionCallInfo fcinfo, FunctionCallInfo call, Datum array)
{
	Datum		result;

	call->args[0].value = array;
	result = FunctionCallInvoke(call);
	fcinfo->isnull = call->isnull;
	return result;
}

/*
 * gpu_mode_agg(x anynonarray) returns anynonarray
 *
 * As mode() WITHIN GROUP (ORDER BY x).
 */
SQL_FUNCTION(gpucompact_mode_agg_result)
{
	FunctionCallInfo call = gather_call(fcinfo, gpu_mode, 1);
	Gathered   *state = state_argument(fcinfo, 0);

	if (state == NULL)
		PG_RETURN_NULL();
	return result_of(fcinfo, call, gather_values_array(state));
}

/*
 * gpu_count_distinct(x anynonarray) returns bigint
 *
 * As count(DISTINCT x).  In a window more rows may follow: leaving out
 * duplicates does not change their result.
 */
SQL_FUNCTION(gpucompact_count_distinct_result)
{
	Gathered   *state = aggregate_state(fcinfo);
	bool		leave = AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW;

	PG_RETURN_INT64(state == NULL ? 0 : gather_count_distinct(state, leave));
}

/*
 * A row type with the columns of a composite type, for a function's results.
 *
 * Raises what check_columns does, for an array of elements of a type.
 */
static TupleDesc
row_type_like(Oid type, Oid element, MemoryContext context)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	TupleDesc	row = lookup_rowtype_tupdesc_copy(type, -1);

	check_columns(row, 2, (Oid[]) {element_type(element).array, INT4ARRAYOID});
	row->tdtypeid = RECORDOID;
	row = BlessTupleDesc(row);
	MemoryContextSwitchTo(caller);
	return row;
}

/*
 * The two arrays of a row, as a value of a composite type.  Core forms it:
 * PostgreSQL 15.20 refuses a row of a named type that run_writer.c has filled
 * in, as one whose type was altered.
 *
 * Raises 54000 if there cannot be such a row.
 */
static Datum
row_as(Oid type, TupleDesc row_type, HeapTupleHeader row)
{
	HeapTuple	tuple;
	bool		nulls[2];
	Datum		arrays[] = {
		GetAttributeByNum(row, 1, &nulls[0]),
		GetAttributeByNum(row, 2, &nulls[1])
	};
	ArrayType  *values = (ArrayType *) DatumGetPointer(arrays[0]);

	check_row_size(MAXALIGN(SizeofHeapTupleHeader) + VARSIZE(values) +
				   VARSIZE(DatumGetPointer(arrays[1])) + MAXIMUM_ALIGNOF,
				   ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values)));
	tuple = heap_form_tuple(row_type, arrays, nulls);
	HeapTupleHeaderSetTypeId(tuple->t_data, type);
	HeapTupleHeaderSetTypMod(tuple->t_data, -1);
	return HeapTupleGetDatum(tuple);
}

/*
 * gpu_distinct_counts_agg(x T) returns ("values" T[], counts integer[])
 *
 * As SELECT x, count(*) ... GROUP BY x ORDER BY x.
 */
SQL_FUNCTION(gpucompact_distinct_counts_agg_result)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	FunctionCallInfo call = gather_call(fcinfo, gpu_distinct_counts, 1);
	CallSite   *site = call_site(call);
	Gathered   *state = state_argument(fcinfo, 0);
	Oid			type = get_func_rettype(flinfo->fn_oid);
	Datum		row;

	if (state == NULL)
		PG_RETURN_NULL();
	if (site->row_type == NULL)
		site->row_type = row_type_like(type, state->array.elemtype,
									   flinfo->fn_mcxt);
	row = result_of(fcinfo, call, gather_array(state));
	return row_as(type, site->row_type, DatumGetHeapTupleHeader(row));
}

/*
 * Returns whether a value is the fraction of a state, or, in memory, equals its
 * fractions.
 */
static pg_always_inline bool
are_fractions_of(const Gathered *state, Datum value)
{
	const char *bytes = DatumGetPointer(value);

	if (state->kind == GATHER_FRACTION)
		return state->fractions == value;
	return state->kind == GATHER_FRACTIONS && VARATT_IS_4B_U(bytes) &&
		datumIsEqual(state->fractions, value, false, -1);
}

/*
 * A step with a fraction, or an array of fractions, which is the same for all
 * rows of a group.
 */
SQL_FUNCTION(gpucompact_percentile_agg_step)
{
	Gathered   *state = (Gathered *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(0) || !is_only_stored(fcinfo, 1, state) ||
		PG_ARGISNULL(2) || !are_fractions_of(state, PG_GETARG_DATUM(2)))
		return add_slowly(fcinfo, GATHER_FRACTION);
	store_value(state, PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

/*
 * The result of an aggregate of percentiles, by the function of one fraction or
 * by the function of several.  The state of a median has no fraction.
 *
 * Raises 0A000 for the first group if the values have to be numbers, and are
 * not.
 */
static Datum
percentile_result(FunctionCallInfo fcinfo, PGFunction one, PGFunction list,
				  bool numbers)
{
	Gathered   *state = aggregate_state(fcinfo);
	FunctionCallInfo call;

	if (state == NULL || state->kind == GATHER_NULL_FRACTION)
		PG_RETURN_NULL();
	call = gather_call(fcinfo, state->kind == GATHER_FRACTIONS ? list : one, 2);
	call->args[1].value = state->kind == GATHER_FRACTION ||
		state->kind == GATHER_FRACTIONS ? state->fractions :
		Float8GetDatum(0.5);
	if (numbers && call->args[0].value == (Datum) 0)
		(void) gather_column_type(fcinfo, state->array.elemtype, true);
	return result_of(fcinfo, call, gather_values_array(state));
}

/*
 * gpu_percentile_cont_agg(x T, fraction double precision)
 *		returns double precision
 * gpu_percentile_cont_agg(x T, fractions double precision[])
 *		returns double precision[]
 * gpu_median_agg(x T) returns double precision
 *
 * As percentile_cont(fraction) WITHIN GROUP (ORDER BY x), or (fractions).
 */
SQL_FUNCTION_AS(gpucompact_percentile_cont_agg_result,
				percentile_result(fcinfo, gpu_percentile_cont,
								  gpu_percentile_cont_list, true))

/*
 * gpu_percentile_disc_agg(x anynonarray, fraction double precision)
 *		returns anynonarray
 * gpu_percentile_disc_agg(x anynonarray, fractions double precision[])
 *		returns anyarray
 *
 * As percentile_disc(fraction) WITHIN GROUP (ORDER BY x), or (fractions).
 */
SQL_FUNCTION_AS(gpucompact_percentile_disc_agg_result,
				percentile_result(fcinfo, gpu_percentile_disc,
								  gpu_percentile_disc_list, false))

/*
 * gpu_values_state(x anynonarray) returns gpu_state
 * gpu_distinct_state(x anynonarray) returns gpu_state
 *
 * The values of rows.  Those of a domain are of its base type.
 */
SQL_FUNCTION(gpucompact_values_state_result)
{
	Gathered   *state = aggregate_state(fcinfo);
	StateParts	parts = {.kind = STATE_VALUES};
	ElementType type;

	if (state == NULL)
		PG_RETURN_NULL();
	if (state->kind == GATHER_DISTINCT)
	{
		(void) gather_count_distinct(state, true);
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
		raise_mismatch("aggregate state has values of type %s, not %s", other,
					   type, NULL);
}

/*
 * A step that gathers the values of a state.  NULLs are left out where results
 * do not depend on them.  A state that is NULL is of no rows.
 */
static Datum
add_state(FunctionCallInfo fcinfo, GatherKind kind)
{
	Gathered   *state = aggregate_state(fcinfo);
	StateParts	parts;
	ArrayReader reader;

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

SQL_FUNCTION_AS(gpucompact_values_of_state_step, add_state(fcinfo, GATHER_ALL))

/* The same for gpu_array_agg(s gpu_state, "like" anyarray) returns anyarray. */
SQL_FUNCTION(gpucompact_array_of_state_step)
{
	Datum		result = add_state(fcinfo, GATHER_ALL);

	if (!fcinfo->isnull)
	{
		const Gathered *state = (Gathered *) DatumGetPointer(result);
		ElementType type = element_type(state->array.elemtype);
		Oid			like = get_fn_expr_argtype(fcinfo->flinfo, 2);

		check_type(element_of_argument(fcinfo, 2), type.oid);
		check_declared(&type, getBaseType(like));
	}
	return result;
}

SQL_FUNCTION_AS(gpucompact_distinct_of_state_step,
				add_state(fcinfo, GATHER_DISTINCT))

SQL_FUNCTION_AS(gpucompact_percentile_of_state_step,
				add_state(fcinfo, GATHER_FRACTION))
