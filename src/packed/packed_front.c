/*
 * packed_front.c
 *	  Writing the front of a packed array.
 */
#include "loops/bitmap_moves.h"
#include "packed/packed_front.h"

static void
write_header(PackedArray *packed, uint8_t *header)
{
	memset(header, 0, PACKED_HEADER_BYTES);
	store_32(header + HEADER_MAGIC, PACKED_MAGIC);
	header[HEADER_KIND] = kind_codes[packed->kind];
	store_32(header + HEADER_TYPE, packed->element_type);
	store_32(header + HEADER_LOWER_BOUND, (uint32_t) packed->lower_bound);
	store_32(header + HEADER_COUNT, (uint32_t) packed->count);
	store_32(header + HEADER_NULLS, (uint32_t) packed->nulls);
	store_32(header + HEADER_LENGTH, (uint32_t) (packed->length / 8));
	packed->checksum = packed_checksum(0, header, HEADER_CHECKSUM);
	store_32(header + HEADER_CHECKSUM, packed->checksum);
}

/* Writes a group, and returns the present elements up to its end. */
static int64_t
write_group(const PackedArray *packed, int64_t group, int64_t before,
			const uint8_t *bitmap, uint8_t *part)
{
	PackedSpan	span = packed_group_span(packed, group);
	int64_t		elements = group_elements(packed, group);
	uint8_t    *bits = part + PART_HEAD;

	memset(part, 0, span.length);
	memcpy(bits, bitmap + group * (PACKED_GROUP / 8), (elements + 7) / 8);
	if (elements % 8 > 0)
		bits[elements / 8] &= (1 << elements % 8) - 1;
	store_32(part + PART_BEFORE, (uint32_t) before);
	store_32(part + PART_CHECKSUM, part_checksum(packed, group, part, span));
	return before + count_bits(bits, 0, elements);
}

static void
write_page(const PackedArray *packed, int64_t page, const PackedBlock *blocks,
		   uint8_t *part)
{
	PackedSpan	span = packed_page_span(packed, page);
	int			size = kind_size(packed->kind);
	uint8_t    *entry = part + PART_HEAD;

	memset(part, 0, span.length);
	store_32(part + PART_BEFORE, (uint32_t) (blocks->offset / 8));
	for (int i = 0; i < page_blocks(packed, page); i++, blocks++)
	{
		store_16(entry + ENTRY_LENGTH, (uint16_t) (blocks->length / 8));
		entry[ENTRY_SCHEME] = (uint8_t)
			(blocks->mapping * ENTRY_MAPPING + blocks->scheme);
		entry[ENTRY_BITS] = (uint8_t) blocks->bits;
		store_32(entry + ENTRY_CHECKSUM, blocks->checksum);
		store_sized(entry + ENTRY_LEAST, blocks->least, size);
		store_sized(entry + ENTRY_LEAST + size, blocks->greatest, size);
		entry += entry_bytes(packed);
	}
	store_32(part + PART_CHECKSUM, part_checksum(packed, page, part, span));
}

void
packed_write_front(PackedArray *packed, const uint8_t *bitmap,
				   PackedBlock *blocks, void *array)
{
	int64_t		offset = packed_front(packed);
	int64_t		present = packed_present(packed);
	int64_t		before = 0;

	for (int64_t i = 0; i < packed_blocks(present); i++)
	{
		blocks[i].offset = offset;
		offset += blocks[i].length;
	}
	packed->length = offset;
	write_header(packed, array);
	for (int64_t group = 0; group < packed_groups(packed); group++)
		before = write_group(packed, group, before, bitmap, (uint8_t *) array +
							 packed_group_span(packed, group).offset);
	for (int64_t page = 0; page < packed_pages(present); page++)
		write_page(packed, page, blocks + page * PACKED_PAGE,
				   (uint8_t *) array + packed_page_span(packed, page).offset);
}
