/*
 * test_window.c
 *	  Frames that slide over an array.
 *
 * The expected result of each frame is found without blocks: sums of integers
 * as differences of prefixes, averages of these bit by bit, minima and maxima
 * in a queue.  A sum of floats may differ from the exact one by what rounding
 * may have lost, but must be the same whatever the number of threads, and
 * exact if all sums are.  The order itself is tested by a plain implementation
 * of it.
 */
#include "contract/operations/window.h"
#include "float_reference.h"
#include "window_reference.h"

static bool
less(ElementKind kind, const void *elements, int64_t i, int64_t j)
{
	TestValue	a = test_value(kind, elements, i);
	TestValue	b = test_value(kind, elements, j);

	return a.integer < b.integer || is_less(a.real, b.real);
}

/* The last of the least elements, or of the greatest, of each frame. */
static void
find_extremes(const EngineRequest *request, const void *elements,
			  char *results)
{
	WindowFrames frames = window_frames(PARAMETERS(request, WindowParameters),
										request->count);
	ElementKind kind = request->kinds[0];
	bool		least = PARAMETERS(request, WindowParameters)->op == SCAN_MIN;
	int			size = kind_size(kind);
	OWNED int64_t *queue = malloc(request->count * sizeof(int64_t));
	int64_t		head = 0;
	int64_t		tail = 0;
	int64_t		next = 0;

	for (int64_t i = 0; i < request->count; i++)
	{
		for (; next <= window_last(&frames, i); next++)
		{
			while (tail > head &&
				   !(least ? less(kind, elements, queue[tail - 1], next) :
					 less(kind, elements, next, queue[tail - 1])))
				tail--;
			queue[tail++] = next;
		}
		while (queue[head] < window_first(&frames, i))
			head++;
		memcpy(results + i * size, (const char *) elements + queue[head] * size,
			   size);
	}
}

/* The nearest double to a quotient, the even one of two: by a long division. */
static double
divide(WideSum sum, int64_t divisor)
{
	unsigned __int128 magnitude = sum < 0 ? -sum : sum;
	unsigned __int128 quotient = magnitude / divisor;
	uint64_t	rest = (uint64_t) (magnitude % divisor);
	int			exponent = 0;
	bool		more;			/* bits behind the quotient */

	if (sum == 0)
		return 0;
	for (; quotient < (uint64_t) 1 << 54; exponent--)
	{
		rest *= 2;
		quotient = quotient * 2 + (rest >= (uint64_t) divisor);
		rest -= rest >= (uint64_t) divisor ? divisor : 0;
	}
	for (more = rest > 0; quotient >= (uint64_t) 1 << 54; exponent++)
	{
		more |= quotient % 2 != 0;
		quotient /= 2;
	}

	/* There is one bit more than a double has. */
	if (quotient % 2 != 0 && (more || quotient % 4 == 3))
		quotient++;
	quotient -= quotient % 2;
	return ldexp((double) (int64_t) quotient, exponent) * (sum < 0 ? -1 : 1);
}

/* The divisor of a frame's sum. */
static int64_t
divisor_at(const EngineRequest *request, int64_t i, int64_t length)
{
	return request->table != NULL ? ((const int32_t *) request->table)[i] :
		length;
}

static bool
sum_integers(const EngineRequest *request, const void *elements,
			 char *results)
{
	WindowFrames frames = window_frames(PARAMETERS(request, WindowParameters),
										request->count);
	ElementKind kind = request->kinds[0];
	ElementKind to = request->outputs[0].kind;
	OWNED WideSum *sums = malloc((request->count + 1) * sizeof(WideSum));
	bool		in_range = true;

	sums[0] = 0;
	for (int64_t i = 0; i < request->count; i++)
		sums[i + 1] = sums[i] + test_value(kind, elements, i).integer;
	for (int64_t i = 0; i < request->count; i++)
	{
		int64_t		first = window_first(&frames, i);
		int64_t		last = window_last(&frames, i);
		WideSum		sum = sums[last + 1] - sums[first];

		if (to == kind)
			in_range &= put_integer(to, results, i, sum);
		else
			put_number(to, results, i,
					  divide(sum, divisor_at(request, i, last - first + 1)));
	}
	return in_range;
}

/* An addition in the type of the sums. */
static double
add(ElementKind kind, double a, double b)
{
	return plus(kind, a, b, &(EngineOverflow) {OVERFLOW_NONE});
}

/*
 * P, or S if "backward", of the elements of an array, computed as window.h
 * defines them.  All elements are finite.
 */
static void
sum_blocks(ElementKind kind, const double *elements, int64_t count,
		   int64_t block, bool backward, double *sums)
{
	double		s = -0.0;
	double		r = -0.0;
	double		c = -0.0;

	for (int64_t j = 0; j < count; j++)
	{
		int64_t		i = backward ? count - 1 - j : j;
		int64_t		at = backward ? i + 1 : i;
		bool		starts = j == 0 || at % block == 0;
		bool		tile = starts || at % WINDOW_TILE == 0;
		bool		segment = tile || at % WINDOW_SEGMENT == 0;

		if (tile && !starts)
			c = backward ? add(kind, add(kind, s, r), c) :
				add(kind, c, add(kind, r, s));
		else if (segment && !starts)
			r = backward ? add(kind, s, r) : add(kind, r, s);
		if (starts)
			c = -0.0;
		if (tile)
			r = -0.0;
		if (segment)
			s = -0.0;
		s = backward ? add(kind, elements[i], s) : add(kind, s, elements[i]);
		sums[i] = backward ? add(kind, add(kind, s, r), c) :
			add(kind, c, add(kind, r, s));
	}
}

/*
 * The sum of the finite elements of a frame, from the prefixes and suffixes of
 * the blocks.
 */
static double
sum_frame(ElementKind kind, const WindowFrames *frames, int64_t first,
		  int64_t last, const double *finite, const double *p, const double *s)
{
	int64_t		block = frames->block;
	int64_t		blocks = last / block - first / block;
	double		sum;

	if (window_is_narrow(frames))
	{
		sum = finite[first];
		for (int64_t j = first + 1; j <= last; j++)
			sum = add(kind, sum, finite[j]);
		return sum;
	}
	if (blocks == 0)
		return first % block == 0 ? p[last] : s[first];
	sum = s[first];
	if (blocks == 2)
		sum = add(kind, sum, p[last / block * block - 1]);
	return add(kind, sum, p[last]);
}

/* The same for each frame. */
static bool
sum_floats(const EngineRequest *request, const void *elements, char *results)
{
	WindowFrames frames = window_frames(PARAMETERS(request, WindowParameters),
										request->count);
	ElementKind to = request->outputs[0].kind;
	int64_t		count = request->count;
	OWNED double *finite = calloc(count, sizeof(double));
	OWNED double *p = malloc(count * sizeof(double));
	OWNED double *s = malloc(count * sizeof(double));
	int64_t		seen[3] = {-1, -1, -1}; /* the last NaN and infinities */
	int64_t		next = 0;
	bool		in_range = true;

	for (int64_t i = 0; i < count; i++)
	{
		finite[i] = number_at(request->kinds[0], elements, i);
		if (!isfinite(finite[i]))
			finite[i] = -0.0;
	}
	sum_blocks(to, finite, count, frames.block, false, p);
	sum_blocks(to, finite, count, frames.block, true, s);
	for (int64_t i = 0; i < count; i++)
	{
		int64_t		first = window_first(&frames, i);
		int64_t		last = window_last(&frames, i);
		double		sum = sum_frame(to, &frames, first, last, finite, p, s);

		for (; next <= last; next++)
		{
			double		x = number_at(request->kinds[0], elements, next);

			if (!isfinite(x))
				seen[isnan(x) ? 0 : x > 0 ? 1 : 2] = next;
		}
		if (seen[0] >= first || (seen[1] >= first && seen[2] >= first))
			sum = NAN;
		else if (seen[1] >= first || seen[2] >= first)
			sum = seen[1] >= first ? INFINITY : -INFINITY;
		else if (!isfinite(sum))
			in_range = false;
		if (PARAMETERS(request, WindowParameters)->average)
			sum /= divisor_at(request, i, last - first + 1);
		put_number(to, results, i, sum);
	}
	return in_range;
}

static void
try_window(EngineRequest *request, const void *elements, int data)
{
	static const char *const names[] = {
		[SCAN_ADD] = "window sum",[SCAN_MIN] = "window min",
		[SCAN_MAX] = "window max"
	};
	const WindowParameters *parameters = PARAMETERS(request, WindowParameters);
	ElementKind to = request->outputs[0].kind;
	OWNED char *results = malloc(request->count * kind_size(to));
	Expected	expected = {
		.count = request->count,
		.results = results,
		.any_nan = kind_is_float(to)
	};
	bool		in_range = true;

	if (parameters->op != SCAN_ADD)
		find_extremes(request, elements, results);
	else if (kind_is_float(request->kinds[0]))
		in_range = sum_floats(request, elements, results);
	else
		in_range = sum_integers(request, elements, results);
	if (!in_range)
	{
		expected.overflow = OVERFLOW_UP;
		expected.results = NULL;
	}
	expect_results(request, INPUTS(elements), &expected, parameters->average ?
				   "window average" : names[parameters->op], data);
}

/* Integers so small that the sums of frames are in range. */
static void
make_small(ElementKind kind, char *elements, int64_t count, int64_t width)
{
	int64_t		most = kind == KIND_INT2 ? 32767 / width : 1000;

	for (int64_t i = 0; i < count; i++)
		(void) put_integer(kind, elements, i,
						   (int64_t) (random_bits() % (2 * most + 1)) - most);
}

static void
test_window(int64_t count, int data)
{
	static const ScanOperator ops[] = {SCAN_ADD, SCAN_MIN, SCAN_MAX};
	OWNED char *elements = malloc(count * sizeof(int64_t));
	OWNED int32_t *divisors = malloc(count * sizeof(int32_t));
	int			rounds = count > 2000 ? 1 : 3;

	for (int64_t i = 0; i < count; i++)
		divisors[i] = 1 + random_bits() % (random_bits() % 2 ? 9 : INT32_MAX);

	for (int number = 0; number < rounds * 29; number++)
	{
		/* After numbers, elements that have an order alone. */
		bool		ordered = number >= rounds * 25;
		ElementKind kind = !ordered ? number_kinds[number % NUMBER_KINDS] :
			number % 2 == 0 ? KIND_UINT1 : KIND_UINT4;
		int			which = ordered ? 1 + number / 2 % 2 : number / 5 % 5;
		bool		average = which > 2;
		EngineRequest request = make_request(ENGINE_WINDOW, kind, average ?
											 KIND_FLOAT8 : kind, count);
		WindowParameters *frame = PARAMETERS(&request, WindowParameters);

		frame->op = ops[average ? 0 : which];
		frame->average = average;
		if (which == 4)
		{
			request.table = divisors;
			request.table_bytes = count * sizeof(int32_t);
		}
		choose_frame(count, INT32_MAX, &frame->preceding, &frame->following);
		if (random_bits() % 20 == 0)
			frame->preceding = INT32_MAX;
		make_data(kind, data, elements, count);
		if (data == 1 && !ordered && !kind_is_float(kind))
			make_small(kind, elements, count,
					   frame->preceding + frame->following + 1);
		try_window(&request, elements, data);
	}
}

TEST_FAMILY(window)

CONCURRENT_REQUEST(WINDOW)
{
	request->parameters = PARAMETERS_OF(WindowParameters, .op = SCAN_MAX,
										.preceding = 5000);
}
