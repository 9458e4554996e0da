/*
 * cpu_utf8.c
 *	  What the bytes of UTF-8 mean: code points, and errors.
 *
 * The bytes fall into units: a unit is a code point or else a maximal subpart
 * of one, which is an error (Unicode 15, table 3-7 and section 3.9).  A byte
 * goes on with a unit if it is 80..BF, the nearest byte before it that is not
 * has enough bytes to come, and what follows that one is in its range; else it
 * starts a unit, which is a code point if it is complete.  So three bytes on
 * either side decide everything, for all bytes at the same time.
 *
 * First, in loops that the compiler vectorises, a bit is found for each byte
 * that starts a unit, and for each that starts an error.  How many there are
 * says where the piece's results go, and they are then made along those bits.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cpu_utf8.h"

/* Bits in a word. */
#define WORD				64

/* Bytes that are looked at together: a multiple of a word. */
#define BLOCK				1024

/* Bytes behind a piece that are read, but do not matter. */
#define BEHIND				(2 * WORD)

/* Words of bits for a piece. */
#define PIECE_WORDS			(CPU_UTF8_PIECE / WORD + 2)

#if CPU_UTF8_FRONT + CPU_UTF8_PIECE + BEHIND + 16 * PIECE_WORDS > \
	CPU_PIECE * 9
#error "a piece of UTF-8 does not fit into its buffer"
#endif

/*
 * The bytes that a piece decides about.  They begin three bytes before its
 * own, and but for the last piece, end three bytes before its end.
 */
typedef struct Utf8Units
{
	const uint8_t *bytes;		/* UTF8_CONTEXT more are on either side */
	int64_t		first;			/* of the whole array's bytes, from 0 on */
	int64_t		count;
	uint64_t   *starts;			/* bits, for the context behind them, too */
	uint64_t   *errors;
} Utf8Units;

/* Keeps the bytes that the next piece needs. */
void
cpu_utf8_push(EngineJob *job, CpuPiece *piece)
{
	int			kept = piece->count < UTF8_BEFORE ?
		UTF8_BEFORE - (int) piece->count : 0;
	int			taken = UTF8_BEFORE - kept;

	memcpy(piece->before, job->before, UTF8_BEFORE);
	memmove(job->before, job->before + taken, kept);
	memcpy(job->before + kept,
		   (const uint8_t *) piece->data[0] + piece->count - taken, taken);
}

/*
 * Waits for the pieces before, and tells the one behind what comes out of this
 * one.  Returns where its results go, or NULL if there is no room for them.
 */
void *
cpu_utf8_place(EngineJob *job, const CpuPiece *piece,
			   const Utf8Outcome *outcome)
{
	const EngineRequest *request = &job->request;
	CpuChain   *chain = cpu_chain_wait(job, piece);
	int64_t		from = chain->count;

	if (chain->errors == 0)
		chain->first_error = outcome->first_error;
	chain->errors += outcome->errors;
	chain->count += outcome->results;
	cpu_chain_pass(job);
	if (from + outcome->results > request->room)
		return NULL;
	return (char *) request->result + from * result_size(request);
}

/* ------------------------------------------------------------ finding units */

/* All bits if the condition is true: of such bytes vectors can be made. */
#define MASK(condition)		((int8_t) -(condition))

/* Signed, as vectors of bytes are compared: 80..FF are less than 00. */
#define BYTE(value)			((int8_t) (value))

UTF8_INLINE uint64_t
pack_masks(const int8_t *masks)
{
	uint64_t	bits = 0;

#ifdef __SSE2__
	for (int i = 0; i < WORD; i += 16)
	{
		__m128i		vector = _mm_loadu_si128((const __m128i *) (masks + i));

		bits |= (uint64_t) (uint16_t) _mm_movemask_epi8(vector) << i;
	}
#else
	for (int i = 0; i < WORD; i++)
		bits |= (uint64_t) (masks[i] & 1) << i;
#endif
	return bits;
}

/*
 * Finds the units of a block, of which "count" is a multiple of a word.  Where
 * all it wants are more bytes, a byte has what it wants.
 */
UTF8_INLINE void
find_in_block(const int8_t *b, int count, bool zero_is_error,
			  uint64_t *starts, uint64_t *errors)
{
	int8_t		zero_error = MASK(zero_is_error);
	int8_t		seconds[BLOCK + WORD];
	const int8_t *second = seconds + 2; /* those of the two bytes before */
	int8_t		start[BLOCK];
	int8_t		error[BLOCK];

	/* Is it the second byte of a unit?  C2..F4 have one. */
	for (int i = 0; i < count + WORD; i++)
	{
		int8_t		lead = b[i - 3];
		int8_t		byte = b[i - 2];
		int8_t		wrong = (MASK(lead == BYTE(0xE0)) & MASK(byte < BYTE(0xA0))) |
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

	for (int i = 0; i < count; i += WORD)
	{
		starts[i / WORD] = pack_masks(start + i);
		errors[i / WORD] = pack_masks(error + i);
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

	for (int64_t at = 0; at < count; at += BLOCK)
	{
		const int8_t *block = (const int8_t *) units->bytes + at;
		int64_t		words = (count - at + WORD - 1) / WORD;
		int			n = words < BLOCK / WORD ? (int) words * WORD : BLOCK;
		uint64_t   *starts = units->starts + at / WORD;
		uint64_t   *errors = units->errors + at / WORD;

		if (is_ascii(block, n, zero_is_error))
		{
			memset(starts, 0xFF, n / 8);
			memset(errors, 0, n / 8);
		}
		else
			find_in_block(block, n, zero_is_error, starts, errors);
	}
}

/* ------------------------------------------------------------- along units */

/* Of a word's bits, those that are decided about. */
UTF8_INLINE uint64_t
decided(const Utf8Units *units, const uint64_t *bits, int64_t word)
{
	int64_t		left = units->count - word * WORD;

	return left >= WORD ? bits[word] :
		bits[word] & (((uint64_t) 1 << left) - 1);
}

/* The first bit that is set from "from" on; "count" if none before it is. */
static inline int64_t
next_bit(const uint64_t *bits, int64_t from, int64_t count)
{
	while (from < count)
	{
		uint64_t	rest = bits[from / WORD] >> (from % WORD);

		if (rest != 0)
		{
			from += __builtin_ctzll(rest);
			return from < count ? from : count;
		}
		from = (from / WORD + 1) * WORD;
	}
	return count;
}

/* How far is it from a byte to where the next unit starts?  At most four. */
static inline int
distance_to_start(const Utf8Units *units, int64_t from)
{
	int64_t		word = (from + 1) / WORD;
	int			shift = (from + 1) % WORD;
	uint64_t	bits = units->starts[word] >> shift;

	if (shift > WORD - UTF8_CONTEXT)
		bits |= units->starts[word + 1] << (WORD - shift);
	return 1 + __builtin_ctzll(bits | 1 << UTF8_CONTEXT);
}

CPU_CLONES static int64_t
count_bits(const Utf8Units *units, const uint64_t *bits)
{
	int64_t		count = 0;

	for (int64_t word = 0; word * WORD < units->count; word++)
		count += __builtin_popcountll(decided(units, bits, word));
	return count;
}

static int64_t
count_errors(const Utf8Units *units, bool skip)
{
	return count_bits(units, units->errors);
}

static void
write_errors(const Utf8Units *units, bool skip, int64_t count, void *to)
{
	EngineUtf8Error *out = to;

	for (int64_t at = next_bit(units->errors, 0, units->count);
		 at < units->count; at = next_bit(units->errors, at + 1, units->count))
	{
		out->byte_offset = (int32_t) (units->first + at);
		out->length = distance_to_start(units, at);
		out++;
	}
}

static int64_t
count_code_points(const Utf8Units *units, bool skip)
{
	return count_bits(units, units->starts) -
		(skip ? count_bits(units, units->errors) : 0);
}

/*
 * For each byte of a word, the code point that begins there, if one does: with
 * as many of the bytes that follow as its first one tells.
 */
UTF8_INLINE void
decode_word(const uint8_t *bytes, int32_t *code_points)
{
	for (int i = 0; i < WORD; i++)
	{
		int32_t		lead = bytes[i];
		int32_t		second = bytes[i + 1] & 0x3F;
		int32_t		third = bytes[i + 2] & 0x3F;
		int32_t		fourth = bytes[i + 3] & 0x3F;
		int32_t		two = (lead & 0x1F) << 6 | second;
		int32_t		three = (lead & 0x0F) << 12 | second << 6 | third;
		int32_t		four = (lead & 0x07) << 18 | second << 12 | third << 6 |
			fourth;

		code_points[i] = lead < 0x80 ? lead : lead < 0xE0 ? two :
			lead < 0xF0 ? three : four;
	}
}

CPU_CLONES static void
write_code_points(const Utf8Units *units, bool skip, int64_t count, void *to)
{
	int32_t    *out = to;

	for (int64_t word = 0; word * WORD < units->count; word++)
	{
		const uint8_t *bytes = units->bytes + word * WORD;
		uint64_t	starts = decided(units, units->starts, word);
		uint64_t	errors = decided(units, units->errors, word);
		int32_t		code_points[WORD];

		if (~starts == 0 && errors == 0 && bytes[WORD - 1] < 0x80)
		{
			for (int i = 0; i < WORD; i++)
				out[i] = bytes[i];
			out += WORD;
			continue;
		}
		decode_word(bytes, code_points);
		if (skip)
			starts &= ~errors;
		else
		{
			for (; errors != 0; errors &= errors - 1)
				code_points[__builtin_ctzll(errors)] = REPLACEMENT;
		}
		for (; starts != 0; starts &= starts - 1)
			*out++ = code_points[__builtin_ctzll(starts)];
	}
}

/* A unit is repaired as a whole, by the piece in which it starts. */
static int64_t
first_start(const Utf8Units *units)
{
	return next_bit(units->starts, 0, units->count);
}

static int64_t
last_end(const Utf8Units *units)
{
	return units->count - 1 + distance_to_start(units, units->count - 1);
}

/*
 * What becomes of the bytes of a word, a bit each: they are kept, or an error
 * starts there.  A byte of neither kind is one that an error goes on with.
 */
typedef struct RepairWord
{
	uint64_t	kept;
	uint64_t	errors;
} RepairWord;

/* Where a repair is; all zeros at the start of a piece. */
typedef struct RepairState
{
	uint64_t	starts;			/* of errors, in the word before */
	uint64_t	seconds;		/* their second bytes there */
} RepairState;

/* The next word: an error has up to three bytes, and ends at the next start. */
UTF8_INLINE RepairWord
repair_word(const Utf8Units *units, int64_t from, int64_t to, int64_t word,
			RepairState *state)
{
	int64_t		first = word * WORD;
	uint64_t	ours = ~(uint64_t) 0;
	uint64_t	starts = units->starts[word];
	uint64_t	errors;
	uint64_t	seconds;
	uint64_t	thirds;

	if (first < from)
		ours <<= from - first;
	if (to - first < WORD)
		ours &= ((uint64_t) 1 << (to - first)) - 1;
	errors = units->errors[word] & ours;
	seconds = (errors << 1 | state->starts >> (WORD - 1)) & ~starts;
	thirds = (seconds << 1 | state->seconds >> (WORD - 1)) & ~starts;
	state->starts = errors;
	state->seconds = seconds;
	return (RepairWord) {ours & ~(errors | seconds | thirds), errors};
}

CPU_CLONES static int64_t
count_repaired(const Utf8Units *units, bool skip)
{
	int64_t		from = first_start(units);
	int64_t		to;
	int64_t		count = 0;
	RepairState state = {0};

	if (from == units->count)
		return 0;
	to = last_end(units);
	for (int64_t word = from / WORD; word * WORD < to; word++)
	{
		RepairWord	repair = repair_word(units, from, to, word, &state);

		count += __builtin_popcountll(repair.kept);
		if (!skip)
			count += 3 * __builtin_popcountll(repair.errors);
	}
	return count;
}

/* More errors than these in a word are not taken one by one. */
#define FEW_ERRORS			8

/* The most bytes that a word may write, in steps of four. */
#define REPAIR_ROOM			(4 * WORD)

/* U+FFFD, and then a byte that is written over. */
static const uint8_t replacement[4] = {0xEF, 0xBF, 0xBD};

/* Writes a word, byte by byte, with no branch, to where there is room. */
UTF8_INLINE uint8_t *
write_many_errors(RepairWord repair, const uint8_t *bytes, int error_length,
				  uint8_t *out)
{
	for (int i = 0; i < WORD; i++)
	{
		int			error = repair.errors >> i & 1;
		int			kept = repair.kept >> i & 1;
		uint8_t		unit[4] = {bytes[i]};

		memcpy(out, error ? replacement : unit, 4);
		out += kept + error * error_length;
	}
	return out;
}

/* Writes a word, a run of bytes and an error at a time. */
UTF8_INLINE uint8_t *
write_few_errors(RepairWord repair, const uint8_t *bytes, int error_length,
				 uint8_t *out)
{
	while ((repair.kept | repair.errors) != 0)
	{
		int			at = __builtin_ctzll(repair.kept | repair.errors);
		uint64_t	behind = ~repair.kept >> at;	/* the run's end */
		int			run = behind == 0 ? WORD - at : __builtin_ctzll(behind);

		if (run > 0)
		{
			memcpy(out, bytes + at, run);
			out += run;
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

CPU_CLONES static void
write_repaired(const Utf8Units *units, bool skip, int64_t count, void *to)
{
	int64_t		from = first_start(units);
	int			error_length = skip ? 0 : 3;
	uint8_t    *out = to;
	uint8_t    *end = out + count;
	RepairState state = {0};

	for (int64_t word = from / WORD; out < end; word++)
	{
		const uint8_t *bytes = units->bytes + word * WORD;
		RepairWord	repair = repair_word(units, from, last_end(units), word,
										 &state);

		if (repair.kept == ~(uint64_t) 0)
		{
			memcpy(out, bytes, WORD);
			out += WORD;
		}
		else if (end - out >= REPAIR_ROOM &&
				 __builtin_popcountll(repair.errors) > FEW_ERRORS)
			out = write_many_errors(repair, bytes, error_length, out);
		else
			out = write_few_errors(repair, bytes, error_length, out);
	}
}

/* ------------------------------------------------------------------ a piece */

/* What an operation makes of units: how many results, and the results. */
typedef struct Utf8Operation
{
	int64_t		(*count) (const Utf8Units *units, bool skip);
	void		(*write) (const Utf8Units *units, bool skip, int64_t count,
						  void *to);
} Utf8Operation;

static const Utf8Operation operations[ENGINE_OPERATIONS] = {
	[ENGINE_UTF8_DECODE] = {count_code_points, write_code_points},
	[ENGINE_UTF8_REPAIR] = {count_repaired, write_repaired},
	[ENGINE_UTF8_ERRORS] = {count_errors, write_errors},
	[ENGINE_UTF8_VALIDATE] = {NULL, NULL}
};

/*
 * Puts a piece behind what is left of those before it, and zeros behind it,
 * which behind the last piece are no part of a unit; and finds its units.
 */
static Utf8Units
open_piece(const EngineJob *job, const CpuPiece *piece)
{
	const EngineRequest *request = &job->request;
	uint8_t    *own = (uint8_t *) piece->buffer + CPU_UTF8_FRONT;
	uint64_t   *bits = (uint64_t *) (own + CPU_UTF8_PIECE + BEHIND);
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
	memset(own + piece->count, 0, BEHIND);
	if (piece->first + piece->count == request->count)
		units.count += UTF8_CONTEXT;

	find_units(&units, request->zero_is_error);
	if (units.first < 0)		/* there are no such bytes */
	{
		*units.starts &= ~(uint64_t) 0 << -units.first;
		*units.errors &= ~(uint64_t) 0 << -units.first;
	}
	return units;
}

static void
utf8_piece(void *argument, int number)
{
	EngineJob  *job = argument;
	CpuPiece   *piece = &job->pieces[number];
	bool		skip = job->request.skip_errors;
	const Utf8Operation *operation = &operations[job->request.operation];
	Utf8Units	units = open_piece(job, piece);
	Utf8Outcome outcome = {
		.results = operation->count ? operation->count(&units, skip) : 0,
		.errors = count_errors(&units, skip)
	};
	void	   *to;

	outcome.first_error = units.first + next_bit(units.errors, 0, units.count);
	to = cpu_utf8_place(job, piece, &outcome);
	if (operation->write && to != NULL)
		operation->write(&units, skip, outcome.results, to);
	cpu_piece_done(piece);
}

TeamWork
cpu_utf8_work(const EngineRequest *request)
{
	return request->operation == ENGINE_UTF8_ENCODE ?
		cpu_utf8_encode_piece : utf8_piece;
}
