/*
 * packed_pack.c
 *	  Packing blocks: the integers of each by the scheme that takes the fewest
 *	  bytes.
 *
 * The bytes that each scheme would take are estimated from cheap statistics:
 * histograms of the integers and of their differences, the number of runs, and
 * the number of distinct values of a sample.
 */
#include "contract/cpu_clones.h"
#include "packed/packed_decimal.h"
#include "packed/packed_frame.h"

/* The integers of a block, and how they are written best. */
typedef struct PackedIntegers
{
	int			count;
	int			width;			/* bits of an integer; others do not count */
	PackedScheme scheme;
	int64_t		bytes;			/* as far as can be told without writing */
	int			number;			/* of distinct values or of runs */
	FramePlan	frame;			/* of integers, differences, numbers, lengths */
	FramePlan	value_frame;	/* of distinct values or of runs */

	/* The integers are origin + step * integers[i]. */
	uint64_t	origin;
	uint64_t	step;
	int64_t		integers[PACKED_BLOCK];
	int64_t		differences[PACKED_BLOCK];

	/* Distinct values and each integer's; or the values of runs and lengths. */
	int64_t		values[PACKED_BLOCK];
	int64_t		numbers[PACKED_BLOCK];
} PackedIntegers;

/* Integers that are looked at for a common divisor, and for few values. */
#define DIVISOR_SAMPLE		8
#define VALUES_SAMPLE		64

/* The most distinct values of the sample, and of the block. */
#define MOST_SAMPLED		40
#define MOST_VALUES			256

/* The hash table of distinct values. */
#define SLOT_BITS			10

/* Runs pay if they have this many integers or more. */
#define LEAST_RUN			2

static uint64_t
greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b > 0)
	{
		uint64_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * The greatest common divisor of the differences between a few of the
 * integers.
 */
static uint64_t
sample_divisor(const int64_t *integers, int count)
{
	uint64_t	divisor = 0;

	for (int i = 0; i < DIVISOR_SAMPLE && divisor != 1; i++)
	{
		uint64_t	one = (uint64_t) integers[i * count / DIVISOR_SAMPLE];
		uint64_t	next = (uint64_t) integers[((i + 1) * count - 1) /
											   DIVISOR_SAMPLE];

		divisor = greatest_common_divisor(divisor, one > next ? one - next :
										  next - one);
	}
	return divisor;
}

/*
 * Divides the distances from an integer.  Returns false if any is no multiple
 * of the divisor.
 *
 * An odd divisor has an inverse modulo 2^64, and the product by it is a
 * quotient if it is no greater than one can be: Granlund and Montgomery,
 * "Division by Invariant Integers using Multiplication", PLDI 1994, section 9.
 */
CPU_CLONES static bool
divide_distances(const int64_t *restrict integers, int count, int64_t least,
				 uint64_t divisor, int64_t *restrict quotients)
{
	int			shift = __builtin_ctzll(divisor);
	uint64_t	odd = divisor >> shift;
	uint64_t	inverse = odd;	/* its lowest three bits are right */
	uint64_t	most = UINT64_MAX / divisor;
	uint64_t	rests = 0;
	uint64_t	greatest = 0;

	for (int bits = 3; bits < 64; bits *= 2)
		inverse *= 2 - odd * inverse;
	for (int i = 0; i < count; i++)
	{
		uint64_t	distance = (uint64_t) integers[i] - (uint64_t) least;
		uint64_t	quotient = (distance >> shift) * inverse;

		rests |= distance & ((1ull << shift) - 1);
		greatest = quotient > greatest ? quotient : greatest;
		quotients[i] = (int64_t) quotient;
	}
	return rests == 0 && greatest <= most;
}

/* Finds a step, and sets the integers, which are then no longer multiples. */
static void
find_step(PackedIntegers *plan, const int64_t *integers)
{
	uint64_t	divisor = sample_divisor(integers, plan->count);
	int64_t		least = integers[0];

	plan->step = 1;
	if (divisor > 1)
	{
		for (int i = 1; i < plan->count; i++)
			least = integers[i] < least ? integers[i] : least;
		if (divide_distances(integers, plan->count, least, divisor,
							 plan->integers))
		{
			plan->origin += (uint64_t) least;
			plan->step = divisor;
			return;
		}
	}
	memcpy(plan->integers, integers, plan->count * sizeof(int64_t));
}

/*
 * The first difference may have any value: the integer in front of the first
 * one is written.  Returns the number of runs.
 */
CPU_CLONES static int
find_differences(const int64_t *restrict integers, int count,
				 int64_t *restrict differences)
{
	int			runs = 1;

	for (int i = 1; i < count; i++)
	{
		differences[i] = (int64_t)
			((uint64_t) integers[i] - (uint64_t) integers[i - 1]);
		runs += differences[i] != 0;
	}
	differences[0] = differences[1];
	return runs;
}

/* Chooses a scheme that has two frames, if it is better. */
static void
choose_two_frames(PackedIntegers *plan, PackedScheme scheme, int number,
				  const FramePlan *values, const FramePlan *numbers)
{
	int64_t		bytes = PACKED_NUMBER_HEAD + values->bytes + numbers->bytes;

	if (values->bytes >= plan->bytes || bytes >= plan->bytes)
		return;
	plan->scheme = scheme;
	plan->bytes = bytes;
	plan->number = number;
	plan->value_frame = *values;
	plan->frame = *numbers;
}

static void
plan_runs(PackedIntegers *plan)
{
	FramePlan	values;
	FramePlan	lengths;
	int			runs = 0;
	int			start = 0;

	for (int i = 1; i <= plan->count; i++)
	{
		if (i < plan->count && plan->differences[i] == 0)
			continue;
		plan->values[runs] = plan->integers[start];
		plan->numbers[runs++] = i - start;
		start = i;
	}
	plan_frame(&values, plan->values, runs, plan->width);
	plan_frame(&lengths, plan->numbers, runs, 32);
	choose_two_frames(plan, PACKED_RUNS, runs, &values, &lengths);
}

/*
 * Looks each integer up, or one of "stride", in the order of their first
 * appearance.  Returns the number of distinct ones, or more than "most".
 */
static int
find_values(PackedIntegers *plan, int stride, int most)
{
	int16_t		slots[1 << SLOT_BITS];	/* numbers from 1 */
	int			found = 0;

	memset(slots, 0, sizeof(slots));
	for (int i = 0; i < plan->count && found <= most; i += stride)
	{
		uint64_t	hash = (uint64_t) plan->integers[i] *
			0x9E3779B97F4A7C15ull;
		int			slot = (int) (hash >> (64 - SLOT_BITS));

		while (slots[slot] > 0 &&
			   plan->values[slots[slot] - 1] != plan->integers[i])
			slot = (slot + 1) % (1 << SLOT_BITS);
		if (slots[slot] == 0)
		{
			plan->values[found] = plan->integers[i];
			slots[slot] = (int16_t) ++found;
		}
		plan->numbers[i] = slots[slot] - 1;
	}
	return found;
}

static void
plan_dictionary(PackedIntegers *plan)
{
	FramePlan	values;
	FramePlan	numbers;
	int			found;

	if (plan->count < 2 * VALUES_SAMPLE)
		return;
	found = find_values(plan, plan->count / VALUES_SAMPLE, MOST_SAMPLED);
	if (found > MOST_SAMPLED ||
		frame_bytes(plan->count, bits_of((uint64_t) found - 1), 0, 0) >=
		plan->bytes)
		return;
	found = find_values(plan, 1, MOST_VALUES);
	if (found > MOST_VALUES)
		return;
	plan_frame(&values, plan->values, found, plan->width);
	numbers.base = 0;
	numbers.bits = bits_of((uint64_t) found - 1);
	numbers.exceptions = 0;
	numbers.bytes = frame_bytes(plan->count, numbers.bits, 0, 0);
	choose_two_frames(plan, PACKED_DICTIONARY, found, &values, &numbers);
}

/*
 * Plans how to write "count" integers, 1 to PACKED_BLOCK, of "width" bits;
 * they are origin + those given.
 */
static void
plan_integers(PackedIntegers *plan, const int64_t *integers, int count,
			  int width, uint64_t origin)
{
	FramePlan	differences;
	int			runs;

	plan->count = count;
	plan->width = width;
	plan->origin = origin;
	find_step(plan, integers);
	plan->scheme = PACKED_FRAME;
	plan_frame(&plan->frame, plan->integers, count, width);
	plan->bytes = plan->frame.bytes;
	if (plan->frame.bits == 0 && plan->frame.exceptions == 0)
	{
		plan->scheme = PACKED_CONSTANT;
		plan->bytes = 8;
	}
	if (plan->frame.bits <= 1 || count == 1)
		return;

	runs = find_differences(plan->integers, count, plan->differences);
	plan_frame(&differences, plan->differences, count, width);
	if (differences.bytes < plan->bytes - 8)
	{
		plan->scheme = PACKED_DELTA;
		plan->bytes = 8 + differences.bytes;
		plan->frame = differences;
	}
	if (runs <= count / LEAST_RUN)
		plan_runs(plan);
	else
		plan_dictionary(plan);
}

/* Writes the distinct values, or the values of runs. */
static int64_t
write_values(const PackedIntegers *plan, uint8_t *bytes)
{
	memset(bytes, 0, PACKED_NUMBER_HEAD);
	store_16(bytes, (uint16_t) plan->number);
	return PACKED_NUMBER_HEAD +
		write_frame(&plan->value_frame, plan->values, plan->number,
					plan->origin, plan->step, bytes + PACKED_NUMBER_HEAD);
}

/* Writes what has been planned, and returns its bytes. */
static int64_t
write_integers(const PackedIntegers *plan, uint8_t *bytes)
{
	uint64_t	first = plan->origin +
		plan->step * (uint64_t) plan->integers[0];
	int64_t		length;

	switch (plan->scheme)
	{
		case PACKED_CONSTANT:
			store_64(bytes, first);
			return 8;
		case PACKED_DELTA:
			store_64(bytes, first -
					 plan->step * (uint64_t) plan->differences[0]);
			return 8 + write_frame(&plan->frame, plan->differences,
								   plan->count, 0, plan->step, bytes + 8);
		case PACKED_DICTIONARY:
		case PACKED_RUNS:
			length = write_values(plan, bytes);
			return length + write_frame(&plan->frame, plan->numbers,
										plan->scheme == PACKED_RUNS ?
										plan->number : plan->count, 0, 1,
										bytes + length);
		default:
			return write_frame(&plan->frame, plan->integers, plan->count,
							   plan->origin, plan->step, bytes);
	}
}

/* The bits that the directory shows. */
static int
integers_bits(const PackedIntegers *plan)
{
	return plan->scheme == PACKED_CONSTANT ? 0 :
		plan->scheme == PACKED_RUNS ? plan->value_frame.bits :
		plan->frame.bits;
}

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
	bool		is_constant;	/* all have the same bits */
	bool		both_signs;		/* the first bits of some differ */
} BlockElements;

/*
 * Copies elements, or the bits of floats, which have an order of their own.
 * Finds their minimum and maximum in this order.  If these began with the first
 * element, gcc would not make vectors of the loop.
 */
#define WIDEN(KIND, type, order, of_order) \
	CPU_CLONES static void \
	widen_##KIND(BlockElements *block, PackedBlock *entry) \
	{ \
		const type *restrict elements = block->elements; \
		int64_t    *restrict bits = block->bits; \
		int			count = block->count; \
		type		least = order(elements[count - 1]); \
		type		greatest = least; \
		type		some = 0; \
		type		all = (type) -1; \
\
		for (int i = 0; i < count; i++) \
		{ \
			type		element = elements[i]; \
			type		place = order(element); \
\
			least = place < least ? place : least; \
			greatest = place > greatest ? place : greatest; \
			some |= element; \
			all &= element; \
			bits[i] = (int64_t) element; \
		} \
		block->is_constant = some == all; \
		block->both_signs = (some ^ all) >> (8 * sizeof(type) - 1) != 0; \
		entry->least = of_order(least); \
		entry->greatest = of_order(greatest); \
	}

#define ORDER_FLOAT4(bits)	float4_order(float4_canonicalize(bits))
#define ORDER_FLOAT8(bits)	float8_order(float8_canonicalize(bits))

WIDEN(UINT1, uint8_t, , (uint8_t))
WIDEN(INT2, int16_t, , (uint16_t))
WIDEN(INT4, int32_t, , (uint32_t))
WIDEN(UINT4, uint32_t, , (uint32_t))
WIDEN(INT8, int64_t, , (uint64_t))
WIDEN(FLOAT4, uint32_t, ORDER_FLOAT4, float4_of_order)
WIDEN(FLOAT8, uint64_t, ORDER_FLOAT8, float8_of_order)

#define WIDEN_KIND(KIND, type)	[KIND_##KIND] = widen_##KIND,

static void (*const widen[ELEMENT_KINDS]) (BlockElements *block,
										   PackedBlock *entry) = {
	FOR_EACH_KIND(WIDEN_KIND)
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

		memcpy(values + i * size, (const uint8_t *) block->elements +
			   position * size, size);
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
	memcpy(bytes, block->elements, block->count * size);
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
