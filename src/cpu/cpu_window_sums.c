/*
 * cpu_window_sums.c
 *	  Windows: sums.
 */
#include "cpu/cpu_window.h"

/* Sums of integers. */

#define WINDOW(name)		TYPE_NAME(sum_##name)
#define WINDOW_SUM			TYPE_WIDE
#define WINDOW_STORE(result, sum, overflow) \
	((result) = (sum), (overflow) |= (result) != (sum))
#define TYPES				TYPES_SIGNED
#include "cpu/cpu_window_types.h"

/* Their averages. */

#define WINDOW(name)		TYPE_NAME(average_##name)
#define WINDOW_SUM			TYPE_WIDE
#define WINDOW_RESULT		double
#define WINDOW_AVERAGES
#define WINDOW_STORE(result, sum, overflow) ((result) = (double) (sum))
#define TYPES				TYPES_SIGNED
#include "cpu/cpu_window_types.h"

/*
 * Sums of floats have two instances.  If a chunk has a result that is not
 * finite, the checked instance makes its results again: it distinguishes an
 * overflow from an infinity or a NaN among the elements.
 */

/* A sum of finite floats, and the HAS_... bits of the other floats. */
typedef struct float4_sum
{
	float		finite;
	int			has;
} float4_sum;

typedef struct float8_sum
{
	double		finite;
	int			has;
} float8_sum;

static inline int
not_finite(double element)
{
	return isnan(element) ? HAS_NAN :
		element > 0 ? HAS_INFINITY : HAS_MINUS_INFINITY;
}

WINDOW_INLINED float4_sum
float4_load(float element)
{
	return isfinite(element) ?
		(float4_sum) {element, 0} : (float4_sum) {-0.0f, not_finite(element)};
}

WINDOW_INLINED float8_sum
float8_load(double element)
{
	return isfinite(element) ?
		(float8_sum) {element, 0} : (float8_sum) {-0.0, not_finite(element)};
}

WINDOW_INLINED float4_sum
float4_add(float4_sum a, float4_sum b)
{
	return (float4_sum) {a.finite + b.finite, a.has | b.has};
}

WINDOW_INLINED float8_sum
float8_add(float8_sum a, float8_sum b)
{
	return (float8_sum) {a.finite + b.finite, a.has | b.has};
}

#define STORE_UNCHECKED(result, sum, overflow) \
	((result) = (sum), (overflow) |= !((sum) - (sum) == 0))
#define STORE_CHECKED(result, sum, overflow) \
	((result) = (sum).has == 0 ? (sum).finite : \
	 (sum).has == HAS_INFINITY ? INFINITY : \
	 (sum).has == HAS_MINUS_INFINITY ? -INFINITY : NAN, \
	 (overflow) |= (sum).has == 0 && !isfinite((sum).finite))

#define WINDOW(name)		TYPE_NAME(sum_##name)
#define WINDOW_IDENTITY		(TYPE_ELEMENT) -0.0
#define WINDOW_STORE		STORE_UNCHECKED
#define WINDOW_TOTAL		TYPE_NAME(sum)
#define TYPES				TYPES_FLOATS
#include "cpu/cpu_window_types.h"

#define WINDOW(name)		TYPE_NAME(checked_sum_##name)
#define WINDOW_SUM			TYPE_NAME(sum)
#define WINDOW_IDENTITY		((TYPE_NAME(sum)) {-0.0, 0})
#define WINDOW_LOAD			TYPE_NAME(load)
#define WINDOW_OP			TYPE_NAME(add)
#define WINDOW_STORE		STORE_CHECKED
#define TYPES				TYPES_FLOATS
#include "cpu/cpu_window_types.h"

#define WINDOW(name)		TYPE_NAME(float8_sum_##name)
#define WINDOW_SUM			double
#define WINDOW_RESULT		double
#define WINDOW_IDENTITY		-0.0
#define WINDOW_STORE		STORE_UNCHECKED
#define WINDOW_TOTAL		float8_sum
#define TYPES				TYPES_FLOAT4
#include "cpu/cpu_window_types.h"

#define WINDOW(name)		TYPE_NAME(checked_float8_sum_##name)
#define WINDOW_SUM			float8_sum
#define WINDOW_RESULT		double
#define WINDOW_IDENTITY		((float8_sum) {-0.0, 0})
#define WINDOW_LOAD			float8_load
#define WINDOW_OP			float8_add
#define WINDOW_STORE		STORE_CHECKED
#define TYPES				TYPES_FLOAT4
#include "cpu/cpu_window_types.h"

const WindowWorks cpu_window_sums[ELEMENT_KINDS] = {
	[KIND_INT2] = {&int2_sum_work},
	[KIND_INT4] = {&int4_sum_work},
	[KIND_INT8] = {&int8_sum_work},
	[KIND_FLOAT4] = {&float4_sum_work, &float4_checked_sum_work},
	[KIND_FLOAT8] = {&float8_sum_work, &float8_checked_sum_work}
};

const WindowWorks cpu_window_averages[ELEMENT_KINDS] = {
	[KIND_INT2] = {&int2_average_work},
	[KIND_INT4] = {&int4_average_work},
	[KIND_INT8] = {&int8_average_work},
	[KIND_FLOAT4] = {
		&float4_float8_sum_work, &float4_checked_float8_sum_work
	}
};
