/*
 * packed_frame.c
 *	  Reading frames.
 *
 *		counts of exceptions, uint8[4] | bits, uint8 | bytes of an exception,
 *		uint8 | flags, uint8 | 0, uint8 | base, uint64 | step, uint64, if the
 *		flag says so | words | exceptions' values | their positions, uint8 each
 */
#include "contract/cpu_clones.h"
#include "packed/packed_frame.h"
#include "packed/packed_words.h"

/* What an exception adds to an integer, without the step. */
PACKED_INLINE uint64_t
exception_value(const PackedFrame *frame, int number)
{
	int			size = frame->exception_bytes;
	int			unused = 64 - 8 * size;
	uint64_t	value = load_sized(frame->values + number * size, size);

	return (uint64_t) ((int64_t) (value << unused) >> unused) << frame->bits;
}

PACKED_INLINE int
exception_position(const PackedFrame *frame, int quarter, int number)
{
	return quarter * FRAME_QUARTER + frame->positions[number];
}

#define WIDTH_TEMPLATE "packed_frame_template.h"
#include "packed/packed_widths.h"

/* Takes the exceptions, which are "total". */
static bool
take_exceptions(PackedCursor *cursor, PackedFrame *frame, int total)
{
	int			size = frame->exception_bytes;

	if (total == 0)
		return size == 0;
	if ((size != 1 && size != 2 && size != 4 && size != 8) ||
		frame->bits == 64)
		return false;
	frame->values = take_bytes(cursor, PACKED_ALIGN(total * (size + 1)));
	if (frame->values == NULL)
		return false;
	frame->positions = frame->values + total * size;

	for (int quarter = 0, next = 0; quarter < FRAME_QUARTERS; quarter++)
	{
		for (int i = 0; i < frame->exceptions[quarter]; i++, next++)
		{
			if (exception_position(frame, quarter, next) >= frame->count)
				return false;
		}
	}
	return true;
}

bool
take_frame(PackedCursor *cursor, int count, int width, PackedFrame *frame)
{
	const uint8_t *head = take_bytes(cursor, FRAME_HEAD);
	const uint8_t *step;
	int			total = 0;

	if (head == NULL)
		return false;
	for (int quarter = 0; quarter < FRAME_QUARTERS; quarter++)
		total += frame->exceptions[quarter] = head[quarter];
	frame->count = count;
	frame->bits = head[4];
	frame->exception_bytes = head[5];
	frame->base = load_64(head + 8);
	frame->step = 1;
	if (frame->bits > width || head[6] > FRAME_HAS_STEP || head[7] != 0)
		return false;
	if (head[6] == FRAME_HAS_STEP)
	{
		step = take_bytes(cursor, 8);
		if (step == NULL)
			return false;
		frame->step = load_64(step);
	}
	frame->words = take_bytes(cursor, frame_words_bytes(count, frame->bits));
	return frame->words != NULL && take_exceptions(cursor, frame, total);
}
