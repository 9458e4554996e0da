/*
 * key_range.h
 *	  The least and the greatest of some keys.
 */
#ifndef GPUCOMPACT_KEY_RANGE_H
#define GPUCOMPACT_KEY_RANGE_H

#include <type_traits>

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
};

/* Keys as lanes exchange them. */
template <typename Key>
using KeyWord = std::conditional_t<sizeof(Key) == 8, Key, unsigned>;

/* Merges the ranges of all lanes. */
template <typename Key>
__device__ static inline KeyRange<Key>
warp_merge(KeyRange<Key> own)
{
	return {(Key) warp_min((KeyWord<Key>) own.least),
		(Key) warp_max((KeyWord<Key>) own.greatest)};
}

#endif							/* GPUCOMPACT_KEY_RANGE_H */
