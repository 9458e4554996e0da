/*
 * value_source.h
 *	  Where an array's values come from that are not in memory.
 *
 * Only the file that makes a source knows which one it is: value_source.c makes
 * sources of stored values, packed_reader.c of packed arrays.  README.md
 * shows how readers use them.
 */
#ifndef GPUCOMPACT_VALUE_SOURCE_H
#define GPUCOMPACT_VALUE_SOURCE_H

#include "compat.h"

#include "array/null_bitmap.h"
#include "array/toast_reader.h"

/*
 * The first piece of a toasted array, which brings the header, and all of an
 * array that is not larger.  It is a multiple of the bytes in a TOAST chunk,
 * so that no chunk is read twice.
 */
#define FIRST_PIECE		(16 * TOAST_MAX_CHUNK_SIZE)

/* Values that are spread over an array's elements, with values for NULLs. */
typedef struct ElementSpread
{
	const uint8 *nulls;			/* the bitmap */
	int64		from;			/* the first element */
	int64		to;				/* and the one behind the last */
	bool		repeat;			/* the value before stands for NULLs, */
	char		fill[8];		/* and this for those before the first value */
} ElementSpread;

/* Where the values have to be, in memory that has room for all elements. */
static inline char *
spread_values(const ElementSpread *spread, char *elements, int64 values,
			  int size)
{
	return elements + (spread->to - spread->from - values) * size;
}

/* Leaves out the elements behind the first "values" values. */
static inline void
spread_cut(ElementSpread *spread, int64 values)
{
	spread->to = null_bitmap_values_end(spread->nulls, spread->from,
										spread->to, values);
}

/* Until a reader has read the header, the values are the datum's bytes. */
typedef struct ValueSource
{
	const struct SourceMethods *methods;
	ToastReader *stored;		/* its bytes, or NULL if they are in memory */
	Size		piece;			/* bytes of the datum that are in memory, too */
	Size		header;			/* bytes of the datum before all values */
	int64		begin;			/* values before the reader's values */
	int64		count;			/* the reader's values */
	int			size;			/* of a value */
} ValueSource;

/* The reader's values are numbered from 0. */
typedef struct SourceMethods
{
	/*
	 * Returns the whole datum, which the caller frees.  Called once.  NULL if
	 * values are read: then the source has all methods that follow.
	 */
	struct varlena *(*load) (ValueSource *source);

	/*
	 * Writes values to "dest".  If a sink does that, they are there after it
	 * has settled.
	 */
	void		(*read) (ValueSource *source, int64 first, int64 count,
						 char *dest);

	/*
	 * Called before a sink gets the stored bytes; "forward" if "send" will
	 * repeat values.  Returns false if there cannot be a sink.  Or NULL.
	 */
	bool		(*prepare) (ValueSource *source, bool forward);

	/*
	 * Makes the sink spread values over elements at "dest".  Returns the
	 * number of values, which may be fewer; -1 if there is no sink any more.
	 * The sink works on parts of this size.
	 */
	int64		(*send) (ValueSource *source, int64 first, int64 count,
						 char *dest, const ElementSpread *spread);
	Size		part_size;

	/* Raises an error if the sink has met a damaged value; or NULL. */
	void		(*check) (ValueSource *source);

	/* Frees what the source has besides; or NULL. */
	void		(*free) (ValueSource *source);
} SourceMethods;

/* Bytes of the datum before a value. */
static inline Size
value_source_offset(const ValueSource *source, int64 value)
{
	return source->header + (source->begin + value) * source->size;
}

static inline void
value_source_close(ValueSource *source)
{
	if (source->stored != NULL)
		toast_reader_close(source->stored);
	if (source->methods->free != NULL)
		source->methods->free(source);
	pfree(source);
}

/* value_source.c */
extern void spread_elements(const ElementSpread *spread, char *elements,
							int64 values, int size);
extern ValueSource *toast_source(ToastReader *stored, Size piece);
extern ValueSource *compressed_source(ToastReader *stored,
									  const struct varatt_external *pointer,
									  const char **first);
extern struct varlena *compressed_source_head(ValueSource *source);

#endif							/* GPUCOMPACT_VALUE_SOURCE_H */
