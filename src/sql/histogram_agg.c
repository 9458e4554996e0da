/*
 * histogram_agg.c
 *	  gpu_histogram_agg, an aggregate over the values of rows.
 *
 * A state has the counts of the buckets, and does not grow with the rows.  It
 * has the bounds, too, which must be the same for all rows of a group.
 */
#include "sql/function.h"

#include "libpq/pqformat.h"
#include "nodes/primnodes.h"
#include "utils/numeric.h"

#include "sql/aggregate.h"
#include "sql/even_buckets.h"

/* A state is one chunk of memory, of "size" bytes. */
typedef struct HistogramState
{
	Size		size;
	uint64		number;			/* of the EvenBuckets that it was compared with
								 * last; 0: of none */
	int32		buckets;		/* -1: an argument is NULL */
	Size		counts;			/* where the counts are */
	char		bounds[FLEXIBLE_ARRAY_MEMBER];	/* up to the counts */
} HistogramState;

static int64 *
counts_of(HistogramState *state)
{
	return (int64 *) ((char *) state + state->counts);
}

static int64
count_results(const HistogramState *state)
{
	return state->buckets + INT64CONST(2);
}

/* Both bounds as bytes, which are the same if the bounds are equal. */
static StringInfoData
bounds_as_bytes(const EvenBuckets *even)
{
	Datum		bounds[] = {even->low, even->high};
	StringInfoData bytes;
	int			unaligned;

	initStringInfo(&bytes);
	for (int i = 0; i < lengthof(bounds); i++)
		if (kind_is_float(even->kind))
			pq_sendfloat8(&bytes, DatumGetFloat8(bounds[i]) + 0.0);	/* no -0 */
		else
		{
			void	   *number =
				DatumGetNumeric(DirectFunctionCall1(numeric_trim_scale,
													bounds[i]));

			appendBinaryStringInfo(&bytes, number, VARSIZE(number));
		}
	unaligned = bytes.len + offsetof(HistogramState, bounds);
	appendStringInfoSpaces(&bytes, MAXALIGN(unaligned) - unaligned);
	return bytes;
}

/* A state without rows. */
static HistogramState *
make_state(MemoryContext context, const EvenBuckets *even)
{
	StringInfoData bounds = bounds_as_bytes(even);
	HistogramState header = {.number = even->number,.buckets = even->buckets};
	HistogramState *state;
	MemoryContext caller = MemoryContextSwitchTo(context);

	header.counts = offsetof(HistogramState, bounds) + bounds.len;
	header.size = header.counts + count_results(&header) * sizeof(int64);
	state = large_value_allocate(header.size);
	*state = header;
	memcpy(state->bounds, bounds.data, bounds.len);
	set_bytes(counts_of(state), 0, count_results(state) * sizeof(int64));
	MemoryContextSwitchTo(caller);
	return state;
}

/* Raises 22023 if a state has other buckets than a row or another state. */
static void
check_same(bool same)
{
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("buckets differ within a group"),
				 errhint("Pass constants, or add what differs to GROUP BY.")));
}

/* Returns whether a state has bounds, as bytes. */
static bool
has_bounds(const HistogramState *state, const char *bounds, Size size)
{
	return state->counts == offsetof(HistogramState, bounds) + size &&
		memcmp(state->bounds, bounds, size) == 0;
}

/* Returns whether the arguments that name buckets are known to be constants. */
static bool
are_constants(FunctionCallInfo fcinfo)
{
	Aggref	   *aggregate = AggGetAggref(fcinfo);

	if (aggregate == NULL || list_length(aggregate->args) != PG_NARGS() - 1)
		return false;
	for (int i = 1; i < list_length(aggregate->args); i++)
		if (!IsA(list_nth_node(TargetEntry, aggregate->args, i)->expr, Const))
			return false;
	return true;
}

/*
 * The buckets of a row, or NULL if an argument for them is NULL.
 *
 * Raises 54000 if the result would be too large, before there are thresholds
 * of as many buckets.
 */
static EvenBuckets *
buckets_of_row(FunctionCallInfo fcinfo)
{
	EvenBuckets *even = call_site(fcinfo)->own;
	ElementKind kind;

	if (even != NULL && even->constant)
		return even;
	kind = even != NULL ? even->kind :
		gather_column_type(fcinfo, get_fn_expr_argtype(fcinfo->flinfo, 1),
						   true).kind;
	if (PG_ARGISNULL(2) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		return NULL;
	(void) array_writer_list_size(int8_type, Max(PG_GETARG_INT32(4), 0) +
								  INT64CONST(2), 0);
	even = even_buckets(fcinfo, 2, kind, false);
	even->constant = are_constants(fcinfo);
	return even;
}

SQL_FUNCTION(gpucompact_histogram_agg_step)
{
	EvenBuckets *even = buckets_of_row(fcinfo);
	HistogramState *state = state_argument(fcinfo, 0);

	if (state == NULL && even != NULL)
		state = make_state(rows_context(fcinfo), even);
	else if (state == NULL)
	{
		state = MemoryContextAllocZero(rows_context(fcinfo), sizeof(*state));
		state->size = sizeof(*state);
		state->buckets = -1;
	}
	else if (even == NULL || state->buckets < 0)
		check_same(even == NULL && state->buckets < 0);
	else if (state->number != even->number)
	{
		StringInfoData bounds = bounds_as_bytes(even);

		check_same(state->buckets == even->buckets &&
				   has_bounds(state, bounds.data, bounds.len));
		state->number = even->number;
	}
	if (even != NULL && !PG_ARGISNULL(1))
		counts_of(state)[even_bucket(even, PG_GETARG_DATUM(1))]++;
	PG_RETURN_POINTER(state);
}

SQL_FUNCTION(gpucompact_histogram_agg_combine)
{
	MemoryContext context = rows_context(fcinfo);
	HistogramState *state = state_argument(fcinfo, 0);
	HistogramState *other = state_argument(fcinfo, 1);

	if (other != NULL && state == NULL)
	{
		state = MemoryContextAllocHuge(context, other->size);
		move_bytes(state, other, other->size);
	}
	else if (other != NULL)
	{
		check_same(state->buckets == other->buckets);
		check_same(state->buckets < 0 ||
				   has_bounds(state, other->bounds, other->counts -
							  offsetof(HistogramState, bounds)));
		for (int64 i = 0; state->buckets >= 0 && i < count_results(state); i++)
		{
			CHECK_FOR_INTERRUPTS();
			counts_of(state)[i] += counts_of(other)[i];
		}
	}
	return return_state(fcinfo, state);
}

SQL_FUNCTION(gpucompact_histogram_agg_serialize)
{
	const HistogramState *state = aggregate_state(fcinfo);

	return state_to_bytes(state, state->size);
}

SQL_FUNCTION(gpucompact_histogram_agg_deserialize)
{
	HistogramState *state = state_from_bytes(fcinfo);

	state->number = 0;
	PG_RETURN_POINTER(state);
}

/*
 * gpu_histogram_agg(x T, low, high, buckets integer) returns bigint[]
 *
 * How many values width_bucket(x, low, high, buckets) puts into each bucket,
 * from 0 to buckets + 1.
 *
 * Raises 2201G where width_bucket does.
 */
SQL_FUNCTION(gpucompact_histogram_agg_result)
{
	HistogramState *state = aggregate_state(fcinfo);
	ArrayWriter writer;

	if (state == NULL || state->buckets < 0)
		PG_RETURN_NULL();
	array_writer_begin_list(&writer, int8_type, count_results(state));
	move_bytes(writer.values, counts_of(state),
			   count_results(state) * sizeof(int64));
	return array_writer_finish(&writer);
}
