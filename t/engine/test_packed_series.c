/*
 * test_packed_series.c
 *	  The series that tests pack.
 */
#include <math.h>

#include "packed_series.h"

const char *const series_names[SERIES] = {
	"data", "constant", "gaps", "steps", "kinds", "runs", "outliers", "bits",
	"decimals", "products", "eighths", "specials", "signs"
};

/* A number of a series, but for those of bits. */
static double
number_of(Series series, int64_t i, double before)
{
	uint64_t	random = random_bits() >> 16;

	switch (series)
	{
		case SERIES_CONSTANT:
			return -3;
		case SERIES_GAPS:
			return before + 1 + (double) (random % 5);
		case SERIES_STEPS:
			return 7 + 1000 * (double) (random % 3000);
		case SERIES_KINDS:
			return (double) (random % 7) * (double) (random % 7) * 1299709.0;
		case SERIES_RUNS:
			return random % 5 == 0 || i == 0 ? (double) (random % 1000000000) :
				before;
		case SERIES_OUTLIERS:
			return random % 99 == 0 ?
				((double) (random % 20000) - 10000) * 1000 :
				(double) (random % 100);
		case SERIES_SIGNS:
			return ((double) random - 1e14) / 3e13;
		default:
			return (double) (random % 6000) - 2000;
	}
}

static double
special(void)
{
	static const double specials[] = {
		-0.0, 0.0, INFINITY, -INFINITY, NAN, -NAN, 1e300, 5e-324, 0.1 + 0.2
	};

	return specials[random_bits() % (sizeof(specials) / sizeof(double))];
}

static double
float_of(Series series, double number)
{
	switch (series)
	{
		case SERIES_DECIMALS:
			return number / 100;
		case SERIES_PRODUCTS:
			return number * 0.01;
		case SERIES_EIGHTHS:
			return number / 8;
		case SERIES_SPECIALS:
			return random_bits() % 20 == 0 ? special() : number / 10;
		default:
			return number;
	}
}

/* The bits of an element, in front of zeros. */
static uint64_t
element_of(ElementKind kind, Series series, double number)
{
	double		float8 = float_of(series, number);
	float		float4 = (float) float8;
	uint64_t	bits = 0;

	if (kind == KIND_FLOAT8)
		memcpy(&bits, &float8, sizeof(float8));
	else if (kind == KIND_FLOAT4)
		memcpy(&bits, &float4, sizeof(float4));
	else
		bits = (uint64_t) (int64_t) number;
	return bits;
}

/* Random bits; every fifth one is a NaN of a float. */
static uint64_t
some_bits(ElementKind kind, int64_t i)
{
	uint64_t	bits = random_bits();

	if (i % 5 == 0)
		bits |= kind == KIND_FLOAT4 ? 0x7F800000u : 0x7FF0000000000000ull;
	return bits;
}

void
make_series(ElementKind kind, Series series, int data, void *elements,
			int64_t count)
{
	int			size = kind_size(kind);
	double		number = 0;

	if (series == SERIES_DATA)
	{
		make_data(kind, data, elements, count);
		return;
	}
	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	bits;

		number = number_of(series, i, number);
		bits = series == SERIES_BITS ? some_bits(kind, i) :
			element_of(kind, series, number);

		/* On a little-endian machine. */
		memcpy((char *) elements + i * size, &bits, size);
	}
}

uint8_t *
pack_all(PackedArray *packed, const void *elements, const uint8_t *bitmap)
{
	int64_t		present = packed_present(packed);
	uint8_t    *array = malloc(packed_most(packed));
	OWNED PackedBlock *blocks = malloc((packed_blocks(present) + 1) *
									   sizeof(PackedBlock));

	(void) packed_pack(packed->kind, elements, present,
					   array + packed_front(packed), blocks);
	packed_write_front(packed, bitmap, blocks, array);
	return realloc(array, packed->length);
}

/* Heads are more interesting than the bits of elements. */
void
forge_bytes(uint8_t *bytes, int64_t length, int changes)
{
	static const uint8_t specials[] = {0, 1, 0x7F, 0x80, 0xFF};

	for (; changes > 0; changes--)
	{
		uint64_t	random = random_bits();
		int64_t		most = random % 2 == 0 || length < 256 ? length : 256;

		bytes[random_bits() % most] = random % 3 == 0 ?
			(uint8_t) (random >> 8) :
			specials[(random >> 8) % sizeof(specials)];
	}
}

void
expect_packed(bool condition, const PackedArray *packed, Series series,
			  const char *what, int data)
{
	EngineRequest request = {
		.kinds[0] = packed->kind,
		.count = packed->count
	};
	char		text[100];

	snprintf(text, sizeof(text), "packed %s: %s", series_names[series], what);
	expect(condition, &request, text, data);
}
