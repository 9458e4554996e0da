/*
 * sort.h
 *	  SORT and DISTINCT.
 *
 * The results of SORT are the keys, the first input, in order; or a payload
 * in the stable order of the keys, which is the second input or the keys'
 * positions from 1 on.
 *
 * The results of DISTINCT are one of each run of equal keys, in order; the
 * second output has the int4 position of each run's head among the sorted
 * keys, from 1 on.
 */
#ifndef GPUCOMPACT_OPERATIONS_SORT_H
#define GPUCOMPACT_OPERATIONS_SORT_H

#include "contract/engine.h"

typedef struct SortParameters
{
	bool		descending;
	bool		positions;		/* of SORT: they are the payload */

	/*
	 * Of DISTINCT: the least of the keys that are there most often is enough,
	 * as if it were the only one, with whatever count.
	 */
	bool		longest_run;
} SortParameters;

/* Bytes of a sort's payload for each key, or zero. */
static inline int
sort_payload_size(const EngineRequest *request)
{
	return request->inputs > 1 ? input_size(request, 1) :
		request->operation == ENGINE_SORT &&
		PARAMETERS(request, SortParameters)->positions ?
		(int) sizeof(int32_t) : 0;
}

#endif							/* GPUCOMPACT_OPERATIONS_SORT_H */
