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
typedef struct Expected
{
	const void *in;
	const void *given;			/* payloads */
	Key		   *keys;			/* sorted by value and bits */
	Key		   *up;				/* sorted stably */
	Key		   *down;
} Expected;

/* Room for results. */
typedef struct Results
{
	char	   *elements;
	int32_t    *starts;
} Results;

/* The i-th sorted key. */
static const Key *
expected_key(const Expected *expected, const EngineRequest *request,
			 int64_t i)
{
	bool		descending = PARAMETERS(request, SortParameters)->descending;

	return &expected->keys[descending ? request->count - 1 - i : i];
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

static bool
sorts(EngineRequest *request, const Expected *expected)
{
	int			size = output_size(request, 0);
	const char *out = request->outputs[0].memory;
	EngineResult result;

	if (!run_request(request, expected->in, expected->given, &result))
		return true;
	if (result.count != request->count)
		return false;
	for (int64_t i = 0; i < request->count; i++)
	{
		const Key  *stable = PARAMETERS(request, SortParameters)->descending ?
			&expected->down[i] : &expected->up[i];
		int32_t		position = stable->position;
		const void *right = &position;

		if (sort_payload_size(request) == 0)
			right = &expected_key(expected, request, i)->bits;
		else if (request->inputs > 1)
			right = (const char *) expected->given + (position - 1) * size;
		if (memcmp(out + i * size, right, size) != 0)
			return false;
	}
	return true;
}

static bool
finds_distinct(EngineRequest *request, const Expected *expected)
{
	int			size = kind_size(request->kinds[0]);
	const char *out = request->outputs[0].memory;
	const int32_t *starts = request->outputs[1].memory;
	int64_t		runs = 0;
	EngineResult result;

	if (!run_request(request, expected->in, NULL, &result))
		return true;
	for (int64_t i = 0; i < request->count; i++)
	{
		const Key  *key = expected_key(expected, request, i);

		if (i > 0 &&
			compare(key, expected_key(expected, request, i - 1)) == 0)
			continue;
		if (runs == result.count ||
			memcmp(out + runs * size, &key->bits, size) != 0 ||
			(starts != NULL && starts[runs] != i + 1))
			return false;
		runs++;
	}
	return runs == result.count;
}

static bool
marks_heads(EngineRequest *request, const Expected *expected)
{
	const Key  *keys = PARAMETERS(request, SortParameters)->descending ?
		expected->down : expected->up;
	const uint8_t *heads = request->outputs[0].memory;
	EngineResult result;

	if (!run_request(request, expected->in, NULL, &result))
		return true;
	for (int64_t i = 0; i < request->count; i++)
	{
		bool		same = i > 0 && compare(&keys[i], &keys[i - 1]) == 0;

		if (heads[keys[i].position - 1] != !same)
			return false;
	}
	return result.count == request->count;
}

static bool
finds_ranks(EngineRequest *request, const Expected *expected)
{
	RankMethod	method = PARAMETERS(request, SortParameters)->method;
	bool		descending = PARAMETERS(request, SortParameters)->descending;
	const Key  *keys = descending ? expected->down : expected->up;
	const int32_t *ranks = request->outputs[0].memory;
	int64_t		rank = 0;
	EngineResult result;

	if (!run_request(request, expected->in, NULL, &result))
		return true;
	for (int64_t i = 0; i < request->count; i++)
	{
		bool		same = i > 0 && compare(&keys[i], &keys[i - 1]) == 0;

		if (method == RANK_DENSE)
			rank += !same;
		else if (method == RANK_FIRST || !same)
			rank = i + 1;
		if (ranks[keys[i].position - 1] != rank)
			return false;
	}
	return result.count == request->count;
}

/* The first key of the longest run, and of the first one of several. */
static const Key *
expected_mode(const Expected *expected, int64_t count)
{
	const Key  *mode = NULL;
	const Key  *head = expected->keys;
	int64_t		most = 0;

	for (int64_t i = 0; i < count; i++)
	{
		const Key  *key = &expected->keys[i];

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

/* Of the runs in a result, if it has more than the longest one. */
static bool
finds_mode(EngineRequest *request, const Expected *expected)
{
	int			size = kind_size(request->kinds[0]);
	const int32_t *starts = request->outputs[1].memory;
	int64_t		longest = 0;
	int64_t		most = 0;
	EngineResult result;

	if (!run_request(request, expected->in, NULL, &result))
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
	return memcmp((char *) request->outputs[0].memory + longest * size,
				  &expected_mode(expected, request->count)->bits, size) == 0;
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
		if (kind == KIND_FLOAT4 && i < 100)
			((float *) in)[i] = i % 3 ? 0.0f : -0.0f;
		if (kind == KIND_FLOAT8 && i < 100)
			((double *) in)[i] = i % 3 ? 0.0 : -0.0;
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

	if (kind != KIND_UINT1 && kind != KIND_UINT4)
		base += (uint64_t) 1 << (8 * kind_size(kind) - 1);
	for (int64_t i = 0; i < count; i++)
	{
		uint64_t	integer = base + step * (random_bits() % (top + 1));

		memcpy((char *) in + i * kind_size(kind), &integer, kind_size(kind));
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

/* Sets an element to a number, as its kind has it. */
static void
set_number(ElementKind kind, void *in, int64_t i, double number)
{
	float		narrow = (float) number;
	int64_t		integer = (int64_t) number;
	const void *from = kind == KIND_FLOAT8 ? (const void *) &number :
		kind == KIND_FLOAT4 ? (const void *) &narrow : &integer;

	memcpy((char *) in + i * kind_size(kind), from, kind_size(kind));
}

/* Makes elements whose logarithms are spread evenly; small integers repeat. */
static void
make_skewed(ElementKind kind, void *in, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		set_number(kind, in, i, exp2((double) (random_bits() % 4096) / 205));
}

/*
 * Makes elements that are spread evenly, but for a part that is equal: to the
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
		set_number(kind, in, i, random_bits() % 16 < sixteenths ? value :
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

/* Makes some wide elements whose first bits are equal, among others. */
static void
make_group(void *in, int64_t count)
{
	uint64_t   *bits = in;

	for (int64_t i = 0; i < count / 64; i++)
		bits[i * 8] = (bits[0] & ~UINT64_C(0xFFFF)) | random_bits() % 0x10000;
}

/* Results begin at different places in a cache line. */
static void
set_result(EngineRequest *request, const Results *results, int elements)
{
	request->outputs[0].memory = results->elements +
		elements * output_size(request, 0);
}

static void
test_ranks(EngineRequest *request, const Expected *expected,
		   const Results *results, int data)
{
	static const char *const methods[] = {
		[RANK_DENSE] = "dense rank",[RANK_MIN] = "rank",[RANK_FIRST] = "number"
	};

	request->operation = ENGINE_RANK;
	request->outputs[0].kind = KIND_INT4;
	set_result(request, results, request->threads % 3);
	for (int method = RANK_DENSE; method <= RANK_FIRST; method++)
	{
		PARAMETERS(request, SortParameters)->method = (RankMethod) method;
		expect(finds_ranks(request, expected), request, methods[method], data);
	}
	PARAMETERS(request, SortParameters)->method = RANK_HEADS;
	request->outputs[0].kind = KIND_UINT1;
	set_result(request, results, request->threads % 3);
	expect(marks_heads(request, expected), request, "heads", data);
	request->outputs[0].kind = KIND_INT4;
}

static void
test_variants(ElementKind kind, int64_t count, int data,
			  const Expected *expected, const Results *results)
{
	static const char *const payloads[] = {
		[PAYLOAD_NONE] = "sort",[PAYLOAD_POSITIONS] = "positions",
		[PAYLOAD_INT4] = "payload",[PAYLOAD_INT8] = "wide payload"
	};

	for (int variant = 0; variant < 4; variant++)
	{
		EngineRequest request = {
			.kinds[0] = kind,
			.count = count,
			.outputs[1].kind = KIND_INT4,
			.parameters = PARAMETERS_OF(SortParameters,
										.descending = variant & 1),
			.threads = variant & 2 ? 4 : 1
		};

		request.operation = ENGINE_SORT;
		for (int payload = 0; payload < PAYLOADS; payload++)
		{
			set_payload(&request, (Payload) payload);
			set_result(&request, results, variant);
			expect(sorts(&request, expected), &request, payloads[payload],
				   data);
		}
		set_payload(&request, PAYLOAD_NONE);
		test_ranks(&request, expected, results, data);
		request.operation = ENGINE_DISTINCT;
		set_payload(&request, PAYLOAD_NONE);
		set_result(&request, results, variant);
		expect(finds_distinct(&request, expected), &request, "distinct", data);
		request.outputs[1].memory = results->starts;
		expect(finds_distinct(&request, expected), &request,
			   "distinct and starts", data);
		PARAMETERS(&request, SortParameters)->descending = false;
		PARAMETERS(&request, SortParameters)->longest_run = true;
		expect(finds_mode(&request, expected), &request, "mode", data);
	}
}

/*
 * Abandons a sort after "steps" steps, which must not affect the next one.
 */
static void
abandon(const Expected *expected, int64_t count, bool positions, void *out,
		int steps)
{
	const Engine *engine = options.engine;
	EngineContext *context = options.context;
	EngineRequest request = {
		.operation = ENGINE_SORT,
		.algorithm = options.algorithm,
		.inputs = 1,
		.kinds[0] = KIND_INT8,
		.count = count,
		.room = count,
		.threads = 4,
		.outputs[0] = {out, positions ? KIND_INT4 : KIND_INT8},
		.parameters = PARAMETERS_OF(SortParameters, .positions = positions)
	};
	const int64_t *in = expected->in;
	EngineResult result;
	int64_t		done = 0;

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
test_kind(ElementKind kind, int64_t count, int data, const void *given)
{
	int			size = kind_size(kind);
	void	   *in = malloc(count * size);
	Key		   *keys = malloc(count * sizeof(Key));
	Expected	expected = {.in = in, .given = given};
	Results		results = {
		.elements = malloc((count + 3) * sizeof(int64_t)),
		.starts = malloc(count * sizeof(int32_t))
	};

	make_data(kind, data, in, count);
	if (data == 0 && count % 2 == 0)
		make_collisions(kind, in, count);
	if (data == 0 && count % 2 == 1 && size == sizeof(uint64_t))
		make_group(in, count);
	if (data == 2 && count > 65536)
		make_few(kind, in, count);
	if (data == 1 && random_bits() % 2)
		make_skewed(kind, in, count);
	if (data == 3 && count > 65536 && random_bits() % 2)
		make_outliers(kind, in, count);
	if (data == TEST_DATA - 1 && count > 65536 && random_bits() % 2)
		make_default(kind, in, count);
	if (data == 1 && count % 2 == (count > 65536) &&
		kind != KIND_FLOAT4 && kind != KIND_FLOAT8)
		make_grid(kind, in, count);
	for (int64_t i = 0; i < count; i++)
		keys[i] = key_of(kind, in, i);
	expected.keys = sorted_keys(keys, count, compare_bits);
	expected.up = sorted_keys(keys, count, compare_stably_up);
	expected.down = sorted_keys(keys, count, compare_stably_down);
	if (kind == KIND_INT8 && data <= 1)
	{
		for (int steps = 0; steps < 100; steps += 7)
			abandon(&expected, count, data == 0, results.elements, steps);
	}
	test_variants(kind, count, data, &expected, &results);
	free(in);
	free(keys);
	free(expected.keys);
	free(expected.up);
	free(expected.down);
	free(results.elements);
	free(results.starts);
}

static void
test_sort(int64_t count, int data)
{
	int64_t    *given = malloc(count * sizeof(int64_t));

	make_data(KIND_INT8, 0, given, count);
	for (int kind = 0; kind < ELEMENT_KINDS; kind++)
	{
		bool		uneven = data == TEST_DATA - 1;
		bool		around_zero = data == 3 &&
			(kind == KIND_INT4 || kind == KIND_INT8);

		/* With many keys, some kinds of data: qsort takes long. */
		if (count <= MAX_OF_EACH || kind % (TEST_DATA - 1) == data ||
			around_zero || (uneven && kind_size((ElementKind) kind) >= 4))
			test_kind((ElementKind) kind, count, data, given);
	}
	free(given);
}

/* Of keys alone, or with a payload. */
static void
complete_sort(EngineRequest *request)
{
	request->inputs = random_bits() % 2 + 1;
	request->outputs[0].kind = request->kinds[request->inputs - 1];
}

/* By any method. */
static void
complete_rank(EngineRequest *request)
{
	RankMethod	method = (RankMethod) (random_bits() % (RANK_HEADS + 1));

	PARAMETERS(request, SortParameters)->method = method;
	if (method == RANK_HEADS)
		request->outputs[0].kind = KIND_UINT1;
}

TEST_FAMILY(sort)
CONCURRENT_REQUEST(RANK, complete_rank)
CONCURRENT_REQUEST(SORT, complete_sort)
