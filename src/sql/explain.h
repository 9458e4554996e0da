/*
 * explain.h
 *	  EXPLAIN (ANALYZE, VERBOSE) shows how the calls of a query went.
 */
#ifndef GPUCOMPACT_EXPLAIN_H
#define GPUCOMPACT_EXPLAIN_H

extern void explain_init(void);

#endif							/* GPUCOMPACT_EXPLAIN_H */
