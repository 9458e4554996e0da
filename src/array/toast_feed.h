/*
 * toast_feed.h
 *	  The stored bytes of a TOASTed value on their way into an engine.
 */
#ifndef GPUCOMPACT_TOAST_FEED_H
#define GPUCOMPACT_TOAST_FEED_H

#include "compat.h"

#include "array/toast_pages.h"
#include "contract/engine.h"

typedef struct ToastFeed ToastFeed;

extern ToastFeed *toast_feed_open(ToastPages *pages, EngineContext *context,
								  int input);
extern bool toast_feed_read(ToastFeed *feed, int offset, char *dest,
							int bytes);
extern void toast_feed_release(ToastFeed *feed);
extern void toast_feed_settle(ToastFeed *feed);
extern void toast_feed_close(ToastFeed *feed);

#endif							/* GPUCOMPACT_TOAST_FEED_H */
