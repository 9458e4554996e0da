/*
 * test_packed_damage.c
 *	  Damaged packed arrays are errors, whatever byte is wrong; and if their
 *	  checksums are right all the same, nothing but their memory is read.
 *
 * All memory has the exact size, so that a sanitizer detects accesses past its
 * end.
 */
#include "packed_damage.h"
#include "packed_series.h"

/* Damages with right checksums, for each array. */
#define FORGERIES		60

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
 * Bytes that no packing has made: some are random, or special; checksums are
 * right.  All of them are read, whatever they are.
 */
static void
read_forgery(const uint8_t *array, int64_t length)
{
	OWNED uint8_t *forged = memcpy(malloc(length), array, length);

	forge_bytes(forged, length, 1 + (int) (random_bits() % 4));
	mend(forged, length);
	(void) read_all(forged, length);
}

static void
test_packed_damage(int64_t count, int data)
{
	OWNED uint8_t *elements = malloc(count * sizeof(int64_t));
	OWNED uint8_t *bitmap = malloc(count / 8 + 1);

	if (options.engine != &cpu_engine || count > MOST_DAMAGED)
		return;
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
}

TEST_FAMILY(packed_damage)
