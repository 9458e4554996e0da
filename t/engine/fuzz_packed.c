/*
 * fuzz_packed.c
 *	  Reads packed arrays that libFuzzer makes up.
 *
 *		make t/engine/fuzz_packed && t/engine/fuzz_packed -runs=10000000
 *		-max_len=2048
 *
 * The first bytes, the length and the checksums are put right, as no input
 * would get past them.  All memory has the exact size, so that the sanitizer
 * detects accesses past the end.  What can be read can be read in memory of a
 * block's size, and as it is when it is received.
 */
#include <stdio.h>
#include <string.h>

#include "packed_damage.h"

static void
require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "difference: %s\n", what);
	abort();
}

/* Reads each block by itself, and compares its minimum and maximum. */
static void
check_blocks(const PackedArray *packed, const uint8_t *array,
			 const uint8_t *elements)
{
	int			size = kind_size(packed->kind);

	for (int64_t page = 0; page < packed_pages(packed_present(packed)); page++)
	{
		PackedBlock blocks[PACKED_PAGE];

		require(read_page(packed, array, page, blocks) == PACKED_OK, "page");
		for (int i = 0; i < page_blocks(packed, page); i++)
		{
			uint8_t    *bytes = malloc(blocks[i].length);
			uint8_t    *block = malloc(blocks[i].count * size);

			memcpy(bytes, array + blocks[i].offset, blocks[i].length);
			require(packed_unpack_block(packed, &blocks[i], bytes,
										block) == PACKED_OK &&
					memcmp(block, elements, blocks[i].count * size) == 0,
					"block");
			(void) packed_check_block(packed, &blocks[i], bytes, block);
			elements += blocks[i].count * size;
			free(block);
			free(bytes);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t    *array;
	PackedArray packed;

	if (size < PACKED_HEADER_BYTES || size % 8 != 0)
		return 0;
	array = memcpy(malloc(size), data, size);
	store_32(array + HEADER_MAGIC, PACKED_MAGIC);
	store_32(array + HEADER_LENGTH, (uint32_t) (size / 8));
	mend(array, (int64_t) size);
	if (read_all(array, (int64_t) size) == PACKED_OK)
	{
		int64_t		present;
		uint8_t    *elements;

		(void) packed_open(&packed, array, (int64_t) size);
		present = packed_present(&packed);
		elements = malloc(present * kind_size(packed.kind) + 1);
		(void) unpack_whole(&packed, array, elements);
		check_blocks(&packed, array, elements);
		free(elements);
	}
	free(array);
	return 0;
}
