/*
 * span.h
 *	  Bytes of an input, wherever they lie.
 */
#ifndef GPUCOMPACT_SPAN_H
#define GPUCOMPACT_SPAN_H

#include <stdbool.h>
#include <string.h>

#include "contract/blocks.h"

#define SPAN_LINE	64			/* a line of the processor's cache */

typedef struct ByteSpan
{
	const void *bytes;
	int			length;
} ByteSpan;

/*
 * Prefetches the line of an address into the second-level cache.  The first one
 * waits for few lines at a time, and what is read now needs these.
 */
#define PREFETCH_LINE(address)	__builtin_prefetch(address, 0, 2)

/*
 * Prefetches the span two behind this one, which is read now.  The processor
 * itself prefetches no further than the end of the span that is read.
 */
static inline void
prefetch_behind_span(const ByteSpan *spans, int nspans, int number)
{
	const char *bytes;

	number += 2;
	if (number >= nspans)
		return;
	bytes = (const char *) spans[number].bytes;
	for (int i = 0; i < spans[number].length; i += SPAN_LINE)
		PREFETCH_LINE(bytes + i);
}

/*
 * Copies the spans to "dest", one behind the other.  Where a span goes to is
 * prefetched, too, as far as spans are of one length.
 */
static inline void
copy_spans(char *dest, const ByteSpan *spans, int nspans)
{
	for (int i = 0; i < nspans; i++)
	{
		prefetch_behind_span(spans, nspans, i);
		for (int j = 0; j < spans[i].length; j += SPAN_LINE)
			__builtin_prefetch(dest + spans[i].length + j, 1, 2);
		memcpy(dest, spans[i].bytes, spans[i].length);
		dest += spans[i].length;
	}
}

/* Spans that belong together, and what becomes of them. */
typedef struct SpanBatch
{
	const ByteSpan *spans;
	int			nspans;

	/*
	 * Puts the elements that the bytes stand for to "dest", in any thread.
	 * Returns false if the bytes are damaged; the batch's owner notes that,
	 * too.  NULL: the bytes are copied.
	 */
	bool		(*unpack) (struct SpanBatch *batch, char *dest);

	/*
	 * For an engine that unpacks by itself: puts the bytes of the blocks to
	 * "dest", one behind the other, in any thread, and says in places[] where
	 * each block is, and which of the batch's elements it has.  A damaged
	 * block gets a scheme that does not exist.  NULL: the bytes are no blocks.
	 */
	void		(*put_blocks) (struct SpanBatch *batch, char *dest,
							   BlockPlace *places);
	int			nblocks;
	int64_t		block_bytes;
	int64_t		elements;		/* that the blocks have for the batch */
} SpanBatch;

/* The next bytes of a batch: a span's, without those that were used. */
typedef struct SpanCursor
{
	const SpanBatch *batch;
	int			at;				/* the span */
	int			used;
} SpanCursor;

/* Copies the next bytes to "dest".  The batch has at least as many. */
static inline void
span_copy_next(SpanCursor *cursor, char *dest, int64_t bytes)
{
	const SpanBatch *batch = cursor->batch;

	while (bytes > 0)
	{
		const ByteSpan *span = &batch->spans[cursor->at];
		int64_t		left = span->length - cursor->used;
		int64_t		length = left < bytes ? left : bytes;

		if (cursor->used == 0)
			prefetch_behind_span(batch->spans, batch->nspans, cursor->at);
		memcpy(dest, (const char *) span->bytes + cursor->used, length);
		dest += length;
		bytes -= length;
		cursor->at += length == left;
		cursor->used = length == left ? 0 : cursor->used + (int) length;
	}
}

/* Puts what the batch has to "dest".  Returns false if it is damaged. */
static inline bool
put_batch(char *dest, SpanBatch *batch)
{
	if (batch->unpack != NULL)
		return batch->unpack(batch, dest);
	copy_spans(dest, batch->spans, batch->nspans);
	return true;
}

#endif							/* GPUCOMPACT_SPAN_H */
