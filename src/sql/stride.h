/*
 * stride.h
 *	  The arguments that define the bins of an array's elements.
 */
#ifndef GPUCOMPACT_STRIDE_H
#define GPUCOMPACT_STRIDE_H

#include "compat.h"

#include "fmgr.h"

#include "array/element.h"
#include "contract/bin.h"

extern BinParameters stride_arguments(FunctionCallInfo fcinfo, int argument,
									  const ElementType *type);
extern void check_bins(const ElementType *type, bool out_of_range);

#endif							/* GPUCOMPACT_STRIDE_H */
