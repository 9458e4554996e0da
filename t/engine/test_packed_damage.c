/*
 * test_packed_damage.c
 *	  Damaged packed arrays are errors, whatever byte is wrong; and if their
 *	  checksums are right all the same, nothing but their memory is read.
 *
 * All memory has the exact size, so that a sanitizer detects accesses past its
 * end.
 */
#include "packed/packed_front.h"
#include "packed_series.h"

/* Larger arrays are left alone, as each of their bytes is damaged. */
#define MOST_DAMAGED	2049

/* Damages with right checksums, for each array. */
#define FORGERIES		60

/* Reads the NULL bitmap. */
static PackedStatus
read_nulls(const PackedArray *packed, const uint8_t *array)
{
	uint8_t    *bitmap = malloc((packed->count + 7) / 8);
	int64_t		before;
	int64_t		present;
	PackedStatus status = packed_nulls(packed, array, 0, packed->count, bitmap,
									   &before, &present);

	if (status == PACKED_OK && (before != 0 ||
								present != packed_present(packed)))
		abort();
	free(bitmap);
	return status;
}

/* Reads all of an array.  Returns the first error, if there is one. */
static PackedStatus
read_all(const uint8_t *array, int64_t length)
{
	PackedArray packed;
	PackedStatus status = packed_open(&packed, array, length);
	uint8_t    *elements;

	if (status != PACKED_OK)
		return status;
	status = read_nulls(&packed, array);
	if (status != PACKED_OK)
		return status;

	/* A false header may promise more than there is memory for. */
	if (packed_present(&packed) > 4 * MOST_DAMAGED)
		return PACKED_BAD_HEADER;
	elements = malloc(packed_present(&packed) * kind_size(packed.kind) + 1);
	status = packed_unpack(&packed, array, 0, packed_present(&packed),
						   elements);
	free(elements);
	return status;
}

/* Makes the checksums of groups right. */
static void
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
static void
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

/* Makes all checksums right, as far as there are parts that have any. */
static void
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

/* Every byte, and every length but the right one. */
static bool
detects_damage(uint8_t *array, int64_t length)
{
	for (int64_t i = 0; i < length; i++)
	{
		uint8_t		damage = (uint8_t) (1 + random_bits() % 255);
		bool		detected;

		array[i] ^= damage;
		detected = read_all(array, length) != PACKED_OK;
		array[i] ^= damage;
		if (!detected)
			return false;
	}
	for (int i = 0; i < FORGERIES; i++)
	{
		int64_t		some = (int64_t) (random_bits() % length);
		uint8_t    *part = memcpy(malloc(some + 1), array, some);
		bool		detected;

		part = realloc(part, some > 0 ? some : 1);
		detected = read_all(part, some) != PACKED_OK;
		free(part);
		if (!detected)
			return false;
	}
	return true;
}

/*
 * Bytes that nobody has packed: some are random, or special; checksums are
 * right.  Whatever is read of them, it is read to the end.
 */
static void
read_forgery(const uint8_t *array, int64_t length)
{
	uint8_t    *forged = memcpy(malloc(length), array, length);

	forge_bytes(forged, length, 1 + (int) (random_bits() % 4));
	mend(forged, length);
	(void) read_all(forged, length);
	free(forged);
}

static void
test_packed_damage(int64_t count, int data)
{
	uint8_t    *elements;
	uint8_t    *bitmap;

	if (options.engine != &cpu_engine || count > MOST_DAMAGED)
		return;
	elements = malloc(count * sizeof(int64_t));
	bitmap = malloc(count / 8 + 1);
	for (int i = 0; i < ELEMENT_KINDS * SERIES; i++)
	{
		PackedArray packed = {
			.kind = (ElementKind) (i / SERIES), .count = count
		};
		Series		series = (Series) (i % SERIES);
		uint8_t    *array;

		/* Some of them, as each is read many times. */
		if (count > 64 && random_bits() % 16 > 0)
			continue;
		memset(bitmap, 0xFF, count / 8 + 1);
		if (random_bits() % 2 == 0)
		{
			bitmap[0] ^= 1;
			packed.nulls = 1;
		}
		make_series(packed.kind, series, data, elements,
					packed_present(&packed));
		array = pack_all(&packed, elements, bitmap);
		expect_packed(read_all(array, packed.length) == PACKED_OK, &packed,
					  series, "undamaged", data);
		expect_packed(detects_damage(array, packed.length), &packed, series,
					  "damage is an error", data);
		for (int j = 0; j < FORGERIES; j++)
			read_forgery(array, packed.length);
		free(array);
	}
	free(elements);
	free(bitmap);
}

TEST_FAMILY(packed_damage)
