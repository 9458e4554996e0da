/*
 * packed_unpack.c
 *	  Unpacking blocks.
 */
#include "contract/cpu_clones.h"
#include "packed/packed_decimal.h"
#include "packed/packed_frame.h"

/* Bytes that are still to be read. */
typedef struct PackedCursor
{
	const uint8_t *at;
	int64_t		left;
} PackedCursor;

/* A frame in bytes, which is within these bytes. */
typedef struct PackedFrame
{
	int			count;			/* integers */
	int			bits;
	uint64_t	base;
	uint64_t	step;
	const uint8_t *words;

	/* How many exceptions each quarter has, their bytes, and where they are. */
	int			exceptions[FRAME_QUARTERS];
	int			exception_bytes;
	const uint8_t *values;
	const uint8_t *positions;
} PackedFrame;

/* What a block's integers are made of, as its scheme says. */
typedef struct PackedParts
{
	const uint8_t *first;		/* the integers, or the first one */
	int			number;			/* of distinct values or of runs */
	PackedFrame values;			/* these */
	PackedFrame frame;			/* integers, differences, numbers, lengths */
} PackedParts;

/* Integers of a run that are written at once. */
#define SHORT_RUN	16

/* Row by row.  "out" has room for whole rows. */
PACKED_INLINE void
unpack_rows(const uint8_t *words, int bits, int rows, int lanes,
			uint32_t *restrict out)
{
	uint32_t	mask = bits_mask(bits);

	for (int row = 0; row < rows; row++, out += lanes)
	{
		int			shift = row * bits % 32;
		const uint8_t *low = words + row * bits / 32 * lanes * 4;
		const uint8_t *high = low + lanes * 4;

		if (shift + bits <= 32)
		{
			for (int lane = 0; lane < lanes; lane++)
				out[lane] = load_32(low + lane * 4) >> shift & mask;
		}
		else
		{
			for (int lane = 0; lane < lanes; lane++)
				out[lane] = (load_32(low + lane * 4) >> shift |
							 load_32(high + lane * 4) << (32 - shift)) & mask;
		}
	}
}

/* Unpacks integers of 0 to 32 bits; "out" has room for a block. */
PACKED_INLINE void
unpack_words(const uint8_t *words, int bits, int count,
			 uint32_t out[PACKED_BLOCK])
{
	if (bits == 0)
		memset(out, 0, count * sizeof(uint32_t));
	else if (frame_lanes(count) == 8)
		unpack_rows(words, bits, (count + 7) / 8, 8, out);
	else
		unpack_rows(words, bits, (count + 31) / 32, 32, out);
}

/* Takes the next bytes, or returns NULL if these are not all there. */
static inline const uint8_t *
take_bytes(PackedCursor *cursor, int64_t bytes)
{
	const uint8_t *taken = cursor->at;

	if (bytes > cursor->left)
		return NULL;
	cursor->at += bytes;
	cursor->left -= bytes;
	return taken;
}

/* What an exception adds to an integer, without the step. */
PACKED_INLINE uint64_t
exception_value(const PackedFrame *frame, int number)
{
	int			size = frame->exception_bytes;
	int			unused = 64 - 8 * size;
	uint64_t	value = load_sized(frame->values + number * size, size);

	return (uint64_t) ((int64_t) (value << unused) >> unused) << frame->bits;
}

PACKED_INLINE int
exception_position(const PackedFrame *frame, int quarter, int number)
{
	return quarter * FRAME_QUARTER + frame->positions[number];
}

/* Takes the exceptions, which are "total". */
static bool
take_exceptions(PackedCursor *cursor, PackedFrame *frame, int total)
{
	int			size = frame->exception_bytes;

	if (total == 0)
		return size == 0;
	if ((size != 1 && size != 2 && size != 4 && size != 8) ||
		frame->bits == 64)
		return false;
	frame->values = take_bytes(cursor, PACKED_ALIGN(total * (size + 1)));
	if (frame->values == NULL)
		return false;
	frame->positions = frame->values + total * size;

	for (int quarter = 0, next = 0; quarter < FRAME_QUARTERS; quarter++)
	{
		for (int i = 0; i < frame->exceptions[quarter]; i++, next++)
		{
			if (exception_position(frame, quarter, next) >= frame->count)
				return false;
		}
	}
	return true;
}

/*
 * Takes a frame of "count" integers of "width" bits, 1 to PACKED_BLOCK of
 * them.  Returns false if the bytes are none.
 */
static bool
take_frame(PackedCursor *cursor, int count, int width, PackedFrame *frame)
{
	const uint8_t *head = take_bytes(cursor, FRAME_HEAD);
	const uint8_t *step;
	int			total = 0;

	if (head == NULL)
		return false;
	for (int quarter = 0; quarter < FRAME_QUARTERS; quarter++)
		total += frame->exceptions[quarter] = head[quarter];
	frame->count = count;
	frame->bits = head[4];
	frame->exception_bytes = head[5];
	frame->base = load_64(head + 8);
	frame->step = 1;
	if (frame->bits > width || head[6] > FRAME_HAS_STEP || head[7] != 0)
		return false;
	if (head[6] == FRAME_HAS_STEP)
	{
		step = take_bytes(cursor, 8);
		if (step == NULL)
			return false;
		frame->step = load_64(step);
	}
	frame->words = take_bytes(cursor, frame_words_bytes(count, frame->bits));
	return frame->words != NULL && take_exceptions(cursor, frame, total);
}

/*
 * Takes the parts of a block of integers of "width" bits.  Returns false if the
 * bytes are none.
 */
static bool
take_parts(PackedCursor *cursor, const PackedBlock *block, int width,
		   PackedParts *parts)
{
	bool		runs = block->scheme == PACKED_RUNS;
	int			count = block->count;

	parts->first = take_bytes(cursor, block->scheme == PACKED_FRAME ? 0 :
							  block->scheme == PACKED_RAW ?
							  PACKED_ALIGN(count * width / 8) : 8);
	if (parts->first == NULL)
		return false;
	if (block->scheme <= PACKED_CONSTANT)
		return true;
	if (block->scheme <= PACKED_DELTA)
		return take_frame(cursor, count, width, &parts->frame) &&
			parts->frame.bits == block->bits;
	parts->number = load_16(parts->first);
	return parts->number > 0 && parts->number <= count &&
		load_64(parts->first) == (uint64_t) parts->number &&
		take_frame(cursor, parts->number, width, &parts->values) &&
		take_frame(cursor, runs ? parts->number : count, 32, &parts->frame) &&
		(runs || parts->frame.bits == block->bits);
}

/* First the width of numbers in blocks of any width. */
#define WIDTH_NAME(name)	name##_4
#define WIDTH_BITS			uint32_t
#include "packed/packed_unpack_template.h"

#define WIDTH_NAME(name)	name##_1
#define WIDTH_BITS			uint8_t
#include "packed/packed_unpack_template.h"

#define WIDTH_NAME(name)	name##_2
#define WIDTH_BITS			uint16_t
#include "packed/packed_unpack_template.h"

#define WIDTH_NAME(name)	name##_8
#define WIDTH_BITS			uint64_t
#include "packed/packed_unpack_template.h"

/* Moves the sign of floats from the last bit to the first. */
CPU_CLONES static void
rotate_back(void *elements, int count, int size)
{
	uint32_t   *float4s = elements;
	uint64_t   *float8s = elements;

	if (size == 4)
	{
		for (int i = 0; i < count; i++)
			float4s[i] = float4s[i] >> 1 | float4s[i] << 31;
	}
	else
	{
		for (int i = 0; i < count; i++)
			float8s[i] = float8s[i] >> 1 | float8s[i] << 63;
	}
}

/*
 * Unpacks integers, and makes floats of all but the exceptions, which follow
 * the head with their positions.
 */
static bool
unpack_decimals(PackedCursor *cursor, ElementKind kind,
				const PackedBlock *block, uint8_t *elements)
{
	uint64_t	integers[PACKED_BLOCK];
	int			size = kind_size(kind);
	const uint8_t *head = take_bytes(cursor, PACKED_DECIMAL_HEAD);
	const uint8_t *values;
	const uint8_t *positions;
	DecimalScale scale = {.mapping = block->mapping};
	uint64_t	number;
	int			exceptions;

	if (head == NULL)
		return false;
	number = load_64(head);
	memcpy(&scale.number, &number, sizeof(number));
	exceptions = load_16(head + 8);
	if (exceptions > block->count || load_16(head + 10) != 0 ||
		load_32(head + 12) != 0)
		return false;
	values = take_bytes(cursor, PACKED_ALIGN(exceptions * (size + 2)));
	if (values == NULL || !unpack_integers_8(cursor, block, integers))
		return false;
	floats_of_integers(kind, &scale, integers, block->count, elements);

	positions = values + exceptions * size;
	for (int i = 0; i < exceptions; i++)
	{
		int			position = load_16(positions + i * 2);

		if (position >= block->count)
			return false;
		memcpy(elements + position * size, values + i * size, size);
	}
	return true;
}

PackedStatus
packed_verify_block(const PackedBlock *block, const void *bytes)
{
	return packed_checksum(0, bytes, block->length) == block->checksum ?
		PACKED_OK : PACKED_BAD_BLOCK;
}

PackedStatus
packed_unpack_block(const PackedArray *packed, const PackedBlock *block,
					const void *bytes, void *elements)
{
	PackedCursor cursor = {bytes, block->length};
	int			size = kind_size(packed->kind);
	bool		unpacked;

	if (packed_verify_block(block, bytes) != PACKED_OK)
		return PACKED_BAD_BLOCK;
	if (block->mapping > PACKED_ROTATED)
		unpacked = unpack_decimals(&cursor, packed->kind, block, elements);
	else
		unpacked = size == 1 ? unpack_integers_1(&cursor, block, elements) :
			size == 2 ? unpack_integers_2(&cursor, block, elements) :
			size == 4 ? unpack_integers_4(&cursor, block, elements) :
			unpack_integers_8(&cursor, block, elements);
	if (!unpacked || cursor.left > 0)
		return PACKED_BAD_BLOCK;
	if (block->mapping == PACKED_ROTATED)
		rotate_back(elements, block->count, size);
	return PACKED_OK;
}
