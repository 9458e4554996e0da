/*
 * value_source.c
 *	  Values that are stored in a TOAST table: not compressed; or compressed,
 *	  and decompressed when they are needed.  And what all sources share: values
 *	  that are spread over elements.
 */
#include "compat.h"

#include "access/detoast.h"
#include "access/toast_compression.h"

#include "array/element.h"
#include "array/value_source.h"
#include "loops/bitmaps.h"

/* Returns whether "from" is the first of eight values in one byte. */
static inline bool
are_values(const uint8 *nulls, int64 from)
{
	return from % BITS_PER_BYTE == 0 && nulls[from / BITS_PER_BYTE] == 0xFF;
}

/*
 * Replaces NULLs by the element before, from element "from" to before "to".
 * The first one is not NULL, or has been replaced.  There is no branch for an
 * element, as NULLs may be anywhere.
 */
static pg_always_inline void
repeat_forward(char *elements, const uint8 *nulls, int64 from, int64 to,
			   int size)
{
	int64		next = from + 1;

	while (next < to)
	{
		if (to - next >= BITS_PER_BYTE && are_values(nulls, next))
			next += BITS_PER_BYTE;
		else
		{
			char	   *element = elements + (next - from) * size;
			bool		is_value = null_bitmap_is_value(nulls, next);

			memmove(element, element - (is_value ? 0 : size), size);
			next++;
		}
	}
}

/* Spreads the values in place.  Runs in any thread. */
void
spread_elements(const ElementSpread *spread, char *elements, int64 values,
				int size)
{
	expand_by_bitmap(elements, spread_values(spread, elements, values, size),
					 spread->fill, spread->nulls, spread->from, spread->to,
					 size);
	if (spread->repeat)
		CALL_WITH_SIZE(size, repeat_forward, elements, spread->nulls,
					   spread->from, spread->to);
}

/* Elements that are filled together, in any thread. */
typedef struct FilledPart
{
	SpanBatch	batch;			/* has their values, and maybe more bytes */
	ElementSpread spread;
	bool		carries;		/* the batch's first value is before the
								 * elements */
	int64		values;			/* of the elements */
	int			size;			/* of an element */
} FilledPart;

/* Bytes that are stored before a value. */
static int
stored_offset(const ValueSource *source, int64 value)
{
	return value_source_offset(source, value) - VARHDRSZ;
}

static void
read_values(ValueSource *source, int64 first, int64 count, char *dest)
{
	toast_reader_read(source->stored, stored_offset(source, first), dest,
					  count * source->size);
}

/* Fills a part's elements.  Runs in any thread. */
static bool
fill_part(SpanBatch *batch, char *dest)
{
	FilledPart *part = (FilledPart *) batch;
	int			size = part->size;
	SpanCursor	cursor = {batch};

	if (part->carries)
		span_copy_next(&cursor, part->spread.fill, size);
	span_copy_next(&cursor,
				   spread_values(&part->spread, dest, part->values, size),
				   part->values * size);
	spread_elements(&part->spread, dest, part->values, size);
	return true;
}

static int64
send_values(ValueSource *source, int64 first, int64 count, char *dest,
			const ElementSpread *spread)
{
	int			size = source->size;
	int			carried = spread->repeat && first > 0 ? 1 : 0;
	FilledPart *part = (FilledPart *) toast_reader_part(source->stored);
	int			bytes;

	if (part == NULL)
		return -1;
	bytes = toast_reader_next(source->stored,
							  stored_offset(source, first - carried),
							  (carried + Min(count, 1)) * size,
							  (carried + count) * size);
	if (bytes < 0)
		return -1;
	part->batch.unpack = fill_part;
	part->batch.put_blocks = NULL;
	part->spread = *spread;
	part->carries = carried;
	part->values = bytes / size - carried;
	part->size = size;
	if (part->values < count)
		spread_cut(&part->spread, part->values);
	toast_reader_send(source->stored, dest);
	return part->values;
}

/* A source of what is stored, which it closes. */
ValueSource *
toast_source(ToastReader *stored, Size piece)
{
	static const SourceMethods methods = {
		.read = read_values, .send = send_values,
		.part_size = sizeof(FilledPart)
	};
	ValueSource *source = palloc0(sizeof(ValueSource));

	source->methods = &methods;
	source->stored = stored;
	source->piece = piece;
	source->size = 1;
	return source;
}

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
