/*
 * element_order.c
 *	  The elements of a kind by their index in its order.
 */
#include "compat.h"

#include "array/element_order.h"
#include "contract/order.h"

/* The bits of an element of the kind. */
uint64
kind_mask(ElementKind kind)
{
	return PG_UINT64_MAX >> (64 - 8 * kind_size(kind));
}

/* The index of the kind's greatest element, which of floats is NaN. */
uint64
last_index(ElementKind kind)
{
	return kind == KIND_FLOAT4 ? float4_order(0x7FC00000) :
		kind == KIND_FLOAT8 ? float8_order(UINT64CONST(0x7FF8000000000000)) :
		kind_mask(kind);
}

/* The index of an element, given by its bits. */
uint64
element_index(ElementKind kind, uint64 bits)
{
	uint64		order = kind == KIND_FLOAT4 ?
		float4_order(float4_canonicalize((uint32) bits)) :
		kind == KIND_FLOAT8 ? float8_order(float8_canonicalize(bits)) : bits;

	return (order - kind_least(kind)) & kind_mask(kind);
}

/* The element at an index, of a kind of integers. */
int64
integer_at(ElementKind kind, uint64 index)
{
	uint64		bits = kind_least(kind) + index;

	return kind == KIND_INT2 ? (int16) bits :
		kind == KIND_INT4 ? (int32) bits : (int64) bits;
}

/* The element at an index, an integer or a float, as a double. */
float8
float_at(ElementKind kind, uint64 index)
{
	uint32		float4_bits;
	uint64		float8_bits;
	float4		narrow;
	float8		wide;

	if (kind == KIND_FLOAT4)
	{
		float4_bits = float4_of_order((uint32) index);
		memcpy(&narrow, &float4_bits, sizeof(narrow));
		return narrow;
	}
	if (kind == KIND_FLOAT8)
	{
		float8_bits = float8_of_order(index);
		memcpy(&wide, &float8_bits, sizeof(wide));
		return wide;
	}
	return (float8) integer_at(kind, index);
}
