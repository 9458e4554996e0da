/*
 * reader_parts.h
 *	  What the parts of an array reader share.
 */
#ifndef GPUCOMPACT_READER_PARTS_H
#define GPUCOMPACT_READER_PARTS_H

#include "array/array_reader.h"

/* Booleans are changed on the way: all bytes but 0 are true. */
static inline bool
reader_holds_booleans(const ArrayReader *reader)
{
	return reader->type.base == BOOLOID;
}

/* The whole datum, if that is what the source has; else NULL. */
static inline const struct varlena *
reader_load(ArrayReader *reader)
{
	ValueSource *source = reader->source;

	if (reader->whole == NULL && source != NULL &&
		source->methods->load != NULL)
		reader->whole = source->methods->load(source);
	return reader->whole;
}

/* Values in memory, in place. */
static inline const char *
reader_take_values(ArrayReader *reader, int64 count)
{
	const char *values;

	if (reader->at.values == NULL && reader->deferred != NULL)
	{
		const ArrayType *array = deferred_array(reader->deferred);

		if (VARSIZE(array) != reader->size)
			elog(ERROR, "step of a chain returned another array than before");
		reader->at.values = (const char *) array + reader->offset;
	}
	if (reader->at.values == NULL && reader_load(reader) != NULL)
		reader->at.values = (const char *) reader->whole +
			value_source_offset(reader->source, 0);
	values = reader->at.values;
	reader->at.values += count * reader->type.size;
	reader->at.values_at_hand -= count;
	return values;
}

/* Values, from memory and then from the source, into the buffer. */
static inline void
reader_read_values(ArrayReader *reader, char *dest, int64 count)
{
	int64		at_hand = Min(count, reader->at.values_at_hand);
	int64		rest = count - at_hand;

	if (at_hand > 0)
		memcpy(dest, reader_take_values(reader, at_hand),
			   at_hand * reader->type.size);
	if (rest > 0)
		reader->source->methods->read(reader->source, reader->at.value, rest,
									  dest + at_hand * reader->type.size);
	reader->at.value += rest;
}

/* reader_fill.c */
extern void reader_begin_filled(ArrayReader *reader,
								NullHandling null_handling,
								const ElementValue *fill);
extern void reader_read_filled(ArrayReader *reader, char *buffer,
							   int64 count);

#endif							/* GPUCOMPACT_READER_PARTS_H */
