/*
 * test_set.c
 *	  Union, intersection and difference of two arrays.
 */
#include "contract/operations/set.h"
#include "engines.h"

static const char *const names[] = {"union", "intersection", "difference"};

static bool
in_order(ElementKind kind, const char *elements, int64_t count)
{
	for (int64_t i = 1; i < count; i++)
	{
		if (index_of(kind, elements, i - 1) > index_of(kind, elements, i))
			return false;
	}
	return true;
}

/*
 * The expected result for two arrays in order, by a merge of one element at a
 * time.
 */
static int64_t
expect_set(SetOperator op, ElementKind kind, const char *a, int64_t na,
		   const char *b, int64_t nb, char *out)
{
	int			size = kind_size(kind);
	int64_t		i = 0;
	int64_t		j = 0;
	int64_t		results = 0;

	while (i < na || j < nb)
	{
		bool		of_a = i < na &&
			(j == nb || index_of(kind, a, i) <= index_of(kind, b, j));
		uint64_t	key = of_a ? index_of(kind, a, i) : index_of(kind, b, j);
		const char *element = of_a ? a + i * size : b + j * size;
		bool		of_b = j < nb && index_of(kind, b, j) == key;

		if (op == SET_UNION || (of_a && of_b == (op == SET_INTERSECT)))
			memcpy(out + results++ * size, element, size);
		while (i < na && index_of(kind, a, i) == key)
			i++;
		while (j < nb && index_of(kind, b, j) == key)
			j++;
	}
	return results;
}

static void
try_set(ElementKind kind, const char *in, int64_t first, int64_t count,
		int data)
{
	int			size = kind_size(kind);
	const char *b = in + first * size;
	OWNED char *elements = malloc(count * size);
	OWNED char *few = malloc(count * size);
	int64_t		unordered = (in_order(kind, in, first) ? 0 : 1) +
		(in_order(kind, b, count - first) ? 0 : 2);

	for (int op = 0; op < 3; op++)
	{
		EngineRequest request = make_request(ENGINE_SET, kind, kind, count);
		int64_t		results = unordered ? 0 :
			expect_set((SetOperator) op, kind, in, first, b, count - first,
					   elements);
		EngineResult result;

		request.joined = count - first;
		PARAMETERS(&request, SetParameters)->op = (SetOperator) op;
		expect_results(&request, INPUTS(in),
					   &(Expected) {results, elements, .errors = &unordered},
					   names[op], data);
		for (request.threads = 1; request.threads <= 4; request.threads += 3)
		{
			request.outputs[0].memory = NULL;
			if (run_request(&request, in, NULL, &result))
				expect(result.count == results, &request,
					   "results of a set operation", data);
			if (results == 0)
				continue;

			/* With too little room. */
			request.outputs[0].memory = few;
			request.room = results - 1;
			few[request.room * size] = 0x55;
			if (run_request_in(options.context, &request, INPUTS(in), &result))
				expect(result.count == results &&
					   few[request.room * size] == 0x55, &request,
					   "more results of a set operation", data);
		}
	}
}

static void
test_set(ElementKind kind, void *elements, int64_t count, int data)
{
	const int64_t firsts[] = {
		0, count, count / 2, count / 2 + 1, 1 + count / 100,
		count - count / 1000, count - count / 3
	};
	int			size = kind_size(kind);
	char	   *in = elements;

	for (int i = 0; i < LENGTH(firsts); i++)
	{
		int64_t		first = firsts[i];

		if (first > count || (count > MANY && random_bits() % 14 > 0))
			continue;
		make_data(kind, data, in, count);
		if (data == 0 && random_bits() % 2)
		{
			/* So that the arrays have something in common. */
			for (int64_t j = 0; j < count; j++)
				memcpy(in + j * size, in + random_bits() % count * size, size);
		}
		sort_elements(kind, in, first);
		sort_elements(kind, in + first * size, count - first);
		try_set(kind, in, first, count, data);

		/* One element somewhere else, which may be anywhere. */
		make_data(kind, 0, in + random_bits() % count * size, 1);
		try_set(kind, in, first, count, data);
	}
}

TEST_KINDS(set)

CONCURRENT_REQUEST(SET)
{
	PARAMETERS(request, SetParameters)->op = SET_UNION;
}
