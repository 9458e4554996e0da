/*
 * toast_reader.h
 *	  The stored bytes of a TOASTed value.
 */
#ifndef GPUCOMPACT_TOAST_READER_H
#define GPUCOMPACT_TOAST_READER_H

#include "compat.h"

#include "utils/rel.h"

#include "array/toast_feed.h"
#include "array/toast_pages.h"

typedef struct ToastReader
{
	Relation	toastrel;
	Oid			value;
	int			size;			/* bytes of the value, as stored */
	ToastPages *pages;			/* NULL if core reads the value */
	ToastFeed  *feed;			/* NULL if bytes are copied here */
} ToastReader;

extern ToastReader *toast_reader_open(const struct varatt_external *pointer);
extern void toast_reader_read(ToastReader *reader, int offset, char *dest,
							  int bytes);
extern bool toast_reader_attach(ToastReader *reader, SpanSink *sink,
								int values);
extern ToastStretch *toast_reader_next(ToastReader *reader, int offset,
									   int least, int most);
extern void toast_reader_send(ToastReader *reader, SpanBatch *batch,
							  char *dest);
extern void toast_reader_unpin(ToastReader *reader);
extern void toast_reader_drain(ToastReader *reader);
extern void toast_reader_detach(ToastReader *reader);
extern void toast_reader_close(ToastReader *reader);

#endif							/* GPUCOMPACT_TOAST_READER_H */
