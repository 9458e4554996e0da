/*
 * group.c
 *	  gpu_group: the elements of an array combined by keys.
 *
 * The engine finds the distinct keys, and where the elements of each key begin
 * in the order of the keys; sorts the elements by the keys; and reduces the
 * elements of each key.  The neutral element stands for NULL.  If there are
 * NULLs, they are counted by the distinct keys beside them.
 */
#include "compat.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "array/array_writer.h"
#include "array/large_value.h"
#include "array/run_writer.h"
#include "call/call.h"
#include "call/selected.h"
#include "call/temporary.h"
#include "sql/operator.h"
#include "sql/scan.h"

PG_FUNCTION_INFO_V1(gpu_group);

/* The operators are the operators of scans, and "count" after them. */
#define GROUP_COUNT			SCAN_OPERATORS
#define GROUP_OPERATORS		(SCAN_OPERATORS + 1)

/* The distinct keys. */
typedef struct Groups
{
	ElementType type;
	char	   *keys;			/* those that are not NULL */
	int32	   *starts;			/* where each key's elements begin, from 1 on */
	int64		nkeys;
	int64		elements;		/* beside these keys */
	int64		null_elements;	/* beside NULL keys */
	int64		count;			/* groups: the keys, and NULL if it is one */
} Groups;

static int
group_operator(Datum argument)
{
	const char *names[GROUP_OPERATORS];

	memcpy(names, scan_operator_names, sizeof(scan_operator_names));
	names[GROUP_COUNT] = "count";
	return operator_argument("gpu_group", argument, names, GROUP_OPERATORS);
}

/* Raises 0A000 if a count cannot be an element of the type. */
static void
check_count(const ElementType *type)
{
	if (!type->is_number)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("operator \"count\" is not supported for arrays of type %s",
						format_type_be(type->oid)),
				 errdetail("The counts have the type of the elements."),
				 errhint("Count integers in their place: gpu_group(keys, "
						 "gpu_bucket(a, '{}'), 'count').")));
	check_arithmetic(type);
}

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

/* Finds the groups, and frees the values of the keys. */
static Groups
find_groups(ArrayReader *keys)
{
	CallInput	input = array_input(keys);
	Groups		groups = find_keys(&keys->type, &input, keys->count);

	groups.null_elements = keys->nitems - keys->nvalues;
	groups.count = groups.nkeys + (groups.null_elements > 0 ? 1 : 0);
	array_reader_free_values(keys);
	return groups;
}

/* The place of a key in the order of its type. */
static uint64
key_order(const Groups *groups, int64 key)
{
	return element_order(groups->type.kind,
						 groups->keys + key * groups->type.size);
}

/* The number of elements beside a key. */
static int32
count_of(const Groups *groups, int64 key)
{
	return (key + 1 < groups->nkeys ? groups->starts[key + 1] :
			(int32) groups->elements + 1) - groups->starts[key];
}

/*
 * Elements of one byte or two as integers, which the engine takes for payload.
 */
typedef struct WidenedInput
{
	CallInput	base;
	CallInput  *narrow;
} WidenedInput;

static const void *
next_widened(CallInput *base, void *buffer, int64 count)
{
	CallInput  *narrow = ((WidenedInput *) base)->narrow;
	const void *elements = narrow->next(narrow, buffer, count);
	int32	   *widened = buffer;
	bool		bytes = narrow->reader->type.size == sizeof(uint8);

	/* The elements may be in the buffer, too. */
	for (int64 i = count - 1; i >= 0; i--)
		widened[i] = bytes ? ((const uint8 *) elements)[i] :
			((const int16 *) elements)[i];
	return buffer;
}

static void
narrow_elements(void *elements, int64 count, int size)
{
	const int32 *wide = elements;

	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (size == sizeof(uint8))
			((uint8 *) elements)[i] = (uint8) wide[i];
		else
			((int16 *) elements)[i] = (int16) wide[i];
	}
}

/* Elements that are to be sorted by their keys. */
typedef struct KeyedElements
{
	Datum		keys;
	ArrayReader *reader;
	ReaderPlace start;			/* of the reader */
	int64		count;			/* beside keys that are not NULL */
	char	   *at_nulls;		/* room for those beside NULL keys */
} KeyedElements;

static bool
are_widened(const KeyedElements *elements)
{
	return elements->reader->type.size < sizeof(int32);
}

/*
 * All elements in the order of the keys, in "values", or in a temporary array
 * if that is NULL.  The elements beside NULL keys go to their room, in their
 * own order.
 */
static void
sort_elements(KeyedElements *elements, TemporaryArray *sorted, char *values)
{
	ArrayReader *reader = elements->reader;
	bool		widen = are_widened(elements);
	ElementKind kind = widen ? KIND_INT4 : reader->type.kind;
	ArrayReader keys;
	CallInput	first = array_input(&keys);
	CallInput	plain = array_input(reader);
	CallInput  *inputs[] = {&first, &plain};
	SelectedElements selected;
	WidenedInput widened;
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
	if (widen)
	{
		widened = (WidenedInput) {
			{next_widened, inputs[1]->reader}, inputs[1]
		};
		inputs[1] = &widened.base;
	}
	request.count = keys.count;
	if (values == NULL)
		(void) temporary_run(sorted, &request, inputs, lengthof(inputs));
	else
		(void) call_engine_inputs(&request, inputs, lengthof(inputs));
	if (keys.nulls != NULL)
		selected_end(&selected);
	if (widen)
		narrow_elements(values, keys.count, reader->type.size);
	array_reader_close(&keys);
}

static void
make_sorted(void *argument, char *values)
{
	sort_elements(argument, NULL, values);
}

/*
 * All elements in the order of the keys, for a later request.  Those that are
 * widened for the sort are needed here.
 */
static TemporaryArray *
temporary_sorted(KeyedElements *elements)
{
	bool		widen = are_widened(elements);
	ElementType type = widen ? element_type(INT4OID) : elements->reader->type;
	TemporaryArray *sorted = temporary_begin(&type, elements->count,
											 make_sorted, elements);
	char	   *values = temporary_values(sorted);

	sort_elements(elements, sorted, widen ? values : NULL);
	if (widen)
		array_reader_open_values(&sorted->reader, &elements->reader->type,
								 values, elements->count);
	return sorted;
}

/*
 * The operator over the elements of each group, and of NULL behind them.
 *
 * Raises 22003 if one is out of range.
 */
static void
reduce_groups(Datum keys_datum, const Groups *groups, ArrayReader *reader,
			  ScanOperator op, char *results)
{
	const ElementType *type = &reader->type;
	KeyedElements elements = {
		.keys = keys_datum,
		.reader = reader,
		.start = reader->at,
		.count = groups->elements,
		.at_nulls = large_value_allocate(groups->null_elements * type->size)
	};
	EngineRequest request = {
		.operation = ENGINE_GROUP,
		.count = groups->elements,
		.outputs[0] = {results, type->kind},
		.room = groups->nkeys,
		.table = groups->starts,
		.table_bytes = groups->nkeys * sizeof(int32),
		.parameters = PARAMETERS_OF(ScanParameters, .op = op)
	};
	EngineRequest null_request = {
		.operation = ENGINE_REDUCE,
		.count = groups->null_elements,
		.outputs[0] = {results + groups->nkeys * type->size, type->kind},
		.parameters = PARAMETERS_OF(ScanParameters, .op = op)
	};
	TemporaryArray *sorted = temporary_sorted(&elements);
	ArrayReader at_nulls;

	check_overflow(type->kind,
				   call_engine(&request, &sorted->reader).overflow);
	temporary_end(sorted);
	array_reader_open_values(&at_nulls, type, elements.at_nulls,
							 groups->null_elements);
	check_overflow(type->kind,
				   call_engine(&null_request, &at_nulls).overflow);
	pfree(elements.at_nulls);
}

/*
 * Adds to the counts, times "sign", how many elements of each group a bitmap
 * marks.  It marks "marked" elements, none of which has a NULL key.
 */
static void
add_marked(Datum keys_datum, const Groups *groups, const uint8 *bitmap,
		   int64 marked, int sign, int32 *counts)
{
	ArrayReader reader;
	SelectedElements selected;
	Groups		some;
	int64		group = 0;

	if (marked == 0)
		return;
	array_reader_open(&reader, keys_datum, NULLS_FILLED, NULL);
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
 * are fewer, and values beside NULL keys by themselves.
 */
static void
count_values(Datum keys_datum, const Groups *groups, const ArrayReader *reader,
			 const uint8 *key_nulls, int32 *counts)
{
	int64		nitems = reader->nitems;
	uint8	   *marked;
	int64		values;
	bool		few;

	for (int64 i = 0; i < groups->nkeys; i++)
	{
		CHECK_FOR_INTERRUPTS();
		counts[i] = count_of(groups, i);
	}
	if (groups->null_elements > 0)
		counts[groups->nkeys] = groups->null_elements;
	if (reader->nulls == NULL)
		return;

	marked = palloc(null_bitmap_bytes(nitems));
	null_bitmap_combine(marked, key_nulls, reader->nulls, nitems, false);
	values = null_bitmap_count_values(marked, 0, nitems);
	few = values < groups->elements / 2;
	if (few)
		set_bytes(counts, 0, groups->nkeys * sizeof(int32));
	else
		null_bitmap_exclude(marked, key_nulls, nitems);
	add_marked(keys_datum, groups, marked,
			   few ? values : groups->elements - values, few ? 1 : -1, counts);
	pfree(marked);
	if (groups->null_elements > 0)
		counts[groups->nkeys] = (int32) (reader->nvalues - values);
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
	for (int64 i = 0; i < ngroups; i++)
	{
		CHECK_FOR_INTERRUPTS();
		switch (kind)
		{
			case KIND_INT2:
				if (counts[i] > PG_INT16_MAX)
					check_overflow(kind, OVERFLOW_UP);
				((int16 *) results)[i] = (int16) counts[i];
				break;
			case KIND_INT8:
				((int64 *) results)[i] = counts[i];
				break;
			case KIND_FLOAT4:
				((float4 *) results)[i] = (float4) counts[i];
				break;
			case KIND_FLOAT8:
				((float8 *) results)[i] = counts[i];
				break;
			default:
				((int32 *) results)[i] = counts[i];
		}
	}
}

static int64
count_zeros(const int32 *counts, int64 ngroups)
{
	int64		zeros = 0;

	for (int64 i = 0; counts != NULL && i < ngroups; i++)
	{
		CHECK_FOR_INTERRUPTS();
		zeros += counts[i] == 0;
	}
	return zeros;
}

/* The results, except of groups without a value. */
static void
put_results(ArrayWriter *writer, const char *results, const int32 *counts,
			int64 ngroups)
{
	int			size = writer->type.size;
	char	   *dest = writer->values;

	if (writer->bitmap == NULL)
	{
		move_bytes(dest, results, ngroups * size);
		return;
	}
	for (int64 i = 0; i < ngroups; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (counts[i] == 0)
			continue;
		null_bitmap_set_value(writer->bitmap, i);
		memcpy(dest, results + i * size, size);
		dest += size;
	}
}

/*
 * The row of the keys and the results.  Where "counts" has a zero, the result
 * is NULL.
 */
static Datum
make_row(const Groups *groups, const ElementType *type, const char *results,
		 const int32 *counts, TupleDesc row_type)
{
	int64		null_key = groups->count - groups->nkeys;
	int64		null_results = count_zeros(counts, groups->count);
	Size		room = ROW_FIRST_ARRAY +
		array_writer_list_size(&groups->type, groups->count, null_key) +
		MAXIMUM_ALIGNOF +
		array_writer_list_size(type, groups->count, null_results);
	HeapTupleHeader row = large_value_allocate(room);
	char	   *base = (char *) row;
	ArrayWriter writer;
	Size		first_end;
	Size		second;

	array_writer_place_null_list(&writer, base + ROW_FIRST_ARRAY,
								 &groups->type, groups->count, null_key);
	if (null_key > 0)
		null_bitmap_set_values(writer.bitmap, 0, groups->nkeys);
	move_bytes(writer.values, groups->keys, groups->nkeys * groups->type.size);
	(void) array_writer_finish_null_list(&writer, groups->count,
										 groups->nkeys);

	first_end = ROW_FIRST_ARRAY + VARSIZE(writer.array);
	second = att_align_nominal(first_end,
							   TupleDescAttr(row_type, 1)->attalign);
	memset(base + first_end, 0, second - first_end);
	array_writer_place_null_list(&writer, base + second, type, groups->count,
								 null_results);
	put_results(&writer, results, counts, groups->count);
	(void) array_writer_finish_null_list(&writer, groups->count,
										 groups->count - null_results);

	row_fill_header(row, second + VARSIZE(writer.array), groups->count,
					row_type);
	return HeapTupleHeaderGetDatum(row);
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
Datum
gpu_group(PG_FUNCTION_ARGS)
{
	Datum		keys_datum = PG_GETARG_DATUM(0);
	int			op;
	bool		counts_alone;
	TupleDesc	row_type = call_row_type(fcinfo);
	ArrayReader reader;
	ArrayReader keys;
	Groups		groups;
	char	   *results;
	int32	   *counts = NULL;

	call_begin("gpu_group");
	op = group_operator(PG_GETARG_DATUM(2));
	counts_alone = op == GROUP_COUNT;
	call_open_array(&reader, fcinfo, 1, NULLS_FILLED,
					counts_alone ? NULL : scan_neutral[op]);
	call_check_list(&reader);
	if (counts_alone)
		check_count(&reader.type);
	else
		scan_check_operator((ScanOperator) op, &reader.type);
	call_open_beside(&keys, fcinfo, 0, NULLS_DROPPED, &reader, "keys");

	groups = find_groups(&keys);
	results = large_value_allocate(groups.count * reader.type.size);
	if (counts_alone || reader.nulls != NULL)
	{
		counts = large_value_allocate(groups.count * sizeof(int32));
		count_values(keys_datum, &groups, &reader, keys.nulls, counts);
	}
	if (counts_alone)
		convert_counts(counts, groups.count, reader.type.kind, results);
	else
		reduce_groups(keys_datum, &groups, &reader, (ScanOperator) op, results);
	array_reader_close(&keys);
	return call_end(&reader,
					make_row(&groups, &reader.type, results,
							 counts_alone ? NULL : counts, row_type));
}
