/*
 * input.h
 *	  An input of an engine's job, piece by piece.
 */
#ifndef GPUCOMPACT_INPUT_H
#define GPUCOMPACT_INPUT_H

#include "array/array_writer.h"

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

	ArrayReader *reader;		/* the array that they come from */
	ArrayReader *second;		/* and the one that follows it, or NULL */
	bool		plain;			/* they are the arrays' own, unchanged */
	CallTable  *table;			/* the elements are positions in it; or NULL */
} CallInput;

extern const void *array_input_next(CallInput *input, void *buffer,
									int64 count);
extern CallInput joined_input(ArrayReader *reader, ArrayReader *second);
extern CallInput positions_input(ArrayReader *reader);
extern ArrayReader *source_reader(const EngineRequest *request,
								  CallInput *const inputs[], int source);
extern CallTable call_table(ArrayReader *reader);
extern void call_table_read(CallTable *table, EngineRequest *request);
extern void call_table_free(CallTable *table);

/* The elements of an array as they are. */
static inline CallInput
array_input(ArrayReader *reader)
{
	return (CallInput) {array_input_next, .reader = reader, .plain = true};
}

#endif							/* GPUCOMPACT_INPUT_H */
