/*
 * utf8_units.h
 *	  Where the units of UTF-8 end, of the bytes of a thread; and what a unit
 *	  is, by its end.
 *
 * The bytes fall into units: a unit is a code point or else a maximal subpart
 * of one, which is an error (Unicode 15, table 3-7 and section 3.9).  A byte
 * goes on with a unit if it is 80..BF, the nearest byte before it that is not
 * has enough bytes to come, and what follows that one is in its range; else it
 * starts a unit.  Where one starts, another ends, and is complete or an error:
 * so that from a byte and the four before it, it is known which unit ends
 * there, if one does.
 *
 * The bits of a window of 32 bytes are transposed, so that a word has one bit of
 * each, and logic on a few words answers for all of them (Cameron, "A case study
 * in SIMD text processing with parallel bit streams", 2008).
 */
#ifndef GPUCOMPACT_UTF8_UNITS_H
#define GPUCOMPACT_UTF8_UNITS_H

/* A thread's window, in words of memory; in which what it has comes last. */
#define WINDOW			8
#define OWN_BYTES		28
#define OWN_BITS		0x0FFFFFFFu

/*
 * Of each of a thread's bytes: does a unit end before it, and is that an
 * error, and does it have a second, a third, a fourth byte?
 */
typedef struct UnitEnds
{
	unsigned	all;
	unsigned	errors;
	unsigned	seconds;
	unsigned	thirds;
	unsigned	fourths;
} UnitEnds;

/* Bits of one word where the mask has ones, and else of another. */
__device__ static inline unsigned
select_bits(unsigned mask, unsigned ones, unsigned zeros)
{
	unsigned	selected;

	/* one instruction, which the compiler makes two of */
	asm("lop3.b32 %0, %1, %2, %3, 0xE2;" : "=r" (selected)
		: "r" (ones), "r" (mask), "r" (zeros));
	return selected;
}

/* The bytes with the same index in four words, side by side. */
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
 * gets every eighth byte; then, in three steps, what tells words apart changes
 * places with what tells the bits of a byte apart.
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

/* Finds the ends before a thread's bytes, which are all but the first four. */
__device__ static inline UnitEnds
find_ends(const unsigned words[WINDOW], bool zero_is_error)
{
	unsigned	bit[8];

	transpose_bits(words, bit);

	/* 80..BF; and C0..FF, of which E0..FF and F0..FF */
	unsigned	goes_on = bit[7] & ~bit[6];
	unsigned	lead = bit[7] & bit[6];
	unsigned	lead_of_3 = lead & bit[5];
	unsigned	lead_of_4 = lead_of_3 & bit[4];

	/* After C0, C1, and F5..FF, no byte is in range. */
	unsigned	never =
		(lead & ~bit[5] & ~(bit[4] | bit[3] | bit[2] | bit[1])) |
		(lead_of_4 & (bit[3] | (bit[2] & (bit[1] | bit[0]))));

	/* After E0 and F0 low ones are not, and after ED and F4 high ones. */
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

	unsigned	second = goes_on & lead << 1 & ~wrong;
	unsigned	third = goes_on & second << 1 & lead_of_3 << 2;
	unsigned	fourth = goes_on & third << 1 & lead_of_4 << 3;
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

/* Is a byte, of 80..BF, not in the range of the lead before it? */
__device__ static inline bool
out_of_range(unsigned lead, unsigned byte)
{
	return lead < 0xC2 || lead > 0xF4 || (lead == 0xE0 && byte < 0xA0) ||
		(lead == 0xED && byte > 0x9F) || (lead == 0xF0 && byte < 0x90) ||
		(lead == 0xF4 && byte > 0x8F);
}

/* The four bytes before the one with that index in the tile. */
__device__ static inline unsigned
bytes_before(const unsigned char *items, int index)
{
	const unsigned *word = (const unsigned *) (items + (index & ~3));

	/* what is shifted by is taken modulo 32 */
	return __funnelshift_r(word[-1], word[0], index * 8);
}

/* How many bytes has the code point that ends with these? */
__device__ static inline int
unit_length(unsigned bytes)
{
	return (int) bytes >= 0 ? 1 : bytes & 0x00400000u ? 2 :
		bytes & 0x00004000u ? 3 : 4;
}

/*
 * The code point that ends with these: six bits of each byte, summed up by
 * their weights, and of ASCII a seventh.  The last byte that does not go on
 * with a unit starts this one; from where its highest bit is that tells it from
 * one that does, 31, 22, 14 or 6, it is known how many bits of the sum are the
 * code point's: 6, 11, 16 or 21.
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
	bits &= (1u << ((410 - 10 * start) >> 4)) - 1;
	return (int) (bits | (bytes >> 24 & 0x40));
}

/* How many bytes has the error that ends with these? */
__device__ static inline int
error_length(unsigned bytes)
{
	/* No more than its first, or the second, or the third of four. */
	if ((bytes & 0xC0000000u) != 0x80000000u)
		return 1;
	if ((bytes & 0x00C00000u) == 0x00C00000u)
		return out_of_range(bytes >> 16 & 0xFF, bytes >> 24) ? 1 : 2;
	return (bytes & 0x00C0F000u) == 0x0080F000u &&
		!out_of_range(bytes >> 8 & 0xFF, bytes >> 16 & 0xFF) ? 3 : 1;
}

#endif							/* GPUCOMPACT_UTF8_UNITS_H */
