/*
 * cpu_utf8.h
 *	  What the parts of the CPU engine that deal with UTF-8 share.
 *
 * The bytes fall into units: a unit is a code point, or else a maximal subpart
 * of one, which is an error (Unicode 15, table 3-7 and section 3.9).  A byte
 * continues a unit if it is 80..BF, the nearest byte before it that is not has
 * enough continuation bytes to come, and the byte behind that one is in its
 * range.  Every other byte starts a unit, which is a code point if it is
 * complete.  So three bytes on either side decide what a byte is, and this can
 * be decided for all bytes at the same time.
 *
 * First cpu_utf8_units.c finds a bit for each byte that starts a unit, and for
 * each that starts an error.  Their number tells where the results of a piece
 * go; the operation then makes the results along those bits.
 */
#ifndef GPUCOMPACT_CPU_UTF8_H
#define GPUCOMPACT_CPU_UTF8_H

#include "cpu_engine.h"

/* A function that clones call has to be compiled with each of them. */
#define UTF8_INLINE			static inline __attribute__((always_inline))

/* U+FFFD replaces what is invalid. */
#define REPLACEMENT			0xFFFD

/* Bits in a word. */
#define UTF8_WORD			64

/*
 * The bytes that a piece decides about.  They begin three bytes before its own,
 * and end three bytes before its end, except for the last piece.
 */
typedef struct Utf8Units
{
	const uint8_t *bytes;		/* UTF8_CONTEXT more are on either side */
	int64_t		first;			/* of the whole array's bytes, from 0 on */
	int64_t		count;
	uint64_t   *starts;			/* bits, for the context behind them, too */
	uint64_t   *errors;
} Utf8Units;

/* What a piece makes, as far as the next piece has to know. */
typedef struct Utf8Outcome
{
	int64_t		results;
	int64_t		errors;
	int64_t		first_error;	/* of the whole array's elements, from 0 on */
} Utf8Outcome;

/* The bits of a word that are decided about. */
UTF8_INLINE uint64_t
utf8_decided(const Utf8Units *units, const uint64_t *bits, int64_t word)
{
	int64_t		left = units->count - word * UTF8_WORD;

	return left >= UTF8_WORD ? bits[word] :
		bits[word] & (((uint64_t) 1 << left) - 1);
}

/* The first bit that is set from "from" on; "count" if none before it is. */
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

/* How far is it from a byte to where the next unit starts?  At most four. */
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
