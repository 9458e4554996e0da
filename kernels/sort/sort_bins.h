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
 * logarithms are.  A sample of the keys tells which bins to take: the sort is
 * right whatever it tells.
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
 * The bins for the codes below "end", which is at least 1 << 22, so that one has
 * enough codes for its buckets.
 */
template <typename Key>
struct CodeBins
{
	/* Where integers are skewed, the least are equal. */
	static const bool takes_equal = true;

	KeyCodes<Key> codes;
	unsigned	end;
	unsigned	scale;			/* 1 << SORT_BITS is for all codes */

	__device__ CodeBins(KeyCodes<Key> some, Key greatest) :
		codes(some), end(some(greatest) + 1), scale(~0u / end)
	{
	}

	__device__ unsigned operator()(Key key) const
	{
		return __umulhi(codes(key), scale << SORT_BITS);
	}

	__device__ static bool are_single()
	{
		return false;
	}

	/* The first code of a bin, or the end. */
	__device__ unsigned code_of(unsigned bin) const
	{
		const int	bits = 32 - SORT_BITS;

		return bin == SORT_BINS ? end : ((bin << bits) + scale - 1) / scale;
	}

	__device__ CodeBuckets<Key> buckets_of(unsigned first, unsigned last) const
	{
		unsigned	low = code_of(first);
		unsigned	width = code_of(last + 1) - low;

		return {codes, low, ~0u / width << SORT_BUCKET_BITS};
	}
};

/*
 * The range is divided into 1 << CODE_CELL_BITS cells.  If one has more than
 * CODE_CROWD keys of a sample of a warp's size, codes are tried, with addends
 * from 1 to 1 / (1 << CODE_LEAST_BITS).  Codes are to have a third fewer keys
 * in a cell.  Then a bin with at least BIN_CROWD keys of the sample tells how
 * large it is: h100-sort.md.
 */
#define CODE_LEAST_BITS	16
#define CODE_STEP_BITS	8
#define CODE_CELL_BITS	5
#define CODE_CROWD		9
#define BIN_CROWD		8

/* The most lanes that have the same cell of 1 << BITS. */
template <int BITS>
__device__ static inline unsigned
crowd_of(unsigned cell)
{
	unsigned	same = ALL_LANES;

#pragma unroll
	for (int bit = 0; bit < BITS; bit++)
	{
		bool		own = cell >> bit & 1;
		unsigned	set = __ballot_sync(ALL_LANES, own);

		same &= own ? set : ~set;
	}
	return warp_max((unsigned) __popc(same));
}

/* What bins, or buckets, a sample tells. */
typedef enum BinsOf
{
	BINS_OF_KEYS,
	BINS_OF_CODES,
	NO_BINS						/* one would be too large */
} BinsOf;

/*
 * Finds the codes that spread keys best; for all lanes of a warp, each with a
 * key of a sample.  Returns false if the keys themselves are about as good:
 * they have "crowd" keys in a cell.  There are no codes if the range is no
 * finite number.
 */
template <typename Key>
__device__ static inline bool
find_codes(KeyRange<Key> range, KeyOrder order, Key key, unsigned crowd,
		   KeyCodes<Key> *codes)
{
	unsigned	least = crowd - crowd / 3;
	bool		found = false;
	KeyCodes<Key> tried = {
		order, range.least, KeyCodes<Key>::float_of(range.least, order)
	};

	tried.unit = 1 / tried.distance_of(range.greatest);
	if (!(tried.unit > 0 && isfinite(tried.unit)))
		return false;
	for (int bits = 0; bits <= CODE_LEAST_BITS && crowd > CODE_CROWD;
		 bits += CODE_STEP_BITS)
	{
		const unsigned last = (1 << CODE_CELL_BITS) - 1;
		float		scale;

		tried.addend = 1.0f / (1 << bits);
		scale = __fdividef(last + 1, tried(range.greatest));
		crowd = crowd_of<CODE_CELL_BITS>(min((unsigned) (tried(key) * scale),
											 last));
		if (crowd < least)
		{
			least = crowd;
			*codes = tried;
			found = true;
		}
	}
	return found;
}

/*
 * Chooses bins for "count" keys, of which a bin is to have at most "most"; as
 * find_codes(), for all lanes of a warp.
 */
template <typename Key>
__device__ static inline BinsOf
choose_bins(KeyRange<Key> range, KeyOrder order, Key key, bool may_have_codes,
			int count, int most, KeyCodes<Key> *codes)
{
	unsigned	crowd = crowd_of<CODE_CELL_BITS>
		(even_bins(range, CODE_CELL_BITS)(key));
	EvenBins<Key> even = even_bins(range, SORT_BITS);
	bool		has_codes;

	if (crowd <= CODE_CROWD || even.are_single())
		return BINS_OF_KEYS;
	has_codes = may_have_codes && find_codes(range, order, key, crowd, codes);
	crowd = crowd_of<SORT_BITS>(has_codes ?
								CodeBins<Key>(*codes, range.greatest)(key) :
								even(key));
	return crowd >= BIN_CROWD && (int) crowd * (count / WARP) > most ? NO_BINS :
		has_codes ? BINS_OF_CODES : BINS_OF_KEYS;
}

#endif							/* GPUCOMPACT_SORT_BINS_H */
