/*
 * sort.h
 *	  SORT, DISTINCT and RANK.
 *
 * The results of SORT are the keys, the first input, in order; or a payload
 * in the stable order of the keys, which is the second input or the keys'
 * positions from 1 on.
 *
 * The results of DISTINCT are one of each run of equal keys, in order; the
 * second output has the int4 position of each run's head among the sorted
 * keys, from 1 on.
 *
 * The results of RANK are the int4 ranks of the keys, from 1 on, each at its
 * key's place; by RANK_SUM the sums of those by RANK_MIN and by RANK_MAX, twice
 * their average; or, by RANK_HEADS, a uint1 that is 1 if no key before it in
 * the input is equal to it, else 0.
 */
#ifndef GPUCOMPACT_OPERATIONS_SORT_H
#define GPUCOMPACT_OPERATIONS_SORT_H

#include "contract/engine.h"

/* What the rank of a key counts. */
typedef enum RankMethod
{
	RANK_DENSE,					/* the different keys up to it */
	RANK_MIN,					/* the keys up to the first that is equal */
	RANK_MAX,					/* the keys up to the last that is equal */
	RANK_FIRST,					/* the keys up to it in the stable order */
	RANK_SUM,					/* not a rank */
	RANK_HEADS					/* not a rank */
} RankMethod;

typedef struct SortParameters
{
	bool		descending;
	bool		positions;		/* of SORT: they are the payload */

	/*
	 * For DISTINCT: the most frequent key, the least of several, suffices as
	 * the only result; its count may be anything.
	 */
	bool		longest_run;
	bool		count_only;		/* for DISTINCT: their count suffices, and the
								 * results may be anything */
	RankMethod	method;			/* of RANK */
} SortParameters;

/*
 * Bytes of a sort's payload for each key, or zero.  RANK sorts the keys'
 * positions.
 */
static inline int
sort_payload_size(const EngineRequest *request)
{
	if (request->inputs > 1)
		return input_size(request, 1);
	return request->operation == ENGINE_RANK ||
		(request->operation == ENGINE_SORT &&
		 PARAMETERS(request, SortParameters)->positions) ?
		(int) sizeof(int32_t) : 0;
}

#endif							/* GPUCOMPACT_OPERATIONS_SORT_H */
