/*
 * nulls.h
 *	  What becomes of an array's NULLs.
 *
 * An engine sees no NULLs.  An operation treats them in one of four ways, and
 * this is what its function does for each:
 *
 *	  dropped	The engine gets the values, and the result is made of them.
 *				The reader: NULLS_DROPPED, NULLS_COUNTED.  Positions:
 *				nulls_renumber.
 *	  filled	The engine gets a value in place of each NULL.  The reader:
 *				NULLS_FILLED, NULLS_FILLED_WITHIN, LATER_NULLS_FILLED, or
 *				NULLS_FILLED_FORWARD and _BACKWARD.  If the result is NULL
 *				there after all: null_results_leave_out (call/job.c).
 *	  placed	The engine gets the values; the NULLs come before or after them.
 *				The writer: NULLS_FIRST, NULLS_LAST.  Positions: nulls_list.
 *	  carried	The engine gets the values; where each NULL goes depends on its
 *				place among them, or on the element beside it:
 *				run_writer_merge_nulls, and call/temporary.h.
 */
#ifndef GPUCOMPACT_NULLS_H
#define GPUCOMPACT_NULLS_H

#include "array/array_writer.h"

extern void nulls_renumber(const ArrayReader *reader, int32 *positions,
						   int64 count);
extern void nulls_list(const ArrayReader *reader, int32 *positions);
extern void nulls_append(const ArrayReader *reader, uint8 *bitmap,
						 int64 nitems);
extern uint8 *bitmap_of_booleans(ArrayReader *reader);
extern int64 nulls_pack(ArrayWriter *writer, int64 nitems);

#endif							/* GPUCOMPACT_NULLS_H */
