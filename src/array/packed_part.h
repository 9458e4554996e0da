/*
 * packed_part.h
 *	  Blocks of a packed array that are unpacked together, in any thread.
 */
#ifndef GPUCOMPACT_PACKED_PART_H
#define GPUCOMPACT_PACKED_PART_H

#include "array/packed_reader.h"

/*
 * Blocks that are unpacked together, all of one page of the directory: those
 * that have a range of values.
 */
typedef struct PackedPart
{
	SpanBatch	batch;			/* their bytes */
	PackedReader *reader;
	int			skipped;		/* values of the first one, not wanted */
	int64		count;			/* values that are */
	ElementSpread spread;		/* of the values, if it has a bitmap */
	int			nblocks;
	PackedBlock blocks[PACKED_PAGE];
} PackedPart;

extern void packed_part_put(SpanBatch *batch, char *dest, BlockPlace *places);
extern bool packed_part_unpack(SpanBatch *batch, char *dest);

#endif							/* GPUCOMPACT_PACKED_PART_H */
