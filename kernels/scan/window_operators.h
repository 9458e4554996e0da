/*
 * window_operators.h
 *	  Windows: the operators, in the types in which they combine elements.
 */
#ifndef GPUCOMPACT_WINDOW_OPERATORS_H
#define GPUCOMPACT_WINDOW_OPERATORS_H

#include "contract/operations/window.h"
#include "kernels/common/combine.h"
#include "kernels/common/number.h"

/* A sum of finite floats, and which other values there are. */
template <typename T>
struct FloatSum
{
	T			finite;
	int			has;
};

/* The operators: of an element type, in a type of their own. */
template <typename T, typename S>
struct AddIntegers
{
	typedef T	Element;
	typedef S	Sum;

	__device__ static Sum identity()
	{
		return 0;
	}

	__device__ static Sum load(T element)
	{
		return element;
	}

	__device__ static Sum combine(Sum a, Sum b)
	{
		return a + b;
	}
};

template <typename T, typename S>
struct AddFloats
{
	typedef T	Element;
	typedef FloatSum<S> Sum;

	__device__ static Sum identity()
	{
		return {(S) -0.0, 0};
	}

	__device__ static Sum load(T element)
	{
		int			has = is_nan(element) ? HAS_NAN :
			!is_infinite(element) ? 0 :
			element > 0 ? HAS_INFINITY : HAS_MINUS_INFINITY;

		return {has == 0 ? (S) element : (S) -0.0, has};
	}

	__device__ static Sum combine(Sum a, Sum b)
	{
		return {a.finite + b.finite, a.has | b.has};
	}
};

/* The least, or the greatest: the later one of equal elements. */
template <typename T, bool least>
struct Extreme
{
	typedef T	Element;
	typedef T	Sum;

	__device__ static Sum identity()
	{
		return least ? Number<T>::greatest : Number<T>::least;
	}

	__device__ static Sum load(T element)
	{
		return element;
	}

	__device__ static Sum combine(Sum a, Sum b)
	{
		return (least ? less(a, b) : less(b, a)) ? a : b;
	}
};

/*
 * Stores a result; "length" is the number of elements of an average, or 1.
 * Returns whether it is out of range.
 */
template <typename Result, typename Sum>
__device__ static inline bool
store(Result *result, Sum sum, int length)
{
	if (is_nan(sum))
	{
		*result = Number<Result>::nan;
		return false;
	}
	*result = (Result) sum;
	return *result != sum;
}

__device__ static inline bool
store(double *result, int64_t sum, int length)
{
	*result = wide_sum_average(sum, length);
	return false;
}

__device__ static inline bool
store(double *result, WideSum sum, int length)
{
	*result = wide_sum_average(sum, length);
	return false;
}

template <typename T>
__device__ static inline bool
store(T *result, FloatSum<T> sum, int length)
{
	const T		infinity = -Number<T>::least;

	if (sum.has == 0)
	{
		*result = sum.finite / length;
		return is_nan(sum.finite) || is_infinite(sum.finite);
	}
	*result = sum.has == HAS_INFINITY ? infinity :
		sum.has == HAS_MINUS_INFINITY ? -infinity : Number<T>::nan;
	return false;
}

/* What to divide sums by. */
struct Lengths
{
	bool		average;		/* else by 1 */
	const int  *lengths;		/* NULL: by those of the frames */

	__device__ int of(int64_t i, int length) const
	{
		return !average ? 1 : lengths != NULL ? lengths[i] : length;
	}
};

/*
 * Combines a frame from P and S of elements, which "sums" has.  All indexes
 * count from the beginning of a block.
 */
template <typename Op, typename PrefixesSuffixes, typename Index>
__device__ static inline typename Op::Sum
combine_blocks(const PrefixesSuffixes &sums, Index block, Index first,
			   Index last)
{
	typename Op::Sum sum;

	if (first / block == last / block)
		return first % block == 0 ? sums.prefix(last) : sums.suffix(first);
	sum = sums.suffix(first);
	if (last / block - first / block == 2)
		sum = Op::combine(sum, sums.prefix(last / block * block - 1));
	return Op::combine(sum, sums.prefix(last));
}

#endif							/* GPUCOMPACT_WINDOW_OPERATORS_H */
