/*
 * reader_compressed.c
 *	  A stored value that is compressed, decompressed when it is needed.
 */
#include "compat.h"

#include "access/detoast.h"
#include "access/toast_compression.h"

#include "array/reader_parts.h"

/* Enough for the header of any array, which is decompressed on its own. */
#define HEAD_BYTES		128

/* The value, decompressed when it is first asked for. */
struct varlena *
compressed_value(CompressedValue *compressed)
{
	ToastReader *stored = compressed->stored;
	struct varlena *attr = compressed->compressed;
	int			first;

	if (compressed->value != NULL)
		return compressed->value;
	first = VARSIZE_4B(attr) - VARHDRSZ;
	toast_reader_read(stored, first, VARDATA(attr) + first,
					  stored->size - first);
	SET_VARSIZE_COMPRESSED(attr, VARHDRSZ + stored->size);
	toast_reader_close(stored);
	compressed->stored = NULL;
	compressed->value = detoast_attr(attr);
	pfree(attr);
	compressed->compressed = NULL;
	check_array(VARSIZE(compressed->value) == compressed->size);
	return compressed->value;
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
 * The toasted array, which is compressed: its head, decompressed from its first
 * piece; or all of it, unless it is large.
 */
ArrayType *
reader_open_compressed(ArrayReader *reader, const struct varlena *attr,
					   const struct varatt_external *pointer)
{
	ToastReader *stored = reader->stored;
	CompressedValue *compressed = palloc0(sizeof(CompressedValue));
	struct varlena *value;
	int			bytes = Min(FIRST_PIECE, stored->size);
	Size		size = pointer->va_rawsize;

	reader->source = "decompressed";
	reader->size = size;
	reader->compressed = compressed;
	compressed->stored = stored;
	compressed->size = size;
	compressed->compressed = palloc(VARHDRSZ + stored->size);
	toast_reader_read(stored, 0, VARDATA(compressed->compressed), bytes);
	SET_VARSIZE_COMPRESSED(compressed->compressed, VARHDRSZ + bytes);
	value = compressed->compressed;
	check_array(bytes >= VARHDRSZ_COMPRESSED - VARHDRSZ &&
				VARDATA_COMPRESSED_GET_EXTSIZE(value) == size - VARHDRSZ &&
				VARDATA_COMPRESSED_GET_COMPRESS_METHOD(value) ==
				VARATT_EXTERNAL_GET_COMPRESS_METHOD(*pointer));
	reader_identify(reader, stored, attr, VARDATA(value));
	reader->stored = NULL;
	if (size < MIN_KEPT || (bytes < stored->size && !has_head(value, bytes)))
		return (ArrayType *) compressed_value(compressed);
	reader->copy = detoast_attr_slice(compressed->compressed, 0, HEAD_BYTES);
	return (ArrayType *) reader->copy;
}

void
compressed_close(CompressedValue *compressed)
{
	if (compressed->stored != NULL)
		toast_reader_close(compressed->stored);
	if (compressed->compressed != NULL)
		pfree(compressed->compressed);
	if (compressed->value != NULL)
		pfree(compressed->value);
	pfree(compressed);
}
