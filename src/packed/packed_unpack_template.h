/*
 * packed_unpack_template.h
 *	  Unpacks frames, and the integers of a block of any scheme, for one width
 *	  of them; for packed_unpack.c, which defines:
 *
 *		WIDTH_NAME(name)		the name with the bytes of an element
 *		WIDTH_BITS				unsigned integer of this width
 */
#define WIDTH	((int) (8 * sizeof(WIDTH_BITS)))

/* Unpacks a frame. */
CPU_CLONES static void
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

/*
 * Replaces differences by the integers whose differences they are; "before" is
 * the one in front of them.
 *
 * An integer cannot be added before the sum in front of it is known.  So four
 * parts of the block are summed at the same time, after their totals, which
 * vector registers make fast.
 */
CPU_CLONES static void
WIDTH_NAME(add_up) (WIDTH_BITS *integers, int count, WIDTH_BITS before)
{
	int			part = count / 4;
	WIDTH_BITS	sums[4] = {before};
	WIDTH_BITS *at = integers;

	for (int i = 0; i < 3; i++)
	{
		WIDTH_BITS	total = 0;

		for (int j = 0; j < part; j++)
			total += integers[i * part + j];
		sums[i + 1] = sums[i] + total;
	}
	for (int i = 0; i < part; i++, at++)
	{
		at[0] = sums[0] += at[0];
		at[part] = sums[1] += at[part];
		at[2 * part] = sums[2] += at[2 * part];
		at[3 * part] = sums[3] += at[3 * part];
	}
	for (int i = 4 * part; i < count; i++)
		integers[i] = sums[3] += integers[i];
}

/* Returns false if there is no value with one of the numbers. */
CPU_CLONES static bool
WIDTH_NAME(look_up) (const WIDTH_BITS *restrict values, int number,
					 const uint32_t *restrict indexes, int count,
					 WIDTH_BITS *restrict integers)
{
	uint32_t	greatest = 0;

	for (int i = 0; i < count; i++)
		greatest = indexes[i] > greatest ? indexes[i] : greatest;
	if (greatest >= (uint32_t) number)
		return false;
	for (int i = 0; i < count; i++)
		integers[i] = values[indexes[i]];
	return true;
}

/*
 * Returns false if the runs are longer or shorter than the block.  The first
 * few integers are written whatever the run's length is, as the next run
 * overwrites those that are too many; so short runs take no branch.
 */
CPU_CLONES static bool
WIDTH_NAME(fill_runs) (const WIDTH_BITS *restrict values,
					   const uint32_t *restrict lengths, int number, int count,
					   WIDTH_BITS *restrict integers)
{
	uint32_t	left = (uint32_t) count;

	for (int run = 0; run < number; run++)
	{
		uint32_t	length = lengths[run];
		uint32_t	filled = 0;

		if (length > left)
			return false;
		if (left >= SHORT_RUN)
		{
			for (; filled < SHORT_RUN; filled++)
				integers[filled] = values[run];
		}
		for (; filled < length; filled++)
			integers[filled] = values[run];
		integers += length;
		left -= length;
	}
	return left == 0;
}

/* Unpacks block->count integers. */
static bool
WIDTH_NAME(unpack_integers) (PackedCursor *cursor, const PackedBlock *block,
							 WIDTH_BITS *integers)
{
	WIDTH_BITS	values[PACKED_BLOCK];
	uint32_t	numbers[PACKED_BLOCK];
	int			count = block->count;
	PackedParts parts;

	if (!take_parts(cursor, block, WIDTH, &parts))
		return false;
	switch (block->scheme)
	{
		case PACKED_RAW:
			memcpy(integers, parts.first, count * sizeof(WIDTH_BITS));
			return true;
		case PACKED_CONSTANT:
			for (int i = 0; i < count; i++)
				integers[i] = (WIDTH_BITS) load_64(parts.first);
			return true;
		case PACKED_FRAME:
			WIDTH_NAME(unpack_frame) (&parts.frame, integers);
			return true;
		case PACKED_DELTA:
			WIDTH_NAME(unpack_frame) (&parts.frame, integers);
			WIDTH_NAME(add_up) (integers, count,
								(WIDTH_BITS) load_64(parts.first));
			return true;
		case PACKED_DICTIONARY:
		case PACKED_RUNS:
			WIDTH_NAME(unpack_frame) (&parts.values, values);
			unpack_frame_4(&parts.frame, numbers);
			break;
	}
	return block->scheme == PACKED_RUNS ?
		WIDTH_NAME(fill_runs) (values, numbers, parts.number, count,
							   integers) :
		WIDTH_NAME(look_up) (values, parts.number, numbers, count, integers);
}

#undef WIDTH
#undef WIDTH_NAME
#undef WIDTH_BITS
