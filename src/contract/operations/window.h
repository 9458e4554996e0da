/*
 * window.h
 *	  WINDOW: the least, the greatest or the sum of the frame around each
 *	  element, and the order in which both engines combine a frame's elements.
 *
 * The frame of element i goes from i - preceding to i + following, cut at the
 * ends of the array.  The work for an element must not grow with the width of
 * the frame, and a sum of floats must depend on the elements of its frame
 * alone.  So a frame is put together from the ends of blocks, as van Herk and
 * Gil and Werman did for minima.  With "op" for the operator:
 *
 * A frame of fewer than WINDOW_SEGMENT elements, before it is cut, is combined
 * from left to right.
 *
 * Otherwise the array is divided into blocks, whose length is the greatest
 * power of two that is not greater than that width.  P(j) is the prefix of the
 * block of element j that ends with j, and S(j) the suffix that begins with j.
 * No frame touches more than three blocks:
 *
 *	  one	P(last) if the frame begins where the block does, else S(first):
 *			then it ends where the block, or the array, does
 *	  two	S(first) op P(last)
 *	  three (S(first) op P(last of the block between)) op P(last)
 *
 * Within a block, segments have WINDOW_SEGMENT elements, and tiles have
 * WINDOW_TILE, unless the block or the array ends before:
 *
 *	  P(j) = c op (r op s)	with s for the elements of the segment up to j, from
 *							left to right; r for the segments of the tile before
 *							that, of each its last s, from left to right; and c
 *							for the tiles of the block before that, of each its
 *							last r op s, from left to right;
 *	  S(j) = (s op r) op c	the same the other way round: s from right to left
 *							down to j, and r and c of what comes after, from
 *							right to left.
 *
 * What is not there is left out; for a sum, that is the same as adding -0.
 *
 * Sums of integers are exact in a wider type, so that their order does not
 * matter, and overflow if the sum of a frame is not in the range of the result.
 * Averages of integers are exact before they are rounded.  Sums of floats
 * overflow if they are not finite although all elements of the frame are.  An
 * infinity or a NaN decides the sum of its frame by itself.
 *
 * Minima and maxima use the same order, in which the last of equal elements
 * wins.  All NaNs become the same one.
 */
#ifndef GPUCOMPACT_OPERATIONS_WINDOW_H
#define GPUCOMPACT_OPERATIONS_WINDOW_H

#include "contract/operations/scan.h"
#include "contract/wide_sum.h"

/* These define results; they are not tunings. */
#define WINDOW_SEGMENT	16
#define WINDOW_TILE		1024

typedef struct WindowParameters
{
	ScanOperator op;			/* SCAN_MIN, SCAN_MAX or SCAN_ADD */

	/*
	 * Divide each sum by the number of elements in its frame.  The results
	 * are float8.  A table, if there is one, has the numbers to divide by
	 * instead, as int32.
	 */
	bool		average;
	int64_t		preceding;		/* elements of a frame before its own */
	int64_t		following;		/* and after */
} WindowParameters;

/* The values in a frame of floats that are not finite numbers. */
#define HAS_NAN			1
#define HAS_INFINITY	2
#define HAS_MINUS_INFINITY 4

/* Frames, and the blocks for them. */
typedef struct WindowFrames
{
	int64_t		count;			/* elements of the array */
	int64_t		preceding;		/* no more than the array has */
	int64_t		following;
	int64_t		block;			/* the length of a block */
} WindowFrames;

ENGINES_INLINE WindowFrames
window_frames(const WindowParameters *parameters, int64_t count)
{
	int64_t		preceding = parameters->preceding;
	int64_t		following = parameters->following;
	WindowFrames frames;

	frames.count = count;
	frames.preceding = preceding < count ? preceding : count;
	frames.following = following < count ? following : count;
	frames.block = 1;
	while (2 * frames.block <= frames.preceding + frames.following + 1)
		frames.block *= 2;
	return frames;
}

/* Returns true if each frame is combined from left to right, without blocks. */
ENGINES_INLINE bool
window_is_narrow(const WindowFrames *frames)
{
	return frames->block < WINDOW_SEGMENT;
}

/* Returns true if a block is no shorter than a tile. */
ENGINES_INLINE bool
window_has_totals(const WindowFrames *frames)
{
	return frames->block >= WINDOW_TILE;
}

/* The first element of the frame of an element, and the last. */
ENGINES_INLINE int64_t
window_first(const WindowFrames *frames, int64_t i)
{
	return i < frames->preceding ? 0 : i - frames->preceding;
}

ENGINES_INLINE int64_t
window_last(const WindowFrames *frames, int64_t i)
{
	return frames->count - i <= frames->following ?
		frames->count - 1 : i + frames->following;
}

#endif							/* GPUCOMPACT_OPERATIONS_WINDOW_H */
