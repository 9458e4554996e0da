/*
 * input.c
 *	  An input of an engine's job, piece by piece.
 */
#include "compat.h"

#include "miscadmin.h"

#include "call/input.h"
#include "loops/bitmap_moves.h"

/* The next elements of an array as they are. */
const void *
array_input_next(CallInput *input, void *buffer, int64 count)
{
	return array_reader_next(input->reader, buffer, count);
}

/* The next elements of an array, in the buffer. */
static void
copy_elements(ArrayReader *reader, char *buffer, int64 count)
{
	const void *elements = array_reader_next(reader, buffer, count);

	if (elements != buffer)
		memcpy(buffer, elements, count * reader->type.size);
}

/*
 * The piece that has the end of the first array and the beginning of the second
 * one is put together in the buffer.
 */
static const void *
next_joined(CallInput *input, void *buffer, int64 count)
{
	ArrayReader *first = input->reader;
	int64		left = Min(count, first->count - first->at.next);

	if (left == count)
		return array_reader_next(first, buffer, count);
	if (left == 0)
		return array_reader_next(input->second, buffer, count);
	copy_elements(first, buffer, left);
	copy_elements(input->second, (char *) buffer + left * first->type.size,
				  count - left);
	return buffer;
}

/*
 * The elements of two arrays of one type, one behind the other.
 */
CallInput
joined_input(ArrayReader *reader, ArrayReader *second)
{
	CallInput	input = array_input(reader);

	input.next = next_joined;
	input.second = second;
	return input;
}

/* The array that a source of a request is, or NULL. */
ArrayReader *
source_reader(CallInput *const inputs[], int ninputs, int source)
{
	if (source == ENGINE_TABLE)
		return inputs[0]->table == NULL ? NULL : inputs[0]->table->reader;
	if (source == 1 && inputs[0]->second != NULL)
		return inputs[0]->second;
	return source < ninputs ? inputs[source]->reader : NULL;
}

static const void *
next_positions(CallInput *input, void *buffer, int64 count)
{
	return array_reader_positions(input->reader, buffer, count);
}

/*
 * The positions of the array's values among its elements.
 */
CallInput
positions_input(ArrayReader *reader)
{
	return (CallInput) {next_positions, .reader = reader};
}

/*
 * The elements of an array as a table, to be read when an engine needs them.
 */
CallTable
call_table(ArrayReader *reader)
{
	return (CallTable) {.reader = reader};
}

/* Gives a request the elements. */
void
call_table_read(CallTable *table, EngineRequest *request)
{
	if (table->elements == NULL)
		table->elements = array_reader_all(table->reader, &table->copy);
	request->table = table->elements;
}

void
call_table_free(CallTable *table)
{
	if (table->copy != NULL)
		pfree(table->copy);
	table->copy = NULL;
}

/* Reads the next block of elements beside an array. */
static const void *
read_block(ArrayReader *reader, int64 nitems, void *buffer, int64 *read)
{
	int64		count = Min(BESIDE_BLOCK, nitems - *read);

	CHECK_FOR_INTERRUPTS();
	*read += count;
	return array_reader_next(reader, buffer, count);
}

/* Puts the elements beside NULLs, "count" of those of a block. */
static void
put_at_nulls(BesideNulls *input, const char *elements, int64 from, int64 count)
{
	int			size = input->base.reader->type.size;
	uint8		nulls[BESIDE_BLOCK / BITS_PER_BYTE];

	for (int64 i = 0; i < null_bitmap_bytes(input->read - from); i++)
		nulls[i] = ~input->nulls[from / BITS_PER_BYTE + i];
	compress_by_bitmap(input->at_nulls + input->put * size, count, elements,
					   nulls, 0, input->read - from, size);
	input->put += count;
}

/* Reads a block, and divides its elements. */
static void
divide_block(BesideNulls *input)
{
	int64		from = input->read;
	const char *elements = read_block(input->base.reader, input->nitems,
									  input->buffer, &input->read);

	input->next = input->values;
	input->left = null_bitmap_count_values(input->nulls, from, input->read);
	compress_by_bitmap(input->values, input->left, elements, input->nulls,
					   from, input->read, input->base.reader->type.size);
	if (input->at_nulls != NULL)
		put_at_nulls(input, elements, from, input->read - from - input->left);
}

/* The elements beside the next "count" values. */
static const void *
next_beside_nulls(CallInput *base, void *buffer, int64 count)
{
	BesideNulls *input = (BesideNulls *) base;
	int			size = base->reader->type.size;
	char	   *dest = buffer;

	while (count > 0)
	{
		int64		taken = Min(count, input->left);

		if (taken == 0)
			divide_block(input);
		memcpy(dest, input->next, taken * size);
		input->next += taken * size;
		input->left -= taken;
		dest += taken * size;
		count -= taken;
	}
	return buffer;
}

static void
rewind_beside_nulls(CallInput *base)
{
	BesideNulls *input = (BesideNulls *) base;

	input->next = input->values;
	input->read = input->put = input->left = 0;
}

BesideNulls *
beside_nulls_begin(ArrayReader *reader, const uint8 *nulls, int64 nitems,
				   char *at_nulls)
{
	BesideNulls *input = palloc(sizeof(BesideNulls));

	input->base = (CallInput) {next_beside_nulls, rewind_beside_nulls, reader};
	input->nulls = nulls;
	input->nitems = nitems;
	input->at_nulls = at_nulls;
	rewind_beside_nulls(&input->base);
	return input;
}

/* Copies the remaining elements beside NULLs to "at_nulls". */
void
beside_nulls_finish(BesideNulls *input)
{
	while (input->at_nulls != NULL && input->read < input->nitems)
		divide_block(input);
	pfree(input);
}

/*
 * Takes the mask of the elements up to the last of the next "count" values, or
 * of all elements that are left.  Only the end of a block is branched on, as
 * nothing else can be predicted.
 */
static void
take_mask(MaskBesideNulls *input, bool *mask, int64 count)
{
	const uint8 *nulls = input->array->nulls;
	uint8	   *bitmap = input->bitmap;
	int64		nitems = input->array->nitems;
	int64		next = input->next;
	int64		selected = input->selected;

	for (int64 taken = 0; taken < count && next < nitems; next++)
	{
		bool		value = null_bitmap_is_value(nulls, next);
		bool		select;

		if (next == input->read)
			input->block = read_block(input->base.reader, nitems,
									  input->buffer, &input->read);
		select = *input->block++;
		mask[taken] = select;
		taken += value;
		bitmap[selected / 8] |= (select & value) << (selected % 8);
		selected += select;
	}
	input->next = next;
	input->selected = selected;
}

static const void *
next_mask_beside_nulls(CallInput *input, void *buffer, int64 count)
{
	take_mask((MaskBesideNulls *) input, buffer, count);
	return buffer;
}

/* The same bits are set again in the result's bitmap. */
static void
rewind_mask_beside_nulls(CallInput *base)
{
	MaskBesideNulls *input = (MaskBesideNulls *) base;

	input->next = input->selected = input->read = 0;
}

MaskBesideNulls *
mask_beside_nulls_begin(ArrayReader *mask, const ArrayReader *array,
						uint8 *bitmap)
{
	MaskBesideNulls *input = palloc(sizeof(MaskBesideNulls));

	input->base = (CallInput)
	{
		next_mask_beside_nulls, rewind_mask_beside_nulls, mask
	};
	input->array = array;
	input->bitmap = bitmap;
	rewind_mask_beside_nulls(&input->base);
	return input;
}

/*
 * Reads the mask of the NULLs at the end.  Returns how many elements are
 * selected.
 */
int64
mask_beside_nulls_finish(MaskBesideNulls *input)
{
	int64		selected;
	bool		unused;

	take_mask(input, &unused, 1);
	selected = input->selected;
	pfree(input);
	return selected;
}
