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

/* The bits of element i of an array. */
typedef uint64_t (*Formula) (int i);

static uint64_t
double_bits(double number)
{
	uint64_t	bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* Numbers below 1,000 without a pattern. */
static int
scattered(int i)
{
	return i * i * 7919 % 1009 % 1000;
}

static uint64_t
example(int i)
{
	static const int numbers[] = {
		500, 13, 872, 340, 955, 127, 648, 701, 256, 999, 60, 811, 402, 77, 590,
		233
	};

	return numbers[i];
}

static uint64_t
constants(int i)
{
	return 0x4009;
}

static uint64_t
raw_bits(int i)
{
	return 0x9E3779B97F4A7C15ull * (i + 1);
}

static uint64_t
far_apart(int i)
{
	return i % 50 == 7 ? -5000 : scattered(i) % 60;
}

static uint64_t
clock_ticks(int i)
{
	return 1700000000000000 + 250000ull * (i * 40 + scattered(i) % 7);
}

static uint64_t
many_bits(int i)
{
	return (uint64_t) scattered(i) << 30 | (uint64_t) scattered(i + 1);
}

static uint64_t
kinds(int i)
{
	static const uint32_t numbers[] = {5, 123456789, 0xFFFFFF00};

	return numbers[scattered(i) % 3];
}

static uint64_t
repeated(int i)
{
	return 0xFFFFFFFF - 1000003u * scattered(i / 4);
}

static uint64_t
quotients(int i)
{
	return i % 16 == 3 ? double_bits(-0.0) :
		i == 9 ? 0x7FF800000000BEEFull : double_bits(scattered(i) / 100.0);
}

static uint64_t
products(int i)
{
	return double_bits(scattered(i) * 0.001);
}

static uint64_t
signs(int i)
{
	float		number = (float) (scattered(i) - 500) / 3;
	uint32_t	bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

/* What has been packed, and as what. */
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

#define OLD_ARRAYS	((int) (sizeof(old_arrays) / sizeof(old_arrays[0])))

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
		uint64_t	bits = old->formula(i);

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
	for (int i = 0; i < OLD_ARRAYS; i++)
	{
		int64_t		length;
		uint8_t    *array = bytes_of_text(old_arrays[i].bytes, &length);
		PackedArray packed = {.count = i};

		expect_packed(packed_open(&packed, array, length) == PACKED_OK &&
					  is_old_array(&old_arrays[i], &packed, array), &packed,
					  SERIES_DATA, "an array of version 1", i);
		free(array);
	}
}

TEST_FAMILY(packed_version1)
