/*
 * test_pack.c
 *	  The blocks of packed arrays: any number of threads makes the blocks of
 *	  the whole array, and the elements come back.
 */
#include "engines.h"
#include "packed_whole.h"

/* Returns whether packed blocks have the elements. */
static bool
has_elements(ElementKind kind, const void *in, int64_t count,
			 const char *bytes, int64_t length, PackedBlock *blocks)
{
	PackedArray packed = {.kind = kind, .count = count};
	int64_t		front = packed_front(&packed);
	OWNED char *array = malloc(front + length);
	OWNED char *elements = malloc(count * kind_size(kind));

	memcpy(array + front, bytes, length);
	packed_write_front(&packed, NULL, blocks, array);
	return packed.length == front + length &&
		unpack_whole(&packed, (uint8_t *) array, elements) == PACKED_OK &&
		memcmp(elements, in, count * kind_size(kind)) == 0;
}

static void
try_kind(ElementKind kind, const void *in, int64_t count, int data)
{
	int64_t		nblocks = packed_blocks(count);
	OWNED char *bytes = malloc(8 * count);
	OWNED PackedBlock *blocks = malloc(nblocks * sizeof(PackedBlock));
	OWNED char *expected = malloc(packed_most_blocks(kind, count));
	OWNED PackedBlock *described = malloc(nblocks * sizeof(PackedBlock));
	int64_t		length = packed_pack(kind, in, count, expected, described);
	EngineRequest request = make_request(ENGINE_PACK, kind, KIND_UINT1, count);
	EngineResult result;

	request.outputs[0].memory = bytes;
	request.summary = blocks;
	request.summary_bytes = nblocks * (int64_t) sizeof(PackedBlock);
	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		memset(bytes, 0x55, 8 * count);
		if (run_request(&request, in, NULL, &result))
			expect(result.count == length &&
				   memcmp(bytes, expected, length) == 0 &&
				   has_elements(kind, in, count, bytes, length, blocks),
				   &request, "pack", data);
	}
}

static void
test_pack(ElementKind kind, void *in, int64_t count, int data)
{
	if (count <= MANY || ((int) kind + data) % 4 == 0)
		try_kind(kind, in, count, data);
}

TEST_KINDS(pack)

CONCURRENT_REQUEST(PACK)
{
	request->outputs[0].kind = KIND_UINT1;
	request->summary_bytes = packed_blocks(CONCURRENT_MOST) *
		(int64_t) sizeof(PackedBlock);
}
