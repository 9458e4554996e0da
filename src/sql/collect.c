/*
 * collect.c
 *	  Aggregates that collect the elements of the arrays of rows: gpu_concat_agg
 *	  and gpu_distinct_agg.
 *
 * A state has the values side by side, in memory that doubles when it is full,
 * so the time is linear in the input.  A state of distinct values first removes
 * duplicates, and doubles its memory only if it is more than half full then.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "array/array_writer.h"
#include "array/large_value.h"
#include "array/nulls.h"
#include "call/call.h"
#include "sql/rows.h"
#include "sql/runs.h"

PG_FUNCTION_INFO_V1(gpucompact_concat_agg_step);
PG_FUNCTION_INFO_V1(gpucompact_concat_agg_result);
PG_FUNCTION_INFO_V1(gpucompact_distinct_agg_step);
PG_FUNCTION_INFO_V1(gpucompact_distinct_agg_combine);
PG_FUNCTION_INFO_V1(gpucompact_distinct_agg_serialize);
PG_FUNCTION_INFO_V1(gpucompact_distinct_agg_deserialize);
PG_FUNCTION_INFO_V1(gpucompact_distinct_agg_result);

typedef struct CollectState
{
	MemoryContext context;
	ElementType type;
	int64		nvalues;
	int64		room;			/* for values, or for elements in the bitmap */
	char	   *values;

	/* Concatenation: */
	int64		nitems;			/* values and NULLs */
	uint8	   *bitmap;			/* NULL if nothing is NULL */

	/* Distinct values: */
	int64		ndistinct;		/* the first, in order; the others follow */
	bool		has_null;
} CollectState;

/* The state that a function's first argument is, or NULL. */
static CollectState *
state_argument(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ?
		NULL : (CollectState *) PG_GETARG_POINTER(argument);
}

static Datum
state_datum(FunctionCallInfo fcinfo, CollectState *state)
{
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

static CollectState *
make_state(MemoryContext context, const ElementType *type)
{
	CollectState *state = MemoryContextAllocZero(context,
												 sizeof(CollectState));

	state->context = context;
	state->type = *type;
	return state;
}

/* The memory of an array that grows, in the state's context. */
static void *
grow(CollectState *state, void *memory, Size size)
{
	return memory == NULL ?
		MemoryContextAllocHuge(state->context, size) :
		repalloc_huge(memory, size);
}

/* Sets the room to twice what is needed, if an array can have that. */
static void
set_room(CollectState *state, int64 needed)
{
	state->room = Max(needed, Min(2 * needed, (int64) MaxArraySize));
	state->values = grow(state, state->values,
						 state->room * state->type.size);
}

/* Extends the bitmap to the room for elements. */
static void
grow_bitmap(CollectState *state, Size from)
{
	Size		bytes = null_bitmap_bytes(state->room);

	state->bitmap = grow(state, state->bitmap, bytes);
	memset(state->bitmap + from, 0, bytes - from);
}

/* Room for the elements of one more array, some of which may be NULL. */
static void
make_room(CollectState *state, const ArrayReader *reader)
{
	int64		needed = state->nitems + reader->nitems;
	Size		bitmap_bytes = null_bitmap_bytes(state->room);

	(void) array_writer_list_size(&state->type, needed,
								  needed - state->nvalues - reader->nvalues);
	if (needed > state->room)
	{
		set_room(state, needed);
		if (state->bitmap != NULL)
			grow_bitmap(state, bitmap_bytes);
	}
	if (state->bitmap == NULL && reader->nulls != NULL)
	{
		grow_bitmap(state, 0);
		null_bitmap_set_values(state->bitmap, 0, state->nitems);
	}
}

static void
add_values(CollectState *state, ArrayReader *reader)
{
	array_reader_copy(reader,
					  state->values + state->nvalues * state->type.size,
					  reader->nvalues);
	state->nvalues += reader->nvalues;
}

/* Opens the array of a row, of the type that the aggregate's state is for. */
static CollectState *
open_row(ArrayReader *reader, FunctionCallInfo fcinfo, const char *aggregate)
{
	MemoryContext context = rows_context(fcinfo);
	CollectState *state = state_argument(fcinfo, 0);

	rows_open(reader, fcinfo, aggregate, NULLS_DROPPED, NULL);
	if (state == NULL)
		state = make_state(context, &reader->type);
	rows_check_type(&state->type, &reader->type);
	return state;
}

/* The state as it is, after a row that has no array. */
static Datum
skip_row(FunctionCallInfo fcinfo)
{
	(void) rows_context(fcinfo);
	return state_datum(fcinfo, state_argument(fcinfo, 0));
}

Datum
gpucompact_concat_agg_step(PG_FUNCTION_ARGS)
{
	CollectState *state;
	ArrayReader reader;

	if (PG_ARGISNULL(1))
		return skip_row(fcinfo);
	state = open_row(&reader, fcinfo, "gpu_concat_agg");
	make_room(state, &reader);
	if (state->bitmap != NULL)
		nulls_append(&reader, state->bitmap, state->nitems);
	add_values(state, &reader);
	state->nitems += reader.nitems;
	call_end_bytes(&reader, 0);
	return state_datum(fcinfo, state);
}

/* The aggregate's result, with lower bound 1. */
Datum
gpucompact_concat_agg_result(PG_FUNCTION_ARGS)
{
	const CollectState *state = state_argument(fcinfo, 0);
	ArrayWriter writer;

	(void) rows_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	array_writer_begin_null_list(&writer, &state->type, state->nitems,
								 state->nitems - state->nvalues);
	if (writer.bitmap != NULL)
		move_bytes(writer.bitmap, state->bitmap,
				   null_bitmap_bytes(state->nitems));
	move_bytes(writer.values, state->values,
			   state->nvalues * state->type.size);
	return array_writer_finish_null_list(&writer, state->nitems,
										 state->nvalues);
}

/* Removes duplicates, and leaves the values in order. */
static void
leave_distinct(CollectState *state)
{
	ArrayReader reader;
	char	   *values;

	if (state->ndistinct == state->nvalues)
		return;
	values = large_value_allocate(state->nvalues * state->type.size);
	array_reader_open_values(&reader, &state->type, state->values,
							 state->nvalues);
	state->nvalues = distinct_values(&reader, NULL, values, false);
	state->ndistinct = state->nvalues;
	move_bytes(state->values, values, state->nvalues * state->type.size);
	pfree(values);
}

/*
 * Adds values.
 *
 * Raises 54000 if the distinct values do not fit into an array.
 */
static void
add_to_distinct(CollectState *state, ArrayReader *reader)
{
	if (state->nvalues + reader->nvalues > state->room)
	{
		leave_distinct(state);
		(void) array_writer_list_size(&state->type, state->nvalues, 0);
		if (state->nvalues + reader->nvalues > state->room / 2)
			set_room(state, state->nvalues + reader->nvalues);
	}
	add_values(state, reader);
}

Datum
gpucompact_distinct_agg_step(PG_FUNCTION_ARGS)
{
	CollectState *state;
	ArrayReader reader;

	if (PG_ARGISNULL(1))
		return skip_row(fcinfo);
	state = open_row(&reader, fcinfo, "gpu_distinct_agg");
	add_to_distinct(state, &reader);
	state->has_null |= reader.nulls != NULL;
	call_end_bytes(&reader, 0);
	return state_datum(fcinfo, state);
}

Datum
gpucompact_distinct_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = rows_context(fcinfo);
	CollectState *state = state_argument(fcinfo, 0);
	const CollectState *other = state_argument(fcinfo, 1);
	ArrayReader reader;

	if (other == NULL)
		return state_datum(fcinfo, state);
	call_begin("gpu_distinct_agg");
	if (state == NULL)
		state = make_state(context, &other->type);
	rows_check_type(&state->type, &other->type);
	array_reader_open_values(&reader, &other->type, other->values,
							 other->nvalues);
	add_to_distinct(state, &reader);
	state->has_null |= other->has_null;
	call_end_unrecorded();
	return state_datum(fcinfo, state);
}

/*
 * A state as bytes, for another process of the same server: the struct and its
 * values.
 */
Datum
gpucompact_distinct_agg_serialize(PG_FUNCTION_ARGS)
{
	CollectState *state = state_argument(fcinfo, 0);
	ArrayWriter writer;
	Size		bytes;

	(void) rows_context(fcinfo);
	call_begin("gpu_distinct_agg");
	leave_distinct(state);
	bytes = state->nvalues * state->type.size;
	array_writer_begin_bytes(&writer, sizeof(*state) + bytes);
	memcpy(writer.values, state, sizeof(*state));
	move_bytes(writer.values + sizeof(*state), state->values, bytes);
	call_end_unrecorded();
	return array_writer_finish_bytes(&writer, sizeof(*state) + bytes);
}

Datum
gpucompact_distinct_agg_deserialize(PG_FUNCTION_ARGS)
{
	CollectState *state;
	CollectState header;
	bytea	   *bytes;

	(void) rows_context(fcinfo);
	bytes = PG_GETARG_BYTEA_PP(0);
	memcpy(&header, VARDATA_ANY(bytes), sizeof(header));
	state = make_state(CurrentMemoryContext, &header.type);
	state->nvalues = state->ndistinct = state->room = header.nvalues;
	state->has_null = header.has_null;
	state->values = grow(state, NULL, state->nvalues * state->type.size);
	move_bytes(state->values, VARDATA_ANY(bytes) + sizeof(header),
			   state->nvalues * state->type.size);
	return state_datum(fcinfo, state);
}

/*
 * The aggregate's result: in order, and NULL last.  More values may follow, as
 * for a window; leaving out duplicates now does not change their result.
 */
Datum
gpucompact_distinct_agg_result(PG_FUNCTION_ARGS)
{
	CollectState *state = state_argument(fcinfo, 0);
	ArrayWriter writer;

	(void) rows_context(fcinfo);
	if (state == NULL)
		PG_RETURN_NULL();
	call_begin("gpu_distinct_agg");
	leave_distinct(state);
	array_writer_begin_null_last(&writer, &state->type, state->nvalues,
								 state->has_null);
	move_bytes(writer.values, state->values,
			   state->nvalues * state->type.size);
	call_end_unrecorded();
	return array_writer_finish_null_last(&writer, state->nvalues);
}
