/*
 * array_writer.h
 *	  An array that is being built, in its final place.
 */
#ifndef GPUCOMPACT_ARRAY_WRITER_H
#define GPUCOMPACT_ARRAY_WRITER_H

#include "compat.h"

#include "utils/array.h"

#include "element.h"

/* Where the NULLs of a result stand: all before or all after its values. */
typedef enum NullPlacement
{
	NULLS_FIRST,
	NULLS_LAST
} NullPlacement;

typedef struct ArrayWriter
{
	ElementType type;
	ArrayType  *array;			/* or a bytea, or a text */
	char	   *values;			/* room for the values that were asked for */
} ArrayWriter;

extern void array_writer_begin(ArrayWriter *writer, const ElementType *type,
							   int ndim, const int *dims, const int *lbounds,
							   int64 nulls, NullPlacement placement);
extern void array_writer_begin_list(ArrayWriter *writer,
									const ElementType *type, int64 most);
extern Datum array_writer_finish(ArrayWriter *writer);
extern Datum array_writer_finish_list(ArrayWriter *writer, int64 count);
extern void array_writer_begin_bytes(ArrayWriter *writer, int64 most);
extern Datum array_writer_finish_bytes(ArrayWriter *writer, int64 count);

#endif							/* GPUCOMPACT_ARRAY_WRITER_H */
