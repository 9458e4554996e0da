/*
 * toast_feed.h
 *	  The stored bytes of a TOASTed value on their way to a sink, which copies
 *	  them.
 */
#ifndef GPUCOMPACT_TOAST_FEED_H
#define GPUCOMPACT_TOAST_FEED_H

#include "compat.h"

#include "array/toast_pages.h"

/*
 * Copies bytes in the reader's place, perhaps in other threads.  Until a copy
 * has set "pending" to zero, the batch, its spans and the bytes stay as they
 * are.
 */
typedef struct SpanSink
{
	/* Begins to put what a batch has to "dest". */
	void		(*copy) (struct SpanSink *sink, void *dest,
						 SpanBatch *batch, int *pending);

	/* Helps with a copy, or waits for a moment. */
	void		(*wait) (struct SpanSink *sink, const int *pending);
} SpanSink;

/* Stretches under way at most.  Each one of a large value has many pages. */
#define FEED_STRETCHES	16

typedef struct ToastFeed ToastFeed;

extern ToastFeed *toast_feed_open(ToastPages *pages, SpanSink *sink);
extern ToastStretch *toast_feed_next(ToastFeed *feed, int offset, int bytes);
extern void toast_feed_send(ToastFeed *feed, SpanBatch *batch, char *dest);
extern bool toast_feed_read(ToastFeed *feed, int offset, char *dest,
							int bytes);
extern void toast_feed_unpin(ToastFeed *feed);
extern void toast_feed_drain(ToastFeed *feed);
extern void toast_feed_close(ToastFeed *feed);

#endif							/* GPUCOMPACT_TOAST_FEED_H */
