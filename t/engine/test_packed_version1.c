/*
 * test_packed_version1.c
 *	  Packed arrays of version 1 of the format can be read for ever: these are
 *	  some of them, byte by byte.
 *
 * The first one is the example of src/packed/README.md.  A scheme, or a
 * mapping, that is new in version 1 gets an array here; those that are here
 * never change.
 */
#include <math.h>

#include "packed_series.h"

/* The arrays. */
typedef enum Formula
{
	example, constants, raw_bits, far_apart, clock_ticks, many_bits, kinds,
	repeated, quotients, products, signs
} Formula;

/* Numbers below 1,000 without a pattern. */
static int
scattered(int i)
{
	return i * i * 7919 % 1009 % 1000;
}

/* The bits of a float of a kind. */
static uint64_t
float_bits(ElementKind kind, double number)
{
	uint64_t	bits = 0;

	put_number(kind, &bits, 0, number);
	return bits;
}

/* The bits of element i of an array, in front of others. */
static uint64_t
bits_of(Formula formula, int i)
{
	static const int numbers[] = {
		500, 13, 872, 340, 955, 127, 648, 701, 256, 999, 60, 811, 402, 77, 590,
		233
	};
	static const uint32_t few[] = {5, 123456789, 0xFFFFFF00};

	switch (formula)
	{
		case example:
			return numbers[i];
		case constants:
			return 0x4009;
		case raw_bits:
			return 0x9E3779B97F4A7C15ull * (i + 1);
		case far_apart:
			return i % 50 == 7 ? -5000 : scattered(i) % 60;
		case clock_ticks:
			return 1700000000000000 + 250000ull * (i * 40 + scattered(i) % 7);
		case many_bits:
			return (uint64_t) scattered(i) << 30 | (uint64_t) scattered(i + 1);
		case kinds:
			return few[scattered(i) % 3];
		case repeated:
			return 0xFFFFFFFF - 1000003u * scattered(i / 4);
		case quotients:
			return i == 9 ? 0x7FF800000000BEEFull :
				float_bits(KIND_FLOAT8, i % 16 == 3 ? -0.0 :
						   scattered(i) / 100.0);
		case products:
			return float_bits(KIND_FLOAT8, scattered(i) * 0.001);
		default:
			return float_bits(KIND_FLOAT4, (float) (scattered(i) - 500) / 3);
	}
}

/* A packed array, and the formula of its elements. */
typedef struct OldArray
{
	ElementKind kind;
	PackedScheme scheme;
	PackedMapping mapping;
	int			present;
	Formula		formula;
	const char *bytes;			/* in hexadecimal */
} OldArray;

static const OldArray old_arrays[] = {
#include "packed_version1.h"
};

static uint8_t *
bytes_of_text(const char *text, int64_t *length)
{
	uint8_t    *bytes;

	*length = (int64_t) strlen(text) / 2;
	bytes = malloc(*length);
	for (int64_t i = 0; i < *length; i++)
	{
		unsigned int byte;

		(void) sscanf(text + 2 * i, "%2x", &byte);
		bytes[i] = (uint8_t) byte;
	}
	return bytes;
}

static bool
is_old_array(const OldArray *old, const PackedArray *packed,
			 const uint8_t *array)
{
	uint8_t		elements[PACKED_MOST_BLOCK];
	PackedBlock blocks[PACKED_PAGE];
	int			size = kind_size(packed->kind);

	if (packed->kind != old->kind ||
		packed_present(packed) != old->present ||
		packed_read_page(packed, 0, array +
						 packed_page_span(packed, 0).offset,
						 blocks) != PACKED_OK ||
		blocks[0].scheme != old->scheme ||
		blocks[0].mapping != old->mapping ||
		packed_check_block(packed, &blocks[0], array + blocks[0].offset,
						   elements) != PACKED_OK)
		return false;
	for (int i = 0; i < old->present; i++)
	{
		uint64_t	bits = bits_of(old->formula, i);

		/* On a little-endian machine. */
		if (memcmp(elements + i * size, &bits, size) != 0)
			return false;
	}
	return true;
}

static void
test_packed_version1(int64_t count, int data)
{
	if (options.engine != &cpu_engine || count > 1 || data > 0)
		return;
	for (int i = 0; i < LENGTH(old_arrays); i++)
	{
		int64_t		length;
		OWNED uint8_t *array = bytes_of_text(old_arrays[i].bytes, &length);
		PackedArray packed = {.count = i};

		expect_packed(packed_open(&packed, array, length) == PACKED_OK &&
					  is_old_array(&old_arrays[i], &packed, array), &packed,
					  SERIES_DATA, "an array of version 1", i);
	}
}

TEST_FAMILY(packed_version1)
