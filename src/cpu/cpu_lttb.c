/*
 * cpu_lttb.c
 *	  Largest triangle, three buckets, as lttb.h has it.
 *
 * Each choice depends on the one before it, so the session's thread makes them
 * all.  It does so between two pieces, as soon as the points that a choice
 * needs have arrived; if buckets are short, they are still in the cache.
 * Helpers copy the pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/operations/lttb.h"
#include "cpu/cpu_engine.h"
#include "loops/numbers.h"

/* Points that one step of the engine's goes through, in a few milliseconds. */
#define STEP_POINTS		(1024 * 1024)

/* Points that are looked at together, and sums that are added to in turn. */
#define LTTB_BLOCK		256
#define LTTB_SUMS		8

/* Some points: in the room, unless they are float8 in memory. */
typedef struct PointBlock
{
	int			count;
	const double *x;
	const double *y;
	double		x_room[LTTB_BLOCK];
	double		y_room[LTTB_BLOCK];
} PointBlock;

/* Two corners of all triangles, and where the third one of the largest is. */
typedef struct Search
{
	Point		a;
	Point		c;
	int64_t		area;			/* as lttb_area_order() has it */
	int64_t		from;			/* its block */
	int64_t		to;
} Search;

typedef enum Axis
{
	AXIS_X,
	AXIS_Y,
	AXES
} Axis;

/* The numbers of an axis. */
typedef struct Series
{
	ElementKind kind;			/* of x: float8, or int4: positions */
	const char *elements;		/* NULL: the places */
} Series;

typedef struct CpuLttb
{
	Series		series[AXES];
	int64_t		count;			/* points */
	int64_t		read;			/* those that are there, and all before them */
	int64_t		buckets;		/* of all points but the first and the last */

	/* The averages that a few buckets need, those of the buckets behind. */
	int64_t		firsts[LTTB_SUMS + 2];	/* of these buckets */
	int64_t		most;			/* points in one of these */
	int64_t		summed;			/* points of each; -1: not begun */
	bool		exact[AXES];	/* the order of additions changes no sum */
	double		sums[AXES][LTTB_SUMS];	/* unless they are exact */
	bool		averaged;
	Point		averages[LTTB_SUMS];

	int64_t		bucket;			/* the one that is searched */
	int64_t		next;			/* its next point */
	int64_t		last;			/* the point chosen from the bucket before */
	Search		search;
	int32_t    *chosen;
} CpuLttb;

/* Numbers from "first" on. */
CPU_CLONES static void
count_numbers(int64_t first, int count, double *restrict numbers)
{
	double		base = (double) first;

	for (int i = 0; i < count; i++)
		numbers[i] = base + i;
}

#define SUM(type) \
	do { \
		for (int64_t i = 0; i < count; i++) \
			sum += ((const type *) numbers)[i]; \
	} while (0)

/* The sum of fewer than 2^31 integers of 2 or of 4 bytes. */
CPU_CLONES static int64_t
sum_integers(ElementKind kind, const void *numbers, int64_t count)
{
	int64_t		sum = 0;

	if (kind == KIND_INT2)
		SUM(int16_t);
	else
		SUM(int32_t);
	return sum;
}

/*
 * Adds numbers to sums, each from left to right: the next number to each of
 * LTTB_SUMS sums in turn, as no sum can be added to again at once.
 */
static void
add_numbers(double sums[LTTB_SUMS],
			const double numbers[LTTB_SUMS][LTTB_BLOCK], int count)
{
	double		totals[LTTB_SUMS];

	memcpy(totals, sums, sizeof(totals));
	for (int i = 0; i < count; i++)
	{
		for (int sum = 0; sum < LTTB_SUMS; sum++)
			totals[sum] += numbers[sum][i];
	}
	memcpy(sums, totals, sizeof(totals));
}

/*
 * Twice the area of the largest triangle that a point makes with two others, as
 * lttb_area_order() has it.
 */
CPU_CLONES static int64_t
largest_area(const Search *search, const PointBlock *block)
{
	const double *x = block->x;
	const double *y = block->y;
	Point		a = search->a;
	Point		c = search->c;
	int64_t		largest = 0;

	for (int i = 0; i < block->count; i++)
	{
		int64_t		area = lttb_area(a, (Point) {x[i], y[i]}, c);

		largest = area > largest ? area : largest;
	}
	return largest;
}

/* The first point that makes a triangle of the largest area. */
CPU_CLONES static int64_t
find_largest(const Search *search, const PointBlock *block)
{
	const double *x = block->x;
	const double *y = block->y;
	Point		a = search->a;
	Point		c = search->c;
	int64_t		largest = search->area;
	int64_t		count = block->count;
	int64_t		first = count;

	for (int64_t i = 0; i < count; i++)
	{
		int64_t		area = lttb_area(a, (Point) {x[i], y[i]}, c);
		int64_t		at = area == largest ? i : count;

		first = at < first ? at : first;
	}
	return first;
}

/*
 * The numbers of "count" points, those after the first "from": in "room",
 * unless they are float8 in memory.
 */
static inline const double *
get_numbers(const CpuLttb *lttb, Axis axis, int64_t from, int count,
			double *room)
{
	ElementKind kind = lttb->series[axis].kind;
	const char *elements = lttb->series[axis].elements;

	if (elements == NULL)
		count_numbers(from + 1, count, room);
	else if (kind == KIND_FLOAT8)
		return (const double *) elements + from;
	else
		convert_numbers(kind, elements + from * kind_size(kind), count, room);
	return room;
}

static Point
get_point(const CpuLttb *lttb, int64_t at)
{
	double		x;
	double		y;

	return (Point) {
		*get_numbers(lttb, AXIS_X, at, 1, &x),
			*get_numbers(lttb, AXIS_Y, at, 1, &y)
	};
}

/* The place of the bucket among those whose averages are found together. */
static int
turn_of(const CpuLttb *lttb)
{
	return (int) (lttb->bucket % LTTB_SUMS);
}

/* Points of the bucket behind the bucket of a turn. */
static int64_t
points_behind(const CpuLttb *lttb, int turn)
{
	return lttb->firsts[turn + 2] - lttb->firsts[turn + 1];
}

/*
 * Returns whether the sums of an axis are the same in every order of additions.
 * Those of positions are less than 2^53, as an array has less than 2^27
 * elements.
 */
static bool
is_exact(const CpuLttb *lttb, Axis axis)
{
	const Series *series = &lttb->series[axis];

	return series->elements == NULL ||
		((series->kind == KIND_INT2 || series->kind == KIND_INT4) &&
		 (axis == AXIS_X || lttb->most <= LTTB_MOST_EXACT));
}

/* The next points of the bucket behind the bucket of a turn, up to a block. */
static int64_t
next_behind(const CpuLttb *lttb, int turn, int64_t block)
{
	int64_t		left = points_behind(lttb, turn) - lttb->summed;

	return left < 0 ? 0 : cpu_min(left, block);
}

/*
 * Adds the next numbers of each bucket behind, a block of the longest one.
 * Where a bucket has fewer, it goes on with -0, which changes no sum.
 */
static void
sum_in_order(CpuLttb *lttb, Axis axis, int block)
{
	double		numbers[LTTB_SUMS][LTTB_BLOCK];

	for (int turn = 0; turn < LTTB_SUMS; turn++)
	{
		int			some = (int) next_behind(lttb, turn, block);
		const double *next =
			get_numbers(lttb, axis, lttb->firsts[turn + 1] + lttb->summed,
						some, numbers[turn]);

		if (next != numbers[turn])
			memcpy(numbers[turn], next, some * sizeof(double));
		for (int at = some; at < block; at++)
			numbers[turn][at] = -0.0;
	}
	add_numbers(lttb->sums[axis], numbers, block);
}

/* Adds the next points of each bucket behind.  Returns how many. */
static int64_t
sum_some(CpuLttb *lttb)
{
	int64_t		block = lttb->most - lttb->summed;
	int64_t		points = 0;

	if ((!lttb->exact[AXIS_X] || !lttb->exact[AXIS_Y]) && block > LTTB_BLOCK)
		block = LTTB_BLOCK;
	for (int turn = 0; turn < LTTB_SUMS; turn++)
		points += next_behind(lttb, turn, block);
	for (Axis axis = 0; axis < AXES; axis++)
	{
		if (!lttb->exact[axis])
			sum_in_order(lttb, axis, (int) block);
	}
	lttb->summed += block;
	return points;
}

/* The sum of the bucket behind the bucket of a turn. */
static double
sum_behind(const CpuLttb *lttb, Axis axis, int turn)
{
	const Series *series = &lttb->series[axis];
	int64_t		from = lttb->firsts[turn + 1];
	int64_t		count = points_behind(lttb, turn);

	if (!lttb->exact[axis])
		return lttb->sums[axis][turn];
	if (series->elements == NULL)
		return count * (2 * from + count + 1) / 2;
	return sum_integers(series->kind, series->elements +
						from * kind_size(series->kind), count);
}

/* Divides the sums.  There may be no bucket behind the last ones. */
static void
find_averages(CpuLttb *lttb)
{
	for (int turn = 0; turn < LTTB_SUMS; turn++)
	{
		int64_t		count = points_behind(lttb, turn);

		lttb->averages[turn] = (Point)
		{
			sum_behind(lttb, AXIS_X, turn) / count,
				sum_behind(lttb, AXIS_Y, turn) / count
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
	int64_t		points;

	if (lttb->summed < 0)
	{
		for (int i = 0; i < LTTB_SUMS + 2; i++)
			lttb->firsts[i] = lttb_first(lttb->count, lttb->buckets,
										 lttb->bucket + i);
		if (lttb->firsts[LTTB_SUMS + 1] >
			__atomic_load_n(&lttb->read, __ATOMIC_ACQUIRE))
			return 0;
		lttb->summed = lttb->most = 0;
		for (int i = 0; i < LTTB_SUMS; i++)
		{
			if (points_behind(lttb, i) > lttb->most)
				lttb->most = points_behind(lttb, i);
			lttb->sums[AXIS_X][i] = lttb->sums[AXIS_Y][i] = -0.0;
		}
		for (Axis axis = 0; axis < AXES; axis++)
			lttb->exact[axis] = is_exact(lttb, axis);
	}
	points = sum_some(lttb);
	if (lttb->summed == lttb->most)
		find_averages(lttb);
	return points;
}

static void
get_block(const CpuLttb *lttb, int64_t from, int64_t to, PointBlock *block)
{
	block->count = (int) (to - from);
	block->x = get_numbers(lttb, AXIS_X, from, block->count, block->x_room);
	block->y = get_numbers(lttb, AXIS_Y, from, block->count, block->y_room);
}

/* Searches some points of the bucket.  Returns how many. */
static int64_t
search_some(CpuLttb *lttb)
{
	Search	   *search = &lttb->search;
	int			turn = turn_of(lttb);
	int64_t		bucket_end = lttb->firsts[turn + 1];
	int64_t		from = lttb->next;
	int64_t		to = cpu_min(from + LTTB_BLOCK, bucket_end);
	PointBlock	block;
	int64_t		area;

	if (from == lttb->firsts[turn])
		*search = (Search)
		{
			get_point(lttb, lttb->last), lttb->averages[turn], -1
		};
	get_block(lttb, from, to, &block);
	area = largest_area(search, &block);
	if (area > search->area)
	{
		search->area = area;
		search->from = from;
		search->to = to;
	}
	lttb->next = to;
	if (to == bucket_end)
	{
		get_block(lttb, search->from, search->to, &block);
		lttb->last = search->from + find_largest(search, &block);
		*lttb->chosen++ = (int32_t) lttb->last + 1;
		lttb->bucket++;
		lttb->averaged = turn + 1 < LTTB_SUMS;
		if (!lttb->averaged)
			lttb->summed = -1;
	}
	return to - from;
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
lttb_end(CpuJob *job)
{
	cpu_drop_pieces(job);
	cpu_gather_end(job);
}

static bool
lttb_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	CpuLttb    *lttb = calloc(1, sizeof(CpuLttb));

	if (lttb == NULL)
		return false;
	job->state = lttb;
	lttb->series[AXIS_Y].kind = request->kinds[0];
	lttb->series[AXIS_X].kind = request->kinds[1];
	lttb->count = request->count;
	lttb->buckets = lttb_buckets(request);
	lttb->summed = -1;
	lttb->next = 1;
	lttb->chosen = request->outputs[0].memory;
	*lttb->chosen++ = 1;
	return cpu_gather_begin(job);
}

/* The task of a piece, which then is there as soon as those before it are. */
static void
read_piece(CpuJob *job, CpuPiece *piece)
{
	CpuLttb    *lttb = job->state;

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
	lttb->series[AXIS_Y].elements = job->gathered[0].elements;
	if (job->request->inputs > 1)
		lttb->series[AXIS_X].elements = job->gathered[1].elements;
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
