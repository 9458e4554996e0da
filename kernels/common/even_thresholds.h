/*
 * even_thresholds.h
 *	  The bucket of an item among thresholds at even distances.
 *
 * The threshold nearest to an item is computed, by rounding, which never makes
 * it an earlier one for a greater item.  So if each threshold is nearest to
 * itself, then an item between two of them has one of these two as its nearest,
 * and the bucket is known from a comparison with that one.
 */
#ifndef GPUCOMPACT_EVEN_THRESHOLDS_H
#define GPUCOMPACT_EVEN_THRESHOLDS_H

#include <type_traits>

#include "kernels/common/number.h"

/*
 * Thresholds in shared memory, as items.  "least" is subtracted from integers.
 */
template <typename T>
struct EvenThresholds
{
	/* Distances are computed in this type. */
	typedef std::conditional_t<Number<T>::is_float, T, float> Real;

	const T    *thresholds;
	int			count;
	T			least;			/* the least integer */

	/* As are_even() finds them: */
	T			first;
	int			last;			/* the last threshold that is not NaN */
	Real		per_step;		/* thresholds in a distance of 1 */

	__device__ inline int nearest(T item) const
	{
		Real		place;

		if (is_nan(item))
			return count - 1;
		if constexpr (Number<T>::is_float)
			place = max((item - first) * per_step, (Real) 0);
		else
			place = (Real) (T) (item > first ? item - first : 0) * per_step;
		return place < last ? (int) (place + (Real) 0.5) : last;
	}

	/*
	 * Returns whether the distances of the thresholds that are not NaN are
	 * even.  For all threads of a block.
	 */
	__device__ inline bool are_even(void)
	{
		bool		even = true;

		first = thresholds[0];
		last = count - 1 - (is_nan(thresholds[count - 1]) && count > 1);
		per_step = last / (Real) (T) (thresholds[last] - first);
		for (int i = threadIdx.x; i < count; i += blockDim.x)
			even = even && nearest(thresholds[i]) == i;
		return __syncthreads_and(even);
	}

	/*
	 * Returns the number of thresholds no greater than an item.  Sets *equal
	 * if the last of these thresholds equals the item.
	 */
	__device__ inline int bucket_of(T item, bool *equal) const
	{
		T			own = Number<T>::is_float ? item : (T) (item - least);
		int			place = nearest(own);
		T			threshold = thresholds[place];

		*equal = own == threshold || (is_nan(own) && is_nan(threshold));

		/* NaN is greater than all else, and no less than itself. */
		return place + !(own < threshold);
	}
};

#endif							/* GPUCOMPACT_EVEN_THRESHOLDS_H */
