/*
 * utf8_reference.h
 *	  A reference implementation of UTF-8: byte by byte, by the table of the
 *	  standard, without any optimization.
 */
#ifndef GPUCOMPACT_UTF8_REFERENCE_H
#define GPUCOMPACT_UTF8_REFERENCE_H

#include <string.h>

#include "contract/engine.h"
#include "contract/operations/utf8.h"

/* Well-formed byte sequences (Unicode 15, table 3-7). */
static const struct
{
	int			length;
	uint8_t		ranges[4][2];
}			utf8_table[] = {
	{1, {{0x00, 0x7F}}},
	{2, {{0xC2, 0xDF}, {0x80, 0xBF}}},
	{3, {{0xE0, 0xE0}, {0xA0, 0xBF}, {0x80, 0xBF}}},
	{3, {{0xE1, 0xEC}, {0x80, 0xBF}, {0x80, 0xBF}}},
	{3, {{0xED, 0xED}, {0x80, 0x9F}, {0x80, 0xBF}}},
	{3, {{0xEE, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}}},
	{4, {{0xF0, 0xF0}, {0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}},
	{4, {{0xF1, 0xF3}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}}},
	{4, {{0xF4, 0xF4}, {0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}}}
};

#define UTF8_ROWS	((int) (sizeof(utf8_table) / sizeof(utf8_table[0])))

/* The first unit of some bytes. */
typedef struct ReferenceUnit
{
	int			length;
	bool		valid;			/* a code point; otherwise an error */
	int32_t		code_point;
} ReferenceUnit;

static inline ReferenceUnit
reference_unit(const uint8_t *bytes, int64_t left, bool zero_is_error)
{
	static const uint8_t lead_bits[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	ReferenceUnit unit = {1, false, 0};

	for (int row = 0; row < UTF8_ROWS; row++)
	{
		int			length = utf8_table[row].length;
		int			right = 0;

		while (right < length && right < left &&
			   bytes[right] >= utf8_table[row].ranges[right][0] &&
			   bytes[right] <= utf8_table[row].ranges[right][1])
			right++;
		if (right == 0)
			continue;
		unit.length = right;
		unit.valid = right == length && !(zero_is_error && bytes[0] == 0);
		unit.code_point = bytes[0] & lead_bits[length];
		for (int i = 1; i < right; i++)
			unit.code_point = unit.code_point << 6 | (bytes[i] & 0x3F);
	}
	return unit;
}

/* Encodes a code point, and returns its length. */
static inline int
reference_encode(int32_t value, uint8_t *to)
{
	if (value < 0x80)
	{
		to[0] = value;
		return 1;
	}
	if (value < 0x800)
	{
		to[0] = 0xC0 | value >> 6;
		to[1] = 0x80 | (value & 0x3F);
		return 2;
	}
	if (value < 0x10000)
	{
		to[0] = 0xE0 | value >> 12;
		to[1] = 0x80 | (value >> 6 & 0x3F);
		to[2] = 0x80 | (value & 0x3F);
		return 3;
	}
	to[0] = 0xF0 | value >> 18;
	to[1] = 0x80 | (value >> 12 & 0x3F);
	to[2] = 0x80 | (value >> 6 & 0x3F);
	to[3] = 0x80 | (value & 0x3F);
	return 4;
}

static inline bool
reference_is_code_point(int32_t value)
{
	return value >= 0 && value <= 0x10FFFF &&
		!(value >= 0xD800 && value <= 0xDFFF);
}

static inline void
reference_error(EngineResult *result, int64_t at)
{
	if (result->errors++ == 0)
		result->first_error = at;
}

static inline EngineResult
reference_encode_all(const EngineRequest *request, const int32_t *values,
					 uint8_t *out)
{
	EngineResult result = {0};

	for (int64_t i = 0; i < request->count; i++)
	{
		bool		valid = reference_is_code_point(values[i]);

		if (!valid)
			reference_error(&result, i);
		if (valid || !PARAMETERS(request, Utf8Parameters)->skip_errors)
			result.count += reference_encode(valid ? values[i] : 0xFFFD,
											 out + result.count);
	}
	return result;
}

/* The kind of an operation's results. */
static inline ElementKind
reference_output_kind(EngineOperation operation)
{
	return operation == ENGINE_UTF8_DECODE ? KIND_INT4 :
		operation == ENGINE_UTF8_ERRORS ? KIND_INT8 : KIND_UINT1;
}

/*
 * Returns the result of a request.  "out" must have room for all results,
 * whatever request->room: three bytes for each byte, or four for each integer.
 */
static inline EngineResult
reference_run(const EngineRequest *request, const void *in, void *out)
{
	const uint8_t *bytes = in;
	EngineResult result = {0};
	ReferenceUnit unit;

	if (request->operation == ENGINE_UTF8_ENCODE)
		return reference_encode_all(request, in, out);

	for (int64_t at = 0; at < request->count; at += unit.length)
	{
		const Utf8Parameters *utf8 = PARAMETERS(request, Utf8Parameters);
		int64_t    *n = &result.count;

		unit = reference_unit(bytes + at, request->count - at,
							  utf8->zero_is_error);
		if (!unit.valid)
			reference_error(&result, at);
		if (request->operation == ENGINE_UTF8_ERRORS && !unit.valid)
			((EngineUtf8Error *) out)[(*n)++] =
				(EngineUtf8Error) {(int32_t) at, unit.length};
		if (!unit.valid && utf8->skip_errors)
			continue;
		if (request->operation == ENGINE_UTF8_DECODE)
			((int32_t *) out)[(*n)++] = unit.valid ? unit.code_point : 0xFFFD;
		else if (request->operation == ENGINE_UTF8_REPAIR && unit.valid)
		{
			memcpy((uint8_t *) out + *n, bytes + at, unit.length);
			*n += unit.length;
		}
		else if (request->operation == ENGINE_UTF8_REPAIR)
			*n += reference_encode(0xFFFD, (uint8_t *) out + *n);
	}
	return result;
}

#endif							/* GPUCOMPACT_UTF8_REFERENCE_H */
