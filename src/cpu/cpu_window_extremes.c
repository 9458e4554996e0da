/*
 * cpu_window_extremes.c
 *	  Windows: minima and maxima, which are the last one of equal elements.
 */
#include "contract/order.h"
#include "cpu/cpu_window.h"

#define STORE_AS_IS(result, sum, overflow)	((result) = (sum))

/* All NaNs become the same one. */
#define STORE_FLOAT(result, sum, overflow) \
	((result) = isnan(sum) ? NAN : (sum))

#define WINDOW(name)		TYPE_NAME(min_##name)
#define WINDOW_IDENTITY		TYPE_LAST
#define WINDOW_OP(a, b)		((a) < (b) ? (a) : (b))
#define WINDOW_STORE		STORE_AS_IS
#define TYPES				(TYPES_UNSIGNED | TYPES_SIGNED)
#include "cpu/cpu_window_types.h"

#define WINDOW(name)		TYPE_NAME(max_##name)
#define WINDOW_IDENTITY		TYPE_FIRST
#define WINDOW_OP(a, b)		((b) < (a) ? (a) : (b))
#define WINDOW_STORE		STORE_AS_IS
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

/*
 * Floats among which there are no NaNs need one comparison, which is an
 * instruction.  Others are left to the instance above.
 */

#define WINDOW(name)		TYPE_NAME(plain_min_##name)
#define WINDOW_PLAIN
#define WINDOW_IDENTITY		INFINITY
#define WINDOW_OP(a, b)		((a) < (b) ? (a) : (b))
#define WINDOW_STORE		STORE_AS_IS
#define TYPES				TYPES_FLOATS
#include "cpu/cpu_window_types.h"

#define WINDOW(name)		TYPE_NAME(plain_max_##name)
#define WINDOW_PLAIN
#define WINDOW_IDENTITY		-INFINITY
#define WINDOW_OP(a, b)		((b) < (a) ? (a) : (b))
#define WINDOW_STORE		STORE_AS_IS
#define TYPES				TYPES_FLOATS
#include "cpu/cpu_window_types.h"

#define EXTREMES(name) \
	{ \
		[KIND_UINT1] = {&uint1_##name##_work}, \
		[KIND_INT2] = {&int2_##name##_work}, \
		[KIND_INT4] = {&int4_##name##_work}, \
		[KIND_UINT4] = {&uint4_##name##_work}, \
		[KIND_INT8] = {&int8_##name##_work}, \
		[KIND_FLOAT4] = {&float4_plain_##name##_work, &float4_##name##_work}, \
		[KIND_FLOAT8] = {&float8_plain_##name##_work, &float8_##name##_work} \
	}

const WindowWorks cpu_window_minima[ELEMENT_KINDS] = EXTREMES(min);
const WindowWorks cpu_window_maxima[ELEMENT_KINDS] = EXTREMES(max);
