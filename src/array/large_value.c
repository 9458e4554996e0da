/*
 * large_value.c
 *	  Values of a size that is felt: page faults cost more than the writing, so
 *	  that they ask for huge pages; and to move them takes a while, in which
 *	  the query may be cancelled.
 */
#include "compat.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "array/large_value.h"

/* The huge page of x86-64 and of arm64 with 4 kB pages. */
#define HUGE_PAGE		((Size) 2 * 1024 * 1024)

/*
 * Asks for huge pages in all of a chunk but its ends.  The kernel may be set
 * not to give any; then nothing is lost but time.
 */
static void
advise_huge_pages(void *chunk, Size size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t	from = TYPEALIGN(HUGE_PAGE, (uintptr_t) chunk);
	uintptr_t	to = TYPEALIGN_DOWN(HUGE_PAGE, (uintptr_t) chunk + size);

	if (from < to)
		(void) madvise((void *) from, to - from, MADV_HUGEPAGE);
#endif
}

/* Room for a value, which may be more than a value may have in the end. */
void *
large_value_allocate(Size size)
{
	void	   *value = MemoryContextAllocHuge(CurrentMemoryContext, size);

	advise_huge_pages(value, size);
	return value;
}

/*
 * Cuts the room for a value.  What is cut off a large one goes back to the
 * system; a large chunk shrinks where it is.
 */
void *
large_value_cut(void *value, Size from, Size to)
{
	return from - to >= HUGE_PAGE ? repalloc(value, to) : value;
}

/* As memmove, but can be cancelled. */
void
move_bytes(void *to, const void *from, Size bytes)
{
	bool		ascending = (uintptr_t) to <= (uintptr_t) from;

	for (Size moved = 0, step; moved < bytes; moved += step)
	{
		Size		at;

		CHECK_FOR_INTERRUPTS();
		step = Min(BYTES_STEP, bytes - moved);
		at = ascending ? moved : bytes - moved - step;
		memmove((char *) to + at, (const char *) from + at, step);
	}
}
