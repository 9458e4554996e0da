/*
 * packed_compare.c
 *	  The equality and the order of packed arrays, and their hash.
 *
 * Packed arrays are equal if their arrays are equal: all NaNs are equal, and 0
 * equals -0.  Arrays with different types of elements are not equal.  The
 * bytes of equal packed arrays may differ, because versions may choose other
 * schemes.  So elements are compared, not bytes: arrays are ordered by their
 * types, and then as core orders arrays.
 */
#include "compat.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_reader.h"

/* Elements that are looked at together. */
#define PIECE			16384

/* A piece of an array's values. */
typedef struct Piece
{
	ArrayReader reader;
	const void *values;
	uint64	   *buffer;			/* has room for a piece */
} Piece;

static void
open_pieces(Piece *piece, Datum packed)
{
	array_reader_open_packed(&piece->reader, packed, 1, PG_INT32_MAX);
	piece->buffer = palloc(Min(piece->reader.count, PIECE) * sizeof(uint64));
}

static void
close_pieces(Piece *piece)
{
	array_reader_close(&piece->reader);
	pfree(piece->buffer);
}

/* Goes to the next values. */
static void
next_piece(Piece *piece, int64 count)
{
	CHECK_FOR_INTERRUPTS();
	piece->values = array_reader_next(&piece->reader, piece->buffer, count);
}

/* Replaces values by numbers that compare as the values do. */
static void
number_values(Piece *piece, int64 count)
{
	ElementKind kind = piece->reader.type.kind;

	for (int64 i = count - 1; i >= 0; i--)
		piece->buffer[i] = element_order(kind, (const char *) piece->values +
										 i * kind_size(kind));
	piece->values = piece->buffer;
}

static int
compare_numbers(uint64 a, uint64 b)
{
	return (a > b) - (a < b);
}

/* Compares two pieces by the first values that are not equal. */
static int
compare_pieces(Piece *a, Piece *b, int64 count)
{
	if (memcmp(a->values, b->values,
			   count * kind_size(a->reader.type.kind)) == 0)
		return 0;
	number_values(a, count);
	number_values(b, count);
	for (int64 i = 0; i < count; i++)
	{
		if (a->buffer[i] != b->buffer[i])
			return compare_numbers(a->buffer[i], b->buffer[i]);
	}
	return 0;
}

/* Eight elements' bits in the bitmap of NULLs. */
static uint8
null_bits(const ArrayReader *reader, int64 byte)
{
	return reader->nulls == NULL ? 0xff : reader->nulls[byte];
}

/* How many of the first elements are NULL in both arrays or in none. */
static int64
count_alike(const ArrayReader *a, const ArrayReader *b)
{
	int64		end = Min(a->nitems, b->nitems);
	int64		i = 0;

	if (a->nulls == NULL && b->nulls == NULL)
		return end;
	while (i + 8 <= end && null_bits(a, i / 8) == null_bits(b, i / 8))
		i += 8;
	while (i < end &&
		   array_reader_is_value(a, i) == array_reader_is_value(b, i))
		i++;
	return i;
}

/* Compares as core does: NULL is the greatest element. */
static int
compare_arrays(Piece *a, Piece *b)
{
	const ArrayReader *x = &a->reader;
	const ArrayReader *y = &b->reader;
	int64		alike;
	int64		count;
	int			order;

	if (x->type.oid != y->type.oid)
		return compare_numbers(x->type.oid, y->type.oid);
	alike = count_alike(x, y);
	for (int64 left = x->nulls == NULL ? alike :
		 null_bitmap_count_values(x->nulls, 0, alike);
		 left > 0; left -= count)
	{
		count = Min(left, PIECE);
		next_piece(a, count);
		next_piece(b, count);
		order = compare_pieces(a, b, count);
		if (order != 0)
			return order;
	}
	if (alike < Min(x->nitems, y->nitems))
		return array_reader_is_value(x, alike) ? -1 : 1;
	if (x->nitems != y->nitems || x->nitems == 0)
		return compare_numbers(x->nitems, y->nitems);
	return (x->lbounds[0] > y->lbounds[0]) - (x->lbounds[0] < y->lbounds[0]);
}

/*
 * Compares the arguments.  If only their equality matters, arrays with
 * other numbers of elements or NULLs, as most that are not equal, are not read.
 */
static int
compare_packed(FunctionCallInfo fcinfo, bool equality)
{
	Piece		x;
	Piece		y;
	int			order = 1;

	open_pieces(&x, PG_GETARG_DATUM(0));
	open_pieces(&y, PG_GETARG_DATUM(1));
	if (!equality || (x.reader.nitems == y.reader.nitems &&
					  x.reader.nvalues == y.reader.nvalues))
		order = compare_arrays(&x, &y);
	close_pieces(&x);
	close_pieces(&y);
	return order;
}

/* gpucompact_packed_NAME(gpu_packed, gpu_packed) returns boolean */
#define COMPARISON(name, operator, equality) \
	SQL_FUNCTION_AS(gpucompact_packed_##name, \
					BoolGetDatum(compare_packed(fcinfo, equality) operator 0))

COMPARISON(eq, ==, true)
COMPARISON(ne, !=, true)
COMPARISON(lt, <, false)
COMPARISON(le, <=, false)
COMPARISON(ge, >=, false)
COMPARISON(gt, >, false)

/* gpucompact_packed_cmp(gpu_packed, gpu_packed) returns integer */
SQL_FUNCTION_AS(gpucompact_packed_cmp,
				Int32GetDatum(compare_packed(fcinfo, false)))

static uint64
hash_packed(Datum packed, uint64 seed)
{
	Piece		piece;
	const ArrayReader *reader = &piece.reader;
	ElementKind kind;
	int32		shape[3];
	uint64		hash;
	int64		count;

	open_pieces(&piece, packed);
	kind = reader->type.kind;
	shape[0] = (int32) reader->type.oid;
	shape[1] = reader->dims[0];
	shape[2] = reader->nitems > 0 ? reader->lbounds[0] : 1;
	hash = hash_bytes_extended((unsigned char *) shape, sizeof(shape), seed);
	if (reader->nulls != NULL)
		hash = hash_bytes_extended(reader->nulls,
								   null_bitmap_bytes(reader->nitems), hash);
	for (int64 left = reader->count; left > 0; left -= count)
	{
		count = Min(left, PIECE);
		next_piece(&piece, count);
		if (kind_is_float(kind))
			number_values(&piece, count);
		hash = hash_bytes_extended(piece.values, count *
								   (kind_is_float(kind) ? sizeof(uint64) :
									kind_size(kind)), hash);
	}
	close_pieces(&piece);
	return hash;
}

/* gpucompact_packed_hash(gpu_packed) returns integer */
SQL_FUNCTION_AS(gpucompact_packed_hash,
				Int32GetDatum((int32) hash_packed(PG_GETARG_DATUM(0), 0)))

/* gpucompact_packed_hash_extended(gpu_packed, seed bigint) returns bigint */
SQL_FUNCTION_AS(gpucompact_packed_hash_extended,
				Int64GetDatum((int64) hash_packed(PG_GETARG_DATUM(0),
												  PG_GETARG_INT64(1))))
