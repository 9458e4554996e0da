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

/*
 * Writes the values of an array that a set of distinct values has, or has not;
 * or if they may stay, defers them in a chain.  Returns how many they are.
 */
static int64
find_members(ArrayReader *reader, ArrayReader *set, bool outside, void *found,
			 bool stays)
{
	CallTable	table = call_table(set);
	EngineRequest request = {
		.operation = ENGINE_MEMBERS,
		.count = reader->count,
		.outputs[0] = {found, reader->type.kind},
		.stays = stays,
		.parameters = PARAMETERS_OF(MembersParameters, .outside = outside)
	};
	int64		count = call_engine_table(&request, reader, &table).count;

	call_table_free(&table);
	return count;
}

/*
 * Returns how many values of "many" another array has, or has not.  If "all" is
 * not NULL, *all is whether the other array has no others.
 */
static int64
count_members(ArrayReader *many, ArrayReader *few, bool outside, bool *all)
{
	int			size = many->type.size;
	char	   *set = large_value_allocate(few->count * size);
	char	   *found = large_value_allocate(many->count * size);
	int64		wanted = distinct_values(few, NULL, set, false);
	ArrayReader reader;
	int64		count;

	array_reader_open_values(&reader, &few->type, set, wanted);
	count = find_members(many, &reader, outside, found, false);
	pfree(set);
	if (all != NULL)
		*all = count >= wanted;
	if (all != NULL && *all)
	{
		set = large_value_allocate(count * size);
		array_reader_open_values(&reader, &many->type, found, count);
		*all = count_distinct_values(&reader, set) == wanted;
		pfree(set);
	}
	pfree(found);
	return count;
}

/* Returns whether two arrays have a value in common. */
static bool
have_common(ArrayReader *a, ArrayReader *b)
{
	bool		longer = a->count >= b->count;

	return a->count > 0 && b->count > 0 &&
		count_members(longer ? a : b, longer ? b : a, false, NULL) > 0;
}

/* Returns whether an array has all values of another one. */
static bool
has_all(ArrayReader *a, ArrayReader *b)
{
	bool		all;

	if (a->count == 0 || b->count == 0)
		return b->count == 0;
	if (a->count <= b->count)
		return count_members(b, a, true, NULL) == 0;
	(void) count_members(a, b, false, &all);
	return all;
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
	ArrayReader reader;
	ArrayReader members;
	ArrayWriter writer;
	int64		count = 0;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	call_open_list(&members, fcinfo, 1, NULLS_DROPPED);
	if (negate && members.nitems == 0)
	{
		array_reader_close(&members);
		return call_end_padded(&reader, reader.nitems);
	}

	array_writer_begin_list(&writer, &reader.type, reader.count);
	if (reader.count > 0 && members.count > 0 &&
		!(negate && members.nulls != NULL))
	{
		TemporaryArray *distinct = temporary_distinct(&members);

		count = find_members(&reader, &distinct->reader, negate,
							 writer.values, true);
		temporary_end(distinct);
	}
	array_reader_close(&members);
	return call_end(&reader, array_writer_finish_list(&writer, count));
}
