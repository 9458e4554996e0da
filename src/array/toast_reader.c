/*
 * toast_reader.c
 *	  The stored bytes of a TOASTed value: by pages of its TOAST table where
 *	  that can be, else by core.
 */
#include "compat.h"

#include "access/detoast.h"
#include "access/table.h"
#include "access/tableam.h"

#include "array/toast_reader.h"

/* Bytes of a slice: whole chunks, so that no chunk is read twice. */
#define DETOUR_BYTES	(16 * TOAST_MAX_CHUNK_SIZE)

/*
 * Opens the value that a TOAST pointer tells of.  What is open is closed by
 * toast_reader_close, or by the end of the transaction.
 */
ToastReader *
toast_reader_open(const struct varatt_external *pointer)
{
	ToastReader *reader = palloc(sizeof(ToastReader));

	reader->toastrel = table_open(pointer->va_toastrelid, AccessShareLock);
	reader->value = pointer->va_valueid;
	reader->size = VARATT_EXTERNAL_GET_EXTSIZE(*pointer);
	reader->pages = toast_pages_open(reader->toastrel, reader->value,
									 reader->size);
	reader->feed = NULL;
	return reader;
}

/* Has core read bytes into the payload of a varlena. */
static void
fetch_slice(ToastReader *reader, int offset, struct varlena *dest, int bytes)
{
	table_relation_fetch_toast_slice(reader->toastrel, reader->value,
									 reader->size, offset, bytes, dest);
}

/*
 * Has core read bytes into "dest".  The table access method is told of a
 * varlena whose payload begins at "dest"; as core's own does, it writes only
 * the payload.  A varlena is aligned: if "dest" is not, the bytes are copied
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

static void
close_pages(ToastReader *reader)
{
	if (reader->pages != NULL)
		toast_pages_close(reader->pages);
	reader->pages = NULL;
}

/*
 * Leaves the value to core from now on.  Core reads all of it first, so that
 * it reports any damage.
 */
static void
leave_to_core(ToastReader *reader)
{
	struct varlena *all = palloc(VARHDRSZ + reader->size);

	close_pages(reader);
	fetch_slice(reader, 0, all, reader->size);
	pfree(all);
}

/* Reads bytes by pages.  Returns false if core has to read the value. */
static bool
read_by_pages(ToastReader *reader, int offset, char *dest, int bytes)
{
	return reader->feed != NULL ?
		toast_feed_read(reader->feed, offset, dest, bytes) :
		toast_pages_copy(reader->pages, offset, dest, bytes);
}

/*
 * Reads bytes of the value; into a sink, they are there after
 * toast_reader_drain.
 */
void
toast_reader_read(ToastReader *reader, int offset, char *dest, int bytes)
{
	if (reader->pages != NULL)
	{
		if (read_by_pages(reader, offset, dest, bytes))
			return;
		toast_reader_drain(reader);
		toast_reader_detach(reader);
		leave_to_core(reader);
	}
	read_by_core(reader, offset, dest, bytes);
}

/*
 * From now on, has a sink copy the bytes that are read.  "values" values are
 * read at a time, this one included.  Returns false if the bytes are still
 * copied here.
 */
bool
toast_reader_attach(ToastReader *reader, SpanSink *sink, int values)
{
	if (reader->pages == NULL)
		return false;
	toast_pages_share_pins(reader->pages, values);
	reader->feed = toast_feed_open(reader->pages, sink);
	return true;
}

/*
 * The next stretch, of "least" to "most" bytes, for toast_reader_send.  Returns
 * NULL if there is no sink; or no longer, as core has to read the value, or too
 * few pages may be pinned.
 */
ToastStretch *
toast_reader_next(ToastReader *reader, int offset, int least, int most)
{
	ToastStretch *stretch;

	if (reader->feed == NULL)
		return NULL;
	stretch = toast_feed_next(reader->feed, offset, most);
	if (stretch != NULL && stretch->bytes >= least)
		return stretch;
	if (stretch != NULL)
		toast_pages_release(reader->pages, stretch);
	toast_reader_drain(reader);
	toast_reader_detach(reader);
	if (stretch == NULL)
		leave_to_core(reader);
	return NULL;
}

/*
 * Has the sink put the stretch that came last to "dest".
 */
void
toast_reader_send(ToastReader *reader, SpanBatch *batch, char *dest)
{
	toast_feed_send(reader->feed, batch, dest);
}

/*
 * Unpins the pages that are copied already.
 */
void
toast_reader_unpin(ToastReader *reader)
{
	if (reader->feed != NULL)
		toast_feed_unpin(reader->feed);
}

/*
 * Waits until all that was read is there, and no page is pinned.
 */
void
toast_reader_drain(ToastReader *reader)
{
	if (reader->feed != NULL)
		toast_feed_drain(reader->feed);
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
	toast_feed_close(reader->feed);
	toast_pages_share_pins(reader->pages, 1);
	reader->feed = NULL;
}

/*
 * Gives back what is open.
 */
void
toast_reader_close(ToastReader *reader)
{
	toast_reader_detach(reader);
	close_pages(reader);
	table_close(reader->toastrel, AccessShareLock);
	pfree(reader);
}
