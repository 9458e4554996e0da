/*
 * downsample.c
 *	  The SQL functions that select elements for a chart.
 *
 * NULLs are skipped.  The position of an element counts NULLs; its place is the
 * number of values up to it.  The x of an element is its position, or is in an
 * array of its own.
 */
#include "sql/function.h"

#include <math.h>

#include "contract/operations/extremes.h"
#include "contract/operations/lttb.h"
#include "loops/numbers.h"

/* Places, in ascending order. */
typedef struct Chosen
{
	int32	   *places;
	int64		count;
} Chosen;

/* The elements of a call. */
typedef struct Series
{
	ArrayReader a;
	bool		has_x;
	ArrayReader x;				/* the distances from the first x */
} Series;

/* Chooses a place, unless this one or a later one has been chosen. */
static inline void
choose_place(Chosen *chosen, int64 place)
{
	if (chosen->count == 0 || chosen->places[chosen->count - 1] < place)
		chosen->places[chosen->count++] = (int32) place;
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

		CHECK_FOR_INTERRUPTS();
		values += more;
		from = to;
		if (more > 0)
			ends[kept++] = values;
	}
	return kept;
}

/*
 * As list_ends, by x: an x is in bucket b of B if B times its distance from the
 * first x, divided by the last x's, is from b to before b + 1, and the last x
 * is in the last bucket.  There is but one if the last x is the first, or is
 * not at a finite distance.
 */
static int64
list_ends_by_x(const ArrayReader *x, int64 buckets, int64 *ends)
{
	const double *distances = (const double *)
		ARR_DATA_PTR(DatumGetArrayTypeP(x->datum));
	double		last = distances[x->count - 1];
	int64		kept = 0;
	int64		bucket = 0;

	for (int64 i = 0; last > 0 && isfinite(last) && i < x->count; i++)
	{
		int64		own = (int64) (distances[i] / last * buckets);

		CHECK_FOR_INTERRUPTS();
		own = Min(own, buckets - 1);
		if (own > bucket)
			ends[kept++] = i;
		bucket = own;
	}
	ends[kept++] = x->count;
	return kept;
}

/* The first of the least, and of the greatest, values of each bucket. */
static void
choose_extremes(Series *series, int64 n, Chosen *chosen)
{
	ArrayReader *reader = &series->a;
	int64		buckets = n / 2;
	int64	   *ends = large_value_allocate(buckets * sizeof(int64));
	EngineExtremes *extremes;
	EngineRequest request = {
		.operation = ENGINE_EXTREMES,
		.count = reader->count,
		.outputs[0].kind = KIND_INT4,
		.table = ends
	};

	buckets = series->has_x ? list_ends_by_x(&series->x, buckets, ends) :
		list_ends(reader, buckets, ends);
	extremes = large_value_allocate(buckets * sizeof(EngineExtremes));
	request.table_bytes = buckets * sizeof(int64);
	request.summary = extremes;
	request.summary_bytes = buckets * sizeof(EngineExtremes);
	(void) call_engine(&request, reader);

	choose_place(chosen, 1);
	for (int64 i = 0; i < buckets; i++)
	{
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

/* Of n - 2 buckets, the values that make the largest triangles. */
static void
choose_triangles(Series *series, int64 n, Chosen *chosen)
{
	ArrayReader *reader = &series->a;
	CallInput	x = series->has_x ? array_input(&series->x) :
		positions_input(reader);
	EngineRequest request = {
		.operation = ENGINE_LTTB,
		.count = reader->count,
		.kinds[1] = series->has_x ? KIND_FLOAT8 : KIND_INT4,
		.outputs[0] = {chosen->places, KIND_INT4},
		.room = n,
		.parameters = PARAMETERS_OF(LttbParameters, .chosen = n)
	};
	EngineResult result = !series->has_x && reader->nulls == NULL ?
		call_engine(&request, reader) :
		call_engine_paired(&request, reader, &x);

	chosen->count = result.count;
}

/*
 * Opens the arrays, and chooses places for the arguments "n" and "method",
 * which follow them, into a list that begins here.  The reader of the values is
 * left at its first value.
 */
static Chosen
choose_places(FunctionCallInfo fcinfo, Series *series, ArrayWriter *list)
{
	static const char *const names[] = {"minmax", "lttb"};
	ArrayReader *reader = &series->a;
	int			arrays = series->has_x ? 2 : 1;
	int64		n = PG_GETARG_INT32(arrays);
	int			method = name_argument(fcinfo, "method",
									   PG_GETARG_DATUM(arrays + 1), names,
									   lengthof(names));
	int			least = method == 0 ? 2 : 3;
	ArrayReader x;
	ReaderPlace start;
	Chosen		chosen = {0};

	if (n < least)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("n must be at least %d for method \"%s\"",
						least, names[method])));
	if (series->has_x)
		series_open_x(&x, fcinfo);
	call_open_list(reader, fcinfo, arrays - 1, NULLS_DROPPED);
	if (series->has_x)
	{
		/* The distances where there is a value. */
		call_check_pair(&x, "x", reader, "a");
		array_reader_open(&series->x,
						  series_distances(&x, reader->nulls, reader->count),
						  NULLS_DROPPED, NULL);
		array_reader_close(&x);
	}
	call_check_number(reader, fcinfo, arrays - 1);
	/* The first and the last value may come in addition to n others. */
	array_writer_begin_list(list, int4_type, Min(reader->count, n + 2));
	chosen.places = (int32 *) list->values;
	start = reader->at;
	if (reader->count <= n)
	{
		number_from(chosen.places, 1, reader->count);
		chosen.count = reader->count;
	}
	else if (method == 0)
		choose_extremes(series, n, &chosen);
	else
		choose_triangles(series, n, &chosen);
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

/*
 * gpu_downsample(a anyarray, n integer, method text) returns integer[]
 *
 * Positions, in ascending order, of values whose line chart looks like the
 * chart of all values.  The method "minmax" takes the first of the least and
 * the first of the greatest values of each of n / 2 buckets; "lttb" takes n
 * values.  The first and the last value are always taken.
 *
 * gpu_downsample(x anycompatiblearray, a anyarray, n integer, method text)
 * returns integer[]
 *
 * The same for points whose x is in an array, in ascending order: buckets of
 * "minmax" have the same width in x, and the triangles of "lttb" have corners
 * at x.
 *
 * Raises 22004 if x has a NULL, 22023 if it descends, if there is no such
 * method or n is too small for it, and 2202E if the arrays differ in length.
 */
SQL_CALL_FUNCTION(gpu_downsample, "gpu_downsample", 0)
{
	Series		series = {.has_x = PG_NARGS() == 4};
	ArrayWriter list;
	Chosen		chosen = choose_places(fcinfo, &series, &list);

	if (series.has_x)
	{
		array_reader_close(&series.x);
		pfree(DatumGetPointer(series.x.datum));
	}
	return call_end(&series.a, finish_positions(&series.a, &chosen, &list));
}

/*
 * gpu_downsample_points(a anyarray, n integer, method text,
 *						 OUT positions integer[], OUT "values" anyarray)
 *
 * The positions that gpu_downsample returns, and the values there.
 */
SQL_CALL_FUNCTION(gpu_downsample_points, "gpu_downsample_points", 0)
{
	TupleDesc	row_type = call_row_type(fcinfo, 2, NULL);
	Series		series = {.has_x = false};
	ArrayWriter list;
	Chosen		chosen = choose_places(fcinfo, &series, &list);
	char	   *values = values_at(&series.a, chosen.places, chosen.count);
	RowColumn	columns[] = {
		{list.type, chosen.places, chosen.count},
		{series.a.type, values, chosen.count}
	};

	(void) finish_positions(&series.a, &chosen, &list);
	return call_end(&series.a, row_of_arrays(columns, lengthof(columns),
											 chosen.count, row_type));
}
