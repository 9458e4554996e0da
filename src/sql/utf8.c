/*
 * utf8.c
 *	  SQL functions that decode, repair and encode UTF-8.
 *
 * A bytea is read as an array of bytes.  Errors are maximal subparts: bytes
 * with which a code point begins but does not go on, or a byte with which no
 * code point can begin (Unicode 15, table 3-7 and section 3.9).
 */
#include "sql/function.h"

#include "access/detoast.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

#include "contract/operations/utf8.h"

/* Bytes in which gpu_utf8_errors looks for errors at a time. */
#define ERRORS_SLICE	(1024 * 1024)

/*
 * A repaired text may be longer than its bytes by this part of them, which is
 * enough for one invalid byte in 16, each replaced by three.
 */
#define REPAIR_SLACK	8

/* The most bytes of a code point, and of an incomplete one. */
#define LONGEST			4

/* What to do with invalid bytes. */
typedef enum OnError
{
	ON_ERROR_RAISE,
	ON_ERROR_REPLACE,
	ON_ERROR_SKIP
} OnError;

/* The second argument, as name_argument has it. */
static OnError
on_error_argument(FunctionCallInfo fcinfo)
{
	static const char *const names[] = {
		[ON_ERROR_RAISE] = "error",
		[ON_ERROR_REPLACE] = "replace",
		[ON_ERROR_SKIP] = "skip"
	};

	return (OnError) name_argument(fcinfo, "value", PG_GETARG_DATUM(1), names,
								   lengthof(names));
}

/*
 * Raises 22021 for the bytes from "offset" on, in core's words.  The message
 * shows the bytes that core would show.
 */
pg_noreturn static void
raise_invalid_bytes(Datum datum, int64 offset)
{
	ArrayReader reader;
	char		buffer[LONGEST];
	const char *bytes;
	int			left;
	int			length;
	StringInfoData hex;

	array_reader_open_bytes(&reader, datum);
	left = (int) Min(LONGEST, reader.nitems - offset);
	array_reader_skip(&reader, offset);
	bytes = array_reader_next(&reader, buffer, left);
	length = Min(left, pg_encoding_mblen(PG_UTF8, bytes));
	initStringInfo(&hex);
	for (int i = 0; i < length; i++)
		appendStringInfo(&hex, i > 0 ? " 0x%02x" : "0x%02x",
						 (unsigned char) bytes[i]);
	ereport(ERROR,
			(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			 errmsg("invalid byte sequence for encoding \"%s\": %s",
					pg_encoding_to_char(PG_UTF8), hex.data),
			 errdetail("It begins at byte offset " INT64_FORMAT ".", offset)));
}

/* Raises 22021 for the element with this index. */
pg_noreturn static void
raise_invalid_code_point(Datum datum, int64 before)
{
	ArrayReader reader;
	int32		buffer;
	const int32 *value;

	array_reader_open(&reader, datum, NULLS_DROPPED, NULL);
	array_reader_skip(&reader, before);
	value = array_reader_next(&reader, &buffer, 1);
	ereport(ERROR,
			(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
			 errmsg("invalid Unicode code point: %d", *value),
			 errdetail("It is the element with subscript " INT64_FORMAT ".",
					   reader.lbounds[0] + before)));
}

/*
 * Runs an operation over the bytes, or the code points, of the datum.
 *
 * Raises 22021 for an invalid one, unless these are replaced or skipped.
 */
static EngineResult
run(EngineRequest *request, ArrayReader *reader, Datum datum, OnError on_error)
{
	EngineResult result;

	request->count = reader->count;
	PARAMETERS(request, Utf8Parameters)->skip_errors =
		on_error == ON_ERROR_SKIP;
	result = call_engine(request, reader);
	if (on_error != ON_ERROR_RAISE || result.errors == 0)
		return result;
	if (result.first_error < 0 || result.first_error >= reader->count)
		/* Another process may have found it. */
		elog(ERROR, "first error is behind " INT64_FORMAT " of " INT64_FORMAT
			 " elements", result.first_error, reader->count);
	if (request->operation == ENGINE_UTF8_ENCODE)
		raise_invalid_code_point(datum, result.first_error);
	raise_invalid_bytes(datum, result.first_error);
}

/*
 * The bytes of a text as UTF-8.  In a database with encoding SQL_ASCII they
 * are taken as they are.
 */
static Datum
text_as_utf8(Datum datum)
{
	text	   *string;
	char	   *utf8;

	if (GetDatabaseEncoding() == PG_UTF8 ||
		GetDatabaseEncoding() == PG_SQL_ASCII)
		return datum;
	string = DatumGetTextPP(datum);
	utf8 = pg_server_to_any(VARDATA_ANY(string), VARSIZE_ANY_EXHDR(string),
							PG_UTF8);
	if (utf8 == VARDATA_ANY(string))
		return PointerGetDatum(string);
	return CStringGetTextDatum(utf8);
}

static Datum
decode(FunctionCallInfo fcinfo, bool is_text)
{
	Datum		datum = PG_GETARG_DATUM(0);
	OnError		on_error;
	EngineRequest request = {.operation = ENGINE_UTF8_DECODE};
	ArrayReader reader;
	ArrayWriter writer;
	EngineResult result;

	call_begin_at(fcinfo, "gpu_utf8_decode");
	if (is_text)
		datum = text_as_utf8(datum);
	on_error = on_error_argument(fcinfo);
	call_open_bytes(&reader, datum);

	/* There are at most as many code points as bytes. */
	request.room = Min(reader.count, (int64) MaxArraySize);
	array_writer_begin_list(&writer, int4_type, request.room);
	request.outputs[0] = (EngineOutput) {writer.values, KIND_INT4};
	request.stays = request.room == reader.count;
	result = run(&request, &reader, datum, on_error);
	if (result.count > request.room)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)",
						(int) MaxArraySize),
				 errdetail("The result would have " INT64_FORMAT
						   " elements.", result.count)));
	return call_end(&reader, array_writer_finish_list(&writer, result.count));
}

/*
 * gpu_utf8_decode(bytes bytea, on_error text) returns integer[]
 * gpu_utf8_decode(string text, on_error text) returns integer[]
 *
 * The code points, from index 1 on.
 */
SQL_FUNCTION_AS(gpu_utf8_decode, decode(fcinfo, false))
SQL_FUNCTION_AS(gpu_utf8_decode_text, decode(fcinfo, true))

/*
 * gpu_utf8_encode(code_points integer[], on_error text) returns bytea
 *
 * The bytes of the code points.  Invalid are negative numbers, numbers above
 * 0x10FFFF, and surrogates.
 */
SQL_CALL_FUNCTION(gpu_utf8_encode, "gpu_utf8_encode", 0)
{
	EngineRequest request = {.operation = ENGINE_UTF8_ENCODE};
	OnError		on_error = on_error_argument(fcinfo);
	ArrayReader reader;
	ArrayWriter writer;
	EngineResult result;

	call_open_list(&reader, fcinfo, 0, NULLS_DROPPED);
	if (reader.nvalues < reader.nitems)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("null array element not allowed in this context")));

	/* Four bytes for each element fit, even for the longest array. */
	request.room = LONGEST * reader.count;
	array_writer_begin_bytes(&writer, request.room);
	request.outputs[0] = (EngineOutput) {writer.values, KIND_UINT1};
	result = run(&request, &reader, PG_GETARG_DATUM(0), on_error);
	return call_end(&reader, array_writer_finish_bytes(&writer, result.count));
}

/*
 * gpu_utf8_repair(bytes bytea, on_error text) returns text
 *
 * The bytes as a text that the server accepts.  The byte 0 is invalid, too, as
 * no text has it.
 *
 * If the result, with its replacements, does not fit into the room, the first
 * pass says how much room is needed, and a second pass makes the result.
 */
SQL_CALL_FUNCTION(gpu_utf8_repair, "gpu_utf8_repair", 0)
{
	EngineRequest request = {
		.operation = ENGINE_UTF8_REPAIR,
		.outputs[0].kind = KIND_UINT1,
		.parameters = PARAMETERS_OF(Utf8Parameters, .zero_is_error = true)
	};
	Datum		datum = PG_GETARG_DATUM(0);
	OnError		on_error = on_error_argument(fcinfo);
	ArrayReader reader;
	ReaderPlace start;
	ArrayWriter writer;
	EngineResult result;

	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("gpu_utf8_repair needs a database whose encoding is "
						"\"%s\"", pg_encoding_to_char(PG_UTF8)),
				 errdetail("The encoding of this database is \"%s\".",
						   GetDatabaseEncodingName())));

	call_open_bytes(&reader, datum);
	start = reader.at;
	request.room = reader.count;
	if (on_error == ON_ERROR_REPLACE)
		request.room += Min(reader.count / REPAIR_SLACK,
							(int64) MaxAllocSize - VARHDRSZ - reader.count);
	for (;; request.room = result.count)
	{
		array_writer_begin_bytes(&writer, request.room);
		request.outputs[0].memory = writer.values;
		result = run(&request, &reader, datum, on_error);
		if (result.count <= request.room)
			break;
		pfree(writer.array);
		reader.at = start;
	}
	return call_end(&reader, array_writer_finish_bytes(&writer, result.count));
}

/* gpu_utf8_is_valid(bytes bytea) returns boolean */
SQL_CALL_FUNCTION(gpu_utf8_is_valid, "gpu_utf8_is_valid", 0)
{
	EngineRequest request = {.operation = ENGINE_UTF8_VALIDATE};
	ArrayReader reader;
	EngineResult result;

	call_open_bytes(&reader, PG_GETARG_DATUM(0));
	result = run(&request, &reader, PG_GETARG_DATUM(0), ON_ERROR_REPLACE);
	call_end_bytes(&reader, sizeof(bool));
	PG_RETURN_BOOL(result.errors == 0);
}

/* Where gpu_utf8_errors is. */
typedef struct ErrorsState
{
	Datum		datum;
	int64		offset;			/* of the slice that comes next */
	int64		size;			/* bytes of the datum, once known */
	int64		before;			/* bytes before the slice at hand */
	EngineUtf8Error *errors;	/* in that, by their offset in it */
	int64		count;
	int64		next;			/* of them, to be returned */
} ErrorsState;

/*
 * Finds the errors in the next slice.  An error at the end of the slice may be
 * the beginning of a code point: the next slice begins with its bytes.
 */
static void
errors_in_slice(ErrorsState *state)
{
	EngineRequest request = {.operation = ENGINE_UTF8_ERRORS};
	ArrayReader reader;

	call_begin("gpu_utf8_errors");
	call_open_bytes(&reader, state->datum);
	array_reader_skip(&reader, state->offset);
	request.count = Min(state->size - state->offset, ERRORS_SLICE);
	request.outputs[0].kind = KIND_INT8;	/* of their size */
	request.outputs[0].memory = state->errors;
	state->count = call_engine(&request, &reader).count;
	call_end_bytes(&reader, state->count * sizeof(EngineUtf8Error));

	state->next = 0;
	state->before = state->offset;
	state->offset += request.count;
	if (state->offset < state->size && state->count > 0)
	{
		EngineUtf8Error last = state->errors[state->count - 1];

		if (last.byte_offset + last.length == request.count)
		{
			state->count--;
			state->offset -= last.length;
		}
	}
}

/*
 * gpu_utf8_errors(bytes bytea, OUT byte_offset integer, OUT length integer)
 * returns setof record
 *
 * A row for each maximal subpart that is invalid.  Slices are searched as rows
 * are asked for, and no further.
 */
SQL_FUNCTION(gpu_utf8_errors)
{
	FuncCallContext *context;
	ErrorsState *state;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext before;
		TupleDesc	row;
		ArrayReader reader;
		struct varlena *value;

		context = SRF_FIRSTCALL_INIT();
		before = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		check_columns(row, 2, (Oid[]) {INT4OID, INT4OID});
		context->tuple_desc = BlessTupleDesc(row);
		context->user_fctx = state = palloc0(sizeof(ErrorsState));
		state->datum = PG_GETARG_DATUM(0);
		array_reader_open_bytes(&reader, state->datum);
		state->size = reader.nitems;
		array_reader_close(&reader);
		/* A compressed value is decompressed only once. */
		if (toast_datum_size(state->datum) < state->size)
		{
			value = (struct varlena *) DatumGetPointer(state->datum);
			state->datum = PointerGetDatum(detoast_checked(value));
		}
		state->errors = palloc(Min(state->size, ERRORS_SLICE) *
							   sizeof(EngineUtf8Error));
		MemoryContextSwitchTo(before);
	}
	context = SRF_PERCALL_SETUP();
	state = context->user_fctx;

	while (state->next == state->count && state->offset < state->size)
		errors_in_slice(state);
	if (state->next < state->count)
	{
		const EngineUtf8Error *error = &state->errors[state->next++];
		Datum		values[] = {
			Int32GetDatum((int32) (state->before + error->byte_offset)),
			Int32GetDatum(error->length)
		};
		bool		nulls[lengthof(values)] = {false};

		SRF_RETURN_NEXT(context,
						HeapTupleGetDatum(heap_form_tuple(context->tuple_desc,
														  values, nulls)));
	}
	SRF_RETURN_DONE(context);
}
