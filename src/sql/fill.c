/*
 * fill.c
 *	  The SQL function that replaces NULLs by the values next to them.
 *
 * Replacing NULLs is a scan, which the reader does: no NULL reaches an engine,
 * so the reader replaces each NULL anyway.  The engine only copies the elements
 * to the result while the next ones are read.
 */
#include "compat.h"

#include "call/call.h"

PG_FUNCTION_INFO_V1(gpu_fill);

/* The NULLs of a run that are filled. */
typedef struct Filled
{
	int64		from;
	int64		to;
} Filled;

static inline Filled
filled_nulls(const NullRun *run, int64 nitems, bool backward, int64 most)
{
	if (backward)
		return (Filled)
	{
		run->to == nitems ? run->to : Max(run->from, run->to - most), run->to
	};
	return (Filled)
	{
		run->from, run->from == 0 ? 0 : Min(run->to, run->from + most)
	};
}

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
		Filled		filled = run.isnull ?
			filled_nulls(&run, reader->nitems, backward, most) :
			(Filled) {run.from, run.to};

		nulls += (run.to - run.from) - (filled.to - filled.from);
		if (bitmap != NULL)
			null_bitmap_set_values(bitmap, filled.from, filled.to);
	}
	return nulls;
}

/*
 * gpu_fill(a anyarray, backward boolean, max_nulls integer) returns anyarray
 *
 * Each NULL is replaced by the last value before it, or, if backward, by the
 * next one after it; as last_value(x) IGNORE NULLS OVER (ORDER BY i).  NULLs
 * before the first value, or after the last one, stay; and so do those of each
 * run behind the first "max_nulls", or, if backward, before the last ones.
 *
 * Raises 22023 if max_nulls is negative.
 */
Datum
gpu_fill(PG_FUNCTION_ARGS)
{
	bool		backward = PG_GETARG_BOOL(1);
	int64		most = PG_GETARG_INT32(2);
	EngineRequest request = {.operation = ENGINE_COPY};
	ArrayReader reader;
	ArrayWriter writer;
	int64		absent;
	int64		nulls;

	call_begin("gpu_fill");
	if (most < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_nulls must not be negative")));
	call_open_list(&reader, fcinfo, 0, backward ?
				   NULLS_FILLED_BACKWARD : NULLS_FILLED_FORWARD);
	absent = reader.nitems - reader.count;
	nulls = reader.nulls == NULL || most >= reader.nitems ? absent :
		find_nulls(&reader, backward, most, NULL);
	if (nulls == absent)
		array_writer_begin(&writer, &reader.type, &reader, absent,
						   backward ? NULLS_LAST : NULLS_FIRST);
	else
		array_writer_begin_filled(&writer, &reader.type, &reader, nulls);
	request_into(&request, &reader, &writer);
	if (nulls != absent && !backward)
		request.outputs[0].memory = writer.values +
			absent * reader.type.size;
	request.stays = nulls == 0;
	(void) call_engine(&request, &reader);
	if (nulls == absent)
		return call_end(&reader, array_writer_finish(&writer));
	(void) find_nulls(&reader, backward, most, writer.bitmap);
	return call_end_null_results(&reader, &writer);
}
