/*
 * top_k.c
 *	  The SQL function that takes the greatest, or the least, elements of an
 *	  array; and gpu_top_k_agg, an aggregate over the values of rows.
 *
 * The engine selects a threshold that at least k elements reach, and then finds
 * the positions of all elements that reach it.  These candidates are few, and
 * the CPU sorts them.  The threshold is the k-th element of the array; or of a
 * sample, if the array is large for k and has to be read.  For a large k, or a
 * small array, the engine sorts all positions; but for a small k, one pass over
 * a small array is enough.
 */
#include "sql/function.h"

#include "sql/aggregate.h"

/*
 * Elements are selected if k is at most MAX_SELECTED, and the array has at
 * least MIN_ELEMENTS elements and MIN_TIMES * k.  Otherwise a sort is faster,
 * or hardly slower.
 */
#define MAX_SELECTED	65536
#define MIN_TIMES		16
#define MIN_ELEMENTS	4096

/* Up to this k, arrays below MIN_ELEMENTS take one pass with insertion. */
#define MAX_INSERTED	16

/*
 * Elements that are read in the time that looking up one takes, where memory is
 * slow.
 */
#define LOOKUP_ELEMENTS	16384

/*
 * A sample has SAMPLE_TIMES * k elements, and at least MIN_SAMPLE.  They come
 * from SAMPLE_BLOCKS blocks all over the array.  The sample is at most 1 /
 * SAMPLE_PART of the array.  Few elements reach the k-th element of the sample,
 * unless the blocks are unlike the rest of the array or many elements are
 * equal.
 */
#define SAMPLE_TIMES	8192
#define MIN_SAMPLE	(2 * SAMPLE_TIMES)
#define SAMPLE_BLOCKS	64
#define SAMPLE_PART		8

/* Values that are read together. */
#define BLOCK			1024

/* An element.  Equal elements are ordered by their positions. */
typedef struct TopElement
{
	uint64		order;			/* the least come first */
	int64		at;				/* its index among the candidates */
} TopElement;

/* The result. */
typedef struct TopWriter
{
	ElementType type;
	char	   *values;
	int32	   *positions;
} TopWriter;

/* Adds the next element of the result. */
static inline void
put_element(TopWriter *writer, int64 i, const char *element, int32 position)
{
	int			size = writer->type.size;

	memcpy(writer->values + i * size, element, size);
	writer->positions[i] = position;
}

/* Sorts all positions, and takes the first. */
static void
take_sorted(FunctionCallInfo fcinfo, ArrayReader *reader, int64 count,
			bool descending, TopWriter *writer)
{
	SortOrder	order = {.descending = descending};
	int32	   *positions =
		large_value_allocate(reader->nitems * sizeof(int32));
	ArrayReader all;
	const char *elements;
	char	   *copy;

	sort_positions(reader, order, false, positions);
	array_reader_open(&all, PG_GETARG_DATUM(0), NULLS_FILLED, NULL);
	elements = array_reader_all(&all, &copy);
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		put_element(writer, i,
					elements + (positions[i] - 1) * (int64) all.type.size,
					positions[i]);
	}
	if (copy != NULL)
		pfree(copy);
	pfree(positions);
	array_reader_close(&all);
}

static inline uint64
order_of(const ElementType *type, const char *values, int64 i)
{
	return element_order(type->kind, values + i * type->size);
}

/* Returns whether the CPU would sort the array, which has no NULLs. */
static bool
is_for_cpu(ArrayReader *reader)
{
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.count = reader->count,
		.kinds[1] = KIND_INT4,
		.outputs[0].kind = KIND_INT4,
		.parameters = PARAMETERS_OF(SortParameters, .positions = true)
	};

	return call_choose_engine(&request, reader) == ENGINE_CPU;
}

/* Goes through the elements, and keeps the first "count" so far in order. */
static void
take_inserted(ArrayReader *reader, int64 count, bool descending,
			  TopWriter *writer)
{
	const ElementType *type = &reader->type;
	uint64		flip = descending ? ~UINT64CONST(0) : 0;
	TopElement	top[MAX_INSERTED];
	int64		taken = 0;
	char	   *copy;
	const char *values = array_reader_all(reader, &copy);

	for (int64 i = 0; i < reader->count; i++)
	{
		uint64		order = order_of(type, values, i) ^ flip;
		int64		place;

		if (taken == count && order >= top[count - 1].order)
			continue;
		place = taken < count ? taken++ : count - 1;
		for (; place > 0 && top[place - 1].order > order; place--)
			top[place] = top[place - 1];
		top[place] = (TopElement) {order, i};
	}
	for (int64 i = 0; i < count; i++)
		put_element(writer, i, values + top[i].at * type->size,
					reader->leading_nulls + top[i].at + 1);
	if (copy != NULL)
		pfree(copy);
}

/* The request to select the element of a rank. */
static EngineRequest
selection(const ArrayReader *reader, const int64 *rank, ElementValue *element)
{
	return (EngineRequest) {
		.operation = ENGINE_SELECT,
		.count = reader->count,
		.table = rank,
		.table_bytes = sizeof(*rank),
		.outputs[0] = {element, reader->type.kind}
	};
}

/* Selects the last of the first "count" elements in the result's order. */
static ElementValue
find_last(ArrayReader *reader, int64 count, bool descending)
{
	int64		rank = descending ? reader->count - count : count - 1;
	ElementValue last;
	EngineRequest request = selection(reader, &rank, &last);
	ReaderPlace start = reader->at;

	call_engine(&request, reader);
	reader->at = start;
	return last;
}

/* Returns whether a GPU has the elements: they need not be read then. */
static bool
is_cached(ArrayReader *reader)
{
	int64		rank = 0;
	ElementValue element;
	EngineRequest request = selection(reader, &rank, &element);
	EngineContext *context =
		session_contexts[call_choose_engine(&request, reader)];

	return context->engine->has_cached != NULL &&
		context->engine->has_cached(context, &request, 0);
}

/* As find_last, of a sample of the elements. */
static ElementValue
find_last_of_sample(ArrayReader *reader, int64 sample_size, int64 count,
					bool descending)
{
	int64		block = sample_size / SAMPLE_BLOCKS;
	int64		between = reader->count / SAMPLE_BLOCKS - block;
	int			size = reader->type.size;
	char	   *values = palloc(sample_size * size);
	ReaderPlace start = reader->at;
	ArrayReader sample;
	ElementValue last;

	for (int i = 0; i < SAMPLE_BLOCKS; i++)
	{
		array_reader_copy(reader, values + i * block * size, block);
		array_reader_skip(reader, between);
	}
	reader->at = start;
	array_reader_open_values(&sample, &reader->type, values, sample_size);
	last = find_last(&sample, count, descending);
	pfree(values);
	return last;
}

/*
 * The selected elements, or their positions.  There is room for all elements,
 * but most of it is never touched.
 */
static void *
compact(ArrayReader *reader, const EnginePredicate *predicate, bool positions,
		int64 *count)
{
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.count = reader->count,
		.outputs[0].kind = positions ? KIND_INT4 : reader->type.kind,
		.parameters = PARAMETERS_OF(CompactParameters, .positions = positions,
											.predicate = *predicate)
	};
	ReaderPlace start = reader->at;

	request.outputs[0].memory =
		large_value_allocate(reader->count * output_size(&request, 0));
	*count = call_engine(&request, reader).count;
	reader->at = start;
	return request.outputs[0].memory;
}

/*
 * Leaves the candidates that come before "last", the last one wanted, and the
 * first that are equal to it: "count" in all.
 */
static void
leave_wanted(const ElementType *type, char *values, int32 *positions,
			 int64 candidates, uint64 last, uint64 flip, int64 count)
{
	int64		equal = count;	/* of those equal to it, so many are wanted */
	int64		left = 0;

	for (int64 i = 0; i < candidates; i++)
	{
		CHECK_FOR_INTERRUPTS();
		equal -= (order_of(type, values, i) ^ flip) < last;
	}
	for (int64 i = 0; left < count; i++)
	{
		uint64		order = order_of(type, values, i) ^ flip;

		CHECK_FOR_INTERRUPTS();
		if (order > last || (order == last && equal-- <= 0))
			continue;
		memcpy(values + left * type->size, values + i * type->size,
			   type->size);
		positions[left++] = positions[i];
	}
}

/* Sorts the candidates, and takes the first. */
static void
take_candidates(const ElementType *type, char *values, const int32 *positions,
				int64 candidates, int64 count, bool descending,
				TopWriter *writer)
{
	int32	   *order = large_value_allocate(candidates * sizeof(int32));
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.kinds[1] = KIND_INT4,
		.outputs[0] = {order, KIND_INT4},
		.parameters = PARAMETERS_OF(SortParameters, .descending = descending,
									.positions = true)
	};
	ArrayReader reader;

	array_reader_open_values(&reader, type, values, candidates);
	(void) call_alone(&request, &reader);
	for (int64 i = 0; i < count; i++)
	{
		int64		at = order[i] - 1;

		CHECK_FOR_INTERRUPTS();
		put_element(writer, i, values + at * type->size, positions[at]);
	}
	pfree(order);
}

/*
 * The values at some places among an array's values, from 1 on and ascending.
 * Those near to each other are read together.
 */
char *
values_at(ArrayReader *reader, const int32 *places, int64 count)
{
	int			size = reader->type.size;
	ReaderPlace start = reader->at;
	int64		next = 0;		/* value */
	char	   *values = large_value_allocate(count * size);

	for (int64 i = 0, end; i < count; i = end)
	{
		int64		buffer[BLOCK];
		int64		first = places[i] - 1;
		const char *block;

		CHECK_FOR_INTERRUPTS();
		for (end = i + 1; end < count && places[end] <= first + BLOCK; end++)
			;
		array_reader_skip(reader, first - next);
		next = places[end - 1];
		block = array_reader_next(reader, buffer, next - first);
		for (int64 j = i; j < end; j++)
			memcpy(values + j * size, block + (places[j] - 1 - first) * size,
				   size);
	}
	reader->at = start;
	return values;
}

/* Selects the elements. */
static void
take_selected(ArrayReader *reader, int64 count, bool descending,
			  TopWriter *writer)
{
	const ElementType *type = &reader->type;
	uint64		flip = descending ? ~UINT64CONST(0) : 0;
	int64		sample = Max(count * SAMPLE_TIMES, MIN_SAMPLE);
	bool		exact = sample > reader->count / SAMPLE_PART ||
		is_cached(reader);
	ElementValue last = exact ? find_last(reader, count, descending) :
		find_last_of_sample(reader, sample, count, descending);
	EnginePredicate predicate =
		compare_with(type, descending ? PREDICATE_GREATER_OR_EQUAL :
					 PREDICATE_LESS_OR_EQUAL, InvalidOid,
					 element_datum(type, &last));
	int64		candidates;
	int32	   *positions = compact(reader, &predicate, true, &candidates);
	char	   *values;

	/* To look up a few takes less time than to read all once more. */
	if (candidates > reader->count / LOOKUP_ELEMENTS || is_cached(reader))
		values = compact(reader, &predicate, false, &candidates);
	else
		values = values_at(reader, positions, candidates);
	if (candidates > MAX_SELECTED)
	{
		if (!exact)
			last = find_last(reader, count, descending);
		leave_wanted(type, values, positions, candidates,
					 element_order(type->kind, &last) ^ flip, flip, count);
		candidates = count;
	}
	if (reader->count < reader->nitems)
		nulls_renumber(reader, positions, candidates);
	take_candidates(type, values, positions, candidates, count, descending,
					writer);
	pfree(values);
	pfree(positions);
}

/*
 * gpu_top_k(a anyarray, k integer, descending boolean,
 *			 OUT "values" anyarray, OUT positions integer[])
 *
 * As SELECT x, i ... WHERE x IS NOT NULL ORDER BY x DESC, i LIMIT k, or, unless
 * descending, ORDER BY x, i.  Positions are from 1 on.
 *
 * Raises 2201W if k is negative.
 */
SQL_CALL_FUNCTION(gpu_top_k, "gpu_top_k", 0)
{
	int64		count = at_least(0, "k", PG_GETARG_INT32(1),
									 ERRCODE_INVALID_ROW_COUNT_IN_LIMIT_CLAUSE);
	bool		descending = PG_GETARG_BOOL(2);
	ArrayReader reader;
	TopWriter	writer;
	Datum		row;

	call_open_list(&reader, fcinfo, 0, NULLS_COUNTED);
	count = Min(count, reader.count);
	writer.type = reader.type;
	writer.values = large_value_allocate(count * reader.type.size);
	writer.positions = large_value_allocate(count * sizeof(int32));
	if (count > 0)
	{
		bool		is_small = count <= MAX_SELECTED &&
			reader.count / MIN_TIMES >= count;

		if (is_small && reader.count >= MIN_ELEMENTS)
			take_selected(&reader, count, descending, &writer);
		else if (is_small && count <= MAX_INSERTED && reader.nulls == NULL &&
				 is_for_cpu(&reader))
			take_inserted(&reader, count, descending, &writer);
		else
			take_sorted(fcinfo, &reader, count, descending, &writer);
	}
	row = row_of_arrays((RowColumn[])
						{{writer.type, writer.values, count},
						{*int4_type, writer.positions, count}},
						2, count, call_row_type(fcinfo, 2, NULL));
	pfree(writer.values);
	pfree(writer.positions);
	return call_end(&reader, row);
}

/*
 * A state of the aggregate has the rows that may be among the first k.  When it
 * has twice as many, the last of them are left out, and from then on a row that
 * comes after the k-th is skipped.
 */

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
