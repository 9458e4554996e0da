/*
 * group.c
 *	  gpu_group, gpu_group_avg and gpu_group_count: the elements of an array
 *	  combined by keys.
 *
 * The engine finds the distinct keys, and where the elements of each key begin
 * in the order of the keys; sorts the elements by the keys; and reduces the
 * elements of each key.  The engine gets the operator's neutral element in
 * place of each NULL.  The NULLs of each key are counted separately.  The
 * first value of a key is the one with the least position, and the last value
 * the one with the greatest.
 */
#include "sql/function.h"

/* The operators are the operators of scans, and these after them. */
#define GROUP_COUNT			SCAN_OPERATORS
#define GROUP_FIRST			(SCAN_OPERATORS + 1)
#define GROUP_LAST			(SCAN_OPERATORS + 2)

static const char *const operator_names[] = {
	"+", "*", "min", "max", "&", "|", "#", "count", "first", "last"
};

StaticAssertDecl(lengthof(operator_names) == GROUP_LAST + 1,
				 "each operator has a name");

/* The distinct keys. */
typedef struct Groups
{
	ElementType type;
	char	   *keys;			/* without NULL */
	int32	   *starts;			/* where each key's elements begin, from 1 on */
	int64		nkeys;
	int64		elements;		/* that have these keys */
} Groups;

/* The arrays of a call, and the groups of their elements. */
typedef struct Grouping
{
	ArrayReader reader;			/* of the elements */
	ArrayReader keys;			/* without its values */
	Groups		groups;
	int64		null_elements;	/* elements whose key is NULL */
	int64		count;			/* groups: the keys, and NULL if it is one */
} Grouping;

/* Finds the distinct keys among "count" keys that are not NULL. */
static Groups
find_keys(const ElementType *type, CallInput *input, int64 count)
{
	EngineRequest request = {
		.operation = ENGINE_DISTINCT,
		.count = count,
		.outputs[0].kind = type->kind,
		.outputs[1].kind = KIND_INT4
	};
	Groups		groups = {.type = *type, .elements = count};

	groups.keys = large_value_allocate(count * type->size);
	groups.starts = large_value_allocate(count * sizeof(int32));
	request.outputs[0].memory = groups.keys;
	request.outputs[1].memory = groups.starts;
	groups.nkeys = call_engine_inputs(&request, &input, 1).count;
	return groups;
}

/* Opens the keys, finds the groups, and frees the values of the keys. */
static void
find_groups(Grouping *grouping, FunctionCallInfo fcinfo)
{
	ArrayReader *keys = &grouping->keys;
	CallInput	input = array_input(keys);

	call_open_paired(keys, fcinfo, 0, NULLS_DROPPED, &grouping->reader, "keys");
	grouping->groups = find_keys(&keys->type, &input, keys->count);
	grouping->null_elements = array_reader_nulls(keys);
	grouping->count = grouping->groups.nkeys +
		(grouping->null_elements > 0 ? 1 : 0);
	array_reader_free_values(keys);
}

/* The place of a key in the order of its type. */
static uint64
key_order(const Groups *groups, int64 key)
{
	return element_order(groups->type.kind,
						 groups->keys + key * groups->type.size);
}

/* The number of elements that have a key. */
static int32
count_of(const Groups *groups, int64 key)
{
	return (key + 1 < groups->nkeys ? groups->starts[key + 1] :
			(int32) groups->elements + 1) - groups->starts[key];
}

/*
 * The type of what is sorted by the keys, and combined, in place of elements:
 * their own, or integer if they have one byte or two, as the engine takes no
 * such payload; or, if "wide", bigint or double precision.
 */
static ElementType
payload_type(const ElementType *type, bool wide)
{
	if (wide)
		return element_type(kind_is_float(type->kind) ? FLOAT8OID : INT8OID);
	return type->size < (int) sizeof(int32) ? *int4_type : *type;
}

/* The elements may be where the results go, which are no narrower. */
#define CONVERT(from_type, to_type) \
	for (int64 i = count - 1; i >= 0; i--) \
		((to_type *) converted)[i] = ((const from_type *) elements)[i]

static void
convert_elements(ElementKind kind, bool wide, const void *elements, int64 count,
				 void *converted)
{
	switch (kind)
	{
		case KIND_UINT1:
			CONVERT(uint8, int32);
			break;
		case KIND_INT2:
			if (wide)
				CONVERT(int16, int64);
			else
				CONVERT(int16, int32);
			break;
		case KIND_INT4:
			CONVERT(int32, int64);
			break;
		default:
			Assert(kind == KIND_FLOAT4);
			CONVERT(float4, float8);
	}
}

/* Elements as payload of another type, or changed. */
typedef struct PayloadInput
{
	CallInput	base;
	CallInput  *elements;
	bool		wide;
} PayloadInput;

static const void *
next_payload(CallInput *base, void *buffer, int64 count)
{
	const PayloadInput *input = (PayloadInput *) base;
	CallInput  *elements = input->elements;

	convert_elements(elements->reader->type.kind, input->wide,
					 elements->next(elements, buffer, count), count, buffer);
	return buffer;
}

static pg_always_inline void
narrow_elements(void *elements, int64 count, int size)
{
	const int32 *wide = elements;

	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		put_element_bits((char *) elements + i * size, wide[i], size);
	}
}

/* Elements that are to be sorted by their keys. */
typedef struct KeyedElements
{
	Datum		keys;
	ArrayReader *reader;
	ReaderPlace start;			/* of the reader */
	int64		count;			/* whose keys are not NULL */
	char	   *at_nulls;		/* room for elements with NULL keys */
	bool		wide;			/* the payload */
} KeyedElements;

/* Returns whether the payload is not the elements as they are. */
static bool
are_converted(const KeyedElements *elements)
{
	const ElementType *type = &elements->reader->type;

	return payload_type(type, elements->wide).size != type->size;
}

/*
 * Returns whether the payload is wider than the type of the results, which it
 * has to get behind the sort.
 */
static bool
are_narrowed(const KeyedElements *elements)
{
	return !elements->wide && are_converted(elements);
}

/*
 * The payload of all elements in the order of the keys, in "values", or in a
 * temporary array if that is NULL.  The elements with NULL keys go to their
 * room, in their own order.
 */
static void
sort_elements(KeyedElements *elements, TemporaryArray *sorted, char *values)
{
	ArrayReader *reader = elements->reader;
	ElementKind kind = payload_type(&reader->type, elements->wide).kind;
	ArrayReader keys;
	CallInput	first = array_input(&keys);
	CallInput	plain = array_input(reader);
	CallInput  *inputs[] = {&first, &plain};
	SelectedElements selected;
	PayloadInput converted;
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.kinds[1] = kind,
		.outputs[0] = {values, kind}
	};

	reader->at = elements->start;
	array_reader_open(&keys, elements->keys, NULLS_DROPPED, NULL);
	if (keys.nulls != NULL)
	{
		selected_begin(&selected, reader, keys.nulls, keys.nvalues,
					   elements->at_nulls);
		inputs[1] = &selected.input;
	}
	if (are_converted(elements))
	{
		converted = (PayloadInput) {
			{next_payload, inputs[1]->reader}, inputs[1], elements->wide
		};
		inputs[1] = &converted.base;
	}
	request.count = keys.count;
	if (values == NULL)
		(void) temporary_run(sorted, &request, inputs, lengthof(inputs));
	else
		(void) call_engine_inputs(&request, inputs, lengthof(inputs));
	if (keys.nulls != NULL)
		selected_end(&selected);
	if (are_narrowed(elements))
		CALL_WITH_SIZE(reader->type.size, narrow_elements, values, keys.count);
	array_reader_close(&keys);
}

static void
make_sorted(void *argument, char *values)
{
	sort_elements(argument, NULL, values);
}

/*
 * The payload of all elements in the order of the keys, for a later request.
 * Those that are narrowed behind the sort are needed here.
 */
static TemporaryArray *
temporary_sorted(KeyedElements *elements)
{
	const ElementType *own = &elements->reader->type;
	bool		narrow = are_narrowed(elements);
	ElementType type = payload_type(own, elements->wide);
	TemporaryArray *sorted = temporary_begin(&type, elements->count,
											 make_sorted, elements);
	char	   *values = temporary_values(sorted);

	sort_elements(elements, sorted, narrow ? values : NULL);
	if (narrow)
		array_reader_open_values(&sorted->reader, own, values,
								 elements->count);
	return sorted;
}

/* The averages of bigint in the order of the keys, and of those at NULL. */
static void
average_wide(const Grouping *grouping, const int64 *sorted,
			 const int64 *at_nulls, const int32 *counts, double *averages)
{
	const Groups *groups = &grouping->groups;

	for (int64 i = 0; i < grouping->count; i++)
	{
		bool		null = i == groups->nkeys;
		int64		count = null ? grouping->null_elements :
			count_of(groups, i);
		const int64 *values = null ? at_nulls : sorted + groups->starts[i] - 1;
		WideSum		sum = 0;

		for (int64 j = 0; j < count; j++)
		{
			CHECK_FOR_INTERRUPTS();
			sum += values[j];
		}
		averages[i] = wide_sum_average(sum, counts[i]);
	}
}

/*
 * The operator over the elements of each group, and of NULL behind them.
 * Returns the overflow.  If "counts" is not NULL, the results are wide; and
 * averages if a sum of integers overflows.
 */
static EngineOverflow
reduce_groups(const Grouping *grouping, ArrayReader *reader, ScanOperator op,
			  const int32 *counts, void *results)
{
	const Groups *groups = &grouping->groups;
	bool		wide = counts != NULL;
	ElementType type = wide ? payload_type(&reader->type, wide) :
		reader->type;
	KeyedElements elements = {
		.keys = grouping->keys.datum,
		.reader = reader,
		.start = reader->at,
		.count = groups->elements,
		.at_nulls = large_value_allocate(grouping->null_elements *
										 reader->type.size),
		.wide = wide
	};
	EngineRequest request = {
		.operation = ENGINE_GROUP,
		.count = groups->elements,
		.outputs[0] = {results, type.kind},
		.room = groups->nkeys,
		.table = groups->starts,
		.table_bytes = groups->nkeys * sizeof(int32),
		.parameters = PARAMETERS_OF(ScanParameters, .op = op)
	};
	EngineRequest null_request = {
		.operation = ENGINE_REDUCE,
		.count = grouping->null_elements,
		.kinds[0] = type.kind,
		.outputs[0] = {(char *) results + groups->nkeys * type.size, type.kind},
		.parameters = PARAMETERS_OF(ScanParameters, .op = op)
	};
	TemporaryArray *sorted = temporary_sorted(&elements);
	EngineOverflow overflow = call_engine(&request, &sorted->reader).overflow;
	ArrayReader at_nulls;
	CallInput	plain = array_input(&at_nulls);
	PayloadInput converted = {{next_payload, &at_nulls}, &plain, wide};
	CallInput  *input = type.size == reader->type.size ? &plain :
		&converted.base;

	array_reader_open_values(&at_nulls, &reader->type, elements.at_nulls,
							 null_request.count);
	if (overflow == OVERFLOW_NONE)
		overflow = call_engine_inputs(&null_request, &input, 1).overflow;
	if (overflow != OVERFLOW_NONE && wide &&
		!kind_is_float(type.kind))
		average_wide(grouping, (int64 *) temporary_values(sorted),
					 (int64 *) elements.at_nulls, counts, results);
	temporary_end(sorted);
	pfree(elements.at_nulls);
	reader->at = elements.start;
	return overflow;
}

/*
 * The positions of the elements, for SCAN_MIN or SCAN_MAX: in place of a NULL
 * is what is never the result, unless there is no other.
 */
static int32 *
list_positions(const ArrayReader *reader, ScanOperator op)
{
	int32		neutral = scan_neutral[op][KIND_INT4].int4;
	int32	   *positions = large_value_allocate(reader->nitems *
												 sizeof(int32));

	for (int64 from = 0, to; from < reader->nitems; from = to)
	{
		CHECK_FOR_INTERRUPTS();
		to = Min(from + CHECK_STEP, reader->nitems);
		for (int64 i = from; i < to; i++)
			positions[i] = array_reader_is_value(reader, i) ?
				(int32) i + 1 : neutral;
	}
	return positions;
}

/*
 * The first or the last value of each group, at the least or the greatest
 * position.  Returns these positions, which are 0 where there is no value.
 */
static int32 *
take_ends(Grouping *grouping, ScanOperator op, char *results)
{
	ArrayReader *reader = &grouping->reader;
	int32	   *all = list_positions(reader, op);
	int32	   *ends = large_value_allocate(grouping->count * sizeof(int32));
	CallTable	table = call_table(reader);
	EngineRequest request = {
		.operation = ENGINE_TAKE,
		.count = grouping->count,
		.outputs[0] = {results, reader->type.kind}
	};
	ArrayReader positions;

	array_reader_open_values(&positions, int4_type, all, reader->nitems);
	(void) reduce_groups(grouping, &positions, op, NULL, ends);
	pfree(all);
	array_reader_open_values(&positions, int4_type, ends, grouping->count);
	(void) call_engine_table(&request, &positions, &table);
	call_table_free(&table);
	for (int64 i = 0; reader->nulls != NULL && i < grouping->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ends[i] == scan_neutral[op][KIND_INT4].int4)
			ends[i] = 0;
	}
	return ends;
}

/*
 * Adds to the counts, times "sign", how many elements of each group a bitmap
 * marks.  It marks "marked" elements, and none with a NULL key.
 */
static void
add_marked(const Grouping *grouping, const uint8 *bitmap, int64 marked,
		   int sign, int32 *counts)
{
	const Groups *groups = &grouping->groups;
	ArrayReader reader;
	SelectedElements selected;
	Groups		some;
	int64		group = 0;

	if (marked == 0)
		return;
	array_reader_open(&reader, grouping->keys.datum, NULLS_FILLED, NULL);
	selected_begin(&selected, &reader, bitmap, marked, NULL);
	some = find_keys(&groups->type, &selected.input, marked);
	selected_end(&selected);
	array_reader_close(&reader);
	for (int64 i = 0; i < some.nkeys; i++)
	{
		uint64		key = key_order(&some, i);

		CHECK_FOR_INTERRUPTS();
		while (group < groups->nkeys && key_order(groups, group) < key)
			group++;
		if (group == groups->nkeys)
			elog(ERROR, "key of an element is not among the distinct keys");
		counts[group] += sign * count_of(&some, i);
	}
	pfree(some.keys);
	pfree(some.starts);
}

/*
 * The number of values of each group.  NULLs or values are counted, whichever
 * are fewer, and values whose key is NULL by themselves.
 */
static int32 *
count_values(const Grouping *grouping)
{
	const ArrayReader *reader = &grouping->reader;
	const uint8 *key_nulls = grouping->keys.nulls;
	const Groups *groups = &grouping->groups;
	int32	   *counts = large_value_allocate(grouping->count * sizeof(int32));
	int64		nitems = reader->nitems;
	uint8	   *marked;
	int64		values;
	bool		few;

	for (int64 i = 0; i < groups->nkeys; i++)
	{
		CHECK_FOR_INTERRUPTS();
		counts[i] = count_of(groups, i);
	}
	if (grouping->null_elements > 0)
		counts[groups->nkeys] = grouping->null_elements;
	if (reader->nulls == NULL)
		return counts;

	marked = palloc(null_bitmap_bytes(nitems));
	null_bitmap_combine(marked, key_nulls, reader->nulls, nitems, BITMAP_AND);
	values = null_bitmap_count_values(marked, 0, nitems);
	few = values < groups->elements / 2;
	if (few)
		set_bytes(counts, 0, groups->nkeys * sizeof(int32));
	else
		null_bitmap_combine(marked, key_nulls, marked, nitems, BITMAP_AND_NOT);
	add_marked(grouping, marked, few ? values : groups->elements - values,
			   few ? 1 : -1, counts);
	pfree(marked);
	if (grouping->null_elements > 0)
		counts[groups->nkeys] = (int32) (reader->nvalues - values);
	return counts;
}

/*
 * The counts in the type of the elements.
 *
 * Raises 22003 if one is out of range.
 */
static void
convert_counts(const int32 *counts, int64 ngroups, ElementKind kind,
			   char *results)
{
	int			size = kind_size(kind);

	for (int64 i = 0; i < ngroups; i++)
	{
		ElementValue count = {.int8 = counts[i]};

		CHECK_FOR_INTERRUPTS();
		if (kind == KIND_INT2 && counts[i] > PG_INT16_MAX)
			check_overflow(kind, OVERFLOW_UP);
		if (kind == KIND_FLOAT4)
			count.float4 = (float4) counts[i];
		else if (kind == KIND_FLOAT8)
			count.float8 = counts[i];
		put_element_bits(results + i * size, element_bits(&count, size), size);
	}
}

/*
 * Leaves out the results of groups that have no value, and marks the others.
 * Returns how many these are.
 */
static int64
leave_out_empty(const int32 *counts, int64 ngroups, char *results, int size,
				uint8 *bitmap)
{
	int64		nvalues = 0;

	for (int64 i = 0; i < ngroups; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (counts[i] == 0)
			continue;
		null_bitmap_set_value(bitmap, i);
		if (nvalues < i)
			memcpy(results + nvalues * size, results + i * size, size);
		nvalues++;
	}
	return nvalues;
}

/*
 * Ends the call with a row of the keys and the results.  Where "counts" has a
 * zero, the result is NULL.
 */
static Datum
end_groups(Grouping *grouping, const ElementType *type, char *results,
		   const int32 *counts, TupleDesc row_type)
{
	const Groups *groups = &grouping->groups;
	int64		ngroups = grouping->count;
	uint8	   *bitmap;
	RowColumn	columns[] = {
		{groups->type, groups->keys, groups->nkeys},
		{*type, results, ngroups}
	};

	if (groups->nkeys < ngroups)
	{
		columns[0].bitmap = bitmap = palloc0(null_bitmap_bytes(ngroups));
		null_bitmap_set_values(bitmap, 0, groups->nkeys);
	}
	if (counts != NULL)
	{
		columns[1].bitmap = bitmap = palloc0(null_bitmap_bytes(ngroups));
		columns[1].nvalues = leave_out_empty(counts, ngroups, results,
											 type->size, bitmap);
	}
	array_reader_close(&grouping->keys);
	return call_end(&grouping->reader,
					row_of_arrays(columns, lengthof(columns), ngroups,
								  row_type));
}

/* Combines the elements of each group.  Returns what end_groups needs. */
static int32 *
combine_groups(Grouping *grouping, int op, char *results)
{
	ArrayReader *reader = &grouping->reader;
	ElementKind kind = reader->type.kind;
	int32	   *counts = NULL;

	if (op == GROUP_FIRST || op == GROUP_LAST)
		return take_ends(grouping, op == GROUP_FIRST ? SCAN_MIN : SCAN_MAX,
						 results);
	if (op == GROUP_COUNT || reader->nulls != NULL)
		counts = count_values(grouping);
	if (op == GROUP_COUNT)
	{
		convert_counts(counts, grouping->count, kind, results);
		return NULL;
	}
	check_overflow(kind, reduce_groups(grouping, reader, (ScanOperator) op,
									   NULL, results));
	return counts;
}

/*
 * gpu_group(keys anyarray, a anycompatiblearray, op text,
 *			 OUT keys anyarray, OUT "values" anycompatiblearray)
 *
 * As SELECT k, op(x) ... GROUP BY k ORDER BY k, where each op(x) is that of
 * gpu_reduce over the key's elements in their order, with the neutral element
 * in place of each NULL; NULL if there is no value.
 *
 * Raises 22023 if there is no such operator, and 2202E if the arrays differ in
 * length.
 */
SQL_CALL_FUNCTION(gpu_group, "gpu_group", 0)
{
	TupleDesc	row_type = call_row_type(fcinfo, 2, NULL);
	Grouping	grouping;
	ElementType type;
	char	   *results;
	int			op = name_argument(fcinfo, "operator", PG_GETARG_DATUM(2),
								   operator_names, lengthof(operator_names));

	call_open_array(&grouping.reader, fcinfo, 1, NULLS_FILLED,
					op < SCAN_OPERATORS ? scan_neutral[op] : NULL);
	call_check_list(&grouping.reader);
	type = grouping.reader.type;
	if (op == GROUP_COUNT)
		scan_check_count(&type,
						 "gpu_group_count(keys, a) counts elements of any type.");
	else if (op < SCAN_OPERATORS)
		scan_check_operator((ScanOperator) op, &type);
	find_groups(&grouping, fcinfo);
	results = large_value_allocate(grouping.count * type.size);
	return end_groups(&grouping, &type, results,
					  combine_groups(&grouping, op, results), row_type);
}

/*
 * The average of each group, where "counts" is not zero.
 *
 * Raises 22003 if a sum of floats is out of range.
 */
static void
average_groups(Grouping *grouping, const int32 *counts, double *averages)
{
	bool		floats = kind_is_float(grouping->reader.type.kind);
	int64	   *sums = (int64 *) averages;
	EngineOverflow overflow = reduce_groups(grouping, &grouping->reader,
											SCAN_ADD, counts, averages);

	if (floats)
		check_overflow(KIND_FLOAT8, overflow);
	else if (overflow != OVERFLOW_NONE)
		return;
	for (int64 i = 0; i < grouping->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		averages[i] = floats ? one_nan((averages[i] + 0.0) / counts[i]) :
			wide_sum_average(sums[i], counts[i]);
	}
}

/*
 * gpu_group_avg(keys anyarray, a anycompatiblearray,
 *				 OUT keys anyarray, OUT avg double precision[])
 *
 * As SELECT k, avg(x)::double precision ... GROUP BY k ORDER BY k.  The sums of
 * floats are as in gpu_group, in double precision.
 *
 * Raises 2202E if the arrays differ in length.
 */
SQL_CALL_FUNCTION(gpu_group_avg, "gpu_group_avg", 0)
{
	TupleDesc	row_type = call_row_type(fcinfo, 2, NULL);
	Grouping	grouping;
	double	   *averages;
	int32	   *counts;

	call_open_array(&grouping.reader, fcinfo, 1, NULLS_FILLED,
					scan_neutral[SCAN_ADD]);
	call_check_list(&grouping.reader);
	call_check_number(&grouping.reader, fcinfo, 1);
	find_groups(&grouping, fcinfo);
	averages = large_value_allocate(grouping.count * sizeof(double));
	counts = count_values(&grouping);
	average_groups(&grouping, counts, averages);
	return end_groups(&grouping, float8_type, (char *) averages, counts,
					  row_type);
}

/*
 * gpu_group_count(keys anyarray, a anycompatiblearray,
 *				   OUT keys anyarray, OUT count bigint[])
 *
 * As SELECT k, count(x) ... GROUP BY k ORDER BY k.
 *
 * Raises 2202E if the arrays differ in length.
 */
SQL_CALL_FUNCTION(gpu_group_count, "gpu_group_count", 0)
{
	TupleDesc	row_type = call_row_type(fcinfo, 2, NULL);
	Grouping	grouping;
	char	   *results;

	call_open_list(&grouping.reader, fcinfo, 1, NULLS_FILLED);
	find_groups(&grouping, fcinfo);
	results = large_value_allocate(grouping.count * sizeof(int64));
	convert_counts(count_values(&grouping), grouping.count, KIND_INT8, results);
	return end_groups(&grouping, int8_type, results, NULL, row_type);
}
