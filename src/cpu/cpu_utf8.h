/*
 * cpu_utf8.h
 *	  What the UTF-8 operations of the CPU engine share.
 *
 * The bytes are divided into units.  A unit is a well-formed code point or an
 * error, which is a maximal subpart or a single byte (Unicode 15, table 3-7
 * and section 3.9).  A continuation byte continues a unit if the nearest lead
 * byte before it needs a byte there, and the second byte is in the range of the
 * lead byte.  Every other byte starts a unit, which is a code point if it is
 * complete.  So what a byte is depends on three bytes on either side, and all
 * bytes can be classified at the same time.
 *
 * cpu_utf8_units.c first sets a bit for each byte that starts a unit, and
 * another for each byte that starts an error.  The number of results, and so
 * the place of a piece's results, follows from these bits.  Then the operation
 * writes its results.
 */
#ifndef GPUCOMPACT_CPU_UTF8_H
#define GPUCOMPACT_CPU_UTF8_H

#include "cpu/cpu_engine.h"

/* CPU_CLONES compiles a function several times, with all that it inlines. */
#define UTF8_INLINE			static inline __attribute__((always_inline))

/* U+FFFD replaces an error. */
#define REPLACEMENT			0xFFFD
#define REPLACEMENT_LENGTH	3	/* bytes */

/* Bits in a word, one for each byte. */
#define UTF8_WORD			64

/*
 * The bytes that a piece classifies.  They begin UTF8_CONTEXT bytes before the
 * piece, and end UTF8_CONTEXT bytes before its end, except in the last piece.
 */
typedef struct Utf8Units
{
	const uint8_t *bytes;		/* with UTF8_CONTEXT more on either side */
	int64_t		first;			/* offset in the array */
	int64_t		count;
	uint64_t   *starts;			/* bits, also for the context after them */
	uint64_t   *errors;
} Utf8Units;

/* What the next piece has to know about a piece. */
typedef struct Utf8Outcome
{
	int64_t		results;
	int64_t		errors;
	int64_t		first_error;	/* offset in the array */
} Utf8Outcome;

/* Returns a word of bits, without the bits of the context. */
UTF8_INLINE uint64_t
utf8_own_bits(const Utf8Units *units, const uint64_t *bits, int64_t word)
{
	int64_t		left = units->count - word * UTF8_WORD;

	return left >= UTF8_WORD ? bits[word] :
		bits[word] & (((uint64_t) 1 << left) - 1);
}

/* The index of the first bit that is set from "from" on, or "count". */
static inline int64_t
utf8_next_bit(const uint64_t *bits, int64_t from, int64_t count)
{
	while (from < count)
	{
		uint64_t	rest = bits[from / UTF8_WORD] >> (from % UTF8_WORD);

		if (rest != 0)
		{
			from += __builtin_ctzll(rest);
			return from < count ? from : count;
		}
		from = (from / UTF8_WORD + 1) * UTF8_WORD;
	}
	return count;
}

/* The distance from a byte to the start of the next unit: at most four. */
static inline int
utf8_distance_to_start(const Utf8Units *units, int64_t from)
{
	int64_t		word = (from + 1) / UTF8_WORD;
	int			shift = (from + 1) % UTF8_WORD;
	uint64_t	bits = units->starts[word] >> shift;

	if (shift > UTF8_WORD - UTF8_CONTEXT)
		bits |= units->starts[word + 1] << (UTF8_WORD - shift);
	return 1 + __builtin_ctzll(bits | 1 << UTF8_CONTEXT);
}

/* cpu_utf8.c */
extern void *cpu_utf8_place(CpuJob *job, const CpuPiece *piece,
							const Utf8Outcome *outcome);

/* cpu_utf8_units.c */
extern Utf8Units cpu_utf8_open_piece(const CpuJob *job, const CpuPiece *piece);

/* cpu_utf8_repair.c */
extern int64_t cpu_utf8_count_repaired(const Utf8Units *units, bool skip);
extern void cpu_utf8_write_repaired(const Utf8Units *units, bool skip,
									int64_t count, void *to);

#endif							/* GPUCOMPACT_CPU_UTF8_H */
