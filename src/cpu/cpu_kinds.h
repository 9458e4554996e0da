/*
 * cpu_kinds.h
 *	  Includes a template, KIND_TEMPLATE, for each kind of element.  Kinds that
 *	  differ only in sign share one instance.  The template can use:
 *
 *		KIND_NAME(name)			the name with this kind's suffix
 *		KIND_BITS				unsigned integer of an element's width
 *		KIND_CANONICALIZE(bits)	the same bits for equal elements
 *		KIND_ORDER(bits)		the order of canonical bits, see order.h
 *		KIND_SIGNED				signed KIND_BITS, defined for integers alone
 *		KIND_FLOAT				float or double, defined for these alone
 *		KIND_OF_ORDER(order)	the bits that have this order
 *
 * If KIND_WIDTHS_ONLY is defined, there are only instances for the widths of
 * elements, as unsigned integers.
 */
#include "contract/order.h"

#define KIND_NAME(name)		name##_1
#define KIND_BITS			uint8_t
#define KIND_SIGNED			int8_t
#include "cpu/cpu_kind.h"

#define KIND_NAME(name)		name##_2
#define KIND_BITS			uint16_t
#define KIND_SIGNED			int16_t
#include "cpu/cpu_kind.h"

#define KIND_NAME(name)		name##_4
#define KIND_BITS			uint32_t
#define KIND_SIGNED			int32_t
#include "cpu/cpu_kind.h"

#define KIND_NAME(name)		name##_8
#define KIND_BITS			uint64_t
#define KIND_SIGNED			int64_t
#include "cpu/cpu_kind.h"

#ifndef KIND_WIDTHS_ONLY

#define KIND_NAME(name)		name##_float4
#define KIND_BITS			uint32_t
#define KIND_CANONICALIZE(bits)	float4_canonicalize(bits)
#define KIND_ORDER(bits)	float4_order(bits)
#define KIND_OF_ORDER(order)	float4_of_order(order)
#define KIND_FLOAT			float
#include "cpu/cpu_kind.h"

#define KIND_NAME(name)		name##_float8
#define KIND_BITS			uint64_t
#define KIND_CANONICALIZE(bits)	float8_canonicalize(bits)
#define KIND_ORDER(bits)	float8_order(bits)
#define KIND_OF_ORDER(order)	float8_of_order(order)
#define KIND_FLOAT			double
#include "cpu/cpu_kind.h"

#endif

#undef KIND_WIDTHS_ONLY
#undef KIND_TEMPLATE

/* A table, by ElementKind, of a template's instances. */
#define KIND_TABLE(name) \
	{ \
		[KIND_UINT1] = name##_1, \
		[KIND_INT2] = name##_2, \
		[KIND_INT4] = name##_4, \
		[KIND_UINT4] = name##_4, \
		[KIND_INT8] = name##_8, \
		[KIND_FLOAT4] = name##_float4, \
		[KIND_FLOAT8] = name##_float8 \
	}
