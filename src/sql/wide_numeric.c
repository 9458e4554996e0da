/*
 * wide_numeric.c
 *	  Integers of more than 64 bits as numerics.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "sql/wide_numeric.h"

/*
 * Decimal digits that fit into 32 bits, and characters of an integer with
 * its sign.
 */
#define DECIMAL_BASE	1000000000
#define DECIMAL_DIGITS	9
#define WIDE_DIGITS		(7 * DECIMAL_DIGITS + 1)

static bool
is_negative(const WideInteger *wide)
{
	return (int64) wide->words[WIDE_WORDS - 1] < 0;
}

WideInteger
wide_negate(WideInteger wide)
{
	WideInteger result = wide_integer(1, 0);

	for (int i = 0; i < WIDE_WORDS; i++)
		wide.words[i] = ~wide.words[i];
	wide_add(&result, wide);
	return result;
}

WideInteger
wide_magnitude(WideInteger wide)
{
	return is_negative(&wide) ? wide_negate(wide) : wide;
}

/* Divides by DECIMAL_BASE, and returns the remainder. */
static uint32
next_decimal(WideInteger *wide)
{
	uint64		remainder = 0;

	for (int i = WIDE_WORDS - 1; i >= 0; i--)
	{
		uint64		high = remainder << 32 | wide->words[i] >> 32;
		uint64		low = (high % DECIMAL_BASE) << 32 |
			(uint32) wide->words[i];

		wide->words[i] = (high / DECIMAL_BASE) << 32 | low / DECIMAL_BASE;
		remainder = low % DECIMAL_BASE;
	}
	return remainder;
}

static bool
fits_int8(const WideInteger *wide)
{
	uint64		sign = (int64) wide->words[0] < 0 ? PG_UINT64_MAX : 0;

	return wide->words[1] == sign && wide->words[2] == sign;
}

/* The integer as a numeric without a fraction. */
Datum
wide_numeric(WideInteger wide)
{
	char		buffer[WIDE_DIGITS + 1];
	char	   *digits = buffer + WIDE_DIGITS;
	bool		negative = is_negative(&wide);

	if (fits_int8(&wide))
		return NumericGetDatum(int64_to_numeric((int64) wide.words[0]));
	wide = wide_magnitude(wide);
	*digits = '\0';
	while ((wide.words[0] | wide.words[1] | wide.words[2]) != 0)
	{
		uint32		decimal = next_decimal(&wide);

		for (int i = 0; i < DECIMAL_DIGITS; i++, decimal /= 10)
			*--digits = '0' + decimal % 10;
	}
	if (negative)
		*--digits = '-';
	return DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
							   ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}
