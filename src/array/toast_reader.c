/*
 * toast_reader.c
 *	  The stored bytes of a TOASTed value: by pages of its TOAST table where
 *	  that can be, else by core.
 *
 * Only the backend's own thread may look up and pin pages.  If there is a sink,
 * this thread does nothing else: it hands the sink stretches of bytes, which
 * other threads may copy, and unpins the pages of stretches that are copied.
 *
 * An error gives up all pins.  So the first handler of the error has to stop
 * the sink, after which no thread reads the pages.
 */
#include "compat.h"

#include "access/detoast.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "array/toast_reader.h"

/* Bytes of a slice: whole chunks, so that no chunk is read twice. */
#define DETOUR_BYTES	(16 * TOAST_MAX_CHUNK_SIZE)

/* Stretches under way at most.  Each one of a large value has many pages. */
#define FEED_STRETCHES	16

typedef struct FeedStretch
{
	ToastStretch stretch;
	int			pending;		/* 1 until it is copied */
} FeedStretch;

typedef struct ToastFeed
{
	SpanSink	sink;
	int			released;		/* stretches so far */
	int			filled;
	FeedStretch stretches[FEED_STRETCHES];
	Size		part_size;
	int64		parts[FLEXIBLE_ARRAY_MEMBER];	/* which begin with a batch */
} ToastFeed;

/*
 * Opens the value behind a TOAST pointer.  toast_reader_close, or the end of
 * the transaction, closes what is open.
 */
ToastReader *
toast_reader_open(const struct varatt_external *pointer)
{
	ToastReader *reader;

	check_array(VARATT_EXTERNAL_GET_EXTSIZE(*pointer) > 0 &&
				VARATT_EXTERNAL_GET_EXTSIZE(*pointer) <=
				MaxAllocSize - VARHDRSZ &&
				pointer->va_rawsize >= VARHDRSZ);
	reader = palloc0(sizeof(ToastReader));
	reader->toastrel = table_open(pointer->va_toastrelid, AccessShareLock);
	check_array(reader->toastrel->rd_rel->relkind == RELKIND_TOASTVALUE);
	reader->value = pointer->va_valueid;
	reader->size = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);
	toast_pages_open(reader);
	return reader;
}

/*
 * Detoasts a value by core.  Core does not check that a pointer is of a kind
 * that it knows, and that its relation is a TOAST table.
 */
struct varlena *
detoast_checked(struct varlena *attr)
{
	if (VARATT_IS_EXTERNAL_ONDISK(attr))
	{
		struct varatt_external pointer;

		VARATT_EXTERNAL_GET_POINTER(pointer, attr);
		toast_reader_close(toast_reader_open(&pointer));
	}
	else
		check_array(!VARATT_IS_EXTERNAL(attr) ||
					VARATT_IS_EXTERNAL_INDIRECT(attr) ||
					VARATT_IS_EXTERNAL_EXPANDED(attr));
	return detoast_attr(attr);
}

/* Reads bytes by core, into the payload of a varlena. */
static void
fetch_slice(ToastReader *reader, int offset, struct varlena *dest, int bytes)
{
	table_relation_fetch_toast_slice(reader->toastrel, reader->value,
									 reader->size, offset, bytes, dest);
}

/*
 * Reads bytes by core, into "dest".  The table access method gets a varlena
 * whose payload begins at "dest", and writes only the payload, as core's own
 * method does.  A varlena is aligned: if "dest" is not, the bytes are copied
 * from a slice that is.
 */
static void
read_by_core(ToastReader *reader, int offset, char *dest, int bytes)
{
	struct varlena *slice;

	if (dest == (char *) INTALIGN(dest))
	{
		fetch_slice(reader, offset, (struct varlena *) (dest - VARHDRSZ),
					bytes);
		return;
	}
	slice = palloc(VARHDRSZ + Min(bytes, DETOUR_BYTES));
	for (int done = 0, part; done < bytes; done += part)
	{
		part = Min(bytes - done, DETOUR_BYTES);
		fetch_slice(reader, offset + done, slice, part);
		memcpy(dest + done, VARDATA(slice), part);
	}
	pfree(slice);
}

static inline FeedStretch *
get_stretch(ToastFeed *feed, int number)
{
	return &feed->stretches[number % FEED_STRETCHES];
}

static inline SpanBatch *
next_part(ToastFeed *feed)
{
	return (SpanBatch *) ((char *) feed->parts +
						  feed->filled % FEED_STRETCHES * feed->part_size);
}

static inline bool
is_copied(const FeedStretch *oldest)
{
	return __atomic_load_n(&oldest->pending, __ATOMIC_ACQUIRE) == 0;
}

static void
release_oldest(ToastReader *reader)
{
	ToastFeed  *feed = reader->feed;

	Assert(feed->released < feed->filled);
	toast_pages_release(reader, &get_stretch(feed, feed->released++)->stretch);
}

/* Waits until the oldest stretch is copied, and releases it. */
static void
drain_oldest(ToastReader *reader)
{
	ToastFeed  *feed = reader->feed;
	FeedStretch *oldest = get_stretch(feed, feed->released);

	while (!is_copied(oldest))
	{
		CHECK_FOR_INTERRUPTS();
		feed->sink.context->engine->wait(feed->sink.context,
										 &oldest->pending);
	}
	release_oldest(reader);
}

/* Unpins pages that are copied, without waiting for the others. */
static void
unpin_copied(ToastReader *reader)
{
	ToastFeed  *feed = reader->feed;

	while (feed->released < feed->filled &&
		   is_copied(get_stretch(feed, feed->released)))
		release_oldest(reader);
}

/*
 * Memory for the next part that the sink works on; NULL if there is no sink.
 * Waits until the next stretch is free, and enough pages for it can be pinned:
 * a quarter of the pins that are allowed, and at most STRETCH_PAGES.
 */
SpanBatch *
toast_reader_part(ToastReader *reader)
{
	ToastFeed  *feed = reader->feed;
	int			wanted = Min(STRETCH_PAGES, (reader->max_pins + 3) / 4);

	if (feed == NULL)
		return NULL;
	unpin_copied(reader);
	while (feed->released < feed->filled &&
		   (reader->max_pins - reader->pins < wanted ||
			feed->filled - feed->released == FEED_STRETCHES))
		drain_oldest(reader);
	return next_part(feed);
}

/*
 * Makes the sink write the last stretch to "dest", as the part says.
 */
void
toast_reader_send(ToastReader *reader, char *dest)
{
	ToastFeed  *feed = reader->feed;
	SpanBatch  *batch = next_part(feed);
	FeedStretch *next = get_stretch(feed, feed->filled++);
	EngineContext *context = feed->sink.context;

	next->pending = 1;
	context->engine->fill(context, feed->sink.input, dest, batch,
						  &next->pending);
}

/*
 * Copies bytes of the value to "dest", or makes the sink copy them.  Returns
 * false if core has to read the value.
 */
static bool
read_pages(ToastReader *reader, int offset, char *dest, int bytes)
{
	ToastStretch own;

	for (int length; bytes > 0; offset += length, dest += length,
		 bytes -= length)
	{
		SpanBatch  *part = toast_reader_part(reader);
		ToastStretch *stretch = part != NULL ?
			&get_stretch(reader->feed, reader->feed->filled)->stretch : &own;

		if (!toast_pages_next(reader, offset, bytes, stretch))
			return false;
		length = stretch->bytes;
		if (part != NULL)
		{
			*part = (SpanBatch) {stretch->spans, stretch->nspans};
			toast_reader_send(reader, dest);
		}
		else
		{
			copy_spans(dest, stretch->spans, stretch->nspans);
			toast_pages_release(reader, stretch);
		}
	}
	return true;
}

/* From now on, bytes are copied here, once the sink has copied its last. */
static void
dismiss_sink(ToastReader *reader)
{
	toast_reader_settle(reader, true);
	toast_reader_detach(reader);
}

/*
 * Leaves the value to core from now on.  Core reads all of it first, so that
 * it reports any damage.
 */
static void
leave_to_core(ToastReader *reader)
{
	struct varlena *all;

	dismiss_sink(reader);
	toast_pages_close(reader);
	all = palloc(VARHDRSZ + reader->size);
	fetch_slice(reader, 0, all, reader->size);
	pfree(all);
}

/*
 * Reads bytes of the value.  If a sink copies them, they are there after
 * toast_reader_settle.
 */
void
toast_reader_read(ToastReader *reader, int offset, char *dest, int bytes)
{
	Assert(offset >= 0 && bytes >= 0 && bytes <= reader->size - offset);
	if (!reader->by_core)
	{
		if (read_pages(reader, offset, dest, bytes))
			return;
		leave_to_core(reader);
	}
	read_by_core(reader, offset, dest, bytes);
}

/*
 * From now on, a sink copies the bytes that are read.  It works on parts of
 * "part_size" bytes.  "values" values are read at a time, including
 * this one.  Returns false if the bytes are still copied here.
 */
bool
toast_reader_attach(ToastReader *reader, SpanSink sink, Size part_size,
					int values)
{
	Assert(reader->feed == NULL && values > 0);
	if (reader->by_core)
		return false;
	toast_pages_share_pins(reader, values);
	part_size = MAXALIGN(part_size);
	reader->feed = palloc(offsetof(ToastFeed, parts) +
						  FEED_STRETCHES * part_size);
	reader->feed->sink = sink;
	reader->feed->part_size = part_size;
	reader->feed->released = reader->feed->filled = 0;
	return true;
}

/*
 * Finds "least" to "most" bytes for the part that toast_reader_part has
 * returned.  Returns how many; -1 if there is no sink any more: core has to
 * read the value, or too few pages may be pinned.
 */
int
toast_reader_next(ToastReader *reader, int offset, int least, int most)
{
	ToastStretch *stretch =
		&get_stretch(reader->feed, reader->feed->filled)->stretch;
	SpanBatch  *part = next_part(reader->feed);

	Assert(least >= 0 && least <= most && most <= reader->size - offset);
	if (!toast_pages_next(reader, offset, most, stretch))
		leave_to_core(reader);
	else if (stretch->bytes >= least)
	{
		part->spans = stretch->spans;
		part->nspans = stretch->nspans;
		return stretch->bytes;
	}
	else
	{
		toast_pages_release(reader, stretch);
		dismiss_sink(reader);
	}
	return -1;
}

/*
 * Unpins the pages that are copied already; or if "all", waits until all that
 * was read is there, and no page is pinned.
 */
void
toast_reader_settle(ToastReader *reader, bool all)
{
	ToastFeed  *feed = reader->feed;

	if (feed == NULL)
		return;
	unpin_copied(reader);
	while (all && feed->released < feed->filled)
		drain_oldest(reader);
}

/*
 * From now on, bytes are copied here again.  To be called when the sink has
 * stopped or everything is copied.
 */
void
toast_reader_detach(ToastReader *reader)
{
	if (reader->feed == NULL)
		return;
	while (reader->feed->released < reader->feed->filled)
		release_oldest(reader);
	pfree(reader->feed);
	toast_pages_share_pins(reader, 1);
	reader->feed = NULL;
}

/*
 * Gives back what is open.
 */
void
toast_reader_close(ToastReader *reader)
{
	toast_reader_detach(reader);
	toast_pages_close(reader);
	table_close(reader->toastrel, AccessShareLock);
	pfree(reader);
}
