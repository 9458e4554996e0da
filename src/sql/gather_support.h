/*
 * gather_support.h
 *	  For the planner support function: arrays that are made of rows.
 */
#ifndef GPUCOMPACT_GATHER_SUPPORT_H
#define GPUCOMPACT_GATHER_SUPPORT_H

#include "compat.h"

#include "nodes/pathnodes.h"

extern FuncExpr *gather_faster(PlannerInfo *root, const FuncExpr *call);

#endif							/* GPUCOMPACT_GATHER_SUPPORT_H */
