/*
 * reader_packed.c
 *	  A packed array as a stream of pieces, which are unpacked when they are
 *	  read.
 */
#include "compat.h"

#include "array/reader_parts.h"

/* Has the values come from a packed array. */
void
reader_begin_packed(ArrayReader *reader, Datum packed)
{
	PackedReader *values = packed_reader_open(packed, ERRCODE_DATA_CORRUPTED);

	reader->packed = values;
	reader->source = "packed";
	reader->size = VARHDRSZ + values->array.length;
	if (values->stored != NULL)
		reader_identify(reader, values->stored,
						(struct varlena *) DatumGetPointer(packed),
						values->head);
}

/* Of the values, only those are read that come after "before" others. */
void
reader_cut_packed(ArrayReader *reader, int64 before)
{
	reader->packed->begin = before;
	reader->packed->end = before + reader->nvalues;
}

/*
 * The bitmap of NULLs of "nitems" elements from number "from" on.  Returns how
 * many values there are before them.
 */
static int64
open_nulls(ArrayReader *reader, int64 from)
{
	NullRun		first = {0};
	int64		before;

	reader->nulls_copy = palloc(null_bitmap_bytes(reader->nitems));
	packed_reader_nulls(reader->packed, from, reader->nitems,
						reader->nulls_copy, &before, &reader->nvalues);
	if (reader->nvalues == reader->nitems)
		return before;
	reader->nulls = reader->nulls_copy;
	if (null_bitmap_next_run(reader->nulls, reader->nitems, &first) &&
		first.isnull)
		reader->leading_nulls = first.to;
	return before;
}

/*
 * Begins to read a packed array, or its elements from the position "first" to
 * "last", as far as there are any.  Of a stored array, only what has to do with
 * these elements is read.
 *
 * Raises XX001 if the array is damaged; also later, when damage is met.
 */
void
array_reader_open_packed(ArrayReader *reader, Datum packed,
						 int64 first, int64 last)
{
	const PackedArray *array;
	int64		to;
	int64		from;

	memset(reader, 0, offsetof(ArrayReader, dims));
	reader->datum = packed;
	reader_begin_packed(reader, packed);
	array = &reader->packed->array;
	reader->type = element_type(array->element_type);
	to = Min(Max(last, 0), array->count);
	from = Min(Max(first, 1) - 1, to);
	reader->nitems = reader->nvalues = to - from;
	reader->ndim = reader->nitems > 0 ? 1 : 0;
	reader->dims[0] = (int) reader->nitems;
	reader->lbounds[0] = array->lower_bound;
	reader_cut_packed(reader, array->nulls > 0 && reader->nitems > 0 ?
					  open_nulls(reader, from) : from);
	reader->count = reader->nvalues;
	if (reader->identity != NULL)
		reader_identify_values(reader, 0);
}

/*
 * From now on, reads some blocks of a packed array alone, as if the array had
 * no others; their numbers ascend, and are freed with the reader.
 */
void
array_reader_choose_blocks(ArrayReader *reader, int32 *blocks, int64 nblocks)
{
	packed_reader_choose(reader->packed, blocks, nblocks);
	reader->count = reader->packed->end;
	if (reader->identity != NULL)
		pfree(reader->identity);
	reader->identity = NULL;
}
