/*
 * scan_reference.h
 *	  A reference implementation of scans and differences: element by element,
 *	  in the widest types.
 *
 * The sum or product of two floats in double precision, rounded to a float, is
 * that in single precision.
 */
#ifndef GPUCOMPACT_SCAN_REFERENCE_H
#define GPUCOMPACT_SCAN_REFERENCE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "contract/engine.h"
#include "contract/float_order.h"
#include "contract/operations/scan.h"
#include "engines.h"

typedef union Number
{
	int64_t		integer;
	double		real;
} Number;

static bool
kind_is_unsigned(ElementKind kind)
{
	return kind == KIND_UINT1 || kind == KIND_UINT4;
}

static Number
load(ElementKind kind, const void *array, int64_t i)
{
	TestValue	value = test_value(kind, array, i);

	return kind_is_float(kind) ? (Number) {.real = value.real} :
		(Number) {.integer = value.integer};
}

static void
store(ElementKind kind, void *array, int64_t i, Number number)
{
	int			size = kind_size(kind);
	float		float4 = (float) number.real;

	if (kind == KIND_FLOAT4)
		memcpy((char *) array + i * size, &float4, size);
	else						/* on a little-endian machine */
		memcpy((char *) array + i * size, &number, size);
}

static Number
number_of(ElementKind kind, double value)
{
	Number		number;

	if (kind_is_float(kind))
		number.real = value;
	else
		number.integer = (int64_t) value;
	return number;
}

static Number
greatest(ElementKind kind)
{
	Number		number;

	if (kind_is_float(kind))
		number.real = kind == KIND_FLOAT4 ? FLT_MAX : DBL_MAX;
	else
		number.integer = (int64_t)
			(UINT64_MAX >> (65 - 8 * kind_size(kind) -
							kind_is_unsigned(kind)));
	return number;
}

static void
note(EngineOverflow *noted, EngineOverflow overflow)
{
	if (*noted != OVERFLOW_UP)
		*noted = overflow;
}

/* Notes whether an integer is out of its kind's range. */
static Number
in_range(ElementKind kind, int64_t integer, bool out, EngineOverflow *overflow)
{
	int64_t		most = greatest(kind).integer;

	if (out || integer > most || integer < -most - 1)
		note(overflow, OVERFLOW_UP);
	return (Number) {.integer = integer};
}

/* Rounds to the kind, and notes whether that overflows. */
static Number
rounded(ElementKind kind, double real, double a, double b, bool product,
		EngineOverflow *overflow)
{
	if (kind == KIND_FLOAT4)
		real = (float) real;
	if (isinf(real) && !isinf(a) && !isinf(b))
		note(overflow, OVERFLOW_UP);
	if (product && real == 0 && a != 0 && b != 0)
		note(overflow, OVERFLOW_DOWN);
	return (Number) {.real = isnan(real) ? NAN : real};
}

static Number
combine_integers(ElementKind kind, ScanOperator operator, int64_t a, int64_t b,
				 EngineOverflow *overflow)
{
	int64_t		result = 0;
	bool		out = false;

	switch (operator)
	{
		case SCAN_ADD:
			out = __builtin_add_overflow(a, b, &result);
			break;
		case SCAN_MULTIPLY:
			out = __builtin_mul_overflow(a, b, &result);
			break;
		case SCAN_MIN:
			result = a < b ? a : b;
			break;
		case SCAN_MAX:
			result = a > b ? a : b;
			break;
		case SCAN_AND:
			result = a & b;
			break;
		case SCAN_OR:
			result = a | b;
			break;
		case SCAN_XOR:
			result = a ^ b;
			break;
	}
	return in_range(kind, result, out, overflow);
}

/* As core compares: NaN is greater than every number. */
static bool
less(double a, double b)
{
	return isnan(b) ? !isnan(a) : a < b;
}

static Number
combine(ElementKind kind, ScanOperator operator, Number a, Number b,
		EngineOverflow *overflow)
{
	if (!kind_is_float(kind))
		return combine_integers(kind, operator, a.integer, b.integer,
								overflow);
	switch (operator)
	{
		case SCAN_ADD:
			return rounded(kind, a.real + b.real, a.real, b.real, false,
						   overflow);
		case SCAN_MULTIPLY:
			return rounded(kind, a.real * b.real, a.real, b.real, true,
						   overflow);
		case SCAN_MIN:
			return less(a.real, b.real) ? a : b;
		default:
			return less(b.real, a.real) ? a : b;
	}
}

static EngineOverflow
scan_in_turn(const EngineRequest *request, const void *in, void *out)
{
	EngineOverflow overflow = OVERFLOW_NONE;
	Number		running = load(request->kinds[0], in, 0);

	for (int64_t i = 0; i < request->count; i++)
	{
		if (i > 0)
			running = combine(request->outputs[0].kind,
							  PARAMETERS(request, ScanParameters)->op, running,
							  load(request->kinds[0], in, i), &overflow);
		store(request->outputs[0].kind, out, i, running);
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
	Number		identity = {.real = operator == SCAN_ADD ? -0.0 : 1.0};
	Number		c = identity;
	Number		r = identity;
	Number		s = identity;

	for (int64_t i = 0; i < request->count; i++)
	{
		Number		element = load(kind, in, i);

		if (i % FLOAT_TILE == 0 && i > 0)
			c = load(kind, out, i - 1);
		if (i % FLOAT_TILE == 0)
			r = identity;
		else if (i % FLOAT_SEGMENT == 0)
			r = combine(kind, operator, r, s, &overflow);
		s = i % FLOAT_SEGMENT == 0 ? element :
			combine(kind, operator, s, element, &overflow);
		store(kind, out, i,
			  combine(kind, operator,
					  combine(kind, operator, c, r, &overflow), s, &overflow));
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
		Number		element = load(kind, in, i);
		Number		before;
		int64_t		integer;
		bool		wraps;

		if (i < lag)
		{
			store(kind, out, i, element);
			continue;
		}
		before = load(kind, in, i - lag);
		if (kind_is_float(kind))
			store(kind, out, i, rounded(kind, element.real - before.real,
										element.real, before.real, false,
										&overflow));
		else
		{
			wraps = __builtin_sub_overflow(element.integer, before.integer,
										   &integer);
			store(kind, out, i, in_range(kind, integer, wraps, &overflow));
		}
	}
	return overflow;
}

#endif							/* GPUCOMPACT_SCAN_REFERENCE_H */
