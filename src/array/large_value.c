/*
 * large_value.c
 *	  Allocation and movement of large values.
 *
 * Page faults in a large value cost more than writing it, so it asks for huge
 * pages.  Moving one takes long enough that the query may be cancelled
 * meanwhile.
 */
#include "compat.h"

#include <sys/mman.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "array/large_value.h"
#include "contract/kept_memory.h"

/* The huge page of x86-64 and of arm64 with 4 kB pages. */
#define HUGE_PAGE		((Size) 2 * 1024 * 1024)

/*
 * Asks for huge pages in all of a chunk but its ends.  If the kernel provides
 * none, this only costs time.
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

/* Kept memory was used since the transaction began. */
static bool used_kept_memory = false;

/* Memory that the transaction still has is about to be freed. */
static void
free_at_end(XactEvent event, void *arg)
{
	if (!used_kept_memory || event == XACT_EVENT_PRE_COMMIT ||
		event == XACT_EVENT_PARALLEL_PRE_COMMIT ||
		event == XACT_EVENT_PRE_PREPARE)
		return;
	kept_memory_used();
	used_kept_memory = false;
}

static void
note_kept_memory(void)
{
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(free_at_end, NULL);
	registered = true;
	used_kept_memory = true;
}

/* Room for a value; it may exceed the limit of a finished value. */
void *
large_value_allocate(Size size)
{
	bool		begun;
	void	   *value;

	if (size < KEPT_MEMORY_LEAST)
		return palloc(size);
	begun = kept_memory_begin(size);
	PG_TRY();
	{
		value = MemoryContextAllocExtended(CurrentMemoryContext, size,
										   MCXT_ALLOC_HUGE |
										   MCXT_ALLOC_NO_OOM);
	}
	PG_FINALLY();
	{
		kept_memory_end(begun);
	}
	PG_END_TRY();
	if (begun)
		note_kept_memory();
	/* It may still be mapped outside of the heap; else this raises 53200. */
	if (value == NULL)
		value = MemoryContextAllocHuge(CurrentMemoryContext, size);
	advise_huge_pages(value, size);
	return value;
}

/* Cuts the room for a value.  A large chunk shrinks in place. */
void *
large_value_cut(void *value, Size from, Size to)
{
	return from - to >= HUGE_PAGE ? repalloc(value, to) : value;
}

/* Like memmove, but can be cancelled. */
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

/* Like memset, but can be cancelled. */
void
set_bytes(void *to, int value, Size bytes)
{
	for (Size set = 0; set < bytes; set += BYTES_STEP)
	{
		CHECK_FOR_INTERRUPTS();
		memset((char *) to + set, value, Min(BYTES_STEP, bytes - set));
	}
}
