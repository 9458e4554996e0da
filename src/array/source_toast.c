/*
 * source_toast.c
 *	  Values that are stored in a TOAST table, and not compressed.
 */
#include "compat.h"

#include "array/value_source.h"

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

static bool
attach(ValueSource *source, SpanSink *sink, int arrays, bool forward)
{
	return toast_reader_attach(source->stored, sink, arrays);
}

/* Copies the first bytes of some spans, without the bytes to skip. */
static void
copy_beginning(char *dest, const ByteSpan *spans, int nspans, int64 skip,
			   int64 bytes)
{
	for (int i = 0; bytes > 0; i++)
	{
		int64		skipped = Min(skip, spans[i].length);
		int64		length = Min(spans[i].length - skipped, bytes);

		prefetch_span(spans, nspans, i + 1);
		memcpy(dest, (const char *) spans[i].bytes + skipped, length);
		dest += length;
		skip -= skipped;
		bytes -= length;
	}
}

/* Fills a part's elements.  Runs in any thread. */
static bool
fill_part(SpanBatch *batch, char *dest)
{
	FilledPart *part = (FilledPart *) batch;
	int			size = part->size;
	int64		carried = part->carries ? size : 0;

	copy_beginning(part->spread.fill, batch->spans, batch->nspans, 0, carried);
	copy_beginning(spread_values(&part->spread, dest, part->values, size),
				   batch->spans, batch->nspans, carried, part->values * size);
	spread_elements(&part->spread, dest, part->values, size);
	return true;
}

static int64
send_values(ValueSource *source, int64 first, int64 count, char *dest,
			const ElementSpread *spread)
{
	int			size = source->size;
	int			carried = spread->repeat == REPEAT_FORWARD && first > 0 ? 1 : 0;
	ToastStretch *stretch = toast_reader_next(source->stored,
											  stored_offset(source,
															first - carried),
											  (carried + Min(count, 1)) * size,
											  (carried + count) * size);
	FilledPart *part;

	if (stretch == NULL)
		return -1;
	if (source->parts == NULL)
		source->parts = palloc((FEED_STRETCHES + 1) * sizeof(FilledPart));
	part = (FilledPart *) source->parts +
		source->nparts++ % (FEED_STRETCHES + 1);
	*part = (FilledPart)
	{
		.batch = {stretch->spans, stretch->nspans, fill_part},
			.spread = *spread, .carries = carried, .values = count,
			.size = size
	};
	if (stretch->bytes < (carried + count) * size)
	{
		part->values = stretch->bytes / size - carried;
		spread_cut(&part->spread, part->values);
	}
	toast_reader_send(source->stored, &part->batch, dest);
	return part->values;
}

static void
settle(ValueSource *source, bool all)
{
	toast_reader_settle(source->stored, all);
}

/* A source of what is stored, which it closes. */
ValueSource *
toast_source(ToastReader *stored, Size piece)
{
	static const SourceMethods methods = {
		.read = read_values, .attach = attach, .send = send_values,
		.settle = settle
	};
	ValueSource *source = palloc0(sizeof(ValueSource));

	source->methods = &methods;
	source->stored = stored;
	source->piece = piece;
	source->size = 1;
	return source;
}
