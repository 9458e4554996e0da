/*
 * test_fill.c
 *	  Inputs that an engine copies, or unpacks, from spans of random lengths.
 *	  They are overwritten and freed as soon as it says that it is done.
 */
#include "engines.h"

#define LONGEST_SPAN	5000
#define MAX_SPANS		64

static int
draw(Pages *pages, int most)
{
	pages->seed = pages->seed * 6364136223846793005 + 1442695040888963407;
	return (pages->seed >> 33) % most;
}

static bool
is_done(const PagedFill *fill)
{
	return __atomic_load_n(&fill->pending, __ATOMIC_ACQUIRE) == 0;
}

/* Frees the oldest, when it is done. */
static void
free_oldest(Pages *pages, EngineContext *context)
{
	PagedFill  *fill = &pages->fills[pages->freed++ % FILLS];

	while (!is_done(fill))
		context->engine->wait(context, &fill->pending);
	memset(fill->bytes, 0xA5, fill->length);
	memset(fill->spans, 0xA5, MAX_SPANS * sizeof(ByteSpan));
	free(fill->bytes);
	free(fill->spans);
}

/* Puts the opposite of the bytes to "dest". */
static bool
invert(SpanBatch *batch, char *dest)
{
	for (int i = 0; i < batch->nspans; i++)
	{
		const char *bytes = batch->spans[i].bytes;
		int			length = batch->spans[i].length;

		for (int j = 0; j < length; j++)
			dest[j] = ~bytes[j];
		dest += length;
	}
	return true;
}

/* Makes the engine copy up to "most" bytes; returns how many. */
static int
fill_some(Pages *pages, EngineContext *context, int input, char *dest,
		  const char *bytes, int most)
{
	PagedFill  *fill = &pages->fills[pages->filled % FILLS];
	int			longest = 1 + draw(pages, LONGEST_SPAN);
	int			lengths[MAX_SPANS];
	int			nspans = 1 + draw(pages, MAX_SPANS);
	int			count;
	char	   *at;

	fill->length = count = 0;
	while (count < nspans && fill->length < most)
	{
		int			left = most - fill->length;
		int			length = 1 + draw(pages, longest);

		length = length < left ? length : left;
		lengths[count++] = length;
		fill->length += length;
	}
	fill->bytes = at = malloc(fill->length);
	fill->spans = malloc(MAX_SPANS * sizeof(ByteSpan));
	memcpy(fill->bytes, bytes, fill->length);
	for (int i = 0; i < count; at += lengths[i++])
		fill->spans[i] = (ByteSpan) {at, lengths[i]};
	fill->batch = (SpanBatch) {fill->spans, count};
	if (pages->unpacks && draw(pages, 2) == 0)
	{
		(void) invert(&(SpanBatch) {&(ByteSpan) {bytes, fill->length}, 1},
					  fill->bytes);
		fill->batch.unpack = invert;
	}
	fill->pending = 1;
	pages->filled++;
	context->engine->fill(context, input, dest, &fill->batch, &fill->pending);
	return fill->length;
}

/*
 * Makes the engine copy bytes to "dest", and returns "dest".  A few fills run
 * at a time; the first of the bytes may be there already.
 */
void *
fill_from_pages(Pages *pages, EngineContext *context, int input, void *dest,
				const void *bytes, int length)
{
	int			done = draw(pages, 4) == 0 ? draw(pages, length) : 0;
	int			most = 1 + draw(pages, FILLS);

	memcpy(dest, bytes, done);
	while (done < length)
	{
		while (pages->filled - pages->freed >= most ||
			   (pages->freed < pages->filled &&
				is_done(&pages->fills[pages->freed % FILLS])))
			free_oldest(pages, context);
		done += fill_some(pages, context, input, (char *) dest + done,
						  (const char *) bytes + done, length - done);
	}
	return dest;
}

/* Frees the fills that are left.  Called when all is pushed. */
void
free_pages(Pages *pages, EngineContext *context)
{
	while (pages->freed < pages->filled)
		free_oldest(pages, context);
}
