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

static int
compare_ranks(const void *a, const void *b)
{
	int64_t		x = *(const int64_t *) a;
	int64_t		y = *(const int64_t *) b;

	return x < y ? -1 : x > y;
}

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
	qsort(ranks, nranks, sizeof(int64_t), compare_ranks);
	return nranks;
}

static bool
selects(EngineRequest *request, const void *in, const char *sorted)
{
	const int64_t *ranks = request->table;
	int64_t		nranks = request->table_bytes / (int64_t) sizeof(int64_t);
	int			size = kind_size(request->kinds[0]);
	const char *out = request->outputs[0].memory;
	EngineResult result;

	if (!run_request(request, in, NULL, &result))
		return true;
	if (result.count != nranks)
		return false;
	for (int64_t i = 0; i < nranks; i++)
	{
		if (memcmp(out + i * size, sorted + ranks[i] * size, size) != 0)
			return false;
	}
	return true;
}

static char *
sort_data(ElementKind kind, const void *in, int64_t count)
{
	char	   *sorted = malloc(count * kind_size(kind));
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.kinds[0] = kind,
		.count = count,
		.threads = 4,
		.outputs[0] = {sorted, kind}
	};
	EngineResult result;

	if (run_request(&request, in, NULL, &result))
		return sorted;
	free(sorted);
	return NULL;
}

/* A few elements far from the others, and clusters: bins are laid anew. */
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

/* The sample tells nothing: its elements are all the same. */
static void
mislead(ElementKind kind, void *in, int64_t count)
{
	int			size = kind_size(kind);

	for (int i = 0; i < MAX_SAMPLE && count > 0; i++)
		memset((char *) in + sample_position(i, 0, count) * size, 0x7F, size);
}

/* What is done to the data. */
typedef struct Change
{
	const char *name;

	/* NULL: nothing. */
	void		(*make) (ElementKind kind, void *in, int64_t count);
} Change;

static const Change changes[] = {
	{"select", NULL},
	{"select from clusters", spread},
	{"select by a wrong sample", mislead}
};

static void
test_kind(ElementKind kind, int64_t count, int data, const Change *change)
{
	void	   *in = malloc(count * kind_size(kind));
	void	   *out = malloc(SELECT_MAX_RANKS * sizeof(int64_t));
	int64_t		ranks[SELECT_MAX_RANKS];
	char	   *sorted;

	make_data(kind, data, in, count);
	if (change->make)
		change->make(kind, in, count);
	sorted = sort_data(kind, in, count);
	for (int variant = 0; variant < 4 && sorted != NULL; variant++)
	{
		EngineRequest request = {
			.operation = ENGINE_SELECT,
			.kinds[0] = kind,
			.count = count,
			.threads = variant & 1 ? 4 : 1,
			.table = ranks,
			.outputs[0] = {out, kind}
		};

		request.table_bytes = make_ranks(ranks, count) * sizeof(int64_t);
		expect(selects(&request, in, sorted), &request, change->name, data);
	}
	free(in);
	free(out);
	free(sorted);
}

static void
test_select(int64_t count, int data)
{
	int			nchanges = data == 0 ? sizeof(changes) / sizeof(changes[0]) : 1;

	for (int kind = 0; kind < ELEMENT_KINDS; kind++)
	{
		for (int i = 0; i < nchanges; i++)
			test_kind((ElementKind) kind, count, data, &changes[i]);
	}
}

/* An array may have a single element. */
static void
complete_select(EngineRequest *request)
{
	static const int64_t ranks[] = {0};

	request->table = ranks;
	request->table_bytes = sizeof(ranks);
}

TEST_FAMILY(select)
CONCURRENT_REQUEST(SELECT, complete_select)
