/*
 * group.h
 *	  GROUP: the REDUCE of each group of elements that are next to each other.
 *
 * The table has int4 positions, ascending from 1 on, of each group's first
 * element; a group is not empty.  There is a result for each group.  The
 * parameters are ScanParameters.
 */
#ifndef GPUCOMPACT_OPERATIONS_GROUP_H
#define GPUCOMPACT_OPERATIONS_GROUP_H

#include "contract/operations/scan.h"

#endif							/* GPUCOMPACT_OPERATIONS_GROUP_H */
