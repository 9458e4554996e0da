/*
 * page_reader.c
 *	  Pins the pages of a TOAST table on which a value's chunks are, and reads
 *	  ahead pages that are not in the buffer cache.
 *
 * If a page has to be read from disk, so will the pages after it, presumably.
 * As long as pages are in the cache, nothing is read ahead.  In the cache,
 * pages mostly lie in consecutive buffers, so that few have to be looked up.
 */
#include "compat.h"

#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#if PG_VERSION_NUM >= 170000
#include "storage/read_stream.h"
#else
#include "utils/spccache.h"
#endif

#include "array/toast_pages.h"

/*
 * The most pages to read ahead: enough for several reads at a time, and few
 * enough that the pages are still in the cache when they are needed.
 */
#define MAX_AHEAD		Min(256, NBuffers / 8)

static inline BlockNumber
page_at(const ToastChunks *chunks, int place)
{
	return ItemPointerGetBlockNumber(&chunks->places[place]);
}

/*
 * Returns whether a buffer is in use anyway: its usage count is above 1.  In
 * most versions, ReadRecentBuffer does not count as a use: a page that is never
 * looked up would leave the cache.
 */
static inline bool
is_in_use(Buffer buffer)
{
	BufferDesc *descriptor = GetBufferDescriptor(buffer - 1);

	return BUF_STATE_GET_USAGECOUNT(buffer_state(descriptor)) > 1;
}

/*
 * Counts what ReadBuffer would have counted for a page in the cache, except
 * pgBufferUsage, which ReadRecentBuffer counts.
 */
static inline void
count_hit(Relation toastrel)
{
	pgstat_count_buffer_read(toastrel);
	pgstat_count_buffer_hit(toastrel);
#if PG_VERSION_NUM >= 180000
	pgstat_count_io_op(IOOBJECT_RELATION, IOCONTEXT_NORMAL, IOOP_HIT, 1, 0);
#elif PG_VERSION_NUM >= 160000
	pgstat_count_io_op(IOOBJECT_RELATION, IOCONTEXT_NORMAL, IOOP_HIT);
#endif
}

/*
 * Pins a page, which is the last one again where the last stretch ended in it.
 * Consecutive pages are mostly in consecutive buffers, upwards, or downwards
 * where these had been freed together; so the next buffer is tried before the
 * page is looked up.  A wrong guess is not counted in the statistics.
 */
static Buffer
pin_page(ToastChunks *chunks, BlockNumber page)
{
	Relation	toastrel = chunks->toastrel;
	Buffer		last = chunks->buffer;
	Buffer		guess = page == chunks->page ? last : last + chunks->step;

	chunks->page = page;
	if (last != InvalidBuffer && guess > 0 && guess <= NBuffers &&
		is_in_use(guess) &&
		ReadRecentBuffer(toastrel->rd_locator, MAIN_FORKNUM, page, guess))
	{
		count_hit(toastrel);
		chunks->buffer = guess;
		return guess;
	}
	chunks->buffer = ReadBuffer(toastrel, page);
	if (abs(chunks->buffer - last) == 1)
		chunks->step = chunks->buffer - last;
	return chunks->buffer;
}

/* The first page that is not read ahead; passes over its places. */
static BlockNumber
next_page(ToastChunks *chunks)
{
	BlockNumber page;

	if (chunks->ahead >= chunks->nplaces)
		return InvalidBlockNumber;
	page = page_at(chunks, chunks->ahead);
	while (chunks->ahead < chunks->nplaces &&
		   page_at(chunks, chunks->ahead) == page)
		chunks->ahead++;
	return page;
}

#if PG_VERSION_NUM >= 170000

/*
 * A window of pages is read by a stream: neighbours at once, and from 18 on
 * asynchronously.  A stream pins the pages that it has read ahead, and we may
 * wait for other processes before we need the pages; so the stream only brings
 * them into the cache.
 */
typedef struct Window
{
	ToastChunks *chunks;
	int			pages;			/* that may still be read */
} Window;

static BlockNumber
next_in_window(ReadStream *stream, void *private_data, void *buffer_data)
{
	Window	   *window = private_data;

	return window->pages-- > 0 ? next_page(window->chunks) :
		InvalidBlockNumber;
}

static void
read_window(ToastChunks *chunks)
{
	int			flags = READ_STREAM_FULL;
	Window		window = {chunks, MAX_AHEAD};
	ReadStream *stream;
	Buffer		buffer;

#if PG_VERSION_NUM >= 180000
	flags |= READ_STREAM_USE_BATCHING;
#endif
	stream = read_stream_begin_relation(flags, NULL, chunks->toastrel,
										MAIN_FORKNUM, next_in_window, &window,
										0);
	while ((buffer = read_stream_next_buffer(stream, NULL)) != InvalidBuffer)
		ReleaseBuffer(buffer);
	read_stream_end(stream);
}

/*
 * Pins the page of the next place.
 */
Buffer
read_next_page(ToastChunks *chunks)
{
	int64		reads = pgBufferUsage.shared_blks_read;
	bool		in_window = chunks->place < chunks->ahead;
	Buffer		buffer;

	if (!in_window)
		chunks->ahead = chunks->place;
	if (!in_window && chunks->cold)
		read_window(chunks);
	buffer = pin_page(chunks, page_at(chunks, chunks->place));
	if (!in_window)
		chunks->cold = pgBufferUsage.shared_blks_read != reads;
	return buffer;
}

#else

/*
 * Announces pages to the kernel, effective_io_concurrency of them ahead.  It
 * does not announce neighbours: the kernel notices by itself that pages are
 * read in order, and then reads more of them at a time.
 */
static void
prefetch(ToastChunks *chunks)
{
	int			pages = 1;
	BlockNumber before;
	BlockNumber page;

	if (chunks->ahead <= chunks->place)
	{
		Oid			tablespace = chunks->toastrel->rd_rel->reltablespace;

		chunks->ahead = chunks->place;
		(void) next_page(chunks);	/* to be read at once */
		pages = Min(get_tablespace_io_concurrency(tablespace), MAX_AHEAD);
	}
	while (pages-- > 0)
	{
		before = page_at(chunks, chunks->ahead - 1);
		page = next_page(chunks);
		if (page != InvalidBlockNumber && page != before + 1)
			PrefetchBuffer(chunks->toastrel, MAIN_FORKNUM, page);
	}
}

/*
 * Pins the page of the next place.
 */
Buffer
read_next_page(ToastChunks *chunks)
{
	int64		reads = pgBufferUsage.shared_blks_read;
	Buffer		buffer;

	if (chunks->cold)
		prefetch(chunks);
	buffer = pin_page(chunks, page_at(chunks, chunks->place));
	chunks->cold = pgBufferUsage.shared_blks_read != reads;
	return buffer;
}

#endif
