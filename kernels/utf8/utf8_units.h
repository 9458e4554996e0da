/*
 * utf8_units.h
 *	  The ends of units of UTF-8 among a thread's bytes, and the code point or
 *	  the error that a unit is, by its last bytes.
 *
 * The bytes are divided into units.  A unit is a well-formed code point or an
 * error, which is a maximal subpart or a single byte (Unicode 15, table 3-7
 * and section 3.9).  A continuation byte continues a unit if the nearest lead
 * byte before it needs it, and the second byte is in the range of the lead
 * byte.  Every other byte starts a unit, and ends the preceding unit,
 * which is complete or an error.  So a byte and the four before it determine
 * whether a unit ends there, and which one.
 *
 * The bits of a window of 32 bytes are transposed into bit planes: a word has
 * the same bit of all bytes, and logical operations on a few words classify
 * all bytes at once (Cameron, "A case study in SIMD text processing with
 * parallel bit streams", 2008).
 */
#ifndef GPUCOMPACT_UTF8_UNITS_H
#define GPUCOMPACT_UTF8_UNITS_H

/* The words of a thread's window: four preceding bytes, then its own bytes. */
#define WINDOW			8
#define OWN_BYTES		28
#define OWN_BITS		0x0FFFFFFFu

/*
 * A bit for each byte of a thread: whether a unit ends before the byte, whether
 * this unit is an error, and whether it has a second, a third, a fourth byte.
 */
typedef struct UnitEnds
{
	unsigned	all;
	unsigned	errors;
	unsigned	seconds;
	unsigned	thirds;
	unsigned	fourths;
} UnitEnds;

/* Selects bits of "ones" where the mask is one, and of "zeros" elsewhere. */
__device__ static inline unsigned
select_bits(unsigned mask, unsigned ones, unsigned zeros)
{
	unsigned	selected;

	/* The compiler would use two instructions. */
	asm("lop3.b32 %0, %1, %2, %3, 0xE2;" : "=r" (selected)
		: "r" (ones), "r" (mask), "r" (zeros));
	return selected;
}

__device__ static inline void
transpose_bytes(unsigned a, unsigned b, unsigned c, unsigned d, unsigned *rows)
{
	unsigned	ab_low = __byte_perm(a, b, 0x5140);
	unsigned	ab_high = __byte_perm(a, b, 0x7362);
	unsigned	cd_low = __byte_perm(c, d, 0x5140);
	unsigned	cd_high = __byte_perm(c, d, 0x7362);

	rows[0] = __byte_perm(ab_low, cd_low, 0x5410);
	rows[1] = __byte_perm(ab_low, cd_low, 0x7632);
	rows[2] = __byte_perm(ab_high, cd_high, 0x5410);
	rows[3] = __byte_perm(ab_high, cd_high, 0x7632);
}

/*
 * Transposes a window: bit i of plane k is bit k of byte i.  First each word
 * gets every eighth byte.  Then three steps exchange an index bit of the words
 * with an index bit of the bits in a byte.
 */
__device__ static inline void
transpose_bits(const unsigned words[WINDOW], unsigned planes[8])
{
	transpose_bytes(words[0], words[2], words[4], words[6], planes);
	transpose_bytes(words[1], words[3], words[5], words[7], planes + 4);
#pragma unroll
	for (int step = 4; step > 0; step /= 2)
	{
		unsigned	low = step == 4 ? 0x0F0F0F0Fu : step == 2 ? 0x33333333u :
			0x55555555u;

#pragma unroll
		for (int i = 0; i < 8; i++)
		{
			unsigned	x = planes[i];
			unsigned	y = planes[i | step];

			if (i & step)
				continue;
			planes[i] = select_bits(low, x, y << step);
			planes[i | step] = select_bits(low, x >> step, y);
		}
	}
}

/* Finds the unit ends before each byte of a thread. */
__device__ static inline UnitEnds
find_ends(const unsigned words[WINDOW], bool zero_is_error)
{
	unsigned	bit[8];

	transpose_bits(words, bit);

	/* Continuation bytes 80..BF; lead bytes C0..FF, E0..FF and F0..FF. */
	unsigned	continuation = bit[7] & ~bit[6];
	unsigned	lead = bit[7] & bit[6];
	unsigned	lead_of_3 = lead & bit[5];
	unsigned	lead_of_4 = lead_of_3 & bit[4];

	/* After C0, C1 and F5..FF, no second byte is in range. */
	unsigned	never =
		(lead & ~bit[5] & ~(bit[4] | bit[3] | bit[2] | bit[1])) |
		(lead_of_4 & (bit[3] | (bit[2] & (bit[1] | bit[0]))));

	/* Low bytes are out of range after E0, F0; high ones after ED, F4. */
	unsigned	digit_0 = ~(bit[3] | bit[2] | bit[1] | bit[0]);
	unsigned	digit_4 = bit[2] & ~(bit[3] | bit[1] | bit[0]);
	unsigned	digit_d = bit[3] & bit[2] & ~bit[1] & bit[0];
	unsigned	three = lead_of_3 & ~bit[4];
	unsigned	from_a0 = bit[5];
	unsigned	from_90 = bit[5] | bit[4];
	unsigned	wrong = never << 1 |
		((three & digit_0) << 1 & ~from_a0) |
		((three & digit_d) << 1 & from_a0) |
		((lead_of_4 & digit_0) << 1 & ~from_90) |
		((lead_of_4 & digit_4) << 1 & from_90);

	unsigned	second = continuation & lead << 1 & ~wrong;
	unsigned	third = continuation & second << 1 & lead_of_3 << 2;
	unsigned	fourth = continuation & third << 1 & lead_of_4 << 3;
	unsigned	zero = zero_is_error ? digit_0 & ~(bit[7] | bit[6] | bit[5] |
												   bit[4]) : 0;
	unsigned	complete = ~(bit[7] | zero) | (second & ~(lead_of_3 << 1)) |
		(third & ~(lead_of_4 << 2)) | fourth;
	unsigned	all = ~(second | third | fourth) >> 4;
	UnitEnds	ends = {
		.all = all,
		.errors = all & ~(complete >> 3),
		.seconds = (second | third | fourth) >> 3,
		.thirds = (third | fourth) >> 3,
		.fourths = fourth >> 3
	};

	return ends;
}

/*
 * Returns whether a continuation byte is out of the range of the preceding lead
 * byte.
 */
__device__ static inline bool
out_of_range(unsigned lead, unsigned byte)
{
	return lead < 0xC2 || lead > 0xF4 || (lead == 0xE0 && byte < 0xA0) ||
		(lead == 0xED && byte > 0x9F) || (lead == 0xF0 && byte < 0x90) ||
		(lead == 0xF4 && byte > 0x8F);
}

/* The four bytes before an index in the tile. */
__device__ static inline unsigned
bytes_before(const unsigned char *items, int index)
{
	const unsigned *word = (const unsigned *) (items + (index & ~3));

	/* The shift is modulo 32. */
	return __funnelshift_r(word[-1], word[0], index * 8);
}

/* The length of the code point that ends with these bytes. */
__device__ static inline int
unit_length(unsigned bytes)
{
	return (int) bytes >= 0 ? 1 : bytes & 0x00400000u ? 2 :
		bytes & 0x00004000u ? 3 : 4;
}

/*
 * The code point that ends with these bytes: the weighted sum of six bits of
 * each byte, and a seventh bit of ASCII.  The last byte that is not a
 * continuation byte starts the unit.  The highest bit in which it differs from
 * one, which is bit 31, 22, 14 or 6, determines the number of bits of the sum
 * that belong to the code point: 6, 11, 16 or 21.
 */
__device__ static inline int
code_point(unsigned bytes)
{
	int			start = 31 -
		__clz((int) ((bytes ^ 0x80808080u) & 0xC0C0C0C0u));
	unsigned	weights = 1u << 16 | 1u << 6;
	unsigned	bits = bytes & 0x3F3F3F07u;
	unsigned	high = __dp2a_lo(weights, bits, 0u);

	bits = __dp2a_hi(weights, bits, high << 12);

	/* This linear function maps each start to its number of bits. */
	bits &= (1u << ((410 - 10 * start) >> 4)) - 1;
	return (int) (bits | (bytes >> 24 & 0x40));
}

/* The length of the error that ends with these bytes. */
__device__ static inline int
error_length(unsigned bytes)
{
	/* A single byte, or a maximal subpart of two bytes, or of three. */
	if ((bytes & 0xC0000000u) != 0x80000000u)
		return 1;
	if ((bytes & 0x00C00000u) == 0x00C00000u)
		return out_of_range(bytes >> 16 & 0xFF, bytes >> 24) ? 1 : 2;
	return (bytes & 0x00C0F000u) == 0x0080F000u &&
		!out_of_range(bytes >> 8 & 0xFF, bytes >> 16 & 0xFF) ? 3 : 1;
}

#endif							/* GPUCOMPACT_UTF8_UNITS_H */
