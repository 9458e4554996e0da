/*
 * toast_chunks.c
 *	  Where the chunks of a TOASTed value are, by the index of its table.
 *
 * Core looks up a chunk, reads it, and looks up the next one; meanwhile it
 * keeps a pin on the index page, so that VACUUM cannot free the chunk's place
 * for another chunk.  Here places are looked up many at a time, and no pin
 * stays.  That is safe since VACUUM removes no chunk of a value that the
 * caller's snapshot can see, and since toast_pages.c checks each tuple.
 */
#include "compat.h"

#include "access/relscan.h"
#include "access/toast_internals.h"
#include "utils/fmgroids.h"

#include "array/toast_chunks.h"
#include "array/versions.h"

/* The columns of a TOAST table, and of its index, that find a chunk. */
#define CHUNK_ID		1
#define CHUNK_SEQ		2

/*
 * The most places that are looked up at a time.  They are on several pages of
 * the index; the last page is read again for the next places.
 */
#define MAX_PLACES		2048

/*
 * Fewer places are looked up at the beginning of a large value, because an
 * engine that has cached the value needs no others; and after a seek, because
 * another seek may follow soon.
 */
#define FIRST_PLACES	32

/*
 * Begins to look up the chunks of a value, which should have "nchunks".
 */
void
toast_chunks_open(ToastChunks *chunks, Relation toastrel, Oid value,
				  int nchunks)
{
	int			valid;

	chunks->toastrel = toastrel;
	chunks->value = value;
	chunks->snapshot = toast_snapshot(&chunks->snapshot_data);
	valid = toast_open_indexes(toastrel, AccessShareLock, &chunks->indexes,
							   &chunks->nindexes);
	chunks->scan = begin_index_scan(toastrel, chunks->indexes[valid],
									chunks->snapshot, 2);
	chunks->next = chunks->place = chunks->passed = 0;
	chunks->nplaces = chunks->ahead = 0;
	chunks->complete = chunks->cold = false;
	chunks->page = InvalidBlockNumber;
	chunks->buffer = InvalidBuffer;
	chunks->step = 1;

	/* With room for one more, one look_up finds all places of a small value. */
	chunks->max_places = Min(nchunks + 1, MAX_PLACES);
	chunks->sought = chunks->max_places == MAX_PLACES;
	chunks->places = palloc(chunks->max_places * sizeof(ItemPointerData));
}

/* Restarts the scan at a chunk, which releases its pin. */
static void
position_scan(ToastChunks *chunks, int chunk)
{
	ScanKeyData keys[2];

	ScanKeyInit(&keys[0], CHUNK_ID, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(chunks->value));
	ScanKeyInit(&keys[1], CHUNK_SEQ, BTGreaterEqualStrategyNumber, F_INT4GE,
				Int32GetDatum(chunk));
	index_rescan(chunks->scan, keys, lengthof(keys), NULL, 0);
}

/* Looks up the places from the next chunk on. */
static void
look_up(ToastChunks *chunks)
{
	int			most = chunks->sought ?
		Min(FIRST_PLACES, chunks->max_places) : chunks->max_places;
	ItemPointer place;

	chunks->sought = false;
	position_scan(chunks, chunks->next);
	chunks->place = chunks->passed = chunks->nplaces = chunks->ahead = 0;
	while (chunks->nplaces < most)
	{
		place = index_getnext_tid(chunks->scan, ForwardScanDirection);
		if (place == NULL)
		{
			chunks->complete = true;
			return;
		}
		chunks->places[chunks->nplaces++] = *place;
	}
	position_scan(chunks, chunks->next);
}

/*
 * Goes to a chunk.  A few chunks back, its place is known.
 */
void
toast_chunks_seek(ToastChunks *chunks, int chunk)
{
	int			back = chunks->next - chunk;

	if (back == 0)
		return;
	chunks->next = chunk;
	if (back > 0 && back <= chunks->passed)
	{
		chunks->place -= back;
		chunks->passed -= back;
		return;
	}
	chunks->place = chunks->passed = chunks->nplaces = 0;
	chunks->complete = false;
	chunks->sought = true;
}

/*
 * The next place where the index says that a chunk is; NULL after the last.
 * The tuple there may be dead.
 */
const ItemPointerData *
toast_chunks_peek(ToastChunks *chunks)
{
	if (chunks->place == chunks->nplaces && !chunks->complete)
		look_up(chunks);
	return chunks->place < chunks->nplaces ?
		&chunks->places[chunks->place] : NULL;
}

/*
 * Passes over the next place.  It had the next chunk, or no visible tuple.
 */
void
toast_chunks_pass(ToastChunks *chunks, bool chunk)
{
	chunks->place++;
	chunks->next += chunk;
	chunks->passed = chunk ? chunks->passed + 1 : 0;
}

/*
 * Gives back what is open.
 */
void
toast_chunks_close(ToastChunks *chunks)
{
	index_endscan(chunks->scan);
	toast_close_indexes(chunks->indexes, chunks->nindexes, AccessShareLock);
	pfree(chunks->places);
}
