/*
 * doorbell.h
 *	  Words of shared memory, and doorbells, by which the two sides wait for
 *	  each other: an event count over a futex.
 *
 * Who waits reads the doorbell, looks at the words that it announces, and if
 * there is nothing to do, sleeps or spins until it is rung again.  So no ring
 * is missed, and a ring that nobody sleeps for makes no system call.
 */
#ifndef GPUCOMPACT_DOORBELL_H
#define GPUCOMPACT_DOORBELL_H

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* One side rings it when the other may have something to do. */
typedef struct Doorbell
{
	uint32_t	rings;
	uint32_t	sleepers;
} Doorbell;

static inline int64_t
lanes_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Called before looking at what the doorbell announces. */
static inline uint32_t
doorbell_read(const Doorbell *doorbell)
{
	return __atomic_load_n(&doorbell->rings, __ATOMIC_SEQ_CST);
}

static inline void
doorbell_ring(Doorbell *doorbell)
{
	__atomic_add_fetch(&doorbell->rings, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&doorbell->sleepers, __ATOMIC_SEQ_CST) > 0)
		(void) syscall(SYS_futex, &doorbell->rings, FUTEX_WAKE, INT_MAX, NULL,
					   NULL, 0);
}

/* Sleeps until the doorbell is rung again after "seen", or for "ns". */
static inline void
doorbell_wait(Doorbell *doorbell, uint32_t seen, int64_t ns)
{
	struct timespec most;

	most.tv_sec = ns / 1000000000;
	most.tv_nsec = ns % 1000000000;
	__atomic_add_fetch(&doorbell->sleepers, 1, __ATOMIC_SEQ_CST);
	(void) syscall(SYS_futex, &doorbell->rings, FUTEX_WAIT, seen, &most, NULL,
				   0);
	__atomic_sub_fetch(&doorbell->sleepers, 1, __ATOMIC_SEQ_CST);
}

/*
 * Spins until the doorbell is rung after "seen"; false if it was not, for "ns".
 */
static inline bool
doorbell_spin(const Doorbell *doorbell, uint32_t seen, int64_t ns)
{
	int64_t		until = lanes_now_ns() + ns;

	while (doorbell_read(doorbell) == seen)
	{
		if (lanes_now_ns() >= until)
			return false;
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
	}
	return true;
}

static inline uint32_t
word_read(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void
word_write(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Changes a word, if it still has the expected value. */
static inline bool
word_change(uint32_t *word, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, false,
									   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#endif							/* GPUCOMPACT_DOORBELL_H */
