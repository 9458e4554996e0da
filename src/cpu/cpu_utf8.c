/*
 * cpu_utf8.c
 *	  UTF-8, piece by piece: the results of each operation.
 */
#include <string.h>

#include "contract/operations/utf8.h"
#include "cpu/cpu_utf8.h"

/*
 * Waits for the preceding pieces, and passes on their outcome and this
 * piece's.  Returns the place of this piece's results, or NULL if there is no
 * room.
 */
void *
cpu_utf8_place(CpuJob *job, const CpuPiece *piece,
			   const Utf8Outcome *outcome)
{
	const EngineRequest *request = job->request;
	CpuChain   *chain = cpu_chain_wait(job, piece);
	int64_t		from = chain->count;

	if (chain->errors == 0)
		chain->first_error = outcome->first_error;
	chain->errors += outcome->errors;
	chain->count += outcome->results;
	cpu_chain_pass(job);
	if (from + outcome->results > request->room)
		return NULL;
	return (char *) request->outputs[0].memory + from * output_size(request, 0);
}

CPU_CLONES static int64_t
count_bits(const Utf8Units *units, const uint64_t *bits)
{
	int64_t		count = 0;

	for (int64_t word = 0; word * UTF8_WORD < units->count; word++)
		count += __builtin_popcountll(utf8_own_bits(units, bits, word));
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

	for (int64_t at = utf8_next_bit(units->errors, 0, units->count);
		 at < units->count;
		 at = utf8_next_bit(units->errors, at + 1, units->count))
	{
		out->byte_offset = (int32_t) (units->first + at);
		out->length = utf8_distance_to_start(units, at);
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
 * Decodes the code point at each byte of a word, as if one started there.  The
 * lead byte has its length.
 */
UTF8_INLINE void
decode_word(const uint8_t *bytes, int32_t *code_points)
{
	for (int i = 0; i < UTF8_WORD; i++)
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

	for (int64_t word = 0; word * UTF8_WORD < units->count; word++)
	{
		const uint8_t *bytes = units->bytes + word * UTF8_WORD;
		uint64_t	starts = utf8_own_bits(units, units->starts, word);
		uint64_t	errors = utf8_own_bits(units, units->errors, word);
		int32_t		code_points[UTF8_WORD];

		if (~starts == 0 && errors == 0 && bytes[UTF8_WORD - 1] < 0x80)
		{
			for (int i = 0; i < UTF8_WORD; i++)
				out[i] = bytes[i];
			out += UTF8_WORD;
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

/* How to count the results of some units, and how to write them. */
typedef struct Utf8Operation
{
	int64_t		(*count) (const Utf8Units *units, bool skip);
	void		(*write) (const Utf8Units *units, bool skip, int64_t count,
						  void *to);
} Utf8Operation;

static const Utf8Operation operations[ENGINE_OPERATIONS] = {
	[ENGINE_UTF8_DECODE] = {count_code_points, write_code_points},
	[ENGINE_UTF8_REPAIR] = {cpu_utf8_count_repaired, cpu_utf8_write_repaired},
	[ENGINE_UTF8_ERRORS] = {count_errors, write_errors},
	[ENGINE_UTF8_VALIDATE] = {NULL, NULL}
};

static void
utf8_piece(CpuJob *job, CpuPiece *piece)
{
	bool		skip = PARAMETERS(job->request, Utf8Parameters)->skip_errors;
	const Utf8Operation *operation = &operations[job->request->operation];
	Utf8Units	units = cpu_utf8_open_piece(job, piece);
	Utf8Outcome outcome = {
		.results = operation->count ? operation->count(&units, skip) : 0,
		.errors = count_errors(&units, skip)
	};
	void	   *to;

	outcome.first_error = units.first +
		utf8_next_bit(units.errors, 0, units.count);
	to = cpu_utf8_place(job, piece, &outcome);
	if (operation->write && to != NULL)
		operation->write(&units, skip, outcome.results, to);
}

/* Keeps the last bytes for the next piece. */
static void
utf8_pushed(CpuJob *job, CpuPiece *piece, int64_t count)
{
	int			kept = count < UTF8_BEFORE ? UTF8_BEFORE - (int) count : 0;
	int			taken = UTF8_BEFORE - kept;

	cpu_fills_copy_end(&piece->fills, taken);
	memcpy(piece->before, job->before, UTF8_BEFORE);
	memmove(job->before, job->before + taken, kept);
	memcpy(job->before + kept,
		   (const uint8_t *) piece->data[0] + count - taken, taken);
}

#define UTF8_BY_PIECES \
	CPU_BY_PIECES, \
	.piece = utf8_piece, \
	.piece_count = CPU_UTF8_PIECE, \
	.piece_front = CPU_UTF8_FRONT, \
	.piece_pushed = utf8_pushed

const CpuOperation cpu_utf8_decode = {UTF8_BY_PIECES};
const CpuOperation cpu_utf8_repair = {UTF8_BY_PIECES};
const CpuOperation cpu_utf8_errors = {UTF8_BY_PIECES};
const CpuOperation cpu_utf8_validate = {UTF8_BY_PIECES};
