/*
 * packed_equal.c
 *	  The equality of packed arrays, and their hash.
 *
 * Packed arrays are equal if their arrays are: of NaNs all are equal, and so
 * are 0 and -0.  Arrays of different types of elements are not equal.  Equal
 * arrays may have other bytes, since another version may choose other schemes.
 */
#include "compat.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "array/array_reader.h"

PG_FUNCTION_INFO_V1(gpucompact_packed_eq);
PG_FUNCTION_INFO_V1(gpucompact_packed_ne);
PG_FUNCTION_INFO_V1(gpucompact_packed_hash);
PG_FUNCTION_INFO_V1(gpucompact_packed_hash_extended);

/* Elements that are looked at together. */
#define PIECE			16384

/* A piece of an array's values. */
typedef struct Piece
{
	ArrayReader reader;
	const void *values;
	int64		buffer[PIECE];
} Piece;

static Piece *
open_pieces(Datum packed)
{
	Piece	   *piece = palloc(sizeof(Piece));

	array_reader_open_packed(&piece->reader, packed, 1, PG_INT32_MAX);
	return piece;
}

static void
close_pieces(Piece *piece)
{
	array_reader_close(&piece->reader);
	pfree(piece);
}

/* Goes to the next values. */
static void
next_piece(Piece *piece, int64 count)
{
	CHECK_FOR_INTERRUPTS();
	piece->values = array_reader_next(&piece->reader, piece->buffer, count);
}

/* Replaces floats by numbers that are the same for equal ones. */
static void
canonicalize(Piece *piece, int64 count)
{
	ElementKind kind = piece->reader.type.kind;

	for (int64 i = count - 1; i >= 0; i--)
		piece->buffer[i] = (int64)
			element_order(kind, (const char *) piece->values +
						  i * kind_size(kind));
	piece->values = piece->buffer;
}

/* Returns whether two pieces have the same values. */
static bool
pieces_equal(Piece *a, Piece *b, int64 count)
{
	ElementKind kind = a->reader.type.kind;

	if (memcmp(a->values, b->values, count * kind_size(kind)) == 0)
		return true;
	if (!kind_is_float(kind))
		return false;
	canonicalize(a, count);
	canonicalize(b, count);
	return memcmp(a->values, b->values, count * sizeof(int64)) == 0;
}

/* Returns whether two arrays have NULLs at the same places, if any. */
static bool
nulls_equal(const ArrayReader *a, const ArrayReader *b)
{
	if (a->nulls == NULL || b->nulls == NULL)
		return a->nulls == b->nulls;
	return memcmp(a->nulls, b->nulls, null_bitmap_bytes(a->nitems)) == 0;
}

static bool
arrays_equal(Piece *a, Piece *b)
{
	const ArrayReader *x = &a->reader;
	const ArrayReader *y = &b->reader;
	int64		count;

	if (x->type.oid != y->type.oid || x->nitems != y->nitems ||
		(x->nitems > 0 && x->lbounds[0] != y->lbounds[0]) ||
		!nulls_equal(x, y))
		return false;
	for (int64 left = x->count; left > 0; left -= count)
	{
		count = Min(left, PIECE);
		next_piece(a, count);
		next_piece(b, count);
		if (!pieces_equal(a, b, count))
			return false;
	}
	return true;
}

static bool
packed_equal(Datum a, Datum b)
{
	Piece	   *x = open_pieces(a);
	Piece	   *y = open_pieces(b);
	bool		equal = arrays_equal(x, y);

	close_pieces(x);
	close_pieces(y);
	return equal;
}

/* gpucompact_packed_eq(gpu_packed, gpu_packed) returns boolean */
Datum
gpucompact_packed_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(packed_equal(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

/* gpucompact_packed_ne(gpu_packed, gpu_packed) returns boolean */
Datum
gpucompact_packed_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!packed_equal(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

static uint64
hash_packed(Datum packed, uint64 seed)
{
	Piece	   *piece = open_pieces(packed);
	const ArrayReader *reader = &piece->reader;
	ElementKind kind = reader->type.kind;
	int32		shape[] = {
		(int32) reader->type.oid, reader->dims[0],
		reader->nitems > 0 ? reader->lbounds[0] : 1
	};
	uint64		hash = hash_bytes_extended((unsigned char *) shape,
										   sizeof(shape), seed);
	int64		count;

	if (reader->nulls != NULL)
		hash = hash_bytes_extended(reader->nulls,
								   null_bitmap_bytes(reader->nitems), hash);
	for (int64 left = reader->count; left > 0; left -= count)
	{
		count = Min(left, PIECE);
		next_piece(piece, count);
		if (kind_is_float(kind))
			canonicalize(piece, count);
		hash = hash_bytes_extended(piece->values, count *
								   (kind_is_float(kind) ? sizeof(int64) :
									kind_size(kind)), hash);
	}
	close_pieces(piece);
	return hash;
}

/* gpucompact_packed_hash(gpu_packed) returns integer */
Datum
gpucompact_packed_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) hash_packed(PG_GETARG_DATUM(0), 0));
}

/* gpucompact_packed_hash_extended(gpu_packed, seed bigint) returns bigint */
Datum
gpucompact_packed_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) hash_packed(PG_GETARG_DATUM(0),
										PG_GETARG_INT64(1)));
}
