/*
 * scan.h
 *	  SCAN and REDUCE.
 *
 * The i-th result of SCAN is elements 1 to i combined from left to right:
 * an inclusive scan.  REDUCE has the last one alone.  Floats are combined in
 * the order of float_order.h.
 */
#ifndef GPUCOMPACT_OPERATIONS_SCAN_H
#define GPUCOMPACT_OPERATIONS_SCAN_H

#include "contract/engine.h"

typedef enum ScanOperator
{
	SCAN_ADD,
	SCAN_MULTIPLY,
	SCAN_MIN,
	SCAN_MAX,
	SCAN_AND,					/* of integers only, this and those below */
	SCAN_OR,
	SCAN_XOR
} ScanOperator;

#define SCAN_OPERATORS		(SCAN_XOR + 1)

typedef struct ScanParameters
{
	ScanOperator op;
} ScanParameters;

#endif							/* GPUCOMPACT_OPERATIONS_SCAN_H */
