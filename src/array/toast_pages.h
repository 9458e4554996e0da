/*
 * toast_pages.h
 *	  The stored bytes of a TOASTed value, by pages of its TOAST table.
 */
#ifndef GPUCOMPACT_TOAST_PAGES_H
#define GPUCOMPACT_TOAST_PAGES_H

#include "compat.h"

#include "access/genam.h"
#include "access/heaptoast.h"
#include "storage/buf.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#include "contract/span.h"

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

typedef struct ToastPages
{
	Relation	toastrel;
	Oid			value;
	int			size;			/* bytes of the value */
	int			nchunks;		/* in which they are stored */
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
	bool		odd;			/* has to be read by core */
} ToastPages;

extern ToastPages *toast_pages_open(Relation toastrel, Oid value, int size);
extern void toast_pages_share_pins(ToastPages *pages, int values);
extern bool toast_pages_next(ToastPages *pages, int offset, int bytes,
							 ToastStretch *stretch);
extern void toast_pages_release(ToastPages *pages, ToastStretch *stretch);
extern bool toast_pages_copy(ToastPages *pages, int offset, char *dest,
							 int bytes);
extern void toast_pages_close(ToastPages *pages);

#endif							/* GPUCOMPACT_TOAST_PAGES_H */
