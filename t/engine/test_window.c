/*
 * test_window.c
 *	  Frames that slide over an array.
 *
 * What each frame is to be is found without blocks: sums of integers as
 * differences of prefixes, averages of these bit by bit, minima and maxima in a
 * queue.  A sum of floats may
 * differ from the exact one by what rounding may have lost, but must be the
 * same whatever the number of threads, and exact if all sums are.  The order
 * itself is tested by a plain implementation of it.
 */
#include <math.h>

#include "contract/operations/window.h"
#include "engines.h"

typedef struct Expected
{
	char	   *results;
	bool		overflow;
} Expected;

static double
float_at(ElementKind kind, const void *elements, int64_t i)
{
	return kind == KIND_FLOAT4 ? ((const float *) elements)[i] :
		((const double *) elements)[i];
}

static int64_t
integer_at(ElementKind kind, const void *elements, int64_t i)
{
	return kind == KIND_UINT1 ? ((const uint8_t *) elements)[i] :
		kind == KIND_INT2 ? ((const int16_t *) elements)[i] :
		kind == KIND_INT4 ? ((const int32_t *) elements)[i] :
		kind == KIND_UINT4 ? ((const uint32_t *) elements)[i] :
		((const int64_t *) elements)[i];
}

/* As PostgreSQL compares: NaN is greater than all else. */
static bool
less(ElementKind kind, const void *elements, int64_t i, int64_t j)
{
	double		a;
	double		b;

	if (!kind_is_float(kind))
		return integer_at(kind, elements, i) < integer_at(kind, elements, j);
	a = float_at(kind, elements, i);
	b = float_at(kind, elements, j);
	return a < b || (!isnan(a) && isnan(b));
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
	int64_t    *queue = malloc(request->count * sizeof(int64_t));
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
	free(queue);
}

/* Puts an integer, or a float, as an element of a kind. */
static void
put_float(ElementKind kind, char *results, int64_t i, double value)
{
	if (kind == KIND_FLOAT4)
		((float *) results)[i] = (float) value;
	else
		((double *) results)[i] = value;
}

static bool
put_integer(ElementKind kind, char *results, int64_t i, WideSum value)
{
	int			size = kind_size(kind);
	int64_t		greatest = (int64_t) (UINT64_MAX >> (65 - 8 * size));
	int64_t		integer = (int64_t) value;

	memcpy(results + i * size, &integer, size); /* on a little-endian machine */
	return value <= greatest && value >= -(WideSum) greatest - 1;
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

/* What the sum of a frame is divided by. */
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
	WideSum    *sums = malloc((request->count + 1) * sizeof(WideSum));
	bool		in_range = true;

	sums[0] = 0;
	for (int64_t i = 0; i < request->count; i++)
		sums[i + 1] = sums[i] + integer_at(kind, elements, i);
	for (int64_t i = 0; i < request->count; i++)
	{
		int64_t		first = window_first(&frames, i);
		int64_t		last = window_last(&frames, i);
		WideSum		sum = sums[last + 1] - sums[first];

		if (to == kind)
			in_range &= put_integer(to, results, i, sum);
		else
			put_float(to, results, i,
					  divide(sum, divisor_at(request, i, last - first + 1)));
	}
	free(sums);
	return in_range;
}

/* An addition in the type of the sums. */
static double
add(ElementKind kind, double a, double b)
{
	return kind == KIND_FLOAT4 ? (float) ((float) a + (float) b) : a + b;
}

/*
 * P, and S if "backward", of the elements of an array, none of which is beyond
 * the finite numbers: window.h, as it is written there.
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
	double	   *finite = malloc(count * sizeof(double));
	double	   *p = malloc(count * sizeof(double));
	double	   *s = malloc(count * sizeof(double));
	int64_t		seen[3] = {-1, -1, -1}; /* the last NaN and infinities */
	int64_t		next = 0;
	bool		in_range = true;

	for (int64_t i = 0; i < count; i++)
	{
		finite[i] = float_at(request->kinds[0], elements, i);
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
			double		x = float_at(request->kinds[0], elements, next);

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
		put_float(to, results, i, sum);
	}
	free(finite);
	free(p);
	free(s);
	return in_range;
}

static bool
same(ElementKind kind, const char *got, const char *expected, int64_t count)
{
	if (!kind_is_float(kind))
		return memcmp(got, expected, count * kind_size(kind)) == 0;
	for (int64_t i = 0; i < count; i++)
	{
		double		a = float_at(kind, got, i);
		double		b = float_at(kind, expected, i);

		if (isnan(a) ? !isnan(b) : a != b || signbit(a) != signbit(b))
			return false;
	}
	return true;
}

static void
try_window(EngineRequest *request, const void *elements, int data)
{
	static const char *const names[] = {
		[SCAN_ADD] = "window sum",[SCAN_MIN] = "window min",
		[SCAN_MAX] = "window max"
	};
	ElementKind kind = request->kinds[0];
	ElementKind to = request->outputs[0].kind;
	ScanOperator op = PARAMETERS(request, WindowParameters)->op;
	int64_t		count = request->count;
	char	   *expected = malloc(count * kind_size(to));
	char	   *got = malloc(count * kind_size(to));
	bool		in_range = true;
	EngineResult result;

	if (op != SCAN_ADD)
		find_extremes(request, elements, expected);
	else if (kind_is_float(kind))
		in_range = sum_floats(request, elements, expected);
	else
		in_range = sum_integers(request, elements, expected);
	request->outputs[0].memory = got;
	for (request->threads = 1; request->threads <= 4; request->threads += 3)
	{
		memset(got, 0x55, count * kind_size(to));
		if (!run_request(request, elements, NULL, &result))
			continue;
		expect((result.overflow == OVERFLOW_NONE) == in_range, request,
			   "overflow of a window", data);
		expect(result.count == count &&
			   (!in_range || same(to, got, expected, count)), request,
			   PARAMETERS(request, WindowParameters)->average ?
			   "window average" :
			   names[op], data);
	}
	free(expected);
	free(got);
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

/* Frames of some widths, before or after an element or around it. */
static void
choose_frame(EngineRequest *request, int64_t count)
{
	static const int64_t widths[] = {
		1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 100, 127, 128, 1023, 1024,
		1025, 2047, 2048, 2049, 3000, 4096, 5000, 65535, 65536, 100000
	};
	const int	nwidths = sizeof(widths) / sizeof(widths[0]);
	int			which = random_bits() % (nwidths + 4);
	int64_t		width = which < nwidths ? widths[which] :
		which == nwidths ? count : which == nwidths + 1 ? count + 1 :
		which == nwidths + 2 ? 1 + count / 2 : INT32_MAX;
	int64_t		preceding[] = {0, width - 1, random_bits() % width};
	WindowParameters *frame = PARAMETERS(request, WindowParameters);

	frame->preceding = preceding[random_bits() % 3];
	frame->following = width - 1 - frame->preceding;
	if (random_bits() % 20 == 0)
		frame->preceding = INT32_MAX;
}

static void
test_window(int64_t count, int data)
{
	static const ElementKind kinds[] = {
		KIND_INT2, KIND_INT4, KIND_INT8, KIND_FLOAT4, KIND_FLOAT8
	};
	static const ScanOperator ops[] = {SCAN_ADD, SCAN_MIN, SCAN_MAX};
	char	   *elements = malloc(count * sizeof(int64_t));
	int32_t    *divisors = malloc(count * sizeof(int32_t));
	int			rounds = count > MANY ? 1 : 3;

	for (int64_t i = 0; i < count; i++)
		divisors[i] = 1 + random_bits() % (random_bits() % 2 ? 9 : INT32_MAX);

	for (int number = 0; number < rounds * 25; number++)
	{
		ElementKind kind = kinds[number % 5];
		bool		to_float8 = number / 5 % 5 > 2;
		EngineRequest request = {
			.operation = ENGINE_WINDOW,
			.kinds[0] = kind,
			.outputs[0].kind = to_float8 ? KIND_FLOAT8 : kind,
			.count = count,
			.parameters = PARAMETERS_OF(WindowParameters, .op = to_float8 ?
										SCAN_ADD : ops[number / 5 % 5],
										.average = to_float8)
		};

		if (number / 5 % 5 == 4)
		{
			request.table = divisors;
			request.table_bytes = count * sizeof(int32_t);
		}

		choose_frame(&request, count);
		make_data(kind, data, elements, count);
		if (data == 1 && !kind_is_float(kind))
			make_small(kind, elements, count,
					   PARAMETERS(&request, WindowParameters)->preceding +
					   PARAMETERS(&request, WindowParameters)->following + 1);
		try_window(&request, elements, data);
	}
	for (int number = 0; number < rounds * 4; number++)
	{
		ElementKind kind = number % 2 == 0 ? KIND_UINT1 : KIND_UINT4;
		EngineRequest request = {
			.operation = ENGINE_WINDOW,
			.kinds[0] = kind,
			.outputs[0].kind = kind,
			.count = count,
			.parameters = PARAMETERS_OF(WindowParameters,
										.op = number / 2 % 2 == 0 ?
										SCAN_MIN : SCAN_MAX)
		};

		choose_frame(&request, count);
		make_data(kind, data, elements, count);
		try_window(&request, elements, data);
	}
	free(elements);
	free(divisors);
}

static void
complete_window(EngineRequest *request)
{
	request->parameters = PARAMETERS_OF(WindowParameters, .op = SCAN_MAX,
										.preceding = 5000);
}

TEST_FAMILY(window)
CONCURRENT_REQUEST(WINDOW, complete_window)
