/*
 * cpu_fill.c
 *	  Bytes that are copied into a piece's buffers by the thread that works on
 *	  the piece.
 *
 * The caller only tells where the bytes are.  The piece's task copies them, so
 * that all threads share the copying, and finds them in its processor's cache.
 */
#include <string.h>

#include "cpu/cpu_engine.h"

static void
copy_fill(const CpuFill *fill)
{
	copy_spans(fill->dest, fill->spans, fill->nspans);
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

/* Copies the last spans, of "bytes" bytes or more.  Earlier spans are left. */
void
cpu_fills_copy_end(CpuFills *fills, int bytes)
{
	for (int i = fills->count - 1; i >= 0; i--)
	{
		CpuFill    *fill = &fills->fills[i];

		while (bytes > 0 && fill->nspans > 0)
		{
			const ByteSpan *span = &fill->spans[--fill->nspans];

			fill->length -= span->length;
			memcpy(fill->dest + fill->length, span->bytes, span->length);
			bytes -= span->length;
		}
	}
}

static int64_t
total_length(const ByteSpan *spans, int nspans)
{
	int64_t		length = 0;

	for (int i = 0; i < nspans; i++)
		length += spans[i].length;
	return length;
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
	fill.length = total_length(fill.spans, fill.nspans);
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
