/*
 * kernels_packed.cu
 *	  The kernel that unpacks packed arrays alone, on blocks that are on the
 *	  device, and a copy of the elements that it makes, in turn.
 *
 * Prints a line for each series and size:
 *
 *		series n bits us of_copy spread
 *
 * "bits" are those that an element takes; "us" is the median over rounds of the
 * time of one call, of several queued after another, each on memory of its own,
 * together larger than the cache; "of_copy" is the fraction of the elements
 * that a device copy makes in the same time; "spread" is the range of the
 * rounds' times, over their median.  What is unpacked is compared.
 *
 *		make bench/kernels_packed && bench/kernels_packed > results.txt
 *
 * An argument is a part of the names of the series to measure, and one after
 * that the only size, or its logarithm: for a profiler, say.
 */
#include "kernels/packed/unpack.h"
extern "C"
{
#include "packed/packed.h"
}
#include "bench.h"

#define ROUNDS		7
#define MAX_SETS	8

typedef struct Series
{
	const char *name;
	ElementKind kind;
	double		(*number) (int64_t i);
} Series;

/* The blocks, and room for the elements. */
typedef struct Memory
{
	BlockPlace *places;
	char	   *bytes;
	char	   *out;
} Memory;

static double
below(int64_t i, unsigned most)
{
	return (double) (random_bits(i, 1) % most);
}

static double
thousand(int64_t i)
{
	return below(i, 2000) - 1000;
}

static double
ascending(int64_t i)
{
	return 3.0 * i + below(i, 3);
}

static double
decimals(int64_t i)
{
	return (below(i, 100) - 50) / 100;
}

/* One of many numbers: the i-th. */
static double
number(int64_t i, unsigned salt)
{
	return (double) (random_bits(i, salt) % 2000000000);
}

static const Series series[] = {
	{"frame_int2", KIND_INT2, thousand},
	{"frame_int4", KIND_INT4, thousand},
	{"frame_int8", KIND_INT8, thousand},
	{"outliers_int4", KIND_INT4, [](int64_t i) {
		return below(i, below(i, 100) == 0 ? 1000000000 : 100);
	}},
	{"delta_int4", KIND_INT4, ascending},
	{"delta_int8", KIND_INT8, ascending},
	{"dictionary_int4", KIND_INT4, [](int64_t i) {
		return number((int64_t) below(i, 60), 2);
	}},
	{"runs_int4", KIND_INT4, [](int64_t i) { return number(i / 20, 3); }},
	{"wide_int8", KIND_INT8, [](int64_t i) {
		return (double) (random_bits(i, 4) >> 12);
	}},
	{"decimals_float4", KIND_FLOAT4, decimals},
	{"decimals_float8", KIND_FLOAT8, decimals},
	{"signs_float8", KIND_FLOAT8, [](int64_t i) {
		return ((double) random_bits(i, 5) - 9e18) / 3e13;
	}}
};

static void
put_number(ElementKind kind, double number, char *to)
{
	float		float4 = (float) number;
	int64_t		integer = (int64_t) number;

	if (kind == KIND_FLOAT8)
		memcpy(to, &number, sizeof(number));
	else if (kind == KIND_FLOAT4)
		memcpy(to, &float4, sizeof(float4));
	else
		memcpy(to, &integer, kind_size(kind));	/* of a little-endian host */
}

static void
make_places(const PackedBlock *blocks, int64_t nblocks, BlockPlace *places)
{
	int64_t		before = 0;

	memset(places, 0, nblocks * sizeof(BlockPlace));
	for (int64_t i = 0; i < nblocks; i++)
	{
		places[i].before = (uint32_t) (before / 8);
		places[i].first = (uint32_t) (i * PACKED_BLOCK);
		places[i].length = (uint16_t) (blocks[i].length / 8);
		places[i].count = places[i].wanted = (uint16_t) blocks[i].count;
		places[i].scheme = (uint8_t) blocks[i].scheme;
		places[i].mapping = (uint8_t) blocks[i].mapping;
		places[i].bits = (uint8_t) blocks[i].bits;
		before += blocks[i].length;
	}
}

static void
unpack(const Unpacking *unpacking, const Memory *memory)
{
	Unpacking	own = *unpacking;

	own.places = memory->places;
	own.bytes = memory->bytes;
	own.out = memory->out;
	CHECK(unpack_blocks(NULL, &own));
}

/* Compares what is unpacked with the elements. */
static void
compare(const Unpacking *unpacking, const Memory *memory, const char *elements,
		size_t bytes, const char *name)
{
	char	   *found = (char *) malloc(bytes);

	CHECK(cudaMemset(memory->out, 0xA5, bytes));
	unpack(unpacking, memory);
	CHECK(cudaMemcpy(found, memory->out, bytes, cudaMemcpyDeviceToHost));
	if (*unpacking->failed != 0 || memcmp(found, elements, bytes) != 0)
	{
		fprintf(stderr, "%s: other elements, or none\n", name);
		exit(1);
	}
	free(found);
}

static void
bench(const Series *one, int64_t n, int *failed)
{
	int			size = kind_size(one->kind);
	int64_t		nblocks = packed_blocks(n);
	char	   *elements = (char *) malloc(n * size);
	char	   *bytes = (char *) malloc(packed_most_blocks(one->kind, n));
	PackedBlock *blocks = (PackedBlock *) malloc(nblocks * sizeof(PackedBlock));
	BlockPlace *places = (BlockPlace *) malloc(nblocks * sizeof(BlockPlace));
	Unpacking	unpacking = {};
	Memory		sets[MAX_SETS];
	int			nsets = 0;
	Times		times[2];		/* ours, and of a copy */

	for (int64_t i = 0; i < n; i++)
		put_number(one->kind, one->number(i), elements + i * size);
	unpacking.length = packed_pack(one->kind, elements, n, bytes, blocks);
	unpacking.nblocks = (int) nblocks;
	unpacking.kind = one->kind;
	unpacking.count = n;
	unpacking.failed = failed;
	make_places(blocks, nblocks, places);
	while (needs_set(nsets, MAX_SETS, n * size + unpacking.length))
	{
		Memory	   *set = &sets[nsets++];

		take_memory(&set->places, nblocks * sizeof(BlockPlace));
		take_memory(&set->bytes, unpacking.length);
		take_memory(&set->out, n * size);
		CHECK(cudaMemcpy(set->places, places, nblocks * sizeof(BlockPlace),
						 cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(set->bytes, bytes, unpacking.length,
						 cudaMemcpyHostToDevice));
	}
	compare(&unpacking, &sets[0], elements, n * size, one->name);
	take_turns<ROUNDS>(times, [&](int copies) {
		return us_of_each(nsets, [&](int i) {
			if (copies)
				CHECK(cudaMemcpyAsync(sets[i].out, sets[(i + 1) % nsets].out,
									  n * size, cudaMemcpyDeviceToDevice));
			else
				unpack(&unpacking, &sets[i]);
		});
	});
	printf("%-16s %10lld %6.2f %10.2f %6.3f %6.3f\n", one->name, (long long) n,
		   unpacking.length * 8.0 / n, times[0].us, times[1].us / times[0].us,
		   times[0].spread);
	fflush(stdout);
	free_memory();
	free(elements);
	free(bytes);
	free(blocks);
	free(places);
}

int
main(int argc, char **argv)
{
	static const int64_t sizes[] = {1 << 20, 1 << 24};
	int		   *failed;

	CHECK(cudaMallocHost((void **) &failed, sizeof(*failed)));
	*failed = 0;
	printf("%-16s %10s %6s %10s %6s %6s\n", "series", "n", "bits", "us", "copy",
		   "spread");
	for_sizes(sizes, ARGUMENT(2), [&](int64_t n) {
		for (const Series &one : series)
		{
			if (strstr(one.name, ARGUMENT(1)))
				bench(&one, n, failed);
		}
	});
	return 0;
}
