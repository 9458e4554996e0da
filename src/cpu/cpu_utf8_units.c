/*
 * cpu_utf8_units.c
 *	  Finds the starts of units of UTF-8, in loops that the compiler
 *	  vectorizes.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "contract/operations/utf8.h"
#include "cpu/cpu_utf8.h"

/* Bytes whose masks fit into the first-level cache; a multiple of a word. */
#define UNITS_BATCH			1024

/* Bytes after a piece that are read, but do not matter. */
#define PADDING				(2 * UTF8_WORD)

/* Words of bits for a piece. */
#define PIECE_WORDS			(CPU_UTF8_PIECE / UTF8_WORD + 2)

_Static_assert(CPU_UTF8_FRONT + CPU_UTF8_PIECE + PADDING +
			   2 * PIECE_WORDS * sizeof(uint64_t) <= CPU_PIECE_BYTES,
			   "a piece of UTF-8 fits into its buffer");

/* All bits if the condition is true, as in vectors. */
#define MASK(condition)		((int8_t) -(condition))

/* Bytes are signed, because vectors compare so: 80..FF are less than 00. */
#define BYTE(value)			((int8_t) (value))

UTF8_INLINE uint64_t
pack_masks(const int8_t *masks)
{
	uint64_t	bits = 0;

#ifdef __SSE2__
	for (int i = 0; i < UTF8_WORD; i += 16)
	{
		__m128i		vector = _mm_loadu_si128((const __m128i *) (masks + i));

		bits |= (uint64_t) (uint16_t) _mm_movemask_epi8(vector) << i;
	}
#else
	for (int i = 0; i < UTF8_WORD; i++)
		bits |= (uint64_t) (masks[i] & 1) << i;
#endif
	return bits;
}

/*
 * Finds the units of a batch; "count" is a multiple of a word.  Lead bytes
 * that need no third or fourth byte count as if they had one.
 */
UTF8_INLINE void
find_in_batch(const int8_t *b, int count, bool zero_is_error,
			  uint64_t *starts, uint64_t *errors)
{
	int8_t		zero_error = MASK(zero_is_error);
	int8_t		seconds[UNITS_BATCH + UTF8_WORD];
	const int8_t *second = seconds + 2; /* from two bytes before the batch on */
	int8_t		start[UNITS_BATCH];
	int8_t		error[UNITS_BATCH];

	/* Find the second bytes of units.  Lead bytes C2..F4 need one. */
	for (int i = 0; i < count + UTF8_WORD; i++)
	{
		int8_t		lead = b[i - 3];
		int8_t		byte = b[i - 2];
		int8_t		wrong =
			(MASK(lead == BYTE(0xE0)) & MASK(byte < BYTE(0xA0))) |
			(MASK(lead == BYTE(0xED)) & MASK(byte >= BYTE(0xA0))) |
			(MASK(lead == BYTE(0xF0)) & MASK(byte < BYTE(0x90))) |
			(MASK(lead == BYTE(0xF4)) & MASK(byte >= BYTE(0x90)));

		seconds[i] = MASK(lead >= BYTE(0xC2)) & MASK(lead <= BYTE(0xF4)) &
			MASK(byte < BYTE(0xC0)) & ~wrong;
	}

	for (int i = 0; i < count; i++)
	{
		int8_t		third = second[i - 1] & MASK(b[i] < BYTE(0xC0)) &
			MASK(b[i - 2] >= BYTE(0xE0));
		int8_t		fourth = second[i - 2] & MASK(b[i] < BYTE(0xC0)) &
			MASK(b[i - 1] < BYTE(0xC0)) & MASK(b[i - 3] >= BYTE(0xF0));
		int8_t		has_third = MASK(b[i] < BYTE(0xE0)) |
			MASK(b[i + 2] < BYTE(0xC0));
		int8_t		has_fourth = MASK(b[i] < BYTE(0xF0)) |
			MASK(b[i + 3] < BYTE(0xC0));
		int8_t		ascii = MASK(b[i] >= 0) &
			~(zero_error & MASK(b[i] == 0));
		int8_t		complete = ascii |
			(second[i + 1] & has_third & has_fourth);

		start[i] = ~(second[i] | third | fourth);
		error[i] = start[i] & ~complete;
	}

	for (int i = 0; i < count; i += UTF8_WORD)
	{
		starts[i / UTF8_WORD] = pack_masks(start + i);
		errors[i / UTF8_WORD] = pack_masks(error + i);
	}
}

/* In ASCII each byte is a unit. */
UTF8_INLINE bool
is_ascii(const int8_t *b, int count, bool zero_is_error)
{
	int8_t		any = 0;
	int8_t		zero = 0;

	for (int i = 0; i < count; i++)
	{
		any |= b[i];
		zero |= MASK(b[i] == 0);
	}
	return any >= 0 && !(zero_is_error && zero);
}

CPU_CLONES static void
find_units(const Utf8Units *units, bool zero_is_error)
{
	int64_t		count = units->count + UTF8_CONTEXT;

	for (int64_t at = 0; at < count; at += UNITS_BATCH)
	{
		const int8_t *batch = (const int8_t *) units->bytes + at;
		int64_t		words = (count - at + UTF8_WORD - 1) / UTF8_WORD;
		int			n = words < UNITS_BATCH / UTF8_WORD ?
			(int) words * UTF8_WORD : UNITS_BATCH;
		uint64_t   *starts = units->starts + at / UTF8_WORD;
		uint64_t   *errors = units->errors + at / UTF8_WORD;

		if (is_ascii(batch, n, zero_is_error))
		{
			memset(starts, 0xFF, n / 8);
			memset(errors, 0, n / 8);
		}
		else
			find_in_batch(batch, n, zero_is_error, starts, errors);
	}
}

/*
 * Puts the preceding bytes in front of a piece, and zeros after it, which end
 * the last unit of the last piece; and finds the units.
 */
Utf8Units
cpu_utf8_open_piece(const CpuJob *job, const CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	uint8_t    *own = (uint8_t *) piece->buffer + CPU_UTF8_FRONT;
	uint64_t   *bits = (uint64_t *) (own + CPU_UTF8_PIECE + PADDING);
	Utf8Units	units = {
		.bytes = own - UTF8_CONTEXT,
		.first = piece->first - UTF8_CONTEXT,
		.count = piece->count,
		.starts = bits,
		.errors = bits + PIECE_WORDS
	};

	memcpy(own - UTF8_BEFORE, piece->before, UTF8_BEFORE);
	if (piece->data[0] != own)
		memcpy(own, piece->data[0], piece->count);
	memset(own + piece->count, 0, PADDING);
	if (piece->first + piece->count == request->count)
		units.count += UTF8_CONTEXT;

	find_units(&units, PARAMETERS(request, Utf8Parameters)->zero_is_error);
	if (units.first < 0)		/* before the first byte */
	{
		*units.starts &= ~(uint64_t) 0 << -units.first;
		*units.errors &= ~(uint64_t) 0 << -units.first;
	}
	return units;
}
