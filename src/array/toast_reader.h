/*
 * toast_reader.h
 *	  The stored bytes of a TOASTed value.
 */
#ifndef GPUCOMPACT_TOAST_READER_H
#define GPUCOMPACT_TOAST_READER_H

#include "compat.h"

#include "utils/rel.h"

#include "array/toast_pages.h"
#include "contract/engine.h"

/* An engine's fill(), which copies the bytes of an input of its job. */
typedef struct SpanSink
{
	EngineContext *context;
	int			input;
} SpanSink;

/* Stretches under way at most.  Each one of a large value has many pages. */
#define FEED_STRETCHES	16

typedef struct ToastReader
{
	Relation	toastrel;
	Oid			value;
	int			size;			/* bytes of the value, as stored */
	ToastPages *pages;			/* NULL if core reads the value */
	struct ToastFeed *feed;		/* NULL if bytes are copied here */
} ToastReader;

/* Raises XX001 unless the condition holds. */
static inline void
check_array(bool condition)
{
	if (!condition)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("array is corrupted")));
}

extern struct varlena *detoast_checked(struct varlena *attr);
extern ToastReader *toast_reader_open(const struct varatt_external *pointer);
extern void toast_reader_read(ToastReader *reader, int offset, char *dest,
							  int bytes);
extern bool toast_reader_attach(ToastReader *reader, SpanSink sink,
								int values);
extern ToastStretch *toast_reader_next(ToastReader *reader, int offset,
									   int least, int most);
extern void toast_reader_send(ToastReader *reader, SpanBatch *batch,
							  char *dest);
extern void toast_reader_settle(ToastReader *reader, bool all);
extern void toast_reader_detach(ToastReader *reader);
extern void toast_reader_close(ToastReader *reader);

#endif							/* GPUCOMPACT_TOAST_READER_H */
