/*
 * number.h
 *	  Traits of number types, for templates.
 *
 * The compiler removes code that does not apply to a type.
 */
#ifndef GPUCOMPACT_NUMBER_H
#define GPUCOMPACT_NUMBER_H

#include <limits>

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

#endif							/* GPUCOMPACT_NUMBER_H */
