/*
 * nulls.c
 *	  What becomes of an array's NULLs.
 *
 * An engine sees no NULLs.  An operation treats them in one of four ways, and
 * this is what its function does for each:
 *
 *	  dropped	The engine gets the values, and the result is made of them.
 *				The reader: NULLS_DROPPED, NULLS_COUNTED.  Positions:
 *				nulls_renumber.
 *	  filled	The engine gets a value in place of each NULL.  The reader:
 *				NULLS_FILLED, NULLS_FILLED_WITHIN, LATER_NULLS_FILLED,
 *				NULLS_FILLED_FORWARD.  If the result is NULL there after all:
 *				null_results_leave_out (call/job.c).
 *	  placed	The engine gets the values; the NULLs come before or after them.
 *				The writer: NULLS_FIRST, NULLS_LAST.  Positions: nulls_list.
 *	  carried	The engine gets the values; where each NULL goes depends on its
 *				place among them, or on the element paired with it:
 *				run_writer_merge_nulls, and call/temporary.h.
 */
#include "compat.h"

#include "miscadmin.h"

#include "array/array_writer.h"
#include "loops/bitmaps.h"

/* Elements between two checks for interrupts. */
#define STEP			65536

/* Elements whose values get their positions together; a multiple of 8. */
#define PLACES			4096

/*
 * Converts ascending positions among the values to positions among all
 * elements.
 */
void
nulls_renumber(const ArrayReader *reader, int32 *positions, int64 count)
{
	int32		places[PLACES];
	const int32 *end = positions + count;
	int64		before = 0;		/* values */

	for (; reader->nulls == NULL && reader->leading_nulls > 0 &&
		 positions < end; positions++)
	{
		CHECK_FOR_INTERRUPTS();
		*positions += reader->leading_nulls;
	}
	if (reader->nulls == NULL)
		return;
	for (int64 from = 0; positions < end && from < reader->nitems;
		 from += PLACES)
	{
		int64		to = Min(from + PLACES, reader->nitems);
		int64		values = null_bitmap_count_values(reader->nulls, from, to);

		CHECK_FOR_INTERRUPTS();
		if (*positions <= before + values)
			(void) null_bitmap_positions(places, reader->nulls, from, to);
		for (; positions < end && *positions <= before + values; positions++)
			*positions = places[*positions - 1 - before];
		before += values;
	}
}

/*
 * Lists the positions of the NULLs.
 */
void
nulls_list(const ArrayReader *reader, int32 *positions)
{
	NullRun		run = {
		.isnull = true, .to = reader->nulls == NULL ? reader->leading_nulls : 0
	};

	do
	{
		for (int64 i = run.from; run.isnull && i < run.to; i++)
		{
			if (i % STEP == 0)
				CHECK_FOR_INTERRUPTS();
			*positions++ = i + 1;
		}
	} while (reader->nulls != NULL &&
			 null_bitmap_next_run(reader->nulls, reader->nitems, &run));
}

/*
 * Adds the elements of an array to a bitmap, in which there are "nitems" so far.
 * The other bits of the last one's byte are 0.
 */
void
nulls_append(const ArrayReader *reader, uint8 *bitmap, int64 nitems)
{
	if (reader->nulls == NULL)
		null_bitmap_set_values(bitmap, nitems, nitems + reader->nitems);
	else
		null_bitmap_append(bitmap, nitems, reader->nulls, reader->nitems);
}

/* A bitmap of the elements of booleans that are true. */
uint8 *
bitmap_of_booleans(ArrayReader *reader)
{
	uint8	   *bitmap = palloc(null_bitmap_bytes(reader->count));
	bool		buffer[PLACES];

	for (int64 from = 0, count; from < reader->count; from += count)
	{
		CHECK_FOR_INTERRUPTS();
		count = Min(PLACES, reader->count - from);
		null_bitmap_from_booleans(bitmap + from / BITS_PER_BYTE,
								  array_reader_next(reader, buffer, count),
								  count);
	}
	return bitmap;
}

/*
 * Removes the NULLs from a writer's elements.  There is a value in place of
 * each NULL; the bitmap says which these are.  Returns how many elements are
 * left.
 */
int64
nulls_pack(ArrayWriter *writer, int64 nitems)
{
	int			size = writer->type.size;
	int64		packed = 0;

	for (int64 from = 0; from < nitems; from += STEP)
	{
		int64		to = Min(from + STEP, nitems);
		int64		values = null_bitmap_count_values(writer->bitmap, from, to);

		CHECK_FOR_INTERRUPTS();
		compress_by_bitmap(writer->values + packed * size, values,
						   writer->values + from * size,
						   writer->bitmap, from, to, size);
		packed += values;
	}
	return packed;
}
