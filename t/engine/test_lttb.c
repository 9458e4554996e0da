/*
 * test_lttb.c
 *	  Largest triangle, three buckets.
 */
#include "contract/operations/lttb.h"
#include "float_reference.h"

/* The points of an array. */
typedef struct Points
{
	ElementKind kind;
	const void *y;
	ElementKind x_kind;
	const void *x;				/* or NULL if it is their place */
} Points;

static Point
point_at(const Points *points, int64_t i)
{
	return (Point) {
		points->x != NULL ? number_at(points->x_kind, points->x, i) : i + 1.0,
		number_at(points->kind, points->y, i)
	};
}

/* The average of the points from "from" to "to", added from left to right. */
static Point
average_of(const Points *points, int64_t from, int64_t to)
{
	Point		sum = point_at(points, from);

	for (int64_t i = from + 1; i < to; i++)
	{
		Point		point = point_at(points, i);

		sum.x += point.x;
		sum.y += point.y;
	}
	return (Point) {sum.x / (to - from), sum.y / (to - from)};
}

static void
choose(const Points *points, int64_t count, int64_t n, int32_t *chosen)
{
	int64_t		buckets = n - 2;

	*chosen++ = 1;
	for (int64_t bucket = 0; bucket < buckets; bucket++, chosen++)
	{
		int64_t		from = 1 + bucket * (count - 2) / buckets;
		int64_t		to = 1 + (bucket + 1) * (count - 2) / buckets;
		int64_t		behind = bucket + 1 == buckets ? count :
			1 + (bucket + 2) * (count - 2) / buckets;
		Point		a = point_at(points, chosen[-1] - 1);
		Point		c = average_of(points, to, behind);
		double		largest = -1;

		for (int64_t i = from; i < to; i++)
		{
			Point		b = point_at(points, i);
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

/*
 * Any x, in order: some equal, some far from each other, and most of them no
 * whole numbers.  One in eight series begins or ends with no number.
 */
static void
make_x(double *x, int64_t count)
{
	double		last = -1e6 * (random_bits() % 3);

	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	bits = random_bits();

		last += bits % 4 == 0 ? 0 : bits % 1021 == 0 ? 1e9 :
			(bits >> 32) / 3e6;
		x[i] = last;
	}
	if (random_bits() % 8 == 0)
		x[0] = -INFINITY;
	if (random_bits() % 8 == 0)
		x[count - 1] = random_bits() % 2 == 0 ? INFINITY : NAN;
}

static void
try_lttb(const Points *points, int64_t count, int data, int64_t n)
{
	OWNED int32_t *chosen = malloc(n * sizeof(int32_t));
	EngineRequest request = make_request(ENGINE_LTTB, points->kind, KIND_INT4,
										 count);

	if (points->x != NULL)
		request.inputs = 2;
	request.kinds[1] = points->x_kind;
	PARAMETERS(&request, LttbParameters)->chosen = n;
	choose(points, count, n, chosen);
	expect_results(&request, INPUTS(points->y, points->x),
				   &(Expected) {n, chosen}, points->x == NULL ? "places" :
				   points->x_kind == KIND_INT4 ? "positions" : "x", data);
}

/*
 * From one bucket to nearly one for each point, as far as the engine supports
 * them.
 */
static void
try_numbers(const Points *points, int64_t count, int data)
{
	const int64_t numbers[] = {
		3, 4, 11, 1000, LTTB_MOST_BUCKETS + 2, LTTB_MOST_BUCKETS + 3,
		count / 200, count / 30, count - 1
	};

	for (int i = 0; i < LENGTH(numbers); i++)
	{
		if (numbers[i] >= 3 && numbers[i] < count &&
			(count <= MANY || (i + data + points->kind) % 4 == 0))
			try_lttb(points, count, data, numbers[i]);
	}
}

static void
test_lttb(ElementKind kind, void *in, int64_t count, int data)
{
	OWNED int32_t *positions = malloc(count * sizeof(int32_t));
	OWNED double *x = malloc(count * sizeof(double));

	make_positions(positions, count);
	make_x(x, count);
	try_numbers(&(Points) {kind, in, KIND_INT4, NULL}, count, data);
	try_numbers(&(Points) {kind, in, KIND_INT4, positions}, count, data);
	try_numbers(&(Points) {kind, in, KIND_FLOAT8, x}, count, data);
}

TEST_NUMBERS(lttb)

/* A request does not choose all points. */
CONCURRENT_REQUEST(LTTB)
{
	if (request->count < 4)
		request->count = 4;
	PARAMETERS(request, LttbParameters)->chosen = 3 + request->count / 1000;
}
