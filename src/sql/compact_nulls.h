/*
 * compact_nulls.h
 *	  Elements that are selected by whether they are NULL.
 */
#ifndef GPUCOMPACT_COMPACT_NULLS_H
#define GPUCOMPACT_COMPACT_NULLS_H

#include "compat.h"

#include "fmgr.h"

extern Datum compact_by_null(FunctionCallInfo fcinfo, bool isnull,
							 bool positions);

#endif							/* GPUCOMPACT_COMPACT_NULLS_H */
