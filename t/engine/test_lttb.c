/*
 * test_lttb.c
 *	  Largest triangle, three buckets.
 */
#include "contract/operations/lttb.h"
#include "float_reference.h"

static Point
point_at(ElementKind kind, const void *in, const int32_t *positions, int64_t i)
{
	return (Point) {
		positions != NULL ? positions[i] : i + 1.0, number_at(kind, in, i)
	};
}

/* The average of the points from "from" to "to", added from left to right. */
static Point
average_of(ElementKind kind, const void *in, const int32_t *positions,
		   int64_t from, int64_t to)
{
	Point		sum = point_at(kind, in, positions, from);

	for (int64_t i = from + 1; i < to; i++)
	{
		Point		point = point_at(kind, in, positions, i);

		sum.x += point.x;
		sum.y += point.y;
	}
	return (Point) {sum.x / (to - from), sum.y / (to - from)};
}

static void
choose(ElementKind kind, const void *in, const int32_t *positions,
	   int64_t count, int64_t n, int32_t *chosen)
{
	int64_t		buckets = n - 2;

	*chosen++ = 1;
	for (int64_t bucket = 0; bucket < buckets; bucket++, chosen++)
	{
		int64_t		from = 1 + bucket * (count - 2) / buckets;
		int64_t		to = 1 + (bucket + 1) * (count - 2) / buckets;
		int64_t		behind = bucket + 1 == buckets ? count :
			1 + (bucket + 2) * (count - 2) / buckets;
		Point		a = point_at(kind, in, positions, chosen[-1] - 1);
		Point		c = average_of(kind, in, positions, to, behind);
		double		largest = -1;

		for (int64_t i = from; i < to; i++)
		{
			Point		b = point_at(kind, in, positions, i);
			double		area = fabs((a.x - c.x) * (b.y - a.y) -
									(a.x - b.x) * (c.y - a.y));

			if (is_less(largest, area))
			{
				largest = area;
				*chosen = (int32_t) i + 1;
			}
		}
	}
	*chosen = (int32_t) count;
}

/* Positions with gaps. */
static void
make_positions(int32_t *positions, int64_t count)
{
	int32_t		last = 0;

	for (int64_t i = 0; i < count; i++)
		positions[i] = last += 1 + (random_bits() % 8 == 0);
}

static void
try_lttb(ElementKind kind, const void *in, const int32_t *positions,
		 int64_t count, int data, int64_t n)
{
	int32_t    *chosen = malloc(n * sizeof(int32_t));
	EngineRequest request = make_request(ENGINE_LTTB, kind, KIND_INT4, count);

	if (positions != NULL)
		request.inputs = 2;
	request.kinds[1] = KIND_INT4;
	PARAMETERS(&request, LttbParameters)->chosen = n;
	choose(kind, in, positions, count, n, chosen);
	expect_results(&request, INPUTS(in, positions), &(Expected) {n, chosen},
				   positions != NULL ? "positions" : "places", data);
	free(chosen);
}

/* From one bucket to one for nearly each point, unless the engine refuses. */
static void
try_numbers(ElementKind kind, const void *in, const int32_t *positions,
			int64_t count, int data)
{
	const int64_t numbers[] = {
		3, 4, 11, 1000, LTTB_MOST_BUCKETS + 2, LTTB_MOST_BUCKETS + 3,
		count / 200, count / 30, count - 1
	};

	for (int i = 0; i < LENGTH(numbers); i++)
	{
		if (numbers[i] >= 3 && numbers[i] < count &&
			(count <= MANY || (i + data + kind) % 4 == 0))
			try_lttb(kind, in, positions, count, data, numbers[i]);
	}
}

static void
test_lttb(int64_t count, int data)
{
	int32_t    *positions = malloc(count * sizeof(int32_t));

	make_positions(positions, count);
	for (int i = 0; i < NUMBER_KINDS; i++)
	{
		ElementKind kind = number_kinds[i];
		void	   *in = malloc(count * kind_size(kind));

		make_data(kind, data, in, count);
		try_numbers(kind, in, NULL, count, data);
		try_numbers(kind, in, positions, count, data);
		free(in);
	}
	free(positions);
}

TEST_FAMILY(lttb)

/* A request does not choose all points. */
CONCURRENT_REQUEST(LTTB)
{
	if (request->count < 4)
		request->count = 4;
	PARAMETERS(request, LttbParameters)->chosen = 3 + request->count / 1000;
}
