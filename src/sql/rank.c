/*
 * rank.c
 *	  The SQL function that ranks the elements of an array.
 *
 * The engine sorts the positions of the elements by the elements.  Then each
 * rank, in ascending order, is written to its element's position.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "array/large_value.h"
#include "contract/order.h"
#include "sql/operator.h"
#include "sql/sort.h"

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

/* Ranks between two checks for interrupts. */
#define STEP			4096

/* The rank of the next element in order, after the last one's. */
static inline int32
next_rank(RankMethod method, int64 i, bool same, int32 last)
{
	if (method == RANK_FIRST || (method == RANK_MIN && !same))
		return (int32) (i + 1);
	return same ? last : last + 1;
}

/* The bits of an element.  Equal elements have equal bits. */
static inline uint64
equal_bits(const char *element, bool is_float, int size)
{
	switch (size)
	{
		case 1:
			return *(const uint8 *) element;
		case 2:
			return *(const uint16 *) element;
		case 4:
			return is_float ? float4_canonicalize(*(const uint32 *) element) :
				*(const uint32 *) element;
		default:
			return is_float ? float8_canonicalize(*(const uint64 *) element) :
				*(const uint64 *) element;
	}
}

/* Ranks the elements by their positions in sorted order, NULLs last. */
static inline void
put_ranks(const ArrayReader *reader, const char *elements,
		  const int32 *positions, RankMethod method, int32 *ranks, int size)
{
	bool		is_float = kind_is_float(reader->type.kind);
	uint64		before = 0;
	int32		rank = 0;

	for (int64 i = 0; i < reader->nitems; i++)
	{
		int64		at = positions[i] - 1;
		bool		isnull = i >= reader->nvalues;
		uint64		bits = 0;
		bool		same;

		if (i % STEP == 0)
			CHECK_FOR_INTERRUPTS();
		if (i + FETCH_AHEAD < reader->nitems)
		{
			int64		ahead = positions[i + FETCH_AHEAD] - 1;

			__builtin_prefetch(elements + ahead * size);
			__builtin_prefetch(&ranks[ahead], 1);
		}
		if (!isnull)
			bits = equal_bits(elements + at * size, is_float, size);
		same = i > 0 && (isnull ? i > reader->nvalues : bits == before);
		rank = next_rank(method, i, same, rank);
		ranks[at] = rank;
		before = bits;
	}
}

/* Without ties, the ranks are the inverse of the positions. */
static void
put_numbers(const int32 *positions, int64 count, int32 *ranks)
{
	for (int64 i = 0; i < count; i++)
	{
		if (i % STEP == 0)
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
 * equal to each other.  The result has the lower bound of "a".
 *
 * Raises 22023 if there is no such method.
 */
Datum
gpu_rank(PG_FUNCTION_ARGS)
{
	ElementType type = element_type(INT4OID);
	RankMethod	method;
	SortOrder	order = {0};
	ArrayReader reader;
	ArrayReader elements;
	ArrayWriter writer;
	int32	   *positions;
	char	   *copy;

	call_begin("gpu_rank");
	method = (RankMethod) name_argument("method", PG_GETARG_DATUM(1),
										method_names, lengthof(method_names));
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
		const char *values;

		array_reader_open(&elements, PG_GETARG_DATUM(0), NULLS_FILLED, NULL);
		values = array_reader_all(&elements, &copy);
		CALL_WITH_SIZE(elements.type.size, put_ranks, &elements, values,
					   positions, method, (int32 *) writer.values);
		if (copy != NULL)
			pfree(copy);
		array_reader_close(&elements);
	}
	pfree(positions);
	return call_end(&reader, array_writer_finish(&writer));
}
