/*
 * combine.h
 *	  The operators of scans and reductions on the device, as float_order.h and
 *	  the CPU engine have them.
 */
#ifndef GPUCOMPACT_COMBINE_H
#define GPUCOMPACT_COMBINE_H

#include "contract/engine.h"
#include "contract/float_order.h"
#include "contract/operations/scan.h"
#include "kernels/common/number.h"

/* The left operand that leaves every element as it is. */
template <typename T>
__device__ static inline T
identity(ScanOperator op)
{
	switch (op)
	{
		case SCAN_ADD:
			return (T) -0.0;
		case SCAN_MULTIPLY:
			return 1;
		case SCAN_MIN:
			return Number<T>::greatest;
		case SCAN_MAX:
			return Number<T>::least;
		case SCAN_AND:
			return (T) -1;
		default:
			return 0;
	}
}

/* As core compares: NaN is greater than every number. */
template <typename T>
__device__ static inline bool
less(T a, T b)
{
	return a < b || (!is_nan(a) && is_nan(b));
}

/*
 * Integers wrap.  The minimum or maximum of equal operands is the later one.
 */
template <typename T>
__device__ static inline T
combine(ScanOperator op, T a, T b)
{
	typedef unsigned long long Bits;

	switch (op)
	{
		case SCAN_ADD:
			return Number<T>::is_float ? (T) (a + b) :
				(T) ((Bits) a + (Bits) b);
		case SCAN_MULTIPLY:
			return Number<T>::is_float ? (T) (a * b) :
				(T) ((Bits) a * (Bits) b);
		case SCAN_MIN:
			return less(a, b) ? a : b;
		case SCAN_MAX:
			return less(b, a) ? a : b;
		case SCAN_AND:
			return (T) ((Bits) a & (Bits) b);
		case SCAN_OR:
			return (T) ((Bits) a | (Bits) b);
		case SCAN_XOR:
			return (T) ((Bits) a ^ (Bits) b);
	}
	return b;
}

__host__ __device__ static inline bool
can_overflow(ScanOperator op)
{
	return op == SCAN_ADD || op == SCAN_MULTIPLY;
}

/* An operator that the compiler knows, so that it removes the others. */
template <ScanOperator OP>
struct KnownOperator
{
	__device__ constexpr operator ScanOperator() const
	{
		return OP;
	}
};

/* Calls a function with an operator, which is known if it is a common one. */
template <typename Function>
__device__ static inline auto
with_operator(ScanOperator op, Function function)
{
	switch (op)
	{
		case SCAN_ADD:
			return function(KnownOperator<SCAN_ADD>());
		case SCAN_MIN:
			return function(KnownOperator<SCAN_MIN>());
		case SCAN_MAX:
			return function(KnownOperator<SCAN_MAX>());
		default:
			return function(op);
	}
}

/* A set of overflows: a bit for each EngineOverflow. */
typedef unsigned Overflows;

template <typename T>
__device__ static inline Overflows
overflow_of(ScanOperator op, T a, T b, T result)
{
	bool		product = op == SCAN_MULTIPLY;
	bool		up;

	if (!can_overflow(op))
		return 0;
	if (Number<T>::is_float)
	{
		up = is_infinite(result) && !is_infinite(a) && !is_infinite(b);
		return (product && result == 0 && a != 0 && b != 0) <<
			OVERFLOW_DOWN | up << OVERFLOW_UP;
	}
	if (!product)
		up = is_negative(b) != (result < a);
	else if (sizeof(T) < sizeof(long long))
		up = (long long) a * (long long) b != (long long) result;
	else
		up = __mul64hi((long long) a, (long long) b) !=
			(long long) result >> 63;
	return up << OVERFLOW_UP;
}

template <typename T>
__device__ static inline T
combine_checked(ScanOperator op, T a, T b, Overflows *seen)
{
	T			result = combine(op, a, b);

	*seen |= overflow_of(op, a, b, result);
	return result;
}

/* Subtracts, and sets *over if the difference is out of range. */
template <typename T>
__device__ static inline T
subtract_checked(T a, T b, bool *over)
{
	T			result;

	if (!Number<T>::is_float)
	{
		result = (T) ((uint64_t) a - (uint64_t) b);
		*over |= (a < b) != is_negative(result);
		return result;
	}
	result = a - b;
	*over |= is_infinite(result) && !is_infinite(a) && !is_infinite(b);
	return result;
}

/* Reports to the host which overflows have been seen. */
__device__ static inline void
report_overflows(Overflows seen, int *overflow)
{
	if (seen & 1 << OVERFLOW_UP)
		overflow[OVERFLOW_UP] = 1;
	if (seen & 1 << OVERFLOW_DOWN)
		overflow[OVERFLOW_DOWN] = 1;
}

/* A sum or product that is a NaN is the canonical one. */
template <typename T>
__device__ static inline T
canonical_nan(ScanOperator op, T value)
{
	return can_overflow(op) && is_nan(value) ? Number<T>::nan : value;
}

#endif							/* GPUCOMPACT_COMBINE_H */
