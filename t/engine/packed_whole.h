/*
 * packed_whole.h
 *	  Reads a packed array that is in memory as a whole, part by part.
 */
#ifndef GPUCOMPACT_TEST_PACKED_WHOLE_H
#define GPUCOMPACT_TEST_PACKED_WHOLE_H

#include "loops/bitmaps.h"
#include "packed/packed_front.h"

/* Reads a page of the directory. */
static inline PackedStatus
read_page(const PackedArray *packed, const uint8_t *array, int64_t page,
		  PackedBlock blocks[PACKED_PAGE])
{
	return packed_read_page(packed, page, array +
							packed_page_span(packed, page).offset, blocks);
}

/* Unpacks the present elements. */
static inline PackedStatus
unpack_whole(const PackedArray *packed, const uint8_t *array, void *elements)
{
	PackedBlock blocks[PACKED_PAGE];
	uint8_t    *out = elements;
	PackedStatus status = PACKED_OK;

	for (int64_t i = 0; status == PACKED_OK &&
		 i < packed_blocks(packed_present(packed)); i++)
	{
		const PackedBlock *block = &blocks[i % PACKED_PAGE];

		if (i % PACKED_PAGE == 0)
			status = read_page(packed, array, i / PACKED_PAGE, blocks);
		if (status == PACKED_OK)
			status = packed_unpack_block(packed, block, array + block->offset,
										 out);
		out += PACKED_BLOCK * kind_size(packed->kind);
	}
	return status;
}

/* The NULL bitmap, if there are NULLs. */
static inline PackedStatus
nulls_whole(const PackedArray *packed, const uint8_t *array, uint8_t *bitmap)
{
	int64_t		present = 0;

	for (int64_t i = 0; i < packed_groups(packed); i++)
	{
		int64_t		count = group_elements(packed, i);
		const uint8_t *bits;
		int64_t		before;
		PackedStatus status = packed_read_group(packed, i, array +
												packed_group_span(packed,
																  i).offset,
												&bits, &before);

		if (status != PACKED_OK)
			return status;
		if (before != present)
			return PACKED_BAD_NULLS;
		present += count_bits(bits, 0, count);
		memcpy(bitmap + i * (PACKED_GROUP / 8), bits, (count + 7) / 8);
	}
	return PACKED_OK;
}

#endif							/* GPUCOMPACT_TEST_PACKED_WHOLE_H */
