/*
 * scan_reference.h
 *	  A reference implementation of scans and differences: element by element,
 *	  in the widest types.
 */
#ifndef GPUCOMPACT_SCAN_REFERENCE_H
#define GPUCOMPACT_SCAN_REFERENCE_H

#include "contract/operations/scan.h"
#include "float_reference.h"

static TestValue
number_of(ElementKind kind, double value)
{
	return kind_is_float(kind) ? (TestValue) {.real = value} :
		(TestValue) {.integer = (int64_t) value};
}

static TestValue
greatest(ElementKind kind)
{
	if (kind_is_float(kind))
		return (TestValue) {.real = kind == KIND_FLOAT4 ? FLT_MAX : DBL_MAX};
	return (TestValue) {.integer = (int64_t)
		(UINT64_MAX >> (65 - 8 * kind_size(kind) - kind_is_unsigned(kind)))
	};
}

/* Notes whether an integer is out of its kind's range. */
static TestValue
in_range(ElementKind kind, int64_t integer, bool out, EngineOverflow *overflow)
{
	int64_t		most = greatest(kind).integer;

	if (out || integer > most || integer < -most - 1)
		note(overflow, OVERFLOW_UP);
	return (TestValue) {.integer = integer};
}

static TestValue
combine_integers(ElementKind kind, ScanOperator operator, int64_t a, int64_t b,
				 EngineOverflow *overflow)
{
	int64_t		result = 0;
	bool		out = false;

	if (operator == SCAN_ADD)
		out = __builtin_add_overflow(a, b, &result);
	else if (operator == SCAN_MULTIPLY)
		out = __builtin_mul_overflow(a, b, &result);
	else
		result = operator == SCAN_MIN ? (a < b ? a : b) :
			operator == SCAN_MAX ? (a > b ? a : b) :
			operator == SCAN_AND ? (a & b) :
			operator == SCAN_OR ? (a | b) : (a ^ b);
	return in_range(kind, result, out, overflow);
}

static TestValue
combine(ElementKind kind, ScanOperator operator, TestValue a, TestValue b,
		EngineOverflow *overflow)
{
	if (!kind_is_float(kind))
		return combine_integers(kind, operator, a.integer, b.integer,
								overflow);
	if (operator == SCAN_ADD)
		return (TestValue) {.real = plus(kind, a.real, b.real, overflow)};
	if (operator == SCAN_MULTIPLY)
		return (TestValue) {.real = times(kind, a.real, b.real, overflow)};
	return (operator == SCAN_MIN ? is_less(a.real, b.real) :
			is_less(b.real, a.real)) ? a : b;
}

static EngineOverflow
scan_in_turn(const EngineRequest *request, const void *in, void *out)
{
	EngineOverflow overflow = OVERFLOW_NONE;
	TestValue	running = test_value(request->kinds[0], in, 0);

	for (int64_t i = 0; i < request->count; i++)
	{
		if (i > 0)
			running = combine(request->outputs[0].kind,
							  PARAMETERS(request, ScanParameters)->op, running,
							  test_value(request->kinds[0], in, i), &overflow);
		put_value(request->outputs[0].kind, out, i, running);
	}
	return overflow;
}

/* Sums and products of floats, in the order of float_order.h. */
static EngineOverflow
scan_in_order(const EngineRequest *request, const void *in, void *out)
{
	ElementKind kind = request->kinds[0];
	ScanOperator operator = PARAMETERS(request, ScanParameters)->op;
	EngineOverflow overflow = OVERFLOW_NONE;
	TestValue	identity = {.real = operator == SCAN_ADD ? -0.0 : 1.0};
	TestValue	c = identity;
	TestValue	r = identity;
	TestValue	s = identity;

	for (int64_t i = 0; i < request->count; i++)
	{
		TestValue	element = test_value(kind, in, i);

		if (i % FLOAT_TILE == 0 && i > 0)
			c = test_value(kind, out, i - 1);
		if (i % FLOAT_TILE == 0)
			r = identity;
		else if (i % FLOAT_SEGMENT == 0)
			r = combine(kind, operator, r, s, &overflow);
		s = i % FLOAT_SEGMENT == 0 ? element :
			combine(kind, operator, s, element, &overflow);
		put_value(kind, out, i,
				  combine(kind, operator, combine(kind, operator, c, r,
												  &overflow), s, &overflow));
	}
	return overflow;
}

/* The differences to the element "lag" before. */
static EngineOverflow
subtract_in_turn(const EngineRequest *request, int64_t lag, const void *in,
				 void *out)
{
	ElementKind kind = request->kinds[0];
	EngineOverflow overflow = OVERFLOW_NONE;

	for (int64_t i = 0; i < request->count; i++)
	{
		TestValue	element = test_value(kind, in, i);
		TestValue	before = i < lag ? (TestValue) {0} :
			test_value(kind, in, i - lag);

		if (i >= lag && kind_is_float(kind))
			element.real = minus(kind, element.real, before.real, &overflow);
		else if (i >= lag)
		{
			bool		wraps = __builtin_sub_overflow(element.integer,
													   before.integer,
													   &element.integer);

			element = in_range(kind, element.integer, wraps, &overflow);
		}
		put_value(kind, out, i, element);
	}
	return overflow;
}

#endif							/* GPUCOMPACT_SCAN_REFERENCE_H */
