/*
 * packed.h
 *	  Packed arrays: arrays of one dimension in a fraction of their bytes.
 *
 * src/packed/README.md has the format, byte by byte.  A packed array is
 *
 *		front: header
 *			   NULL bitmap, in groups of PACKED_GROUP elements; if any is NULL
 *			   directory, in pages of PACKED_PAGE blocks
 *		blocks of PACKED_BLOCK elements
 *
 * Blocks hold the elements that are not NULL, which are called present.  Each
 * block has the scheme that suits it, and can be unpacked alone.  The
 * directory has each block's place, scheme, minimum and maximum.  Header,
 * groups, pages and blocks have checksums of their own, so that a reader of a
 * slice needs only the bytes that concern the slice.
 *
 * What is unpacked is, bit for bit, what has been packed: -0, infinities and
 * the payloads of NaNs included.
 *
 * Nothing here allocates memory, keeps state or knows PostgreSQL or CUDA.  The
 * functions may be called by several threads at once, and take up to 80 kB of
 * the stack.  Pointers to packed bytes need no alignment.
 *
 * Errors: functions that read return a PackedStatus.  They do not trust the
 * bytes: whatever these are, nothing outside the given memory is read or
 * written, and every loop ends.  Bytes whose checksum is wrong are
 * PACKED_BAD_...; so are bytes that contradict each other under right
 * checksums.
 */
#ifndef GPUCOMPACT_PACKED_H
#define GPUCOMPACT_PACKED_H

#include "contract/blocks.h"
#include "contract/kinds.h"

#define PACKED_HEADER_BYTES	32
#define PACKED_PAGE			64	/* blocks of a page of the directory */
#define PACKED_GROUP		65536	/* elements of a group of the NULL bitmap */

/* The most elements of an array, and the most bytes of a block. */
#define PACKED_MOST			INT32_MAX
#define PACKED_MOST_BLOCK	(PACKED_BLOCK * 8)

typedef enum PackedStatus
{
	PACKED_OK,
	PACKED_FOREIGN,				/* the bytes are no packed array */
	PACKED_NEWER,				/* of a version that is not known here */
	PACKED_BAD_HEADER,
	PACKED_BAD_NULLS,
	PACKED_BAD_DIRECTORY,
	PACKED_BAD_BLOCK
} PackedStatus;

/* How the integers of a block are packed.  The numbers are in packed arrays. */
typedef enum PackedScheme
{
	PACKED_RAW,					/* as they are */
	PACKED_CONSTANT,			/* one value */
	PACKED_FRAME,				/* bits above a base: frame of reference */
	PACKED_DELTA,				/* differences, as a frame */
	PACKED_DICTIONARY,			/* numbers of distinct values */
	PACKED_RUNS					/* values and lengths of runs, as frames */
} PackedScheme;

#define PACKED_SCHEMES		(PACKED_RUNS + 1)

/*
 * How elements are made of these integers.  The numbers are in stored arrays.
 */
typedef enum PackedMapping
{
	PACKED_PLAIN,				/* the integers are the elements' bits */
	PACKED_ROTATED,				/* with a float's sign as the last of them */
	PACKED_DIVIDED,				/* floats are integers divided by a number, */
	PACKED_MULTIPLIED			/* or multiplied: both are ALP */
} PackedMapping;

#define PACKED_MAPPINGS		(PACKED_MULTIPLIED + 1)

/* What the header says. */
typedef struct PackedArray
{
	ElementKind kind;
	uint32_t	element_type;	/* the caller's: an OID; not looked at */
	int32_t		lower_bound;	/* likewise */
	int64_t		count;			/* elements, NULLs included */
	int64_t		nulls;
	int64_t		length;			/* bytes, all included */
	uint32_t	checksum;		/* of the header */
} PackedArray;

/* What the directory says of a block. */
typedef struct PackedBlock
{
	int64_t		offset;			/* bytes from the start of the array */
	int32_t		length;			/* bytes, a multiple of 8 */
	int32_t		count;			/* elements */
	PackedScheme scheme;
	PackedMapping mapping;
	int			bits;			/* of most of the packed integers */
	uint32_t	checksum;

	/*
	 * The minimum and maximum as PostgreSQL orders elements.  They are the
	 * bits of an element, those above its width zero; NaNs are the canonical
	 * one, and -0 is 0 (see order.h).
	 */
	uint64_t	least;
	uint64_t	greatest;
} PackedBlock;

/* Bytes of a packed array. */
typedef struct PackedSpan
{
	int64_t		offset;
	int64_t		length;
} PackedSpan;

/* Elements that are not NULL. */
static inline int64_t
packed_present(const PackedArray *packed)
{
	return packed->count - packed->nulls;
}

/* Blocks of so many present elements, and the pages of their entries. */
static inline int64_t
packed_blocks(int64_t present)
{
	return (present + PACKED_BLOCK - 1) / PACKED_BLOCK;
}

static inline int64_t
packed_pages(int64_t present)
{
	return (packed_blocks(present) + PACKED_PAGE - 1) / PACKED_PAGE;
}

/*
 * Reading
 */

/*
 * Reads the header.  "bytes" are the first PACKED_HEADER_BYTES of a packed
 * array of "length" bytes; all of these if they are fewer, which is an error.
 */
extern PackedStatus packed_open(PackedArray *packed, const void *bytes,
								int64_t length);

/* Bytes before the first block. */
extern int64_t packed_front(const PackedArray *packed);

/* Where a page of the directory is; pages are numbered from 0. */
extern PackedSpan packed_page_span(const PackedArray *packed, int64_t page);

/*
 * Reads a page, whose bytes are those of packed_page_span().  Writes the
 * entries of its blocks; the first is block "page" * PACKED_PAGE.
 *
 * Then this holds for each entry: the block lies behind the front and within
 * the array, and has 8 to PACKED_MOST_BLOCK bytes; it begins where the
 * previous block of the page ends; the first block of the array begins behind
 * the front, and the last one ends with the array; each block but the last has
 * PACKED_BLOCK elements.  Whether the next page begins where this one ends is
 * not checked here.
 */
extern PackedStatus packed_read_page(const PackedArray *packed, int64_t page,
									 const void *bytes,
									 PackedBlock blocks[PACKED_PAGE]);

/* Compares a block's bytes with its checksum, as packed_unpack_block() does. */
extern PackedStatus packed_verify_block(const PackedBlock *block,
										const void *bytes);

/*
 * Unpacks a block.  "bytes" are the block->length bytes at block->offset.
 * Writes block->count elements.  On an error, what has been written means
 * nothing.
 */
extern PackedStatus packed_unpack_block(const PackedArray *packed,
										const PackedBlock *block,
										const void *bytes, void *elements);

/*
 * Unpacks a block, and checks that the directory has its minimum and maximum:
 * for packed arrays that have come from elsewhere.  "elements" has room for
 * block->count elements.
 */
extern PackedStatus packed_check_block(const PackedArray *packed,
									   const PackedBlock *block,
									   const void *bytes, void *elements);

/*
 * Where a group of the NULL bitmap is; groups are numbered from 0.  There are
 * groups only if packed->nulls > 0.
 */
extern PackedSpan packed_group_span(const PackedArray *packed, int64_t group);

/*
 * Reads a group, whose bytes are those of packed_group_span().  Its bitmap is
 * as in PostgreSQL: element i of the group is present if bit i % 8 of byte i /
 * 8 is set.  "before" is the number of present elements in earlier groups.
 *
 * Then this holds: bits behind the last element are zero; before the first
 * group there are no elements; "before" and the bits of the last group add up
 * to the present elements.  Whether "before" of the next group agrees is not
 * checked here.
 */
extern PackedStatus packed_read_group(const PackedArray *packed, int64_t group,
									  const void *bytes,
									  const uint8_t **bitmap, int64_t *before);

/* What is wrong, in English: "header of packed array is damaged". */
extern const char *const packed_messages[];

/* The names of schemes, as "delta". */
extern const char *const packed_scheme_names[PACKED_SCHEMES];

/*
 * Writing
 *
 * The caller makes a PackedArray of what it knows: kind, element_type,
 * lower_bound, count, nulls.  Several threads may pack some blocks each,
 * anywhere in memory; one of them puts these together, and writes the front:
 *
 *		array = malloc(packed_most(&packed));
 *		front = packed_front(&packed);
 *		length = packed_pack(packed.kind, elements, packed_present(&packed),
 *							 array + front, blocks);
 *		packed_write_front(&packed, bitmap, blocks, array);
 *		(packed.length is now front + length)
 */

/* The most bytes that a packed array has, by its kind, count and nulls. */
extern int64_t packed_most(const PackedArray *packed);

/* The most bytes of the blocks of "count" present elements. */
extern int64_t packed_most_blocks(ElementKind kind, int64_t count);

/*
 * Packs "count" present elements into blocks, as many as packed_blocks(count),
 * one behind the other.  A part's elements begin at a multiple of
 * PACKED_BLOCK.  "bytes" has room for packed_most_blocks().  Describes each
 * block in "blocks", without its offset.  Returns the number of bytes.  The
 * bytes of a block depend on its elements alone.
 */
extern int64_t packed_pack(ElementKind kind, const void *elements,
						   int64_t count, void *bytes, PackedBlock *blocks);

/*
 * Writes the first packed_front() bytes of a packed array: header, NULL bitmap
 * and directory.  "blocks" describes all blocks in order; their offsets, and
 * packed->length and packed->checksum, are set here.  "bitmap" is as
 * PostgreSQL has it, of packed->count bits, and is not looked at if
 * packed->nulls is zero.
 */
extern void packed_write_front(PackedArray *packed, const uint8_t *bitmap,
							   PackedBlock *blocks, void *array);

#endif							/* GPUCOMPACT_PACKED_H */
