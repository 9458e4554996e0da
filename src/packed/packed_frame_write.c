/*
 * packed_frame_write.c
 *	  Writing frames, which packed_frame.c reads.
 */
#include "contract/cpu_clones.h"
#include "packed/packed_frame.h"
#include "packed/packed_words.h"

/* Exceptions of a frame. */
typedef struct Exceptions
{
	int			count;
	int			size;			/* bytes of each */
	uint8_t		quarters[FRAME_QUARTERS];
	uint8_t		positions[PACKED_BLOCK];
	int64_t		values[PACKED_BLOCK];
} Exceptions;

/*
 * Packs the lower bits of the distances from the base.  Returns all higher
 * bits that are set in any distance.
 */
CPU_CLONES static uint64_t
write_words(const FramePlan *plan, const int64_t *restrict integers,
			int count, uint8_t *bytes)
{
	uint32_t	low[PACKED_BLOCK];
	uint64_t	base = (uint64_t) plan->base;
	int			bits = plan->bits;
	uint32_t	mask = bits_mask(bits);
	uint64_t	all = 0;

	memset(low + count, 0, (PACKED_BLOCK - count) * sizeof(uint32_t));
	for (int i = 0; i < count; i++)
	{
		uint64_t	distance = (uint64_t) integers[i] - base;

		low[i] = (uint32_t) distance & mask;
		all |= distance;
	}
	pack_words(low, bits < 32 ? bits : 32, count, bytes);
	if (bits > 32)
	{
		bytes += words_bytes(count, 32);
		mask = bits_mask(bits - 32);
		for (int i = 0; i < count; i++)
			low[i] = (uint32_t) (((uint64_t) integers[i] - base) >> 32) & mask;
		pack_words(low, bits - 32, count, bytes);
	}
	return bits == 64 ? 0 : all >> bits;
}

/* There are exceptions, so that there are fewer than 64 bits. */
static void
find_exceptions(const FramePlan *plan, const int64_t *integers, int count,
				Exceptions *found)
{
	memset(found->quarters, 0, sizeof(found->quarters));
	found->count = 0;
	found->size = 1;
	for (int i = 0; i < count; i++)
	{
		uint64_t	distance = (uint64_t) integers[i] - (uint64_t) plan->base;
		int64_t		value = (int64_t) distance >> plan->bits;

		if (value == 0)
			continue;
		if (bytes_of(value) > found->size)
			found->size = bytes_of(value);
		found->quarters[i / FRAME_QUARTER]++;
		found->positions[found->count] = (uint8_t) (i % FRAME_QUARTER);
		found->values[found->count++] = value;
	}
}

/* Returns the number of bytes. */
static int64_t
write_exceptions(const Exceptions *exceptions, uint8_t *bytes)
{
	int			count = exceptions->count;
	int			size = exceptions->size;
	int64_t		length = PACKED_ALIGN(count * (size + 1));

	memset(bytes, 0, length);
	for (int i = 0; i < count; i++)
		store_sized(bytes + i * size, (uint64_t) exceptions->values[i], size);
	memcpy(bytes + count * size, exceptions->positions, count);
	return length;
}

int64_t
write_frame(const FramePlan *plan, const int64_t *integers, int count,
			uint64_t origin, uint64_t step, uint8_t *bytes)
{
	uint8_t    *at = bytes + FRAME_HEAD;
	Exceptions	exceptions;

	memset(bytes, 0, FRAME_HEAD);
	bytes[4] = (uint8_t) plan->bits;
	store_64(bytes + 8, origin + step * (uint64_t) plan->base);
	if (step != 1)
	{
		bytes[6] = FRAME_HAS_STEP;
		store_64(at, step);
		at += 8;
	}
	if (write_words(plan, integers, count, at) != 0)
	{
		find_exceptions(plan, integers, count, &exceptions);
		memcpy(bytes, exceptions.quarters, FRAME_QUARTERS);
		bytes[5] = (uint8_t) exceptions.size;
		at += frame_words_bytes(count, plan->bits);
		at += write_exceptions(&exceptions, at);
	}
	else
		at += frame_words_bytes(count, plan->bits);
	return at - bytes;
}
