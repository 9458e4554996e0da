/*
 * state.c
 *	  The type gpu_state: a part of an aggregate's rows, that may travel to
 *	  another server, or be stored.
 *
 * A state is a header and one or two packed arrays, which have checksums of
 * their own.  Numbers have their lowest byte first.  The text is base64.
 *
 * The types of elements have the same object identifiers in all servers, as
 * none of them is a domain.
 */
#include "sql/function.h"

#include "common/base64.h"
#include "lib/stringinfo.h"
#include "port/pg_crc32c.h"
#include "utils/fmgrprotos.h"

#include "sql/aggregate.h"

#define STATE_VERSION	1

typedef struct StateHeader
{
	char		magic[3];
	uint8		version;
	uint32		kind;
	int64		arrays;
	uint32		element;
	uint32		bytes[2];		/* of the packed arrays */
	pg_crc32c	checksum;		/* of what is before it */
} StateHeader;

StaticAssertDecl(sizeof(StateHeader) == 32, "a header has no padding");

static const char magic[3] = {'G', 'P', 'S'};

/* The aggregates that make states. */
static const char *const makers[] = {
	[STATE_VALUES] = "gpu_values_state",
	[STATE_DISTINCT] = "gpu_distinct_state",
	[STATE_AVG] = "gpu_avg_state",
	[STATE_STDDEV] = "gpu_stddev_state"
};

static pg_crc32c
checksum_of(const StateHeader *header)
{
	pg_crc32c	checksum;

	INIT_CRC32C(checksum);
	COMP_CRC32C(checksum, header, offsetof(StateHeader, checksum));
	FIN_CRC32C(checksum);
	return checksum;
}

pg_noreturn void
state_is_damaged(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("aggregate state is damaged")));
}

/* Values as a packed array. */
Datum
state_pack(const ElementType *type, const void *values, int64 nvalues,
		   int64 nitems, const uint8 *nulls)
{
	ArrayReader reader;
	LastCall	before;
	Datum		packed;

	(void) array_writer_list_size(type, nitems, nitems - nvalues);
	before = call_suspend();
	call_begin("gpu_pack");
	array_reader_open_values(&reader, type, values, nvalues);
	reader.lbounds[0] = 1;
	reader.nitems = nitems;
	reader.nulls = nitems > nvalues ? nulls : NULL;
	packed = pack_elements(&reader);
	call_end_unrecorded(&before);
	return packed;
}

/* The bytes of a packed array in memory. */
static Size
bytes_of(Datum packed)
{
	return packed == 0 ? 0 : VARSIZE(DatumGetPointer(packed)) - VARHDRSZ;
}

/*
 * A state that has these parts, which are freed.
 *
 * Raises 54000 if it is too large.
 */
Datum
state_write(const StateParts *parts)
{
	StateHeader header = {
		.version = STATE_VERSION,
		.kind = parts->kind,
		.element = parts->element,
		.bytes[0] = (uint32) bytes_of(parts->packed[0]),
		.bytes[1] = (uint32) bytes_of(parts->packed[1]),
		.arrays = parts->arrays
	};
	Size		bytes = sizeof(header) + header.bytes[0] + header.bytes[1];
	ArrayWriter writer;
	char	   *to;

	memcpy(header.magic, magic, sizeof(magic));
	header.checksum = checksum_of(&header);
	array_writer_begin_bytes(&writer, bytes);
	memcpy(writer.values, &header, sizeof(header));
	to = writer.values + sizeof(header);
	for (int i = 0; i < lengthof(parts->packed); i++)
	{
		Datum		packed = parts->packed[i];

		if (packed == 0)
			continue;
		move_bytes(to, VARDATA(DatumGetPointer(packed)), bytes_of(packed));
		to += bytes_of(packed);
		pfree(DatumGetPointer(packed));
	}
	return array_writer_finish_bytes(&writer, bytes);
}

/*
 * Reads what a state has.  Whoever reads the packed arrays checks them.
 *
 * Raises XX001 if it is damaged.
 */
static void
state_read(StateParts *parts, Datum state)
{
	bytea	   *value = DatumGetByteaPP(state);
	const char *from = VARDATA_ANY(value);
	Size		size = VARSIZE_ANY_EXHDR(value);
	StateHeader header;

	if (size < sizeof(header))
		state_is_damaged();
	memcpy(&header, from, sizeof(header));
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 ||
		header.checksum != checksum_of(&header))
		state_is_damaged();
	if (header.version != STATE_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("aggregate state is of version %d, which is not known "
						"here", header.version),
				 errhint("A newer version of gpucompact may be able to read "
						 "it.")));
	if (header.kind < STATE_VALUES || header.kind > STATE_STDDEV ||
		size != sizeof(header) + (Size) header.bytes[0] + header.bytes[1])
		state_is_damaged();
	*parts = (StateParts) {
		.kind = (StateKind) header.kind,
		.element = header.element,
		.arrays = header.arrays
	};
	from += sizeof(header);
	for (int i = 0; i < lengthof(header.bytes); i++)
	{
		Size		bytes = VARHDRSZ + (Size) header.bytes[i];
		struct varlena *packed;

		if (bytes == VARHDRSZ)
			continue;
		packed = large_value_allocate(bytes);	/* aligned as a value is */
		SET_VARSIZE(packed, bytes);
		move_bytes(VARDATA(packed), from, header.bytes[i]);
		parts->packed[i] = PointerGetDatum(packed);
		from += header.bytes[i];
	}
	if (parts->packed[0] == 0)
		state_is_damaged();
}

/*
 * The same for an aggregate that wants states of a kind.  Distinct values can
 * be counted of any values.
 *
 * Raises 22023 if the state is of another kind.
 */
void
state_open(StateParts *parts, Datum state, StateKind wanted)
{
	state_read(parts, state);
	if (parts->kind != wanted &&
		(wanted != STATE_DISTINCT || parts->kind != STATE_VALUES))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("aggregate state was made by %s", makers[parts->kind]),
				 errhint("States for this aggregate are made by %s.",
						 makers[wanted])));
}

/* Checks all of a state, which has been made by anybody. */
static Datum
checked(Datum state)
{
	StateParts	parts;

	state_read(&parts, state);
	for (int i = 0; i < lengthof(parts.packed); i++)
	{
		if (parts.packed[i] == 0)
			continue;
		packed_check_all(packed_reader_open(parts.packed[i],
											ERRCODE_DATA_CORRUPTED));
		pfree(DatumGetPointer(parts.packed[i]));
	}
	return state;
}

/*
 * gpucompact_state_in(cstring) returns gpu_state
 *
 * Raises 22P02 if the text is not base64, and XX001 if it is no state.
 */
SQL_FUNCTION(gpucompact_state_in)
{
	const char *text = PG_GETARG_CSTRING(0);
	int			length = (int) strlen(text);
	int			room = length / 4 * 3;	/* pg_b64_dec_len overflows */
	struct varlena *state = palloc(VARHDRSZ + room);
	void	   *to = VARDATA(state);
	int			size = pg_b64_decode(text, length, to, room);

	if (size < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", "gpu_state")));
	SET_VARSIZE(state, VARHDRSZ + size);
	return checked(PointerGetDatum(state));
}

/*
 * gpucompact_state_out(gpu_state) returns cstring
 *
 * Raises 54000 if the text is too large.
 */
SQL_FUNCTION(gpucompact_state_out)
{
	bytea	   *state = PG_GETARG_BYTEA_PP(0);
	const void *from = VARDATA_ANY(state);
	int			length = VARSIZE_ANY_EXHDR(state);
	int			room = pg_b64_enc_len(length);
	char	   *text;

	if (!AllocSizeIsValid(room + 1))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("text of aggregate state exceeds the maximum allowed "
						"(%d)", (int) MaxAllocSize)));
	text = palloc(room + 1);
	text[pg_b64_encode(from, length, text, room)] = '\0';
	PG_RETURN_CSTRING(text);
}

/*
 * gpucompact_state_recv(internal) returns gpu_state
 *
 * Raises XX001 if the bytes are no state.
 */
SQL_FUNCTION_AS(gpucompact_state_recv, checked(bytearecv(fcinfo)))
