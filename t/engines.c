/*
 * engines.c
 *	  Holds an engine against plain loops, without a server.
 *
 * For runs under a sanitizer, which a server would only be in the way of:
 *
 *		make t/engines
 *		t/engines cpu
 *		compute-sanitizer t/engines ./gpucompact_cuda.so
 *
 * A number after the engine is the largest count of elements to try, and one
 * after that an EngineAlgorithm.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/engine.h"

/* Around a cache line, a tile, a piece, a slot; each less and more by one. */
static const int64_t counts[] = {
	1, 32, 128, 256, 1024, 2048, 4096, 65536, 262144, 524288, 1048576,
	3000000, 5242880
};

typedef struct Data
{
	const char *name;
	int32_t		(*element) (int64_t i);
} Data;

static EngineAlgorithm algorithm = ALGORITHM_AUTO;
static uint64_t seed = 88172645463325252;

static int32_t
random_element(int64_t i)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int32_t) seed;
}

static int32_t
narrow_element(int64_t i)
{
	return random_element(i) % 1000 * (random_element(i) & 1);
}

static int32_t
constant_element(int64_t i)
{
	return -7;
}

static int32_t
sorted_element(int64_t i)
{
	return (int32_t) (i - 1000);
}

static int32_t
extreme_element(int64_t i)
{
	static const int32_t extremes[] = {INT_MIN, INT_MAX, 0, -1, 1};

	return extremes[(uint32_t) random_element(i) % 5];
}

static const Data data[] = {
	{"random", random_element},
	{"narrow", narrow_element},
	{"constant", constant_element},
	{"sorted", sorted_element},
	{"extreme", extreme_element}
};

static int
compare_up(const void *a, const void *b)
{
	int32_t		x = *(const int32_t *) a;
	int32_t		y = *(const int32_t *) b;

	return (x > y) - (x < y);
}

static int
compare_down(const void *a, const void *b)
{
	return compare_up(b, a);
}

/* What a request is to give; how many bytes of it there are. */
static size_t
expected(const EngineRequest *request, const int32_t *in, void *result)
{
	int64_t		count = request->count;
	int64_t    *sums = result;
	int32_t    *out = result;
	int64_t		sum = 0;
	int64_t		kept = 0;

	switch (request->operation)
	{
		case ENGINE_SCAN:
			for (int64_t i = 0; i < count; i++)
			{
				sums[i] = request->exclusive ? sum : sum + in[i];
				sum += in[i];
			}
			return count * sizeof(int64_t);
		case ENGINE_COMPACT:
			for (int64_t i = 0; i < count; i++)
			{
				if (in[i] != 0)
					out[kept++] = in[i];
			}
			return kept * sizeof(int32_t);
		case ENGINE_SORT:
			memcpy(out, in, count * sizeof(int32_t));
			qsort(out, count, sizeof(int32_t),
				  request->descending ? compare_down : compare_up);
			return count * sizeof(int32_t);
	}
	return 0;
}

static void
check(const Engine *engine, EngineStatus status)
{
	if (status == ENGINE_OK)
		return;
	fprintf(stderr, "status %d: %s\n", status, engine->message());
	exit(1);
}

/*
 * Runs a request, with half of the pieces put into the engine's buffers; how
 * many bytes its result has.
 */
static size_t
run(const Engine *engine, const EngineRequest *request, const int32_t *in)
{
	EngineJob  *job;
	EngineResult result = {0};
	EngineStatus status;
	int			piece = 0;

	check(engine, engine->begin(request, &job));
	for (int64_t done = 0; done < request->count; piece++)
	{
		void	   *buffer;
		int64_t		capacity;
		int64_t		left = request->count - done;
		const void *from = in + done;

		check(engine, engine->buffer(job, &buffer, &capacity));
		if (capacity > left)
			capacity = left;
		if (piece == 0 && capacity > 100)
			capacity = 99;		/* pieces need not fill their buffers */
		if (piece % 2 == 0)
			from = memcpy(buffer, from, capacity * sizeof(int32_t));
		check(engine, engine->push(job, from, capacity));
		done += capacity;
	}
	while ((status = engine->finish(job, &result)) == ENGINE_MORE)
		;
	check(engine, status);
	engine->end(job);
	return result.count * (request->operation == ENGINE_SCAN ?
						   sizeof(int64_t) : sizeof(int32_t));
}

static int
test(const Engine *engine, const Data *datum, int64_t count)
{
	int32_t    *in = malloc(count * sizeof(int32_t));
	char	   *result = malloc(count * sizeof(int64_t));
	char	   *reference = malloc(count * sizeof(int64_t));
	int			failures = 0;

	for (int64_t i = 0; i < count; i++)
		in[i] = datum->element(i);
	for (int variant = 0; variant < 12; variant++)
	{
		EngineRequest request = {
			.operation = (EngineOperation) (variant % 3),
			.algorithm = algorithm,
			.count = count,
			.exclusive = variant / 3 % 2,
			.descending = variant / 3 % 2,
			.threads = variant / 6 * 3 + 1,
			.result = result
		};
		size_t		bytes = expected(&request, in, reference);

		memset(result, 0xA5, count * sizeof(int64_t));
		if (run(engine, &request, in) != bytes ||
			memcmp(result, reference, bytes) != 0)
		{
			printf("FAILED: %s, %lld %s elements, variant %d\n", engine->name,
				   (long long) count, datum->name, variant);
			failures++;
		}
	}
	free(in);
	free(result);
	free(reference);
	return failures;
}

static const Engine *
open_engine(const char *name)
{
	void	   *library;
	const Engine *engine;

	if (strcmp(name, "cpu") == 0)
		return &cpu_engine;
	library = dlopen(name, RTLD_NOW);
	engine = library ? dlsym(library, ENGINE_SYMBOL) : NULL;
	if (engine == NULL)
	{
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return engine;
}

int
main(int argc, char **argv)
{
	const Engine *engine = open_engine(argc > 1 ? argv[1] : "cpu");
	int64_t		most = argc > 2 ? atoll(argv[2]) : INT64_MAX;
	int			tests = 0;
	int			failures = 0;

	if (argc > 3)
		algorithm = (EngineAlgorithm) atoi(argv[3]);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		for (int64_t count = counts[i] - 1; count <= counts[i] + 1; count++)
		{
			if (count < 1 || count > most)
				continue;
			for (size_t j = 0; j < sizeof(data) / sizeof(data[0]); j++)
			{
				failures += test(engine, &data[j], count);
				tests += 12;
			}
		}
	}
	printf("%s: %d tests, %d failures\n", engine->name, tests, failures);
	return failures != 0;
}
