/*
 * sample.c
 *	  What a sample of an array says of all of it.
 *
 * The sample is taken from the values that are in memory: all of them, or of an
 * array that is stored out of line the first piece, of 32 kB.  It takes less
 * than a microsecond.  If it is wrong, the call takes longer.
 */
#include "compat.h"

#include "array/element.h"
#include "call/sample.h"

/* Bytes are looked at in so many places, so many in each. */
#define PLACES			16
#define PLACE_BYTES		64

/* Keys that are looked at. */
#define SAMPLED_KEYS	512

/*
 * So many times as many keys as the range of the sample has: the engine needs
 * twice as many as that of all keys, which may be greater.
 */
#define KEYS_OF_RANGE	8

static bool
is_ascii(const char *bytes)
{
	uint64		words[PLACE_BYTES / sizeof(uint64)];
	uint64		any = 0;

	memcpy(words, bytes, sizeof(words));
	for (int i = 0; i < lengthof(words); i++)
		any |= words[i];
	return (any & UINT64CONST(0x8080808080808080)) == 0;
}

/* Are the bytes ASCII, nearly all or less than half? */
static InputSample
sample_bytes(const char *bytes, int64 at_hand)
{
	int64		step = (at_hand - PLACE_BYTES) / (PLACES - 1);
	int			ascii = 0;

	if (step < PLACE_BYTES)
		return INPUT_UNKNOWN;
	for (int i = 0; i < PLACES; i++)
	{
		if (is_ascii(bytes + i * step))
			ascii++;
	}
	return ascii >= PLACES - 1 ? INPUT_EASY :
		ascii < PLACES / 2 ? INPUT_HARD : INPUT_UNKNOWN;
}

/* Are "count" integers in a range that is narrow for so many? */
static InputSample
sample_integers(ElementKind kind, const char *values, int64 at_hand,
				int64 count)
{
	int64		step = at_hand / SAMPLED_KEYS;
	uint64		least = PG_UINT64_MAX;
	uint64		greatest = 0;

	if (step == 0)
		return INPUT_UNKNOWN;
	for (int i = 0; i < SAMPLED_KEYS; i++)
	{
		uint64		order =
			element_order(kind, values + i * step * kind_size(kind));

		least = Min(least, order);
		greatest = Max(greatest, order);
	}
	return greatest - least < count / KEYS_OF_RANGE ? INPUT_EASY : INPUT_HARD;
}

/*
 * Samples the input of a request whose cost varies.  What is still compressed
 * is not looked at.
 */
InputSample
sample_input(const EngineRequest *request, ArrayReader *reader)
{
	const void *values;
	int64		at_hand;

	if (reader->compressed != NULL || reader->count != request->count)
		return INPUT_UNKNOWN;
	values = array_reader_peek(reader, &at_hand);
	if (request->operation == ENGINE_SORT ||
		request->operation == ENGINE_DISTINCT)
		return sample_integers(request->kinds[0], values, at_hand,
							   request->count);
	return sample_bytes(values, at_hand);
}
