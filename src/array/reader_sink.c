/*
 * reader_sink.c
 *	  What a sink does for an array reader, perhaps in other threads: it copies
 *	  stored values, or unpacks them, and fills in what stands for NULLs.
 */
#include "compat.h"

#include "array/reader_parts.h"

/*
 * Fewer bytes of values do not go through a sink.  They are read in less time
 * than it takes to start a thread.
 */
#define MIN_ATTACHED	(64 * 1024)

/*
 * From now on, lets array_reader_next have a sink copy what it reads.  A piece
 * is complete after array_reader_drain.  "values" arrays are read at a time,
 * this one included.  Returns false if there is nothing to gain, or if the
 * elements of a piece are changed here.
 */
bool
array_reader_attach(ArrayReader *reader, SpanSink *sink, int values)
{
	if (reader_holds_booleans(reader))
		return false;
	if (reader->filled)
		return reader->nvalues * reader->type.size >= MIN_ATTACHED &&
			reader_attach_filled(reader, sink, values);
	if (reader->packed != NULL)
		return reader->nvalues * reader->type.size >= MIN_ATTACHED &&
			packed_reader_attach(reader->packed, sink, values);
	return reader->stored != NULL &&
		reader->stored->size - reader->at.offset >= MIN_ATTACHED &&
		toast_reader_attach(reader->stored, sink, values);
}

/* Unpins the pages that are copied already. */
void
array_reader_unpin(ArrayReader *reader)
{
	if (reader->packed != NULL)
		packed_reader_unpin(reader->packed);
	if (reader->stored != NULL)
		toast_reader_unpin(reader->stored);
}

/* Waits until all pieces are there; then no page is pinned. */
void
array_reader_drain(ArrayReader *reader)
{
	if (reader->packed != NULL)
		packed_reader_drain(reader->packed);
	if (reader->stored != NULL)
		toast_reader_drain(reader->stored);
}

/* Ends what array_reader_attach began, once the sink has stopped. */
void
array_reader_detach(ArrayReader *reader)
{
	if (reader->packed != NULL)
		packed_reader_detach(reader->packed);
	if (reader->stored != NULL)
		toast_reader_detach(reader->stored);
	reader_detach_filled(reader);
}
