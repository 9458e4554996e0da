/*
 * pack.h
 *	  PACK: the blocks of a packed array, of elements that are not NULL.
 *
 * The results are the bytes of the blocks, one behind the other.  The summary
 * has the PackedBlock of each block, without its offset (packed/packed.h).
 */
#ifndef GPUCOMPACT_OPERATIONS_PACK_H
#define GPUCOMPACT_OPERATIONS_PACK_H

#include "contract/engine.h"

#endif							/* GPUCOMPACT_OPERATIONS_PACK_H */
