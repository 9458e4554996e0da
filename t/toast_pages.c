/*
 * toast_pages.c
 *	  SQL functions that read stored values by pages of their TOAST table.
 *
 *		make t/toast_pages.so
 */
#include "compat.h"

#include "access/detoast.h"
#include "common/pg_prng.h"
#include "fmgr.h"

#include "array/toast_reader.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(by_pages);
PG_FUNCTION_INFO_V1(by_stretches);

/* Stretches that by_stretches keeps at a time. */
#define STRETCHES		5

static ToastReader *
open_stored(Datum datum)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	struct varatt_external pointer;

	if (!VARATT_IS_EXTERNAL_ONDISK(value))
		elog(ERROR, "the value is not stored out of line");
	VARATT_EXTERNAL_GET_POINTER(pointer, value);
	if (VARATT_EXTERNAL_IS_COMPRESSED(pointer))
		elog(ERROR, "the value is compressed");
	return toast_reader_open(&pointer);
}

/* By now core may have been asked. */
static void
check_pages(const ToastReader *reader)
{
	if (reader->by_core)
		elog(ERROR, "core reads the value");
}

/*
 * by_pages(value bytea) returns bytea
 *
 * The value; an error if it is not read by pages to its end.
 */
Datum
by_pages(PG_FUNCTION_ARGS)
{
	ToastReader *reader = open_stored(PG_GETARG_DATUM(0));
	bytea	   *result = palloc(VARHDRSZ + reader->size);

	SET_VARSIZE(result, VARHDRSZ + reader->size);
	toast_reader_read(reader, 0, VARDATA(result), reader->size);
	check_pages(reader);
	toast_reader_close(reader);
	PG_RETURN_BYTEA_P(result);
}

static void
copy_stretch(ToastReader *reader, ToastStretch *stretch, char *dest)
{
	for (int i = 0; i < stretch->nspans; i++)
	{
		memcpy(dest, stretch->spans[i].bytes, stretch->spans[i].length);
		dest += stretch->spans[i].length;
	}
	toast_pages_release(reader, stretch);
}

/* Reads it all, and copies a stretch only when there are newer ones. */
static void
read_in_stretches(ToastReader *reader, char *dest, pg_prng_state *random)
{
	ToastStretch stretches[STRETCHES];
	int			offsets[STRETCHES];
	int			offset = 0;
	int			head = 0;		/* stretches copied */
	int			tail = 0;		/* stretches read */

	while (offset < reader->size || head < tail)
	{
		ToastStretch *stretch = &stretches[tail % STRETCHES];
		int			bytes = pg_prng_uint64_range(random, 1, 100000);

		if (offset < reader->size && tail - head < STRETCHES)
		{
			if (!toast_pages_next(reader, offset,
								  Min(bytes, reader->size - offset), stretch))
				elog(ERROR, "core has to read the value");
			offsets[tail % STRETCHES] = offset;
			offset += stretch->bytes;
			tail += stretch->bytes > 0;
			if (stretch->bytes > 0)
				continue;
			if (head == tail)
				elog(ERROR, "no page is pinned, and there are no bytes");
		}
		copy_stretch(reader, &stretches[head % STRETCHES],
					 dest + offsets[head % STRETCHES]);
		head++;
	}
}

/*
 * by_stretches(value bytea, seed integer) returns bytea
 *
 * Reads the value in stretches of random lengths, with several pinned at a
 * time.  Raises an error if random parts of it read differently.
 */
Datum
by_stretches(PG_FUNCTION_ARGS)
{
	ToastReader *reader = open_stored(PG_GETARG_DATUM(0));
	bytea	   *result = palloc(VARHDRSZ + reader->size);
	char	   *part = palloc(reader->size);
	pg_prng_state random;

	check_pages(reader);
	pg_prng_seed(&random, PG_GETARG_INT32(1));
	SET_VARSIZE(result, VARHDRSZ + reader->size);
	read_in_stretches(reader, VARDATA(result), &random);
	for (int i = 0; i < 10; i++)
	{
		int			offset = pg_prng_uint64_range(&random, 0, reader->size - 1);
		int			bytes = pg_prng_uint64_range(&random, 1,
												 reader->size - offset);

		toast_reader_read(reader, offset, part, bytes);
		if (memcmp(part, VARDATA(result) + offset, bytes) != 0)
			elog(ERROR, "%d bytes at %d are read otherwise", bytes, offset);
	}
	check_pages(reader);
	toast_reader_close(reader);
	PG_RETURN_BYTEA_P(result);
}
