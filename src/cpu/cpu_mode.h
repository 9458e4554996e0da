/*
 * cpu_mode.h
 *	  The most frequent key of many, without a sort.
 *
 * Keys are scrambled: multiplied by an odd constant, which can be undone.
 * Their highest bits then spread keys over groups, and passes of a radix sort
 * over these bits alone bring each group together.  A group is so small that it
 * is split in the cache, into groups whose keys are counted in a hash table.
 * If a few keys are so frequent that groups are not small, or if a table has
 * too many collisions, the keys are sorted after all.
 */
#ifndef GPUCOMPACT_CPU_MODE_H
#define GPUCOMPACT_CPU_MODE_H

#include "cpu/cpu_engine.h"

/* The most keys of a group that is split, in the second-level cache. */
#define MODE_SPLIT			(2 * CPU_PIECE)

/* The functions for keys of one size. */
typedef struct ModeKeys
{
	int			bits;
	uint64_t	inverse;		/* of the number by which keys are multiplied */

	void		(*scramble) (void *keys, int64_t count);
	void		(*unscramble) (void *keys, int64_t count);

	/*
	 * Finds the most frequent key of the groups that begin in a chunk, and
	 * the least one of equally frequent keys.  The groups may extend beyond
	 * the chunk.  "split" has room for MODE_SPLIT keys.  Returns false if the
	 * search would take too long.
	 */
	bool		(*find) (const CpuSort *sort, int64_t first, int64_t count,
						 int64_t all, void *split, ModeKey *mode);
} ModeKeys;

/* Has the sort find a mode, if the request wants only a mode and it pays. */
extern void cpu_mode_begin(CpuJob *job);

/* Scrambles a chunk's keys, after they are analyzed. */
extern void cpu_mode_scramble_chunk(CpuJob *job, int number);

/*
 * Returns whether the mode can be found without a sort, as far as is known once
 * all keys are scrambled: no digit has too many keys, no equal floats differ.
 */
extern bool cpu_mode_is_likely(const CpuJob *job);

/* Gets memory for the search; returns false if there is not enough. */
extern bool cpu_mode_allocate(CpuJob *job);

/*
 * Finds the mode of the groups that begin in a chunk, after the passes.  Sets
 * sort_after_all if the search would take too long.
 */
extern void cpu_mode_find_in_chunk(CpuJob *job, int number, int thread);

/* Makes the keys of a chunk what they were, and counts their first digit. */
extern void cpu_mode_unscramble_chunk(CpuJob *job, int number, int thread);

/* Makes the mode the only key of the result. */
extern void cpu_mode_put(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_MODE_H */
