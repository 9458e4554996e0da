/*
 * packed_versions.h
 *	  The codec of packed arrays for one processor, in addition to the one that
 *	  is linked: a file includes this after it has defined
 *
 *		VERSION_NAME			the name of its PackedVersion
 *		VERSION_TARGET			what CPU_CLONES is to be
 *
 * Without these it declares the versions.
 */
#ifndef GPUCOMPACT_TEST_PACKED_VERSIONS_H
#define GPUCOMPACT_TEST_PACKED_VERSIONS_H

#include <math.h>
#include <string.h>

#include "contract/order.h"
#include "loops/bitmap_moves.h"

#ifdef VERSION_NAME

/* In the place of contract/cpu_clones.h. */
#define GPUCOMPACT_CPU_CLONES_H
#undef CPU_CLONES
#define CPU_CLONES	VERSION_TARGET

/* All functions are this file's own. */
#pragma GCC diagnostic ignored "-Wunused-function"
#define extern static
#include "packed/packed_checksum.c"
#include "packed/packed_decimal.c"
#include "packed/packed_frame.c"
#include "packed/packed_frame_plan.c"
#include "packed/packed_frame_write.c"
#include "packed/packed_front.c"
#include "packed/packed_integers.c"
#include "packed/packed_nulls.c"
#include "packed/packed_open.c"
#include "packed/packed_pack.c"
#include "packed/packed_unpack.c"
#undef extern

#endif

#include "packed/packed.h"

typedef struct PackedVersion
{
	int64_t		(*pack) (ElementKind kind, const void *elements,
						 int64_t count, void *bytes, PackedBlock *blocks);
	void		(*write_front) (PackedArray *packed, const uint8_t *bitmap,
								PackedBlock *blocks, void *array);
	PackedStatus (*unpack) (const PackedArray *packed, const void *array,
							int64_t first, int64_t count, void *elements);
} PackedVersion;

extern const PackedVersion packed_plain;
extern const PackedVersion packed_avx2;

#ifdef VERSION_NAME
const PackedVersion VERSION_NAME = {
	packed_pack, packed_write_front, packed_unpack
};
#endif

#endif							/* GPUCOMPACT_TEST_PACKED_VERSIONS_H */
