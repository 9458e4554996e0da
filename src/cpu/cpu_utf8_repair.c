/*
 * cpu_utf8_repair.c
 *	  Repairs UTF-8, 64 bytes at a time.
 */
#include <string.h>

#include "cpu/cpu_utf8.h"

/* The piece in which a unit starts repairs the whole unit. */
static int64_t
first_start(const Utf8Units *units)
{
	return utf8_next_bit(units->starts, 0, units->count);
}

static int64_t
last_end(const Utf8Units *units)
{
	return units->count - 1 + utf8_distance_to_start(units, units->count - 1);
}

/*
 * What becomes of 64 bytes, with a bit for each: the byte is kept, or an error
 * starts there.  A byte that is neither continues an error.
 */
typedef struct RepairWord
{
	uint64_t	kept;
	uint64_t	errors;
} RepairWord;

/*
 * An error ends before the next start.  "goes_on" is 1 if an error of the word
 * before does, and then if one of this word does; 0 at the start of a piece.
 *
 * A carry goes through the bytes behind an error's first one up to that start.
 */
UTF8_INLINE RepairWord
repair_word(const Utf8Units *units, int64_t from, int64_t to, int64_t word,
			uint64_t *goes_on)
{
	int64_t		first = word * UTF8_WORD;
	uint64_t	ours = ~(uint64_t) 0;
	uint64_t	others = ~units->starts[word];
	uint64_t	errors;
	uint64_t	carried;

	if (first < from)
		ours <<= from - first;
	if (to - first < UTF8_WORD)
		ours &= ((uint64_t) 1 << (to - first)) - 1;
	errors = units->errors[word] & ours;
	carried = others + ((errors << 1 | *goes_on) & others);
	*goes_on = errors >> (UTF8_WORD - 1) | (carried < others);
	return (RepairWord) {ours & ~(errors | (others & ~carried)), errors};
}

CPU_CLONES int64_t
cpu_utf8_count_repaired(const Utf8Units *units, bool skip)
{
	int64_t		from = first_start(units);
	int64_t		to;
	int64_t		count = 0;
	uint64_t	goes_on = 0;

	if (from == units->count)
		return 0;
	to = last_end(units);
	for (int64_t word = from / UTF8_WORD; word * UTF8_WORD < to; word++)
	{
		RepairWord	repair = repair_word(units, from, to, word, &goes_on);

		count += __builtin_popcountll(repair.kept);
		if (!skip)
			count += REPLACEMENT_LENGTH * __builtin_popcountll(repair.errors);
	}
	return count;
}

/* Writes a word: all adjacent bytes that are kept at a time, or an error. */
UTF8_INLINE uint8_t *
write_word(RepairWord repair, const uint8_t *bytes, int error_length,
		   uint8_t *out)
{
	static const uint8_t replacement[REPLACEMENT_LENGTH] = {0xEF, 0xBF, 0xBD};

	while ((repair.kept | repair.errors) != 0)
	{
		int			at = __builtin_ctzll(repair.kept | repair.errors);
		uint64_t	dropped = ~repair.kept >> at;
		int			length = dropped == 0 ?
			UTF8_WORD - at : __builtin_ctzll(dropped);

		if (length > 0)
		{
			memcpy(out, bytes + at, length);
			out += length;
			repair.kept &= repair.kept + ((uint64_t) 1 << at);
		}
		else
		{
			memcpy(out, replacement, error_length);
			out += error_length;
			repair.errors &= repair.errors - 1;
		}
	}
	return out;
}

CPU_CLONES void
cpu_utf8_write_repaired(const Utf8Units *units, bool skip, int64_t count,
						void *to)
{
	int64_t		from = first_start(units);
	int			error_length = skip ? 0 : REPLACEMENT_LENGTH;
	uint8_t    *out = to;
	uint8_t    *end = out + count;
	uint64_t	goes_on = 0;

	for (int64_t word = from / UTF8_WORD; out < end; word++)
	{
		const uint8_t *bytes = units->bytes + word * UTF8_WORD;
		RepairWord	repair = repair_word(units, from, last_end(units), word,
										 &goes_on);

		if (repair.kept == ~(uint64_t) 0)
		{
			memcpy(out, bytes, UTF8_WORD);
			out += UTF8_WORD;
		}
		else
			out = write_word(repair, bytes, error_length, out);
	}
}
