/*
 * packed_receive.c
 *	  The binary form of gpu_packed, which is the bytes of the value.
 *
 * The types of elements have the same object identifiers in all servers, as
 * none of them is a domain.  A client may send anything, so all of it is
 * checked.
 */
#include "compat.h"

#include "datatype/timestamp.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"

#include "sql/packed.h"

PG_FUNCTION_INFO_V1(gpucompact_packed_recv);
PG_FUNCTION_INFO_V1(gpucompact_packed_send);

/* Elements between two checks for interrupts. */
#define STEP			16384

/*
 * The elements of a type of which not all bits are an element: from "least" to
 * before "end", and two that are infinite.
 */
typedef struct ElementRange
{
	Oid			type;
	int64		least;
	int64		end;
	int64		minus_infinity;
	int64		infinity;
} ElementRange;

static const ElementRange ranges[] = {
	{BOOLOID, 0, 2, 0, 0},
	{DATEOID, DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE,
	DATE_END_JULIAN - POSTGRES_EPOCH_JDATE, PG_INT32_MIN, PG_INT32_MAX},
	{TIMEOID, 0, USECS_PER_DAY + 1, 0, 0},
	{TIMESTAMPOID, MIN_TIMESTAMP, END_TIMESTAMP, PG_INT64_MIN, PG_INT64_MAX},
	{TIMESTAMPTZOID, MIN_TIMESTAMP, END_TIMESTAMP, PG_INT64_MIN, PG_INT64_MAX}
};

static int64
integer_at(const void *elements, int64 i, int size)
{
	return size == 1 ? ((const uint8 *) elements)[i] :
		size == 4 ? ((const int32 *) elements)[i] :
		((const int64 *) elements)[i];
}

/* Raises 22P03 if bits are no element of the type. */
static void
check_elements(PackedReader *reader, const ElementRange *range)
{
	int			size = kind_size(reader->array.kind);
	int64		buffer[STEP];
	int64		count;

	for (int64 at = 0; at < reader->base.count; at += count)
	{
		CHECK_FOR_INTERRUPTS();
		count = Min(reader->base.count - at, STEP);
		reader->base.methods->read(&reader->base, at, count, (char *) buffer);
		for (int64 i = 0; i < count; i++)
		{
			int64		element = integer_at(buffer, i, size);

			if ((element < range->least || element >= range->end) &&
				element != range->minus_infinity && element != range->infinity)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
						 errmsg("packed array has an element that is out of "
								"range for type %s",
								format_type_be(range->type))));
		}
	}
}

/*
 * Checks all of a packed array, which has been made by anybody, and closes it.
 *
 * Raises the reader's SQLSTATE if it is damaged, and 22P03 if bits are no
 * element of the type.
 */
void
packed_check_all(PackedReader *reader)
{
	packed_reader_check(reader);
	for (int i = 0; i < lengthof(ranges); i++)
	{
		if (ranges[i].type == reader->array.element_type)
			check_elements(reader, &ranges[i]);
	}
	value_source_close(&reader->base);
}

/*
 * gpucompact_packed_recv(internal, oid, integer) returns gpu_packed
 *
 * Raises 22P03 if the bytes are no packed array.
 */
Datum
gpucompact_packed_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			length = message->len - message->cursor;
	struct varlena *value = palloc(VARHDRSZ + length);
	PackedReader *reader;

	SET_VARSIZE(value, VARHDRSZ + length);
	pq_copymsgbytes(message, VARDATA(value), length);
	reader = packed_reader_open(PointerGetDatum(value),
								ERRCODE_INVALID_BINARY_REPRESENTATION);
	check_packed_typmod(reader->array.element_type, PG_GETARG_INT32(2), false);
	packed_check_all(reader);
	PG_RETURN_POINTER(value);
}

/*
 * gpucompact_packed_send(gpu_packed) returns bytea
 *
 * A copy, even of a value that is in memory, because callers free the result.
 */
Datum
gpucompact_packed_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0));
}
