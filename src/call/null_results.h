/*
 * null_results.h
 *	  Results that are NULL although the engine has a value for them.
 */
#ifndef GPUCOMPACT_NULL_RESULTS_H
#define GPUCOMPACT_NULL_RESULTS_H

#include "array/array_reader.h"
#include "array/array_writer.h"

extern int64 null_results_leave_out(ArrayWriter *writer, int64 nitems);
extern int64 null_results_fetch(ArrayWriter *writer, int64 nitems,
								const EngineResult *stayed);

#endif							/* GPUCOMPACT_NULL_RESULTS_H */
