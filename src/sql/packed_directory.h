/*
 * packed_directory.h
 *	  What the directory of a packed array says, without its elements.
 */
#ifndef GPUCOMPACT_PACKED_DIRECTORY_H
#define GPUCOMPACT_PACKED_DIRECTORY_H

#include "array/array_reader.h"
#include "contract/operations/compact.h"

extern bool packed_extreme(ArrayReader *reader, bool greatest,
						   ElementValue *value);
extern bool packed_skip_blocks(ArrayReader *reader,
							   const EnginePredicate *predicate);
extern void packed_renumber(const ArrayReader *reader, int32 *positions,
							int64 count);

#endif							/* GPUCOMPACT_PACKED_DIRECTORY_H */
