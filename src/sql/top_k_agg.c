/*
 * top_k_agg.c
 *	  gpu_top_k_agg, an aggregate over the values of rows.
 *
 * A state has the rows that may be among the first k.  When it has twice as
 * many, the last of them are left out, and from then on a row that comes after
 * the k-th is skipped.
 */
#include "sql/function.h"

#include "sql/aggregate.h"

/* Rows that a state has room for at first, and before any are left out. */
#define MIN_ROOM		4
#define MIN_FULL		64

typedef struct TopRow
{
	uint64		order;			/* the greatest value has the least */
	uint64		bits;			/* of the value */
	uint64		payload;		/* its bits */
	bool		null_payload;	/* such a row comes after its equals */
} TopRow;

/* A state is one chunk of memory. */
typedef struct TopState
{
	int64		k;				/* -1: NULL */
	int64		count;
	int64		room;
	uint64		last;			/* rows of a later order are skipped */
	Oid			type;
	Oid			payload;		/* its type; InvalidOid: there is none */
	TopRow		rows[FLEXIBLE_ARRAY_MEMBER];
} TopState;

static Size
state_size(int64 rows)
{
	return offsetof(TopState, rows) + rows * sizeof(TopRow);
}

static TopState *
make_state(MemoryContext context, int64 k, Oid type, Oid payload, int64 room)
{
	TopState   *state = MemoryContextAllocHuge(context, state_size(room));

	*state = (TopState) {
		.k = k, .room = room, .last = PG_UINT64_MAX,
		.type = type, .payload = payload
	};
	return state;
}

/* Compares rows whose payloads are of a kind. */
static int
compare_rows(const void *a, const void *b, void *kind)
{
	const TopRow *x = a;
	const TopRow *y = b;
	uint64		x_index;
	uint64		y_index;

	CHECK_FOR_INTERRUPTS();
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->null_payload || y->null_payload)
		return (int) x->null_payload - (int) y->null_payload;
	x_index = element_index(*(ElementKind *) kind, x->payload);
	y_index = element_index(*(ElementKind *) kind, y->payload);
	return x_index < y_index ? -1 : x_index > y_index;
}

/* Leaves the first k rows, in order. */
static void
leave_first(TopState *state)
{
	ElementKind kind = KIND_INT8;

	if (OidIsValid(state->payload))
		kind = element_type(state->payload).kind;
	qsort_arg(state->rows, state->count, sizeof(TopRow), compare_rows, &kind);
	if (state->count >= state->k && state->k > 0)
	{
		state->count = state->k;
		state->last = state->rows[state->k - 1].order;
	}
}

/* Adds a row.  The state may move. */
static TopState *
add_row(TopState *state, const TopRow *row)
{
	int64		full = Max(2 * state->k, MIN_FULL);

	if (row->order > state->last || state->k <= 0)
		return state;
	if (state->count == full)
		leave_first(state);
	else if (state->count == state->room)
	{
		state->room = Min(2 * state->room, full);
		state = repalloc_huge(state, state_size(state->room));
	}
	if (row->order <= state->last)
		state->rows[state->count++] = *row;
	return state;
}

/* Raises 22023 if a state has another k. */
static void
check_k(FunctionCallInfo fcinfo, const TopState *state, int64 k)
{
	if (state->k != k)
		raise_differs(fcinfo, "k differs within a group",
					  _("Pass a constant, or add k to GROUP BY."));
}

SQL_FUNCTION(gpucompact_top_k_agg_step)
{
	int			last = PG_NARGS() - 1;	/* k, or the payload */
	bool		has_payload = last == 3;
	const ElementType *types = gather_type(fcinfo, last) - last;
	const ElementType *type = &types[1];
	TopState   *state = state_argument(fcinfo, 0);
	int64		k = PG_ARGISNULL(2) ? -1 :
		at_least(0, "k", PG_GETARG_INT32(2),
					 ERRCODE_INVALID_ROW_COUNT_IN_LIMIT_CLAUSE);

	if (state == NULL)
		state = make_state(rows_context(fcinfo), k, type->oid,
						   has_payload ? types[3].oid : InvalidOid, MIN_ROOM);
	else
		check_k(fcinfo, state, k);
	if (!PG_ARGISNULL(1))
	{
		uint64		bits = datum_bits(type, PG_GETARG_DATUM(1));
		TopRow		row = {
			.order = ~element_index(type->kind, bits),
			.bits = bits,
			.null_payload = has_payload && PG_ARGISNULL(3)
		};

		if (has_payload && !PG_ARGISNULL(3))
			row.payload = datum_bits(&types[3], PG_GETARG_DATUM(3));
		state = add_row(state, &row);
	}
	PG_RETURN_POINTER(state);
}

SQL_FUNCTION(gpucompact_top_k_agg_combine)
{
	MemoryContext context = rows_context(fcinfo);
	TopState   *state = state_argument(fcinfo, 0);
	const TopState *other = state_argument(fcinfo, 1);

	if (other != NULL)
	{
		if (state == NULL)
			state = make_state(context, other->k, other->type, other->payload,
							   Max(other->count, MIN_ROOM));
		check_k(fcinfo, state, other->k);
		for (int64 i = 0; i < other->count; i++)
		{
			CHECK_FOR_INTERRUPTS();
			state = add_row(state, &other->rows[i]);
		}
	}
	return return_state(fcinfo, state);
}

SQL_FUNCTION(gpucompact_top_k_agg_serialize)
{
	TopState   *state = aggregate_state(fcinfo);

	leave_first(state);
	return state_to_bytes(state, state_size(state->count));
}

/*
 * gpu_top_k_agg(x anynonarray, k integer) returns anyarray
 * gpu_top_k_agg(x anynonarray, k integer, payload anycompatiblenonarray)
 *		returns anycompatiblearray
 *
 * As SELECT x ... WHERE x IS NOT NULL ORDER BY x DESC LIMIT k; or
 * SELECT payload ... WHERE x IS NOT NULL ORDER BY x DESC, payload LIMIT k
 *
 * Raises 2201W if k is negative, and 22023 if it differs within a group.
 */
SQL_FUNCTION(gpucompact_top_k_agg_result)
{
	TopState   *state = aggregate_state(fcinfo);
	ElementType type;
	ArrayWriter writer;
	bool		payloads;
	int64		nulls = 0;
	int64		nvalues = 0;

	if (state == NULL || state->k < 0)
		PG_RETURN_NULL();
	leave_first(state);
	payloads = OidIsValid(state->payload);
	type = element_type(payloads ? state->payload : state->type);
	for (int64 i = 0; i < state->count; i++)
		nulls += state->rows[i].null_payload;
	array_writer_begin_null_list(&writer, &type, state->count, nulls);
	for (int64 i = 0; i < state->count; i++)
	{
		const TopRow *row = &state->rows[i];

		CHECK_FOR_INTERRUPTS();
		if (row->null_payload)
			continue;
		if (writer.bitmap != NULL)
			null_bitmap_set_value(writer.bitmap, i);
		put_element_bits(writer.values + nvalues++ * type.size,
						 payloads ? row->payload : row->bits, type.size);
	}
	return array_writer_finish_null_list(&writer, state->count, nvalues);
}
