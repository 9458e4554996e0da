/*
 * blocks.h
 *	  Blocks of packed elements on their way to an engine that unpacks them.
 *
 * src/packed/README.md has the format of a block.
 */
#ifndef GPUCOMPACT_BLOCKS_H
#define GPUCOMPACT_BLOCKS_H

#include <stdint.h>

#define PACKED_BLOCK		1024	/* elements of a block */

/*
 * Where a block's bytes are, what the directory of its array says of it, and
 * which elements of a piece it has.
 */
typedef struct BlockPlace
{
	uint32_t	before;			/* bytes in front of its own, divided by 8 */
	uint32_t	first;			/* elements of the piece in front of its own */
	uint16_t	length;			/* bytes, divided by 8 */
	uint16_t	count;			/* elements in the block */
	uint16_t	skipped;		/* the first ones, which are left out */
	uint16_t	wanted;			/* those that follow, and are taken */
	uint8_t		scheme;
	uint8_t		mapping;
	uint8_t		bits;
	uint8_t		unused;
} BlockPlace;

#endif							/* GPUCOMPACT_BLOCKS_H */
