/*
 * sample.c
 *	  What a sample says about the whole array.
 *
 * The sample is taken from the values that are in memory: all values, or the
 * first 32 kB of an array that is stored out of line.  Sampling takes less than
 * a microsecond.  If the sample misleads, the call takes longer.
 */
#include "compat.h"

#include "port/pg_bitutils.h"

#include "array/element.h"
#include "call/sample.h"

/* Places at which bytes are looked at, and bytes looked at in each place. */
#define PLACES			16
#define PLACE_BYTES		64

/* Keys that are looked at. */
#define SAMPLED_KEYS	512

/*
 * The range of the keys is narrow if there are this many keys for each value in
 * the range of the sample.  The engine needs two keys for each value in the
 * range of all keys, which may be wider.
 */
#define KEYS_OF_RANGE	4

/*
 * Few keys are distinct if the keys of the sample set at most FEW_BITS of
 * HASH_BITS bits.  About 500 distinct keys set as many.
 */
#define HASH_BITS		2048
#define FEW_BITS		300

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

/*
 * Samples bytes: INPUT_EASY if they are ASCII in all places but one at most,
 * INPUT_HARD if they are in less than half of the places.
 */
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

/*
 * Samples "count" keys: INPUT_EASY if they are integers in a narrow range, or
 * few of them are distinct.
 */
static InputSample
sample_keys(ElementKind kind, const char *values, int64 at_hand, int64 count)
{
	int64		step = at_hand / SAMPLED_KEYS;
	uint64		least = PG_UINT64_MAX;
	uint64		greatest = 0;
	uint64		bits[HASH_BITS / 64] = {0};
	int			nbits = 0;

	if (step == 0)
		return INPUT_UNKNOWN;
	for (int i = 0; i < SAMPLED_KEYS; i++)
	{
		uint64		order =
			element_order(kind, values + i * step * kind_size(kind));

		uint64		hash = order * UINT64CONST(0x9E3779B97F4A7C15) >> 53;

		least = Min(least, order);
		greatest = Max(greatest, order);
		bits[hash / 64] |= UINT64CONST(1) << hash % 64;
	}
	for (int i = 0; i < lengthof(bits); i++)
		nbits += pg_popcount64(bits[i]);
	if (nbits <= FEW_BITS)
		return INPUT_EASY;
	return !kind_is_float(kind) && greatest - least < count / KEYS_OF_RANGE ?
		INPUT_EASY : INPUT_HARD;
}

/*
 * Samples the input of a request whose cost varies.  What is still compressed
 * or deferred is not looked at.
 */
InputSample
sample_input(const EngineRequest *request, ArrayReader *reader)
{
	const void *values;
	int64		at_hand;

	if (reader->at.values == NULL || reader->deferred != NULL ||
		reader->count != request->count)
		return INPUT_UNKNOWN;
	values = array_reader_peek(reader, &at_hand);
	if (operation_facts[request->operation].sampling == SAMPLE_KEYS)
		return sample_keys(request->kinds[0], values, at_hand,
						   request->count);
	return sample_bytes(values, at_hand);
}
