/*
 * element.h
 *	  Facts about element types.
 *
 * Only types of fixed size whose size is a multiple of their alignment, so
 * that an array's elements lie side by side.
 */
#ifndef GPUCOMPACT_ELEMENT_H
#define GPUCOMPACT_ELEMENT_H

#include "compat.h"

#include "access/tupmacs.h"
#include "catalog/pg_type_d.h"

#include "contract/order.h"

typedef struct ElementType
{
	Oid			oid;			/* a domain over the type keeps its own */
	Oid			base;			/* the type that a domain is over, or "oid" */
	Oid			array;			/* arrays of "base" */
	ElementKind kind;
	int			size;			/* bytes */
	bool		has_zero;		/* one of its elements is 0 */
	bool		is_number;
} ElementType;

/* An element of a type of numbers. */
typedef union ElementValue
{
	int16		int2;
	int32		int4;
	int64		int8;
	float		float4;
	double		float8;
} ElementValue;

/* An element as a datum. */
static inline Datum
element_datum(const ElementType *type, const void *element)
{
	return fetch_att(element, true, type->size);
}

/* The bits of an element in memory, as the low ones of a word. */
static inline uint64
element_bits(const void *element, int size)
{
	return size == 8 ? *(const uint64 *) element :
		size == 4 ? *(const uint32 *) element :
		size == 2 ? *(const uint16 *) element : *(const uint8 *) element;
}

/* The inverse. */
static inline void
put_element_bits(void *element, uint64 bits, int size)
{
	if (size == 8)
		*(uint64 *) element = bits;
	else if (size == 4)
		*(uint32 *) element = (uint32) bits;
	else if (size == 2)
		*(uint16 *) element = (uint16) bits;
	else
		*(uint8 *) element = (uint8) bits;
}

/*
 * The bits of an element as a datum, and perhaps others above them.  A boolean
 * is 0 or 1, as array_reader.c has it.
 */
static inline uint64
datum_bits(const ElementType *type, Datum value)
{
	if (type->base == BOOLOID)
		return (uint8) value != 0;
	return type->size == sizeof(int64) ? (uint64) DatumGetInt64(value) :
		(uint64) value;
}

/*
 * The elements of a kind have an index in its order: the least has 0, and equal
 * elements have the same.
 */

/* The bits of an element of the kind. */
static inline uint64
kind_mask(ElementKind kind)
{
	return PG_UINT64_MAX >> (64 - 8 * kind_size(kind));
}

/* The index of an element, given by its bits. */
static inline uint64
element_index(ElementKind kind, uint64 bits)
{
	uint64		order = kind == KIND_FLOAT4 ?
		float4_order(float4_canonicalize((uint32) bits)) :
		kind == KIND_FLOAT8 ? float8_order(float8_canonicalize(bits)) : bits;

	return (order - kind_least(kind)) & kind_mask(kind);
}

/* The index of an element in memory. */
static inline uint64
element_order(ElementKind kind, const void *element)
{
	return element_index(kind, element_bits(element, kind_size(kind)));
}

/* An element of a kind of signed integers, or a byte. */
static inline int64
element_integer(const void *element, int size)
{
	return size == 8 ? *(const int64 *) element :
		size == 4 ? *(const int32 *) element :
		size == 2 ? *(const int16 *) element : *(const uint8 *) element;
}

extern const ElementType *const int4_type;
extern const ElementType *const int8_type;
extern const ElementType *const float8_type;
extern const ElementType *const bool_type;

extern ElementType element_type(Oid oid);
extern bool is_base_type(Oid oid);
extern bool is_supported_type(Oid oid);
extern bool is_supported_array(Oid oid);
extern const char *unsupported_type_hint(Oid oid);
extern double one_nan(double value);
extern bool is_number_type(Oid oid);
extern uint64 last_index(ElementKind kind);
extern int64 integer_at(ElementKind kind, uint64 index);
extern float8 float_at(ElementKind kind, uint64 index);
#define NUMBER_TYPES_HINT \
	"Supported types are smallint, integer, bigint, real and double precision."

pg_noreturn extern void raise_unsupported_type(Oid oid, const char *hint);
pg_noreturn extern void raise_domain(const ElementType *type,
									 const char *detail);
extern void check_number_or_hint(const ElementType *type, const char *hint);
extern void check_number(const ElementType *type);
extern void check_arithmetic(const ElementType *type);
extern void check_declared(const ElementType *type, Oid declared);
extern const char *wider_type_hint(ElementKind kind);
extern void check_overflow(ElementKind kind, EngineOverflow overflow);

#endif							/* GPUCOMPACT_ELEMENT_H */
