/*
 * downsample.c
 *	  The SQL functions that select elements for a chart.
 *
 * NULLs are skipped.  The position of an element counts NULLs; its place is the
 * number of values up to it.
 */
#include "compat.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "array/large_value.h"
#include "array/nulls.h"
#include "call/call.h"
#include "contract/operations/extremes.h"
#include "contract/operations/lttb.h"
#include "sql/operator.h"

PG_FUNCTION_INFO_V1(gpu_downsample);
PG_FUNCTION_INFO_V1(gpu_downsample_points);

/* Buckets between two checks for interrupts. */
#define BLOCK			1024

/* Places between two checks. */
#define STEP			65536

/* Places, in ascending order. */
typedef struct Chosen
{
	int32	   *places;
	int64		count;
} Chosen;

typedef struct Method
{
	int32		least;			/* n */
	int64		(*most) (int64 n);	/* places that it chooses */
	void		(*choose) (ArrayReader *reader, int64 n, Chosen *chosen);
} Method;

/* Chooses a place, unless this one or a later one has been chosen. */
static inline void
choose_place(Chosen *chosen, int64 place)
{
	if (chosen->count == 0 || chosen->places[chosen->count - 1] < place)
		chosen->places[chosen->count++] = (int32) place;
}

static int64
count_buckets(int64 n)
{
	return n / 2;
}

/*
 * Lists the number of values up to the end of each bucket that has any.
 * Bucket b of B, from 0 on, begins after position b * nitems / B.
 */
static int64
list_ends(const ArrayReader *reader, int64 buckets, int64 *ends)
{
	int64		kept = 0;
	int64		from = 0;
	int64		values = 0;

	for (int64 bucket = 1; bucket <= buckets; bucket++)
	{
		int64		to = bucket * reader->nitems / buckets;
		int64		more = reader->nulls == NULL ? to - from :
			null_bitmap_count_values(reader->nulls, from, to);

		if (bucket % BLOCK == 0)
			CHECK_FOR_INTERRUPTS();
		values += more;
		from = to;
		if (more > 0)
			ends[kept++] = values;
	}
	return kept;
}

static int64
most_extremes(int64 n)
{
	return 2 * count_buckets(n) + 2;
}

/* The first of the least, and of the greatest, values of each bucket. */
static void
choose_extremes(ArrayReader *reader, int64 n, Chosen *chosen)
{
	int64		buckets = count_buckets(n);
	int64	   *ends = large_value_allocate(buckets * sizeof(int64));
	EngineExtremes *extremes;
	EngineRequest request = {
		.operation = ENGINE_EXTREMES,
		.count = reader->count,
		.outputs[0].kind = KIND_INT4,
		.table = ends
	};

	buckets = list_ends(reader, buckets, ends);
	extremes = large_value_allocate(buckets * sizeof(EngineExtremes));
	request.table_bytes = buckets * sizeof(int64);
	request.summary = extremes;
	request.summary_bytes = buckets * sizeof(EngineExtremes);
	(void) call_engine(&request, reader);

	choose_place(chosen, 1);
	for (int64 i = 0; i < buckets; i++)
	{
		if (i % STEP == 0)
			CHECK_FOR_INTERRUPTS();
		choose_place(chosen,
					 Min(extremes[i].least_at, extremes[i].greatest_at));
		choose_place(chosen,
					 Max(extremes[i].least_at, extremes[i].greatest_at));
	}
	choose_place(chosen, reader->count);
	pfree(extremes);
	pfree(ends);
}

static int64
most_triangles(int64 n)
{
	return n;
}

/* Of n - 2 buckets, the values that make the largest triangles. */
static void
choose_triangles(ArrayReader *reader, int64 n, Chosen *chosen)
{
	CallInput	positions = positions_input(reader);
	EngineRequest request = {
		.operation = ENGINE_LTTB,
		.count = reader->count,
		.kinds[1] = KIND_INT4,
		.outputs[0] = {chosen->places, KIND_INT4},
		.room = n,
		.parameters = PARAMETERS_OF(LttbParameters, .chosen = n)
	};
	EngineResult result = reader->nulls == NULL ?
		call_engine(&request, reader) :
		call_engine_beside(&request, reader, &positions);

	chosen->count = result.count;
}

static void
choose_all(const ArrayReader *reader, Chosen *chosen)
{
	for (int64 place = 1; place <= reader->count; place++)
	{
		if (place % STEP == 0)
			CHECK_FOR_INTERRUPTS();
		choose_place(chosen, place);
	}
}

/*
 * Opens the array, and chooses places for the arguments "n" and "method", into
 * a list that begins here.  The reader is left at its first value.
 *
 * Raises 22023 if there is no such method, or n is too small for it.
 */
static Chosen
choose_places(const char *function, FunctionCallInfo fcinfo,
			  ArrayReader *reader, ArrayWriter *list)
{
	static const char *const names[] = {"minmax", "lttb"};
	static const Method methods[] = {
		{2, most_extremes, choose_extremes},
		{3, most_triangles, choose_triangles}
	};
	int64		n = PG_GETARG_INT32(1);
	int			number;
	const Method *method;
	ElementType type = element_type(INT4OID);
	ReaderPlace start;
	Chosen		chosen = {0};

	call_begin(function);
	number = method_argument(function, PG_GETARG_DATUM(2), names,
							 lengthof(names));
	method = &methods[number];
	if (n < method->least)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("n must be at least %d for method \"%s\"",
						method->least, names[number])));
	call_open_list(reader, fcinfo, 0, NULLS_DROPPED);
	check_number(&reader->type);
	array_writer_begin_list(list, &type, Min(reader->count, method->most(n)));
	chosen.places = (int32 *) list->values;
	start = reader->at;
	if (reader->count > n)
		method->choose(reader, n, &chosen);
	else
		choose_all(reader, &chosen);
	reader->at = start;
	return chosen;
}

/* The list of the places, turned into positions. */
static Datum
finish_positions(const ArrayReader *reader, const Chosen *chosen,
				 ArrayWriter *list)
{
	if (reader->nulls != NULL)
		nulls_renumber(reader, chosen->places, chosen->count);
	return array_writer_finish_list(list, chosen->count);
}

/* The values at the places. */
static Datum
take_values(ArrayReader *reader, const Chosen *chosen)
{
	int			size = reader->type.size;
	int64		at = 0;			/* values that have been read or skipped */
	ArrayWriter writer;

	array_writer_begin_list(&writer, &reader->type, chosen->count);
	for (int64 i = 0, block; i < chosen->count; at += block)
	{
		double		buffer[BLOCK];
		const char *values;

		CHECK_FOR_INTERRUPTS();
		array_reader_skip(reader, chosen->places[i] - 1 - at);
		at = chosen->places[i] - 1;
		block = Min(BLOCK, reader->count - at);
		values = array_reader_next(reader, buffer, block);
		for (; i < chosen->count && chosen->places[i] <= at + block; i++)
			memcpy(writer.values + i * size,
				   values + (chosen->places[i] - 1 - at) * size, size);
	}
	return array_writer_finish_list(&writer, chosen->count);
}

/*
 * gpu_downsample(a anyarray, n integer, method text) returns integer[]
 *
 * Positions, in ascending order, of values whose line chart looks like the
 * chart of all values.  The method "minmax" takes the first of the least and
 * the first of the greatest values of each of n / 2 buckets; "lttb" takes n
 * values.  The first and the last value are always taken.
 */
Datum
gpu_downsample(PG_FUNCTION_ARGS)
{
	ArrayReader reader;
	ArrayWriter list;
	Chosen		chosen = choose_places("gpu_downsample", fcinfo, &reader,
									   &list);

	return call_end(&reader, finish_positions(&reader, &chosen, &list));
}

/*
 * gpu_downsample_points(a anyarray, n integer, method text,
 *						 OUT positions integer[], OUT "values" anyarray)
 *
 * The positions that gpu_downsample returns, and the values there.
 */
Datum
gpu_downsample_points(PG_FUNCTION_ARGS)
{
	TupleDesc	row_type = call_row_type(fcinfo);
	ArrayReader reader;
	ArrayWriter list;
	Chosen		chosen = choose_places("gpu_downsample_points", fcinfo,
									   &reader, &list);
	Datum		values = take_values(&reader, &chosen);
	Datum		positions = finish_positions(&reader, &chosen, &list);

	return call_end(&reader, call_make_row(row_type, positions, values,
										   chosen.count));
}
