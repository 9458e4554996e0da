/*
 * run_writer.h
 *	  A row of arrays; and one of two, of runs and of their lengths, that is
 *	  being built.
 */
#ifndef GPUCOMPACT_RUN_WRITER_H
#define GPUCOMPACT_RUN_WRITER_H

#include "compat.h"

#include "access/htup_details.h"

#include "array/array_writer.h"

typedef struct RunWriter
{
	HeapTupleHeader row;
	Size		size;			/* bytes of the row, with room for all runs */
	ArrayWriter elements;		/* of each run, one */
	ArrayWriter starts;			/* the first positions, until the end */
	int64		runs;
	int64		values;			/* runs whose element is not NULL */
} RunWriter;

/* An array of a row, as a list. */
typedef struct RowColumn
{
	ElementType type;
	const void *values;			/* without NULLs */
	int64		nvalues;
	const uint8 *bitmap;		/* if there are other elements */
} RowColumn;

extern Datum row_of_arrays(const RowColumn *columns, int ncolumns,
						   int64 length, TupleDesc type);
extern void run_writer_begin(RunWriter *writer, const ElementType *type,
							 int64 most, int64 nulls);
extern void run_writer_merge_nulls(RunWriter *writer,
								   const ArrayReader *reader);
extern Datum run_writer_finish(RunWriter *writer, int64 end, TupleDesc type);

#endif							/* GPUCOMPACT_RUN_WRITER_H */
