/*
 * packed_front.h
 *	  What is where in the front of a packed array.
 *
 *		header | groups of the NULL bitmap | pages of the directory
 *
 * Groups and pages are parts, which have the same head.  A part's checksum
 * begins with that of the header and with the part's number, so that no part
 * of another array, and no other part of this one, is taken for it.
 */
#ifndef GPUCOMPACT_PACKED_FRONT_H
#define GPUCOMPACT_PACKED_FRONT_H

#include "packed/packed_format.h"

/* "GPK" and the version. */
#define PACKED_MAGIC		0x014B5047u

#define HEADER_MAGIC		0
#define HEADER_KIND			4
#define HEADER_ZEROS		5	/* 3 bytes */
#define HEADER_TYPE			8
#define HEADER_LOWER_BOUND	12
#define HEADER_COUNT		16
#define HEADER_NULLS		20
#define HEADER_LENGTH		24	/* in units of 8 bytes */
#define HEADER_CHECKSUM		28	/* of what is in front of it */

/* The checksum of the bytes behind it. */
#define PART_CHECKSUM		0

/* Of a group, present elements in front; of a page, units of 8 bytes. */
#define PART_BEFORE			4
#define PART_HEAD			8

#define ENTRY_LENGTH		0	/* in units of 8 bytes */
#define ENTRY_SCHEME		2	/* and 16 times the mapping */
#define ENTRY_BITS			3
#define ENTRY_CHECKSUM		4
#define ENTRY_LEAST			8	/* and then the maximum */

#define ENTRY_MAPPING		16

/* Kinds as they are written: 0 unsigned, 1 signed, 2 float, and the bytes. */
static const uint8_t kind_codes[ELEMENT_KINDS] = {
	[KIND_UINT1] = 0x01,
	[KIND_INT2] = 0x12,
	[KIND_INT4] = 0x14,
	[KIND_UINT4] = 0x04,
	[KIND_INT8] = 0x18,
	[KIND_FLOAT4] = 0x24,
	[KIND_FLOAT8] = 0x28
};

/* Bytes of an entry of the directory. */
static inline int
entry_bytes(const PackedArray *packed)
{
	return ENTRY_LEAST + 2 * kind_size(packed->kind);
}

/* Elements of a group. */
static inline int64_t
group_elements(const PackedArray *packed, int64_t group)
{
	int64_t		left = packed->count - group * PACKED_GROUP;

	return left < PACKED_GROUP ? left : PACKED_GROUP;
}

static inline int64_t
packed_groups(const PackedArray *packed)
{
	return packed->nulls == 0 ? 0 :
		(packed->count + PACKED_GROUP - 1) / PACKED_GROUP;
}

/* Blocks of a page. */
static inline int
page_blocks(const PackedArray *packed, int64_t page)
{
	int64_t		left = packed_blocks(packed_present(packed)) -
		page * PACKED_PAGE;

	return left < PACKED_PAGE ? (int) left : PACKED_PAGE;
}

static inline uint32_t
part_checksum(const PackedArray *packed, int64_t number, const uint8_t *part,
			  PackedSpan span)
{
	return packed_checksum(packed->checksum + (uint32_t) number,
						   part + PART_BEFORE, span.length - PART_BEFORE);
}

#endif							/* GPUCOMPACT_PACKED_FRONT_H */
