/*
 * kept_memory.h
 *	  Memory that a session keeps once it is freed.
 */
#ifndef GPUCOMPACT_KEPT_MEMORY_H
#define GPUCOMPACT_KEPT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * glibc's default for the least chunk that it maps.  Smaller chunks are not
 * kept.
 */
#define KEPT_MEMORY_LEAST	((size_t) 128 * 1024)

extern int	setting_kept_memory;	/* gpucompact.kept_memory, MB */
extern int	setting_max_kept_memory;	/* the most that this may be, MB */
extern int	setting_kept_memory_timeout;	/* s; 0: never */

/* Around an allocation: it comes from memory that the session keeps. */
extern bool kept_memory_begin(size_t size);
extern void kept_memory_end(bool begun);

/* Called when kept memory is used, or may have been freed. */
extern void kept_memory_used(void);

#endif							/* GPUCOMPACT_KEPT_MEMORY_H */
