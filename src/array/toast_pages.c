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

#include "array/toast_reader.h"

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
 * buffers, and to have chunks at the same offsets.
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

/* Restarts the scan at a chunk, which releases its pin. */
static void
position_scan(ToastReader *reader, int chunk)
{
	ScanKeyData keys[2];

	ScanKeyInit(&keys[0], CHUNK_ID, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(reader->value));
	ScanKeyInit(&keys[1], CHUNK_SEQ, BTGreaterEqualStrategyNumber, F_INT4GE,
				Int32GetDatum(chunk));
	index_rescan(reader->scan, keys, lengthof(keys), NULL, 0);
}

/* Looks up the places from the next chunk on. */
static void
look_up(ToastReader *reader)
{
	int			most = reader->sought ?
		Min(FIRST_PLACES, reader->max_places) : reader->max_places;
	ItemPointer place;

	reader->sought = false;
	position_scan(reader, reader->next);
	reader->place = reader->passed = reader->nplaces = reader->ahead = 0;
	while (reader->nplaces < most)
	{
		place = index_getnext_tid(reader->scan, ForwardScanDirection);
		if (place == NULL)
		{
			reader->complete = true;
			return;
		}
		reader->places[reader->nplaces++] = *place;
	}
	position_scan(reader, reader->next);
}

/*
 * Goes to a chunk.  A few chunks back, its place is known.
 */
static void
seek(ToastReader *reader, int chunk)
{
	int			back = reader->next - chunk;

	if (back == 0)
		return;
	reader->next = chunk;
	if (back > 0 && back <= reader->passed)
	{
		reader->place -= back;
		reader->passed -= back;
		return;
	}
	reader->place = reader->passed = reader->nplaces = 0;
	reader->complete = false;
	reader->sought = true;
}

/*
 * The next place where the index says that a chunk is; NULL after the last.
 * The tuple there may be dead.
 */
static const ItemPointerData *
peek_place(ToastReader *reader)
{
	if (reader->place == reader->nplaces && !reader->complete)
		look_up(reader);
	return reader->place < reader->nplaces ?
		&reader->places[reader->place] : NULL;
}

/*
 * Passes over the next place.  It had the next chunk, or no visible tuple.
 */
static void
pass_place(ToastReader *reader, bool chunk)
{
	reader->place++;
	reader->next += chunk;
	reader->passed = chunk ? reader->passed + 1 : 0;
}

/* The next place, if it is known already and on that page; or NULL. */
static inline const ItemPointerData *
peek_on_page(const ToastReader *reader, BlockNumber block)
{
	const ItemPointerData *place = &reader->places[reader->place];

	return reader->place < reader->nplaces &&
		ItemPointerGetBlockNumber(place) == block ? place : NULL;
}

/*
 * The most pages to read ahead: enough for several reads at a time, and few
 * enough that the pages are still in the cache when they are needed.
 */
#define MAX_AHEAD		Min(256, NBuffers / 8)

static inline BlockNumber
page_at(const ToastReader *reader, int place)
{
	return ItemPointerGetBlockNumber(&reader->places[place]);
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
pin_page(ToastReader *reader, BlockNumber page)
{
	Relation	toastrel = reader->toastrel;
	Buffer		last = reader->buffer;
	Buffer		guess = page == reader->page ? last : last + reader->step;

	reader->page = page;
	if (last != InvalidBuffer && guess > 0 && guess <= NBuffers &&
		is_in_use(guess) &&
		ReadRecentBuffer(toastrel->rd_locator, MAIN_FORKNUM, page, guess))
	{
		count_hit(toastrel);
		reader->buffer = guess;
		return guess;
	}
	reader->buffer = ReadBuffer(toastrel, page);
	if (abs(reader->buffer - last) == 1)
		reader->step = reader->buffer - last;
	return reader->buffer;
}

/* The first page that is not read ahead; passes over its places. */
static BlockNumber
next_page(ToastReader *reader)
{
	BlockNumber page;

	if (reader->ahead >= reader->nplaces)
		return InvalidBlockNumber;
	page = page_at(reader, reader->ahead);
	while (reader->ahead < reader->nplaces &&
		   page_at(reader, reader->ahead) == page)
		reader->ahead++;
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
	ToastReader *reader;
	int			pages;			/* that may still be read */
} Window;

static BlockNumber
next_in_window(ReadStream *stream, void *private_data, void *buffer_data)
{
	Window	   *window = private_data;

	return window->pages-- > 0 ? next_page(window->reader) :
		InvalidBlockNumber;
}

static void
read_window(ToastReader *reader)
{
	int			flags = READ_STREAM_FULL;
	Window		window = {reader, MAX_AHEAD};
	ReadStream *stream;
	Buffer		buffer;

#if PG_VERSION_NUM >= 180000
	flags |= READ_STREAM_USE_BATCHING;
#endif
	stream = read_stream_begin_relation(flags, NULL, reader->toastrel,
										MAIN_FORKNUM, next_in_window, &window,
										0);
	while ((buffer = read_stream_next_buffer(stream, NULL)) != InvalidBuffer)
		ReleaseBuffer(buffer);
	read_stream_end(stream);
}

#else

/*
 * A window of pages is announced to the kernel, but neighbours are not: the
 * kernel notices by itself that pages are read in order, and then reads more of
 * them at a time.
 */
static void
read_window(ToastReader *reader)
{
	Oid			tablespace = reader->toastrel->rd_rel->reltablespace;
	int			left = get_tablespace_io_concurrency(tablespace) > 0 ?
		MAX_AHEAD : 0;
	BlockNumber before = next_page(reader); /* to be read at once */
	BlockNumber page;

	for (; left > 0 && (page = next_page(reader)) != InvalidBlockNumber;
		 left--, before = page)
	{
		if (page != before + 1)
			PrefetchBuffer(reader->toastrel, MAIN_FORKNUM, page);
	}
}

#endif

/*
 * Pins the page of the next place.  If the first page of the last window was
 * not in the cache, another window is read ahead.
 */
static Buffer
read_next_page(ToastReader *reader)
{
	int64		reads = pgBufferUsage.shared_blks_read;
	bool		in_window = reader->place < reader->ahead;
	Buffer		buffer;

	if (!in_window)
		reader->ahead = reader->place;
	if (!in_window && reader->cold)
		read_window(reader);
	buffer = pin_page(reader, page_at(reader, reader->place));
	if (!in_window)
		reader->cold = pgBufferUsage.shared_blks_read != reads;
	return buffer;
}

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

/* Begins to read a value, unless core has to. */
void
toast_pages_open(ToastReader *reader)
{
	Relation	toastrel = reader->toastrel;
	int			valid;

	reader->by_core = !is_readable(toastrel);
	if (reader->by_core)
		return;
	reader->nchunks = (reader->size - 1) / TOAST_MAX_CHUNK_SIZE + 1;
	reader->snapshot = toast_snapshot(&reader->snapshot_data);
	valid = toast_open_indexes(toastrel, AccessShareLock, &reader->indexes,
							   &reader->nindexes);
	reader->scan = begin_index_scan(toastrel, reader->indexes[valid],
								   reader->snapshot, 2);
	reader->page = InvalidBlockNumber;
	reader->step = 1;

	/* With room for one more, one look_up finds all places of a small value. */
	reader->max_places = Min(reader->nchunks + 1, MAX_PLACES);
	reader->sought = reader->max_places == MAX_PLACES;
	reader->places = palloc(reader->max_places * sizeof(ItemPointerData));
	toast_pages_share_pins(reader, 1);
}

/*
 * Sets how many pages may be pinned if "values" values are read at a time.
 */
void
toast_pages_share_pins(ToastReader *reader, int values)
{
	reader->max_pins = Max(1, Min(MAX_PINS, NBuffers / MaxBackends) / values);
}

/* Bytes of the value that are stored in a chunk. */
static int
chunk_size(const ToastReader *reader, int chunk)
{
	return chunk < reader->nchunks - 1 ? TOAST_MAX_CHUNK_SIZE :
		reader->size - (reader->nchunks - 1) * TOAST_MAX_CHUNK_SIZE;
}

/* Returns whether a tuple is the expected next chunk, as core writes it. */
static bool
is_next_chunk(const ToastReader *reader, HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;
	const ChunkColumns *columns = (const ChunkColumns *)
		((const char *) header + MAXALIGN(SizeofHeapTupleHeader));
	int			chunk = reader->next;
	int			size;

	if (HeapTupleHasNulls(tuple))	/* which core would not survive */
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg_internal("toast value %u chunk %d has null data",
								 reader->value, chunk)));
	if (chunk >= reader->nchunks)
		return false;
	size = chunk_size(reader, chunk);
	return header->t_hoff == MAXALIGN(SizeofHeapTupleHeader) &&
		tuple->t_len == header->t_hoff + sizeof(ChunkColumns) + size &&
		!HeapTupleIsHotUpdated(tuple) &&
		!HeapTupleIsHeapOnly(tuple) &&
		columns->id == reader->value &&
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

	PREFETCH_LINE(ahead);
	PREFETCH_LINE(ahead + MAXALIGN(SizeofHeapTupleHeader) +
				  sizeof(ChunkColumns) - 1);
}

/*
 * Looks at the tuple at the next place, on a locked page.  If it is the next
 * chunk, *bytes is set to point to the chunk's bytes.
 */
static ChunkState
read_chunk(ToastReader *reader, Buffer buffer, const ItemPointerData *place,
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
	tuple.t_tableOid = RelationGetRelid(reader->toastrel);
	tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple.t_len = ItemIdGetLength(item);
	prefetch_chunk(&tuple, reader->step);
	if (!HeapTupleSatisfiesVisibility(&tuple, reader->snapshot, buffer))
		return CHUNK_INVISIBLE;
	pgstat_count_heap_fetch(reader->toastrel);
	if (!is_next_chunk(reader, &tuple))
		return CHUNK_ODD;
	if (reader->next == 0)
	{
		reader->first = tuple.t_self;
		reader->first_xmin = HeapTupleHeaderGetRawXmin(tuple.t_data);
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
add_span(ToastReader *reader, ToastStretch *stretch, const char *bytes,
		 int from, int to)
{
	int			begin = reader->next * TOAST_MAX_CHUNK_SIZE;
	int			end = begin + chunk_size(reader, reader->next);
	ByteSpan   *span = &stretch->spans[stretch->nspans++];

	span->bytes = bytes + (from - begin);
	span->length = Min(to, end) - from;
	stretch->bytes += span->length;
	if (to >= end)
		pass_place(reader, true);
}

/*
 * Adds to the stretch, which begins at "offset", the bytes to before "end"
 * that are on the page of the next place.
 */
static void
add_page(ToastReader *reader, ToastStretch *stretch, BlockNumber block,
		 int offset, int end)
{
	Buffer		buffer = read_next_page(reader);
	int			nspans = stretch->nspans;
	const ItemPointerData *place;
	const char *bytes;

	PREFETCH_LINE(BufferGetPage(buffer) + reader->step * PAGES_AHEAD * BLCKSZ);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	while (!reader->by_core && stretch->nspans < STRETCH_SPANS &&
		   offset + stretch->bytes < end &&
		   (place = peek_on_page(reader, block)) != NULL)
	{
		switch (read_chunk(reader, buffer, place, &bytes))
		{
			case CHUNK_GOOD:
				add_span(reader, stretch, bytes, offset + stretch->bytes, end);
				break;
			case CHUNK_INVISIBLE:
				pass_place(reader, false);
				break;
			case CHUNK_ODD:
				reader->by_core = true;
				break;
		}
	}
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	if (stretch->nspans > nspans)
	{
		stretch->pages[stretch->npages++] = buffer;
		reader->pins++;
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
toast_pages_next(ToastReader *reader, int offset, int bytes,
				 ToastStretch *stretch)
{
	const ItemPointerData *place;

	CHECK_FOR_INTERRUPTS();
	stretch->bytes = stretch->nspans = stretch->npages = 0;
	seek(reader, offset / TOAST_MAX_CHUNK_SIZE);
	while (!reader->by_core && stretch->bytes < bytes &&
		   stretch->nspans < STRETCH_SPANS &&
		   stretch->npages < STRETCH_PAGES && reader->pins < reader->max_pins)
	{
		place = peek_place(reader);
		if (place != NULL)
			add_page(reader, stretch, ItemPointerGetBlockNumber(place), offset,
					 offset + bytes);
		else
			reader->by_core = true;	/* a chunk is missing */
	}
	if (reader->next == reader->nchunks && peek_place(reader) != NULL)
		reader->by_core = true;		/* a chunk too many */
	if (reader->by_core)
		toast_pages_release(reader, stretch);
	return !reader->by_core;
}

/*
 * Unpins the stretch's pages.
 */
void
toast_pages_release(ToastReader *reader, ToastStretch *stretch)
{
	for (int i = 0; i < stretch->npages; i++)
		ReleaseBuffer(stretch->pages[i]);
	reader->pins -= stretch->npages;
	stretch->bytes = stretch->nspans = stretch->npages = 0;
}

/*
 * Gives back what is open.
 */
void
toast_pages_close(ToastReader *reader)
{
	if (reader->scan == NULL)
		return;
	index_endscan(reader->scan);
	toast_close_indexes(reader->indexes, reader->nindexes, AccessShareLock);
	pfree(reader->places);
	reader->scan = NULL;
}
