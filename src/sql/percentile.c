/*
 * percentile.c
 *	  SQL functions that take percentiles of an array's elements; and
 *	  gpu_percentile_cont_agg and gpu_median_agg of arrays: percentiles by
 *	  position, over rows.
 *
 * NULL elements are ignored.  The engine selects the elements that have the
 * ranks of the fractions; only for very many fractions it sorts the array.  If
 * elements have counts, it sorts their positions.
 */
#include "sql/function.h"

#include "common/int.h"
#include "parser/parse_coerce.h"

#include "contract/operations/select.h"
#include "sql/aggregate.h"

/* The elements of some ranks. */
typedef struct Selection
{
	ElementType type;
	int64	   *ranks;			/* ascending, each once; NULL if all */
	int64		count;
	char	   *elements;
} Selection;

/* Raises 22003 if the number is not a fraction. */
void
check_fraction(double fraction)
{
	if (fraction < 0 || fraction > 1 || isnan(fraction))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("percentile value %g is not between 0 and 1",
						fraction),
				 errhint("Write a fraction, such as 0.95 for 95 percent.")));
}

static int
compare_ranks(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

/* The distinct ranks of the places, in order. */
static void
list_ranks(Selection *selection, const PercentilePlace *places, int64 count)
{
	int64	   *ranks = palloc(2 * count * sizeof(int64));
	int64		kept = 0;

	for (int64 i = 0; i < count; i++)
	{
		ranks[2 * i] = places[i].rank;
		ranks[2 * i + 1] = places[i].next_rank;
	}
	qsort(ranks, 2 * count, sizeof(int64), compare_ranks);
	for (int64 i = 0; i < 2 * count; i++)
	{
		if (i == 0 || ranks[i] != ranks[kept - 1])
			ranks[kept++] = ranks[i];
	}
	selection->ranks = ranks;
	selection->count = kept;
}

/* The elements of the places, at least one; or of all ranks, by a sort. */
static Selection
find_elements(ArrayReader *reader, const PercentilePlace *places, int64 count)
{
	Selection	selection = {.type = reader->type};
	EngineRequest request = {
		.operation = ENGINE_SELECT,
		.count = reader->count,
		.outputs[0].kind = reader->type.kind
	};

	if (count <= SELECT_MAX_RANKS)
		list_ranks(&selection, places, count);
	if (selection.count > 0 && selection.count <= SELECT_MAX_RANKS)
	{
		request.table = selection.ranks;
		request.table_bytes = selection.count * sizeof(int64);
	}
	else
	{
		request.operation = ENGINE_SORT;
		selection.ranks = NULL;
		selection.count = reader->count;
	}
	selection.elements = large_value_allocate(selection.count *
											  reader->type.size);
	request.outputs[0].memory = selection.elements;
	call_engine(&request, reader);
	return selection;
}

/* The element of a rank. */
static const char *
found_element(const Selection *selection, int64 rank)
{
	const int64 *ranks = selection->ranks;
	int64		at = ranks == NULL ? rank :
		(const int64 *) bsearch(&rank, ranks, selection->count, sizeof(int64),
								compare_ranks) - ranks;

	return selection->elements + at * selection->type.size;
}

/* An element that is a number, converted as core's casts do. */
static double
percentile_number(const ElementType *type, const char *element)
{
	if (type->kind == KIND_FLOAT8)
		return *(const double *) element;
	if (type->kind == KIND_FLOAT4)
		return *(const float *) element;
	return (double) element_integer(element, type->size);
}

/* Interpolates between two elements, as percentile_cont does. */
static double
interpolate(const Selection *selection, const PercentilePlace *place)
{
	const ElementType *type = &selection->type;
	double		low = percentile_number(type, found_element(selection,
															place->rank));
	double		high;

	if (place->rank == place->next_rank)
		return low;
	high = percentile_number(type, found_element(selection,
												 place->next_rank));
	return low + (place->proportion * (high - low));
}

/* Opens the array, whose elements have to be numbers if "continuous". */
static void
open_array(ArrayReader *reader, FunctionCallInfo fcinfo, bool continuous)
{
	call_open_list(reader, fcinfo, 0, NULLS_COUNTED);
	if (continuous)
		check_number_or_hint(&reader->type, NUMBER_TYPES_HINT
							 "  For dates and times there is "
							 "gpu_percentile_disc(a, fraction).");
}

static void
hint_at_fractions(void *arg)
{
	errhint("A text is read as one fraction.  Cast an array of fractions to "
			"double precision[].");
}

/*
 * The fraction in a text argument.
 *
 * Raises 22P02 or 22003 if it is no number, and 42804 if the argument is
 * something else.
 */
static double
fraction_argument(FunctionCallInfo fcinfo)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	ErrorContextCallback hint = {
		.previous = error_context_stack,
		.callback = hint_at_fractions
	};
	Oid			output;
	bool		is_varlena;
	char	   *text;
	Datum		fraction;

	if (!OidIsValid(type) || TypeCategory(type) != TYPCATEGORY_STRING)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a fraction cannot be of type %s",
						format_type_be(type)),
				 errhint("Write a number from 0 to 1.")));
	getTypeOutputInfo(type, &output, &is_varlena);
	text = OidOutputFunctionCall(output, PG_GETARG_DATUM(1));

	error_context_stack = &hint;
	fraction = DirectFunctionCall1(float8in, CStringGetDatum(text));
	error_context_stack = hint.previous;
	return DatumGetFloat8(fraction);
}

/* Ends the call with what is at a place. */
static Datum
end_percentile(ArrayReader *reader, const Selection *selection,
			   const PercentilePlace *place, bool continuous)
{
	call_end_bytes(reader, continuous ? sizeof(double) : reader->type.size);
	if (continuous)
		PG_RETURN_FLOAT8(interpolate(selection, place));
	return element_datum(&reader->type, found_element(selection, place->rank));
}

/* The percentile of one fraction, after call_begin. */
static Datum
percentile(FunctionCallInfo fcinfo, double fraction, bool continuous)
{
	ArrayReader reader;
	Selection	selection;
	PercentilePlace place;

	check_fraction(fraction);
	open_array(&reader, fcinfo, continuous);
	if (reader.count == 0)
		return call_end_null(fcinfo, &reader);
	place = percentile_place(fraction, reader.count, continuous);
	selection = find_elements(&reader, &place, 1);
	return end_percentile(&reader, &selection, &place, continuous);
}

/* The places of an array's fractions that are not NULL. */
static PercentilePlace *
place_fractions(ArrayReader *fractions, int64 count, bool continuous)
{
	PercentilePlace *places =
		large_value_allocate(fractions->count * sizeof(PercentilePlace));

	for (int64 i = 0; i < fractions->count; i++)
	{
		double		buffer;
		double		fraction =
			*(const double *) array_reader_next(fractions, &buffer, 1);

		CHECK_FOR_INTERRUPTS();
		check_fraction(fraction);
		places[i] = percentile_place(fraction, count, continuous);
	}
	return places;
}

/* The percentiles of an array of fractions, in its shape. */
static Datum
percentiles(FunctionCallInfo fcinfo, bool continuous)
{
	ElementType type;
	ArrayReader reader;
	ArrayReader fractions;
	ArrayWriter writer;
	PercentilePlace *places;
	Selection	selection = {0};

	open_array(&reader, fcinfo, continuous);
	if (reader.count == 0)
		return call_end_null(fcinfo, &reader);
	call_open_array(&fractions, fcinfo, 1, NULLS_DROPPED, NULL);
	check_array(fractions.type.base == FLOAT8OID);
	type = continuous ? fractions.type : reader.type;
	array_writer_begin_like(&writer, &type, &fractions);
	places = place_fractions(&fractions, reader.count, continuous);
	if (fractions.count > 0)
		selection = find_elements(&reader, places, fractions.count);
	for (int64 i = 0; i < fractions.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (continuous)
			((double *) writer.values)[i] = interpolate(&selection,
														&places[i]);
		else
			memcpy(writer.values + i * type.size,
				   found_element(&selection, places[i].rank), type.size);
	}
	array_reader_close(&fractions);
	return call_end(&reader, array_writer_finish(&writer));
}

/* Elements that stand for as many equal ones as their counts say. */
typedef struct Counted
{
	const char *values;			/* the elements that are not NULL */
	char	   *copy;			/* palloc'd: they, or NULL */
	int64	   *counts;			/* of each */
	int64		total;
} Counted;

/*
 * Reads elements and counts; a NULL element, or one whose count is NULL, counts
 * for nothing.
 *
 * Raises 22023 if a count is negative, and 22003 if the total is no bigint.
 */
static void
read_counted(Counted *counted, ArrayReader *reader, ArrayReader *counts)
{
	int64		n = 0;

	counted->total = 0;
	counted->values = array_reader_all(reader, &counted->copy);
	counted->counts = large_value_allocate(reader->count * sizeof(int64));
	for (int64 i = 0; i < reader->nitems; i++)
	{
		int64		buffer;
		int64		count = *(const int64 *)
			array_reader_next(counts, &buffer, 1);

		CHECK_FOR_INTERRUPTS();
		if (i < reader->leading_nulls || !array_reader_is_value(reader, i))
			continue;
		(void) at_least(0, "counts", count, ERRCODE_INVALID_PARAMETER_VALUE);
		if (pg_add_s64_overflow(counted->total, count, &counted->total))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("bigint out of range"),
					 errdetail("The counts add up to more.")));
		counted->counts[n++] = count;
	}
}

/* The elements of a place, as if each were there as often as it counts. */
static Selection
find_counted(const Counted *counted, const ElementType *type, int64 nvalues,
			 const PercentilePlace *place)
{
	Selection	selection = {.type = *type};
	int32	   *positions = large_value_allocate(nvalues * sizeof(int32));
	int64		below = 0;
	int64		found = 0;
	ArrayReader keys;

	array_reader_open_values(&keys, type, counted->values, nvalues);
	sort_positions(&keys, (SortOrder) {false, false}, false, positions);
	list_ranks(&selection, place, 1);
	selection.elements = palloc(selection.count * type->size);
	for (int64 i = 0; found < selection.count; i++)
	{
		int64		value = positions[i] - 1;

		CHECK_FOR_INTERRUPTS();
		Assert(i < nvalues);
		below += counted->counts[value];
		for (; found < selection.count && selection.ranks[found] < below;
			 found++)
			memcpy(selection.elements + found * type->size,
				   counted->values + value * type->size, type->size);
	}
	pfree(positions);
	return selection;
}

/* The percentile of elements with counts. */
static Datum
percentile_counted(FunctionCallInfo fcinfo, bool continuous)
{
	double		fraction = PG_GETARG_FLOAT8(2);
	ArrayReader reader;
	ArrayReader counts;
	Counted		counted;
	Selection	selection;
	PercentilePlace place;

	check_fraction(fraction);
	open_array(&reader, fcinfo, continuous);
	call_open_paired(&counts, fcinfo, 1, NULLS_FILLED, &reader, "counts");
	read_counted(&counted, &reader, &counts);
	array_reader_close(&counts);
	if (counted.total == 0)
		return call_end_null(fcinfo, &reader);
	place = percentile_place(fraction, counted.total, continuous);
	selection = find_counted(&counted, &reader.type, reader.count, &place);
	pfree(counted.counts);
	if (counted.copy != NULL)
		pfree(counted.copy);
	return end_percentile(&reader, &selection, &place, continuous);
}

/*
 * gpu_percentile_cont(a T[], fraction double precision)
 *		returns double precision
 * gpu_percentile_cont(p gpu_packed, fraction double precision)
 *		returns double precision
 * gpu_percentile_disc(a anyarray, fraction double precision)
 *		returns anyelement
 *
 * As percentile_cont(fraction) or percentile_disc(fraction) WITHIN GROUP (ORDER
 * BY x): NULL if the array has no value.
 *
 * ..._text: with a fraction anycompatiblenonarray, which is a text.  The
 * argument is not declared as a type of strings: a literal without a type, or a
 * parameter, would get that type, but has to be taken as an array of fractions.
 *
 * ..._list: for each of fractions double precision[].
 *
 * ..._counted: with counts bigint[] before the fraction: each element counts as
 * often as the count at its position says.
 *
 * Raises 22003 if a fraction is not between 0 and 1, 22023 for a negative
 * count, and 2202E if there are not as many counts as elements.
 */
#define PERCENTILE_FUNCTIONS(name, continuous) \
	SQL_CALL(name, #name, \
			 percentile(fcinfo, PG_GETARG_FLOAT8(1), continuous)) \
	SQL_CALL(name##_text, #name, \
			 percentile(fcinfo, fraction_argument(fcinfo), continuous)) \
	SQL_CALL(name##_list, #name, percentiles(fcinfo, continuous)) \
	SQL_CALL(name##_counted, #name, percentile_counted(fcinfo, continuous))

PERCENTILE_FUNCTIONS(gpu_percentile_cont, true)
PERCENTILE_FUNCTIONS(gpu_percentile_disc, false)

/* gpu_median(a T[]) returns double precision, as percentile_cont(0.5) */
SQL_CALL(gpu_median, "gpu_median", percentile(fcinfo, 0.5, true))

/*
 * What is at a position of the arrays of rows.  The elements of all rows are
 * gathered, and at the end sorted at once.  In this order, each element follows
 * the previous one of its own position.
 */
typedef struct Position
{
	int32		values;
	int32		seen;			/* of them, in order */
	double		result;
} Position;

/* Finds the position of each value, and how many values each position has. */
static void
find_positions(const Gathered *state, Position *positions, int32 *where)
{
	int32		position = 0;

	set_bytes(positions, 0, state->row_length * sizeof(Position));
	for (int64 i = 0; i < gather_nitems(state); i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (state->bitmap == NULL || null_bitmap_is_value(state->bitmap, i))
		{
			positions[position].values++;
			*where++ = position;
		}
		position = position + 1 < state->row_length ? position + 1 : 0;
	}
}

/* Takes a value that is the next one of its position in order. */
static void
take_next(Position *position, double fraction, const ElementType *type,
		  const char *value)
{
	PercentilePlace place = percentile_place(fraction, position->values, true);
	int64		rank = position->seen++;

	if (rank == place.rank)
		position->result = percentile_number(type, value);
	else if (rank == place.next_rank)
		position->result += place.proportion *
			(percentile_number(type, value) - position->result);
}

/* Finds the result of each position that has a value. */
static void
find_results(const Gathered *state, Position *positions, const int32 *where,
			 const ElementType *type)
{
	double		fraction = DatumGetFloat8(state->fractions);
	int32	   *order = large_value_allocate(state->nvalues * sizeof(int32));
	ArrayReader values;

	check_fraction(fraction);
	array_reader_open_values(&values, type, gather_values(state),
							 state->nvalues);
	sort_positions(&values, (SortOrder) {false, false}, false, order);
	for (int64 i = 0; i < state->nvalues; i++)
	{
		int64		value = order[i] - 1;

		CHECK_FOR_INTERRUPTS();
		take_next(&positions[where[value]], fraction, type,
				  gather_values(state) + value * type->size);
	}
	pfree(order);
}

/* The results; NULL at positions without values. */
static Datum
list_results(const Position *positions, int32 length)
{
	ArrayWriter writer;
	int32		nulls = 0;
	int32		nvalues = 0;

	for (int32 i = 0; i < length; i++)
		nulls += positions[i].values == 0;
	array_writer_begin_null_list(&writer, float8_type, length, nulls);
	for (int32 i = 0; i < length; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (positions[i].values == 0)
			continue;
		if (nulls > 0)
			null_bitmap_set_value(writer.bitmap, i);
		((double *) writer.values)[nvalues++] = positions[i].result;
	}
	return array_writer_finish_null_list(&writer, length, nvalues);
}

/*
 * gpu_percentile_cont_agg(a T[], fraction double precision)
 *		returns double precision[]
 * gpu_median_agg(a T[]) returns double precision[]
 *
 * As percentile_cont(fraction) WITHIN GROUP (ORDER BY x) over the elements at
 * each position.
 */
SQL_FUNCTION(gpucompact_percentile_rows_agg_result)
{
	Gathered   *state = aggregate_state(fcinfo);
	Position   *positions;
	int32	   *where;
	ArrayReader reader;
	Datum		result;

	if (state == NULL || state->kind == GATHER_NULL_FRACTION)
		PG_RETURN_NULL();
	call_begin("gpu_percentile_cont_agg");
	call_open_datum(&reader, gather_values_array(state), NULLS_DROPPED,
					NULL);
	positions = large_value_allocate(Max(state->row_length, 1) *
									 sizeof(Position));
	where = large_value_allocate(Max(state->nvalues, 1) * sizeof(int32));
	find_positions(state, positions, where);
	if (state->nvalues > 0)
		find_results(state, positions, where, &reader.type);
	pfree(where);
	result = list_results(positions, state->row_length);
	pfree(positions);
	return call_end(&reader, result);
}
