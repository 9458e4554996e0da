/*
 * key_range.h
 *	  The least and the greatest of some keys.
 */
#ifndef GPUCOMPACT_KEY_RANGE_H
#define GPUCOMPACT_KEY_RANGE_H

#include "kernels/common/warp.h"

/* Without keys, the least is greater than the greatest. */
template <typename Key>
struct KeyRange
{
	Key			least = (Key) ~(Key) 0;
	Key			greatest = 0;

	__device__ void merge(KeyRange other)
	{
		least = min(least, other.least);
		greatest = max(greatest, other.greatest);
	}

	__device__ KeyRange of_lane(int distance) const
	{
		return {(Key) __shfl_xor_sync(ALL_LANES, least, distance),
			(Key) __shfl_xor_sync(ALL_LANES, greatest, distance)};
	}
};

/* Merges the ranges of all lanes.  The exchanges of the ends overlap. */
template <template <typename> typename Range, typename Key>
__device__ static inline Range<Key>
warp_merge(Range<Key> own)
{
	for (int distance = WARP / 2; distance > 0; distance /= 2)
		own.merge(own.of_lane(distance));
	return own;
}

#endif							/* GPUCOMPACT_KEY_RANGE_H */
