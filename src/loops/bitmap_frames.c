/*
 * bitmap_frames.c
 *	  The bits in frames that slide over a bitmap.
 */
#include "contract/cpu_clones.h"
#include "loops/bitmap_frames.h"
#include "loops/spread_bits.h"

/* The eight bits from a bit on; there are none outside of the bitmap. */
static inline unsigned
eight_bits(const BitFrames *frames, int64_t at)
{
	const uint8_t *byte;
	unsigned	bits = 0;

	if (at >= 0 && at + 16 <= frames->nbits)
	{
		byte = frames->bitmap + at / 8;
		return (byte[0] | byte[1] << 8) >> at % 8 & 0xFF;
	}
	for (int i = 0; i < 8; i++)
	{
		if (at + i >= 0 && at + i < frames->nbits)
			bits |= (frames->bitmap[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	}
	return bits;
}

/* How many of eight bits up to each one are set, a byte for each. */
static inline uint64_t
ones_through(unsigned bits)
{
	return spread_bits((uint8_t) bits) * EACH_BYTE;
}

/*
 * Goes on to the next eight frames.  Returns by how many more set bits each one
 * has than the frame before them, plus 8, a byte for each.
 */
static inline uint64_t
next_eight(BitFrames *frames)
{
	uint64_t	changes = ones_through(eight_bits(frames, frames->enters)) +
		8 * EACH_BYTE - ones_through(eight_bits(frames, frames->leaves));

	frames->enters += 8;
	frames->leaves += 8;
	frames->ones += (int) (changes >> 56) - 8;
	return changes;
}

CPU_CLONES void
count_ones(BitFrames *frames, int32_t *ones, int64_t count)
{
	for (int64_t i = 0; i < count; i += 8)
	{
		int32_t		before = (int32_t) frames->ones - 8;
		uint64_t	eight = next_eight(frames);

		for (int j = 0; j < 8; j++)
			ones[i + j] = before + (uint8_t) (eight >> 8 * j);
	}
}
