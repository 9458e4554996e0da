/*
 * chain_operation.h
 *	  The operation that a function of a chain has an engine do.
 */
#ifndef GPUCOMPACT_CHAIN_OPERATION_H
#define GPUCOMPACT_CHAIN_OPERATION_H

#include "contract/engine.h"

extern int	chain_operation(const char *function);

#endif							/* GPUCOMPACT_CHAIN_OPERATION_H */
