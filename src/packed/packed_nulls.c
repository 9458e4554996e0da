/*
 * packed_nulls.c
 *	  The NULL bitmap of a packed array.
 */
#include "loops/bitmap_moves.h"
#include "packed/packed_front.h"

/* Whether no bit is set behind the first "bits". */
static bool
ends_with_zeros(const uint8_t *bitmap, int64_t bits, int64_t bytes)
{
	for (int64_t i = bits; i < bytes * 8; i++)
	{
		if (bitmap[i / 8] >> i % 8 & 1)
			return false;
	}
	return true;
}

PackedStatus
packed_read_group(const PackedArray *packed, int64_t group,
				  const void *bytes, const uint8_t **bitmap, int64_t *before)
{
	const uint8_t *part = bytes;
	PackedSpan	span = packed_group_span(packed, group);
	int64_t		elements = group_elements(packed, group);
	int64_t		after;

	*bitmap = part + PART_HEAD;
	*before = load_32(part + PART_BEFORE);
	if (load_32(part + PART_CHECKSUM) !=
		part_checksum(packed, group, part, span) ||
		!ends_with_zeros(*bitmap, elements, span.length - PART_HEAD))
		return PACKED_BAD_NULLS;
	after = *before + count_bits(*bitmap, 0, elements);
	if (*before > group * PACKED_GROUP || after > packed_present(packed) ||
		(group == packed_groups(packed) - 1 && after < packed_present(packed)))
		return PACKED_BAD_NULLS;
	return PACKED_OK;
}

/* Copies bits from number "from" of a bitmap to number "to" of another one. */
static void
copy_bits(uint8_t *bitmap, int64_t to, const uint8_t *source, int64_t from,
		  int64_t count)
{
	int64_t		copied;

	for (; count > 0; to += copied, from += copied, count -= copied)
	{
		int			bits;

		if (to % 8 == 0 && from % 8 == 0 && count >= 8)
		{
			copied = count / 8 * 8;
			memcpy(bitmap + to / 8, source + from / 8, copied / 8);
			continue;
		}

		/* The number of bits up to the end of a byte. */
		copied = 8 - (to % 8 > from % 8 ? to % 8 : from % 8);
		if (copied > count)
			copied = count;
		bits = source[from / 8] >> from % 8 & ((1 << copied) - 1);
		if (to % 8 == 0)
			bitmap[to / 8] = (uint8_t) bits;
		else
			bitmap[to / 8] |= (uint8_t) (bits << to % 8);
	}
}

/* Elements of an array without NULLs. */
static void
all_present(int64_t first, int64_t count, uint8_t *bitmap, int64_t *before,
			int64_t *present)
{
	*before = first;
	*present = count;
	if (bitmap == NULL)
		return;
	memset(bitmap, 0xFF, (count + 7) / 8);
	if (count % 8 > 0)
		bitmap[count / 8] = (uint8_t) ((1 << count % 8) - 1);
}

PackedStatus
packed_nulls(const PackedArray *packed, const void *array, int64_t first,
			 int64_t count, uint8_t *bitmap, int64_t *before,
			 int64_t *present)
{
	if (packed->nulls == 0)
	{
		all_present(first, count, bitmap, before, present);
		return PACKED_OK;
	}
	*before = 0;
	*present = 0;
	for (int64_t done = 0; done < count;)
	{
		int64_t		group = (first + done) / PACKED_GROUP;
		int64_t		from = (first + done) % PACKED_GROUP;
		int64_t		some = group_elements(packed, group) - from;
		const uint8_t *bits;
		int64_t		earlier;
		PackedStatus status;

		if (some > count - done)
			some = count - done;
		status = packed_read_group(packed, group, (const uint8_t *) array +
								   packed_group_span(packed, group).offset,
								   &bits, &earlier);
		if (status != PACKED_OK)
			return status;
		earlier += count_bits(bits, 0, from);
		if (done == 0)
			*before = earlier;
		else if (earlier != *before + *present)
			return PACKED_BAD_NULLS;
		*present += count_bits(bits, from, from + some);
		if (bitmap != NULL)
			copy_bits(bitmap, done, bits, from, some);
		done += some;
	}
	return PACKED_OK;
}
