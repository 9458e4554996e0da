/*
 * cpu_types.h
 *	  Includes a template, TYPE_TEMPLATE, for each type of elements in the set
 *	  TYPES.  The template can use:
 *
 *		TYPE_NAME(name)		the name with the type's prefix
 *		TYPE_ELEMENT		the type of elements
 *		TYPE_FIRST, TYPE_LAST	the first one and the last one in their order
 *		TYPE_WIDE			for integers: a type in which their sums are exact
 *		TYPE_BITS			for floats: unsigned integer of their width
 */
#include <math.h>

#include "contract/wide_sum.h"

#define TYPES_UNSIGNED		1	/* uint1 and uint4 */
#define TYPES_SHORT			2	/* int2 and int4 */
#define TYPES_INT8			4
#define TYPES_FLOAT4		8
#define TYPES_FLOAT8		16
#define TYPES_SIGNED		(TYPES_SHORT | TYPES_INT8)
#define TYPES_FLOATS		(TYPES_FLOAT4 | TYPES_FLOAT8)

#if (TYPES) & TYPES_UNSIGNED
#define TYPE_NAME(name)		uint1_##name
#define TYPE_ELEMENT		uint8_t
#define TYPE_FIRST			0
#define TYPE_LAST			UINT8_MAX
#include "cpu/cpu_type.h"

#define TYPE_NAME(name)		uint4_##name
#define TYPE_ELEMENT		uint32_t
#define TYPE_FIRST			0
#define TYPE_LAST			UINT32_MAX
#include "cpu/cpu_type.h"
#endif

#define TYPE_WIDE			int64_t

#if (TYPES) & TYPES_SHORT
#define TYPE_NAME(name)		int2_##name
#define TYPE_ELEMENT		int16_t
#define TYPE_FIRST			INT16_MIN
#define TYPE_LAST			INT16_MAX
#include "cpu/cpu_type.h"

#define TYPE_NAME(name)		int4_##name
#define TYPE_ELEMENT		int32_t
#define TYPE_FIRST			INT32_MIN
#define TYPE_LAST			INT32_MAX
#include "cpu/cpu_type.h"
#endif

#undef TYPE_WIDE
#define TYPE_WIDE			WideSum

#if (TYPES) & TYPES_INT8
#define TYPE_NAME(name)		int8_##name
#define TYPE_ELEMENT		int64_t
#define TYPE_FIRST			INT64_MIN
#define TYPE_LAST			INT64_MAX
#include "cpu/cpu_type.h"
#endif

#undef TYPE_WIDE

#if (TYPES) & TYPES_FLOAT4
#define TYPE_NAME(name)		float4_##name
#define TYPE_ELEMENT		float
#define TYPE_BITS			uint32_t
#define TYPE_FIRST			(-INFINITY)
#define TYPE_LAST			NAN
#include "cpu/cpu_type.h"
#endif

#if (TYPES) & TYPES_FLOAT8
#define TYPE_NAME(name)		float8_##name
#define TYPE_ELEMENT		double
#define TYPE_BITS			uint64_t
#define TYPE_FIRST			(-INFINITY)
#define TYPE_LAST			NAN
#include "cpu/cpu_type.h"
#endif

#undef TYPES
#undef TYPE_TEMPLATE

/* Rows of a table, by ElementKind: pointers to instances of a template. */
#define TYPE_ROWS_SIGNED(name) \
	[KIND_INT2] = &int2_##name, \
	[KIND_INT4] = &int4_##name, \
	[KIND_INT8] = &int8_##name
#define TYPE_ROWS_FLOATS(name) \
	[KIND_FLOAT4] = &float4_##name, \
	[KIND_FLOAT8] = &float8_##name
#define TYPE_ROWS_NUMBERS(name) \
	TYPE_ROWS_SIGNED(name), TYPE_ROWS_FLOATS(name)
#define TYPE_ROWS(name) \
	[KIND_UINT1] = &uint1_##name, \
	[KIND_UINT4] = &uint4_##name, \
	TYPE_ROWS_NUMBERS(name)
