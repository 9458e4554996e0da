/*
 * cpu_fill.c
 *	  Bytes that are copied into a piece's buffers by the thread that works on
 *	  the piece.
 *
 * The caller only says where the bytes are.  The piece's task copies them, so
 * that all threads share the copying, and finds them in its processor's cache.
 */
#include <string.h>

#include "cpu/cpu_engine.h"

static void
copy_fill(const CpuFill *fill)
{
	(void) put_batch(fill->dest, fill->batch);
	__atomic_store_n(fill->pending, 0, __ATOMIC_RELEASE);
}

/* Copies all bytes that are still to be copied. */
void
cpu_fills_copy(CpuFills *fills)
{
	for (int i = 0; i < fills->count; i++)
		copy_fill(&fills->fills[i]);
	fills->count = 0;
}

static int64_t
total_length(const SpanBatch *batch)
{
	int64_t		length = 0;

	for (int i = 0; i < batch->nspans; i++)
		length += batch->spans[i].length;
	return length;
}

/*
 * Copies the last spans, of "bytes" bytes or more, of batches that are copied.
 * All spans are copied again later.
 */
void
cpu_fills_copy_end(const CpuFills *fills, int bytes)
{
	for (int i = fills->count - 1; i >= 0; i--)
	{
		const CpuFill *fill = &fills->fills[i];
		char	   *end = fill->dest + total_length(fill->batch);

		for (int j = fill->batch->nspans - 1; j >= 0 && bytes > 0; j--)
		{
			const ByteSpan *span = &fill->batch->spans[j];

			end -= span->length;
			memcpy(end, span->bytes, span->length);
			bytes -= span->length;
		}
	}
}

/* Notes bytes to copy.  Copies them at once if "now", or if room is lacking. */
void
cpu_fills_add(CpuFills *fills, CpuFill fill, bool now)
{
	if (now || fills->count == CPU_FILLS)
	{
		copy_fill(&fill);
		return;
	}
	fills->fills[fills->count++] = fill;
}

/* Returns whether there are bytes to copy that "pending" waits for. */
bool
cpu_fills_have(const CpuFills *fills, const int *pending)
{
	for (int i = 0; i < fills->count; i++)
	{
		if (fills->fills[i].pending == pending)
			return true;
	}
	return false;
}
