/*
 * test_window_percentile.c
 *	  Percentiles of frames that slide over an array.
 *
 * The expected result of each frame is found by a binary indexed tree over the
 * sorted elements, which counts the elements that are in the frame.
 */
#include "contract/operations/select.h"
#include "contract/operations/window_percentile.h"
#include "window_reference.h"

/* How many elements of each order are in a frame. */
typedef struct Counts
{
	int64_t		size;			/* a power of two */
	int32_t    *sums;
} Counts;

static void
count_element(Counts *counts, int64_t index, int by)
{
	for (int64_t i = index + 1; i <= counts->size; i += i & -i)
		counts->sums[i] += by;
}

/* An element's place in the order, in which -0 comes just before 0. */
static uint64_t
frame_index(ElementKind kind, const void *elements, int64_t i)
{
	return index_of(kind, elements, i) -
		(kind_is_float(kind) && number_at(kind, elements, i) == 0 &&
		 signbit(number_at(kind, elements, i)));
}

/* The index of the element of a rank. */
static int64_t
find_rank(const Counts *counts, int64_t rank)
{
	int64_t		index = 0;

	for (int64_t step = counts->size; step > 0; step /= 2)
	{
		if (index + step <= counts->size && counts->sums[index + step] <= rank)
		{
			index += step;
			rank -= counts->sums[index];
		}
	}
	return index;
}

/* The results of all frames.  Some elements may be no values. */
static void
find_percentiles(const EngineRequest *request, const void *elements,
				 const uint8_t *values, const uint64_t *sorted, char *results)
{
	const WindowPercentileParameters *parameters =
		PARAMETERS(request, WindowPercentileParameters);
	ElementKind kind = request->kinds[0];
	int			size = kind_size(kind);
	int64_t		count = request->count;
	OWNED int64_t *index = malloc(count * sizeof(int64_t));
	OWNED int64_t *element = malloc(count * sizeof(int64_t));
	int64_t		entered = 0;
	int64_t		left = 0;
	int64_t		inside = 0;
	Counts		counts = {1, NULL};

	while (counts.size < count)
		counts.size *= 2;
	counts.sums = calloc(counts.size + 1, sizeof(int32_t));
	for (int64_t i = 0; i < count; i++)
	{
		index[i] = count_up_to(sorted, count,
							   frame_index(kind, elements, i)) - 1;
		element[index[i]] = i;
	}
	for (int64_t i = 0; i < count; i++)
	{
		PercentilePlace place;
		int64_t		low;
		int64_t		high;

		for (; entered < count && entered <= i + parameters->following;
			 entered++)
		{
			inside += values[entered];
			count_element(&counts, index[entered], values[entered]);
		}
		for (; left < i - parameters->preceding; left++)
		{
			inside -= values[left];
			count_element(&counts, index[left], -values[left]);
		}
		if (inside == 0)
			continue;
		place = percentile_place(parameters->fraction, inside,
								 parameters->continuous);
		low = element[find_rank(&counts, place.rank)];
		high = element[find_rank(&counts, place.next_rank)];
		if (parameters->continuous)
		{
			double		a = number_at(kind, elements, low);
			double		b = number_at(kind, elements, high);

			put_number(KIND_FLOAT8, results, i, place.proportion == 0 ? a :
					   a + (place.proportion * (b - a)));
		}
		else
			memcpy(results + i * size, (const char *) elements + low * size,
				   size);
	}
	free(counts.sums);
}

/* A place in the order, for qsort(). */
typedef struct Ordered
{
	uint64_t	index;
	int64_t		place;
} Ordered;

static int
compare_ordered(const void *a, const void *b)
{
	const Ordered *x = a;
	const Ordered *y = b;

	return x->index != y->index ? (x->index < y->index ? -1 : 1) :
		x->place < y->place ? -1 : 1;
}

/* Some elements are no values, and as great as the greatest of all. */
static void
leave_out(ElementKind kind, char *elements, int64_t count, uint8_t *values)
{
	int			size = kind_size(kind);
	int64_t		greatest = 0;

	for (int64_t i = 1; i < count; i++)
	{
		if (index_of(kind, elements, i) > index_of(kind, elements, greatest))
			greatest = i;
	}
	for (int64_t i = 0; i < count; i++)
	{
		/* Some runs of them are longer than most frames. */
		values[i] = i / 100 % 7 != 3 && random_bits() % 4 != 0;
		if (!values[i])
			memcpy(elements + i * size, elements + greatest * size, size);
	}
}

/* Counts the values of each frame. */
static void
count_values(const WindowPercentileParameters *parameters,
			 const uint8_t *values, int64_t count, int32_t *counts)
{
	int64_t		entered = 0;
	int64_t		left = 0;
	int32_t		inside = 0;

	for (int64_t i = 0; i < count; i++)
	{
		for (; entered < count && entered <= i + parameters->following;
			 entered++)
			inside += values[entered];
		for (; left < i - parameters->preceding; left++)
			inside -= values[left];
		counts[i] = inside;
	}
}

static void
try_percentile(EngineRequest *request, char *elements, int data)
{
	const WindowPercentileParameters *parameters =
		PARAMETERS(request, WindowPercentileParameters);
	int64_t		count = request->count;
	ElementKind kind = request->kinds[0];
	ElementKind to = request->outputs[0].kind;
	OWNED char *results = calloc(count, sizeof(int64_t));
	OWNED uint8_t *values = malloc(count);
	OWNED bool *undefined = calloc(count, sizeof(bool));
	OWNED int32_t *table = malloc(2 * count * sizeof(int32_t));
	OWNED uint64_t *sorted = malloc(count * sizeof(uint64_t));
	OWNED Ordered *ordered = malloc(count * sizeof(Ordered));
	int64_t		counted = parameters->counted ? count : 0;
	Expected	expected = {
		.count = count,
		.results = results,
		.any_nan = kind_is_float(to)
	};

	memset(values, 1, count);
	if (parameters->counted)
	{
		leave_out(kind, elements, count, values);
		count_values(parameters, values, count, table);
		for (int64_t i = 0; i < count; i++)
			undefined[i] = table[i] == 0;
		expected.undefined = undefined;
	}
	for (int64_t i = 0; i < count; i++)
		ordered[i] = (Ordered) {index_of(kind, elements, i), i};
	qsort(ordered, count, sizeof(Ordered), compare_ordered);
	for (int64_t i = 0; i < count; i++)
	{
		sorted[i] = frame_index(kind, elements, i);
		table[counted + i] = (int32_t) ordered[i].place + 1;
	}
	qsort(sorted, count, sizeof(uint64_t), compare_uint64);
	request->table = table;
	request->table_bytes = (counted + (window_percentile_is_wide(request) ?
									   count : 0)) * sizeof(int32_t);
	find_percentiles(request, elements, values, sorted, results);
	expect_results(request, INPUTS(elements), &expected,
				   parameters->continuous ? "moving percentile_cont" :
				   "moving percentile_disc", data);
}

static void
test_window_percentile(int64_t count, int data)
{
	static const double fractions[] = {0, 0.5, 1, 0.25, 0.9, 0.001, 1 / 3.0};
	OWNED char *elements = malloc(count * sizeof(int64_t));
	int			rounds = count > 2000 ? 14 : 56;

	for (int number = 0; number < rounds; number++)
	{
		ElementKind kind = number % 7 < NUMBER_KINDS ?
			number_kinds[number % 7] : number % 7 == 5 ? KIND_UINT1 :
			KIND_UINT4;
		bool		continuous = number % 2 == 0 && number % 7 < NUMBER_KINDS;
		EngineRequest request = make_request(ENGINE_WINDOW_PERCENTILE, kind,
											 continuous ? KIND_FLOAT8 : kind,
											 count);
		WindowPercentileParameters *parameters =
			PARAMETERS(&request, WindowPercentileParameters);

		choose_frame(count, count - 1, &parameters->preceding,
					 &parameters->following);
		parameters->fraction = random_bits() % 3 == 0 ? 0.5 :
			fractions[random_bits() % LENGTH(fractions)];
		parameters->continuous = continuous;
		parameters->counted = random_bits() % 3 == 0;
		make_data(kind, data, elements, count);
		if (number % 5 == 4)
			sort_elements(kind, elements, count);
		try_percentile(&request, elements, data);
	}
}

TEST_FAMILY(window_percentile)

CONCURRENT_REQUEST(WINDOW_PERCENTILE)
{
	request->parameters = PARAMETERS_OF(WindowPercentileParameters,
										.fraction = 0.5, .preceding = 100);
}
