/*
 * cpu_window_types.h
 *	  Windows of one operator over elements of each of the TYPES (cpu_types.h).
 *
 * Define these before including this file:
 *
 *	  WINDOW(name)	the name with the type's prefix and the operator's
 *	  WINDOW_STORE(result, sum, overflow)	sets the result, and "overflow" to 1
 *						if it is not in its range, or may not be and there is a
 *						checked instance
 *
 * And these, unless the default for minima and maxima fits:
 *
 *	  WINDOW_SUM		the type in which elements are combined
 *	  WINDOW_RESULT		the results' type
 *
 * WINDOW_AVERAGES says that all results are averages of integers.
 *
 * WINDOW_PLAIN says that the instance leaves NaNs, and blocks of several tiles,
 * to the checked one.
 *
 * And these, unless the default for sums of integers, which are exact, fits:
 *
 *	  WINDOW_IDENTITY	the WINDOW_SUM that changes no other one
 *	  WINDOW_OP(a, b)	combines two
 *	  WINDOW_LOAD(x)	an element as a WINDOW_SUM
 *	  WINDOW_TOTAL		the checked instance's WINDOW_SUM, if there is one
 *
 * It defines WINDOW(work) of each type, with what cpu_range_window.h has for
 * the same operator.
 */
#ifndef WINDOW_SUM
#define WINDOW_SUM			TYPE_ELEMENT
#endif
#ifndef WINDOW_RESULT
#define WINDOW_RESULT		TYPE_ELEMENT
#endif
#ifndef WINDOW_IDENTITY
#define WINDOW_IDENTITY		0
#define WINDOW_SLIDES
#endif
#ifndef WINDOW_OP
#define WINDOW_OP(a, b)		((a) + (b))
#endif
#ifndef WINDOW_LOAD
#define WINDOW_LOAD(x)		((WINDOW_SUM) (x))
#endif

#ifdef WINDOW_PLAIN
#define WINDOW_TOTALS		NULL
#define WINDOW_RANGES		{WINDOW(range_totals), WINDOW(range_chunk), true}
#else
#define WINDOW_TOTALS		WINDOW(totals)
#define WINDOW_RANGES		{WINDOW(range_totals), WINDOW(range_chunk)}
#endif

/*
 * The total of a tile, in the checked instance's type if there is one.  A total
 * of more than finite floats is then a NaN, so every result with it is made
 * again.
 */
#ifdef WINDOW_TOTAL
#define WINDOW_TO_TOTAL(sum)		((WINDOW_TOTAL) {sum, 0})
#define WINDOW_FROM_TOTAL(total)	((total).has != 0 ? NAN : (total).finite)
#define WINDOW_ACCUMULATE	NULL
#else
#define WINDOW_TOTAL		WINDOW_SUM
#define WINDOW_TO_TOTAL(sum)		(sum)
#define WINDOW_FROM_TOTAL(total)	(total)
#define WINDOW_ACCUMULATE	WINDOW(accumulate)
#define WINDOW_ACCUMULATES
#endif

#define TYPE_TEMPLATE		"cpu/cpu_window_template.h"
#include "cpu/cpu_types.h"

#undef WINDOW_ACCUMULATE
#undef WINDOW_ACCUMULATES
#undef WINDOW_AVERAGES
#undef WINDOW_PLAIN
#undef WINDOW_SLIDES
#undef WINDOW
#undef WINDOW_SUM
#undef WINDOW_TOTAL
#undef WINDOW_RESULT
#undef WINDOW_IDENTITY
#undef WINDOW_LOAD
#undef WINDOW_OP
#undef WINDOW_STORE
#undef WINDOW_TOTALS
#undef WINDOW_RANGES
#undef WINDOW_TO_TOTAL
#undef WINDOW_FROM_TOTAL
