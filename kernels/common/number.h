/*
 * number.h
 *	  Traits of number types, for templates; the order of an item, which is the
 *	  same for equal items; and predicates, which compare orders.
 *
 * The compiler removes code that does not apply to a type.
 */
#ifndef GPUCOMPACT_NUMBER_H
#define GPUCOMPACT_NUMBER_H

#include <limits>

#include "contract/operations/compact.h"
#include "contract/order.h"

template <typename T>
struct Number
{
	typedef std::numeric_limits<T> Limits;

	static constexpr bool is_float = !Limits::is_integer;
	static constexpr T nan = Limits::quiet_NaN();
	static constexpr T largest = Limits::max();

	/* In core's order, where NaN is greater than infinity. */
	static constexpr T greatest = is_float ? nan : Limits::max();
	static constexpr T least = is_float ? -Limits::infinity() :
		Limits::lowest();
};

template <typename T>
__device__ static inline bool
is_nan(T value)
{
	return value != value;
}

template <typename T>
__device__ static inline bool
is_negative(T value)
{
	if constexpr (std::numeric_limits<T>::is_signed)
		return value < 0;
	return false;
}

template <typename T>
__device__ static inline bool
is_infinite(T value)
{
	return !is_nan(value) && is_nan(value - value);
}

template <typename T>
__device__ static inline bool
is_finite(T value)
{
	return value - value == 0;
}

/* Integers are unsigned here. */
template <typename T>
__device__ static inline T
order_of(T item)
{
	return item;
}

__device__ static inline uint32_t
order_of(float item)
{
	return float4_order(float4_canonicalize(__float_as_uint(item)));
}

__device__ static inline uint64_t
order_of(double item)
{
	return float8_order(float8_canonicalize((uint64_t)
											__double_as_longlong(item)));
}

template <typename T>
__device__ static inline T
item_of(T order, T)
{
	return order;
}

__device__ static inline float
item_of(uint32_t order, float)
{
	return __uint_as_float(float4_of_order(order));
}

__device__ static inline double
item_of(uint64_t order, double)
{
	return __longlong_as_double((long long) float8_of_order(order));
}

/* Returns whether a predicate selects an item. */
template <typename T>
__device__ static inline bool
is_selected(const EnginePredicate &predicate, T item)
{
	typedef decltype(order_of(item)) Order;

	return ((Order) (order_of(item) - (Order) predicate.low) <=
			(Order) predicate.span) != predicate.outside;
}

#endif							/* GPUCOMPACT_NUMBER_H */
