/*
 * packed.h
 *	  The type gpu_packed, for its functions.
 */
#ifndef GPUCOMPACT_SQL_PACKED_H
#define GPUCOMPACT_SQL_PACKED_H

#include "array/array_reader.h"
#include "array/packed_reader.h"
#include "contract/operations/compact.h"

/* pack.c */
extern void check_packable(const ElementType *type);
extern Datum pack_elements(ArrayReader *reader);
extern Datum pack_array(Datum array);
extern Datum unpack_elements(ArrayReader *reader);

/* packed_type.c */
extern void packed_check_all(PackedReader *reader);

/* packed_directory.c */
extern bool packed_extreme(ArrayReader *reader, bool greatest,
						   ElementValue *value);
extern bool packed_skip_blocks(ArrayReader *reader,
							   const EnginePredicate *predicate);
extern void packed_renumber(const ArrayReader *reader, int32 *positions,
							int64 count);

#endif							/* GPUCOMPACT_SQL_PACKED_H */
