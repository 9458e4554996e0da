/*
 * test_select.c
 *	  Selections: the elements of some ranks.
 *
 * What is expected are the elements at these places of what the engine's sort
 * makes of the array, which test_sort.c holds against qsort.
 */
#include "contract/operations/select.h"
#include "engines.h"
#include "kernels/common/sample.h"

/* No sample of the GPU's first look at an array has more elements. */
#define MAX_SAMPLE		8192

/* Some ranks in order: at both ends, neighbours, and any; perhaps the same. */
static int
make_ranks(int64_t ranks[SELECT_MAX_RANKS], int64_t count)
{
	static const int numbers[] = {1, 2, 9, 18, SELECT_MAX_RANKS};
	int			nranks = numbers[random_bits() % 5];

	for (int i = 0; i < nranks; i++)
	{
		switch (random_bits() % 4)
		{
			case 0:
				ranks[i] = random_bits() % 2 == 0 ? 0 : count - 1;
				break;
			case 1:
				ranks[i] = i == 0 ? 0 : (ranks[i - 1] + 1) % count;
				break;
			default:
				ranks[i] = random_bits() % count;
		}
	}
	sort_elements(KIND_INT8, ranks, nranks);
	return nranks;
}

static char *
sort_data(ElementKind kind, const void *in, int64_t count)
{
	char	   *sorted = malloc(count * kind_size(kind));
	EngineRequest request = make_request(ENGINE_SORT, kind, kind, count);
	EngineResult result;

	request.threads = 4;
	request.outputs[0].memory = sorted;
	if (run_request(&request, in, NULL, &result))
		return sorted;
	free(sorted);
	return NULL;
}

/*
 * A few elements far from the others, and clusters: the bins are laid again.
 */
static void
spread(ElementKind kind, void *in, int64_t count)
{
	int			size = kind_size(kind);

	for (int64_t i = 0; i < count; i++)
	{
		char	   *element = (char *) in + i * size;

		if (random_bits() % 1000 > 0)
			memset(element, 0, size - size / 2);	/* little end first */
		if (random_bits() % 2 == 0)
			memset(element + size / 2, 0x3F, size - size / 2);
	}
}

/* The sample says nothing: its elements are all the same. */
static void
mislead(ElementKind kind, void *in, int64_t count)
{
	int			size = kind_size(kind);

	for (int i = 0; i < MAX_SAMPLE && count > 0; i++)
		memset((char *) in + sample_position(i, 0, count) * size, 0x7F, size);
}

/* Elements of the CPU's sample, at equal distances. */
#define CPU_SAMPLE		64

/*
 * The CPU's sample has the greatest elements.  Just below them are less than
 * half of the others, so that a bin of these may have some of the sample's.
 */
static void
mislead_cpu(ElementKind kind, void *in, int64_t count)
{
	int64_t		high = kind == KIND_UINT1 ? 128 : 10000;

	for (int64_t i = 0; i < count; i++)
	{
		int64_t		value = random_bits() % 100 < 45 ?
			high - 1 - (int64_t) (random_bits() % 16) : high / 2;

		put_number(kind, in, i, (double) value);
	}
	for (int64_t i = 0; i < CPU_SAMPLE && count > 0; i++)
		put_number(kind, in, count * i / CPU_SAMPLE, (double) (high + i));
}

/* What is done to the data. */
typedef struct Change
{
	const char *name;
	void		(*make) (ElementKind kind, void *in, int64_t count);
} Change;

static const Change changes[] = {
	{"select from clusters", spread},
	{"select by a wrong sample", mislead},
	{"select by the CPU's wrong sample", mislead_cpu}
};

static void
try_ranks(ElementKind kind, const void *in, int64_t count, int data,
		  const char *what)
{
	int			size = kind_size(kind);
	char		results[SELECT_MAX_RANKS * sizeof(int64_t)];
	int64_t		ranks[SELECT_MAX_RANKS];
	OWNED char *sorted = sort_data(kind, in, count);

	for (int round = 0; round < 2 && sorted != NULL; round++)
	{
		int			nranks = make_ranks(ranks, count);
		EngineRequest request = make_request(ENGINE_SELECT, kind, kind, count);

		request.table = ranks;
		request.table_bytes = nranks * sizeof(int64_t);
		for (int i = 0; i < nranks; i++)
			memcpy(results + i * size, sorted + ranks[i] * size, size);
		expect_results(&request, INPUTS(in), &(Expected) {nranks, results},
					   what, data);
	}
}

static void
test_select(ElementKind kind, void *in, int64_t count, int data)
{
	try_ranks(kind, in, count, data, "select");
	for (int i = 0; i < LENGTH(changes) && data == 0; i++)
	{
		make_data(kind, data, in, count);
		changes[i].make(kind, in, count);
		try_ranks(kind, in, count, data, changes[i].name);
	}
}

TEST_KINDS(select)

/* An array may have a single element. */
CONCURRENT_REQUEST(SELECT)
{
	static const int64_t ranks[] = {0};

	request->table = ranks;
	request->table_bytes = sizeof(ranks);
}
