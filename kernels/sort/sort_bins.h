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
 * bin of its own.  A sample of the keys tells which bins to take: the sort is
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

/*
 * The range is divided into 1 << CODE_CELL_BITS cells.  If one has more than
 * CODE_CROWD keys of a sample of a warp's size, codes are tried, with addends
 * from 1 to 1 / (1 << CODE_LEAST_BITS).  Codes are to have a third fewer keys
 * in a cell.  Then a bin with at least BIN_CROWD keys of the sample tells how
 * large it is: h100-sort.md.  A key that HEAVY_CROWD keys of the sample are
 * equal to is heavy.
 */
#define CODE_LEAST_BITS	16
#define CODE_STEP_BITS	8
#define CODE_CELL_BITS	5
#define CODE_CROWD		9
#define BIN_CROWD		8
#define HEAVY_CROWD		6
#define HEAVY_BITS		6		/* of a hash by which it is found */

/* The lanes that have the same cell of 1 << BITS. */
template <int BITS>
__device__ static inline unsigned
lanes_of(unsigned cell)
{
	unsigned	same = ALL_LANES;

#pragma unroll
	for (int bit = 0; bit < BITS; bit++)
	{
		bool		own = cell >> bit & 1;
		unsigned	set = __ballot_sync(ALL_LANES, own);

		same &= own ? set : ~set;
	}
	return same;
}

/* The most lanes that have the same cell. */
template <int BITS>
__device__ static inline unsigned
crowd_of(unsigned cell)
{
	return warp_max((unsigned) __popc(lanes_of<BITS>(cell)));
}

/* What bins, or buckets, a sample tells. */
typedef enum BinsOf
{
	BINS_OF_KEYS,
	BINS_OF_CODES,
	BINS_AROUND,				/* a heavy key */
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
 * Finds a heavy key, and the codes that are spread as the numbers of keys are;
 * for all lanes of a warp, each with a key of a sample.  Returns false if there
 * is none, or no such codes.
 */
template <typename Key>
__device__ static inline bool
find_heavy(KeyRange<Key> range, KeyOrder order, Key key, KeyCodes<Key> *codes,
		   Key *heavy)
{
	const Key	mixer = (Key) 0x9E3779B97F4A7C15ull;
	unsigned	hash = (unsigned) (key * mixer >>
								   (8 * sizeof(Key) - HEAVY_BITS));
	unsigned	same = __popc(lanes_of<HEAVY_BITS>(hash));
	unsigned	most = warp_max(same);
	int			lane = __ffs(__ballot_sync(ALL_LANES, same == most)) - 1;

	*heavy = __shfl_sync(ALL_LANES, key, lane);
	if (__popc(__ballot_sync(ALL_LANES, key == *heavy)) < HEAVY_CROWD)
		return false;
	*codes = {order, range.least, KeyCodes<Key>::float_of(range.least, order)};
	codes->unit = 1 / codes->distance_of(range.greatest);
	codes->addend = 1;
	return codes->unit > 0 && isfinite(codes->unit);
}

/*
 * Chooses bins for "count" keys, of which a bin is to have at most "most"; as
 * find_codes(), for all lanes of a warp.  Bins may be AROUND a heavy key.
 */
template <bool AROUND, typename Key>
__device__ static inline BinsOf
choose_bins(KeyRange<Key> range, KeyOrder order, Key key, bool may_have_codes,
			int count, int most, KeyCodes<Key> *codes, Key *heavy)
{
	unsigned	crowd = crowd_of<CODE_CELL_BITS>
		(even_bins(range, CODE_CELL_BITS)(key));
	EvenBins<Key> even = even_bins(range, SORT_BITS);
	bool		has_codes;

	if (crowd < HEAVY_CROWD || even.are_single())
		return BINS_OF_KEYS;
	if (AROUND && find_heavy(range, order, key, codes, heavy))
		return BINS_AROUND;
	if (crowd <= CODE_CROWD)
		return BINS_OF_KEYS;
	has_codes = may_have_codes && find_codes(range, order, key, crowd, codes);
	crowd = crowd_of<SORT_BITS>(has_codes ?
								CodeBins<Key>(*codes, range.greatest)(key) :
								even(key));
	return crowd >= BIN_CROWD && (int) crowd * (count / WARP) > most ? NO_BINS :
		has_codes ? BINS_OF_CODES : BINS_OF_KEYS;
}

#endif							/* GPUCOMPACT_SORT_BINS_H */
