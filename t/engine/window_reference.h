/*
 * window_reference.h
 *	  What the tests of frames share: how wide frames are, and sums of integers.
 */
#ifndef GPUCOMPACT_WINDOW_REFERENCE_H
#define GPUCOMPACT_WINDOW_REFERENCE_H

#include "contract/wide_sum.h"
#include "engines.h"

/*
 * A frame of some width, before or after an element or around it.  It reaches
 * no farther than "most" elements.
 */
static inline void
choose_frame(int64_t count, int64_t most, int64_t *preceding,
			 int64_t *following)
{
	static const int64_t widths[] = {
		1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128,
		129, 257, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 3000, 4096, 5000,
		8192, 10001, 16383, 16384, 16385, 65535, 65536, 65537, 100000
	};
	const int64_t others[] = {count, count + 1, 1 + count / 2, INT32_MAX};
	uint64_t	which = random_bits() % (LENGTH(widths) + LENGTH(others));
	int64_t		width = which < LENGTH(widths) ? widths[which] :
		others[which - LENGTH(widths)];
	const int64_t choices[] = {0, width - 1, random_bits() % width};
	int64_t		before = choices[random_bits() % LENGTH(choices)];
	int64_t		behind = width - 1 - before;

	*preceding = before < most ? before : most;
	*following = behind < most ? behind : most;
}

/* Puts an integer, and returns whether its kind has it. */
static inline bool
put_integer(ElementKind kind, char *results, int64_t i, WideSum value)
{
	int64_t		greatest = (int64_t) (UINT64_MAX >> (65 - 8 * kind_size(kind)));

	put_value(kind, results, i, (TestValue) {(int64_t) value});
	return value <= greatest && value >= -(WideSum) greatest - 1;
}

#endif							/* GPUCOMPACT_WINDOW_REFERENCE_H */
