/*
 * cpu_sort.h
 *	  What the parts of the CPU engine's sort share.
 *
 * Keys are sorted as unsigned integers of the same size.  Integers have some
 * bits flipped when a digit is extracted.  Floats are replaced in memory by
 * their order (order.h) until the sort ends.
 */
#ifndef GPUCOMPACT_CPU_SORT_H
#define GPUCOMPACT_CPU_SORT_H

#include "contract/engine.h"
#include "contract/team.h"
#include "cpu/cpu_phases.h"

#define SORT_DIGIT_BITS		8
#define SORT_BINS			(1 << SORT_DIGIT_BITS)

/* The number of digits of the longest key. */
#define SORT_PASSES			(64 / SORT_DIGIT_BITS)

/*
 * Up to this many keys, a sort by a network or by ranks is faster: their places
 * fit into a byte.
 */
#define SORT_SMALL			256

#define CACHE_LINE			64

/*
 * Payloads that are written together, one or two cache lines, and their keys.
 * For this, all arrays of a sort with a payload have the same offset from such
 * a line.
 */
#define PAYLOAD_LINE		((int) (CACHE_LINE / sizeof(int32_t)))

/* Statistics of some keys, after their bits are flipped. */
typedef struct KeyStatistics
{
	uint64_t	any;			/* bits that are set in any key */
	uint64_t	all;			/* bits that are set in all keys */
	uint64_t	least;			/* key */
	uint64_t	greatest;
} KeyStatistics;

/* Keys that one thread counts or moves at a time, as one task. */
typedef struct SortChunk
{
	uint32_t	bins[SORT_BINS];	/* the digit's histogram, then its
									 * exclusive scan */
	KeyStatistics statistics;

	/* In a counting sort, for the chunk's share of the slots, then scanned: */
	int64_t		keys;
	int64_t		distinct;		/* keys */

	int64_t		group;			/* the first key of the chunk's first group */
	int64_t		longest;		/* the first of its longest run, of "keys" */

	/* For RANK: heads in the chunk, then the rank of the key before it. */
	int64_t		rank;
} SortChunk;

/* One half of the double buffer between which elements move. */
typedef struct SortBuffer
{
	void	   *keys;
	void	   *payloads;		/* NULL without a payload */
} SortBuffer;

typedef struct CpuSort CpuSort;

/*
 * For multiplicative hashing (Knuth, volume 3, section 6.4): 2^32 and 2^64,
 * divided by the golden ratio.
 */
#define HASH_FACTOR_4		UINT32_C(0x9E3779B1)
#define HASH_FACTOR_8		UINT64_C(0x9E3779B97F4A7C15)

/*
 * The slots of a hash table, the most keys that are put there, and how far from
 * its home a key may be.  With few keys for its slots, a key that is further
 * away is one of many that were chosen to collide.
 */
#define HASH_BITS			15
#define HASH_SLOTS			(1 << HASH_BITS)
#define HASH_MOST			8192
#define HASH_PROBES			16

typedef struct HashTable
{
	uint64_t   *keys;			/* by slot; NULL: the table is not in use */
	uint32_t   *counters;		/* of the slots' keys; 0: the slot is empty */
	int			distinct;		/* keys that were put there by a search */
} HashTable;

/* The slot where a key is first looked for. */
static inline uint32_t
hash_home(uint64_t key, int size)
{
	return size == sizeof(uint64_t) ?
		(uint32_t) (key * HASH_FACTOR_8 >> (64 - HASH_BITS)) :
		(uint32_t) key * HASH_FACTOR_4 >> (32 - HASH_BITS);
}

/*
 * Adds a key, which has a home, "count" times (cpu_sort_dictionary.c).  Returns
 * false if there is no room.
 */
extern bool cpu_hash_add(HashTable *table, uint64_t key, uint32_t home,
						 uint32_t count);

/* A counting sort (cpu_sort_counting.h) of keys of one size. */
typedef struct CountingKeys
{
	void		(*count) (const CpuSort *sort, int64_t first, int64_t count,
						  uint32_t *counters);
	void		(*write_keys) (const CpuSort *sort, int64_t slot,
							   int64_t before, int64_t first, int64_t end);
	void		(*write_distinct) (const CpuSort *sort, int64_t slot,
								   int64_t end, int64_t before, int64_t kept,
								   int32_t *starts);
} CountingKeys;

/*
 * Functions for elements of one shape, that is, for a key's size and its
 * payload's.  Each works on "count" elements from "first" on.
 */
typedef struct SortShape
{
	KeyStatistics (*statistics) (const CpuSort *sort, int64_t first,
								 int64_t count);

	/* A key, flipped, less the base. */
	uint64_t	(*order_at) (const CpuSort *sort, int64_t i);

	/* Makes the histogram of the current digit. */
	void		(*count) (const CpuSort *sort, int64_t first, int64_t count,
						  uint32_t bins[SORT_BINS]);

	/* Scatters elements to the positions of their bins. */
	void		(*stream) (const CpuSort *sort, int64_t first, int64_t count,
						   uint32_t bins[SORT_BINS]);

	/*
	 * Sorts the groups of elements from "first" to "end"; without a pass before,
	 * they are one group.
	 */
	void		(*sort_groups) (const CpuSort *sort, int64_t first,
								int64_t end);

	/* NULL with a payload: */
	const CountingKeys *counting;
	/* Counts keys in a hash table.  Returns false if there is no room. */
	bool		(*hash) (const CpuSort *sort, int64_t first, int64_t count,
						 HashTable *table);
} SortShape;

extern const SortShape *cpu_sort_shape(int key_size, int payload_size);

/* The meaning of keys. */
typedef struct SortKeys
{
	uint64_t	flip;			/* an integer's sign bit, if it has one */

	/*
	 * For floats only: one-to-one orders (order.h) of keys that are equal all
	 * the same: of -0, before 0, and of the first NaN, before the others.
	 */
	uint64_t	zero;
	uint64_t	nan;

	/*
	 * For floats only: replaces keys by their order, either one to one, or
	 * canonicalized, so that equal keys have the same order; and turns
	 * one-to-one orders into keys again.
	 */
	void		(*order) (void *orders, const void *keys, int64_t count);
	void		(*order_canonical) (void *orders, const void *keys,
									int64_t count);
	void		(*restore) (void *keys, int64_t count);

	/*
	 * Moves the head of each run of "count" sorted keys, from "first" on,
	 * after the "kept" heads of the preceding keys.  Returns the new number
	 * of heads.  Their positions, from 1 on, go to "starts" unless it is
	 * NULL.
	 */
	int64_t		(*distinct) (void *keys, int32_t *starts, int64_t first,
							 int64_t count, int64_t kept);

	/* Counts the heads of sorted keys from "first" to "end". */
	int64_t		(*heads) (const void *keys, int64_t first, int64_t end);

	/*
	 * The length of the first of the longest runs that begin there, of "count"
	 * sorted keys, and where it begins; zero if none does.
	 */
	int64_t		(*longest) (const void *keys, int64_t first, int64_t end,
							int64_t count, int64_t *begin);
} SortKeys;

extern const SortKeys cpu_sort_keys[ELEMENT_KINDS];

/* The state of a counting sort. */
typedef struct CpuCounting
{
	int64_t		slots;			/* of a table; 0 if keys are not counted */
	int			tables;			/* one for each thread */
	uint32_t   *counters;		/* of all tables */
	bool		used[TEAM_MAX_HELPERS + 1]; /* the thread has counted */
	uint32_t   *sums;			/* one of the tables, in the end */

	/* If keys are counted in hash tables (cpu_sort_dictionary.c): */
	HashTable	hashed[TEAM_MAX_HELPERS + 1];	/* by thread */
	bool		full;			/* there is no room for a key */
	void	   *dictionary;		/* the slots' keys; else NULL */
} CpuCounting;

struct CpuSort
{
	uint64_t	flip;			/* bits to invert for unsigned comparison */
	const SortKeys *keys;
	const SortShape *shape;
	SortBuffer	from;			/* where the elements are */
	SortBuffer	to;				/* where the current pass moves them */
	void	   *scratch[2];		/* the memory of these buffers */
	bool		sorted;			/* all is done, except to find runs */
	const CpuPhases *phases;	/* the job's */
	SortChunk  *chunks;

	/* The passes: each moves all elements by one digit of their keys. */
	int			npasses;
	int			shifts[SORT_PASSES];	/* the lowest bit of each digit */
	uint64_t	base;			/* is subtracted from flipped keys first */
	int			lowest;			/* bit in which any two keys differ then */
	int			highest;		/* the same */
	bool		has_groups;		/* after the passes, the groups of keys that are
								 * equal from the first pass's digit on are yet
								 * to be sorted */

	/* The current pass: */
	int			pass;
	int			shift;
	bool		make_positions; /* the payloads 1, 2, 3, ... are yet to be
								 * made */
	bool		drop_keys;		/* only the payload is still needed */

	CpuCounting counting;

	/* Of DISTINCT, once the keys are sorted: */
	bool		reduced;		/* there is no other result than asked for */
	int			distinct_chunk; /* the next one to be looked at */
	int64_t		kept;			/* distinct keys in the result so far */
};

/* Returns whether a thread must stop within its chunk. */
static inline bool
cpu_sort_cancelled(const CpuSort *sort)
{
	return cpu_phases_cancelled(sort->phases);
}

extern KeyStatistics cpu_sort_statistics(const CpuSort *sort);
extern void cpu_sort_plan(CpuSort *sort);
extern void cpu_sort_few(ElementKind kind, uint64_t flip, const void *data,
						 int count, void *sorted);
extern void cpu_sort_small(const EngineRequest *request, uint64_t flip,
						   const void *const data[ENGINE_INPUTS]);

#endif							/* GPUCOMPACT_CPU_SORT_H */
