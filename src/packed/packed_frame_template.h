/*
 * packed_frame_template.h
 *	  Unpacks a frame into integers of one width, for packed_widths.h.
 */
CPU_CLONES void
WIDTH_NAME(unpack_frame) (const PackedFrame *frame,
						  WIDTH_BITS *restrict integers)
{
	uint32_t	low[PACKED_BLOCK];
	WIDTH_BITS	base = (WIDTH_BITS) frame->base;
	WIDTH_BITS	step = (WIDTH_BITS) frame->step;
	int			count = frame->count;

	unpack_words(frame->words, frame->bits < 32 ? frame->bits : 32, count,
				 low);
	if (sizeof(WIDTH_BITS) == 8 && frame->bits > 32)
	{
		uint32_t	high[PACKED_BLOCK];

		unpack_words(frame->words + words_bytes(count, 32), frame->bits - 32,
					 count, high);
		for (int i = 0; i < count; i++)
			integers[i] = (WIDTH_BITS)
				(base + step * ((uint64_t) high[i] << 32 | low[i]));
	}
	else if (step == 1)
	{
		for (int i = 0; i < count; i++)
			integers[i] = (WIDTH_BITS) (base + low[i]);
	}
	else
	{
		for (int i = 0; i < count; i++)
			integers[i] = (WIDTH_BITS) (base + step * (WIDTH_BITS) low[i]);
	}

	for (int quarter = 0, next = 0; quarter < FRAME_QUARTERS; quarter++)
	{
		for (int i = 0; i < frame->exceptions[quarter]; i++, next++)
			integers[exception_position(frame, quarter, next)] +=
				(WIDTH_BITS) (exception_value(frame, next) * frame->step);
	}
}
