/*
 * packed_front.c
 *	  The front of a packed array: header, NULL bitmap and directory; and the
 *	  checksum of these parts and of blocks.
 */
#include "contract/cpu_clones.h"
#include "loops/bitmaps.h"
#include "packed/packed_front.h"

/*
 * The checksum: 32 hashes side by side, of each 32nd word, which are hashed
 * together at the end.
 *
 * Side by side they are computed in vector registers, or by the threads of a
 * warp.  PostgreSQL computes the checksums of pages in a similar way.  Each
 * step maps the states of a lane one to one, so that lanes which differ once
 * never become the same again unless another of their words differs.
 */
#define LANES	32

#define MULTIPLIER_WORD		0x9E3779B1u
#define MULTIPLIER_LANE		0x85EBCA77u

PACKED_INLINE uint32_t
mix(uint32_t state)
{
	state *= MULTIPLIER_WORD;
	return state ^ state >> 15;
}

CPU_CLONES uint32_t
packed_checksum(uint32_t seed, const void *bytes, int64_t length)
{
	const uint8_t *at = bytes;
	int64_t		words = length / 4;
	uint32_t	states[LANES];

	for (int lane = 0; lane < LANES; lane++)
		states[lane] = mix(seed + (uint32_t) lane);
	for (; words >= LANES; words -= LANES, at += LANES * 4)
	{
		for (int lane = 0; lane < LANES; lane++)
			states[lane] = mix(states[lane] ^ load_32(at + lane * 4));
	}
	for (int lane = 0; lane < words; lane++)
		states[lane] = mix(states[lane] ^ load_32(at + lane * 4));

	for (int half = LANES / 2; half > 0; half /= 2)
	{
		for (int lane = 0; lane < half; lane++)
			states[lane] = mix(states[lane] * MULTIPLIER_LANE +
							   states[lane + half]);
	}
	return mix(states[0] ^ (uint32_t) length);
}

const char *const packed_messages[] = {
	[PACKED_OK] = "no error",
	[PACKED_FOREIGN] = "value is no packed array",
	[PACKED_NEWER] = "packed array is of an unknown version",
	[PACKED_BAD_HEADER] = "header of packed array is damaged",
	[PACKED_BAD_NULLS] = "NULL bitmap of packed array is damaged",
	[PACKED_BAD_DIRECTORY] = "directory of packed array is damaged",
	[PACKED_BAD_BLOCK] = "block of packed array is damaged"
};

const char *const packed_scheme_names[PACKED_SCHEMES] = {
	[PACKED_RAW] = "raw",
	[PACKED_CONSTANT] = "constant",
	[PACKED_FRAME] = "frame",
	[PACKED_DELTA] = "delta",
	[PACKED_DICTIONARY] = "dictionary",
	[PACKED_RUNS] = "runs"
};

PackedStatus
packed_open(PackedArray *packed, const void *bytes, int64_t length)
{
	const uint8_t *header = bytes;
	int			kind = 0;

	/* The last byte is the version. */
	if (length < HEADER_KIND || (load_32(header) ^ PACKED_MAGIC) << 8 != 0)
		return PACKED_FOREIGN;
	if (load_32(header) != PACKED_MAGIC)
		return PACKED_NEWER;
	if (length < PACKED_HEADER_BYTES)
		return PACKED_BAD_HEADER;

	while (kind < ELEMENT_KINDS && kind_codes[kind] != header[HEADER_KIND])
		kind++;
	packed->kind = (ElementKind) kind;
	packed->element_type = load_32(header + HEADER_TYPE);
	packed->lower_bound = (int32_t) load_32(header + HEADER_LOWER_BOUND);
	packed->count = load_32(header + HEADER_COUNT);
	packed->nulls = load_32(header + HEADER_NULLS);
	packed->length = (int64_t) load_32(header + HEADER_LENGTH) * 8;
	packed->checksum = load_32(header + HEADER_CHECKSUM);
	if (packed_checksum(0, header, HEADER_CHECKSUM) != packed->checksum ||
		kind == ELEMENT_KINDS ||
		header[HEADER_ZEROS] != 0 || load_16(header + HEADER_ZEROS + 1) != 0 ||
		packed->count > PACKED_MOST || packed->nulls > packed->count ||
		packed->length != length || length < packed_front(packed) ||
		(packed_present(packed) == 0 && length > packed_front(packed)))
		return PACKED_BAD_HEADER;
	return PACKED_OK;
}

int64_t
packed_front(const PackedArray *packed)
{
	int64_t		pages = packed_pages(packed_present(packed));
	PackedSpan	last;

	if (pages == 0)
		return packed_page_span(packed, 0).offset;
	last = packed_page_span(packed, pages - 1);
	return last.offset + last.length;
}

PackedSpan
packed_group_span(const PackedArray *packed, int64_t group)
{
	return (PackedSpan) {
		PACKED_HEADER_BYTES + group * (PART_HEAD + PACKED_GROUP / 8),
		PART_HEAD + PACKED_ALIGN((group_elements(packed, group) + 7) / 8)
	};
}

PackedStatus
packed_read_group(const PackedArray *packed, int64_t group,
				  const void *bytes, const uint8_t **bitmap, int64_t *before)
{
	const uint8_t *part = bytes;
	PackedSpan	span = packed_group_span(packed, group);
	int64_t		elements = group_elements(packed, group);
	int64_t		after;

	*bitmap = part + PART_HEAD;
	*before = load_32(part + PART_BEFORE);
	if (load_32(part + PART_CHECKSUM) !=
		part_checksum(packed, group, part, span) ||
		count_bits(*bitmap, elements, (span.length - PART_HEAD) * 8) > 0)
		return PACKED_BAD_NULLS;
	after = *before + count_bits(*bitmap, 0, elements);
	if (*before > group * PACKED_GROUP || after > packed_present(packed) ||
		(group == packed_groups(packed) - 1 && after < packed_present(packed)))
		return PACKED_BAD_NULLS;
	return PACKED_OK;
}

PackedSpan
packed_page_span(const PackedArray *packed, int64_t page)
{
	int64_t		groups = packed_groups(packed);
	int64_t		full = PART_HEAD + PACKED_PAGE * entry_bytes(packed);
	int64_t		start = PACKED_HEADER_BYTES;
	PackedSpan	last;

	if (groups > 0)
	{
		last = packed_group_span(packed, groups - 1);
		start = last.offset + last.length;
	}
	return (PackedSpan) {
		start + page * full,
		PACKED_ALIGN(PART_HEAD +
					 page_blocks(packed, page) * entry_bytes(packed))
	};
}

/* Reads an entry; returns false if no block can be like that. */
static bool
read_entry(const PackedArray *packed, const uint8_t *entry, int64_t offset,
		   int count, PackedBlock *block)
{
	int			size = kind_size(packed->kind);

	block->offset = offset;
	block->length = load_16(entry + ENTRY_LENGTH) * 8;
	block->count = count;
	block->scheme = (PackedScheme) (entry[ENTRY_SCHEME] % ENTRY_MAPPING);
	block->mapping = (PackedMapping) (entry[ENTRY_SCHEME] / ENTRY_MAPPING);
	block->bits = entry[ENTRY_BITS];
	block->checksum = load_32(entry + ENTRY_CHECKSUM);
	block->least = load_sized(entry + ENTRY_LEAST, size);
	block->greatest = load_sized(entry + ENTRY_LEAST + size, size);
	return block->scheme < PACKED_SCHEMES &&
		block->mapping < PACKED_MAPPINGS &&
		(block->mapping == PACKED_PLAIN || kind_is_float(packed->kind)) &&
		block->length > 0 && block->length <= PACKED_ALIGN(count * size) &&
		offset + block->length <= packed->length;
}

PackedStatus
packed_read_page(const PackedArray *packed, int64_t page, const void *bytes,
				 PackedBlock blocks[PACKED_PAGE])
{
	const uint8_t *part = bytes;
	const uint8_t *entry = part + PART_HEAD;
	int64_t		offset = (int64_t) load_32(part + PART_BEFORE) * 8;
	int64_t		front = packed_front(packed);
	int64_t		left = packed_present(packed) -
		page * PACKED_PAGE * PACKED_BLOCK;

	if (load_32(part + PART_CHECKSUM) !=
		part_checksum(packed, page, part, packed_page_span(packed, page)) ||
		offset < front || (page == 0 && offset > front))
		return PACKED_BAD_DIRECTORY;
	for (int i = 0; i < page_blocks(packed, page); i++)
	{
		int			count = left < PACKED_BLOCK ? (int) left : PACKED_BLOCK;

		if (!read_entry(packed, entry, offset, count, &blocks[i]))
			return PACKED_BAD_DIRECTORY;
		offset += blocks[i].length;
		entry += entry_bytes(packed);
		left -= count;
	}
	return left > 0 || offset == packed->length ? PACKED_OK :
		PACKED_BAD_DIRECTORY;
}

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
