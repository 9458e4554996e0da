/*
 * sort_by_key.c
 *	  The SQL function that orders the elements of an array by those of another.
 *
 * Elements of four or eight bytes go along with their keys through the sort.
 * Where they are shorter, or some are NULL, their positions go along, and they
 * are gathered by these.
 */
#include "compat.h"

#include "access/tupmacs.h"
#include "miscadmin.h"

#include "array/array_writer.h"
#include "sort.h"

PG_FUNCTION_INFO_V1(gpu_sort_by_key);

/* Elements that are read at once. */
#define READ_BLOCK		16384

/* All elements of an array, where they lie or in memory to be freed. */
static const char *
read_elements(ArrayReader *reader, char **copy)
{
	int			size = reader->type.size;

	*copy = NULL;
	if (reader->in_memory)
		return array_reader_next(reader, NULL, reader->count);

	*copy = palloc_extended(reader->count * size, MCXT_ALLOC_HUGE);
	for (int64 read = 0, block; read < reader->count; read += block)
	{
		char	   *dest = *copy + read * size;
		const char *elements;

		CHECK_FOR_INTERRUPTS();
		block = Min(READ_BLOCK, reader->count - read);
		elements = array_reader_next(reader, dest, block);
		if (elements != dest)
			memcpy(dest, elements, block * size);
	}
	return *copy;
}

/* How far ahead of its turn an element is fetched, as it may lie anywhere. */
#define FETCH_AHEAD		32

/* The elements at these positions, with NULLs as in the bitmap. */
static pg_always_inline void
gather(ArrayWriter *writer, const char *elements, const uint8 *nulls,
	   const int32 *positions, int64 count, int size)
{
	char	   *dest = writer->values;

	for (int64 i = 0; i < count; i++)
	{
		int64		from = positions[i] - 1;

		CHECK_FOR_INTERRUPTS();
		if (i + FETCH_AHEAD < count)
			__builtin_prefetch(elements +
							   (positions[i + FETCH_AHEAD] - 1) * (int64) size);
		if (nulls != NULL)
		{
			if (att_isnull(from, nulls))
				continue;
			array_writer_put_value(writer, i);
		}
		memcpy(dest, elements + from * size, size);
		dest += size;
	}
}

/* Sorts the positions, and then takes the elements in their order. */
static void
sort_and_gather(ArrayReader *reader, ArrayReader *keys, SortOrder order,
				ArrayWriter *writer)
{
	int32	   *positions = palloc(reader->nitems * sizeof(int32));
	const char *elements;
	char	   *copy;

	sort_positions(keys, order, positions);
	elements = read_elements(reader, &copy);
	CALL_WITH_SIZE(reader->type.size, gather, writer, elements, reader->nulls,
				   positions, reader->nitems);
	pfree(positions);
	if (copy != NULL)
		pfree(copy);
}

/*
 * The elements beside keys some of which are NULL.  The engine gets those
 * beside the others; on the way, the rest go where they stay.
 */
typedef struct BesideNulls
{
	SecondInput base;			/* of the elements' reader */
	const ArrayReader *keys;
	char	   *rest;
	int64		next;			/* key */
	int64		stretch;		/* end of the keys from there on that are NULL,
								 * or are not */
	int64		put;			/* into "rest" */
	int64		read;			/* elements */
	const char *block;			/* those from "next" on */
	char		buffer[READ_BLOCK * sizeof(int64)];
} BesideNulls;

/* Up to "count" elements of the stretch, into the place for them. */
static int64
take_beside(BesideNulls *input, char *dest, int64 count)
{
	int			size = input->base.reader->type.size;

	if (input->next == input->read)
	{
		int64		block = Min(READ_BLOCK, input->keys->nitems - input->read);

		CHECK_FOR_INTERRUPTS();
		input->block = array_reader_next(input->base.reader, input->buffer,
										 block);
		input->read += block;
	}
	count = Min(count, Min(input->stretch, input->read) - input->next);
	memcpy(dest, input->block, count * size);
	input->block += count * size;
	input->next += count;
	return count;
}

/*
 * Those beside the next "count" keys that are not NULL, and what there is up to
 * the one after these.
 */
static const void *
next_beside_nulls(SecondInput *base, void *buffer, int64 count)
{
	BesideNulls *input = (BesideNulls *) base;
	const ArrayReader *keys = input->keys;
	int			size = base->reader->type.size;
	int64		taken = 0;

	while (input->next < keys->nitems)
	{
		if (input->next == input->stretch)
			input->stretch = array_reader_stretch(keys, input->next);
		if (att_isnull(input->next, keys->nulls))
			input->put += take_beside(input, input->rest + input->put * size,
									  keys->nitems);
		else if (taken < count)
			taken += take_beside(input, (char *) buffer + taken * size,
								 count - taken);
		else
			break;
	}
	return buffer;
}

static void
rewind_beside_nulls(SecondInput *base)
{
	BesideNulls *input = (BesideNulls *) base;

	input->next = input->stretch = input->put = input->read = 0;
}

/* Can the elements go along with the keys? */
static bool
goes_along(const ArrayReader *reader)
{
	return reader->nulls == NULL &&
		(reader->type.size == sizeof(int32) ||
		 reader->type.size == sizeof(int64));
}

/* The elements beside the keys, and those beside NULL to their place. */
static BesideNulls *
begin_beside_nulls(ArrayReader *reader, const ArrayReader *keys, char *rest)
{
	BesideNulls *input = palloc(sizeof(BesideNulls));

	input->base.next = next_beside_nulls;
	input->base.reader = reader;
	input->base.rewind = rewind_beside_nulls;
	input->keys = keys;
	input->rest = rest;
	rewind_beside_nulls(&input->base);
	return input;
}

static void
sort_along(ArrayReader *reader, ArrayReader *keys, SortOrder order,
		   ArrayWriter *writer)
{
	int			size = reader->type.size;
	int64		nulls = keys->nitems - keys->nvalues;
	char	   *at_nulls = writer->values +
		(order.nulls_first ? 0 : keys->nvalues * size);
	SecondInput all = {next_elements, reader};
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.count = keys->count,
		.kinds[1] = reader->type.kind,
		.outputs[0].kind = reader->type.kind,
		.outputs[0].memory = writer->values +
			(order.nulls_first ? nulls * size : 0),
		.parameters.sort.descending = order.descending
	};

	if (nulls == 0)
		call_engine(&request, keys, &all);
	else
	{
		BesideNulls *input = begin_beside_nulls(reader, keys, at_nulls);

		call_engine(&request, keys, &input->base);
		if (keys->count == 0)
			next_beside_nulls(&input->base, NULL, 0);
		pfree(input);
	}
	array_reader_close(keys);
}

/*
 * gpu_sort_by_key(a anyarray, keys anycompatiblearray, descending boolean,
 *				   nulls_first boolean) returns anyarray
 *
 * The elements of "a" in the order of the keys that stand beside them; as
 * array_agg(x ORDER BY k, i), where i is the position of x and k.
 */
Datum
gpu_sort_by_key(PG_FUNCTION_ARGS)
{
	SortOrder	order;
	ArrayReader reader;
	ArrayReader keys;
	ArrayWriter writer;

	if (!sort_arguments(fcinfo, 4, &order))
		PG_RETURN_NULL();

	call_begin("gpu_sort_by_key");
	call_open_list(&reader, fcinfo, 0, NULLS_FILLED);
	call_open_beside(&keys, fcinfo, 1, NULLS_DROPPED,
					 &reader, "keys");
	array_writer_begin(&writer, &reader.type,
					   reader.ndim, reader.dims, reader.lbounds,
					   reader.nitems - reader.nvalues, NULLS_SCATTERED);
	if (goes_along(&reader))
		sort_along(&reader, &keys, order, &writer);
	else
		sort_and_gather(&reader, &keys, order, &writer);
	return call_end(&reader, array_writer_finish(&writer));
}
