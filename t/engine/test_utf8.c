/*
 * test_utf8.c
 *	  UTF-8, compared with the reference.
 */
#include "engines.h"
#include "utf8_reference.h"

/* The bounds of the ranges of table 3-7, adjacent bytes, and a letter. */
static const uint8_t boundary_bytes[] = {
	0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2,
	0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5,
	0xFF
};

#define BOUNDARY_BYTES	LENGTH(boundary_bytes)

/* The largest result of a byte or an integer: an EngineUtf8Error. */
#define MAX_OUT		sizeof(EngineUtf8Error)

#define GUARD			0x5A
#define GUARD_BYTES		64

static void
fill_text(int data, uint8_t *bytes, int64_t count)
{
	for (int64_t at = 0; at < count;)
	{
		uint64_t	random = random_bits();
		int32_t		value = random >> 8 & 0x1FFFFF >> random % 4 * 5;
		uint8_t		unit[4] = {random >> 56};	/* noise */
		int			length = 1;

		if (data == 1)
			unit[0] &= 0x7F;
		else if (data == 2)
			length = reference_encode(0x65E5, unit);
		else if (data == 3)
			length = reference_encode((int32_t) (at % 0xD800), unit);
		else if (data == 4)
			unit[0] = boundary_bytes[random % BOUNDARY_BYTES];
		else if (reference_is_code_point(value) && random >> 60 != 0)
			length = reference_encode(value, unit);
		for (int i = 0; i < length && at < count; i++)
			bytes[at++] = unit[i];
	}
}

/* Compares a request with the reference; and again with too little room. */
static void
compare(EngineRequest *request, const void *in, const char *what, int data)
{
	OWNED char *results = malloc(request->count * MAX_OUT);
	OWNED char *got = malloc(request->count * MAX_OUT + GUARD_BYTES);
	EngineResult expected = reference_run(request, in, results);
	EngineResult result;
	size_t		size;

	request->outputs[0].memory = got;
	request->outputs[0].kind = reference_output_kind(request->operation);
	size = output_size(request, 0);
	for (int less = 0; less < 2; less++)
	{
		size_t		bytes;
		bool		right = true;

		request->room = expected.count - less;
		if (request->room < 0)
			break;
		bytes = request->room * size;
		memset(got + bytes, GUARD, GUARD_BYTES);
		if (!run_request_in(options.context, request, INPUTS(in), &result))
			break;
		for (int i = 0; i < GUARD_BYTES; i++)
			right &= got[bytes + i] == GUARD;
		expect(right, request, what, data);
		expect(result.count == expected.count &&
			   result.errors == expected.errors &&
			   (result.errors == 0 ||
				result.first_error == expected.first_error) &&
			   (less || memcmp(got, results, bytes) == 0),
			   request, what, data);
	}
}

/* All operations on bytes, or the one on integers. */
static void
compare_all(ElementKind kind, const void *in, int64_t count, int data)
{
	static const struct
	{
		EngineOperation operation;
		ElementKind kind;
		const char *name;
	}			operations[] = {
		{ENGINE_UTF8_DECODE, KIND_UINT1, "decode"},
		{ENGINE_UTF8_REPAIR, KIND_UINT1, "repair"},
		{ENGINE_UTF8_ERRORS, KIND_UINT1, "errors"},
		{ENGINE_UTF8_VALIDATE, KIND_UINT1, "validate"},
		{ENGINE_UTF8_ENCODE, KIND_INT4, "encode"}
	};

	for (int variant = 0; variant < 8 * LENGTH(operations); variant++)
	{
		int			i = variant / 8;
		EngineRequest request = make_request(operations[i].operation, kind,
											 kind, count);

		if (operations[i].kind != kind)
			continue;
		request.threads = variant & 1 ? 4 : 1;
		PARAMETERS(&request, Utf8Parameters)->skip_errors = variant & 2;
		PARAMETERS(&request, Utf8Parameters)->zero_is_error = variant & 4;
		compare(&request, in, operations[i].name, data);
	}
}

static void
test_utf8(int64_t count, int data)
{
	OWNED uint8_t *bytes = malloc(count);
	OWNED int32_t *values = malloc(count * sizeof(int32_t));

	fill_text(data, bytes, count);
	make_data(KIND_INT4, data, values, count);
	for (int64_t i = 0; i < count && data == 0; i++)
		values[i] &= 0x3FFFFF >> (values[i] >> 24 & 3) * 5;
	compare_all(KIND_UINT1, bytes, count, data);
	compare_all(KIND_INT4, values, count, data);
}

/* Writes the sequence of boundary bytes with the number "number". */
static void
put_sequence(uint8_t *to, int length, int number)
{
	for (; length > 0; length--, number /= BOUNDARY_BYTES)
		*to++ = boundary_bytes[number % BOUNDARY_BYTES];
}

/*
 * All sequences of boundary bytes of a length in one array, each in a cell of
 * 8 bytes and at each offset in its cell.  "piece" is the size of a piece, or
 * zero for the engine's own.
 */
static void
test_sequences(int length, int64_t piece)
{
	int64_t		sequences = 1;
	OWNED uint8_t *bytes;

	for (int i = 0; i < length; i++)
		sequences *= BOUNDARY_BYTES;
	bytes = malloc(sequences * 8 + 8);
	options.piece = piece;
	for (int position = 0; position < 8; position++)
	{
		EngineRequest request = make_request(ENGINE_UTF8_DECODE, KIND_UINT1,
											 KIND_INT4, sequences * 8);

		request.threads = 1;
		memset(bytes, 'a', sequences * 8);
		for (int number = 0; number < sequences; number++)
			put_sequence(bytes + number * 8 + position, length, number);
		compare(&request, bytes, "decode sequences", length);
		request.operation = ENGINE_UTF8_REPAIR;
		PARAMETERS(&request, Utf8Parameters)->skip_errors = true;
		compare(&request, bytes, "repair sequences", length);
		request.operation = ENGINE_UTF8_ERRORS;
		compare(&request, bytes, "errors in sequences", length);
	}
	options.piece = 0;
}

/* The same sequences, each in an array of its own. */
static void
test_sequences_alone(int length)
{
	int			sequences = 1;

	for (int i = 0; i < length; i++)
		sequences *= BOUNDARY_BYTES;
	for (int number = 0; number < sequences; number++)
	{
		EngineRequest request = make_request(ENGINE_UTF8_DECODE, KIND_UINT1,
											 KIND_INT4, length);
		uint8_t		bytes[4];

		request.threads = 1;
		put_sequence(bytes, length, number);
		compare(&request, bytes, "decode a sequence", length);
	}
}

/* Encodes and decodes all 1,112,064 scalar values. */
static void
test_round_trip(void)
{
	int64_t		count = 0x110000 - 0x800;
	OWNED int32_t *values = malloc(count * sizeof(int32_t));
	OWNED uint8_t *bytes = malloc(count * 4);
	OWNED int32_t *decoded = malloc(count * sizeof(int32_t));
	EngineRequest request = make_request(ENGINE_UTF8_ENCODE, KIND_INT4,
										 KIND_UINT1, count);
	EngineResult result;

	request.threads = 1;
	request.outputs[0].memory = bytes;
	request.room = count * 4;
	for (int64_t i = 0; i < count; i++)
		values[i] = (int32_t) (i < 0xD800 ? i : i + 0x800);
	if (run_request_in(options.context, &request, INPUTS(values), &result))
	{
		expect(result.errors == 0, &request, "encode all", 3);
		request.operation = ENGINE_UTF8_DECODE;
		request.kinds[0] = KIND_UINT1;
		request.count = result.count;
		request.outputs[0] = (EngineOutput) {decoded, KIND_INT4};
		request.room = count;
		run_request_in(options.context, &request, INPUTS(bytes), &result);
		expect(result.errors == 0 && result.count == count &&
			   memcmp(decoded, values, count * sizeof(int32_t)) == 0,
			   &request, "decode all", 3);
	}
}

/*
 * Tests that do not depend on a count.  A device is slow with many short
 * pieces, so it skips the longest sequences in them.
 */
void
test_utf8_once(void)
{
	int			longest = options.engine == &cpu_engine ? 4 : 3;

	for (int length = 1; length <= 4; length++)
	{
		test_sequences(length, 0);
		if (length > longest)
			continue;
		test_sequences(length, 8);
		test_sequences_alone(length);
	}
	test_sequences(2, 1);
	test_sequences(2, 2);
	test_sequences(3, 3);
	test_sequences(3, 5);
	test_round_trip();
}

TEST_FAMILY(utf8)

CONCURRENT_REQUEST(UTF8_DECODE)
{
	request->kinds[0] = KIND_UINT1;
}

CONCURRENT_REQUEST(UTF8_REPAIR)
{
	request->kinds[0] = KIND_UINT1;
	request->outputs[0].kind = KIND_UINT1;
}

CONCURRENT_REQUEST(UTF8_ERRORS)
{
	request->kinds[0] = KIND_UINT1;
	request->outputs[0].kind = KIND_INT8;
}

CONCURRENT_REQUEST(UTF8_VALIDATE)
{
	request->kinds[0] = KIND_UINT1;
	request->outputs[0].kind = KIND_UINT1;
}

CONCURRENT_REQUEST(UTF8_ENCODE)
{
	request->outputs[0].kind = KIND_UINT1;
}
