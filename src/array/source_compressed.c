/*
 * source_compressed.c
 *	  Values that are stored compressed, and decompressed when they are needed.
 */
#include "compat.h"

#include "access/detoast.h"
#include "access/toast_compression.h"

#include "array/value_source.h"

/* Enough for the header of any array, which is decompressed on its own. */
#define HEAD_BYTES		128

typedef struct CompressedSource
{
	ValueSource base;
	struct varlena *compressed; /* its first piece; NULL once all is read */
	Size		size;			/* bytes that it should have, decompressed */
} CompressedSource;

static struct varlena *
load(ValueSource *source)
{
	CompressedSource *compressed = (CompressedSource *) source;
	ToastReader *stored = source->stored;
	struct varlena *attr = compressed->compressed;
	struct varlena *value;
	int			first;

	Assert(stored != NULL);
	first = VARSIZE_4B(attr) - VARHDRSZ;
	toast_reader_read(stored, first, VARDATA(attr) + first,
					  stored->size - first);
	SET_VARSIZE_COMPRESSED(attr, VARHDRSZ + stored->size);
	toast_reader_close(stored);
	source->stored = NULL;
	value = detoast_attr(attr);
	pfree(attr);
	compressed->compressed = NULL;
	check_array(VARSIZE(value) == compressed->size);
	return value;
}

static void
free_compressed(ValueSource *source)
{
	CompressedSource *compressed = (CompressedSource *) source;

	if (compressed->compressed != NULL)
		pfree(compressed->compressed);
}

/*
 * Returns whether the first bytes of a compressed value have its head.  lz4
 * writes a byte 255 for every 255 bytes of a run or a literal.  So the first
 * piece may end before the length of the first run does.
 */
static bool
has_head(const struct varlena *compressed, int bytes)
{
	const uint8 *data = (const uint8 *) VARDATA(compressed);

	return VARDATA_COMPRESSED_GET_COMPRESS_METHOD(compressed) !=
		TOAST_LZ4_COMPRESSION_ID || data[bytes - HEAD_BYTES - 1] != 255;
}

/*
 * A source of a stored compressed value, which it closes.  Sets *first to the
 * first stored bytes.
 */
ValueSource *
compressed_source(ToastReader *stored, const struct varatt_external *pointer,
				  const char **first)
{
	static const SourceMethods methods = {
		.load = load, .free = free_compressed
	};
	CompressedSource *source = palloc0(sizeof(CompressedSource));
	int			bytes = Min(FIRST_PIECE, stored->size);
	struct varlena *value = palloc(VARHDRSZ + stored->size);

	source->base.methods = &methods;
	source->base.stored = stored;
	source->compressed = value;
	source->size = pointer->va_rawsize;
	*first = VARDATA(value);
	toast_reader_read(stored, 0, VARDATA(value), bytes);
	SET_VARSIZE_COMPRESSED(value, VARHDRSZ + bytes);
	check_array(bytes >= VARHDRSZ_COMPRESSED - VARHDRSZ &&
				VARDATA_COMPRESSED_GET_EXTSIZE(value) ==
				source->size - VARHDRSZ &&
				VARDATA_COMPRESSED_GET_COMPRESS_METHOD(value) ==
				VARATT_EXTERNAL_GET_COMPRESS_METHOD(*pointer));
	return &source->base;
}

/*
 * The first bytes of the datum, as a datum of their own, which the caller
 * frees.  Returns NULL if they cannot be had without the others.
 */
struct varlena *
compressed_source_head(ValueSource *source)
{
	CompressedSource *compressed = (CompressedSource *) source;
	struct varlena *value = compressed->compressed;
	int			bytes = VARSIZE_4B(value) - VARHDRSZ;

	return bytes == source->stored->size || has_head(value, bytes) ?
		detoast_attr_slice(value, 0, HEAD_BYTES) : NULL;
}
