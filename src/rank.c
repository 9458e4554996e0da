/*
 * rank.c
 *	  The SQL function that ranks the elements of an array.
 *
 * The engine sorts the positions of the elements by these; then the ranks,
 * which are in order, go back to the positions.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "array/large_value.h"
#include "operator.h"
#include "sort.h"

PG_FUNCTION_INFO_V1(gpu_rank);

typedef enum RankMethod
{
	RANK_DENSE,
	RANK_MIN,
	RANK_FIRST
} RankMethod;

static const char *const method_names[] = {
	[RANK_DENSE] = "dense",
	[RANK_MIN] = "min",
	[RANK_FIRST] = "first"
};

/* Prefetch distance, as the elements are scattered over memory. */
#define FETCH_AHEAD		32

/* The rank of the next element in order, after the last one's. */
static inline int32
next_rank(RankMethod method, int64 i, bool same, int32 last)
{
	if (method == RANK_FIRST || (method == RANK_MIN && !same))
		return (int32) (i + 1);
	return same ? last : last + 1;
}

/* Ranks the elements at these positions, which are in order, NULLs last. */
static void
put_ranks(const ArrayReader *reader, const char *elements,
		  const int32 *positions, RankMethod method, int32 *ranks)
{
	ElementKind kind = reader->type.kind;
	int			size = reader->type.size;
	uint64		before = 0;
	int32		rank = 0;

	for (int64 i = 0; i < reader->nitems; i++)
	{
		int64		at = positions[i] - 1;
		bool		isnull = i >= reader->nvalues;
		uint64		order = 0;
		bool		same;

		CHECK_FOR_INTERRUPTS();
		if (i + FETCH_AHEAD < reader->nitems)
		{
			int64		ahead = positions[i + FETCH_AHEAD] - 1;

			__builtin_prefetch(elements + ahead * size);
			__builtin_prefetch(&ranks[ahead], 1);
		}
		if (!isnull)
			order = element_order(kind, elements + at * size);
		same = i > 0 && (isnull ? i > reader->nvalues : order == before);
		rank = next_rank(method, i, same, rank);
		ranks[at] = rank;
		before = order;
	}
}

/* Without ties, the ranks are the inverse of the positions. */
static void
put_numbers(const int32 *positions, int64 count, int32 *ranks)
{
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i + FETCH_AHEAD < count)
			__builtin_prefetch(&ranks[positions[i + FETCH_AHEAD] - 1], 1);
		ranks[positions[i] - 1] = (int32) (i + 1);
	}
}

/*
 * gpu_rank(a anyarray, method text) returns integer[]
 *
 * As dense_rank() ('dense'), rank() ('min') or row_number() ('first', equal
 * elements by their position) OVER (ORDER BY x).  NULLs come last, and are
 * equal to each other.  As the number of elements stays, so does the lower
 * bound.
 *
 * Raises 22023 if there is no such method.
 */
Datum
gpu_rank(PG_FUNCTION_ARGS)
{
	RankMethod	method = (RankMethod)
		name_argument("method", PG_GETARG_DATUM(1), method_names,
					  lengthof(method_names));
	ElementType type = element_type(INT4OID);
	SortOrder	order = {0};
	ArrayReader reader;
	ArrayReader elements;
	ArrayWriter writer;
	int32	   *positions;
	char	   *copy;

	call_begin("gpu_rank");
	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	array_writer_begin(&writer, &type,
					   reader.ndim, reader.dims, reader.lbounds,
					   0, NULLS_LAST);
	positions = large_value_allocate(reader.nitems * sizeof(int32));
	sort_positions(&reader, order, positions);
	if (method == RANK_FIRST)
		put_numbers(positions, reader.nitems, (int32 *) writer.values);
	else
	{
		array_reader_open(&elements, PG_GETARG_DATUM(0), NULLS_FILLED, NULL);
		put_ranks(&elements, array_reader_all(&elements, &copy), positions,
				  method, (int32 *) writer.values);
		if (copy != NULL)
			pfree(copy);
		array_reader_close(&elements);
	}
	pfree(positions);
	return call_end(&reader, array_writer_finish(&writer));
}
