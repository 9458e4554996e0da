/*
 * reader_parts.h
 *	  What the parts of an array reader share.
 */
#ifndef GPUCOMPACT_READER_PARTS_H
#define GPUCOMPACT_READER_PARTS_H

#include "array/array_reader.h"

/*
 * The first piece of a toasted array, which brings the header, and all of an
 * array that is not larger.  A multiple of the bytes in a TOAST chunk, so that
 * no chunk is read twice for its sake.
 */
#define FIRST_PIECE		(16 * TOAST_MAX_CHUNK_SIZE)

/* A compressed value that is stored. */
typedef struct CompressedValue
{
	ToastReader *stored;		/* NULL once all of it is read */
	struct varlena *compressed; /* its first piece; NULL once all is read */
	struct varlena *value;		/* or NULL */
	Size		size;			/* bytes it should have */
	Size		offset;			/* bytes of it before the values */
} CompressedValue;

/* Raises XX001 unless the condition holds. */
static inline void
check_array(bool condition)
{
	if (!condition)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("array is corrupted")));
}

/* Booleans are changed on the way: all bytes but 0 are true. */
static inline bool
reader_holds_booleans(const ArrayReader *reader)
{
	return reader->type.base == BOOLOID;
}

/* reader_open.c */
extern ToastReader *reader_open_stored(const struct varatt_external *pointer);
extern struct varlena *reader_detoast(struct varlena *attr);

/* array_reader.c */
extern void reader_read_values(ArrayReader *reader, char *dest, int64 count);
extern void reader_close_stored(ArrayReader *reader);

/* reader_identity.c */
extern void reader_identify(ArrayReader *reader, const ToastReader *stored,
							const struct varlena *attr, const char *first);
extern void reader_identify_values(ArrayReader *reader, Size offset);

/* reader_packed.c */
extern void reader_begin_packed(ArrayReader *reader, Datum packed);
extern void reader_cut_packed(ArrayReader *reader, int64 before);

/* reader_compressed.c */
extern struct varlena *compressed_value(CompressedValue *compressed);
extern ArrayType *reader_open_compressed(ArrayReader *reader,
										 const struct varlena *attr,
										 const struct varatt_external *pointer);
extern void compressed_close(CompressedValue *compressed);

/* reader_fill.c */
extern void reader_begin_filled(ArrayReader *reader,
								NullHandling null_handling,
								const ElementValue *fill);
extern void reader_read_filled(ArrayReader *reader, char *buffer,
							   int64 count);
extern bool reader_attach_filled(ArrayReader *reader, SpanSink *sink,
								 int values);
extern void reader_detach_filled(ArrayReader *reader);

#endif							/* GPUCOMPACT_READER_PARTS_H */
