/*
 * input.c
 *	  An input of an engine's job, piece by piece.
 */
#include "compat.h"

#include "call/input.h"

/* The next elements of an array as they are. */
const void *
array_input_next(CallInput *input, void *buffer, int64 count)
{
	return array_reader_next(input->reader, buffer, count);
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
	array_reader_copy(first, buffer, left);
	array_reader_copy(input->second, (char *) buffer + left * first->type.size,
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
