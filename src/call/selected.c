/*
 * selected.c
 *	  The elements of an array that a bitmap marks, as an input of a request.
 *
 * The elements of a large array are selected by a request of their own: by
 * several threads, or on a GPU, which may have cached the array and keeps the
 * elements for the next request.  The session selects those of other arrays
 * while it reads them.
 */
#include "compat.h"

#include "call/call.h"
#include "call/selected.h"
#include "contract/operations/compact.h"

/*
 * The fewest elements of a large array.  With two processors and no GPU, the
 * session takes less time for smaller arrays, but 2.1 ms instead of 1.6 for a
 * dot product of as many.
 */
#define LARGE_ITEMS		(256 * 1024)

/* The request that writes the elements of a reader that a bitmap marks. */
static EngineRequest
select_request(const ArrayReader *reader, const uint8 *bitmap)
{
	return (EngineRequest) {
		.operation = ENGINE_COMPACT,
		.count = reader->count,
		.outputs[0].kind = reader->type.kind,
		.table = bitmap,
		.table_bytes = null_bitmap_bytes(reader->nitems),
		.parameters = PARAMETERS_OF(CompactParameters, .by_bitmap = true)
	};
}

/* The elements, anew. */
static void
make_selected(void *argument, char *values)
{
	const SelectedInput *selected = argument;
	ArrayReader again;
	EngineRequest request;

	array_reader_open(&again, selected->datum, NULLS_FILLED, NULL);
	request = select_request(&again, selected->bitmap);
	request.outputs[0].memory = values;
	(void) call_engine(&request, &again);
	array_reader_close(&again);
}

/*
 * Begins an input of the elements of a reader that a bitmap marks, of which
 * there are "count".  The reader hands out a zero for each NULL.  It and the
 * bitmap have to stay until selected_end.
 */
void
selected_begin(SelectedInput *selected, ArrayReader *reader,
			   const uint8 *bitmap, int64 count)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};
	EngineRequest request;

	*selected = (SelectedInput) {.datum = reader->datum, .bitmap = bitmap};
	if (reader->nitems < LARGE_ITEMS)
	{
		selected->beside = beside_nulls_begin(reader, bitmap, reader->nitems,
											  NULL);
		selected->input = &selected->beside->base;
		return;
	}
	request = select_request(reader, bitmap);
	selected->passed = passed_begin(&reader->type, count, make_selected,
									selected);
	(void) passed_run(selected->passed, &request, inputs, lengthof(inputs));
	selected->passed_input = array_input(&selected->passed->reader);
	selected->input = &selected->passed_input;
}

void
selected_end(SelectedInput *selected)
{
	if (selected->passed != NULL)
		passed_end(selected->passed);
	else
		beside_nulls_finish(selected->beside);
}
