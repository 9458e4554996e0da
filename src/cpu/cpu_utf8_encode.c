/*
 * cpu_utf8_encode.c
 *	  Encodes code points as UTF-8.
 *
 * Passes over the piece twice; the second pass finds it in the cache.  The
 * first counts the bytes, so that the next piece can go on.  The second writes
 * them.
 */
#include <string.h>

#include "contract/operations/utf8.h"
#include "cpu/cpu_utf8.h"

/* Integers that are encoded together. */
#define ENCODE_GROUP		32

/* Unicode scalar values: in range, and no surrogates. */
UTF8_INLINE bool
is_code_point(uint32_t value)
{
	return (value < 0xD800) | (value - 0xE000 < 0x110000 - 0xE000);
}

UTF8_INLINE int
encoded_length(uint32_t code_point)
{
	return 1 + (code_point >= 0x80) + (code_point >= 0x800) +
		(code_point >= 0x10000);
}

UTF8_INLINE bool
is_ascii(const uint32_t *values, int count)
{
	uint32_t	any = 0;

	for (int i = 0; i < count; i++)
		any |= values[i];
	return any < 0x80;
}

/* Sums over a piece fit into 32 bits, so that vectors have more of them. */
CPU_CLONES static Utf8Outcome
count_encoded(const uint32_t *values, int count, bool skip)
{
	uint32_t	invalid = skip ? 0 : encoded_length(REPLACEMENT);
	Utf8Outcome outcome = {0};
	uint32_t	results = 0;
	uint32_t	errors = 0;
	int			at = 0;

	for (int i = 0; i < count; i++)
	{
		uint32_t	valid = -(uint32_t) is_code_point(values[i]);

		results += (encoded_length(values[i]) & valid) | (invalid & ~valid);
		errors += ~valid & 1;
	}
	while (errors > 0 && is_code_point(values[at]))
		at++;
	outcome.results = results;
	outcome.errors = errors;
	outcome.first_error = at;
	return outcome;
}

/* Returns the bytes of a code point, the first one in the lowest bits. */
UTF8_INLINE uint32_t
encode(uint32_t value)
{
	uint32_t	last = 0x80 | (value & 0x3F);
	uint32_t	third = 0x80 | (value >> 6 & 0x3F);
	uint32_t	second = 0x80 | (value >> 12 & 0x3F);

	return value < 0x80 ? value :
		value < 0x800 ? (0xC0 | value >> 6) | last << 8 :
		value < 0x10000 ? (0xE0 | value >> 12) | third << 8 | last << 16 :
		(0xF0 | value >> 18) | second << 8 | third << 16 | last << 24;
}

/* Computes the bytes of each value of a group, and their number. */
UTF8_INLINE void
encode_group(const uint32_t *values, bool skip, uint32_t *bytes,
			 uint32_t *lengths)
{
	uint32_t	kept = skip ? 0 : ~(uint32_t) 0;

	for (int i = 0; i < ENCODE_GROUP; i++)
	{
		uint32_t	valid = -(uint32_t) is_code_point(values[i]);
		uint32_t	value = (values[i] & valid) | (REPLACEMENT & ~valid);

		lengths[i] = encoded_length(value) & (valid | kept);
		bytes[i] = encode(value);
	}
}

/* Writes four bytes, or "room" if that is less; the lowest bits come first. */
UTF8_INLINE void
put_bytes(uint8_t *to, uint32_t bytes, int64_t room)
{
	if (room >= 4)
		memcpy(to, &bytes, 4);
	else
		memcpy(to, &bytes, room);
}

/*
 * Writes the bytes of the values, the last one before "end".  Each value
 * writes four bytes, and the next one overwrites the bytes in excess.  No byte
 * is written past the end, where another piece's bytes are.
 */
CPU_CLONES static void
write_bytes(const uint32_t *values, int count, bool skip, uint8_t *out,
			uint8_t *end)
{
	uint32_t	last[ENCODE_GROUP] = {0};
	uint32_t	bytes[ENCODE_GROUP];
	uint32_t	lengths[ENCODE_GROUP];

	for (int i = 0; i < count; i += ENCODE_GROUP)
	{
		const uint32_t *group = values + i;
		int			n = cpu_min(count - i, ENCODE_GROUP);

		if (n < ENCODE_GROUP)
			group = memcpy(last, group, n * sizeof(uint32_t));
		if (n == ENCODE_GROUP && is_ascii(group, ENCODE_GROUP))
		{
			for (int j = 0; j < ENCODE_GROUP; j++)
				out[j] = (uint8_t) group[j];
			out += ENCODE_GROUP;
			continue;
		}
		encode_group(group, skip, bytes, lengths);
		for (int j = 0; j < n; j++)
		{
			put_bytes(out, bytes[j], end - out);
			out += lengths[j];
		}
	}
}

/* Encodes a piece. */
static void
encode_piece(CpuJob *job, CpuPiece *piece)
{
	bool		skip = PARAMETERS(job->request, Utf8Parameters)->skip_errors;
	const uint32_t *values = piece->data[0];
	Utf8Outcome outcome = count_encoded(values, (int) piece->count, skip);
	uint8_t    *to;

	outcome.first_error += piece->first;
	to = cpu_utf8_place(job, piece, &outcome);
	if (to != NULL)
		write_bytes(values, (int) piece->count, skip, to,
					to + outcome.results);
}

const CpuOperation cpu_utf8_encode = {
	CPU_BY_PIECES, .piece = encode_piece
};
