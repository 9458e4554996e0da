/*
 * cpu_window_extremes.c
 *	  Windows: minima and maxima, which are the last one of equal elements.
 */
#include "contract/order.h"
#include "cpu/cpu_window.h"

#define STORE_INTEGER(result, sum, overflow)	((result) = (sum))

/* All NaNs become the same one. */
#define STORE_FLOAT(result, sum, overflow) \
	((result) = isnan(sum) ? NAN : (sum))

#define WINDOW(name)		TYPE_NAME(min_##name)
#define WINDOW_IDENTITY		TYPE_LAST
#define WINDOW_OP(a, b)		((a) < (b) ? (a) : (b))
#define WINDOW_STORE		STORE_INTEGER
#define TYPES				(TYPES_UNSIGNED | TYPES_SIGNED)
#include "cpu/cpu_window_types.h"

#define WINDOW(name)		TYPE_NAME(max_##name)
#define WINDOW_IDENTITY		TYPE_FIRST
#define WINDOW_OP(a, b)		((b) < (a) ? (a) : (b))
#define WINDOW_STORE		STORE_INTEGER
#define TYPES				(TYPES_UNSIGNED | TYPES_SIGNED)
#include "cpu/cpu_window_types.h"

#define WINDOW(name)		TYPE_NAME(min_##name)
#define WINDOW_IDENTITY		TYPE_LAST
#define WINDOW_OP(a, b)		(FLOAT_LESS(a, b) ? (a) : (b))
#define WINDOW_STORE		STORE_FLOAT
#define TYPES				TYPES_FLOATS
#include "cpu/cpu_window_types.h"

#define WINDOW(name)		TYPE_NAME(max_##name)
#define WINDOW_IDENTITY		TYPE_FIRST
#define WINDOW_OP(a, b)		(FLOAT_LESS(b, a) ? (a) : (b))
#define WINDOW_STORE		STORE_FLOAT
#define TYPES				TYPES_FLOATS
#include "cpu/cpu_window_types.h"

const WindowWork *const cpu_window_minima[ELEMENT_KINDS] = {
	TYPE_ROWS_UNSIGNED(min_work),
	TYPE_ROWS_NUMBERS(min_work)
};

const WindowWork *const cpu_window_maxima[ELEMENT_KINDS] = {
	TYPE_ROWS_UNSIGNED(max_work),
	TYPE_ROWS_NUMBERS(max_work)
};
