/*
 * packed_words.h
 *	  Integers of up to 32 bits, in words and out of them, as loops that gcc
 *	  makes vector code of.  For functions with CPU_CLONES.
 *
 * Source of the layout: Afroozeh and Boncz, "The FastLanes Compression
 * Layout", VLDB 2023.  It is theirs for lanes of 32 bits, without its order of
 * rows.
 */
#ifndef GPUCOMPACT_PACKED_WORDS_H
#define GPUCOMPACT_PACKED_WORDS_H

#include "packed/packed_format.h"

PACKED_INLINE uint32_t
bits_mask(int bits)
{
	return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

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

/* Row by row.  A word is written when its last bits are there. */
PACKED_INLINE void
pack_rows(const uint32_t *restrict in, int bits, int rows, int lanes,
		  uint8_t *restrict words)
{
	uint32_t	partial[32];

	memset(partial, 0, sizeof(partial));
	for (int row = 0; row < rows; row++, in += lanes)
	{
		int			shift = row * bits % 32;

		for (int lane = 0; lane < lanes; lane++)
			partial[lane] |= in[lane] << shift;
		if (shift + bits < 32 && row < rows - 1)
			continue;
		for (int lane = 0; lane < lanes; lane++)
			store_32(words + lane * 4, partial[lane]);
		words += lanes * 4;

		/* The bits that do not fit go to the next word. */
		if (shift + bits <= 32)
			memset(partial, 0, sizeof(partial));
		else
		{
			for (int lane = 0; lane < lanes; lane++)
				partial[lane] = in[lane] >> (32 - shift);
			if (row == rows - 1)
				memcpy(words, partial, lanes * 4);
		}
	}
}

/*
 * Packs integers that have no more than these bits.  Those behind the last
 * one, up to the end of its row, are zero.
 */
PACKED_INLINE void
pack_words(const uint32_t in[PACKED_BLOCK], int bits, int count,
		   uint8_t *restrict words)
{
	if (bits == 0)
		return;
	if (frame_lanes(count) == 8)
		pack_rows(in, bits, (count + 7) / 8, 8, words);
	else
		pack_rows(in, bits, (count + 31) / 32, 32, words);
}

#endif							/* GPUCOMPACT_PACKED_WORDS_H */
