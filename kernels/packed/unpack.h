/*
 * unpack.h
 *	  Unpacking the blocks of packed arrays.
 */
#ifndef GPUCOMPACT_UNPACK_H
#define GPUCOMPACT_UNPACK_H

#include "contract/blocks.h"
#include "kernels/common/operation.h"

/* Blocks of a piece, and where their elements go; all is on the device. */
typedef struct Unpacking
{
	const BlockPlace *places;
	int			nblocks;
	const char *bytes;			/* of the blocks, aligned to 8 */
	int64_t		length;			/* of these */
	void	   *out;			/* the piece's elements */
	ElementKind kind;			/* of these */
	int64_t		count;			/* of the piece */
	int		   *failed;			/* mapped: set if a block cannot be unpacked */
} Unpacking;

/*
 * Unpacks blocks to their elements' places.  The places and the bytes are not
 * trusted: whatever they say, only "bytes" are read, and only elements of the
 * piece are written.  *failed is set for a block whose bytes contradict each
 * other, or that the CPU might unpack to other elements.
 */
extern cudaError_t unpack_blocks(cudaStream_t stream,
								 const Unpacking *unpacking);

#endif							/* GPUCOMPACT_UNPACK_H */
