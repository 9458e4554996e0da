/*
 * sets.c
 *	  SQL functions that take two arrays as sets.
 *
 * An engine merges arrays that are in order, and reports an array that is
 * not.  An array whose beginning is not in order is sorted first.  NULL is
 * equal to NULL here, as in UNION, and comes last.
 */
#include "sql/function.h"

#include "contract/operations/set.h"

/* Elements at the beginning of an array that are checked for order. */
#define BEGINNING		8192

/* An array, whose values an engine is to have in order. */
typedef struct Set
{
	ArrayReader reader;
	bool		has_null;
	bool		in_order;		/* as far as we know */
	TemporaryArray *distinct;	/* its distinct values in order, or NULL */
} Set;

/* The values that an engine gets. */
static ArrayReader *
set_reader(Set *set)
{
	return set->distinct != NULL ? &set->distinct->reader : &set->reader;
}

/*
 * Returns whether the first values of an array are in order.  What is on a
 * device is not fetched to find out.
 */
static bool
begins_in_order(ArrayReader *reader)
{
	int64		count;
	const char *values;
	int			size = reader->type.size;
	uint64		before = 0;

	if (reader->deferred != NULL && reader->deferred->resident != 0)
		return true;
	values = array_reader_peek(reader, &count);
	count = Min(count, BEGINNING);
	for (int64 i = 0; i < count; i++)
	{
		uint64		order = element_order(reader->type.kind, values + i * size);

		if (order < before)
			return false;
		before = order;
	}
	return true;
}

static void
open_set(Set *set, FunctionCallInfo fcinfo, int argument)
{
	call_open_list(&set->reader, fcinfo, argument, NULLS_DROPPED);
	set->has_null = set->reader.nulls != NULL;
	set->in_order = begins_in_order(&set->reader);
	set->distinct = NULL;
}

/* Reopens the reader at the beginning. */
static void
reopen_set(Set *set)
{
	if (set->distinct != NULL)
		temporary_reopen(set->distinct);
	else
		array_reader_restart(&set->reader);
}

static void
close_set(Set *set)
{
	if (set->distinct != NULL)
		temporary_end(set->distinct);
	array_reader_close(&set->reader);
}

/* Replaces a set by its distinct values, in order. */
static void
sort_set(Set *set)
{
	set->distinct = temporary_distinct(&set->reader);
	set->in_order = true;
}

static EngineResult
run_set(SetOperator op, ArrayReader *first, ArrayReader *second, void *out,
		int64 room, bool stays)
{
	CallInput	joined = joined_input(first, second);
	EngineRequest request = {
		.operation = ENGINE_SET,
		.count = first->count + second->count,
		.joined = second->count,
		.room = room,
		.outputs[0] = {out, first->type.kind},
		.stays = stays,
		.parameters = PARAMETERS_OF(SetParameters, op)
	};

	return call_engine_inputs(&request, (CallInput *[]) {&joined}, 1);
}

/*
 * Writes the distinct values of two arrays that are in order, in order.
 * Returns how many they are.
 */
int64
merge_values(ArrayReader *first, ArrayReader *second, void *values)
{
	EngineResult result = run_set(SET_UNION, first, second, values,
								  first->count + second->count, false);

	Assert(result.errors == 0);
	return result.count;
}

/*
 * Writes the values of the result, if "out" is not NULL; or if they may stay,
 * defers them in a chain.  Returns how many there are.  If there are more than
 * "room", they are only counted.
 */
static int64
combine(SetOperator op, Set *a, Set *b, void *out, int64 room, bool stays)
{
	for (;;)
	{
		ArrayReader *first = set_reader(a);
		ArrayReader *second = set_reader(b);
		EngineResult result;

		if (op == SET_INTERSECT && (first->count == 0 || second->count == 0))
			return 0;
		if (a->in_order && b->in_order)
		{
			result = run_set(op, first, second, out, room, stays);
			if (result.errors == 0)
				return result.count;
			defer_not();
			a->in_order = (result.errors & 1) == 0;
			b->in_order = (result.errors & 2) == 0;
			reopen_set(a);
			reopen_set(b);
		}
		if (!a->in_order)
			sort_set(a);
		if (!b->in_order)
			sort_set(b);
	}
}

static bool
has_null(SetOperator op, const Set *a, const Set *b)
{
	return op == SET_UNION ? a->has_null || b->has_null :
		op == SET_INTERSECT ? a->has_null && b->has_null :
		a->has_null && !b->has_null;
}

/*
 * The result of an operation as an array.
 *
 * Raises 54000 if that would be too large.
 */
static Datum
set_result(FunctionCallInfo fcinfo, SetOperator op)
{
	Set			a;
	Set			b;
	ElementType type;
	ArrayWriter writer;
	int64		most;			/* values that the result can have */
	int64		room;
	int64		count;
	bool		null;
	bool		sorts_both;
	Size		bytes = MaxAllocSize - ARR_OVERHEAD_WITHNULLS(1, 0);

	open_set(&a, fcinfo, 0);
	open_set(&b, fcinfo, 1);
	type = a.reader.type;
	null = has_null(op, &a, &b);
	most = op == SET_UNION ? a.reader.count + b.reader.count :
		op == SET_INTERSECT ? Min(a.reader.count, b.reader.count) :
		a.reader.count;
	/* An array can have no more, with or without a NULL. */
	room = null ? bytes * 8 / (type.size * 8 + 1) : bytes / type.size;
	room = Min(most, Min(room, (int64) MaxArraySize - null));
	array_writer_begin_null_list(&writer, &type, room + null, null);

	/* Two sorts and a merge take longer than one sort of all. */
	sorts_both = op == SET_UNION && room == most &&
		(!a.in_order || a.reader.count == 0) &&
		(!b.in_order || b.reader.count == 0);
	count = sorts_both ?
		distinct_values(&a.reader, &b.reader, writer.values, !null) :
		combine(op, &a, &b, writer.values, room, !null && room == most);
	if (count > room)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)",
						(int) MaxArraySize),
				 errdetail("The result would have " INT64_FORMAT
						   " elements of %d bytes.", count, type.size)));
	close_set(&b);
	close_set(&a);
	return call_end(&a.reader, array_writer_finish_null_last(&writer, count));
}

/*
 * gpu_union, gpu_intersect and gpu_except(a anycompatiblearray,
 *		b anycompatiblearray) returns anycompatiblearray
 *
 * As SELECT unnest(a) UNION, INTERSECT or EXCEPT SELECT unnest(b) ORDER BY 1.
 */
SQL_CALL(gpu_union, "gpu_union", set_result(fcinfo, SET_UNION))
SQL_CALL(gpu_intersect, "gpu_intersect", set_result(fcinfo, SET_INTERSECT))
SQL_CALL(gpu_except, "gpu_except", set_result(fcinfo, SET_EXCEPT))

/*
 * gpu_intersect_count(a anycompatiblearray, b anycompatiblearray)
 *		returns integer
 *
 * The cardinality of the intersection, which is not written.
 */
SQL_CALL_FUNCTION(gpu_intersect_count, "gpu_intersect_count", 0)
{
	Set			a;
	Set			b;
	int64		count;

	open_set(&a, fcinfo, 0);
	open_set(&b, fcinfo, 1);
	count = combine(SET_INTERSECT, &a, &b, NULL, 0, false) +
		(has_null(SET_INTERSECT, &a, &b) ? 1 : 0);
	close_set(&b);
	close_set(&a);
	call_end_bytes(&a.reader, sizeof(int32));
	PG_RETURN_INT32((int32) count);
}
