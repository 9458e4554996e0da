/*
 * range_window.c
 *	  SQL functions that look at a frame around each place of a series: the
 *	  elements within a distance from the place.
 *
 * If values are NULL, the engine gets the series without them, and all x as
 * places.  A frame without a value has the result NULL.
 */
#include "sql/function.h"

#include <math.h>

#include "utils/timestamp.h"

#include "contract/operations/range_window.h"

static const char *const operator_names[] = {
	"+", "min", "max", "count", "first", "last"
};
static const RangeOperator operators[] = {
	RANGE_SUM, RANGE_MIN, RANGE_MAX, RANGE_COUNT, RANGE_FIRST, RANGE_LAST
};

/* The arrays of a call. */
typedef struct Series
{
	ArrayReader x;
	ArrayReader a;
	ArrayReader at;				/* if there are places of their own */
	bool		has_places;
} Series;

/* How far a frame reaches from its place, before it or behind it. */
typedef struct Reach
{
	RangeOffset length;
	bool		all;			/* infinite, of times */
} Reach;

static void
raise_negative(bool ending)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PRECEDING_OR_FOLLOWING_SIZE),
			 errmsg("frame %s offset must not be negative",
					ending ? "ending" : "starting")));
}

/* The units of an element of a type of times in an interval. */
static Reach
interval_offset(const ElementType *type, const Interval *interval, bool ending)
{
	WideSum		length = interval_value(interval);
	Reach		offset = {0};

#ifdef INTERVAL_IS_NOEND
	if (INTERVAL_IS_NOEND(interval))
		return (Reach) {.all = true};
	if (INTERVAL_IS_NOBEGIN(interval))
		raise_negative(ending);
#endif
	if (interval->month != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("intervals with months or years are not supported"),
				 errhint("Write the interval in days of 24 hours.")));
	if (length < 0)
		raise_negative(ending);
	if (type->base == DATEOID)
		length /= USECS_PER_DAY;
	offset.length.integer = (int64) Min(length, PG_INT64_MAX);
	return offset;
}

/*
 * The offset that an argument is; none if it is NULL.
 *
 * Raises 42804 if it is not of a type for x, and 22013, in the words of
 * gpu_window, if it is negative.
 */
static Reach
offset_argument(FunctionCallInfo fcinfo, int argument, const ElementType *type,
				bool ending)
{
	ElementType wanted = element_type(kind_is_float(type->kind) ?
									  FLOAT8OID : INT8OID);
	Oid			given = get_fn_expr_argtype(fcinfo->flinfo, argument);
	Datum		value = PG_GETARG_DATUM(argument);
	Reach		offset = {0};

	if (PG_ARGISNULL(argument))
		return offset;
	given = OidIsValid(given) ? getBaseType(given) :
		series_is_time(type) ? INTERVALOID : wanted.oid;
	if (series_is_time(type) && given == INTERVALOID)
		return interval_offset(type, DatumGetIntervalP(value), ending);
	if (series_is_time(type) && given == UNKNOWNOID)
	{
		Interval   *interval = series_read_interval(DatumGetCString(value));

		/* With a minus in front, it would be negative most of the time. */
		if (interval == NULL)
			raise_negative(ending);
		return interval_offset(type, interval, ending);
	}
	if ((series_is_time(type) && type->base != DATEOID) ||
		(given != wanted.oid && !cast_value(&wanted, given, &value)))
		raise_mismatch("a frame of x of type %s cannot have an offset of type %s",
					   type->oid, given, type_is_array(given) ?
					   _("Write at => ... for an array of places.") :
					   type->base == DATEOID ?
					   _("Write an interval or a number of days.") :
					   series_is_time(type) ? _("Write an interval.") :
					   kind_is_float(type->kind) ? _("Write a number.") :
					   _("Write an integer."));
	if (kind_is_float(type->kind))
		offset.length.real = DatumGetFloat8(value);
	else
		offset.length.integer = DatumGetInt64(value);
	if (kind_is_float(type->kind) ? !(offset.length.real >= 0) :
		offset.length.integer < 0)
		raise_negative(ending);
	return offset;
}

/* What to write instead of an array that cannot be places, or NULL. */
static const char *
places_hint(const ElementType *x, Oid element)
{
	if (!OidIsValid(element) || is_cast_implicit(element, x->base))
		return psprintf(_("Cast \"at\" to %s."), format_type_be(x->array));
	if (is_base_type(element) && is_cast_implicit(x->base, element))
		return psprintf(_("Cast x to %s."),
						format_type_be(element_type(element).array));
	return NULL;
}

/*
 * Opens the places, an argument of any type.
 *
 * Raises 42804 if it is no array of the type of x.
 */
static void
open_places(FunctionCallInfo fcinfo, int argument, Series *series)
{
	Oid			given = get_fn_expr_argtype(fcinfo->flinfo, argument);
	const ElementType *x = &series->x.type;
	Oid			element = OidIsValid(given) ? get_base_element_type(given) :
		x->base;

	if (OidIsValid(element))
		element = getBaseType(element);
	if (element != x->base)
		raise_mismatch("cannot search for \"at\" of type %s in x of type %s",
					   given, x->array, places_hint(x, element));
	call_open_list(&series->at, fcinfo, argument, NULLS_FILLED_FORWARD);
}

/*
 * Runs a request on the series.  Results go to "results".  "exist" gets for
 * each whether it is there, and is NULL if all are.
 *
 * Raises 22023 if x of values, or the places, descend, unless there are none,
 * and 22003 if a result is out of range.
 */
static void
run_series(EngineRequest *request, Series *series, ArrayReader *places,
		   char *results, bool *exist)
{
	CallInput	x = array_input(&series->x);
	CallInput	elements = array_input(&series->a);
	CallTable	table = call_table(places);
	CallInput  *inputs[] = {&x, &elements};
	SelectedElements selected;
	EngineResult result;

	request->count = places->count == 0 ? 0 : series->a.nvalues;
	request->outputs[0].memory = results;
	request->outputs[1].kind = KIND_UINT1;
	if (PARAMETERS(request, RangeWindowParameters)->op != RANGE_COUNT)
		request->outputs[1].memory = exist;
	else if (exist != NULL)
	{
		memset(exist, true, places->count);
		memset(results, 0, places->count * kind_size(request->outputs[0].kind));
	}
	if (series->a.nulls != NULL)
	{
		selected_begin(&selected, &series->x, series->a.nulls,
					   series->a.nvalues, NULL);
		series->x.at = selected.start;
		inputs[0] = &selected.input;
	}
	if (exist != NULL)
		inputs[0]->table = &table;
	result = call_engine_inputs(request, inputs, lengthof(inputs));
	call_table_free(&table);
	if (series->a.nulls != NULL)
		selected_end(&selected);
	if (series->has_places && result.errors == RANGE_PLACES_DESCEND)
		raise_descending("at", _("gpu_radix_sort(at) sorts."));
	if (result.errors > 0)
		series_raise_descending();
	check_overflow(request->outputs[0].kind, result.overflow);
}

/* The results of a request, which are of a type, at all places. */
static Datum
make_results(EngineRequest *request, Series *series, const ElementType *type)
{
	ArrayReader *places = series->has_places ? &series->at : &series->x;
	const ArrayReader *shape = series->has_places ? &series->at : &series->a;
	int64		nitems = places->nitems;
	int64		leading = nitems - places->count;
	bool		may_be_null = series->has_places || series->a.nulls != NULL;
	ArrayWriter writer;
	bool	   *exist = NULL;
	Datum		result;

	array_writer_begin_filled(&writer, type, shape,
							  may_be_null ? Min(nitems, 1) : 0);
	if (may_be_null)
	{
		exist = large_value_allocate(nitems + 1);
		memset(exist, false, nitems);
	}
	request->outputs[0].kind = type->kind;
	run_series(request, series, places, writer.values + leading * type->size,
			   may_be_null ? exist + leading : NULL);
	if (!may_be_null || nitems == 0)
		result = array_writer_finish(&writer);
	else
	{
		null_bitmap_from_booleans(writer.bitmap, exist, nitems);
		if (places->nulls != NULL)
			null_bitmap_combine(writer.bitmap, writer.bitmap, places->nulls,
								nitems, BITMAP_AND);
		result = array_writer_finish_values(&writer,
											null_results_leave_out(&writer));
	}
	if (exist != NULL)
		pfree(exist);
	array_reader_close(&series->a);
	if (series->has_places)
		array_reader_close(&series->at);
	return call_end(&series->x, result);
}

/*
 * The results of an operator, for the offsets from the argument "offsets" on
 * and the places behind them.
 *
 * Raises 22004 if there is a NULL in x, and 2202E if x and a differ in length.
 */
static Datum
range_window(FunctionCallInfo fcinfo, RangeOperator op, int offsets)
{
	EngineRequest request = {.operation = ENGINE_RANGE_WINDOW};
	Series		series;
	ElementType type;
	Reach		preceding;
	Reach		following;

	series_open_x(&series.x, fcinfo);
	call_open_list(&series.a, fcinfo, 1, NULLS_DROPPED);
	call_check_pair(&series.x, "x", &series.a, "a");
	series.has_places = !PG_ARGISNULL(offsets + 2);
	if (series.has_places)
		open_places(fcinfo, offsets + 2, &series);
	type = series.a.type;
	if (op == RANGE_AVERAGE)
	{
		call_check_number(&series.a, fcinfo, 1);
		type = *float8_type;
	}
	else if (op == RANGE_SUM)
		scan_check_operator(SCAN_ADD, &type);
	else if (op == RANGE_COUNT)
		scan_check_count(&type, "Count integers in their place: "
						 "gpu_bucket(a, '{}').");
	preceding = offset_argument(fcinfo, offsets, &series.x.type, false);
	following = offset_argument(fcinfo, offsets + 1, &series.x.type, true);
	request.parameters = PARAMETERS_OF(RangeWindowParameters,
									   .op = op,
									   .times = series_is_time(&series.x.type),
									   .preceding_all = preceding.all,
									   .following_all = following.all,
									   .preceding = preceding.length,
									   .following = following.length);
	return make_results(&request, &series, &type);
}

/*
 * gpu_range_window(x anycompatiblearray, a anyarray, op text, preceding "any",
 *					following "any", at "any") returns anyarray
 *
 * For each x, or for each place of "at": the sum, the least, the greatest, the
 * number, the first or the last of the values whose x is from preceding before
 * it to following behind it; as sum(a) OVER (ORDER BY x RANGE BETWEEN ...), but
 * in the type of the elements.
 *
 * Raises 22023 if there is no such operator, or x or at descends; and 22003 if
 * a result is not in the range of the type.
 */
SQL_CALL_FUNCTION(gpu_range_window, "gpu_range_window", 4)
{
	int			operator = name_argument(fcinfo, "operator",
										 PG_GETARG_DATUM(2), operator_names,
										 lengthof(operator_names));

	return range_window(fcinfo, operators[operator], 3);
}

/*
 * gpu_range_window_avg(x anycompatiblearray, a anyarray, preceding "any",
 *						following "any", at "any")
 *		returns double precision[]
 *
 * As gpu_range_window, for averages.
 */
SQL_CALL_FUNCTION(gpu_range_window_avg, "gpu_range_window_avg", 3)
{
	return range_window(fcinfo, RANGE_AVERAGE, 2);
}
