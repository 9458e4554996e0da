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

/* Notes which of the elements that a block of a mask selects are values. */
static void
note_selected(BesideNulls *input, const bool *mask, int64 from, int64 count)
{
	uint8		bits[BESIDE_BLOCK / BITS_PER_BYTE];
	bool		are_values[BESIDE_BLOCK + BITS_PER_BYTE];
	int64		selected;

	null_bitmap_to_booleans(are_values, input->nulls, from, from + count);
	null_bitmap_from_booleans(bits, mask, count);
	selected = null_bitmap_count_values(bits, 0, count);
	compress_by_bitmap(are_values, selected, are_values, bits, 0, count,
					   sizeof(bool));
	null_bitmap_from_booleans(bits, are_values, selected);
	null_bitmap_append(input->selected_nulls, input->selected, bits, selected);
	input->selected += selected;
}

/* Reads a block, and divides its elements. */
static void
divide_block(BesideNulls *input)
{
	int64		from = input->read;
	const char *elements = read_block(input->base.reader, input->nitems,
									  input->buffer, &input->read);
	int64		count = input->read - from;

	input->next = input->values;
	input->left = null_bitmap_count_values(input->nulls, from, input->read);
	compress_by_bitmap(input->values, input->left, elements, input->nulls,
					   from, input->read, input->base.reader->type.size);
	if (input->at_nulls != NULL)
		put_at_nulls(input, elements, from, count - input->left);
	if (input->selected_nulls != NULL)
		note_selected(input, (const bool *) elements, from, count);
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

/* The same bits are set again in the bitmap of a mask. */
static void
rewind_beside_nulls(CallInput *base)
{
	BesideNulls *input = (BesideNulls *) base;

	input->next = input->values;
	input->read = input->put = input->left = input->selected = 0;
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
	input->selected_nulls = NULL;
	rewind_beside_nulls(&input->base);
	return input;
}

BesideNulls *
mask_beside_nulls_begin(ArrayReader *mask, const ArrayReader *array,
						uint8 *selected_nulls)
{
	BesideNulls *input = beside_nulls_begin(mask, array->nulls, array->nitems,
											NULL);

	input->selected_nulls = selected_nulls;
	return input;
}

/*
 * Reads the elements beside the NULLs at the end.  Returns how many elements a
 * mask selects.
 */
int64
beside_nulls_finish(BesideNulls *input)
{
	bool		wanted = input->at_nulls != NULL ||
		input->selected_nulls != NULL;
	int64		selected;

	while (wanted && input->read < input->nitems)
		divide_block(input);
	selected = input->selected;
	pfree(input);
	return selected;
}
