/*
 * cpu_search.h
 *	  A binary search.
 */
#ifndef GPUCOMPACT_CPU_SEARCH_H
#define GPUCOMPACT_CPU_SEARCH_H

/*
 * Moves "from" on, to "end" at most, as long as the condition holds for it as
 * "at": it holds up to some place, and for none from there on.
 */
#define SEARCH(from, end, at, condition) \
	for (__typeof__(from) end_ = (end), at; from < end_;) \
	{ \
		at = from + (end_ - from) / 2; \
		if (condition) \
			from = at + 1; \
		else \
			end_ = at; \
	}

#endif							/* GPUCOMPACT_CPU_SEARCH_H */
