/*
 * series_x.h
 *	  The x of a series: elements of an array, between which there are
 *	  distances; and the arguments that define the bins of an array's elements.
 */
#ifndef GPUCOMPACT_SERIES_X_H
#define GPUCOMPACT_SERIES_X_H

#include "compat.h"

#include "datatype/timestamp.h"
#include "fmgr.h"

#include "array/array_reader.h"
#include "contract/bin.h"

extern void series_open_x(ArrayReader *x, FunctionCallInfo fcinfo);
extern void series_open_list(ArrayReader *x, FunctionCallInfo fcinfo);
extern bool series_is_time(const ElementType *type);
extern Interval *series_read_interval(const char *literal);
extern void series_raise_descending(void);
extern Datum series_distances(ArrayReader *x, const uint8 *values,
							  int64 nvalues);
extern BinParameters stride_arguments(FunctionCallInfo fcinfo, int argument,
									  const ElementType *type);
extern void check_bins(const ElementType *type, bool out_of_range);

#endif							/* GPUCOMPACT_SERIES_X_H */
