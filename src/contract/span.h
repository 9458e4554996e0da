/*
 * span.h
 *	  Bytes of an input, wherever they lie.
 */
#ifndef GPUCOMPACT_SPAN_H
#define GPUCOMPACT_SPAN_H

#include <string.h>

typedef struct ByteSpan
{
	const void *bytes;
	int			length;
} ByteSpan;

/* Copies the spans to "dest", one behind the other. */
static inline void
copy_spans(char *dest, const ByteSpan *spans, int nspans)
{
	for (int i = 0; i < nspans; i++)
	{
		memcpy(dest, spans[i].bytes, spans[i].length);
		dest += spans[i].length;
	}
}

#endif							/* GPUCOMPACT_SPAN_H */
