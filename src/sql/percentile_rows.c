/*
 * percentile_rows.c
 *	  gpu_percentile_cont_agg and gpu_median_agg of arrays: percentiles by
 *	  position, over rows.
 *
 * The elements of all rows are gathered, and at the end sorted at once.  In
 * this order, each element follows the previous one of its own position.
 */
#include "sql/function.h"

#include "contract/operations/select.h"
#include "sql/aggregate.h"

/* What is at a position of the arrays. */
typedef struct Position
{
	int32		values;
	int32		seen;			/* of them, in order */
	double		result;
} Position;

/*
 * A step that adds an array of numbers, as long as the arrays before it.  A
 * median has no fraction.
 */
SQL_FUNCTION(gpucompact_percentile_rows_agg_step)
{
	Gathered   *state = aggregate_state(fcinfo);
	ArrayReader reader;

	if (PG_ARGISNULL(1))
		return return_state(fcinfo, state);
	rows_open(&reader, fcinfo, PG_NARGS() > 2 ? "gpu_percentile_cont_agg" :
			  "gpu_median_agg", NULLS_DROPPED, NULL);
	check_number(&reader.type);
	state = gather_state(fcinfo, GATHER_FRACTION, &reader.type);
	if (state->row_length < 0)
		state->row_length = (int32) reader.nitems;
	rows_check_length(fcinfo, state->row_length, reader.nitems, 0);
	state = gather_append(state, &reader);
	call_end_bytes(&reader, 0);
	PG_RETURN_POINTER(state);
}

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
