/*
 * input.h
 *	  An input of an engine's job, piece by piece.
 */
#ifndef GPUCOMPACT_INPUT_H
#define GPUCOMPACT_INPUT_H

#include "array/array_reader.h"
#include "array/array_writer.h"
#include "contract/engine.h"

/* An array whose elements are a request's table. */
typedef struct CallTable
{
	ArrayReader *reader;
	const char *elements;		/* NULL until they are read */
	char	   *copy;			/* palloc'd: they, or NULL */
} CallTable;

typedef struct CallInput
{
	/* The next "count" elements, in "buffer" or in memory that stays. */
	const void *(*next) (struct CallInput *input, void *buffer, int64 count);

	/* Begins anew after the readers have; NULL if there is no more to do. */
	void		(*rewind) (struct CallInput *input);

	ArrayReader *reader;		/* the array that they come from */
	ArrayReader *second;		/* and the one that follows it, or NULL */
	bool		plain;			/* they are the arrays' own, unchanged */
	CallTable  *table;			/* of which they are positions, or NULL */
} CallInput;

/* Elements that are read at once beside another array. */
#define BESIDE_BLOCK	4096

/*
 * The elements of an array beside a bitmap of NULLs, which the engine does not
 * get.  The elements beside values go to the engine, and the elements beside
 * NULLs to "at_nulls".  If the array is a mask, it also tells which of the
 * elements that it selects are NULL.
 */
typedef struct BesideNulls
{
	CallInput	base;
	const uint8 *nulls;			/* the bitmap */
	int64		nitems;			/* of it, and of the array */
	char	   *at_nulls;		/* room for the elements beside NULLs; or NULL:
								 * these are left out */
	uint8	   *selected_nulls; /* the bitmap of the elements that a mask
								 * selects, or NULL if there is no mask */
	int64		selected;		/* elements in "selected_nulls" */
	int64		read;			/* elements of the array */
	int64		put;			/* elements in "at_nulls" */
	const char *next;			/* the next element in "values" */
	int64		left;			/* elements from there on */
	char		values[BESIDE_BLOCK * sizeof(int64)];	/* of the last block */
	char		buffer[BESIDE_BLOCK * sizeof(int64)];
} BesideNulls;

extern const void *array_input_next(CallInput *input, void *buffer,
									int64 count);
extern CallInput joined_input(ArrayReader *reader, ArrayReader *second);
extern CallInput positions_input(ArrayReader *reader);
extern ArrayReader *source_reader(CallInput *const inputs[], int ninputs,
								  int source);
extern CallTable call_table(ArrayReader *reader);
extern void call_table_read(CallTable *table, EngineRequest *request);
extern void call_table_free(CallTable *table);
extern BesideNulls *beside_nulls_begin(ArrayReader *reader,
									   const uint8 *nulls, int64 nitems,
									   char *at_nulls);
extern BesideNulls *mask_beside_nulls_begin(ArrayReader *mask,
											const ArrayReader *array,
											uint8 *selected_nulls);
extern int64 beside_nulls_finish(BesideNulls *input);

/* The elements of an array as they are. */
static inline CallInput
array_input(ArrayReader *reader)
{
	return (CallInput) {array_input_next, .reader = reader, .plain = true};
}

#endif							/* GPUCOMPACT_INPUT_H */
