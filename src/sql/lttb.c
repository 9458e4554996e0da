/*
 * lttb.c
 *	  Largest triangle, three buckets: the elements of a chart (Steinarsson,
 *	  "Downsampling time series for visual representation", 2013).
 *
 * Of each bucket, the point is chosen that makes the largest triangle with the
 * point chosen from the bucket before, and the average of the bucket behind.
 *
 * The area of a triangle is monotonic in either coordinate of the point, also
 * as it is rounded.  So no point of a span of neighbours makes a larger one
 * than the corners of the rectangle around the span.  Spans whose corners make
 * smaller triangles than a point that was found are not searched.
 */
#include "compat.h"

#include "miscadmin.h"

#include "array/large_value.h"
#include "call/call.h"
#include "loops/numbers.h"
#include "loops/triangle.h"
#include "sql/lttb.h"

/* Places between two checks for interrupts, a multiple of TRIANGLE_SPAN. */
#define STEP			16384

/* Buckets of fewer spans are searched from end to end. */
#define FEWEST_SPANS	4

/* The sum of as many integers of 4 bytes is less than 2^53. */
#define MOST_EXACT		(1 << 22)

/* The points of a line chart, which are read when they are needed. */
typedef struct Points
{
	ArrayReader *reader;
	ElementType type;
	char	   *copy;			/* NULL if the reader has all in memory */
	const char *values;
	int64		read;
	int32	   *positions;		/* of the values, or NULL if those are places */
	int64		count;
	int64		buckets;		/* of all points but the first and the last */
	double	   *least;			/* of each span, or NULL if buckets are short */
	double	   *greatest;
} Points;

/* Two corners of all triangles, and the third one of the largest. */
typedef struct Search
{
	Point		a;
	Point		c;
	int64		area;			/* as triangle_areas() has it */
	int64		at;
} Search;

/* The positions of all values, in memory to be freed. */
static int32 *
list_positions(ArrayReader *reader)
{
	int32	   *positions =
		large_value_allocate(reader->count * sizeof(int32));

	for (int64 done = 0, block; done < reader->count; done += block)
	{
		CHECK_FOR_INTERRUPTS();
		block = Min(STEP, reader->count - done);
		(void) array_reader_positions(reader, positions + done, block);
	}
	return positions;
}

/*
 * Reads the points up to "to", and finds the least and the greatest value of
 * each span.  What is read a few buckets at a time is in the cache until it is
 * searched.
 */
static void
read_points(Points *points, int64 to)
{
	int			size = points->type.size;

	while (points->read < to)
	{
		int64		from = points->read;
		int			count = (int) Min(STEP, points->count - from);

		CHECK_FOR_INTERRUPTS();
		if (points->copy != NULL)
			array_reader_copy(points->reader, points->copy + from * size,
							  count);
		if (points->least != NULL)
			find_ranges(points->type.kind, points->values + from * size, count,
						points->least + from / TRIANGLE_SPAN,
						points->greatest + from / TRIANGLE_SPAN);
		points->read += count;
	}
}

static int32
position_at(const Points *points, int64 at)
{
	return points->positions != NULL ? points->positions[at] : (int32) at + 1;
}

/* Gets "count" points, those after the first "from" points. */
static void
get_points(const Points *points, int64 from, int count, double *x, double *y)
{
	if (points->positions != NULL)
		convert_numbers(KIND_INT4, points->positions + from, count, x);
	else
		count_numbers(from + 1, count, x);
	convert_numbers(points->type.kind,
					points->values + from * points->type.size, count, y);
}

static Point
get_point(const Points *points, int64 at)
{
	Point		point;

	get_points(points, at, 1, &point.x, &point.y);
	return point;
}

/*
 * The first point of a bucket, or of the one behind the last bucket, which is
 * the last point alone.
 */
static int64
bucket_first(const Points *points, int64 bucket)
{
	if (bucket > points->buckets)	/* there may be more beyond */
		return points->count;
	return 1 + bucket * (points->count - 2) / points->buckets;
}

/*
 * The sum of the positions of "count" points, those after the first "from"
 * points.  It is less than 2^53, as an array has less than 2^27 elements, so
 * that as a float8 it is exact in every order.
 */
static int64
sum_positions(const Points *points, int64 from, int64 count)
{
	if (points->positions == NULL)
		return count * (2 * from + count + 1) / 2;
	return sum_integers(KIND_INT4, points->positions + from, count);
}

/*
 * Sums the values of TRIANGLE_SUMS buckets, which begin at "firsts", from left
 * to right.  Shorter buckets go on with -0, which changes no sum.
 */
static void
sum_in_order(const Points *points, const int64 firsts[TRIANGLE_SUMS + 1],
			 int64 most, double sums[TRIANGLE_SUMS])
{
	double		y[TRIANGLE_SUMS][TRIANGLE_BLOCK];

	for (int i = 0; i < TRIANGLE_SUMS; i++)
		sums[i] = -0.0;
	for (int64 done = 0; done < most; done += TRIANGLE_BLOCK)
	{
		int			count = (int) Min(TRIANGLE_BLOCK, most - done);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < TRIANGLE_SUMS; i++)
		{
			int64		left = firsts[i + 1] - firsts[i] - done;
			int			some = (int) Max(0, Min(count, left));

			convert_numbers(points->type.kind, points->values +
							(firsts[i] + done) * points->type.size, some, y[i]);
			for (int at = some; at < count; at++)
				y[i][at] = -0.0;
		}
		add_numbers(sums, y, count);
	}
}

/*
 * The averages of TRIANGLE_SUMS buckets, which begin at "firsts".  A bucket may
 * have no points.
 */
static void
average_points(const Points *points, const int64 firsts[TRIANGLE_SUMS + 1],
			   Point averages[TRIANGLE_SUMS])
{
	ElementKind kind = points->type.kind;
	double		sums[TRIANGLE_SUMS];
	int64		most = 0;

	for (int i = 0; i < TRIANGLE_SUMS; i++)
		most = Max(most, firsts[i + 1] - firsts[i]);
	if (most <= MOST_EXACT && (kind == KIND_INT2 || kind == KIND_INT4))
	{
		for (int i = 0; i < TRIANGLE_SUMS; i++)
			sums[i] = (double)
				sum_integers(kind,
							 points->values + firsts[i] * points->type.size,
							 firsts[i + 1] - firsts[i]);
	}
	else
		sum_in_order(points, firsts, most, sums);
	for (int i = 0; i < TRIANGLE_SUMS; i++)
	{
		int64		count = firsts[i + 1] - firsts[i];
		double		sum_x = sum_positions(points, firsts[i], count);

		averages[i] = (Point)
		{
			sum_x / count, sums[i] / count
		};
	}
}

/*
 * Searches at most TRIANGLE_BLOCK points.  NaN is greater than all areas, and
 * of the largest triangles the first one is found.
 */
static void
search_points(const Points *points, int64 from, int64 to, Search *search)
{
	double		x[TRIANGLE_BLOCK];
	double		y[TRIANGLE_BLOCK];
	int64		areas[TRIANGLE_BLOCK];
	int			count = (int) (to - from);
	int64		area;

	get_points(points, from, count, x, y);
	area = triangle_areas(search->a, search->c, x, y, count, areas);
	if (area > search->area || (area == search->area && from < search->at))
	{
		search->area = area;
		for (search->at = from; areas[search->at - from] != area;)
			search->at++;
	}
}

/*
 * Searches the points that are in at most TRIANGLE_BLOCK spans from "first" on:
 * first the span that most likely has the largest triangle.
 */
static void
search_spans(const Points *points, int64 first, int64 from, int64 to,
			 Search *search)
{
	double		x[TRIANGLE_BLOCK + 1];
	int64		bounds[TRIANGLE_BLOCK];
	int			spans = (int) ((to - 1) / TRIANGLE_SPAN + 1 - first);
	int			best;

	x[0] = position_at(points, first * TRIANGLE_SPAN);
	for (int i = 1; i <= spans; i++)
		x[i] = position_at(points, Min((first + i) * TRIANGLE_SPAN,
									   points->count - 1));
	best = bound_triangles(search->a, search->c, x, points->least + first,
						   points->greatest + first, spans, bounds);
	for (int i = -1; i < spans; i++)
	{
		int			span = i < 0 ? best : i;
		int64		begin = (first + span) * TRIANGLE_SPAN;

		if (i != best && (bounds[span] > search->area ||
						  (bounds[span] == search->area && begin < search->at)))
			search_points(points, Max(begin, from),
						  Min(begin + TRIANGLE_SPAN, to), search);
	}
}

/* The first point of a bucket that makes the largest triangle with a and c. */
static int64
largest_triangle(const Points *points, int64 from, int64 to, Point a, Point c)
{
	Search		search = {a, c, -1, from};

	for (int64 at = from, end; at < to; at = end)
	{
		int64		first = at / TRIANGLE_SPAN;

		CHECK_FOR_INTERRUPTS();
		if (points->least != NULL)
		{
			end = Min(to, (first + TRIANGLE_BLOCK) * TRIANGLE_SPAN);
			search_spans(points, first, at, end, &search);
		}
		else
		{
			end = Min(to, at + TRIANGLE_BLOCK);
			search_points(points, at, end, &search);
		}
	}
	return search.at;
}

/* The most places that are chosen. */
int64
lttb_most(int64 n)
{
	return n;
}

/* Chooses n places of more values. */
void
lttb_choose(ArrayReader *reader, int64 n, Chosen *chosen)
{
	Points		points = {
		.reader = reader, .type = reader->type, .count = reader->count,
		.buckets = n - 2
	};
	int64		firsts[TRIANGLE_SUMS + 2];
	Point		averages[TRIANGLE_SUMS];
	int64		at = 0;

	call_on_cpu(reader);
	if (reader->nulls != NULL)
		points.positions = list_positions(reader);
	if (reader->in_memory)
		points.values = array_reader_next(reader, NULL, points.count);
	else
		points.values = points.copy =
			large_value_allocate(points.count * points.type.size);
	if (points.count / points.buckets >= FEWEST_SPANS * TRIANGLE_SPAN)
	{
		int64		spans = (points.count - 1) / TRIANGLE_SPAN + 1;

		points.least = large_value_allocate(2 * spans * sizeof(double));
		points.greatest = points.least + spans;
	}

	choose_place(chosen, 1);
	for (int64 bucket = 0; bucket < points.buckets; bucket++)
	{
		int			turn = bucket % TRIANGLE_SUMS;

		if (turn == 0)
		{
			for (int i = 0; i < lengthof(firsts); i++)
				firsts[i] = bucket_first(&points, bucket + i);
			read_points(&points, firsts[TRIANGLE_SUMS + 1]);
			average_points(&points, &firsts[1], averages);
		}
		at = largest_triangle(&points, firsts[turn], firsts[turn + 1],
							  get_point(&points, at), averages[turn]);
		choose_place(chosen, at + 1);
	}
	choose_place(chosen, reader->count);
	if (points.least != NULL)
		pfree(points.least);
	if (points.positions != NULL)
		pfree(points.positions);
	if (points.copy != NULL)
		pfree(points.copy);
}
