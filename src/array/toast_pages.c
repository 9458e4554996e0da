/*
 * toast_pages.c
 *	  The stored bytes of a TOASTed value, by pages of its TOAST table.
 *
 * Core reads a value chunk by chunk, about 2 kB each: it pins and locks the
 * page again for each chunk, and copies the chunk under the lock.  Here a page
 * is pinned and locked once for all chunks on it.  Its bytes are handed out in
 * place, so that any thread may copy them.
 *
 * A value that is not stored as core stores it is left to core, which reads it
 * or raises an error for it.
 *
 * If a page has to be read from disk, so will the pages after it, presumably.
 * As long as pages are in the cache, nothing is read ahead.  In the cache,
 * pages mostly lie in consecutive buffers, so that few have to be looked up.
 */
#include "compat.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/toast_internals.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
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
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"

#include "array/toast_pages.h"

/* The snapshot for TOAST tables, which up to 17 needs room. */
static inline Snapshot
toast_snapshot(SnapshotData *room)
{
#if PG_VERSION_NUM >= 180000
	return get_toast_snapshot();
#else
	init_toast_snapshot(room);
	return room;
#endif
}

/* 18 and 19 gave an index scan one more argument each. */
static inline IndexScanDesc
begin_index_scan(Relation table, Relation index, Snapshot snapshot, int nkeys)
{
#if PG_VERSION_NUM >= 190000
	return index_beginscan(table, index, snapshot, NULL, nkeys, 0, 0);
#elif PG_VERSION_NUM >= 180000
	return index_beginscan(table, index, snapshot, NULL, nkeys, 0);
#else
	return index_beginscan(table, index, snapshot, nkeys, 0);
#endif
}

/*
 * Up to 16, old_snapshot_threshold allows the removal of chunks that a
 * snapshot can see.
 */
static inline bool
snapshots_expire(void)
{
#if PG_VERSION_NUM < 170000
	return OldSnapshotThresholdActive();
#else
	return false;
#endif
}

/* Pages pinned at a time: pins delay VACUUM, and others need buffers, too. */
#define MAX_PINS		64

/*
 * Chunk headers are prefetched PAGES_AHEAD pages ahead, as fetching them takes
 * longer than looking at them.  Consecutive pages tend to be in consecutive
 * buffers, and to have chunks at the same offsets.  A reduction of 2^24
 * integers by one thread takes 11.1 ms, without it 12.3.
 */
#define PAGES_AHEAD		4

/* The columns of a chunk, as they lie in its tuple: none is NULL. */
typedef struct ChunkColumns
{
	Oid			id;
	int32		seq;
	int32		header;			/* of the bytes that follow */
} ChunkColumns;

typedef enum ChunkState
{
	CHUNK_GOOD,
	CHUNK_INVISIBLE,			/* nobody's, or not ours to see */
	CHUNK_ODD					/* not as core writes it */
} ChunkState;

/*
 * Core looks up a chunk, reads it, and looks up the next one; meanwhile it
 * keeps a pin on the index page, so that VACUUM cannot free the chunk's place
 * for another chunk.  Here places are looked up many at a time, and no pin
 * stays.  That is safe since VACUUM removes no chunk of a value that the
 * caller's snapshot can see, and since each tuple is checked.
 */

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
static void
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
static void
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
static const ItemPointerData *
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
static void
toast_chunks_pass(ToastChunks *chunks, bool chunk)
{
	chunks->place++;
	chunks->next += chunk;
	chunks->passed = chunk ? chunks->passed + 1 : 0;
}

/* The next place, if it is known already and on that page; or NULL. */
static inline const ItemPointerData *
toast_chunks_peek_on(const ToastChunks *chunks, BlockNumber block)
{
	const ItemPointerData *place = &chunks->places[chunks->place];

	return chunks->place < chunks->nplaces &&
		ItemPointerGetBlockNumber(place) == block ? place : NULL;
}

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
static Buffer
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
static Buffer
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

/*
 * Returns whether the pages of a table can be read here.  It must have the
 * columns and the index of a TOAST table, and the pages of a heap in shared
 * buffers.  The other conditions exclude cases in which core takes special
 * care.
 */
static bool
is_readable(Relation toastrel)
{
	return toastrel->rd_rel->relkind == RELKIND_TOASTVALUE &&
		toastrel->rd_tableam == GetHeapamTableAmRoutine() &&
		!RelationUsesLocalBuffers(toastrel) &&
		!IgnoreSystemIndexes &&
		!TransactionIdIsValid(CheckXidAlive) &&
		!snapshots_expire();
}

/*
 * Begins to read a value of "size" bytes.  Returns NULL if core has to read it.
 */
ToastPages *
toast_pages_open(Relation toastrel, Oid value, int size)
{
	ToastPages *pages;

	if (!is_readable(toastrel))
		return NULL;
	pages = palloc(sizeof(ToastPages));
	pages->size = size;
	pages->nchunks = (size - 1) / TOAST_MAX_CHUNK_SIZE + 1;
	toast_chunks_open(&pages->chunks, toastrel, value, pages->nchunks);
	toast_pages_share_pins(pages, 1);
	pages->pins = 0;
	pages->odd = false;
	ItemPointerSetInvalid(&pages->first);
	return pages;
}

/*
 * Sets how many pages may be pinned if "values" values are read at a time.
 */
void
toast_pages_share_pins(ToastPages *pages, int values)
{
	pages->max_pins = Max(1, Min(MAX_PINS, NBuffers / MaxBackends) / values);
}

/* Bytes of the value that are stored in a chunk. */
static int
chunk_size(const ToastPages *pages, int chunk)
{
	return chunk < pages->nchunks - 1 ? TOAST_MAX_CHUNK_SIZE :
		pages->size - (pages->nchunks - 1) * TOAST_MAX_CHUNK_SIZE;
}

/* Returns whether a tuple is the expected next chunk, as core writes it. */
static bool
is_next_chunk(const ToastPages *pages, HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;
	const ChunkColumns *columns = (const ChunkColumns *)
		((const char *) header + MAXALIGN(SizeofHeapTupleHeader));
	int			chunk = pages->chunks.next;
	int			size;

	if (HeapTupleHasNulls(tuple))	/* which core would not survive */
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg_internal("toast value %u chunk %d has null data",
								 pages->chunks.value, chunk)));
	if (chunk >= pages->nchunks)
		return false;
	size = chunk_size(pages, chunk);
	return header->t_hoff == MAXALIGN(SizeofHeapTupleHeader) &&
		tuple->t_len == header->t_hoff + sizeof(ChunkColumns) + size &&
		!HeapTupleIsHotUpdated(tuple) &&
		!HeapTupleIsHeapOnly(tuple) &&
		columns->id == pages->chunks.value &&
		columns->seq == chunk &&
		VARATT_IS_4B_U(&columns->header) &&
		VARSIZE_4B(&columns->header) == VARHDRSZ + size;
}

/*
 * Prefetches the memory that may have the header and the columns of a chunk on
 * a later page.
 */
static void
prefetch_chunk(const HeapTupleData *tuple, int step)
{
	const char *ahead = (const char *) tuple->t_data +
		step * PAGES_AHEAD * BLCKSZ;

	__builtin_prefetch(ahead);
	__builtin_prefetch(ahead + MAXALIGN(SizeofHeapTupleHeader) +
					   sizeof(ChunkColumns) - 1);
}

/*
 * Looks at the tuple at the next place, on a locked page.  If it is the next
 * chunk, *bytes is set to point to the chunk's bytes.
 */
static ChunkState
read_chunk(ToastPages *pages, Buffer buffer, const ItemPointerData *place,
		   const char **bytes)
{
	Page		page = BufferGetPage(buffer);
	OffsetNumber offset = ItemPointerGetOffsetNumber(place);
	HeapTupleData tuple;
	ItemId		item;

	if (offset < FirstOffsetNumber || offset > PageGetMaxOffsetNumber(page))
		return CHUNK_INVISIBLE;
	item = PageGetItemId(page, offset);
	if (ItemIdIsRedirected(item))
		return CHUNK_ODD;
	if (!ItemIdIsNormal(item))
		return CHUNK_INVISIBLE;

	tuple.t_self = *place;
	tuple.t_tableOid = RelationGetRelid(pages->chunks.toastrel);
	tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple.t_len = ItemIdGetLength(item);
	prefetch_chunk(&tuple, pages->chunks.step);
	if (!HeapTupleSatisfiesVisibility(&tuple, pages->chunks.snapshot, buffer))
		return CHUNK_INVISIBLE;
	pgstat_count_heap_fetch(pages->chunks.toastrel);
	if (!is_next_chunk(pages, &tuple))
		return CHUNK_ODD;
	if (pages->chunks.next == 0)
	{
		pages->first = tuple.t_self;
		pages->first_xmin = HeapTupleHeaderGetRawXmin(tuple.t_data);
	}
	*bytes = (const char *) tuple.t_data + tuple.t_data->t_hoff +
		sizeof(ChunkColumns);
	return CHUNK_GOOD;
}

/*
 * Adds to the stretch the bytes of the next chunk from "from" to before "to",
 * or to the chunk's end; passes over a chunk that is used up.
 */
static void
add_span(ToastPages *pages, ToastStretch *stretch, const char *bytes,
		 int from, int to)
{
	ToastChunks *chunks = &pages->chunks;
	int			begin = chunks->next * TOAST_MAX_CHUNK_SIZE;
	int			end = begin + chunk_size(pages, chunks->next);
	ByteSpan   *span = &stretch->spans[stretch->nspans++];

	span->bytes = bytes + (from - begin);
	span->length = Min(to, end) - from;
	stretch->bytes += span->length;
	if (to >= end)
		toast_chunks_pass(chunks, true);
}

/*
 * Adds to the stretch, which begins at "offset", the bytes to before "end"
 * that are on the page of the next place.
 */
static void
add_page(ToastPages *pages, ToastStretch *stretch, BlockNumber block,
		 int offset, int end)
{
	ToastChunks *chunks = &pages->chunks;
	Buffer		buffer = read_next_page(chunks);
	int			nspans = stretch->nspans;
	const ItemPointerData *place;
	const char *bytes;

	__builtin_prefetch(BufferGetPage(buffer) +
					   chunks->step * PAGES_AHEAD * BLCKSZ);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	while (!pages->odd && stretch->nspans < STRETCH_SPANS &&
		   offset + stretch->bytes < end &&
		   (place = toast_chunks_peek_on(chunks, block)) != NULL)
	{
		switch (read_chunk(pages, buffer, place, &bytes))
		{
			case CHUNK_GOOD:
				add_span(pages, stretch, bytes, offset + stretch->bytes, end);
				break;
			case CHUNK_INVISIBLE:
				toast_chunks_pass(chunks, false);
				break;
			case CHUNK_ODD:
				pages->odd = true;
				break;
		}
	}
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	if (stretch->nspans > nspans)
	{
		stretch->pages[stretch->npages++] = buffer;
		pages->pins++;
	}
	else
		ReleaseBuffer(buffer);	/* no chunk was found on it */
}

/*
 * The next stretch: "bytes" bytes from "offset" on, or fewer; none if "max_pins"
 * pages are pinned already.
 *
 * Returns false if core has to read the value, or to raise an error for it.
 */
bool
toast_pages_next(ToastPages *pages, int offset, int bytes,
				 ToastStretch *stretch)
{
	ToastChunks *chunks = &pages->chunks;
	const ItemPointerData *place;

	CHECK_FOR_INTERRUPTS();
	stretch->bytes = stretch->nspans = stretch->npages = 0;
	toast_chunks_seek(chunks, offset / TOAST_MAX_CHUNK_SIZE);
	while (!pages->odd && stretch->bytes < bytes &&
		   stretch->nspans < STRETCH_SPANS &&
		   stretch->npages < STRETCH_PAGES && pages->pins < pages->max_pins)
	{
		place = toast_chunks_peek(chunks);
		if (place != NULL)
			add_page(pages, stretch, ItemPointerGetBlockNumber(place), offset,
					 offset + bytes);
		else
			pages->odd = true;	/* a chunk is missing */
	}
	if (chunks->next == pages->nchunks && toast_chunks_peek(chunks) != NULL)
		pages->odd = true;		/* a chunk too many */
	if (pages->odd)
		toast_pages_release(pages, stretch);
	return !pages->odd;
}

/*
 * Unpins the stretch's pages.
 */
void
toast_pages_release(ToastPages *pages, ToastStretch *stretch)
{
	for (int i = 0; i < stretch->npages; i++)
		ReleaseBuffer(stretch->pages[i]);
	pages->pins -= stretch->npages;
	stretch->bytes = stretch->nspans = stretch->npages = 0;
}

/*
 * Copies bytes of the value.  Returns false if core has to read the value.
 */
bool
toast_pages_copy(ToastPages *pages, int offset, char *dest, int bytes)
{
	ToastStretch stretch;

	while (bytes > 0)
	{
		if (!toast_pages_next(pages, offset, bytes, &stretch))
			return false;
		offset += stretch.bytes;
		bytes -= stretch.bytes;
		copy_spans(dest, stretch.spans, stretch.nspans);
		dest += stretch.bytes;
		toast_pages_release(pages, &stretch);
	}
	return true;
}

/*
 * Gives back what is open.
 */
void
toast_pages_close(ToastPages *pages)
{
	ToastChunks *chunks = &pages->chunks;

	index_endscan(chunks->scan);
	toast_close_indexes(chunks->indexes, chunks->nindexes, AccessShareLock);
	pfree(chunks->places);
	pfree(pages);
}
