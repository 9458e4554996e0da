/*
 * members.c
 *	  SQL functions that return which elements of an array another one has, or
 *	  whether it has any or all.
 *
 * One array is sorted, and the engine looks up the values of the other in it.
 * The first values of a long array often decide whether it has any or all.  So
 * a few of them are looked up first, then more, and all only if these do not
 * decide it.
 */
#include "sql/function.h"

#include "contract/operations/members.h"

/*
 * Values that are tried first, and how many times more come next.  What is
 * tried in vain takes a small part of the time that all takes.
 */
#define FIRST_VALUES	4096
#define TIMES_MORE		16

/* Values in memory, with a reader of them. */
typedef struct Found
{
	ArrayReader reader;
	char	   *values;
} Found;

/* Room for as many values as a reader has. */
static void
begin_found(Found *found, const ArrayReader *reader)
{
	found->values = large_value_allocate(Max(reader->count, 1) *
										 reader->type.size);
}

static void
open_found(Found *found, const ArrayReader *reader, int64 count)
{
	array_reader_open_values(&found->reader, &reader->type, found->values,
							 count);
}

/* The distinct values of a reader, in order. */
static void
find_distinct(Found *found, ArrayReader *reader)
{
	begin_found(found, reader);
	open_found(found, reader,
			   distinct_values(reader, NULL, found->values, false));
}

/* The values of a reader that a table of distinct values has, or has not. */
static void
find_members(Found *found, ArrayReader *reader, Found *table, bool outside)
{
	CallTable	members = call_table(&table->reader);
	EngineRequest request = {
		.operation = ENGINE_MEMBERS,
		.count = reader->count,
		.outputs[0].kind = reader->type.kind,
		.parameters = PARAMETERS_OF(MembersParameters, .outside = outside)
	};

	begin_found(found, reader);
	request.outputs[0].memory = found->values;
	open_found(found, reader,
			   call_engine_table(&request, reader, &members).count);
	call_table_free(&members);
}

/* Frees the values, and returns how many there were. */
static int64
end_found(Found *found)
{
	pfree(found->values);
	return found->reader.count;
}

/* Returns whether two arrays have a value in common. */
static bool
have_common(ArrayReader *a, ArrayReader *b)
{
	ArrayReader *few = a->count < b->count ? a : b;
	ArrayReader *many = few == a ? b : a;
	Found		table;
	Found		common;

	if (few->count == 0)
		return false;
	find_distinct(&table, few);
	find_members(&common, many, &table, false);
	end_found(&table);
	return end_found(&common) > 0;
}

/* Returns whether an array has all values of another one. */
static bool
has_all(ArrayReader *a, ArrayReader *b)
{
	Found		table;
	Found		found;
	Found		kinds;
	int64		wanted;
	bool		enough = false;

	if (a->count == 0 || b->count == 0)
		return b->count == 0;
	if (a->count <= b->count)
	{
		find_distinct(&table, a);
		find_members(&found, b, &table, true);
		end_found(&table);
		return end_found(&found) == 0;
	}
	find_distinct(&table, b);
	find_members(&found, a, &table, false);
	wanted = end_found(&table);
	if (found.reader.count >= wanted)
	{
		find_distinct(&kinds, &found.reader);
		enough = end_found(&kinds) == wanted;
	}
	end_found(&found);
	return enough;
}

/* What a test says of the first values of two arrays. */
static bool
test_first(bool (*test) (ArrayReader *, ArrayReader *), ArrayReader *a,
		   int64 a_count, ArrayReader *b, int64 b_count)
{
	ArrayReader first_a;
	ArrayReader first_b;
	bool		answer;

	open_again(&first_a, a, a_count);
	open_again(&first_b, b, b_count);
	answer = test(&first_a, &first_b);
	array_reader_close(&first_b);
	array_reader_close(&first_a);
	return answer;
}

/*
 * The most values to try before all; none of a deferred value, whose elements
 * are not fetched for that.
 */
static int64
most_tried(const ArrayReader *a, const ArrayReader *b)
{
	return a->deferred != NULL || b->deferred != NULL ? 0 :
		Max(a->count, b->count) - 1;
}

static Datum
end_call(ArrayReader *a, ArrayReader *b, bool answer)
{
	array_reader_close(b);
	call_end_bytes(a, sizeof(answer));
	PG_RETURN_BOOL(answer);
}

/*
 * gpu_overlaps(a anycompatiblearray, b anycompatiblearray) returns boolean
 *
 * As a && b.
 */
SQL_CALL_FUNCTION(gpu_overlaps, "gpu_overlaps", 0)
{
	ArrayReader a;
	ArrayReader b;
	bool		overlap = false;

	call_open_array(&a, fcinfo, 0, NULLS_DROPPED, NULL);
	call_open_array(&b, fcinfo, 1, NULLS_DROPPED, NULL);
	for (int64 count = FIRST_VALUES;
		 count <= most_tried(&a, &b) && !overlap; count *= TIMES_MORE)
		overlap = test_first(have_common, &a, count, &b, count);
	return end_call(&a, &b, overlap || have_common(&a, &b));
}

/*
 * gpu_contains(a anycompatiblearray, b anycompatiblearray) returns boolean
 *
 * As a @> b: false if "b" has a NULL.  The first values of "a" may have all of
 * "b"; and the first of "b" may have one that "a" does not have.  The shorter
 * array is sorted for each try.
 */
SQL_CALL_FUNCTION(gpu_contains, "gpu_contains", 0)
{
	ArrayReader a;
	ArrayReader b;
	bool		answer = false;
	bool		known;

	call_open_array(&a, fcinfo, 0, NULLS_DROPPED, NULL);
	call_open_array(&b, fcinfo, 1, NULLS_DROPPED, NULL);
	known = b.nulls != NULL;
	for (int64 count = Max(FIRST_VALUES, TIMES_MORE * Min(a.count, b.count));
		 count <= most_tried(&a, &b) && !known; count *= TIMES_MORE)
	{
		bool		longer = a.count > b.count;

		/* Of the longer one, the first values are taken for all. */
		answer = test_first(has_all, &a, longer ? count : PG_INT32_MAX,
							&b, longer ? PG_INT32_MAX : count);
		known = answer == longer;
	}
	if (!known)
		answer = has_all(&a, &b);
	return end_call(&a, &b, answer);
}

/*
 * gpu_compact_in(a anycompatiblearray, b anycompatiblearray,
 *				negate boolean)
 *		returns anycompatiblearray
 *
 * The elements of "a", in their order, that "b" has; as
 * ARRAY(SELECT x FROM unnest(a) x WHERE x = ANY (b)).  If "negate", the elements
 * for which x <> ALL (b): none if "b" has a NULL; if "b" is empty, all
 * elements, NULLs included.
 */
SQL_CALL_FUNCTION(gpu_compact_in, "gpu_compact_in", 0)
{
	bool		negate = PG_GETARG_BOOL(2);
	EngineRequest request = {
		.operation = ENGINE_MEMBERS,
		.parameters = PARAMETERS_OF(MembersParameters, .outside = negate)
	};
	ArrayReader reader;
	ArrayReader members;
	ArrayWriter writer;
	ElementType type;
	bool		has_null;
	int64		count = 0;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_open_list(&members, fcinfo, 1, NULLS_DROPPED);
	type = reader.type;
	has_null = members.nulls != NULL;
	if (negate && members.nitems == 0)
	{
		array_reader_close(&members);
		return call_end_padded(&reader, reader.nitems);
	}

	request.count = members.count == 0 || (negate && has_null) ? 0 :
		reader.count;
	array_writer_begin_list(&writer, &type, request.count);
	request.outputs[0] = (EngineOutput) {writer.values, type.kind};
	request.stays = true;
	if (request.count > 0)
	{
		TemporaryArray *distinct = temporary_distinct(&members);
		CallTable	table = call_table(&distinct->reader);

		count = call_engine_table(&request, &reader, &table).count;
		call_table_free(&table);
		temporary_end(distinct);
	}
	array_reader_close(&members);
	return call_end(&reader, array_writer_finish_list(&writer, count));
}
