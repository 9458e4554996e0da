/*
 * cpu_lttb.c
 *	  Largest triangle, three buckets, as lttb.h has it.
 *
 * The area of a triangle is monotonic in either coordinate of the point, also
 * as it is rounded.  So no point of a span of neighbours makes a larger
 * triangle than the corners of the rectangle around the span.  A span is
 * skipped if the triangles of its corners are smaller than one that was found.
 *
 * Each choice depends on the one before it, so the session's thread makes them
 * all.  It does so between two pieces, as soon as the points that a choice
 * needs have arrived; if buckets are short, they are still in the cache.
 * Helpers copy the pieces, and find the ranges of their spans.
 */
#include <stdlib.h>

#include "cpu/cpu_engine.h"
#include "cpu/cpu_triangles.h"
#include "loops/numbers.h"

/* Points that one step of the engine's goes through, in a few milliseconds. */
#define STEP_POINTS		(1024 * 1024)

/* Integers that are summed at once. */
#define EXACT_BLOCK		4096

/* Buckets of fewer spans are searched from end to end. */
#define FEWEST_SPANS	4

/* Two corners of all triangles, and the third one of the largest. */
typedef struct Search
{
	Point		a;
	Point		c;
	int64_t		area;			/* as lttb_area_order() has it */
	int64_t		at;
} Search;

typedef struct CpuLttb
{
	ElementKind kind;
	int			size;
	int64_t		count;			/* points */
	int64_t		read;			/* those that are there, and all before them */
	int64_t		buckets;		/* of all points but the first and the last */
	const char *values;
	ElementKind x_kind;			/* KIND_INT4: positions */
	int			x_size;
	const char *x;				/* or NULL if it is the place */
	double	   *least;			/* of each span, or NULL if buckets are short */
	double	   *greatest;

	/* The averages that a few buckets need, those of the buckets behind. */
	int64_t		firsts[TRIANGLE_SUMS + 2];	/* of these buckets */
	int64_t		summed;			/* points of each; -1: not begun */
	int64_t		exact_sums[TRIANGLE_SUMS];
	double		sums[TRIANGLE_SUMS];
	double		x_sums[TRIANGLE_SUMS];	/* unless positions are summed */
	bool		averaged;
	Point		averages[TRIANGLE_SUMS];

	int64_t		bucket;			/* the one that is searched */
	int64_t		next;			/* its next point */
	Search		search;
	int32_t    *chosen;
} CpuLttb;

/* Gets the x, and the y, of "count" points, those after the first "from". */
static void
get_x(const CpuLttb *lttb, int64_t from, int count, double *x)
{
	if (lttb->x != NULL)
		convert_numbers(lttb->x_kind, lttb->x + from * lttb->x_size, count, x);
	else
		count_numbers(from + 1, count, x);
}

static void
get_y(const CpuLttb *lttb, int64_t from, int count, double *y)
{
	convert_numbers(lttb->kind, lttb->values + from * lttb->size, count, y);
}

static void
get_points(const CpuLttb *lttb, int64_t from, int count, double *x, double *y)
{
	get_x(lttb, from, count, x);
	get_y(lttb, from, count, y);
}

static Point
get_point(const CpuLttb *lttb, int64_t at)
{
	Point		point;

	get_points(lttb, at, 1, &point.x, &point.y);
	return point;
}

/* The place of the bucket among those whose averages are found together. */
static int
turn_of(const CpuLttb *lttb)
{
	return (int) (lttb->bucket % TRIANGLE_SUMS);
}

/* Points of the bucket behind the bucket of a turn. */
static int64_t
points_behind(const CpuLttb *lttb, int turn)
{
	return lttb->firsts[turn + 2] - lttb->firsts[turn + 1];
}

static int64_t
most_points_behind(const CpuLttb *lttb)
{
	int64_t		most = 0;

	for (int i = 0; i < TRIANGLE_SUMS; i++)
		most = points_behind(lttb, i) > most ? points_behind(lttb, i) : most;
	return most;
}

/* Returns whether sums of x depend on the order of additions. */
static bool
is_x_rounded(const CpuLttb *lttb)
{
	return lttb->x != NULL && lttb->x_kind == KIND_FLOAT8;
}

/* Returns whether no sums do. */
static bool
is_exact(const CpuLttb *lttb, int64_t most)
{
	return most <= LTTB_MOST_EXACT && !is_x_rounded(lttb) &&
		(lttb->kind == KIND_INT2 || lttb->kind == KIND_INT4);
}

/* Adds the next "some" values of the bucket behind the bucket of a turn. */
static void
sum_exactly(CpuLttb *lttb, int turn, int64_t some)
{
	int64_t		from = lttb->firsts[turn + 1] + lttb->summed;

	lttb->exact_sums[turn] +=
		sum_integers(lttb->kind, lttb->values + from * lttb->size, some);
}

/* The next points of the bucket behind the bucket of a turn, up to a block. */
static int64_t
next_behind(const CpuLttb *lttb, int turn, int64_t block)
{
	int64_t		left = points_behind(lttb, turn) - lttb->summed;

	return left < 0 ? 0 : left < block ? left : block;
}

/*
 * Adds the next x, or y, of each bucket behind, a block of the longest one.
 * Where a bucket has fewer, it goes on with -0, which changes no sum.
 */
static void
sum_in_order(CpuLttb *lttb, int block, double sums[TRIANGLE_SUMS],
			 void (*get) (const CpuLttb *, int64_t, int, double *))
{
	double		numbers[TRIANGLE_SUMS][TRIANGLE_BLOCK];

	for (int turn = 0; turn < TRIANGLE_SUMS; turn++)
	{
		int			some = (int) next_behind(lttb, turn, block);

		get(lttb, lttb->firsts[turn + 1] + lttb->summed, some, numbers[turn]);
		for (int at = some; at < block; at++)
			numbers[turn][at] = -0.0;
	}
	add_numbers(sums, numbers, block);
}

/* Adds the next points of each bucket behind.  Returns how many. */
static int64_t
sum_some(CpuLttb *lttb, int64_t most)
{
	bool		exact = is_exact(lttb, most);
	int64_t		block = exact ? EXACT_BLOCK : TRIANGLE_BLOCK;
	int64_t		points = 0;

	if (block > most - lttb->summed)
		block = most - lttb->summed;
	for (int turn = 0; turn < TRIANGLE_SUMS; turn++)
	{
		int64_t		some = next_behind(lttb, turn, block);

		if (exact)
			sum_exactly(lttb, turn, some);
		points += some;
	}
	if (!exact)
		sum_in_order(lttb, (int) block, lttb->sums, get_y);
	if (is_x_rounded(lttb))
		sum_in_order(lttb, (int) block, lttb->x_sums, get_x);
	lttb->summed += block;
	return points;
}

/*
 * The sum of the positions of "count" points, those after the first "from"
 * points.  It is less than 2^53, as an array has less than 2^27 elements, so
 * that as a float8 it is exact in every order.
 */
static int64_t
sum_positions(const CpuLttb *lttb, int64_t from, int64_t count)
{
	if (lttb->x == NULL)
		return count * (2 * from + count + 1) / 2;
	return sum_integers(KIND_INT4, lttb->x + from * lttb->x_size, count);
}

/* Divides the sums.  There may be no bucket behind the last ones. */
static void
find_averages(CpuLttb *lttb, bool exact)
{
	for (int turn = 0; turn < TRIANGLE_SUMS; turn++)
	{
		int64_t		count = points_behind(lttb, turn);
		double		sum_x = is_x_rounded(lttb) ? lttb->x_sums[turn] :
			sum_positions(lttb, lttb->firsts[turn + 1], count);
		double		sum_y = exact ? (double) lttb->exact_sums[turn] :
			lttb->sums[turn];

		lttb->averages[turn] = (Point)
		{
			sum_x / count, sum_y / count
		};
	}
	lttb->averaged = true;
}

/*
 * Sums some of the buckets behind the next ones, if all of them have been
 * pushed.  Returns how many points it has gone through.
 */
static int64_t
average_some(CpuLttb *lttb)
{
	int64_t		most;
	int64_t		points;

	if (lttb->summed < 0)
	{
		for (int i = 0; i < TRIANGLE_SUMS + 2; i++)
			lttb->firsts[i] = lttb_first(lttb->count, lttb->buckets,
										 lttb->bucket + i);
		if (lttb->firsts[TRIANGLE_SUMS + 1] >
			__atomic_load_n(&lttb->read, __ATOMIC_ACQUIRE))
			return 0;
		lttb->summed = 0;
		for (int i = 0; i < TRIANGLE_SUMS; i++)
		{
			lttb->exact_sums[i] = 0;
			lttb->sums[i] = lttb->x_sums[i] = -0.0;
		}
	}
	most = most_points_behind(lttb);
	points = sum_some(lttb, most);
	if (lttb->summed == most)
		find_averages(lttb, is_exact(lttb, most));
	return points;
}

/* Searches at most TRIANGLE_BLOCK points. */
static void
search_points(CpuLttb *lttb, int64_t from, int64_t to)
{
	double		x[TRIANGLE_BLOCK];
	double		y[TRIANGLE_BLOCK];
	int64_t		areas[TRIANGLE_BLOCK];
	Search	   *search = &lttb->search;
	int			count = (int) (to - from);
	int64_t		area;

	get_points(lttb, from, count, x, y);
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
search_spans(CpuLttb *lttb, int64_t first, int64_t from, int64_t to)
{
	double		x[TRIANGLE_BLOCK + 1];
	int64_t		bounds[TRIANGLE_BLOCK];
	const Search *search = &lttb->search;
	int			spans = (int) ((to - 1) / TRIANGLE_SPAN + 1 - first);
	int			best;

	get_x(lttb, first * TRIANGLE_SPAN, 1, x);
	for (int i = 1; i <= spans; i++)
	{
		int64_t		at = (first + i) * TRIANGLE_SPAN;

		get_x(lttb, at < lttb->count ? at : lttb->count - 1, 1, &x[i]);
	}
	best = bound_triangles(search->a, search->c, x, lttb->least + first,
						   lttb->greatest + first, spans, bounds);
	for (int i = -1; i < spans; i++)
	{
		int			span = i < 0 ? best : i;
		int64_t		begin = (first + span) * TRIANGLE_SPAN;
		int64_t		end = begin + TRIANGLE_SPAN;

		if (i != best && (bounds[span] > search->area ||
						  (bounds[span] == search->area && begin < search->at)))
			search_points(lttb, begin > from ? begin : from,
						  end < to ? end : to);
	}
}

/* Searches some points of the bucket.  Returns how many. */
static int64_t
search_some(CpuLttb *lttb)
{
	int			turn = turn_of(lttb);
	int64_t		to = lttb->firsts[turn + 1];
	int64_t		from = lttb->next;
	int64_t		first = from / TRIANGLE_SPAN;
	int64_t		end = lttb->least != NULL ?
		(first + TRIANGLE_BLOCK) * TRIANGLE_SPAN : from + TRIANGLE_BLOCK;

	if (from == lttb->firsts[turn])
		lttb->search = (Search)
		{
			get_point(lttb, lttb->search.at), lttb->averages[turn], -1, from
		};
	lttb->next = end < to ? end : to;
	if (lttb->least != NULL)
		search_spans(lttb, first, from, lttb->next);
	else
		search_points(lttb, from, lttb->next);
	if (lttb->next == to)
	{
		*lttb->chosen++ = (int32_t) lttb->search.at + 1;
		lttb->bucket++;
		lttb->averaged = turn + 1 < TRIANGLE_SUMS;
		if (!lttb->averaged)
			lttb->summed = -1;
	}
	return lttb->next - from;
}

/* Goes through about "most" points, or through those that are there. */
static void
choose_some(CpuLttb *lttb, int64_t most)
{
	while (most > 0 && lttb->bucket < lttb->buckets)
	{
		int64_t		points = lttb->averaged ? search_some(lttb) :
			average_some(lttb);

		if (points == 0)
			return;
		most -= points;
	}
}

static void
free_lttb(CpuJob *job)
{
	CpuLttb    *lttb = job->state;

	cpu_gather_end(job);
	free(lttb->least);
	free(lttb);
	job->state = NULL;
}

static void
lttb_end(CpuJob *job)
{
	cpu_drop_pieces(job);
	free_lttb(job);
}

static bool
lttb_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	CpuLttb    *lttb = calloc(1, sizeof(CpuLttb));
	int64_t		spans = (request->count - 1) / TRIANGLE_SPAN + 1;
	bool		by_spans;

	if (lttb == NULL)
		return false;
	job->state = lttb;
	lttb->kind = request->kinds[0];
	lttb->size = input_size(request, 0);
	lttb->count = request->count;
	lttb->buckets = lttb_buckets(request);
	lttb->summed = -1;
	lttb->next = 1;
	lttb->chosen = request->outputs[0].memory;
	*lttb->chosen++ = 1;
	by_spans = lttb->count / lttb->buckets >= FEWEST_SPANS * TRIANGLE_SPAN;
	if (request->inputs > 1)
	{
		lttb->x_kind = request->kinds[1];
		lttb->x_size = input_size(request, 1);
	}
	if (by_spans)
		lttb->least = malloc(2 * spans * sizeof(double));
	if (!cpu_gather_begin(job) || (by_spans && lttb->least == NULL))
	{
		free_lttb(job);
		return false;
	}
	if (by_spans)
		lttb->greatest = lttb->least + spans;
	return true;
}

/* The task of a piece, which then is there as soon as those before it are. */
static void
read_piece(CpuJob *job, CpuPiece *piece)
{
	CpuLttb    *lttb = job->state;
	int64_t		span = piece->first / TRIANGLE_SPAN;

	if (lttb->least != NULL)
		find_ranges(lttb->kind, piece->data[0], (int) piece->count,
					lttb->least + span, lttb->greatest + span);
	(void) cpu_chain_wait(job, piece);
	__atomic_store_n(&lttb->read, piece->first + piece->count,
					 __ATOMIC_RELEASE);
	cpu_chain_pass(job);
}

static void
lttb_push(CpuJob *job, const void *const data[ENGINE_INPUTS], int64_t count)
{
	CpuLttb    *lttb = job->state;

	cpu_pieces_push(job, data, count);
	lttb->values = job->gathered[0].elements;
	lttb->x = job->request->inputs > 1 ? job->gathered[1].elements : NULL;
	choose_some(lttb, 2 * count);
}

static EngineStatus
lttb_finish(CpuJob *job, EngineResult *result)
{
	CpuLttb    *lttb = job->state;

	choose_some(lttb, STEP_POINTS);
	if (cpu_pieces_finish(job, result) == ENGINE_MORE ||
		lttb->bucket < lttb->buckets)
		return ENGINE_MORE;
	*lttb->chosen = (int32_t) lttb->count;
	result->count = lttb->buckets + 2;
	return ENGINE_OK;
}

const CpuOperation cpu_lttb = {
	.begin = lttb_begin,
	.buffer = cpu_gather_buffer,
	.push = lttb_push,
	.finish = lttb_finish,
	.end = lttb_end,
	.piece = read_piece,
	.piece_pushed = cpu_gather_pushed
};
