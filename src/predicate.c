/*
 * predicate.c
 *	  What elements are asked, for an engine.
 *
 * A comparison is a range in the order of the elements, or what is outside it.
 */
#include "compat.h"

#include "operator.h"
#include "order.h"
#include "predicate.h"

static const char *const operator_names[PREDICATE_OPERATORS] = {
	[PREDICATE_EQUAL] = "=",
	[PREDICATE_NOT_EQUAL] = "<>",
	[PREDICATE_LESS] = "<",
	[PREDICATE_LESS_OR_EQUAL] = "<=",
	[PREDICATE_GREATER] = ">",
	[PREDICATE_GREATER_OR_EQUAL] = ">="
};

/* An operator's range reaches from the value, or the least there is, ... */
typedef struct OperatorRange
{
	bool		from_least;
	bool		to_greatest;
	bool		outside;
} OperatorRange;

static const OperatorRange operator_ranges[PREDICATE_OPERATORS] = {
	[PREDICATE_EQUAL] = {false, false, false},
	[PREDICATE_NOT_EQUAL] = {false, false, true},
	[PREDICATE_LESS] = {false, true, true},
	[PREDICATE_LESS_OR_EQUAL] = {true, false, false},
	[PREDICATE_GREATER] = {true, false, true},
	[PREDICATE_GREATER_OR_EQUAL] = {false, true, false}
};

/* The ends of a kind's order: of floats, they are -Infinity and NaN. */
typedef struct KindRange
{
	uint64		least;
	uint64		greatest;
} KindRange;

static const KindRange kind_ranges[ELEMENT_KINDS] = {
	[KIND_UINT1] = {0, PG_UINT8_MAX},
	[KIND_INT2] = {0x8000, 0x7FFF},
	[KIND_INT4] = {0x80000000, 0x7FFFFFFF},
	[KIND_UINT4] = {0, PG_UINT32_MAX},
	[KIND_INT8] = {UINT64CONST(0x8000000000000000),
	UINT64CONST(0x7FFFFFFFFFFFFFFF)},
	[KIND_FLOAT4] = {0, 0xFF400001},
	[KIND_FLOAT8] = {0, UINT64CONST(0xFFE8000000000001)}
};

static uint64
datum_bits(Datum value, int size)
{
	switch (size)
	{
		case 1:
			return DatumGetUInt8(value);
		case 2:
			return DatumGetUInt16(value);
		case 4:
			return DatumGetUInt32(value);
		default:
			return (uint64) DatumGetInt64(value);
	}
}

static uint64
bits_order(ElementKind kind, uint64 bits)
{
	if (kind == KIND_FLOAT4)
		return float4_order(float4_unify((uint32) bits));
	if (kind == KIND_FLOAT8)
		return float8_order(float8_unify(bits));
	return bits;
}

static EnginePredicate
make_predicate(ElementKind kind, PredicateOperator operator, uint64 bits)
{
	const OperatorRange *range = &operator_ranges[operator];
	const KindRange *all = &kind_ranges[kind];
	uint64		order = bits_order(kind, bits);
	uint64		low = range->from_least ? all->least : order;
	uint64		high = range->to_greatest ? all->greatest : order;
	EnginePredicate predicate = {
		.low = low,
		.span = (high - low) & (PG_UINT64_MAX >> (64 - 8 * kind_size(kind))),
		.outside = range->outside
	};

	return predicate;
}

/*
 * The operator that an argument names.
 *
 * Raises 22023 if there is no such.
 */
PredicateOperator
predicate_operator(Datum argument)
{
	return operator_argument(argument, operator_names, PREDICATE_OPERATORS);
}

/* Does an element of the type compare so with the value, which is of it? */
EnginePredicate
compare_with(const ElementType *type, PredicateOperator operator, Datum value)
{
	return make_predicate(type->kind, operator, datum_bits(value, type->size));
}

/* Is it not equal to 0? */
EnginePredicate
not_zero(const ElementType *type)
{
	return make_predicate(type->kind, PREDICATE_NOT_EQUAL, 0);
}
