/*
 * rows.c
 *	  Aggregates over the arrays of rows, position by position: gpu_sum_agg,
 *	  gpu_min_agg, gpu_max_agg, gpu_avg_agg, gpu_stddev_agg and gpu_count_agg.
 *
 * They run on the CPU alone, as the arrays of rows come one by one.  A state
 * has a result for each position, from the first array on, and does not grow:
 * what comes later is folded into the results.
 */
#include "sql/function.h"

#include <math.h>

#include "nodes/execnodes.h"

#include "loops/rows.h"
#include "sql/aggregate.h"

/* Elements that are folded between two checks for interrupts. */
#define BLOCK			8192

/* A state is one chunk of memory, which ends with room for counts. */
typedef struct RowsState
{
	RowsOperator op;
	bool		counted;		/* an array had a NULL: there are counts */
	int64		rows;			/* that this process has taken, with NULL
								 * arrays */
	ElementType type;			/* of the elements; without an oid before the
								 * first array */
	int64		length;			/* of each array */
	int64		arrays;			/* without NULLs */
	/* The results of all values so far follow. */
} RowsState;

/* The operator whose neutral element stands for NULLs, and begins results. */
static const ScanOperator scan_operators[ROWS_OPERATORS] = {
	[ROWS_SUM] = SCAN_ADD,
	[ROWS_MIN] = SCAN_MIN,
	[ROWS_MAX] = SCAN_MAX,
	[ROWS_AVG] = SCAN_ADD,
	[ROWS_STDDEV] = SCAN_ADD,
	[ROWS_COUNT] = SCAN_MIN
};

/* The memory of an aggregate's state. */
MemoryContext
rows_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
}

/* The state of an aggregate, whose function is called; or NULL. */
void *
aggregate_state(FunctionCallInfo fcinfo)
{
	(void) rows_context(fcinfo);
	return state_argument(fcinfo, 0);
}

/*
 * A state in one chunk as bytes, for another process of the same server.
 *
 * Raises 54000 if there are too many bytes.
 */
Datum
state_to_bytes(const void *state, Size size)
{
	ArrayWriter writer;

	array_writer_begin_bytes(&writer, size);
	move_bytes(writer.values, state, size);
	return array_writer_finish_bytes(&writer, size);
}

/* The chunk that has been sent as bytes, of any aggregate. */
SQL_FUNCTION(gpucompact_rows_deserialize)
{
	bytea	   *bytes;
	void	   *state;

	(void) rows_context(fcinfo);
	bytes = PG_GETARG_BYTEA_PP(0);
	state = large_value_allocate(VARSIZE_ANY_EXHDR(bytes));
	move_bytes(state, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	PG_RETURN_POINTER(state);
}

/*
 * Opens the array of a row, which is an aggregate's argument.  To take it is a
 * call, which call_end_bytes ends.
 *
 * Raises 0A000 if it has more than one dimension.
 */
void
rows_open(ArrayReader *reader, FunctionCallInfo fcinfo, const char *aggregate,
		  NullHandling null_handling, const ElementValue *fill)
{
	call_begin(aggregate);
	call_open_array(reader, fcinfo, 1, null_handling, fill);
	call_check_list(reader);
	call_on_cpu(reader);
}

/*
 * A polymorphic column may have arrays of several types.
 *
 * Raises 42804 if there are two.
 */
void
rows_check_type(Oid type, Oid other)
{
	if (type != other)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("arrays differ in type"),
				 errdetail("Their elements are of types %s and %s.",
						   format_type_be(type), format_type_be(other))));
}

static bool
has_arrays(const RowsState *state)
{
	return OidIsValid(state->type.oid);
}

/*
 * Raises 2202E if the array of a row, or of another state, is not of the length
 * of the arrays before it.  It says which row it is, in the group or in the
 * frame of a window, unless the process has only a part of the rows.
 */
void
rows_check_length(FunctionCallInfo fcinfo, int64 before, int64 length,
				  int64 row)
{
	const char *within = NULL;

	if (length == before)
		return;
	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
		within = "window frame";
	else if (!DO_AGGSPLIT_SKIPFINAL(((AggState *) fcinfo->context)->aggsplit))
		within = "group";
	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("arrays differ in length"),
			 row == 0 || within == NULL ?
			 errdetail("They have lengths " INT64_FORMAT " and "
					   INT64_FORMAT ".", before, length) :
			 errdetail("The array in row " INT64_FORMAT " of the %s has "
					   "length " INT64_FORMAT ", but the arrays before it "
					   "have length " INT64_FORMAT ".",
					   row, within, length, before),
			 errhint("gpu_pad(a, " INT64_FORMAT ") fills shorter arrays with NULLs.",
					 Max(length, before))));
}

static const RowsFolds *
folds_of(const RowsState *state)
{
	return &cpu_rows_folds[state->op][state->type.kind];
}

/* The size of the result at a position. */
static Size
result_size(const RowsState *state)
{
	const RowsFolds *folds = folds_of(state);

	if (state->op == ROWS_COUNT)
		return 0;
	return folds->size > 0 ? folds->size : kind_size(folds->kind);
}

/* The type of an aggregate's elements. */
static ElementType
type_of_result(RowsOperator op, const ElementType *type)
{
	if (op == ROWS_AVG || op == ROWS_STDDEV)
		return *float8_type;
	return op == ROWS_COUNT || (op == ROWS_SUM && !kind_is_float(type->kind)) ?
		*int8_type : *type;
}

static char *
results_of(const RowsState *state)
{
	return (char *) (state + 1);
}

/* Values of the arrays with NULLs, by position. */
static int64 *
counts_of(const RowsState *state)
{
	return (int64 *) (results_of(state) +
					  MAXALIGN(state->length * result_size(state)));
}

/* The bytes of a state up to the counts, or with them. */
static Size
state_size(const RowsState *state, bool counted)
{
	return (char *) (counts_of(state) + (counted ? state->length : 0)) -
		(char *) state;
}

/* Sets the results to what they are without a value. */
static void
clear_results(const RowsState *state)
{
	const RowsFolds *folds = folds_of(state);
	Size		size = result_size(state);
	RowsIntegerMoments zero = {0};	/* the largest result */
	const void *value = &zero;

	if (folds->size == 0)
		value = &scan_neutral[scan_operators[state->op]][folds->kind];
	for (int64 i = 0; i < state->length; i++)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(results_of(state) + i * size, value, size);
	}
}

/* Counts that are added to, from 0 on at first. */
static int64 *
begin_counts(RowsState *state)
{
	if (!state->counted)
		set_bytes(counts_of(state), 0, state->length * sizeof(int64));
	state->counted = true;
	return counts_of(state);
}

/* A state with these facts, and room for results and counts. */
static RowsState *
make_state(MemoryContext context, const RowsState *facts)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	RowsState  *state = large_value_allocate(state_size(facts, true));

	*state = *facts;
	MemoryContextSwitchTo(caller);
	return state;
}

/* Counts the values of an array with NULLs. */
static void
count_values(RowsState *state, const uint8 *nulls)
{
	int64	   *counts = begin_counts(state);

	for (int64 i = 0; i < state->length; i++)
	{
		CHECK_FOR_INTERRUPTS();
		counts[i] += null_bitmap_is_value(nulls, i);
	}
}

/*
 * Folds some elements into the results from "first" on.  Returns whether one
 * overflows.  No element stands for a NULL in the moments of floats.
 */
static bool
add_elements(RowsState *state, int64 first, const char *elements, int64 count,
			 const uint8 *nulls)
{
	const RowsFolds *folds = folds_of(state);
	Size		size = result_size(state);
	bool		overflow = false;

	if (nulls == NULL || folds->size != sizeof(Moments))
		return folds->add(results_of(state) + first * size, elements, count);
	for (int64 i = 0; i < count; i++)
	{
		if (null_bitmap_is_value(nulls, first + i))
			overflow |= folds->add(results_of(state) + (first + i) * size,
								   elements + i * state->type.size, 1);
	}
	return overflow;
}

static void
add_array(RowsState *state, ArrayReader *reader)
{
	static int64 buffer[BLOCK]; /* no array is added while another one is */
	int64		wanted = state->op == ROWS_COUNT ? 0 : reader->nitems;
	bool		overflow = false;

	for (int64 first = 0, count; first < wanted; first += count)
	{
		const void *elements;

		CHECK_FOR_INTERRUPTS();
		count = Min(BLOCK, wanted - first);
		elements = array_reader_next(reader, buffer, count);
		overflow |= add_elements(state, first, elements, count, reader->nulls);
	}
	check_overflow(folds_of(state)->kind,
				   overflow ? OVERFLOW_UP : OVERFLOW_NONE);
	if (reader->nulls == NULL)
		state->arrays++;
	else
		count_values(state, reader->nulls);
}

/*
 * Takes the array of a row.  At the first one, the state moves.
 *
 * Raises 54000 if the result would be too large.
 */
static Datum
step(FunctionCallInfo fcinfo, RowsOperator op, const char *aggregate)
{
	MemoryContext context = rows_context(fcinfo);
	RowsState  *state = state_argument(fcinfo, 0);
	ArrayReader reader;

	if (state == NULL)
		state = make_state(context, &(RowsState) {.op = op});
	state->rows++;
	if (!PG_ARGISNULL(1))
	{
		rows_open(&reader, fcinfo, aggregate, NULLS_FILLED,
				  scan_neutral[scan_operators[op]]);
		if (op == ROWS_SUM)
			check_arithmetic(&reader.type);
		if (op == ROWS_AVG || op == ROWS_STDDEV)
			check_number(&reader.type);
		if (!has_arrays(state))
		{
			RowsState  *before = state;
			ElementType result = type_of_result(op, &reader.type);

			(void) array_writer_list_size(&result, reader.nitems, 0);
			before->type = reader.type;
			before->length = reader.nitems;
			state = make_state(context, before);
			clear_results(state);
			pfree(before);
		}
		rows_check_type(state->type.oid, reader.type.oid);
		rows_check_length(fcinfo, state->length, reader.nitems, state->rows);
		add_array(state, &reader);
		call_end_bytes(&reader, 0);
	}
	PG_RETURN_POINTER(state);
}

#define STEP_FUNCTION(name, op) \
	SQL_FUNCTION_AS(gpucompact_##name##_agg_step, \
					step(fcinfo, op, "gpu_" #name "_agg"))

STEP_FUNCTION(sum, ROWS_SUM)
STEP_FUNCTION(min, ROWS_MIN)
STEP_FUNCTION(max, ROWS_MAX)
STEP_FUNCTION(avg, ROWS_AVG)
STEP_FUNCTION(stddev, ROWS_STDDEV)
STEP_FUNCTION(count, ROWS_COUNT)

/* Adds the values of another state. */
static void
merge_states(FunctionCallInfo fcinfo, RowsState *state,
			 const RowsState *other)
{
	const RowsFolds *folds = folds_of(state);
	Size		size = result_size(state);
	const int64 *more = counts_of(other);
	int64	   *counts;
	bool		overflow = false;

	rows_check_type(state->type.oid, other->type.oid);
	rows_check_length(fcinfo, state->length, other->length, 0);
	for (int64 first = 0, count; size > 0 && first < state->length;
		 first += count)
	{
		CHECK_FOR_INTERRUPTS();
		count = Min(BLOCK, state->length - first);
		overflow |= folds->merge(results_of(state) + first * size,
								 results_of(other) + first * size, count);
	}
	check_overflow(folds_of(state)->kind,
				   overflow ? OVERFLOW_UP : OVERFLOW_NONE);

	state->arrays += other->arrays;
	counts = other->counted ? begin_counts(state) : NULL;
	for (int64 i = 0; counts != NULL && i < state->length; i++)
	{
		CHECK_FOR_INTERRUPTS();
		counts[i] += more[i];
	}
}

/* A state with the values of another state added, which may be NULL. */
static Datum
combine(FunctionCallInfo fcinfo, const RowsState *other)
{
	MemoryContext context = rows_context(fcinfo);
	RowsState  *state = state_argument(fcinfo, 0);

	if (other != NULL && has_arrays(other))
	{
		if (state != NULL && has_arrays(state))
			merge_states(fcinfo, state, other);
		else
		{
			state = make_state(context, other);
			move_bytes(state, other, state_size(other, other->counted));
		}
	}
	return return_state(fcinfo, state);
}

SQL_FUNCTION_AS(gpucompact_rows_combine,
				combine(fcinfo, state_argument(fcinfo, 1)))

SQL_FUNCTION(gpucompact_rows_serialize)
{
	const RowsState *state = aggregate_state(fcinfo);

	return state_to_bytes(state, state_size(state, state->counted));
}

/* Values at a position. */
static int64
count_at(const RowsState *state, int64 position)
{
	return state->arrays +
		(state->counted ? counts_of(state)[position] : 0);
}

/*
 * The average at a position: the sum divided by the number of values.  (Core's
 * sum of floats begins with 0, not -0.)
 */
static double
average_at(const RowsState *state, int64 position)
{
	const RowsFolds *folds = folds_of(state);
	const RowsWideSum *wide = (RowsWideSum *) results_of(state) + position;
	int64		count = count_at(state, position);

	if (folds->size > 0)
		return wide_sum_average(rows_wide_sum(wide), count);
	if (folds->kind == KIND_INT8)
		return wide_sum_average(((int64 *) results_of(state))[position],
								count);
	return one_nan((((double *) results_of(state))[position] + 0.0) /
				   (double) count);
}

/*
 * The standard deviation at a position: core's of integers, which is exact, and
 * rounded once more here; and core's of floats in the order of the rows.
 */
static double
deviation_at(const RowsState *state, int64 position)
{
	const char *result = results_of(state) + position * result_size(state);
	int64		count = count_at(state, position);

	if (kind_is_float(state->type.kind))
	{
		const Moments *moments = (const Moments *) result;

		return one_nan(sqrt(moments->squares / (count - 1)));
	}
	else
	{
		const RowsIntegerMoments *moments =
			(const RowsIntegerMoments *) result;

		return integer_stddev(moments->sum, moments->squares, count);
	}
}

/* The result at a position that has values. */
static void
put_result(char *dest, const RowsState *state, int64 position)
{
	Size		size = result_size(state);
	const char *result = results_of(state) + position * size;
	bool		is_sum = state->op == ROWS_SUM;

	if (state->op == ROWS_AVG)
		*(double *) dest = average_at(state, position);
	else if (state->op == ROWS_STDDEV)
		*(double *) dest = deviation_at(state, position);
	else if (state->op == ROWS_COUNT)
		*(int64 *) dest = count_at(state, position);
	else if (is_sum && state->type.kind == KIND_FLOAT4)
		*(float *) dest = (float) one_nan(*(const float *) result);
	else if (is_sum && state->type.kind == KIND_FLOAT8)
		*(double *) dest = one_nan(*(const double *) result);
	else
		memcpy(dest, result, size);
}

/*
 * The aggregate's result: lower bound 1, and NULL where no array has a value.
 */
SQL_FUNCTION(gpucompact_rows_result)
{
	const RowsState *state = aggregate_state(fcinfo);
	ElementType type;
	ArrayWriter writer;
	int64		needed;			/* values, without which a result is NULL */
	int64		nulls = 0;
	char	   *dest;

	if (state == NULL || !has_arrays(state))
		PG_RETURN_NULL();
	type = type_of_result(state->op, &state->type);
	needed = state->op == ROWS_COUNT ? 0 : state->op == ROWS_STDDEV ? 2 : 1;
	for (int64 i = 0; state->arrays < needed && i < state->length; i++)
	{
		CHECK_FOR_INTERRUPTS();
		nulls += count_at(state, i) < needed;
	}
	array_writer_begin_null_list(&writer, &type, state->length, nulls);
	dest = writer.values;
	for (int64 i = 0; i < state->length; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (nulls > 0)
		{
			if (count_at(state, i) < needed)
				continue;
			null_bitmap_set_value(writer.bitmap, i);
		}
		put_result(dest, state, i);
		dest += type.size;
	}
	return array_writer_finish_null_list(&writer, state->length,
										 state->length - nulls);
}

/* Words of the result at a position, where it is of the averages' kinds. */
static int64
result_words(const RowsState *state)
{
	return result_size(state) / sizeof(int64);
}

/*
 * gpu_avg_state(a anyarray) returns gpu_state
 * gpu_stddev_state(a anyarray) returns gpu_state
 *
 * The results in words, and the counts if there are any.  Elements of a domain
 * are of its base type.
 */
SQL_FUNCTION(gpucompact_rows_state_result)
{
	const RowsState *state = aggregate_state(fcinfo);
	StateParts	parts;
	int64		words;

	if (state == NULL || !has_arrays(state))
		PG_RETURN_NULL();
	words = state->length * result_words(state);
	parts = (StateParts) {
		.kind = state->op == ROWS_AVG ? STATE_AVG : STATE_STDDEV,
		.element = state->type.base,
		.arrays = state->arrays,
		.packed[0] = state_pack(int8_type, results_of(state), words, words,
								NULL)
	};
	if (state->counted)
		parts.packed[1] = state_pack(int8_type, counts_of(state), state->length,
									 state->length, NULL);
	return state_write(&parts);
}

/*
 * Opens a packed array of words without NULL.  Returns how many there are.
 *
 * Raises XX001 if it is another one.
 */
static int64
open_words(ArrayReader *reader, Datum packed)
{
	array_reader_open_packed(reader, packed, 1, PG_INT32_MAX);
	if (reader->type.oid != INT8OID || reader->nvalues < reader->nitems)
		state_is_damaged();
	return reader->nvalues;
}

/* Reads all of them. */
static void
read_words(ArrayReader *reader, void *words)
{
	array_reader_copy(reader, words, reader->nvalues);
	array_reader_close(reader);
}

/*
 * A step that adds a gpu_state.
 *
 * Raises XX001 if it is damaged, or of elements or counts that no array has.
 */
static Datum
add_state(FunctionCallInfo fcinfo, RowsOperator op, StateKind kind)
{
	RowsState	facts = {.op = op};
	RowsState  *other;
	StateParts	parts;
	ArrayReader reader;
	const int64 *counts;
	int64		words;

	if (PG_ARGISNULL(1))
		return combine(fcinfo, NULL);
	state_open(&parts, PG_GETARG_DATUM(1), kind);
	if (!is_base_type(parts.element) || parts.arrays < 0 ||
		parts.arrays > WIDE_SUM_EXACT)
		state_is_damaged();
	facts.type = element_type(parts.element);
	if (!facts.type.is_number)
		state_is_damaged();
	facts.arrays = parts.arrays;
	words = open_words(&reader, parts.packed[0]);
	facts.length = words / result_words(&facts);
	if (words % result_words(&facts) != 0)
		state_is_damaged();
	other = make_state(CurrentMemoryContext, &facts);
	read_words(&reader, results_of(other));
	if (parts.packed[1] != 0)
	{
		if (open_words(&reader, parts.packed[1]) != other->length)
			state_is_damaged();
		read_words(&reader, counts_of(other));
		other->counted = true;
	}
	counts = counts_of(other);
	for (int64 i = 0; other->counted && i < other->length; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (counts[i] < 0 || counts[i] > WIDE_SUM_EXACT)
			state_is_damaged();
	}
	return combine(fcinfo, other);
}

SQL_FUNCTION_AS(gpucompact_avg_of_state_step,
				add_state(fcinfo, ROWS_AVG, STATE_AVG))

SQL_FUNCTION_AS(gpucompact_stddev_of_state_step,
				add_state(fcinfo, ROWS_STDDEV, STATE_STDDEV))
