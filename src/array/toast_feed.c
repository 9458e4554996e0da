/*
 * toast_feed.c
 *	  The stored bytes of a TOASTed value on their way to a sink, which copies
 *	  them.
 *
 * Only the backend's own thread may look up and pin pages.  Here it does
 * nothing else: it hands a sink stretches of bytes, which other threads may
 * copy, and unpins the pages of stretches that are copied.
 *
 * An error gives up all pins.  So the first handler of the error has to stop
 * the sink, after which no thread reads the pages.
 */
#include "compat.h"

#include "miscadmin.h"

#include "array/toast_feed.h"

typedef struct FeedStretch
{
	ToastStretch stretch;
	SpanBatch	batch;			/* its spans */
	int			pending;		/* 1 until it is copied */
} FeedStretch;

struct ToastFeed
{
	ToastPages *pages;
	SpanSink   *sink;
	int			released;		/* stretches so far */
	int			filled;
	FeedStretch stretches[FEED_STRETCHES];
};

/*
 * Begins to hand the value's bytes to a sink.
 */
ToastFeed *
toast_feed_open(ToastPages *pages, SpanSink *sink)
{
	ToastFeed  *feed = palloc(sizeof(ToastFeed));

	feed->pages = pages;
	feed->sink = sink;
	feed->released = feed->filled = 0;
	return feed;
}

static inline FeedStretch *
get_stretch(ToastFeed *feed, int number)
{
	return &feed->stretches[number % FEED_STRETCHES];
}

static inline bool
is_copied(const FeedStretch *oldest)
{
	return __atomic_load_n(&oldest->pending, __ATOMIC_ACQUIRE) == 0;
}

static void
release_oldest(ToastFeed *feed)
{
	toast_pages_release(feed->pages,
						&get_stretch(feed, feed->released++)->stretch);
}

/* Waits until the oldest stretch is copied, and releases it. */
static void
drain_oldest(ToastFeed *feed)
{
	FeedStretch *oldest = get_stretch(feed, feed->released);

	while (!is_copied(oldest))
	{
		CHECK_FOR_INTERRUPTS();
		feed->sink->wait(feed->sink, &oldest->pending);
	}
	release_oldest(feed);
}

/*
 * Unpins pages that are copied, without waiting for the others.
 */
void
toast_feed_unpin(ToastFeed *feed)
{
	while (feed->released < feed->filled &&
		   is_copied(get_stretch(feed, feed->released)))
		release_oldest(feed);
}

/*
 * Waits until a stretch is free, and enough pages for it can be pinned: a
 * quarter of the pins that are allowed, and at most STRETCH_PAGES.
 */
static void
make_room(ToastFeed *feed)
{
	const ToastPages *pages = feed->pages;
	int			wanted = Min(STRETCH_PAGES, (pages->max_pins + 3) / 4);

	toast_feed_unpin(feed);
	while (feed->released < feed->filled &&
		   (pages->max_pins - pages->pins < wanted ||
			feed->filled - feed->released == FEED_STRETCHES))
		drain_oldest(feed);
}

/*
 * The next stretch, of "bytes" bytes or fewer, which is to be sent or released.
 * Returns NULL if core has to read the value.
 */
ToastStretch *
toast_feed_next(ToastFeed *feed, int offset, int bytes)
{
	ToastStretch *stretch = &get_stretch(feed, feed->filled)->stretch;

	make_room(feed);
	return toast_pages_next(feed->pages, offset, bytes, stretch) ?
		stretch : NULL;
}

/*
 * Has the sink put the next stretch to "dest": the batch is of its spans, and
 * stays as it is until FEED_STRETCHES more are sent.
 */
void
toast_feed_send(ToastFeed *feed, SpanBatch *batch, char *dest)
{
	FeedStretch *next = get_stretch(feed, feed->filled++);

	next->pending = 1;
	feed->sink->copy(feed->sink, dest, batch, &next->pending);
}

/*
 * Has the sink copy bytes of the value to "dest".  Returns false if core has to
 * read the value.
 */
bool
toast_feed_read(ToastFeed *feed, int offset, char *dest, int bytes)
{
	while (bytes > 0)
	{
		FeedStretch *next = get_stretch(feed, feed->filled);
		const ToastStretch *stretch = toast_feed_next(feed, offset, bytes);
		int			length;

		if (stretch == NULL)
			return false;
		length = stretch->bytes;
		next->batch = (SpanBatch) {stretch->spans, stretch->nspans};
		toast_feed_send(feed, &next->batch, dest);
		offset += length;
		dest += length;
		bytes -= length;
	}
	return true;
}

/*
 * Waits until all is copied, and unpins all pages.
 */
void
toast_feed_drain(ToastFeed *feed)
{
	while (feed->released < feed->filled)
		drain_oldest(feed);
}

/*
 * Gives back what is open, after the sink has stopped or all is copied.
 */
void
toast_feed_close(ToastFeed *feed)
{
	while (feed->released < feed->filled)
		release_oldest(feed);
	pfree(feed);
}
