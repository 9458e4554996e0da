/*
 * packed_unpack.c
 *	  Unpacking blocks.
 */
#include "contract/cpu_clones.h"
#include "packed/packed_decimal.h"
#include "packed/packed_frame.h"
#include "packed/packed_words.h"

/* Integers of a run that are written at once. */
#define SHORT_RUN	16

/* What an exception adds to an integer, without the step. */
PACKED_INLINE uint64_t
exception_value(const PackedFrame *frame, int number)
{
	int			size = frame->exception_bytes;
	int			unused = 64 - 8 * size;
	uint64_t	value = load_sized(frame->values + number * size, size);

	return (uint64_t) ((int64_t) (value << unused) >> unused) << frame->bits;
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

/* Unpacks integers of the elements' width. */
static bool
unpack_plain(PackedCursor *cursor, const PackedBlock *block, int size,
			 void *elements)
{
	switch (size)
	{
		case 1:
			return unpack_integers_1(cursor, block, elements);
		case 2:
			return unpack_integers_2(cursor, block, elements);
		case 4:
			return unpack_integers_4(cursor, block, elements);
		default:
			return unpack_integers_8(cursor, block, elements);
	}
}

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
		copy_elements(elements + position * size, values + i * size, 1, size);
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
	if (block->mapping <= PACKED_ROTATED)
		unpacked = unpack_plain(&cursor, block, size, elements);
	else
		unpacked = unpack_decimals(&cursor, packed->kind, block, elements);
	if (!unpacked || cursor.left > 0)
		return PACKED_BAD_BLOCK;
	if (block->mapping == PACKED_ROTATED)
		rotate_back(elements, block->count, size);
	return PACKED_OK;
}
