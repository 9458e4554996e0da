/*
 * toast_reader.h
 *	  The stored bytes of a TOASTed value.
 */
#ifndef GPUCOMPACT_TOAST_READER_H
#define GPUCOMPACT_TOAST_READER_H

#include "compat.h"

#include "access/genam.h"
#include "access/heaptoast.h"
#include "storage/buf.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#include "contract/engine.h"

/* Pages of a stretch, and chunks on them. */
#define STRETCH_PAGES	16
#define STRETCH_SPANS	(STRETCH_PAGES * EXTERN_TUPLES_PER_PAGE)

/*
 * A stretch of a value's bytes, in order, on pages that are pinned.
 *
 * Any thread may read the bytes, without a lock, until toast_pages_release:
 * a tuple does not move on its page while the page is pinned.  An error gives
 * up the pins, too, so the first handler of the error has to wait for the
 * threads.
 */
typedef struct ToastStretch
{
	int			bytes;			/* of all spans */
	int			nspans;
	int			npages;
	ByteSpan	spans[STRETCH_SPANS];	/* chunks, or parts of them */
	Buffer		pages[STRETCH_PAGES];
} ToastStretch;

/* An engine's fill(), which copies the bytes of an input of its job. */
typedef struct SpanSink
{
	EngineContext *context;
	int			input;
} SpanSink;

typedef struct ToastReader
{
	Relation	toastrel;
	Oid			value;
	int			size;			/* bytes of the value, as stored */
	bool		by_core;		/* core has to read it */
	struct ToastFeed *feed;		/* NULL if bytes are copied here */

	/* The rest is of toast_pages.c. */
	int			nchunks;		/* in which the value is stored */
	SnapshotData snapshot_data;
	Snapshot	snapshot;		/* which chunks can be seen */
	Relation   *indexes;
	int			nindexes;
	IndexScanDesc scan;

	/* Where the chunks are. */
	int			next;			/* chunk that is expected at the next place */
	int			place;			/* of these places */
	int			passed;			/* places before it that belong, one by one, to
								 * the chunks before the next one */
	int			nplaces;
	int			max_places;
	bool		complete;		/* no places come after these */
	bool		sought;			/* nothing was looked up since a seek */
	ItemPointerData *places;
	ItemPointerData first;		/* where the first chunk is, once read, */
	TransactionId first_xmin;	/* and who has written it */

	/* The pages. */
	int			ahead;			/* before this place, pages are read ahead */
	bool		cold;			/* the last page was not in the cache */
	BlockNumber page;			/* the last one */
	Buffer		buffer;			/* in which it was, or none */
	int			step;			/* from there to the next one: 1 or -1 */
	int			max_pins;		/* pages that may be pinned at a time */
	int			pins;			/* pages that are pinned */
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
								Size part_size, int values);
extern SpanBatch *toast_reader_part(ToastReader *reader);
extern int	toast_reader_next(ToastReader *reader, int offset, int least,
							  int most);
extern void toast_reader_send(ToastReader *reader, char *dest);
extern void toast_reader_settle(ToastReader *reader, bool all);
extern void toast_reader_detach(ToastReader *reader);
extern void toast_reader_close(ToastReader *reader);

/* toast_pages.c */
extern void toast_pages_open(ToastReader *reader);
extern void toast_pages_share_pins(ToastReader *reader, int values);
extern bool toast_pages_next(ToastReader *reader, int offset, int bytes,
							 ToastStretch *stretch);
extern void toast_pages_release(ToastReader *reader, ToastStretch *stretch);
extern void toast_pages_close(ToastReader *reader);

#endif							/* GPUCOMPACT_TOAST_READER_H */
