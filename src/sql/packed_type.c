/*
 * packed_type.c
 *	  The type gpu_packed: its text, its binary form, its modifier, its order
 *	  and its hash.
 *
 * The text of a value is that of its array with the type of the elements in
 * front, as in integer:{1,2,NULL}.  The binary form is the bytes of the value:
 * the types of elements have the same object identifiers in all servers, as
 * none of them is a domain.  A client may send anything, so all of it is
 * checked.  A modifier is the type of the elements that a column's arrays have
 * to have, as in gpu_packed(integer): its number is the type's object
 * identifier.
 *
 * Packed arrays are equal if their arrays are equal: all NaNs are equal, and 0
 * equals -0.  Arrays with different types of elements are not equal.  The
 * bytes of equal packed arrays may differ, because versions may choose other
 * schemes.  So elements are compared, not bytes: arrays are ordered by their
 * types, and then as core orders arrays.
 */
#include "sql/function.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "parser/parse_type.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

/* Elements between two checks for interrupts. */
#define BLOCK			16384

/* The type that a modifier asks for; anybody may call with any number. */
static char *
typmod_name(int32 typmod)
{
	return format_type_extended((Oid) typmod, -1, FORMAT_TYPE_ALLOW_INVALID);
}

/*
 * A modifier in the text of a type.  A name that is not one word is written as
 * a literal, which the grammar takes, too.
 */
static char *
typmod_text(int32 typmod)
{
	char	   *name = typmod_name(typmod);
	bool		word = strspn(name, "abcdefghijklmnopqrstuvwxyz") ==
		strlen(name);

	return psprintf("(%s)", word ? name : quote_literal_cstr(name));
}

/*
 * Raises 42804 if a modifier asks for elements of another type.  The error's
 * hint says what to cast an array to that is assigned to a column.
 */
static void
check_packed_typmod(Oid element, int32 typmod, bool assigned)
{
	if (typmod >= 0 && (Oid) typmod != element)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("packed array has elements of type %s, not %s",
						format_type_be(element), typmod_name(typmod)),
				 assigned ? errhint("Cast the array to %s[].",
									typmod_name(typmod)) : 0));
}

/*
 * The type of that name.
 *
 * Raises 42704 if there is none, and 0A000 if its arrays cannot be packed.
 */
static ElementType
find_element_type(const char *name, int32 *typmod)
{
	Oid			oid;
	ElementType type;

#if PG_VERSION_NUM >= 160000
	(void) parseTypeString(name, &oid, typmod, NULL);
#else
	parseTypeString(name, &oid, typmod, false);
#endif
	type = element_type(oid);
	check_packable(&type);
	return type;
}

/*
 * The colon behind the type's name, which may have others in quotes; or NULL.
 */
static const char *
find_colon(const char *text)
{
	bool		quoted = false;

	for (; *text != '\0'; text++)
	{
		if (*text == '"')
			quoted = !quoted;
		else if (*text == ':' && !quoted)
			return text;
	}
	return NULL;
}

/*
 * gpucompact_packed_in(cstring, oid, integer) returns gpu_packed
 *
 * Raises 22P02 if the text has no type, and what the input of the array does.
 */
SQL_FUNCTION(gpucompact_packed_in)
{
	char	   *text = PG_GETARG_CSTRING(0);
	const char *colon = find_colon(text);
	ElementType type;
	ArrayReader reader;
	LastCall	before;
	int32		typmod;
	Datum		array;

	if (colon == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"",
						"gpu_packed", text),
				 errdetail("The type of the elements and a colon must precede "
						   "the array, as in \"integer:{1,2}\"."),
				 errhint("To pack the literal of an array, cast it to the type "
						 "of the array first, as in '{1,2}'::integer[].")));
	type = find_element_type(pnstrdup(text, colon - text), &typmod);
	check_packed_typmod(type.oid, PG_GETARG_INT32(2), false);
	array = OidInputFunctionCall(F_ARRAY_IN, unconstify(char *, colon) + 1,
								 type.oid, typmod);
	before = call_suspend();
	call_begin("gpu_pack");
	call_open_datum(&reader, array, NULLS_DROPPED, NULL);
	call_check_list(&reader);
	array = pack_elements(&reader);
	array_reader_close(&reader);
	call_end_unrecorded(&before);
	return array;
}

/* gpucompact_packed_out(gpu_packed) returns cstring */
SQL_FUNCTION(gpucompact_packed_out)
{
	ArrayReader reader;
	Datum		array;
	char	   *text;

	array_reader_open_packed(&reader, PG_GETARG_DATUM(0), 1, PG_INT32_MAX);
	array = unpack_elements(&reader);
	array_reader_close(&reader);
	text = OidOutputFunctionCall(F_ARRAY_OUT, array);
	PG_RETURN_CSTRING(psprintf("%s:%s", format_type_be(reader.type.oid), text));
}

/*
 * gpucompact_packed_typmod_in(cstring[]) returns integer
 *
 * Raises 22023 unless there is one modifier, which has none itself, and what
 * find_element_type does.
 */
SQL_FUNCTION(gpucompact_packed_typmod_in)
{
	Datum	   *names;
	int			n;
	int32		typmod;
	ElementType type;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), CSTRINGOID, -2, false,
					  TYPALIGN_CHAR, &names, NULL, &n);
	if (n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("type gpu_packed has one modifier, the type of the "
						"elements")));
	type = find_element_type(DatumGetCString(names[0]), &typmod);
	if (typmod >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the elements of type gpu_packed have no modifier"),
				 errhint("Write gpu_packed%s.", typmod_text(type.oid))));
	PG_RETURN_INT32((int32) type.oid);
}

/*
 * gpucompact_packed_typmod_out(integer) returns cstring
 */
SQL_FUNCTION_AS(gpucompact_packed_typmod_out,
				CStringGetDatum(typmod_text(PG_GETARG_INT32(0))))

/*
 * gpucompact_packed_check(gpu_packed, integer, boolean) returns gpu_packed
 *
 * The same value, whose elements are of the type that the modifier asks for.
 *
 * Raises 42804 if they are not.
 */
SQL_FUNCTION(gpucompact_packed_check)
{
	PackedReader *reader = packed_reader_open(PG_GETARG_DATUM(0),
											  ERRCODE_DATA_CORRUPTED);

	check_packed_typmod(reader->array.element_type, PG_GETARG_INT32(1), true);
	value_source_close(&reader->base);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/*
 * A type that does not use all values of its bits: its elements are from "least"
 * to before "end", and two that are infinite.
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

/* Raises 22P03 if bits are no element of the type. */
static void
check_elements(PackedReader *reader, const ElementRange *range)
{
	int			size = kind_size(reader->array.kind);
	int64		buffer[BLOCK];
	int64		count;

	for (int64 at = 0; at < reader->base.count; at += count)
	{
		CHECK_FOR_INTERRUPTS();
		count = Min(reader->base.count - at, BLOCK);
		reader->base.methods->read(&reader->base, at, count, (char *) buffer);
		for (int64 i = 0; i < count; i++)
		{
			int64		element = element_integer((char *) buffer + i * size,
												  size);

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
SQL_FUNCTION(gpucompact_packed_recv)
{
	Datum		value = bytearecv(fcinfo);
	PackedReader *reader =
		packed_reader_open(value, ERRCODE_INVALID_BINARY_REPRESENTATION);

	check_packed_typmod(reader->array.element_type, PG_GETARG_INT32(2), false);
	packed_check_all(reader);
	return value;
}

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
	piece->buffer = palloc(Min(piece->reader.count, BLOCK) * sizeof(uint64));
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

/* A number that compares as a value does. */
static inline uint64
order_at(const Piece *piece, int64 i)
{
	ElementKind kind = piece->reader.type.kind;

	return element_order(kind, (const char *) piece->values +
						 i * kind_size(kind));
}

static int
compare_numbers(uint64 a, uint64 b)
{
	return (a > b) - (a < b);
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

	if (x->type.oid != y->type.oid)
		return compare_numbers(x->type.oid, y->type.oid);
	alike = count_alike(x, y);
	for (int64 left = x->nulls == NULL ? alike :
		 null_bitmap_count_values(x->nulls, 0, alike);
		 left > 0; left -= count)
	{
		count = Min(left, BLOCK);
		next_piece(a, count);
		next_piece(b, count);
		if (memcmp(a->values, b->values, count * x->type.size) == 0)
			continue;
		for (int64 i = 0; i < count; i++)
		{
			if (order_at(a, i) != order_at(b, i))
				return compare_numbers(order_at(a, i), order_at(b, i));
		}
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
	bool		floats;
	int32		shape[3];
	uint64		hash;
	int64		count;

	open_pieces(&piece, packed);
	floats = kind_is_float(reader->type.kind);
	shape[0] = (int32) reader->type.oid;
	shape[1] = reader->dims[0];
	shape[2] = reader->nitems > 0 ? reader->lbounds[0] : 1;
	hash = hash_bytes_extended((unsigned char *) shape, sizeof(shape), seed);
	if (reader->nulls != NULL)
		hash = hash_bytes_extended(reader->nulls,
								   null_bitmap_bytes(reader->nitems), hash);
	for (int64 left = reader->count; left > 0; left -= count)
	{
		count = Min(left, BLOCK);
		next_piece(&piece, count);
		for (int64 i = count - 1; floats && i >= 0; i--)
			piece.buffer[i] = order_at(&piece, i);
		hash = hash_bytes_extended(floats ? (const unsigned char *)
								   piece.buffer : piece.values, count *
								   (floats ? sizeof(uint64) :
									reader->type.size), hash);
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
