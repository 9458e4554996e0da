/*
 * test_pack.c
 *	  The blocks of packed arrays: they are those of the whole array, whatever
 *	  the number of threads, and the elements come back.
 */
#include "contract/operations/pack.h"
#include "engines.h"
#include "packed/packed.h"

#define LENGTH(array)	((int) (sizeof(array) / sizeof(array[0])))

/* Returns whether packed blocks have the elements. */
static bool
has_elements(ElementKind kind, const void *in, int64_t count,
			 const char *bytes, int64_t length, PackedBlock *blocks)
{
	PackedArray packed = {.kind = kind, .count = count};
	int64_t		front = packed_front(&packed);
	char	   *array = malloc(front + length);
	char	   *elements = malloc(count * kind_size(kind));
	bool		right;

	memcpy(array + front, bytes, length);
	packed_write_front(&packed, NULL, blocks, array);
	right = packed.length == front + length &&
		packed_unpack(&packed, array, 0, count, elements) == PACKED_OK &&
		memcmp(elements, in, count * kind_size(kind)) == 0;
	free(array);
	free(elements);
	return right;
}

static void
try_kind(ElementKind kind, const void *in, int64_t count, int data)
{
	int64_t		nblocks = packed_blocks(count);
	char	   *bytes = malloc(8 * count);
	PackedBlock *blocks = malloc(nblocks * sizeof(PackedBlock));
	char	   *expected = malloc(packed_most_blocks(kind, count));
	PackedBlock *described = malloc(nblocks * sizeof(PackedBlock));
	int64_t		length = packed_pack(kind, in, count, expected, described);
	EngineRequest request = {
		.operation = ENGINE_PACK,
		.kinds[0] = kind,
		.outputs[0] = {bytes, KIND_UINT1},
		.count = count,
		.summary = blocks,
		.summary_bytes = nblocks * (int64_t) sizeof(PackedBlock)
	};
	EngineResult result;

	for (request.threads = 1; request.threads <= 4; request.threads += 3)
	{
		memset(bytes, 0x55, 8 * count);
		if (run_request(&request, in, NULL, &result))
			expect(result.count == length &&
				   memcmp(bytes, expected, length) == 0 &&
				   has_elements(kind, in, count, bytes, length, blocks),
				   &request, "pack", data);
	}
	free(bytes);
	free(blocks);
	free(expected);
	free(described);
}

static void
test_pack(int64_t count, int data)
{
	static const ElementKind kinds[] = {
		KIND_UINT1, KIND_INT2, KIND_INT4, KIND_UINT4, KIND_INT8, KIND_FLOAT4,
		KIND_FLOAT8
	};

	for (int k = 0; k < LENGTH(kinds); k++)
	{
		void	   *in = malloc(count * kind_size(kinds[k]));

		make_data(kinds[k], data, in, count);
		if (count <= MANY || (k + data) % 4 == 0)
			try_kind(kinds[k], in, count, data);
		free(in);
	}
}

static void
complete_pack(EngineRequest *request)
{
	request->outputs[0].kind = KIND_UINT1;
	request->summary_bytes = packed_blocks(CONCURRENT_MOST) *
		(int64_t) sizeof(PackedBlock);
}

TEST_FAMILY(pack)
CONCURRENT_REQUEST(PACK, complete_pack)
