/*
 * chain_cast.h
 *	  A cast in a chain: of a leaf, or of a result to an array of numbers.
 */
#ifndef GPUCOMPACT_CHAIN_CAST_H
#define GPUCOMPACT_CHAIN_CAST_H

#include "nodes/primnodes.h"

typedef struct ChainCast ChainCast;

extern ChainCast *chain_cast_make(Oid from, Oid to, Expr **expr);
extern Datum chain_cast_run(ChainCast *cast, Datum value, bool *isnull);

#endif							/* GPUCOMPACT_CHAIN_CAST_H */
