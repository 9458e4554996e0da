/*
 * window.c
 *	  SQL functions that look at a frame of elements around each element.
 *
 * The engine gets the operator's neutral element in place of each NULL.  For
 * percentiles it gets the greatest element, and the number of values in each
 * frame.  A frame without a value lies within a run of NULLs, and its result
 * is NULL.
 */
#include "sql/function.h"

#include "contract/operations/window.h"
#include "contract/operations/window_percentile.h"
#include "loops/bitmaps.h"

/* A frame: how many elements before and after an element are in it. */
typedef struct Frame
{
	int64		preceding;
	int64		following;
} Frame;

static const char *const operator_names[] = {"+", "min", "max"};
static const ScanOperator operators[] = {SCAN_ADD, SCAN_MIN, SCAN_MAX};

/*
 * The frame, from the arguments from "argument" on.
 *
 * Raises 22013, in core's words, if one of them is negative.
 */
static Frame
frame_argument(FunctionCallInfo fcinfo, int argument)
{
	return (Frame) {
		at_least(0, "frame starting offset", PG_GETARG_INT32(argument),
					 ERRCODE_INVALID_PRECEDING_OR_FOLLOWING_SIZE),
		at_least(0, "frame ending offset", PG_GETARG_INT32(argument + 1),
					 ERRCODE_INVALID_PRECEDING_OR_FOLLOWING_SIZE)
	};
}

/*
 * Counts the results that are NULL, as their frames have no value; or, if there
 * is a bitmap, marks the others.
 */
static int64
find_nulls(const ArrayReader *reader, Frame frame, uint8 *bitmap)
{
	NullRun		run = {0};
	int64		nulls = 0;
	int64		from = 0;		/* the last results that are not NULL */
	int64		to = 0;

	if (reader->nulls == NULL)
		return 0;
	while (null_bitmap_next_run(reader->nulls, reader->nitems, &run))
	{
		int64		first = run.from - frame.following;

		if (run.isnull)
			continue;
		if (first > to)
		{
			nulls += first - to;
			if (bitmap != NULL)
				null_bitmap_set_values(bitmap, from, to);
			from = first;
		}
		to = Min(run.to + frame.preceding, reader->nitems);
	}
	if (bitmap != NULL)
		null_bitmap_set_values(bitmap, from, to);
	return nulls + reader->nitems - to;
}

/* Counts the values of each frame, with room for "more" numbers behind them. */
static int32 *
count_values(const ArrayReader *reader, Frame frame, int64 more)
{
	int64		nitems = reader->nitems;
	int64		room = TYPEALIGN(BITS_PER_BYTE, nitems);
	int32	   *counts = large_value_allocate((room + more) * sizeof(int32));
	BitFrames	frames = {
		.bitmap = reader->nulls,
		.nbits = nitems,
		.enters = frame.following,
		.leaves = -frame.preceding - 1,
		.ones = null_bitmap_count_values(reader->nulls, 0,
										 Min(frame.following, nitems))
	};

	for (int64 i = 0; i < room; i += CHECK_STEP)
	{
		CHECK_FOR_INTERRUPTS();
		count_ones(&frames, counts + i, Min(CHECK_STEP, room - i));
	}
	return counts;
}

/* Ends the call, whose results of frames without values are NULL. */
static Datum
end_frames(ArrayReader *reader, Frame frame, ArrayWriter *writer)
{
	if (writer->bitmap != NULL)
		(void) find_nulls(reader, frame, writer->bitmap);
	return call_end_null_results(reader, writer);
}

/*
 * The result for each frame of an array; or, if "average", the average of the
 * frame, for which the operator is a sum.
 */
static Datum
slide(FunctionCallInfo fcinfo, ScanOperator operator, Frame frame, bool average)
{
	EngineRequest request = {.operation = ENGINE_WINDOW};
	ElementType type;
	ArrayReader reader;
	ArrayWriter writer;
	int32	   *counts = NULL;
	bool		is_behind;		/* no NULLs but leading ones */
	int64		nulls;

	call_open_array(&reader, fcinfo, 0, frame.following == 0 ?
					NULLS_FILLED_WITHIN : NULLS_FILLED, scan_neutral[operator]);
	call_check_list(&reader);
	is_behind = reader.nulls == NULL;
	if (average)
		check_number(&reader.type);
	else
		scan_check_operator(operator, &reader.type);
	type = average ? *float8_type : reader.type;
	nulls = is_behind ? reader.leading_nulls : find_nulls(&reader, frame, NULL);
	if (is_behind)
		array_writer_begin(&writer, &type, &reader, nulls, NULLS_FIRST);
	else
		array_writer_begin_filled(&writer, &type, &reader, nulls);
	request.stays = is_behind;
	request.parameters = PARAMETERS_OF(WindowParameters,
									   .op = operator,
									   .average = average,
									   .preceding = frame.preceding,
									   .following = frame.following);
	if (average && reader.nulls != NULL)
	{
		request.table = counts = count_values(&reader, frame, 0);
		request.table_bytes = reader.nitems * sizeof(int32);
	}
	check_overflow(type.kind,
				   call_engine_into(&request, &reader, &writer).overflow);
	if (counts != NULL)
		pfree(counts);
	if (is_behind)
		return call_end_writer(&reader, &writer);
	return end_frames(&reader, frame, &writer);
}

/* The numbers that the engine needs besides the elements, or NULL. */
static int32 *
make_table(EngineRequest *request, const ArrayReader *reader, Frame frame)
{
	int64		counted = reader->nulls != NULL ? reader->nitems : 0;
	int64		sorted =
		window_percentile_is_wide(request) ? reader->nitems : 0;
	int32	   *table = NULL;

	if (counted > 0)
		table = count_values(reader, frame, sorted);
	else if (sorted > 0)
		table = large_value_allocate(sorted * sizeof(int32));
	if (sorted > 0)
	{
		ArrayReader again;

		array_reader_open(&again, reader->datum, NULLS_DROPPED, NULL);
		sort_positions(&again, (SortOrder) {false, false}, false,
					   table + counted);
	}
	request->table = table;
	request->table_bytes = (counted + sorted) * sizeof(int32);
	return table;
}

/* A percentile of each frame of an array, whose second argument it is. */
static Datum
slide_percentile(FunctionCallInfo fcinfo, bool continuous)
{
	double		fraction = PG_GETARG_FLOAT8(1);
	Frame		frame = frame_argument(fcinfo, 2);
	EngineRequest request = {.operation = ENGINE_WINDOW_PERCENTILE};
	ElementType type;
	ArrayReader reader;
	ArrayWriter writer;
	int32	   *table;
	int64		nulls;

	check_fraction(fraction);
	call_open_array(&reader, fcinfo, 0, NULLS_FILLED, scan_neutral[SCAN_MIN]);
	call_check_list(&reader);
	if (continuous)
		check_number(&reader.type);
	type = continuous ? *float8_type : reader.type;
	nulls = find_nulls(&reader, frame, NULL);
	array_writer_begin_filled(&writer, &type, &reader, nulls);
	frame.preceding = Min(frame.preceding, Max(reader.nitems - 1, 0));
	frame.following = Min(frame.following, Max(reader.nitems - 1, 0));
	request_into(&request, &reader, &writer);
	request.stays = nulls == 0 && reader.nulls == NULL;
	request.parameters = PARAMETERS_OF(WindowPercentileParameters,
									   .fraction = fraction,
									   .preceding = frame.preceding,
									   .following = frame.following,
									   .continuous = continuous,
									   .counted = reader.nulls != NULL);
	table = make_table(&request, &reader, frame);
	call_engine(&request, &reader);
	if (table != NULL)
		pfree(table);
	return end_frames(&reader, frame, &writer);
}

/*
 * gpu_window(a T[], op text, preceding integer, following integer) returns T[]
 *
 * Element i of the result is the sum, the least or the greatest of the elements
 * from i - preceding to i + following that exist; as sum(x) OVER (ORDER BY i
 * ROWS BETWEEN ...), but in the type of the elements.
 *
 * Raises 22023 if there is no such operator, and 22003 if a sum is not in the
 * range of the type.
 */
SQL_CALL_FUNCTION(gpu_window, "gpu_window", 0)
{
	int			operator = name_argument(fcinfo, "operator",
										 PG_GETARG_DATUM(1), operator_names,
										 lengthof(operator_names));

	return slide(fcinfo, operators[operator], frame_argument(fcinfo, 2), false);
}

/*
 * gpu_window_avg(a T[], preceding integer, following integer)
 *		returns double precision[]
 *
 * As gpu_window, for averages.
 */
SQL_CALL(gpu_window_avg, "gpu_window_avg",
		 slide(fcinfo, SCAN_ADD, frame_argument(fcinfo, 1), true))

/*
 * gpu_window_percentile_cont(a T[], fraction double precision,
 *							  preceding integer, following integer)
 *		returns double precision[]
 * gpu_window_percentile_disc(a anyarray, fraction double precision,
 *							  preceding integer, following integer)
 *		returns anyarray
 *
 * Element i of the result is gpu_percentile_cont, or gpu_percentile_disc, of
 * the elements from i - preceding to i + following that exist.
 *
 * Raises 22003 if the fraction is not between 0 and 1.
 */
SQL_CALL(gpu_window_percentile_cont, "gpu_window_percentile_cont",
		 slide_percentile(fcinfo, true))
SQL_CALL(gpu_window_percentile_disc, "gpu_window_percentile_disc",
		 slide_percentile(fcinfo, false))
