/*
 * packed_checksum.c
 *	  The checksum of the parts of a packed array: 32 hashes side by side, of
 *	  each 32nd word, which are hashed together at the end.
 *
 * Side by side they are computed in vector registers, or by the threads of a
 * warp.  PostgreSQL computes the checksums of pages in a similar way.  Each
 * step maps the states of a lane one to one, so that lanes which differ once
 * never become the same again unless another of their words differs.
 */
#include "contract/cpu_clones.h"
#include "packed/packed_format.h"

#define LANES	32

#define MULTIPLIER_WORD		0x9E3779B1u
#define MULTIPLIER_LANE		0x85EBCA77u

PACKED_INLINE uint32_t
mix(uint32_t state)
{
	state *= MULTIPLIER_WORD;
	return state ^ state >> 15;
}

CPU_CLONES uint32_t
packed_checksum(uint32_t seed, const void *bytes, int64_t length)
{
	const uint8_t *at = bytes;
	int64_t		words = length / 4;
	uint32_t	states[LANES];

	for (int lane = 0; lane < LANES; lane++)
		states[lane] = mix(seed + (uint32_t) lane);
	for (; words >= LANES; words -= LANES, at += LANES * 4)
	{
		for (int lane = 0; lane < LANES; lane++)
			states[lane] = mix(states[lane] ^ load_32(at + lane * 4));
	}
	for (int lane = 0; lane < words; lane++)
		states[lane] = mix(states[lane] ^ load_32(at + lane * 4));

	for (int half = LANES / 2; half > 0; half /= 2)
	{
		for (int lane = 0; lane < half; lane++)
			states[lane] = mix(states[lane] * MULTIPLIER_LANE +
							   states[lane + half]);
	}
	return mix(states[0] ^ (uint32_t) length);
}
