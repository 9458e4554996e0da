/*
 * fill.c
 *	  The SQL function that replaces NULLs by the values next to them.
 *
 * Replacing NULLs is a scan, which the reader does: no NULL reaches an engine,
 * so the reader replaces each NULL anyway.  The engine only copies the elements
 * to the result while the next ones are read.  A scan in the other direction
 * begins when all elements are there.
 */
#include "sql/function.h"

/*
 * Counts the NULLs that stay; or, if there is a bitmap, marks the elements that
 * are values then.
 */
static int64
find_nulls(const ArrayReader *reader, bool backward, int64 most, uint8 *bitmap)
{
	NullRun		run = {0};
	int64		nulls = 0;

	while (null_bitmap_next_run(reader->nulls, reader->nitems, &run))
	{
		int64		from = run.from;
		int64		to = run.to;

		if (run.isnull && backward)
			from = to == reader->nitems ? to : Max(from, to - most);
		else if (run.isnull)
			to = from == 0 ? 0 : Min(to, from + most);
		nulls += (run.to - run.from) - (to - from);
		if (bitmap != NULL)
			null_bitmap_set_values(bitmap, from, to);
	}
	return nulls;
}

/* How many elements are left without the NULLs at the end. */
static int64
values_end(const ArrayReader *reader)
{
	int64		end = reader->nitems;

	while (end > 0 && !array_reader_is_value(reader, end - 1))
	{
		CHECK_FOR_INTERRUPTS();
		end -= end % 8 == 0 && reader->nulls[end / 8 - 1] == 0 ? 8 : 1;
	}
	return end;
}

/*
 * Replaces NULLs from element "from" to before "to" by the element behind.  The
 * last one is no NULL, or has been replaced.  There is no branch for an
 * element, as NULLs may be anywhere.
 */
static pg_always_inline void
repeat_backward(char *elements, const uint8 *nulls, int64 from, int64 to,
				int size)
{
	for (int64 i = to - 2; i >= from; i--)
	{
		char	   *element = elements + i * size;

		memmove(element,
				element + (null_bitmap_is_value(nulls, i) ? 0 : size), size);
	}
}

/* The same for the first "count" elements of a result. */
static void
fill_backward(ArrayWriter *writer, const uint8 *nulls, int64 count)
{
	for (int64 from, to = count; to > 0; to = from)
	{
		CHECK_FOR_INTERRUPTS();
		from = Max(to - CHECK_STEP, 0);
		CALL_WITH_SIZE(writer->type.size, repeat_backward, writer->values,
					   nulls, from, Min(to + 1, count));
	}
}

/*
 * gpu_fill(a anyarray, backward boolean, max_nulls integer) returns anyarray
 *
 * Each NULL is replaced by the last value before it, or, if backward, by the
 * next one after it; as last_value(x) IGNORE NULLS OVER (ORDER BY i).  NULLs
 * without such a value stay.  Of each run of NULLs, only the "max_nulls" next
 * to the value are replaced.
 *
 * Raises 22023 if max_nulls is negative.
 */
SQL_CALL_FUNCTION(gpu_fill, "gpu_fill", 0)
{
	bool		backward = PG_GETARG_BOOL(1);
	int64		most = at_least(0, "max_nulls", PG_GETARG_INT32(2),
									ERRCODE_INVALID_PARAMETER_VALUE);
	EngineRequest request = {.operation = ENGINE_COPY};
	ArrayReader reader;
	ArrayWriter writer;
	int64		absent;
	int64		nulls;

	call_open_list(&reader, fcinfo, 0, backward ?
				   NULLS_FILLED : NULLS_FILLED_FORWARD);
	absent = reader.nitems - (backward ? values_end(&reader) : reader.count);
	nulls = reader.nulls == NULL || most >= reader.nitems ? absent :
		find_nulls(&reader, backward, most, NULL);
	if (nulls == absent)
		array_writer_begin(&writer, &reader.type, &reader, absent,
						   backward ? NULLS_LAST : NULLS_FIRST);
	else
		array_writer_begin_filled(&writer, &reader.type, &reader, nulls);
	request_into(&request, &reader, &writer);
	request.count = reader.nitems - absent;
	if (nulls != absent && !backward)
		request.outputs[0].memory = writer.values +
			absent * reader.type.size;
	request.stays = nulls == 0 && (!backward || reader.nulls == NULL);
	(void) call_engine(&request, &reader);
	if (backward && reader.nulls != NULL)
		fill_backward(&writer, reader.nulls, request.count);
	if (nulls == absent)
		return call_end(&reader, array_writer_finish(&writer));
	(void) find_nulls(&reader, backward, most, writer.bitmap);
	return call_end_null_results(&reader, &writer);
}
