/*
 * kept_memory.c
 *	  Memory that a session keeps once it is freed.
 *
 * glibc maps chunks of more than 32 MB on their own, and gives them back when
 * they are freed.  The next large result then comes in new pages, which the
 * kernel has to find and clear; that can cost as much as the work.  So the
 * large chunks of this extension come from the heap, the top of which stays.
 */
#include <stdlib.h>

#include "contract/kept_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MEGABYTE		((size_t) 1024 * 1024)

int			setting_kept_memory = 0;

#ifdef __GLIBC__

/* The greatest M_MMAP_THRESHOLD: larger chunks are mapped. */
#define LARGEST_IN_HEAP	(32 * MEGABYTE)

/* glibc's default of M_MMAP_MAX. */
#define MAPPED_CHUNKS	65536

/*
 * Sets how much free memory at the top of the heap stays there.  A call of
 * mallopt() ends glibc's own adjustment of its thresholds, so that they are
 * set to what it ends up with where large chunks are freed.
 */
static void
set_thresholds(size_t kept)
{
	size_t		least = 2 * LARGEST_IN_HEAP;

	mallopt(M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
	mallopt(M_TRIM_THRESHOLD, kept > least ? kept : least);
}

/*
 * Chunks that are larger than the limit are mapped as before.  Returns whether
 * something was begun, for kept_memory_end().
 */
bool
kept_memory_begin(size_t size)
{
	static int	applied = 0;
	size_t		kept = setting_kept_memory * MEGABYTE;

	if (size <= LARGEST_IN_HEAP)
		return false;
	if (applied != setting_kept_memory)
		set_thresholds(kept);
	applied = setting_kept_memory;
	if (size > kept)
		return false;
	mallopt(M_MMAP_MAX, 0);
	return true;
}

void
kept_memory_end(bool begun)
{
	if (begun)
		mallopt(M_MMAP_MAX, MAPPED_CHUNKS);
}

#else

bool
kept_memory_begin(size_t size)
{
	return false;
}

void
kept_memory_end(bool begun)
{
}

#endif							/* __GLIBC__ */
