/*
 * benchmark.c
 *	  The algorithms side by side, as a table.
 *
 * The table has what a course's test program prints.  Each operation is run by
 * each algorithm, on an array whose length is a power of two (by default), and
 * on an array that is shorter by three.  A row says how long the run took, and
 * whether the result is right.
 */
#include "sql/function.h"

#include <math.h>

#include "utils/guc.h"

#include "settings.h"

/* Each time is the median of this many runs, after a warm-up. */
#define BENCHMARK_RUNS	5

/*
 * An algorithm of the textbooks on the CPU.  It writes results of 4 bytes into
 * "result", which has room for 8 bytes per element, and returns how many there
 * are.
 */
typedef int64 (*TextbookFunction) (const int32 *elements, int64 count,
								   int32 *result);

#define ST_SORT			sort_elements
#define ST_ELEMENT_TYPE	int32
#define ST_COMPARE(a, b) ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE		static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * The elements that are not zero, by map, scan and scatter, as GPUs compact
 * (Harris, Sengupta and Owens, "Parallel prefix sum (scan) with CUDA", 2007).
 * The flags, and then their sums, are in the unused half of the result's
 * memory.
 */
static int64
textbook_compact(const int32 *elements, int64 count, int32 *result)
{
	int32	   *sums = result + count;
	int32		sum = 0;

	for (int64 i = 0; i < count; i++)	/* map */
	{
		if (i % CHECK_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		sums[i] = elements[i] != 0;
	}
	for (int64 i = 0; i < count; i++)	/* scan, exclusive */
	{
		int32		flag = sums[i];

		if (i % CHECK_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		sums[i] = sum;
		sum += flag;
	}
	for (int64 i = 0; i < count; i++)	/* scatter */
	{
		if (i % CHECK_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		if (elements[i] != 0)
			result[sums[i]] = elements[i];
	}
	return sum;
}

/* The elements in ascending order, by core's sort, which compares them. */
static int64
textbook_sort(const int32 *elements, int64 count, int32 *result)
{
	move_bytes(result, elements, count * sizeof(int32));
	sort_elements(result, count);
	return count;
}

typedef struct BenchmarkAlgorithm
{
	const char *name;
	EngineAlgorithm algorithm;
	int			engine;			/* its number */
	EngineOperation only;		/* the one operation of a textbook's function */
	TextbookFunction textbook;	/* NULL: an engine does it */
} BenchmarkAlgorithm;

/* The first is the one that the others are compared with. */
static const BenchmarkAlgorithm algorithms[] = {
	{"sequential", ALGORITHM_SEQUENTIAL, ENGINE_CPU},
	{
		"with_scan", .engine = ENGINE_CPU,
		.only = ENGINE_COMPACT, .textbook = textbook_compact
	},
	{
		"comparison", .engine = ENGINE_CPU,
		.only = ENGINE_SORT, .textbook = textbook_sort
	},
	{"parallel", ALGORITHM_PARALLEL, ENGINE_CPU},
	{"naive", ALGORITHM_NAIVE, ENGINE_CUDA},
	{"work_efficient", ALGORITHM_WORK_EFFICIENT, ENGINE_CUDA},
	{"single_pass", ALGORITHM_SINGLE_PASS, ENGINE_CUDA},
	{"cub", ALGORITHM_CUB, ENGINE_CUDA}
};

typedef struct BenchmarkOperation
{
	const char *name;
	EngineRequest request;
	int			zeros;			/* one in "zeros" elements is 0; 0: random */
} BenchmarkOperation;

static const BenchmarkOperation operations[] = {
	{"scan", {.operation = ENGINE_SCAN, .outputs[0].kind = KIND_INT8}},
	{"compact", {.operation = ENGINE_COMPACT, .outputs[0].kind = KIND_INT4}, 2},
	{"sort", {.operation = ENGINE_SORT, .outputs[0].kind = KIND_INT4}}
};

/* A run of the benchmark. */
typedef struct Benchmark
{
	FunctionCallInfo fcinfo;
	bool		runs[ENGINES];	/* the engines that can run here */
	Datum		array;			/* what is worked on */
	int64		count;			/* its elements */
	char	   *expected;		/* the result of the sequential algorithm */
	char	   *result;
	int64		bytes;			/* of what it made */
} Benchmark;

/* Random integers, the same in each run (xorshift: Marsaglia, 2003). */
static Datum
make_array(int64 count, int zeros)
{
	ArrayWriter writer;
	int32	   *elements;
	uint64		random = UINT64CONST(88172645463325252);

	array_writer_begin_list(&writer, int4_type, count);
	elements = (int32 *) writer.values;
	for (int64 i = 0; i < count; i++)
	{
		if (i % CHECK_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		elements[i] = zeros > 0 && random % zeros == 0 ?
			0 : (int32) (random >> 32);
	}
	return array_writer_finish(&writer);
}

/*
 * Runs a request once, by the algorithm that is set, or by a textbook's
 * function.  Returns how long it takes, in ms: on a GPU, its kernels alone.
 */
static double
run_once(Benchmark *benchmark, const EngineRequest *what,
		 const BenchmarkAlgorithm *by, int64 *bytes)
{
	ArrayType  *array = DatumGetArrayTypeP(benchmark->array);
	EngineRequest request = *what;
	EngineResult result = {0};
	ArrayReader reader;
	instr_time	begin;
	instr_time	end;

	array_reader_open(&reader, benchmark->array, NULLS_DROPPED, NULL);
	request.count = reader.count;
	request.outputs[0].memory = benchmark->result;
	if (request.operation == ENGINE_COMPACT)
		PARAMETERS(&request, CompactParameters)->predicate.outside = true;
	INSTR_TIME_SET_CURRENT(begin);
	if (by->textbook == NULL)
		result = call_engine(&request, &reader);
	else
		result.count = by->textbook((int32 *) ARR_DATA_PTR(array),
									request.count,
									(int32 *) benchmark->result);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, begin);
	array_reader_close(&reader);
	*bytes = result.count * output_size(&request, 0);
	return result.on_device ? result.kernel_ms : INSTR_TIME_GET_MILLISEC(end);
}

/* Returns the median of the times that an algorithm takes, in ms. */
static double
time_algorithm(Benchmark *benchmark, const EngineRequest *what,
			   const BenchmarkAlgorithm *by, int64 *bytes)
{
	double		times[BENCHMARK_RUNS];	/* in ascending order */

	setting_algorithm = by->algorithm;
	for (int run = -1; run < BENCHMARK_RUNS; run++)
	{
		double		ms = run_once(benchmark, what, by, bytes);

		/* Inserts it. */
		for (int i = 0; i <= run; i++)
		{
			double		other = i < run ? times[i] : ms;

			times[i] = Min(ms, other);
			ms = Max(ms, other);
		}
	}
	return times[BENCHMARK_RUNS / 2];
}

/* The time that an engine takes to copy the array. */
static double
time_copy(Benchmark *benchmark, int engine)
{
	static const EngineRequest copy = {
		.operation = ENGINE_COPY,
		.outputs[0].kind = KIND_INT4
	};
	BenchmarkAlgorithm any = {.algorithm = ALGORITHM_AUTO};
	int64		bytes;
	double		ms;

	setting_engine = engine;
	ms = time_algorithm(benchmark, &copy, &any, &bytes);
	setting_engine = ENGINE_AUTO;
	return ms;
}

static void
put_time(Benchmark *benchmark, const BenchmarkOperation *operation,
		const BenchmarkAlgorithm *by, double ms, bool correct)
{
	int64		count = benchmark->count;
	double		bytes = count * sizeof(int32) + (double) benchmark->bytes;
	double		of_copy = bytes / (2.0 * count * sizeof(int32)) / ms *
		time_copy(benchmark, by->engine);
	NullableDatum row[] = {
		{CStringGetTextDatum(operation->name)},
		{CStringGetTextDatum(by->name)},
		{Int32GetDatum((int32) count)},
		{CStringGetTextDatum(session_engines[by->engine]->name)},
		{Float8GetDatum(rint(ms * 10000) / 10000)},
		{Float8GetDatum(rint(count / ms * 1000))},
		{Float8GetDatum(rint(of_copy * 1e6) / 1e6)},
		{BoolGetDatum(correct)}
	};

	put_row(benchmark->fcinfo, row, lengthof(row));
}

/*
 * Runs an operation on an array of that length, by each algorithm that does it
 * here.  The parallel algorithm does not on fewer than "team_count" elements,
 * where its threads would do little but wait for each other.
 */
static void
run_operation(Benchmark *benchmark, const BenchmarkOperation *operation,
			  int64 count)
{
	EngineOperation what = operation->request.operation;
	const EngineCost *costs = operation_facts[what].costs;
	int64		bytes;

	benchmark->array = make_array(count, operation->zeros);
	benchmark->count = count;
	benchmark->result = palloc(count * sizeof(int64));
	benchmark->expected = palloc(count * sizeof(int64));
	for (int i = 0; i < lengthof(algorithms); i++)
	{
		const BenchmarkAlgorithm *by = &algorithms[i];
		double		ms;

		if (!benchmark->runs[by->engine] ||
			(by->textbook != NULL && by->only != what) ||
			(by->algorithm == ALGORITHM_PARALLEL &&
			 count < costs[by->engine].team_count))
			continue;
		ms = time_algorithm(benchmark, &operation->request, by, &bytes);
		if (i == 0)
		{
			benchmark->bytes = bytes;
			move_bytes(benchmark->expected, benchmark->result, bytes);
		}
		put_time(benchmark, operation, by, ms,
				bytes == benchmark->bytes &&
				memcmp(benchmark->result, benchmark->expected, bytes) == 0);
	}
	pfree(DatumGetPointer(benchmark->array));
	pfree(benchmark->result);
	pfree(benchmark->expected);
}

/*
 * gpucompact_benchmark(n integer) returns setof record
 *
 * A row for each operation, length (n, and n less 3) and algorithm: the time
 * that its kernels take on the GPU, or that it takes on the CPU, and what
 * follows from the time.  Needs 20 bytes of memory per element.  Whatever the
 * settings are, it goes through all algorithms that can run here.
 */
SQL_FUNCTION(gpucompact_benchmark)
{
	int64		n = PG_GETARG_INT32(0);
	int			settings;
	Benchmark	benchmark = {fcinfo};
	const char *why_not;

	if (n < 4 || n * sizeof(int64) > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the number of elements must be between 4 and %d",
						(int) (MaxAllocSize / sizeof(int64)))));
	InitMaterializedSRF(fcinfo, 0);
	benchmark.runs[ENGINE_CPU] = true;
	benchmark.runs[ENGINE_CUDA] =
		session_gpu_state(true, &why_not) == GPU_READY;
	settings = NewGUCNestLevel();
	(void) set_config_option("gpucompact.engine", "auto", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("gpucompact.algorithm", "auto", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	for (int i = 0; i < lengthof(operations); i++)
	{
		run_operation(&benchmark, &operations[i], n);
		run_operation(&benchmark, &operations[i], n - 3);
	}
	AtEOXact_GUC(true, settings);
	return (Datum) 0;
}
