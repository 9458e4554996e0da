/*
 * sort_bins.h
 *	  The bins of a sort in groups: a pass moves the items to their bins, and
 *	  then each bin is sorted by itself, in buckets.
 *
 * Bins have the same width, in the keys or in their codes.  A code is the bits
 * of a float: the key's distance from the least key, divided by the range, plus
 * an addend.  The bits of a float are about its logarithm.  So with the addend
 * 1, codes are spread as numbers are, and floats around zero are spread more
 * evenly than by their own bits.  With a lesser addend, codes are spread as
 * logarithms are.  A key that many items have, such as a default value, has a
 * bin of its own.
 */
#ifndef GPUCOMPACT_SORT_BINS_H
#define GPUCOMPACT_SORT_BINS_H

#include <type_traits>

#include "kernels/sort/key_range.h"
#include "kernels/sort/sort_buckets.h"

/* Bins of the same width in the keys. */
template <typename Key>
struct EvenBins
{
	/* Buckets with many equal keys are left to the passes over digits. */
	static const bool takes_equal = false;

	BucketRange<Key> range;
	Key			greatest;		/* of the array */

	__device__ unsigned operator()(Key key) const
	{
		return range.bucket_of(key);
	}

	/* Returns whether all bins have one key each. */
	__device__ bool are_single() const
	{
		return range.shift == 0;
	}

	/* The buckets for the keys of the bins from "first" to "last". */
	__device__ BucketRange<Key> buckets_of(unsigned first, unsigned last) const
	{
		Key			within = ((Key) 1 << range.shift) - 1;
		Key			low = (Key) first << range.shift;
		Key			high = (Key) last << range.shift | within;

		high = min(high, (Key) (greatest - range.low));
		return bucket_range<Key>(range.low + low, range.low + high,
								 SORT_BUCKET_BITS);
	}
};

/* At most 1 << bits bins of the same width in the keys. */
template <typename Key>
__device__ static inline EvenBins<Key>
even_bins(KeyRange<Key> range, int bits)
{
	return {bucket_range(range.least, range.greatest, bits), range.greatest};
}

/*
 * The codes of keys.  A greater key has no lesser code: no operation on floats
 * that makes it changes the order of two numbers.
 */
template <typename Key>
struct KeyCodes
{
	using Float = std::conditional_t<sizeof(Key) == 8, double, float>;

	KeyOrder	order;
	Key			least;			/* of the array */
	Float		origin;			/* its number, if keys are floats */
	Float		unit;			/* 1 / the range */
	float		addend;

	__device__ static Float float_of(Key key, KeyOrder order)
	{
		Key			bits = restored(key, order);

		if constexpr (sizeof(Key) == 8)
			return __longlong_as_double((long long) bits);
		else
			return __uint_as_float((unsigned) bits);
	}

	/* The distance of the numbers for which a key and the least one stand. */
	__device__ Float distance_of(Key key) const
	{
		return order.is_float ? fabs(float_of(key, order) - origin) :
			(Float) (Key) (key - least);
	}

	__device__ unsigned operator()(Key key) const
	{
		float		part = (float) (distance_of(key) * unit);

		return __float_as_uint(part + addend) - __float_as_uint(addend);
	}
};

/* Bins, or buckets, of the same width in codes, from the code "low" on. */
template <typename Key>
struct CodeBuckets
{
	KeyCodes<Key> codes;
	unsigned	low;
	unsigned	scale;			/* their number for 1 << 32 codes */

	__device__ unsigned bucket_of(Key key) const
	{
		return __umulhi(codes(key) - low, scale);
	}
};

/*
 * 1 << BITS bins for the codes below "end", which is at least 1 << 22, so that
 * one has enough codes for its buckets.
 */
template <typename Key, int BITS = SORT_BITS>
struct CodeBins
{
	/* Where integers are skewed, the least are equal. */
	static const bool takes_equal = true;

	KeyCodes<Key> codes;
	unsigned	end;
	unsigned	scale;			/* 1 << BITS is for all codes */

	__device__ CodeBins(KeyCodes<Key> some, Key greatest) :
		codes(some), end(some(greatest) + 1), scale(~0u / end)
	{
	}

	__device__ unsigned operator()(Key key) const
	{
		return __umulhi(codes(key), scale << BITS);
	}

	__device__ static bool are_single()
	{
		return false;
	}

	/* The first code of a bin, or the end. */
	__device__ unsigned code_of(unsigned bin) const
	{
		const int	bits = 32 - BITS;

		return bin == 1 << BITS ? end : ((bin << bits) + scale - 1) / scale;
	}

	__device__ CodeBuckets<Key> buckets_of(unsigned first, unsigned last) const
	{
		unsigned	low = code_of(first);
		unsigned	width = code_of(last + 1) - low;

		return {codes, low, ~0u / width << SORT_BUCKET_BITS};
	}
};

/*
 * The bins around a heavy key, which many items have.  That key has a bin
 * alone.  The lesser keys, and the greater ones, are in bins of their codes.
 */
template <typename Key>
struct BinsAround
{
	static const bool takes_equal = true;

	CodeBins<Key, SORT_BITS - 1> bins;
	Key			heavy;

	__device__ unsigned operator()(Key key) const
	{
		return bins(key) + (key >= heavy) + (key > heavy);
	}

	__device__ unsigned heavy_bin() const
	{
		return bins(heavy) + 1;
	}

	__device__ static bool are_single()
	{
		return false;
	}

	/* The buckets for bins that are all on one side of the heavy key. */
	__device__ CodeBuckets<Key> buckets_of(unsigned first, unsigned last) const
	{
		unsigned	skipped = first > heavy_bin() ? 2 : 0;

		return bins.buckets_of(first - skipped, last - skipped);
	}
};

/* Returns whether the keys of a bin are all equal, in any array. */
template <typename BinOf>
__device__ static inline bool
has_one_key(const BinOf &, unsigned)
{
	return false;
}

template <typename Key>
__device__ static inline bool
has_one_key(const BinsAround<Key> &bins, unsigned bin)
{
	return bin == bins.heavy_bin();
}

#endif							/* GPUCOMPACT_SORT_BINS_H */
