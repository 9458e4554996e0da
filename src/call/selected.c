/*
 * selected.c
 *	  The elements of an array that a bitmap marks, as an input of a request.
 *
 * A request of their own selects the elements: in several threads, or on a GPU,
 * which may have cached the array and keeps the elements for the next request.
 */
#include "compat.h"

#include "call/call.h"
#include "call/selected.h"
#include "contract/operations/compact.h"

/*
 * Begins the request for the "count" elements that a bitmap marks.  Rewinds
 * the array.
 */
static EngineRequest
begin_request(const SelectedElements *selected, const uint8 *bitmap,
			  int64 count)
{
	ArrayReader *array = selected->array;

	array->at = selected->start;
	return (EngineRequest) {
		.operation = ENGINE_COMPACT,
		.count = array->count,
		.outputs[0].kind = array->type.kind,
		.table = bitmap,
		.table_bytes = null_bitmap_bytes(array->nitems),
		.room = Max(count, 1),	/* zero would be all */
		.parameters = PARAMETERS_OF(CompactParameters, .by_bitmap = true)
	};
}

/*
 * A compaction may have any number of results, but this one must have as many
 * as are marked: with fewer, an input would be read beyond its end.
 */
static void
check_count(int64 selected, int64 count)
{
	if (selected != count)
		elog(ERROR, "engine selected " INT64_FORMAT " elements, not "
			 INT64_FORMAT, selected, count);
}

static void
put_elements(const SelectedElements *selected, const uint8 *bitmap,
			 int64 count, char *values)
{
	EngineRequest request = begin_request(selected, bitmap, count);

	request.outputs[0].memory = values;
	check_count(call_engine(&request, selected->array).count, count);
}

/* Makes the elements that a device has lost. */
static void
make_selected(void *argument, char *values)
{
	const SelectedElements *selected = argument;

	put_elements(selected, selected->bitmap, selected->count, values);
}

static void
put_others(const SelectedElements *selected, char *others)
{
	int64		nitems = selected->array->nitems;
	uint8	   *bitmap = palloc(null_bitmap_bytes(nitems));

	memcpy(bitmap, selected->bitmap, null_bitmap_bytes(nitems));
	null_bitmap_exclude(bitmap, NULL, nitems);
	put_elements(selected, bitmap, nitems - selected->count, others);
	pfree(bitmap);
}

/*
 * Begins an input of the elements of an array that a bitmap marks, "count" of
 * them, and puts those that it does not mark to "others", unless that is NULL.
 * The reader hands out a value for each NULL.  It and the bitmap have to stay
 * until selected_end.
 */
void
selected_begin(SelectedElements *selected, ArrayReader *array,
			   const uint8 *bitmap, int64 count, char *others)
{
	CallInput	input = array_input(array);
	CallInput  *inputs[] = {&input};
	EngineRequest request;

	Assert(array->count == array->nitems);
	*selected = (SelectedElements) {
		.array = array, .start = array->at, .bitmap = bitmap, .count = count
	};
	if (others != NULL)
		put_others(selected, others);
	request = begin_request(selected, bitmap, count);
	selected->temporary = temporary_begin(&array->type, count, make_selected,
										  selected);
	check_count(temporary_run(selected->temporary, &request, inputs,
							  lengthof(inputs)), count);
	selected->input = array_input(&selected->temporary->reader);
}

void
selected_end(SelectedElements *selected)
{
	temporary_end(selected->temporary);
}
