/*
 * cpu_mode.h
 *	  The most frequent key of many, without a sort.
 *
 * Keys are scrambled: multiplied by an odd constant, which can be undone.
 * Their highest bits then spread keys over groups, and passes of a radix sort
 * over these bits alone bring each group together.  It is so small that it is
 * split in the cache, into groups whose keys are counted in a hash table.
 * Where groups are not small, as a key or a few are too frequent, or tables
 * have too many collisions, the keys are sorted after all.
 */
#ifndef GPUCOMPACT_CPU_MODE_H
#define GPUCOMPACT_CPU_MODE_H

#include "cpu/cpu_engine.h"

/* More keys are not split in the second-level cache. */
#define MODE_SPLIT			(2 * CPU_PIECE)

/* For keys of a size. */
typedef struct ModeKeys
{
	int			bits;
	uint64_t	inverse;		/* of the number by which keys are multiplied */

	void		(*scramble) (void *keys, int64_t count);
	void		(*unscramble) (void *keys, int64_t count);

	/*
	 * Finds the most frequent key among the groups that begin in a chunk,
	 * which may extend beyond it, and the least of several ones.  There is
	 * memory to split MODE_SPLIT keys.  Returns false if that would take too
	 * long.
	 */
	bool		(*find) (const CpuSort *sort, int64_t first, int64_t count,
						 int64_t all, void *split, ModeKey *mode);
} ModeKeys;

/* Has the sort find a mode, if the request wants that alone and it pays. */
extern void cpu_mode_begin(CpuJob *job);

/* Scrambles a chunk's keys, after they are analyzed. */
extern void cpu_mode_scramble(CpuJob *job, int number);

/* Once all keys are scrambled, are groups as small as they have to be? */
extern bool cpu_mode_is_likely(const CpuJob *job);

/* Starts to find the mode, after the passes; may give up in the end. */
extern EngineStatus cpu_mode_start(CpuJob *job);

/* Starts to unscramble the keys, which are sorted then. */
extern EngineStatus cpu_mode_give_up(CpuJob *job);

/* The only key in the result is the mode. */
extern void cpu_mode_put(CpuJob *job);

#endif							/* GPUCOMPACT_CPU_MODE_H */
