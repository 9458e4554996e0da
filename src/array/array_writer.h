/*
 * array_writer.h
 *	  An array that is being built, in its final place.
 */
#ifndef GPUCOMPACT_ARRAY_WRITER_H
#define GPUCOMPACT_ARRAY_WRITER_H

#include "compat.h"

#include "utils/array.h"
#include "utils/memutils.h"

#include "array/array_reader.h"

/*
 * Where the NULLs of a result stand: all before its values, all after them, or
 * wherever the caller does not put a value.
 */
typedef enum NullPlacement
{
	NULLS_FIRST,
	NULLS_LAST,
	NULLS_SCATTERED
} NullPlacement;

typedef struct ArrayWriter
{
	ElementType type;
	ArrayType  *array;			/* or a bytea, or a text */
	Size		room;			/* bytes allocated for it; 0 if another value
								 * has it in it */
	int64		leading_nulls;	/* to be put into the bitmap at the end */
	uint8	   *bitmap;			/* of the elements that are not NULL, or NULL */
	char	   *values;			/* room for the values that were asked for */
} ArrayWriter;

/*
 * Raises 23502 or 23514 if NULL is no value of a domain.  src/call sets it,
 * because a constraint may make calls.
 */
extern void (*array_check_null_of) (Oid domain);

/*
 * The elements of an array with these lengths.  Raises an error if there is no
 * such array.
 */
static inline int64
shape_items(int ndim, const int *dims)
{
	if (ndim == 1 && dims[0] >= 0 && dims[0] <= MaxArraySize)
		return dims[0];
	return ArrayGetNItems(ndim, dims);
}

/* The elements of the array that a writer has. */
static inline int64
array_writer_nitems(const ArrayWriter *writer)
{
	return shape_items(ARR_NDIM(writer->array), ARR_DIMS(writer->array));
}

extern void array_writer_begin(ArrayWriter *writer, const ElementType *type,
							   const ArrayReader *shape, int64 nulls,
							   NullPlacement placement);
extern void array_writer_begin_like(ArrayWriter *writer,
									const ElementType *type,
									const ArrayReader *reader);
extern void array_writer_begin_filled(ArrayWriter *writer,
									  const ElementType *type,
									  const ArrayReader *shape, int64 nulls);
extern void array_writer_begin_list(ArrayWriter *writer,
									const ElementType *type, int64 most);
extern void array_writer_begin_null_list(ArrayWriter *writer,
										 const ElementType *type,
										 int64 most, int64 nulls);
extern Size array_writer_list_size(const ElementType *type,
								   int64 most, int64 nulls);
extern void array_writer_place_null_list(ArrayWriter *writer, void *place,
										 const ElementType *type,
										 int64 most, int64 nulls);
extern void array_put_leading_nulls(ArrayType *array, int64 nulls);
extern void array_writer_check(const ArrayWriter *writer);
extern Datum array_writer_finish(ArrayWriter *writer);
extern Datum array_writer_finish_values(ArrayWriter *writer, int64 nvalues);
extern Datum array_writer_finish_list(ArrayWriter *writer, int64 count);
extern Datum array_writer_finish_null_list(ArrayWriter *writer,
										   int64 count, int64 nvalues);
extern Datum array_writer_finish_null_last(ArrayWriter *writer, int64 nvalues);
extern void check_row_size(Size size, int64 elements);
extern void array_writer_begin_bytes(ArrayWriter *writer, int64 most);
extern Datum array_writer_finish_bytes(ArrayWriter *writer, int64 count);

/* nulls.c */
extern void nulls_renumber(const ArrayReader *reader, int32 *positions,
						   int64 count);
extern void nulls_list(const ArrayReader *reader, int32 *positions);
extern void nulls_append(const ArrayReader *reader, uint8 *bitmap,
						 int64 nitems);
extern uint8 *bitmap_of_booleans(ArrayReader *reader);
extern int64 nulls_pack(ArrayWriter *writer, int64 nitems);

#endif							/* GPUCOMPACT_ARRAY_WRITER_H */
