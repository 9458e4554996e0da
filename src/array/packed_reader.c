/*
 * packed_reader.c
 *	  The elements of a packed array, a few at a time.
 *
 * Of a stored array, only the bytes that are needed for the wanted values are
 * read: the header, pages of the directory, and blocks.  If there is a sink,
 * its threads unpack the blocks from the pages of the TOAST table.
 */
#include "compat.h"

#include "access/detoast.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "array/element.h"
#include "array/packed_reader.h"

/*
 * Blocks that are unpacked together, all of one page of the directory: those
 * that have a range of values.
 */
typedef struct PackedPart
{
	SpanBatch	batch;			/* their bytes */
	PackedReader *reader;
	int			skipped;		/* values of the first one, not wanted */
	int64		count;			/* values that are */
	ElementSpread spread;		/* of the values, if it has a bitmap */
	int			nblocks;
	PackedBlock blocks[PACKED_PAGE];
} PackedPart;

/*
 * A part's bytes lie in spans, which are pages of a TOAST table if the array is
 * stored.  What works on a part calls no PostgreSQL, and runs in any thread.
 */

/* The next bytes of a batch, where they lie, or put together in "gathered". */
static const char *
take_bytes(SpanCursor *cursor, int length, char *gathered)
{
	const ByteSpan *span = &cursor->batch->spans[cursor->at];
	const char *bytes = (const char *) span->bytes + cursor->used;

	if (length <= span->length - cursor->used)
	{
		cursor->used += length;
		return bytes;
	}
	span_copy_next(cursor, gathered, length);
	return gathered;
}

/*
 * Unpacks values of a block to "dest": from number "from" on to before "to".
 * Whole blocks go there at once, if it is aligned.  A bytea's data is not
 * aligned for elements of 8 bytes.
 */
static PackedStatus
unpack_block(const PackedArray *array, const PackedBlock *block,
			 const char *bytes, int from, int to, char *dest)
{
	int			size = kind_size(array->kind);
	char		values[PACKED_BLOCK * sizeof(int64)]
				__attribute__((aligned(64)));
	PackedStatus status;

	if (from == 0 && to == block->count && (uintptr_t) dest % size == 0)
		return packed_unpack_block(array, block, bytes, dest);
	status = packed_unpack_block(array, block, bytes, values);
	memcpy(dest, values + from * size, (to - from) * size);
	return status;
}

/*
 * Puts the bytes of a part's blocks to "dest", for an engine that unpacks them,
 * and says what each block has.  Runs in any thread.
 */
static void
packed_part_put(SpanBatch *batch, char *dest, BlockPlace *places)
{
	PackedPart *part = (PackedPart *) batch;
	int64		put = 0;		/* bytes, */
	int64		taken = 0;		/* and values */
	int			from = part->skipped;
	SpanCursor	cursor = {batch};

	for (int i = 0; i < part->nblocks; i++, from = 0)
	{
		const PackedBlock *block = &part->blocks[i];
		int			wanted = Min(block->count - from, part->count - taken);
		const char *bytes = take_bytes(&cursor, block->length, dest + put);
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
	SpanCursor	cursor = {&part->batch};
	const PackedArray *array = &part->reader->array;
	int			size = kind_size(array->kind);
	int64		left = part->count;
	int			from = part->skipped;
	char		gathered[PACKED_MOST_BLOCK];

	for (int i = 0; i < part->nblocks; i++, from = 0)
	{
		const PackedBlock *block = &part->blocks[i];
		int			to = Min(block->count, from + left);
		const char *bytes = take_bytes(&cursor, block->length, gathered);
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
static bool
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

/* Raises an error if something is wrong with the bytes. */
static void
check_status(const PackedReader *reader, PackedStatus status)
{
	if (status == PACKED_OK)
		return;
	ereport(ERROR,
			(errcode(reader->damaged),
			 errmsg("%s", _(packed_messages[status])),
			 status == PACKED_NEWER ?
			 errhint("A newer version of gpucompact may be able to read it.") :
			 0));
}

/* Finds the bytes of the value, and reads the first ones.  Returns how many. */
static int64
open_bytes(PackedReader *reader, struct varlena *attr)
{
	struct varlena *value;

	if (VARATT_IS_EXTERNAL_ONDISK(attr))
	{
		struct varatt_external pointer;

		VARATT_EXTERNAL_GET_POINTER(pointer, attr);
		if (!VARATT_EXTERNAL_IS_COMPRESSED(pointer))
		{
			int			bytes;

			reader->base.stored = toast_reader_open(&pointer);
			bytes = Min(reader->base.stored->size, TOAST_MAX_CHUNK_SIZE);
			reader->head = reader->copy = palloc(bytes);
			toast_reader_read(reader->base.stored, 0, reader->copy, bytes);
			return reader->base.stored->size;
		}
	}
	value = detoast_checked(attr);
	if (value != attr)
		reader->copy = value;
	reader->head = reader->memory = VARDATA(value);
	return VARSIZE(value) - VARHDRSZ;
}

/* Checks what a header says that is right in itself. */
static void
check_header(const PackedReader *reader)
{
	const PackedArray *array = &reader->array;

	if (!is_base_type(array->element_type) ||
		element_type(array->element_type).kind != array->kind ||
		array->lower_bound + array->count > PG_INT32_MAX)
		check_status(reader, PACKED_BAD_HEADER);
	if (array->count > MaxAllocSize / kind_size(array->kind))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)",
						(int) (MaxAllocSize / kind_size(array->kind)))));
}

/*
 * Begins to read a packed array.  What is opened here is closed as its source,
 * or by the end of the transaction.
 *
 * Raises the SQLSTATE "damaged", now or later, where the array is damaged; and
 * 54000 if it would be larger than an array can be.
 */
PackedReader *
packed_reader_open(Datum packed, int damaged)
{
	PackedReader *reader = palloc0(sizeof(PackedReader));
	int64		length =
		open_bytes(reader, (struct varlena *) DatumGetPointer(packed));

	reader->base.methods = &packed_methods;
	reader->damaged = damaged;
	check_status(reader, packed_open(&reader->array, reader->head, length));
	check_header(reader);
	reader->base.count = packed_present(&reader->array);
	reader->base.size = kind_size(reader->array.kind);
	reader->page = -1;
	return reader;
}

/* Bytes of the value, where they lie or in the buffer; no sink copies them. */
static const char *
read_bytes(PackedReader *reader, int64 offset, int64 length)
{
	if (reader->memory != NULL)
		return reader->memory + offset;
	Assert(reader->base.stored->feed == NULL);
	if (reader->buffer_size < length)
	{
		if (reader->buffer != NULL)
			pfree(reader->buffer);
		reader->buffer = palloc(length);
		reader->buffer_size = length;
	}
	toast_reader_read(reader->base.stored, offset, reader->buffer, length);
	return reader->buffer;
}

/*
 * A group of the NULL bitmap.  "before" is how many values there are in earlier
 * groups.
 */
static const uint8 *
read_group(PackedReader *reader, int64 group, int64 *before)
{
	PackedSpan	span = packed_group_span(&reader->array, group);
	const uint8 *bitmap;

	CHECK_FOR_INTERRUPTS();
	check_status(reader, packed_read_group(&reader->array, group,
										   read_bytes(reader, span.offset,
													  span.length),
										   &bitmap, before));
	return bitmap;
}

/*
 * Makes the NULL bitmap of "count" elements, one at least, from "first" on.
 * *before is the number of values in front of them, *values the number among
 * them.  Each group has no more than there are, as packed_read_group checks.
 */
void
packed_reader_nulls(PackedReader *reader, int64 first, int64 count,
					uint8 *bitmap, int64 *before, int64 *values)
{
	int64		to = first + count;

	Assert(first >= 0 && count > 0 && to <= reader->array.count);
	*values = 0;
	for (int64 at = first, next; at < to; at = next)
	{
		int64		group = at / PACKED_GROUP;
		int64		start = group * PACKED_GROUP;
		int64		earlier;
		const uint8 *bits = read_group(reader, group, &earlier);

		next = Min(to, start + PACKED_GROUP);
		if (at == first)
		{
			*before = earlier + null_bitmap_count_values(bits, 0, at - start);
			null_bitmap_copy(bitmap, bits, at - start, next - start);
		}
		else if (earlier == *before + *values)
			null_bitmap_append(bitmap, at - first, bits, next - at);
		else
			check_status(reader, PACKED_BAD_NULLS);
		*values += null_bitmap_count_values(bits, at - start, next - start);
	}
	Assert(*before + *values <= packed_present(&reader->array));
}

/*
 * Reads a page of the directory, and the following pages that will be needed.
 */
static const char *
find_page(PackedReader *reader, int64 page)
{
	const PackedArray *array = &reader->array;
	PackedSpan	first = packed_page_span(array, page);

	if (reader->memory != NULL)
		return reader->memory + first.offset;
	if (reader->directory == NULL || page < reader->first_page ||
		page > reader->last_page)
	{
		int64		end = reader->base.begin + reader->base.count;
		int64		blocks = packed_blocks(end);
		int64		last_page = Max(page, (blocks - 1) / PACKED_PAGE);
		PackedSpan	last = packed_page_span(array, last_page);
		int64		length = last.offset + last.length - first.offset;

		Assert(reader->base.stored->feed == NULL);
		if (reader->directory != NULL)
			pfree(reader->directory);
		reader->directory = palloc(length);
		reader->first_page = page;
		reader->last_page = last_page;
		toast_reader_read(reader->base.stored, first.offset, reader->directory,
						  length);
	}
	return reader->directory + first.offset -
		packed_page_span(array, reader->first_page).offset;
}

/* What the directory says of a block. */
const PackedBlock *
packed_reader_block(PackedReader *reader, int64 block)
{
	int64		page = block / PACKED_PAGE;

	Assert(block >= 0 && block < packed_blocks(packed_present(&reader->array)));
	if (reader->page != page)
	{
		reader->page = -1;
		check_status(reader, packed_read_page(&reader->array, page,
									  find_page(reader, page),
									  reader->blocks));
		reader->page = page;
	}
	return &reader->blocks[block % PACKED_PAGE];
}

/*
 * From now on, reads the values of these blocks alone, and counts no others.
 * The blocks ascend, and are freed with the reader.
 */
void
packed_reader_choose(PackedReader *reader, int32 *blocks, int64 nblocks)
{
	for (int64 i = 1; i < nblocks; i++)
		Assert(blocks[i - 1] < blocks[i]);
	reader->chosen = blocks;
	reader->base.begin = reader->base.count = 0;
	if (nblocks > 0)
		reader->base.count = (nblocks - 1) * PACKED_BLOCK +
			packed_reader_block(reader, blocks[nblocks - 1])->count;
}

/*
 * The block that has a value, and how many have the values from there on up to
 * "last": side by side, and of one page.
 */
static int64
find_block(const PackedReader *reader, int64 value, int64 last, int *nblocks)
{
	int64		at = value / PACKED_BLOCK;
	int64		block = reader->chosen != NULL ? reader->chosen[at] : at;
	int			n = (int) Min(PACKED_PAGE - block % PACKED_PAGE,
							  last / PACKED_BLOCK - at + 1);

	*nblocks = n;
	if (reader->chosen != NULL)
	{
		*nblocks = 1;
		while (*nblocks < n &&
			   reader->chosen[at + *nblocks] == block + *nblocks)
			(*nblocks)++;
	}
	return block;
}

/* Raises an error if a thread has found a damaged block. */
static void
check_parts(ValueSource *source)
{
	const PackedReader *reader = (PackedReader *) source;

	check_status(reader, __atomic_load_n(&reader->failed, __ATOMIC_RELAXED));
}

/*
 * The part that begins with the value "first", and has "count" values at most.
 * Returns the bytes of its blocks, which are side by side.
 */
static int64
find_part(PackedReader *reader, PackedPart *part, int64 first, int64 count)
{
	int64		block = find_block(reader, first, first + count - 1,
								   &part->nblocks);
	const PackedBlock *blocks = packed_reader_block(reader, block);
	const PackedBlock *last;

	Assert(count > 0 && part->nblocks > 0 && part->nblocks <= PACKED_PAGE);
	part->batch.unpack = packed_part_unpack;
	part->batch.put_blocks = packed_part_put;
	part->reader = reader;
	part->spread.nulls = NULL;
	part->skipped = first % PACKED_BLOCK;
	part->count = Min(count, part->nblocks * PACKED_BLOCK - part->skipped);
	memcpy(part->blocks, blocks, part->nblocks * sizeof(PackedBlock));
	last = &blocks[part->nblocks - 1];
	return last->offset + last->length - blocks->offset;
}

/*
 * Leaves out the blocks that do not end within the first "bytes" bytes, in the
 * batch, too.
 */
static void
cut_part(PackedPart *part, int64 bytes)
{
	const PackedBlock *blocks = part->blocks;
	int64		end = blocks->offset + bytes;
	int			n = part->nblocks;

	Assert(bytes >= blocks->length);
	while (blocks[n - 1].offset + blocks[n - 1].length > end)
		n--;
	if (n < part->nblocks)
		part->count = n * PACKED_BLOCK - part->skipped;
	part->nblocks = n;
	part->batch.nblocks = n;
	part->batch.block_bytes = blocks[n - 1].offset + blocks[n - 1].length -
		blocks->offset;
	part->batch.elements = part->count;
}

/* Reads and unpacks some values.  Returns how many. */
static int64
read_part(PackedReader *reader, int64 first, int64 count, char *dest)
{
	PackedPart	part;
	ByteSpan	span;

	span.length = find_part(reader, &part, first, count);
	span.bytes = read_bytes(reader, part.blocks[0].offset, span.length);
	part.batch.spans = &span;
	part.batch.nspans = 1;
	(void) packed_part_unpack(&part.batch, dest);
	check_parts(&reader->base);
	return part.count;
}

/* Makes the sink unpack values, and spread them if "spread" is not NULL. */
static int64
send_values(ValueSource *source, int64 first, int64 count, char *dest,
			const ElementSpread *spread)
{
	PackedReader *reader = (PackedReader *) source;
	PackedPart *part = (PackedPart *) toast_reader_part(source->stored);
	int64		bytes;

	if (part == NULL)
		return -1;
	bytes = find_part(reader, part, source->begin + first, count);
	bytes = toast_reader_next(source->stored, part->blocks[0].offset,
							  part->blocks[0].length, bytes);
	if (bytes < 0)
		return -1;
	cut_part(part, bytes);
	if (spread != NULL)
	{
		part->spread = *spread;
		part->batch.put_blocks = NULL;
		if (part->count < count)
			spread_cut(&part->spread, part->count);
	}
	toast_reader_send(source->stored, dest);
	return part->count;
}

static void
read_values(ValueSource *source, int64 first, int64 count, char *dest)
{
	PackedReader *reader = (PackedReader *) source;

	while (count > 0)
	{
		int64		done = source->stored == NULL ? -1 :
			send_values(source, first, count, dest, NULL);

		if (done < 0)
			done = read_part(reader, source->begin + first, count, dest);
		Assert(done > 0 && done <= count);
		first += done;
		count -= done;
		dest += done * source->size;
	}
}

/* A part has no value of the blocks before it, which could be repeated. */
static bool
prepare(ValueSource *source, bool forward)
{
	PackedReader *reader = (PackedReader *) source;
	int			nblocks;

	if (forward)
		return false;
	/* The directory does not go through the sink. */
	(void) packed_reader_block(reader, find_block(reader, source->begin,
												  source->begin, &nblocks));
	return true;
}

static void
free_reader(ValueSource *source)
{
	PackedReader *reader = (PackedReader *) source;

	if (reader->copy != NULL)
		pfree(reader->copy);
	if (reader->directory != NULL)
		pfree(reader->directory);
	if (reader->buffer != NULL)
		pfree(reader->buffer);
	if (reader->chosen != NULL)
		pfree(reader->chosen);
}

const SourceMethods packed_methods = {
	.read = read_values, .prepare = prepare, .send = send_values,
	.part_size = sizeof(PackedPart), .check = check_parts, .free = free_reader
};

/* Checks that the bitmap of NULLs has as many as it says. */
static void
check_nulls(PackedReader *reader)
{
	uint8	   *bitmap = palloc(null_bitmap_bytes(reader->array.count));
	int64		before;
	int64		values;

	packed_reader_nulls(reader, 0, reader->array.count, bitmap, &before,
						&values);
	pfree(bitmap);
}

/* Reads everything, to see whether all of it is right. */
void
packed_reader_check(PackedReader *reader)
{
	const PackedArray *array = &reader->array;
	int64		blocks = packed_blocks(packed_present(array));
	int64		end = packed_front(array);
	char		values[PACKED_BLOCK * sizeof(int64)]
				__attribute__((aligned(64)));

	if (array->nulls > 0)
		check_nulls(reader);
	for (int64 i = 0; i < blocks; i++)
	{
		const PackedBlock *block = packed_reader_block(reader, i);
		const char *bytes = read_bytes(reader, block->offset, block->length);

		CHECK_FOR_INTERRUPTS();
		if (block->offset != end)
			check_status(reader, PACKED_BAD_DIRECTORY);
		end += block->length;
		check_status(reader, packed_check_block(array, block, bytes, values));
	}
}
