/*
 * packed_part.c
 *	  Blocks of a packed array that are unpacked together, in any thread.
 *
 * Their bytes lie in spans, which are pages of a TOAST table if the array is
 * stored.  Nothing here calls PostgreSQL.
 */
#include "compat.h"

#include "array/packed_part.h"

/*
 * The next bytes of a batch, where they lie, or put together in "gathered".
 * "at" is the span that they begin in, "used" the bytes of it before them.
 */
static const char *
take_bytes(const SpanBatch *batch, int *at, int *used, int length,
		   char *gathered)
{
	const ByteSpan *span = &batch->spans[*at];
	const char *bytes = (const char *) span->bytes + *used;

	if (length <= span->length - *used)
	{
		*used += length;
		return bytes;
	}
	for (int done = 0, taken; done < length; done += taken)
	{
		if (*used == batch->spans[*at].length)
		{
			(*at)++;
			*used = 0;
			prefetch_span(batch->spans, batch->nspans, *at + 1);
		}
		span = &batch->spans[*at];
		taken = Min(length - done, span->length - *used);
		memcpy(gathered + done, (const char *) span->bytes + *used, taken);
		*used += taken;
	}
	return gathered;
}

/*
 * Unpacks values of a block to "dest": from number "from" on to before "to".
 */
static PackedStatus
unpack_block(const PackedArray *array, const PackedBlock *block,
			 const char *bytes, int from, int to, char *dest)
{
	int			size = kind_size(array->kind);
	char		values[PACKED_BLOCK * sizeof(int64)]
				__attribute__((aligned(64)));
	PackedStatus status;

	if (from == 0 && to == block->count)
		return packed_unpack_block(array, block, bytes, dest);
	status = packed_unpack_block(array, block, bytes, values);
	memcpy(dest, values + from * size, (to - from) * size);
	return status;
}

/*
 * Puts the bytes of a part's blocks to "dest", for an engine that unpacks them,
 * and says what each block has.  Runs in any thread.
 */
void
packed_part_put(SpanBatch *batch, char *dest, BlockPlace *places)
{
	PackedPart *part = (PackedPart *) batch;
	int64		put = 0;		/* bytes, */
	int64		taken = 0;		/* and values */
	int			from = part->skipped;
	int			at = 0;
	int			used = 0;

	for (int i = 0; i < part->nblocks; i++, from = 0)
	{
		const PackedBlock *block = &part->blocks[i];
		int			wanted = Min(block->count - from, part->count - taken);
		const char *bytes = take_bytes(batch, &at, &used, block->length,
									   dest + put);
		PackedStatus status;

		if (bytes != dest + put)
			memcpy(dest + put, bytes, block->length);
		status = packed_verify_block(block, dest + put);
		if (status != PACKED_OK)
			__atomic_store_n(&part->reader->failed, status, __ATOMIC_RELAXED);
		places[i] = (BlockPlace) {
			.before = put / 8, .first = taken,
			.length = block->length / 8, .count = block->count,
			.skipped = from, .wanted = wanted,
			.scheme = status == PACKED_OK ? block->scheme : PACKED_SCHEMES,
			.mapping = block->mapping, .bits = block->bits
		};
		put += block->length;
		taken += wanted;
	}
}

/*
 * Puts the values of a part to "dest"; zeros, once a block is damaged, and then
 * returns false.
 */
static bool
unpack_values(PackedPart *part, char *dest)
{
	const SpanBatch *batch = &part->batch;
	const PackedArray *array = &part->reader->array;
	int			size = kind_size(array->kind);
	int64		left = part->count;
	int			from = part->skipped;
	int			at = 0;
	int			used = 0;
	char		gathered[PACKED_MOST_BLOCK];

	for (int i = 0; i < part->nblocks; i++, from = 0)
	{
		const PackedBlock *block = &part->blocks[i];
		int			to = Min(block->count, from + left);
		const char *bytes = take_bytes(batch, &at, &used, block->length,
									   gathered);
		PackedStatus status = unpack_block(array, block, bytes, from, to, dest);

		if (status != PACKED_OK)
		{
			__atomic_store_n(&part->reader->failed, status, __ATOMIC_RELAXED);
			memset(dest, 0, left * size);
			return false;
		}
		dest += (to - from) * size;
		left -= to - from;
	}
	return true;
}

/*
 * Puts the values of a part, or the elements over which they are spread, to
 * "dest".  Returns false if a block is damaged.  Runs in any thread.
 */
bool
packed_part_unpack(SpanBatch *batch, char *dest)
{
	PackedPart *part = (PackedPart *) batch;
	int			size = kind_size(part->reader->array.kind);
	bool		right;

	if (part->spread.nulls == NULL)
		return unpack_values(part, dest);
	right = unpack_values(part, spread_values(&part->spread, dest, part->count,
											  size));
	spread_elements(&part->spread, dest, part->count, size);
	return right;
}
