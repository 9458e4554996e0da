/*
 * histogram_agg.c
 *	  gpu_histogram_agg, an aggregate over the values of rows.
 *
 * A state has the counts of the buckets, and does not grow with the rows.  It
 * has a hash of the thresholds, too, which must be the same for all rows of a
 * group.
 */
#include "sql/function.h"

#include "common/hashfn.h"
#include "nodes/primnodes.h"

#include "sql/aggregate.h"

/* A state is one chunk of memory. */
typedef struct HistogramState
{
	uint64		hash;			/* of the buckets */
	int64		results;		/* counts; 0: an argument is NULL */
	int64		counts[FLEXIBLE_ARRAY_MEMBER];
} HistogramState;

static Size
state_size(int64 results)
{
	return offsetof(HistogramState, counts) + results * sizeof(int64);
}

/* A state without rows. */
static HistogramState *
make_state(MemoryContext context, uint64 hash, int64 results)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	HistogramState *state = large_value_allocate(state_size(results));

	set_bytes(state, 0, state_size(results));
	state->hash = hash;
	state->results = results;
	MemoryContextSwitchTo(caller);
	return state;
}

/* Raises 22023 if a state has other buckets than a row or another state. */
static void
check_buckets(FunctionCallInfo fcinfo, const HistogramState *state, uint64 hash,
			  int64 results)
{
	if (state->hash != hash || state->results != results)
		raise_differs(fcinfo, "buckets differ within a group",
					  _("Pass constants, or add what differs to GROUP BY."));
}

/* A hash of buckets, which is not 0. */
static uint64
hash_of(const EvenBuckets *even)
{
	const Thresholds *thresholds = &even->thresholds;

	return hash_bytes_extended((unsigned char *) thresholds->indexes,
							   (int) (thresholds->count * thresholds->size),
							   even->reversed) | 1;
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
	if (even->hash == 0)
		even->hash = hash_of(even);
	return even;
}

SQL_FUNCTION(gpucompact_histogram_agg_step)
{
	EvenBuckets *even = buckets_of_row(fcinfo);
	uint64		hash = even != NULL ? even->hash : 0;
	int64		results = even != NULL ? even->buckets + INT64CONST(2) : 0;
	HistogramState *state = state_argument(fcinfo, 0);

	if (state == NULL)
		state = make_state(rows_context(fcinfo), hash, results);
	check_buckets(fcinfo, state, hash, results);
	if (even != NULL && !PG_ARGISNULL(1))
		state->counts[even_bucket(even, PG_GETARG_DATUM(1))]++;
	PG_RETURN_POINTER(state);
}

SQL_FUNCTION(gpucompact_histogram_agg_combine)
{
	MemoryContext context = rows_context(fcinfo);
	HistogramState *state = state_argument(fcinfo, 0);
	const HistogramState *other = state_argument(fcinfo, 1);

	if (other != NULL)
	{
		if (state == NULL)
			state = make_state(context, other->hash, other->results);
		check_buckets(fcinfo, state, other->hash, other->results);
		for (int64 i = 0; i < state->results; i++)
		{
			CHECK_FOR_INTERRUPTS();
			state->counts[i] += other->counts[i];
		}
	}
	return return_state(fcinfo, state);
}

SQL_FUNCTION(gpucompact_histogram_agg_serialize)
{
	const HistogramState *state = aggregate_state(fcinfo);

	return state_to_bytes(state, state_size(state->results));
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
	const HistogramState *state = aggregate_state(fcinfo);
	ArrayWriter writer;

	if (state == NULL || state->results == 0)
		PG_RETURN_NULL();
	array_writer_begin_list(&writer, int8_type, state->results);
	move_bytes(writer.values, state->counts, state->results * sizeof(int64));
	return array_writer_finish(&writer);
}
