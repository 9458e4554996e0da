/*
 * cpu_span_order.h
 *	  The order of the keys of a short span.
 */
#ifndef GPUCOMPACT_CPU_SPAN_ORDER_H
#define GPUCOMPACT_CPU_SPAN_ORDER_H

#include <stdint.h>

/* The fewest keys of a span, and the most: powers of two. */
#define SPAN_LEAST_BITS		8
#define SPAN_MOST_BITS		16

/* Arrays of a span, and those for its sort; the ranks take half of one. */
#define SPAN_SPARE			3
#define SPAN_ARRAYS			6

/* The most keys of a frame that a network sorts, and frames side by side. */
#define FRAME_ROWS			16
#define FRAME_LANES			64

/* Keys, and memory to sort them: each has room for a span. */
typedef struct CpuSpan
{
	int			bits;			/* the span has 1 << bits keys */
	int64_t    *keys;
	int64_t    *sorted;			/* room for them */
	uint32_t   *ranks;			/* of the keys in the stable order, from 0 on */
	int64_t    *spare[SPAN_SPARE];
} CpuSpan;

/* Finds the ranks of the keys.  Returns the sorted ones. */
extern const int64_t *cpu_span_order(const CpuSpan *span);

/*
 * Sorts frames of "width" keys, at most FRAME_ROWS, that begin with each of
 * FRAME_LANES keys: their i-th keys go to row i.
 */
extern void cpu_span_sort_frames(int64_t rows[FRAME_ROWS][FRAME_LANES],
								 const int64_t *keys, int width);

#endif							/* GPUCOMPACT_CPU_SPAN_ORDER_H */
