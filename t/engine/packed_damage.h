/*
 * packed_damage.h
 *	  How damaged packed arrays are read, and how their checksums become right.
 */
#ifndef GPUCOMPACT_TEST_PACKED_DAMAGE_H
#define GPUCOMPACT_TEST_PACKED_DAMAGE_H

#include <stdlib.h>

#include "packed_whole.h"

/* Larger arrays are left alone, as each of their bytes is damaged. */
#define MOST_DAMAGED	2049

/* Reads all of an array.  Returns the first error, if there is one. */
static inline PackedStatus
read_all(const uint8_t *array, int64_t length)
{
	PackedArray packed;
	PackedStatus status = packed_open(&packed, array, length);
	uint8_t    *elements;

	if (status != PACKED_OK)
		return status;
	elements = malloc(packed.count / 8 + 1);
	status = nulls_whole(&packed, array, elements);
	free(elements);
	if (status != PACKED_OK)
		return status;

	/* A false header may promise more than there is memory for. */
	if (packed_present(&packed) > 4 * MOST_DAMAGED)
		return PACKED_BAD_HEADER;
	elements = malloc(packed_present(&packed) * kind_size(packed.kind) + 1);
	status = unpack_whole(&packed, array, elements);
	free(elements);
	return status;
}

/* Makes the checksums of groups right. */
static inline void
mend_groups(const PackedArray *packed, uint8_t *array, int64_t length)
{
	for (int64_t group = 0; group < packed_groups(packed); group++)
	{
		PackedSpan	span = packed_group_span(packed, group);
		uint8_t    *part = array + span.offset;

		if (span.offset + span.length > length)
			return;
		store_32(part + PART_CHECKSUM,
				 part_checksum(packed, group, part, span));
	}
}

/* Makes the checksums of pages right, and of the blocks where they say. */
static inline void
mend_pages(const PackedArray *packed, uint8_t *array, int64_t length)
{
	for (int64_t page = 0; page < packed_pages(packed_present(packed)); page++)
	{
		PackedSpan	span = packed_page_span(packed, page);
		uint8_t    *part = array + span.offset;
		int64_t		offset;

		if (span.offset + span.length > length)
			return;
		offset = (int64_t) load_32(part + PART_BEFORE) * 8;
		for (int i = 0; i < page_blocks(packed, page); i++)
		{
			uint8_t    *entry = part + PART_HEAD + i * entry_bytes(packed);
			int			bytes = load_16(entry + ENTRY_LENGTH) * 8;

			if (offset + bytes > length)
				break;
			store_32(entry + ENTRY_CHECKSUM,
					 packed_checksum(0, array + offset, bytes));
			offset += bytes;
		}
		store_32(part + PART_CHECKSUM,
				 part_checksum(packed, page, part, span));
	}
}

/* Makes the checksums of all parts right, as far as there are parts. */
static inline void
mend(uint8_t *array, int64_t length)
{
	PackedArray packed;
	uint32_t	checksum = packed_checksum(0, array, HEADER_CHECKSUM);

	store_32(array + HEADER_CHECKSUM, checksum);
	if (packed_open(&packed, array, length) != PACKED_OK)
		return;
	mend_groups(&packed, array, length);
	mend_pages(&packed, array, length);
}

#endif							/* GPUCOMPACT_TEST_PACKED_DAMAGE_H */
