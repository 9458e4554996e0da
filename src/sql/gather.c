/*
 * gather.c
 *	  The values of a column, or the elements of its arrays, as the state of an
 *	  aggregate.
 *
 * Values lie side by side in one chunk, which doubles when it is full.  A large
 * chunk is a mapping of its own, and grows without being copied.  There is a
 * bitmap once an element is NULL; it is as large as bitmap_size() says.
 */
#include "sql/function.h"

#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "port/pg_bitutils.h"
#include "utils/datum.h"

#include "sql/aggregate.h"

/* A state that another process sent. */
typedef struct Received
{
	Gathered	state;			/* without values */
	const char *values;			/* where they came, at any address */
} Received;

/* The first size of a state. */
#define MIN_BYTES		128
#define MIN_BITMAP		8

/*
 * A smaller state of rows grows without a search for duplicates.  After a
 * search that has not made room, the next one waits until there is room for
 * SEARCH_FACTOR times as many values, or RARE_FACTOR times if hardly any value
 * was a duplicate.
 */
#define MIN_SEARCHED	16384
#define SEARCH_FACTOR	4
#define RARE_FACTOR		64

/*
 * Returns whether an aggregate's first argument is a constant, and the second
 * one a column.  It is as if they were in the wrong order: with advice on the
 * types or groups, the query would return an aggregate of the constant.
 */
static bool
is_reversed(FunctionCallInfo fcinfo)
{
	Aggref	   *aggregate = AggGetAggref(fcinfo);

	if (aggregate == NULL || list_length(aggregate->args) < 2)
		return false;
	return IsA(linitial_node(TargetEntry, aggregate->args)->expr, Const) &&
		contain_var_clause((Node *)
						   lsecond_node(TargetEntry, aggregate->args)->expr);
}

/* Raises 22023 for an argument that is not the same for all rows of a group. */
void
raise_differs(FunctionCallInfo fcinfo, const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 errhint("%s", is_reversed(fcinfo) ?
					 _("Write the values as the first argument.") : hint)));
}

/*
 * The type of a column that is an aggregate's argument.
 *
 * Raises 0A000 if it is not supported, or is no type of numbers.
 */
ElementType
gather_column_type(FunctionCallInfo fcinfo, Oid oid, bool numbers)
{
	ElementType type;

	if (is_supported_type(oid))
	{
		type = element_type(oid);
		if (type.is_number || !numbers)
			return type;
	}
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("columns of type %s are not supported",
					format_type_be(oid)),
			 is_reversed(fcinfo) ?
			 errhint("Write the values as the first argument.") :
			 getBaseType(oid) == NUMERICOID ?
			 errhint("PostgreSQL's own aggregates are exact.  "
					 "x::double precision has 15 digits.") :
			 numbers ?
			 errhint(NUMBER_TYPES_HINT "  For dates and times there is "
					 "gpu_percentile_disc_agg(x, fraction).") :
			 TypeCategory(oid) == TYPCATEGORY_STRING ?
			 errhint("PostgreSQL's percentile_disc(), mode(), count(DISTINCT x) "
					 "and array_agg() take texts.  A literal needs a cast to "
					 "its type.") :
			 errhint("%s", unsupported_type_hint(oid))));
	pg_unreachable();
}

/*
 * The type of an argument of a step function.  The aggregate's arguments begin
 * with 1.  It is found once in a query, with the types of all
 * other arguments.
 */
const ElementType *
gather_type(FunctionCallInfo fcinfo, int argument)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	ElementType *types;

	if (likely(flinfo->fn_extra != NULL))
		return (ElementType *) flinfo->fn_extra + argument;
	(void) rows_context(fcinfo);
	types = MemoryContextAllocZero(flinfo->fn_mcxt,
								   PG_NARGS() * sizeof(ElementType));
	for (int i = 1; i <= argument; i++)
		types[i] = gather_column_type(fcinfo, get_fn_expr_argtype(flinfo, i),
									  false);
	flinfo->fn_extra = types;
	return types + argument;
}

static Gathered *
make_state(MemoryContext context, GatherKind kind, const ElementType *type,
		   Size bytes)
{
	Gathered   *state = MemoryContextAllocHuge(context, bytes);

	memset(state, 0, sizeof(Gathered));
	state->kind = kind;
	state->size = type->size;
	state->row_length = -1;
	state->room = (bytes - sizeof(Gathered)) / type->size;
	state->array.elemtype = type->oid;
	state->lbound = 1;
	return state;
}

/* A state without rows, for a group. */
Gathered *
gather_begin(FunctionCallInfo fcinfo, GatherKind kind, const ElementType *type)
{
	return make_state(rows_context(fcinfo), kind, type, MIN_BYTES);
}

/*
 * The size of a state for as many values, which has room for no more than an
 * array may have.
 */
static Size
state_size(const ElementType *type, int64 values)
{
	Size		bytes = sizeof(Gathered) + values * type->size;
	Size		most = offsetof(Gathered, array) + MaxAllocSize;

	bytes = Max(pg_nextpower2_64(bytes), MIN_BYTES);
	return Max(Min(bytes, most), sizeof(Gathered) + values * type->size);
}

/* The size of a bitmap for as many elements. */
static Size
bitmap_size(int64 nitems)
{
	return pg_nextpower2_64(Max(null_bitmap_bytes(nitems), MIN_BITMAP));
}

/* Has a bitmap that has room for more elements. */
static void
grow_bitmap(Gathered *state, int64 more)
{
	int64		nitems = gather_nitems(state);
	Size		before = bitmap_size(nitems);
	Size		bytes = bitmap_size(nitems + more);

	if (state->bitmap == NULL)
	{
		before = 0;
		state->bitmap = MemoryContextAllocHuge(GetMemoryChunkContext(state),
											   bytes);
	}
	else if (bytes > before)
		state->bitmap = repalloc_huge(state->bitmap, bytes);
	set_bytes(state->bitmap + before, 0, bytes - before);
	if (before == 0)
		null_bitmap_set_values(state->bitmap, 0, nitems);
}

/* Returns whether duplicates may be left out of a state. */
static bool
may_leave_distinct(const Gathered *state)
{
	return state->kind == GATHER_DISTINCT || state->kind == GATHER_UNION;
}

/*
 * Counts the different values of a state.  If "leave", only these stay, in
 * order.  If "first" is not 0, the first values, as many, are different and in
 * order already, and so are the others.  The array of a row may be open, which
 * is another call.
 */
static int32
find_distinct(Gathered *state, int32 first, bool leave)
{
	ElementType type = element_type(state->array.elemtype);
	ArrayReader reader;
	ArrayReader second;
	LastCall	row;
	char	   *values;
	int32		count;

	row = call_suspend();
	call_begin(state->kind == GATHER_UNION ?
			   "gpu_distinct_agg" : "gpu_count_distinct");
	values = large_value_allocate((Size) state->nvalues * type.size);
	array_reader_open_values(&reader, &type, gather_values(state),
							 first > 0 ? first : state->nvalues);
	array_reader_open_values(&second, &type, gather_values(state) +
							 (Size) first * type.size, state->nvalues - first);
	count = first > 0 ? merge_values(&reader, &second, values) :
		leave ? distinct_values(&reader, NULL, values, false) :
		count_distinct_values(&reader, values);
	if (leave)
	{
		state->nvalues = state->in_order = count;
		move_bytes(gather_values(state), values, (Size) count * type.size);
	}
	pfree(values);
	call_end_unrecorded(&row);
	return count;
}

/* The same, unless the values are known to be different. */
int32
gather_count_distinct(Gathered *state, bool leave)
{
	return state->nvalues > 1 && state->in_order < state->nvalues ?
		find_distinct(state, 0, leave) : state->nvalues;
}

/* Returns whether a state can grow, and is too small to be searched first. */
static bool
need_not_search(const Gathered *state, int32 room)
{
	return state->kind == GATHER_DISTINCT && state->room < room &&
		state->room < (int64) MaxArraySize / 2;
}

/*
 * Leaves out duplicates, if a search for them may be worth it.  Returns whether
 * there is room for "needed" more values now, and for as many again unless
 * an array cannot have more.
 */
static bool
make_room_by_search(Gathered *state, int64 needed)
{
	bool		is_half = state->room < (int64) MaxArraySize / 2;
	int64		factor;

	if (need_not_search(state, Max(state->search_room, MIN_SEARCHED)))
		return false;
	(void) gather_count_distinct(state, true);
	if (state->nvalues + needed <= (is_half ? state->room / 2 : state->room))
		return true;
	factor = state->nvalues > state->room / 8 * INT64CONST(7) ?
		RARE_FACTOR : SEARCH_FACTOR;
	state->search_room = Min(state->room * factor, PG_INT32_MAX);
	return false;
}

/*
 * Makes room for "needed" more values.  If duplicates may be left out, they
 * are; the state grows if it is more than half full then.
 *
 * Raises 54000 if an array cannot have as many.  Of a union, only the values
 * that are left count: most of an array may be there already.
 */
Gathered *
gather_grow(Gathered *state, int64 needed)
{
	ElementType type = element_type(state->array.elemtype);
	bool		is_union = state->kind == GATHER_UNION;
	Size		bytes;

	if (may_leave_distinct(state) &&
		make_room_by_search(state, needed))
		return state;
	(void) array_writer_list_size(&type, state->nvalues +
								  (is_union ? 0 : needed), 0);
	needed += state->nvalues;
	bytes = is_union ? sizeof(Gathered) + type.size *
		Max(needed, Min(2 * needed, (int64) MaxArraySize)) :
		state_size(&type, Max(needed, state->room + INT64CONST(1)));
	state = repalloc_huge(state, bytes);
	state->room = Min((bytes - sizeof(Gathered)) / type.size,
					  Max(MaxArraySize, needed));
	return state;
}

/* Notes in the bitmap whether the next element is NULL. */
void
gather_note(Gathered *state, bool isnull)
{
	int64		at = gather_nitems(state);

	if (state->bitmap == NULL || at % BITS_PER_BYTE == 0)
		grow_bitmap(state, 1);
	if (!isnull)
		null_bitmap_set_value(state->bitmap, at);
}

/*
 * Appends the elements of an array, whose reader has the values alone.  The
 * state may move.
 *
 * Raises 42804 if the array is of another type than the state, and 54000 if
 * there are too many elements.
 */
Gathered *
gather_append(Gathered *state, ArrayReader *reader)
{
	bool		is_union = state->kind == GATHER_UNION;
	int64		nulls = array_reader_nulls(reader);

	rows_check_type(state->array.elemtype, reader->type.oid);
	if (is_union)
		nulls = nulls > 0 && state->nulls == 0;
	if (reader->nvalues > state->room - state->nvalues)
		state = gather_grow(state, reader->nvalues);
	if (!is_union && (state->bitmap != NULL || reader->nulls != NULL))
	{
		grow_bitmap(state, reader->nitems);
		nulls_append(reader, state->bitmap, gather_nitems(state));
	}
	array_reader_copy(reader, gather_values(state) +
					  (Size) state->nvalues * reader->type.size,
					  reader->nvalues);
	state->nulls += nulls;
	state->nvalues += reader->nvalues;
	Assert(state->nvalues <= state->room);
	return state;
}

/* Appends the elements of another state. */
static Gathered *
append_state(Gathered *state, const Received *received)
{
	const Gathered *other = &received->state;
	ElementType type = element_type(other->array.elemtype);
	ArrayReader reader;

	array_reader_open_values(&reader, &type, received->values,
							 other->nvalues);
	reader.nitems = gather_nitems(other);
	reader.nulls = other->bitmap;
	return gather_append(state, &reader);
}

/* The elements as an array, in memory of its own. */
Datum
gather_copy_array(const Gathered *state)
{
	ElementType type = element_type(state->array.elemtype);
	int64		nitems = gather_nitems(state);
	ArrayWriter writer;

	array_writer_begin_null_list(&writer, &type, nitems, state->nulls);
	if (writer.bitmap != NULL && state->bitmap != NULL)
		move_bytes(writer.bitmap, state->bitmap, null_bitmap_bytes(nitems));
	else if (writer.bitmap != NULL)
		null_bitmap_set_values(writer.bitmap, 0, state->nvalues);
	move_bytes(writer.values, gather_values(state),
			   (Size) state->nvalues * type.size);
	return array_writer_finish_null_list(&writer, nitems, state->nvalues);
}

/*
 * The elements as an array that a function can read: where they are, if none is
 * NULL.  More elements may be added afterwards.
 */
Datum
gather_array(Gathered *state)
{
	return state->bitmap != NULL ? gather_copy_array(state) :
		gather_values_array(state);
}

/* The same without the NULLs. */
Datum
gather_values_array(Gathered *state)
{
	Size		bytes = ARR_OVERHEAD_NONULLS(state->nvalues > 0) +
		(Size) state->nvalues * state->size;

	Assert(AllocSizeIsValid(bytes));
	state->array.ndim = state->nvalues > 0;
	state->length = state->nvalues;
	SET_VARSIZE(&state->array, bytes);
	return PointerGetDatum(&state->array);
}

/*
 * The call of a function of arrays that has an aggregate's result, made once
 * in a query.
 */
FunctionCallInfo
gather_call(FunctionCallInfo fcinfo, PGFunction function, int nargs)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	MemoryContext context = flinfo->fn_mcxt;
	FunctionCallInfo call = flinfo->fn_extra;
	FmgrInfo   *called;

	if (call == NULL)
	{
		(void) rows_context(fcinfo);
		called = MemoryContextAllocZero(context, sizeof(FmgrInfo));
		called->fn_addr = function;
		called->fn_nargs = nargs;
		called->fn_mcxt = context;
		call = MemoryContextAllocZero(context, SizeForFunctionCallInfo(nargs));
		InitFunctionCallInfoData(*call, called, nargs, InvalidOid, NULL, NULL);
		flinfo->fn_extra = call;
	}
	call->isnull = false;
	return call;
}

/* Gives a new state the fraction or the fractions of its group. */
static void
set_fractions(Gathered *state, Datum fractions)
{
	MemoryContext caller =
		MemoryContextSwitchTo(GetMemoryChunkContext(state));

	if (state->kind == GATHER_FRACTION || state->kind == GATHER_FRACTIONS)
		state->fractions = datumCopy(fractions, state->kind == GATHER_FRACTION,
									 -1);
	MemoryContextSwitchTo(caller);
}

/* An empty state, for the elements of another state. */
static Gathered *
begin_like(MemoryContext context, const Gathered *other)
{
	ElementType type = element_type(other->array.elemtype);
	Gathered   *state = make_state(context, other->kind, &type,
								   state_size(&type, other->nvalues));

	state->fractions = other->fractions;	/* or what is in their place */
	set_fractions(state, other->fractions);
	state->row_length = other->row_length;
	return state;
}

/*
 * Raises 22023 if a state has other fractions than a row or another state.
 */
static void
check_fractions(FunctionCallInfo fcinfo, const Gathered *state, GatherKind kind,
				Datum fractions)
{
	bool		same = state->kind == kind;

	if (same && (kind == GATHER_FRACTION || kind == GATHER_FRACTIONS))
		same = datumIsEqual(state->fractions, fractions,
							kind == GATHER_FRACTION, -1);
	if (!same)
		raise_differs(fcinfo, "fractions differ within a group",
					  _("Pass a constant, or add the fraction to GROUP BY."));
}

/*
 * The state of a group, which the first row begins.  If the kind is
 * GATHER_FRACTION, the third argument is the fraction or an array of fractions;
 * a median has none.
 *
 * Raises 22023 if they differ from the fractions of the rows before.
 */
Gathered *
gather_state(FunctionCallInfo fcinfo, GatherKind kind, const ElementType *type)
{
	Gathered   *state = state_argument(fcinfo, 0);
	Datum		fractions = Float8GetDatum(0.5);

	if (kind == GATHER_FRACTION && PG_NARGS() > 2)
	{
		if (PG_ARGISNULL(2))
			kind = GATHER_NULL_FRACTION;
		else if (get_fn_expr_argtype(fcinfo->flinfo, 2) == FLOAT8OID)
			/* no -0 */
			fractions = Float8GetDatum(PG_GETARG_FLOAT8(2) + 0.0);
		else
		{
			kind = GATHER_FRACTIONS;
			fractions = PointerGetDatum(PG_GETARG_ARRAYTYPE_P(2));
		}
	}
	if (state != NULL)
		check_fractions(fcinfo, state, kind, fractions);
	else
	{
		state = gather_begin(fcinfo, kind, type);
		set_fractions(state, fractions);
	}
	return state;
}

/*
 * Adds the elements of another state.  If both are without duplicates and in
 * order, they are merged.
 */
static Gathered *
merge_state(Gathered *state, const Received *received)
{
	int32		first = state->nvalues;
	bool		in_order = may_leave_distinct(state) && first > 0 &&
		state->in_order == first &&
		received->state.in_order == received->state.nvalues;

	state = append_state(state, received);
	if (in_order && first < state->nvalues)
		(void) find_distinct(state, first, true);
	return state;
}

SQL_FUNCTION(gpucompact_gather_combine)
{
	MemoryContext context = rows_context(fcinfo);
	Gathered   *state = state_argument(fcinfo, 0);
	const Received *received = state_argument(fcinfo, 1);

	if (received != NULL)
	{
		const Gathered *other = &received->state;
		bool		first = state == NULL;

		if (first)
			state = begin_like(context, other);
		else
		{
			check_fractions(fcinfo, state, other->kind, other->fractions);
			rows_check_length(fcinfo, state->row_length, other->row_length, 0);
		}
		state = merge_state(state, received);
		if (state->kind == GATHER_KEYED)
			state->keys = append_state(first ?
									   begin_like(context, other->keys) :
									   state->keys,
									   (Received *) other->keys);
	}
	return return_state(fcinfo, state);
}

/* The bytes of a state's bitmap that are used. */
static Size
bitmap_bytes(const Gathered *state)
{
	return state->bitmap == NULL ?
		0 : null_bitmap_bytes(gather_nitems(state));
}

/* Copies bytes to a place in a buffer, if there is one.  Returns their end. */
static Size
put_bytes(char *buffer, Size at, const void *from, Size bytes)
{
	if (buffer != NULL)
		move_bytes(buffer + at, from, bytes);
	return at + bytes;
}

/* Copies bytes.  Returns where those end that were copied. */
static const char *
get_bytes(void *to, const char *from, Size bytes)
{
	move_bytes(to, from, bytes);
	return from + bytes;
}

/* Writes the bytes of a state, as put_bytes does. */
static Size
put_state(char *buffer, Size at, const Gathered *state)
{
	at = put_bytes(buffer, at, state, sizeof(Gathered) +
				   (Size) state->nvalues * state->size);
	at = put_bytes(buffer, at, state->bitmap, bitmap_bytes(state));
	if (state->kind == GATHER_FRACTIONS)
		at = put_bytes(buffer, at, DatumGetPointer(state->fractions),
					   VARSIZE(DatumGetPointer(state->fractions)));
	return state->kind == GATHER_KEYED ?
		put_state(buffer, at, state->keys) : at;
}

/* Reads a state, whose values stay there. */
static void
get_state(const char *from, Gathered **state)
{
	Received   *received = palloc(sizeof(Received));

	*state = &received->state;
	from = get_bytes(*state, from, sizeof(Gathered));
	received->values = from;
	from += (Size) (*state)->nvalues * (*state)->size;
	if ((*state)->bitmap != NULL)
	{
		(*state)->bitmap = NULL;
		grow_bitmap(*state, 0);
		from = get_bytes((*state)->bitmap, from, bitmap_bytes(*state));
	}
	if ((*state)->kind == GATHER_FRACTIONS)
	{
		uint32		size;
		void	   *fractions;

		memcpy(&size, from, sizeof(size));
		fractions = palloc(VARSIZE(&size));
		from = get_bytes(fractions, from, VARSIZE(&size));
		(*state)->fractions = PointerGetDatum(fractions);
	}
	if ((*state)->kind == GATHER_KEYED)
		get_state(from, &(*state)->keys);
}

/*
 * A state as bytes, for another process of the same server.  Duplicates are
 * left out, unless the last search for them found few.
 *
 * Raises 54000 if there are too many bytes.
 */
SQL_FUNCTION(gpucompact_gather_serialize)
{
	Gathered   *state = aggregate_state(fcinfo);
	ArrayWriter writer;
	Size		bytes;

	if (may_leave_distinct(state) &&
		!need_not_search(state, state->search_room))
		(void) gather_count_distinct(state, true);
	bytes = put_state(NULL, 0, state);
	array_writer_begin_bytes(&writer, bytes);
	(void) put_state(writer.values, 0, state);
	return array_writer_finish_bytes(&writer, bytes);
}

/* The bytes of the argument are used until the state has been combined. */
SQL_FUNCTION(gpucompact_gather_deserialize)
{
	Gathered   *state;

	(void) rows_context(fcinfo);
	get_state(VARDATA_ANY(PG_GETARG_BYTEA_PP(0)), &state);
	PG_RETURN_POINTER(state);
}
