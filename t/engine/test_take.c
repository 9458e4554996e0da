/*
 * test_take.c
 *	  Elements at positions.
 */
#include "contract/operations/take.h"
#include "engines.h"

/* The array's length: none, few, as the positions, or more. */
static int64_t
table_length(int which, int64_t count)
{
	return which == 0 ? 0 : which == 1 ? 1 + count / 100 : which == 2 ? count :
		2 * count + 1;
}

/* Takes elements, or bits if "bits", of a table of "length" of them. */
static void
try_take(ElementKind kind, bool bits, const int32_t *positions, int64_t count,
		 int data, int64_t length)
{
	int			size = kind_size(kind);
	OWNED char *table = malloc(length * size + 1);
	OWNED char *taken = calloc(count, size);
	OWNED uint8_t *found = calloc(1, count / 8 + 1);
	int64_t		missing = 0;
	Expected	expected = {count, bits ? NULL : taken, .errors = &missing};
	EngineRequest request = make_request(ENGINE_TAKE, KIND_INT4, kind, count);

	request.table = table;
	request.table_bytes = bits ? (length + 7) / 8 : length * size;
	request.summary_bytes = (count + 7) / 8;
	PARAMETERS(&request, TakeParameters)->bits = bits ? length : 0;
	make_data(kind, 0, table, length);
	for (int64_t i = 0; i < count; i++)
	{
		int64_t		at = (int64_t) positions[i] - 1;

		if (at < 0 || at >= length || (bits && !(table[at / 8] >> at % 8 & 1)))
		{
			missing++;
			continue;
		}
		memcpy(taken + i * size, table + at * size, size);
		found[i / 8] |= 1 << i % 8;
	}
	expected.summary = missing > 0 ? found : NULL;
	expect_results(&request, INPUTS(positions), &expected, "take", data);
}

static void
test_take(int64_t count, int data)
{
	static const ElementKind kinds[] = {
		KIND_UINT1, KIND_INT2, KIND_FLOAT4, KIND_INT8
	};
	OWNED int32_t *positions = malloc(count * sizeof(int32_t));

	for (int i = 0; i < 16; i++)
	{
		int64_t		length = table_length(i / 4, count);

		/* All of them there, or as the data are. */
		make_data(KIND_INT4, data, positions, count);
		for (int64_t j = 0; data == 0 && length > 0 && j < count; j++)
			positions[j] = 1 + (uint32_t) positions[j] % length;
		try_take(kinds[i % 4], false, positions, count, data, length);
		if (i % 4 == 0 && length > 0)
			try_take(KIND_UINT1, true, positions, count, data, length);
	}
}

TEST_FAMILY(take)

CONCURRENT_REQUEST(TAKE)
{
	concurrent_table(request);
}
