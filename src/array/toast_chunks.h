/*
 * toast_chunks.h
 *	  Where the chunks of a TOASTed value are.
 */
#ifndef GPUCOMPACT_TOAST_CHUNKS_H
#define GPUCOMPACT_TOAST_CHUNKS_H

#include "compat.h"

#include "access/genam.h"
#include "storage/buf.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

typedef struct ToastChunks
{
	Relation	toastrel;
	Oid			value;
	SnapshotData snapshot_data;
	Snapshot	snapshot;		/* which chunks can be seen */
	Relation   *indexes;
	int			nindexes;
	IndexScanDesc scan;

	int			next;			/* chunk that is expected at the next place */
	int			place;			/* of these places */
	int			passed;			/* places before it that belong, one by one, to
								 * the chunks before the next one */
	int			nplaces;
	int			max_places;
	bool		complete;		/* no places come after these */
	bool		sought;			/* nothing was looked up since a seek */
	ItemPointerData *places;

	/* What page_reader.c knows. */
	int			ahead;			/* before this place, pages are read ahead */
	bool		cold;			/* the last page was not in the cache */
	BlockNumber page;			/* the last one */
	Buffer		buffer;			/* in which it was, or none */
	int			step;			/* from there to the next one: 1 or -1 */
} ToastChunks;

extern void toast_chunks_open(ToastChunks *chunks, Relation toastrel,
							  Oid value, int nchunks);
extern void toast_chunks_seek(ToastChunks *chunks, int chunk);
extern const ItemPointerData *toast_chunks_peek(ToastChunks *chunks);
extern void toast_chunks_pass(ToastChunks *chunks, bool chunk);
extern void toast_chunks_close(ToastChunks *chunks);

/* page_reader.c */
extern Buffer read_next_page(ToastChunks *chunks);

/* The next place, if it is known already and on that page; or NULL. */
static inline const ItemPointerData *
toast_chunks_peek_on(const ToastChunks *chunks, BlockNumber block)
{
	const ItemPointerData *place = &chunks->places[chunks->place];

	return chunks->place < chunks->nplaces &&
		ItemPointerGetBlockNumber(place) == block ? place : NULL;
}

#endif							/* GPUCOMPACT_TOAST_CHUNKS_H */
