/*
 * kept_memory.c
 *	  Memory that a session keeps once it is freed.
 *
 * glibc maps each large chunk by itself, and unmaps it when it is freed.
 * After that, it takes chunks up to this size from the heap, and keeps twice
 * the size at the heap's top.  So a large result may come in new pages, which
 * the kernel has to find and clear; that can take as long as the work itself.
 * Therefore the large chunks of this extension come from the heap, and its top
 * is kept.  The memory is given back once no large chunk has been asked for in
 * a while.
 *
 * A backend that waits for its client runs no code of a module, and a handler
 * of signals must not free memory.  So a thread waits for that moment.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "contract/kept_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MEGABYTE		((size_t) 1024 * 1024)

int			setting_kept_memory = 0;
int			setting_max_kept_memory = 0;
int			setting_kept_memory_timeout = 0;

#ifdef __GLIBC__

/* The greatest M_MMAP_THRESHOLD: larger chunks are mapped. */
#define LARGEST_IN_HEAP	(32 * MEGABYTE)

/* glibc's default of M_MMAP_MAX. */
#define MAPPED_CHUNKS	65536

#define SECOND			INT64_C(1000000000)

/* How often the thread looks whether it is due: once a second. */
#define LOOK_NS			(SECOND - 1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* for all below */
static bool waiting = false;	/* there is a thread */
static int64_t due;				/* when it gives memory back, in ns */
static size_t applied = 0;		/* what the thresholds are set for */

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

static int64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

/*
 * Waits until it is due, gives back what is free, and ends.  From then on as
 * much is kept as after results that are not large.
 */
static void *
giver_main(void *argument)
{
	int64_t		left;

	pthread_mutex_lock(&lock);
	while ((left = due - now_ns()) > 0)
	{
		struct timespec time = {0, left < LOOK_NS ? left : LOOK_NS};

		pthread_mutex_unlock(&lock);
		nanosleep(&time, NULL);
		pthread_mutex_lock(&lock);
	}
	set_thresholds(0);
	applied = 0;
	waiting = false;
	pthread_mutex_unlock(&lock);
	malloc_trim(0);
	return NULL;
}

/*
 * Starts the thread.  The system may not allow it; then the next chunk may get
 * one.
 */
static void
start_giver(void)
{
	pthread_attr_t attributes;
	pthread_t	thread;
	sigset_t	all;
	sigset_t	before;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);

	/* A thread inherits the signal mask: it handles no signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	waiting = pthread_create(&thread, &attributes, giver_main, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}

/* Puts off the moment when memory is given back.  The lock is held. */
static void
put_off(void)
{
	due = setting_kept_memory_timeout == 0 ? INT64_MAX :
		now_ns() + setting_kept_memory_timeout * SECOND;
	if (!waiting && due < INT64_MAX)
		start_giver();
}

void
kept_memory_used(void)
{
	pthread_mutex_lock(&lock);
	put_off();
	pthread_mutex_unlock(&lock);
}

/*
 * Chunks that are larger than the limit are mapped as before.  Returns whether
 * something was begun, for kept_memory_end().
 */
bool
kept_memory_begin(size_t size)
{
	size_t		kept = (setting_kept_memory < setting_max_kept_memory ?
						setting_kept_memory :
						setting_max_kept_memory) * MEGABYTE;

	if (size < KEPT_MEMORY_LEAST)
		return false;
	pthread_mutex_lock(&lock);
	if (applied != kept)
		set_thresholds(kept);
	applied = kept;
	if (size <= kept)
		put_off();
	pthread_mutex_unlock(&lock);
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

void
kept_memory_used(void)
{
}

#endif							/* __GLIBC__ */
