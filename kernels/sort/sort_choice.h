/*
 * sort_choice.h
 *	  The choice of bins (sort_bins.h), by a sample of the keys.
 *
 * The sort is right whatever the sample tells.
 */
#ifndef GPUCOMPACT_SORT_CHOICE_H
#define GPUCOMPACT_SORT_CHOICE_H

#include "kernels/sort/sort_bins.h"

/*
 * The range is divided into 1 << CODE_CELL_BITS cells.  If one has more than
 * CODE_CROWD keys of a sample of a warp's size, codes are tried, with addends
 * from 1 to 1 / (1 << CODE_LEAST_BITS).  Codes are to have a third fewer keys
 * in a cell.  Then a bin with at least BIN_CROWD keys of the sample tells how
 * large it is.  A key that HEAVY_CROWD keys of the sample are equal to is
 * heavy.  With a CODE_CROWD of 6, 2^16 normal integers took 17.1 us on an H100
 * instead of 16.6.
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
 * Makes the codes with the addend 1.  Returns false if there are none, as the
 * range is no finite number.
 */
template <typename Key>
__device__ static inline bool
make_codes(KeyRange<Key> range, KeyOrder order, KeyCodes<Key> *codes)
{
	*codes = {order, range.least, KeyCodes<Key>::float_of(range.least, order)};
	codes->unit = 1 / codes->distance_of(range.greatest);
	codes->addend = 1;
	return codes->unit > 0 && isfinite(codes->unit);
}

/*
 * Finds the codes that spread keys best; for all lanes of a warp, each with a
 * key of a sample.  Returns false if the keys themselves are about as good:
 * they have "crowd" keys in a cell; or if there are no codes.
 */
template <typename Key>
__device__ static inline bool
find_codes(KeyRange<Key> range, KeyOrder order, Key key, unsigned crowd,
		   KeyCodes<Key> *codes)
{
	unsigned	least = crowd - crowd / 3;
	bool		found = false;
	KeyCodes<Key> tried;

	if (!make_codes(range, order, &tried))
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
	return __popc(__ballot_sync(ALL_LANES, key == *heavy)) >= HEAVY_CROWD &&
		make_codes(range, order, codes);
}

/*
 * Chooses bins for "count" keys, of which a bin is to have at most "most"; as
 * find_codes(), for all lanes of a warp.  Bins are around a heavy key only if
 * "heavy" is not NULL.
 */
template <typename Key>
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
	if (heavy != NULL && find_heavy(range, order, key, codes, heavy))
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

#endif							/* GPUCOMPACT_SORT_CHOICE_H */
