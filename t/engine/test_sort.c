/*
 * test_sort.c
 *	  Sorts, with and without payloads, distinct keys, and ranks.
 */
#include <math.h>

#include "contract/operations/sort.h"
#include "engines.h"
#include "sort_reference.h"

/* Up to this many keys, each kind is tested with all kinds of data. */
#define MAX_OF_EACH		300000

/* The expected results of an array. */
typedef struct Sorted
{
	const void *in;
	const void *given;			/* payloads */
	Key		   *keys;			/* sorted by value and bits */
	Key		   *up;				/* sorted stably */
	Key		   *down;
} Sorted;

/* The i-th sorted key. */
static const Key *
sorted_key(const Sorted *sorted, const EngineRequest *request, int64_t i)
{
	bool		descending = PARAMETERS(request, SortParameters)->descending;

	return &sorted->keys[descending ? request->count - 1 - i : i];
}

/* The keys in their stable order. */
static const Key *
stable_keys(const Sorted *sorted, const EngineRequest *request)
{
	return PARAMETERS(request, SortParameters)->descending ? sorted->down :
		sorted->up;
}

/* The payload of the keys. */
typedef enum Payload
{
	PAYLOAD_NONE,
	PAYLOAD_POSITIONS,
	PAYLOAD_INT4,
	PAYLOAD_INT8,
	PAYLOADS
} Payload;

static void
set_payload(EngineRequest *request, Payload payload)
{
	bool		given = payload == PAYLOAD_INT4 || payload == PAYLOAD_INT8;

	request->inputs = given ? 2 : 1;
	request->kinds[1] = payload == PAYLOAD_INT4 ? KIND_INT4 : KIND_INT8;
	PARAMETERS(request, SortParameters)->positions =
		payload == PAYLOAD_POSITIONS;
	request->outputs[0].kind = given ? request->kinds[1] :
		payload == PAYLOAD_POSITIONS ? KIND_INT4 : request->kinds[0];
}

static void
try_sort(EngineRequest *request, const Sorted *sorted, char *results,
		 const char *what, int data)
{
	int			size = output_size(request, 0);

	for (int64_t i = 0; i < request->count; i++)
	{
		int32_t		position = stable_keys(sorted, request)[i].position;
		const void *result = &position;

		if (sort_payload_size(request) == 0)
			result = &sorted_key(sorted, request, i)->bits;
		else if (request->inputs > 1)
			result = (const char *) sorted->given + (position - 1) * size;
		memcpy(results + i * size, result, size);
	}
	expect_results(request, INPUTS(sorted->in, sorted->given),
				   &(Expected) {request->count, results}, what, data);
}

static void
try_distinct(EngineRequest *request, const Sorted *sorted, char *results,
			 int32_t *starts, int data)
{
	int			size = kind_size(request->kinds[0]);
	int64_t		runs = 0;
	EngineResult result;

	for (int64_t i = 0; i < request->count; i++)
	{
		const Key  *key = sorted_key(sorted, request, i);

		if (i > 0 && compare(key, sorted_key(sorted, request, i - 1)) == 0)
			continue;
		memcpy(results + runs * size, &key->bits, size);
		starts[runs++] = (int32_t) i + 1;
	}
	expect_results(request, INPUTS(sorted->in), &(Expected) {runs, results},
				   "distinct", data);
	expect_results(request, INPUTS(sorted->in),
				   &(Expected) {runs, results, starts}, "distinct and starts",
				   data);
	request->outputs[0].memory = results;
	request->outputs[1].memory = NULL;
	PARAMETERS(request, SortParameters)->count_only = true;
	if (run_request(request, sorted->in, NULL, &result))
		expect(result.count == runs, request, "count of distinct", data);
	PARAMETERS(request, SortParameters)->count_only = false;
}

/* Ranks by a method, or heads. */
static void
try_ranks(EngineRequest *request, const Sorted *sorted, void *results,
		  RankMethod method, const char *what, int data)
{
	const Key  *keys = stable_keys(sorted, request);
	bool		heads = method == RANK_HEADS;
	int64_t		first = 0;		/* of the keys that are equal */
	int64_t		end = 0;		/* of these */
	int64_t		different = 0;

	PARAMETERS(request, SortParameters)->method = method;
	request->outputs[0].kind = heads ? KIND_UINT1 : KIND_INT4;
	for (int64_t i = 0; i < request->count; i++)
	{
		int64_t		ranks[RANK_HEADS + 1];

		if (i == end)
		{
			first = i;
			while (++end < request->count &&
				   compare(&keys[end], &keys[first]) == 0)
				continue;
			different++;
		}
		ranks[RANK_DENSE] = different;
		ranks[RANK_MIN] = first + 1;
		ranks[RANK_MAX] = end;
		ranks[RANK_FIRST] = i + 1;
		ranks[RANK_SUM] = first + 1 + end;
		ranks[RANK_HEADS] = i == first;
		put_value(request->outputs[0].kind, results, keys[i].position - 1,
				  (TestValue) {ranks[method]});
	}
	expect_results(request, INPUTS(sorted->in),
				   &(Expected) {request->count, results}, what, data);
}

/* The first key of the longest run, and of the first one of several. */
static const Key *
expected_mode(const Sorted *sorted, int64_t count)
{
	const Key  *mode = NULL;
	const Key  *head = sorted->keys;
	int64_t		most = 0;

	for (int64_t i = 0; i < count; i++)
	{
		const Key  *key = &sorted->keys[i];

		if (compare(key, head) != 0)
			head = key;
		if (key - head + 1 > most)
		{
			most = key - head + 1;
			mode = head;
		}
	}
	return mode;
}

/*
 * Tests a request for the longest run alone.  The result may have more runs.
 */
static bool
finds_mode(EngineRequest *request, const Sorted *sorted, char *results,
		   int32_t *starts)
{
	int			size = kind_size(request->kinds[0]);
	int64_t		longest = 0;
	int64_t		most = 0;
	EngineResult result;

	request->outputs[0].memory = results;
	request->outputs[1].memory = starts;
	if (!run_request(request, sorted->in, NULL, &result))
		return true;
	for (int64_t i = 0; i < result.count; i++)
	{
		int64_t		end = i + 1 < result.count ? starts[i + 1] :
			request->count + 1;

		if (end - starts[i] > most)
		{
			most = end - starts[i];
			longest = i;
		}
	}
	return memcmp(results + longest * size,
				  &expected_mode(sorted, request->count)->bits, size) == 0;
}

/*
 * Makes some integers so that an engine's hash function, which multiplies by
 * the inverse of this, has the same first bits for them; and some floats 0 and
 * -0.
 */
static void
make_collisions(ElementKind kind, void *in, int64_t count)
{
	for (int64_t i = 0; i < count / 16; i++)
	{
		if (kind_is_float(kind) && i < 100)
			put_number(kind, in, i, i % 3 ? 0.0 : -0.0);
		if (kind == KIND_INT4)
			((uint32_t *) in)[i] = (uint32_t) i * UINT32_C(0x0E8B2F51);
		if (kind == KIND_INT8)
			((uint64_t *) in)[i] = i * UINT64_C(0xF1DE83E19937733D);
	}
}

/*
 * Makes integers a few apart, in a range so narrow that they can be counted, at
 * either end of their kind's range.
 */
static void
make_grid(ElementKind kind, void *in, int64_t count)
{
	uint64_t	step = 4;
	uint64_t	top = kind_size(kind) == 1 ? 8 : count / 16;
	uint64_t	base = count % 4 ? 0 : -step * top - 1;

	if (!kind_is_unsigned(kind))
		base += (uint64_t) 1 << (8 * kind_size(kind) - 1);
	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	integer = base + step * (random_bits() % (top + 1));

		put_value(kind, in, i, (TestValue) {(int64_t) integer});
	}
}

/*
 * Repeats some elements, so that few are distinct, or each has several copies:
 * up to the end, or so far that the rest has many.  Some integers have one home
 * in an engine's hash table.
 */
static void
make_few(ElementKind kind, void *in, int64_t count)
{
	static const int most[] = {30, 9000};
	int			size = kind_size(kind);
	int			way = random_bits() % 3;
	int64_t		few = way < 2 ? 1 + random_bits() % most[way] :
		count / (8 + random_bits() % 32);
	int64_t		end = random_bits() % 3 ? count : count * 7 / 8;

	make_data(kind, 0, in, count);
	if (random_bits() % 4 == 0)
		make_collisions(kind, in, count);
	else if (random_bits() % 2)
		make_data(kind, 4, in, 11);
	for (int64_t i = few; i < end; i++)
		memcpy((char *) in + i * size,
			   (char *) in + random_bits() % few * size, size);
}

/* Makes elements whose logarithms are spread evenly; small integers repeat. */
static void
make_skewed(ElementKind kind, void *in, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		put_number(kind, in, i, exp2((double) (random_bits() % 4096) / 205));
}

/*
 * Makes elements that are spread evenly, except for a part that equals the
 * least number, the greatest, or another one.
 */
static void
make_default(ElementKind kind, void *in, int64_t count)
{
	const int	most = 1 << 25;
	const double values[] = {-most, most, 0, random_bits() % 1000000};
	double		value = values[random_bits() % 4];
	unsigned	sixteenths = 1 + random_bits() % 15;

	for (int64_t i = 0; i < count; i++)
		put_number(kind, in, i, random_bits() % 16 < sixteenths ? value :
				   (double) (random_bits() % (2 * most)) - most);
}

/*
 * Makes a few elements that are far below and above the others, which are in a
 * narrow range around zero.
 */
static void
make_outliers(ElementKind kind, void *in, int64_t count)
{
	for (int64_t i = 0; i < count; i += count / 7)
		make_data(kind, 4, (char *) in + i * kind_size(kind), 1);
}

/* Makes one of "part" elements equal to others in its first bits. */
static void
make_group(int size, void *in, int64_t count, int part)
{
	uint64_t   *wide = in;
	uint32_t   *narrow = in;

	for (int64_t i = 0; i < count / part; i++)
	{
		if (size == sizeof(uint64_t))
			wide[i * 8] = (wide[0] & ~UINT64_C(0xFFFF)) |
				random_bits() % 0x10000;
		else
			narrow[i * 8] = (narrow[0] & ~UINT32_C(0xFFF)) |
				random_bits() % 0x1000;
	}
}

/* Makes some elements of which each has about a hundred copies. */
static void
make_copies(int size, void *in, int64_t count)
{
	int64_t		copied = count / 2000 + 1;

	for (int64_t i = 0; i < count / 20; i++)
		memcpy((char *) in + random_bits() % count * size,
			   (char *) in + random_bits() % copied * size, size);
}

/*
 * Makes floats that are equal, but not the same, far from each other in their
 * one-to-one order: NaNs with any bits.
 */
static void
make_nans(ElementKind kind, void *in, int64_t count)
{
	for (int64_t i = 0; i < count; i += 2)
	{
		if (kind == KIND_FLOAT8)
			((uint64_t *) in)[i] = random_bits() |
				UINT64_C(0x7FF0000000000001);
		if (kind == KIND_FLOAT4)
			((uint32_t *) in)[i] = (uint32_t) random_bits() |
				UINT32_C(0x7F800001);
	}
}

/*
 * Makes floats so near to zero that an engine may subtract the least order from
 * all; and then -0 and 0, some 1,000 of each, are in different groups, of
 * orders with the same first bits.  They are around the 65,536th element.
 */
static void
make_zeros(ElementKind kind, void *in, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
	{
		bool		negative = i < 65536 + 500;
		bool		zero = i > 65536 - 500 && i < 65536 + 1500;
		uint64_t	bits = zero ? 0 : i == 0 ? UINT64_MAX : random_bits();

		if (kind == KIND_FLOAT8)
			((uint64_t *) in)[i] = negative ?
				UINT64_C(1) << 63 | (bits >> 19) :
				bits % (UINT64_C(3) << 51);
		if (kind == KIND_FLOAT4)
			((uint32_t *) in)[i] = negative ?
				UINT32_C(1) << 31 | (uint32_t) (bits >> 48) :
				(uint32_t) (bits % 0xA00000);
	}
}

/*
 * Makes elements that are uneven in one of several ways, in turn, or leaves
 * them.  Where most are random, an engine may divide them into small groups, as
 * a sample does not tell which are not.
 */
static void
make_uneven(ElementKind kind, void *in, int64_t count)
{
	static int	calls = 0;
	int			size = kind_size(kind);
	int			way = calls++ % 6;

	if (way == 0)
		make_default(kind, in, count);
	if (way == 1 || way == 2)
		make_data(kind, 0, in, count);
	if (way == 1)
		make_copies(size, in, count);
	if (way == 2 && size >= (int) sizeof(uint32_t))
		make_group(size, in, count, 400);
	if (way == 4)
		make_nans(kind, in, count);
	if (way == 5)
		make_zeros(kind, in, count);
}

static void
test_variants(ElementKind kind, int64_t count, int data, const Sorted *sorted,
			  void *results, int32_t *starts)
{
	static const char *const payloads[] = {
		[PAYLOAD_NONE] = "sort",[PAYLOAD_POSITIONS] = "positions",
		[PAYLOAD_INT4] = "payload",[PAYLOAD_INT8] = "wide payload"
	};
	static const char *const methods[] = {
		[RANK_DENSE] = "dense rank",[RANK_MIN] = "rank",
		[RANK_MAX] = "last rank",[RANK_FIRST] = "number",
		[RANK_SUM] = "rank and last rank",[RANK_HEADS] = "heads"
	};

	for (int descending = 0; descending < 2; descending++)
	{
		EngineRequest request = make_request(ENGINE_SORT, kind, kind, count);

		request.outputs[1].kind = KIND_INT4;
		PARAMETERS(&request, SortParameters)->descending = descending;
		for (int payload = 0; payload < PAYLOADS; payload++)
		{
			set_payload(&request, (Payload) payload);
			try_sort(&request, sorted, results, payloads[payload], data);
		}
		set_payload(&request, PAYLOAD_NONE);
		request.operation = ENGINE_RANK;
		for (int method = RANK_DENSE; method <= RANK_HEADS; method++)
			try_ranks(&request, sorted, results, (RankMethod) method,
					  methods[method], data);
		request.operation = ENGINE_DISTINCT;
		set_payload(&request, PAYLOAD_NONE);
		try_distinct(&request, sorted, results, starts, data);
		PARAMETERS(&request, SortParameters)->descending = false;
		PARAMETERS(&request, SortParameters)->longest_run = true;
		for (request.threads = 1; request.threads <= 4; request.threads += 3)
			expect(finds_mode(&request, sorted, results, starts), &request,
				   "mode", data);
	}
}

/*
 * Abandons a sort after "steps" steps, which must not affect the next one.
 */
static void
abandon(const Sorted *sorted, int64_t count, bool positions, void *out,
		int steps)
{
	const Engine *engine = options.engine;
	EngineContext *context = options.context;
	EngineRequest request = make_request(ENGINE_SORT, KIND_INT8, positions ?
										 KIND_INT4 : KIND_INT8, count);
	const int64_t *in = sorted->in;
	EngineResult result;
	int64_t		done = 0;

	request.outputs[0].memory = out;
	request.room = count;
	request.threads = 4;
	PARAMETERS(&request, SortParameters)->positions = positions;
	if (engine->begin(context, &request) != ENGINE_OK)
		return;
	for (; steps > 0 && done < count; steps--)
	{
		void	   *buffers[ENGINE_INPUTS];
		const void *data[ENGINE_INPUTS] = {in + done, NULL};
		int64_t		piece;

		if (engine->buffer(context, buffers, &piece) != ENGINE_OK)
			break;
		if (piece > count - done)
			piece = count - done;
		if (engine->push(context, data, piece) != ENGINE_OK)
			break;
		done += piece;
	}
	while (done == count && steps-- > 0 &&
		   engine->finish(context, &result) == ENGINE_MORE)
		;
	engine->end(context);
}

static void
test_sort(ElementKind kind, void *in, int64_t count, int data)
{
	int			size = kind_size(kind);
	OWNED int64_t *given = malloc(count * sizeof(int64_t));
	OWNED Key  *keys = malloc(count * sizeof(Key));
	Sorted		sorted = {.in = in, .given = given};
	OWNED void *results = malloc(count * sizeof(int64_t));
	OWNED int32_t *starts = malloc(count * sizeof(int32_t));
	bool		around_zero = data == 3 &&
		(kind == KIND_INT4 || kind == KIND_INT8);
	bool		uneven = data == TEST_DATA - 1 && size >= 4;

	/* With many keys, some kinds of data: qsort takes long. */
	if (count > MAX_OF_EACH && (int) kind % (TEST_DATA - 1) != data &&
		!around_zero && !uneven)
		return;
	make_data(KIND_INT8, 0, given, count);
	if (data == 0 && count % 2 == 0)
		make_collisions(kind, in, count);
	if (data == 0 && count % 2 == 1 && size == sizeof(uint64_t))
		make_group(sizeof(uint64_t), in, count, 64);
	if (data == 2 && count > 65536)
		make_few(kind, in, count);
	if (data == 1 && random_bits() % 2)
		make_skewed(kind, in, count);
	if (data == 3 && count > 65536 && random_bits() % 2)
		make_outliers(kind, in, count);
	if (data == TEST_DATA - 1 && count > 65536)
		make_uneven(kind, in, count);
	if (data == 1 && count % 2 == (count > 65536) &&
		kind != KIND_FLOAT4 && kind != KIND_FLOAT8)
		make_grid(kind, in, count);
	for (int64_t i = 0; i < count; i++)
		keys[i] = key_of(kind, in, i);
	sorted.keys = sorted_keys(keys, count, compare_bits);
	sorted.up = sorted_keys(keys, count, compare_stably_up);
	sorted.down = sorted_keys(keys, count, compare_stably_down);
	if (kind == KIND_INT8 && data <= 1)
	{
		for (int steps = 0; steps < 100; steps += 7)
			abandon(&sorted, count, data == 0, results, steps);
	}
	test_variants(kind, count, data, &sorted, results, starts);
	free(sorted.keys);
	free(sorted.up);
	free(sorted.down);
}

TEST_KINDS(sort)

/* By any method. */
CONCURRENT_REQUEST(RANK)
{
	RankMethod	method = (RankMethod) (random_bits() % (RANK_HEADS + 1));

	PARAMETERS(request, SortParameters)->method = method;
	if (method == RANK_HEADS)
		request->outputs[0].kind = KIND_UINT1;
}

/* Of keys alone, or with a payload. */
CONCURRENT_REQUEST(SORT)
{
	request->inputs = random_bits() % 2 + 1;
	request->outputs[0].kind = request->kinds[request->inputs - 1];
}
