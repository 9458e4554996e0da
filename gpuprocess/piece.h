/*
 * piece.h
 *	  Where the inputs and the results of a piece are.
 */
#ifndef GPUCOMPACT_PIECE_H
#define GPUCOMPACT_PIECE_H

#include "gpuprocess/job.h"

/* The slot that a piece goes through. */
static inline DeviceSlot *
slot_of(DeviceLane *lane, int64_t piece)
{
	return &lane->slots[piece % LANE_SLOTS];
}

/* Where an input is in a slot's memory, which begins at "base". */
static inline char *
slot_input(const DeviceLane *lane, char *base, int input)
{
	for (int i = 0; i < input; i++)
		base += lane->capacity * input_size(&lane->request, i);
	return base;
}

/*
 * Returns where a piece of an input is that is not gathered.  An input that is
 * cached, or is to be, has a place of its own.
 */
static inline char *
streamed_input(const DeviceLane *lane, const DeviceSlot *slot, int input)
{
	char	   *cached = lane->uses[input].memory;

	return cached != NULL ?
		cached + slot->first * input_size(&lane->request, input) :
		slot_input(lane, lane->direct ? slot->host_in : slot->device_in,
				   input);
}

/* Returns where the elements of a piece of an input are uploaded to. */
static inline char *
uploaded_input(const DeviceLane *lane, const DeviceSlot *slot, int input)
{
	return lane->operation->gathers ? lane->buffers[BUFFER_IN + input] +
		slot->first * input_size(&lane->request, input) :
		streamed_input(lane, slot, input);
}

/* Returns how many of a piece's first elements have no result. */
static inline int64_t
count_absent(const DeviceLane *lane, const DeviceSlot *slot)
{
	int64_t		absent = lane->request.absent - slot->first;

	return absent < 0 ? 0 : absent < slot->count ? absent : slot->count;
}

/*
 * Returns where the results of a piece go that is not gathered.  Results that
 * stay on the device go to their place, if it is known before the pieces in
 * front are done.  Elements without a result would have theirs before that.
 */
static inline char *
streamed_output(const DeviceLane *lane, const DeviceSlot *slot)
{
	int			size = output_size(&lane->request, 0);

	if (lane->stays != NULL && (slot->first == 0 || !lane->operation->counts))
		return lane->stays + (slot->first - lane->request.absent) * size;
	if (lane->undivided)
		return lane->buffers[BUFFER_OUT];
	return (lane->direct ? slot->host_out : slot->device_out) -
		count_absent(lane, slot) * size;
}

/* What a piece has of a source. */
typedef struct PiecePart
{
	const char *from;			/* in the slot, if it was pushed */
	char	   *to;				/* on the device */
	int64_t		offset;			/* bytes of the source before it */
	int64_t		bytes;			/* zero: it has nothing */
} PiecePart;

/* Returns what a piece has of one of two joined arrays. */
static inline PiecePart
part_of_joined(const DeviceLane *lane, const DeviceSlot *slot, int source)
{
	int			size = input_size(&lane->request, 0);
	int64_t		begin = source == 0 ? 0 : source_count(&lane->request, 0);
	int64_t		end = begin + source_count(&lane->request, source);
	int64_t		from = begin > slot->first ? begin : slot->first;
	int64_t		to = end < slot->first + slot->count ? end :
		slot->first + slot->count;
	PiecePart	part = {};

	if (source > 1 || from >= to)
		return part;
	part.from = slot->host_in + (from - slot->first) * size;
	part.to = lane->buffers[BUFFER_IN] + from * size;
	part.offset = (from - begin) * size;
	part.bytes = (to - from) * size;
	return part;
}

/* Returns what a piece has of a source. */
static inline PiecePart
part_of_piece(const DeviceLane *lane, const DeviceSlot *slot, int source)
{
	int			size = input_size(&lane->request, source);
	PiecePart	part = {};

	if (lane->request.joined > 0)
		return part_of_joined(lane, slot, source);
	if (size == 0)
		return part;
	part.from = slot_input(lane, slot->host_in, source);
	part.to = uploaded_input(lane, slot, source);
	part.offset = slot->first * size;
	part.bytes = slot->count * size;
	return part;
}

#endif							/* GPUCOMPACT_PIECE_H */
