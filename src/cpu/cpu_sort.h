/*
 * cpu_sort.h
 *	  What the parts of the CPU engine's sort share.
 *
 * A key is sorted as an unsigned integer of its size: an integer as its bits
 * with some of them flipped, a float as its order (order.h), which takes its
 * place in memory as long as the sort goes on.
 */
#ifndef GPUCOMPACT_CPU_SORT_H
#define GPUCOMPACT_CPU_SORT_H

#include "engine/engine.h"

typedef struct CpuJob CpuJob;

#define SORT_DIGIT_BITS		8
#define SORT_BINS			(1 << SORT_DIGIT_BITS)

/* Digits of the longest key. */
#define SORT_PASSES			(64 / SORT_DIGIT_BITS)

/* Up to this many keys, comparing each with each takes less time. */
#define SORT_SMALL			256

#define CACHE_LINE			64

/*
 * Payloads that are written at a time, a cache line or two, and with them their
 * keys.  So all arrays of a sort with a payload begin equally far into such a
 * line of elements.
 */
#define PAYLOAD_LINE		((int) (CACHE_LINE / sizeof(int32_t)))

/* Facts about the bits of some keys, flipped as they are sorted. */
typedef struct KeyStatistics
{
	uint64_t	any;			/* bits that are set in any key */
	uint64_t	all;			/* and in all of them */
	uint64_t	least;			/* key */
	uint64_t	greatest;
} KeyStatistics;

/* Keys that one thread counts or moves at a time. */
typedef struct SortChunk
{
	uint32_t	bins[SORT_BINS];	/* counts of a digit, then positions */
	KeyStatistics statistics;
	int64_t		taken;			/* keys that have come */
} SortChunk;

/* One half of the double buffer between which elements move. */
typedef struct SortBuffer
{
	void	   *keys;
	void	   *payloads;		/* NULL without a payload */
} SortBuffer;

/* The work of a phase on a chunk. */
typedef void (*SortWork) (CpuJob *job, int chunk);

typedef struct CpuSort CpuSort;

/*
 * Functions for elements of one shape, that is, for a key's size and its
 * payload's.  Each works on "count" elements from "first" on.
 */
typedef struct SortShape
{
	KeyStatistics (*statistics) (const CpuSort *sort, int64_t first, int64_t count);

	/* Counts the digit at work. */
	void		(*count) (const CpuSort *sort, int64_t first, int64_t count,
						  uint32_t bins[SORT_BINS]);

	/* Moves elements to the positions of their bins, one by one. */
	void		(*move) (const CpuSort *sort, int64_t first, int64_t count,
						 uint32_t bins[SORT_BINS]);

	/* The same, by cache lines, past the caches. */
	void		(*stream) (const CpuSort *sort, int64_t first, int64_t count,
						   uint32_t bins[SORT_BINS]);
} SortShape;

extern const SortShape *cpu_sort_shape(int key_size, int payload_size);

/* The meaning of keys. */
typedef struct SortKeys
{
	uint64_t	flip;			/* an integer's sign bit, if it has one */

	/*
	 * Of floats only: makes orders of keys (order.h), one to one, or with the
	 * same order for equal keys; and makes keys again of orders one to one.
	 */
	void		(*order) (void *orders, const void *keys, int64_t count);
	void		(*order_canonical) (void *orders, const void *keys,
								  int64_t count);
	void		(*restore) (void *keys, int64_t count);

	/*
	 * Moves the head of each run among "count" sorted keys from "first" on
	 * behind the "kept" heads of the keys before them; returns how many are
	 * kept now.  Their positions, from 1 on, go to "starts" unless it is NULL.
	 */
	int64_t		(*distinct) (void *keys, int32_t *starts, int64_t first,
							 int64_t count, int64_t kept);
} SortKeys;

extern const SortKeys cpu_sort_keys[ELEMENT_KINDS];

struct CpuSort
{
	uint64_t	flip;			/* makes the order of keys that of unsigned */
	const SortKeys *keys;
	const SortShape *shape;
	SortBuffer	from;			/* where the elements are */
	SortBuffer	to;				/* where the pass at work moves them */
	void	   *scratch[2];		/* memory that was allocated for these */
	bool		sorted;			/* all is done, except to find runs */
	SortChunk  *chunks;
	int64_t		chunk_size;		/* elements */
	int			nchunks;
	int			pending;		/* tasks not done with */
	bool		cancelled;		/* tasks are to stop, and may leave garbage */

	/* The passes: each moves all elements, by a digit of their keys. */
	int			npasses;
	int			shifts[SORT_PASSES];	/* how far up its digit is, */
	uint64_t	base;			/* in a key, flipped, less this */

	/* The pass at work: */
	int			pass;
	int			shift;
	bool		number;			/* the payload is made now: 1, 2, 3, ... */
	bool		drop_keys;		/* only the payload is still needed */

	/* The phase at work: */
	SortWork	work;			/* on each chunk */
	int			next_chunk;		/* the first that no thread has taken */

	int64_t		kept;			/* distinct keys in the result so far */
};

/* Is a thread to stop within its chunk? */
static inline bool
cpu_sort_cancelled(const CpuSort *sort)
{
	return __atomic_load_n(&sort->cancelled, __ATOMIC_RELAXED);
}

extern void cpu_sort_plan(CpuSort *sort);
extern void cpu_sort_small(const EngineRequest *request, uint64_t flip,
						   const void *const data[ENGINE_INPUTS]);

#endif							/* GPUCOMPACT_CPU_SORT_H */
