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

#include "cpu_engine.h"

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

extern const ModeKeys *cpu_mode_keys(const EngineRequest *request);

/* Passes over groups of so many keys. */
extern int	cpu_mode_passes(int64_t count);

/* Do keys of floats that differ include equal floats? */
extern bool cpu_mode_ambiguous(ElementKind kind, const void *keys,
							   int64_t count);

#endif							/* GPUCOMPACT_CPU_MODE_H */
