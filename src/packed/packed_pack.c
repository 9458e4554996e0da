/*
 * packed_pack.c
 *	  Packing blocks.
 */
#include "contract/cpu_clones.h"
#include "packed/packed_decimal.h"
#include "packed/packed_integers.h"

/*
 * Packing must save at least this part of a block, because raw blocks are read
 * the fastest.
 */
#define LEAST_SAVING		32

/* Decimals that take more than three quarters of a block are no gain. */
#define MOST_DECIMALS(raw)	((raw) / 4 * 3)

/* A block may become longer than planned, because of exceptions. */
#define SLACK				PACKED_MOST_BLOCK

/* The elements of a block as integers, and what else is known of them. */
typedef struct BlockElements
{
	ElementKind kind;
	int			count;
	const void *elements;
	int64_t		bits[PACKED_BLOCK]; /* with the sign of integers */
	bool		is_constant;	/* of floats: all have the same bits */
	bool		both_signs;
} BlockElements;

/* Copies integers, and finds their minimum and maximum. */
#define WIDEN(name, type, bits_type) \
	CPU_CLONES static void \
	name(BlockElements *block, PackedBlock *entry) \
	{ \
		const type *restrict elements = block->elements; \
		int64_t    *restrict bits = block->bits; \
		int			count = block->count; \
		type		least = elements[0]; \
		type		greatest = elements[0]; \
\
		for (int i = 0; i < count; i++) \
		{ \
			least = elements[i] < least ? elements[i] : least; \
			greatest = elements[i] > greatest ? elements[i] : greatest; \
			bits[i] = elements[i]; \
		} \
		entry->least = (bits_type) least; \
		entry->greatest = (bits_type) greatest; \
	}

/* The same of the bits of floats, which have an order of their own. */
#define WIDEN_FLOATS(name, type, sign, order, of_order, canonicalize) \
	CPU_CLONES static void \
	name(BlockElements *block, PackedBlock *entry) \
	{ \
		const type *restrict elements = block->elements; \
		int64_t    *restrict bits = block->bits; \
		int			count = block->count; \
		type		least = (type) -1; \
		type		greatest = 0; \
		type		some = 0; \
		type		all = (type) -1; \
\
		for (int i = 0; i < count; i++) \
		{ \
			type		element = elements[i]; \
			type		place = order(canonicalize(element)); \
\
			least = place < least ? place : least; \
			greatest = place > greatest ? place : greatest; \
			some |= element; \
			all &= element; \
			bits[i] = (int64_t) element; \
		} \
		block->is_constant = some == all; \
		block->both_signs = ((some ^ all) & sign) != 0; \
		entry->least = of_order(least); \
		entry->greatest = of_order(greatest); \
	}

WIDEN(widen_uint1, uint8_t, uint8_t)
WIDEN(widen_int2, int16_t, uint16_t)
WIDEN(widen_int4, int32_t, uint32_t)
WIDEN(widen_uint4, uint32_t, uint32_t)
WIDEN(widen_int8, int64_t, uint64_t)
WIDEN_FLOATS(widen_float4, uint32_t, 0x80000000u, float4_order,
			 float4_of_order, float4_canonicalize)
WIDEN_FLOATS(widen_float8, uint64_t, 0x8000000000000000ull, float8_order,
			 float8_of_order, float8_canonicalize)

typedef void (*Widen) (BlockElements *block, PackedBlock *entry);

static const Widen widen[ELEMENT_KINDS] = {
	[KIND_UINT1] = widen_uint1,
	[KIND_INT2] = widen_int2,
	[KIND_INT4] = widen_int4,
	[KIND_UINT4] = widen_uint4,
	[KIND_INT8] = widen_int8,
	[KIND_FLOAT4] = widen_float4,
	[KIND_FLOAT8] = widen_float8
};

/*
 * Moves the sign of floats behind their other bits.  All are less by 2^63, so
 * that they are in order as signed integers.
 */
CPU_CLONES static void
rotate(BlockElements *block)
{
	int			width = 8 * kind_size(block->kind);
	uint64_t	mask = UINT64_MAX >> (64 - width);
	int64_t    *bits = block->bits;
	int			count = block->count;

	for (int i = 0; i < count; i++)
	{
		uint64_t	before = (uint64_t) bits[i];
		uint64_t	rotated = (before << 1 | before >> (width - 1)) & mask;

		bits[i] = (int64_t) (rotated - (1ull << 63));
	}
}

/*
 * Plans to pack elements by their bits.  Floats of both signs are close to
 * each other only without the sign.
 */
static void
plan_bits(PackedIntegers *plan, BlockElements *block, PackedBlock *entry)
{
	uint64_t	origin = 0;

	entry->mapping = PACKED_PLAIN;
	if (kind_is_float(block->kind) && block->both_signs)
	{
		entry->mapping = PACKED_ROTATED;
		rotate(block);
		origin = 1ull << 63;
	}
	plan_integers(plan, block->bits, block->count,
				  8 * kind_size(block->kind), origin);
}

static int64_t
exceptions_bytes(const BlockElements *block,
				 const DecimalExceptions *exceptions)
{
	return PACKED_DECIMAL_HEAD +
		PACKED_ALIGN(exceptions->count * (kind_size(block->kind) + 2));
}

/* Plans to pack floats as decimals.  Returns false if they are none. */
static bool
plan_decimals(PackedIntegers *plan, const BlockElements *block,
			  PackedBlock *entry, DecimalScale *scale,
			  DecimalExceptions *exceptions)
{
	int64_t		integers[PACKED_BLOCK];
	int64_t		raw = block->count * kind_size(block->kind);

	if (!kind_is_float(block->kind) || block->is_constant ||
		!find_scale(block->kind, block->elements, block->count, scale) ||
		!integers_of_floats(block->kind, scale, block->elements, block->count,
							integers, exceptions))
		return false;
	plan_integers(plan, integers, block->count, 64, 0);
	entry->mapping = scale->mapping;
	return plan->bytes + exceptions_bytes(block, exceptions) <
		MOST_DECIMALS(raw);
}

/* Writes what is in front of the integers of decimals; returns its bytes. */
static int64_t
write_decimal_head(const BlockElements *block, const DecimalScale *scale,
				   const DecimalExceptions *exceptions, uint8_t *bytes)
{
	int			size = kind_size(block->kind);
	int64_t		length = exceptions_bytes(block, exceptions);
	uint8_t    *values = bytes + PACKED_DECIMAL_HEAD;
	uint8_t    *positions = values + exceptions->count * size;
	uint64_t	number;

	memset(bytes, 0, length);
	memcpy(&number, &scale->number, sizeof(number));
	store_64(bytes, number);
	store_16(bytes + 8, (uint16_t) exceptions->count);
	for (int i = 0; i < exceptions->count; i++)
	{
		int			position = exceptions->positions[i];

		copy_elements(values + i * size, (const uint8_t *) block->elements +
					  position * size, 1, size);
		store_16(positions + i * 2, (uint16_t) position);
	}
	return length;
}

/* Leaves elements as they are. */
static int64_t
write_raw(const BlockElements *block, PackedBlock *entry, uint8_t *bytes)
{
	int			size = kind_size(block->kind);
	int64_t		length = PACKED_ALIGN(block->count * size);

	entry->scheme = PACKED_RAW;
	entry->mapping = PACKED_PLAIN;
	entry->bits = 8 * size;
	store_64(bytes + length - 8, 0);
	copy_elements(bytes, block->elements, block->count, size);
	return length;
}

/* Packs the elements of a block, and returns the number of bytes. */
static int64_t
pack_block(BlockElements *block, uint8_t *bytes, PackedBlock *entry)
{
	int64_t		raw = PACKED_ALIGN(block->count * kind_size(block->kind));
	PackedIntegers plan;
	DecimalScale scale;
	DecimalExceptions exceptions;
	int64_t		length = 0;

	widen[block->kind] (block, entry);
	if (plan_decimals(&plan, block, entry, &scale, &exceptions))
		length = write_decimal_head(block, &scale, &exceptions, bytes);
	else
		plan_bits(&plan, block, entry);
	if (plan.bytes > raw - raw / LEAST_SAVING)
		return write_raw(block, entry, bytes);
	length += write_integers(&plan, bytes + length);
	if (length > raw)
		return write_raw(block, entry, bytes);
	entry->scheme = plan.scheme;
	entry->bits = integers_bits(&plan);
	return length;
}

int64_t
packed_pack(ElementKind kind, const void *elements, int64_t count,
			void *bytes, PackedBlock *blocks)
{
	BlockElements block = {.kind = kind};
	int			size = kind_size(kind);
	uint8_t    *at = bytes;

	for (int64_t done = 0; done < count; done += PACKED_BLOCK, blocks++)
	{
		block.count = count - done < PACKED_BLOCK ? (int) (count - done) :
			PACKED_BLOCK;
		block.elements = (const uint8_t *) elements + done * size;
		blocks->count = block.count;
		blocks->length = (int32_t) pack_block(&block, at, blocks);
		blocks->checksum = packed_checksum(0, at, blocks->length);
		at += blocks->length;
	}
	return at - (uint8_t *) bytes;
}

int64_t
packed_most_blocks(ElementKind kind, int64_t count)
{
	int64_t		last = count % PACKED_BLOCK;

	return (count - last) * kind_size(kind) +
		PACKED_ALIGN(last * kind_size(kind)) + SLACK;
}

int64_t
packed_most(const PackedArray *packed)
{
	return packed_front(packed) +
		packed_most_blocks(packed->kind, packed_present(packed));
}

PackedStatus
packed_check_block(const PackedArray *packed, const PackedBlock *block,
				   const void *bytes, void *elements)
{
	BlockElements unpacked = {
		.kind = packed->kind, .count = block->count, .elements = elements
	};
	PackedBlock entry;
	PackedStatus status = packed_unpack_block(packed, block, bytes, elements);

	if (status != PACKED_OK)
		return status;
	widen[packed->kind] (&unpacked, &entry);
	return entry.least == block->least &&
		entry.greatest == block->greatest ? PACKED_OK : PACKED_BAD_DIRECTORY;
}
