/*
 * kernels_operations.cu
 *	  The kernels of the other operations alone, on arrays that are on the
 *	  device, and a copy of the bytes that each has to read and write, in turn.
 *
 * Prints a line for each operation and size:
 *
 *		operation n us of_copy spread
 *
 * "us" is the median over rounds of the time of one call, of several queued
 * after another, each on arrays of its own, together larger than the cache;
 * "of_copy" is the fraction of the bandwidth that a device copy has in the
 * same round; "spread" is the range of the rounds' times, over their median.
 * t/engine looks whether the results are right.
 *
 *		make bench/kernels_operations && bench/kernels_operations > results.txt
 *
 * An argument is a part of the names of the operations to measure, and one
 * after that the only size, as a power of two: for a profiler, say.
 */
#include <cstring>

#include "contract/operations/delta.h"
#include "contract/operations/dot.h"
#include "contract/operations/regr.h"
#include "contract/operations/stats.h"
#include "contract/operations/set.h"
#include "contract/operations/window.h"
#include "kernels/common/kernels.h"
#include "bench.h"

#define ROUNDS		7
#define MAX_SETS	8

/*
 * The most bytes of an element; the scratch memory for each element; and the
 * bytes of the summary and of the rest of the scratch memory.
 */
#define MAX_BYTES	8
#define SCRATCH_EACH	64
#define FIXED_BYTES	((size_t) 16 * 1024 * 1024)

typedef struct Operation
{
	const char *name;
	const DeviceOperation *operation;
	ElementKind kind;
	ElementKind out;
	double		bytes;			/* of an element, read and written */
	int			table;			/* elements of the table; negative: -table is
								 * the elements of the input for each */
	int			table_size;		/* bytes of one */
	bool		increasing;		/* the elements, and the table's, increase */
	void		(*set) (EngineRequest *request);	/* or NULL */
} Operation;

/* One set of arrays. */
typedef struct Arrays
{
	void	   *in;
	void	   *out;
} Arrays;

static LookAhead ahead;
static GridState *grid;
static char *table;
static char *summary;
static char *scratch;
static long long *results;		/* mapped */
static DeviceReport *report;	/* mapped */

/* ------------------------------------------------------------- requests */

static void
set_max(EngineRequest *request)
{
	PARAMETERS(request, ScanParameters)->op = SCAN_MAX;
}

static void
set_add(EngineRequest *request)
{
	PARAMETERS(request, ScanParameters)->op = SCAN_ADD;
}

static void
set_stats(EngineRequest *request)
{
	request->summary_bytes = sizeof(EngineStats);
}

static void
set_pairs(EngineRequest *request, size_t summary_bytes)
{
	request->inputs = 2;
	request->kinds[1] = request->kinds[0];
	request->summary_bytes = summary_bytes;
}

static void
set_dot(EngineRequest *request)
{
	set_pairs(request, sizeof(EngineDot));
}

static void
set_regr(EngineRequest *request)
{
	set_pairs(request, sizeof(EngineRegr));
}

static void
set_buckets(EngineRequest *request)
{
	request->operation = ENGINE_BUCKET;
}

static void
set_union(EngineRequest *request)
{
	request->operation = ENGINE_SET;
	PARAMETERS(request, SetParameters)->op = SET_UNION;
	request->joined = request->count - request->count / 2;
}

static void
set_window(EngineRequest *request, ScanOperator op, bool average)
{
	request->operation = ENGINE_WINDOW;
	PARAMETERS(request, WindowParameters)->op = op;
	PARAMETERS(request, WindowParameters)->average = average;
	PARAMETERS(request, WindowParameters)->preceding = 99;
}

static void
set_window_min(EngineRequest *request)
{
	set_window(request, SCAN_MIN, false);
}

static void
set_lag(EngineRequest *request)
{
	PARAMETERS(request, DeltaParameters)->lag = 7;
}

static void
set_window_sum(EngineRequest *request)
{
	set_window(request, SCAN_ADD, false);
}

static void
set_window_avg(EngineRequest *request)
{
	set_window(request, SCAN_ADD, true);
}

static const Operation operations[] = {
	{"reduce_max", &cuda_reduce, KIND_INT4, KIND_INT4, 4, 0, 0, false, set_max},
	{"reduce_add", &cuda_reduce, KIND_INT4, KIND_INT4, 4, 0, 0, false, set_add},
	{"reduce_add_float8", &cuda_reduce, KIND_FLOAT8, KIND_FLOAT8, 8, 0, 0,
		false, set_add},
	{"scan_max", &cuda_scan, KIND_INT4, KIND_INT4, 8, 0, 0, false, set_max},
	{"scan_add_float8", &cuda_scan, KIND_FLOAT8, KIND_FLOAT8, 16, 0, 0, false,
		set_add},
	{"delta", &cuda_delta, KIND_INT4, KIND_INT4, 8, 0, 0, false, NULL},
	{"delta_lagged", &cuda_delta, KIND_INT4, KIND_INT4, 8, 0, 0, false,
		set_lag},
	{"stats", &cuda_stats, KIND_INT4, KIND_INT4, 4, 0, 0, false, set_stats},
	{"stats_float8", &cuda_stats, KIND_FLOAT8, KIND_FLOAT8, 8, 0, 0, false,
		set_stats},
	{"dot", &cuda_dot, KIND_INT4, KIND_INT4, 8, 0, 0, false, set_dot},
	{"dot_int8", &cuda_dot, KIND_INT8, KIND_INT8, 16, 0, 0, false, set_dot},
	{"dot_float4", &cuda_dot, KIND_FLOAT4, KIND_FLOAT4, 8, 0, 0, false,
		set_dot},
	{"dot_float8", &cuda_dot, KIND_FLOAT8, KIND_FLOAT8, 16, 0, 0, false,
		set_dot},
	{"regr", &cuda_regr, KIND_INT4, KIND_INT4, 8, 0, 0, false, set_regr},
	{"regr_float8", &cuda_regr, KIND_FLOAT8, KIND_FLOAT8, 16, 0, 0, false,
		set_regr},
	{"bucket_3", &cuda_bucket, KIND_INT4, KIND_INT4, 8, 3, 4, true,
		set_buckets},
	{"bucket_1000", &cuda_bucket, KIND_INT4, KIND_INT4, 8, 1000, 4, true,
		set_buckets},
	{"take", &cuda_take, KIND_INT4, KIND_INT4, 12, -1, 4, false, NULL},
	{"members_1000", &cuda_members, KIND_INT4, KIND_INT4, 8, 1000, 4, true,
		NULL},
	{"members_100000", &cuda_members, KIND_INT4, KIND_INT4, 8, 100000, 4, true,
		NULL},
	{"set_union", &cuda_set, KIND_INT4, KIND_INT4, 8, 0, 0, true, set_union},
	{"group_of_1000", &cuda_group, KIND_INT4, KIND_INT4, 4, -1000, 4, true,
		set_max},
	{"groups_10", &cuda_group, KIND_INT4, KIND_INT4, 4, 10, 4, true, set_max},
	{"groups_10_sum", &cuda_group, KIND_FLOAT8, KIND_FLOAT8, 8, 10, 4, true,
		NULL},
	{"window_min", &cuda_window, KIND_INT4, KIND_INT4, 8, 0, 0, false,
		set_window_min},
	{"window_sum", &cuda_window, KIND_INT4, KIND_INT8, 12, 0, 0, false,
		set_window_sum},
	{"window_avg", &cuda_window, KIND_INT4, KIND_FLOAT8, 12, 0, 0, false,
		set_window_avg}
};

/* --------------------------------------------------------------- arrays */

/*
 * Random numbers from 0 to n - 1; all but 0 are positions.  Or increasing
 * numbers, each half from the beginning.
 */
template <typename T>
__global__ void
fill(T *items, int64_t n, bool increasing, unsigned salt)
{
	for (int64_t i = blockIdx.x * (int64_t) blockDim.x + threadIdx.x; i < n;
		 i += (int64_t) gridDim.x * blockDim.x)
	{
		unsigned long long x = random_bits(i, salt);

		items[i] = (T) (increasing ? 2 * (i % (n / 2)) + (x & 1) :
						x % n);
	}
}

/* Even thresholds, members or positions of groups from 1 on. */
__global__ void
fill_table(unsigned *items, int64_t count, int64_t n, unsigned least)
{
	for (int64_t i = blockIdx.x * (int64_t) blockDim.x + threadIdx.x;
		 i < count; i += (int64_t) gridDim.x * blockDim.x)
		items[i] = least + 1 + (unsigned) (i * n / count);
}

static void
make_table(const Operation *operation, EngineRequest *request)
{
	int64_t		n = request->count;
	bool		orders = operation->operation != &cuda_group &&
		operation->operation != &cuda_members;
	int64_t		count = operation->table >= 0 ? operation->table :
		n / -operation->table;

	request->table = table;
	request->table_bytes = count * operation->table_size;
	if (operation->operation == &cuda_take)
		fill<<<1024, 256>>>((int *) table, n, false, 1);
	else if (count > 0 && operation->table != 0)
		fill_table<<<1024, 256>>>((unsigned *) table, count, n,
								  orders ? 0x80000000u : 0);
}

/* -------------------------------------------------------------- running */

static void
run(const Operation *operation, EngineRequest *request, const Arrays *arrays)
{
	const DeviceOperation *device = operation->operation;
	DeviceWork	work = {};

	work.ahead = &ahead;
	work.grid = grid;
	work.request = request;
	work.in[0] = arrays->in;
	work.in[1] = arrays->out;	/* of pairs: the first input, copied there */
	work.out[0] = arrays->out;
	work.count = request->count;
	work.table = table;
	work.summary = summary;
	work.scratch = scratch;
	work.results = results;
	work.report = report;
	CHECK(device->run(&work));
}

static void
copy(const Arrays *arrays, size_t bytes)
{
	CHECK(cudaMemcpyAsync(arrays->out, arrays->in, bytes,
						  cudaMemcpyDeviceToDevice));
}

/* Returns the us of a call, or of a copy if there is no operation. */
static float
measure(const Operation *operation, EngineRequest *request,
		const Arrays *sets, int nsets, size_t copied)
{
	start_timer();
	for (int i = 0; i < nsets; i++)
	{
		if (operation)
			run(operation, request, &sets[i]);
		else
			copy(&sets[i], copied);
	}
	return stop_timer(nsets);
}

static void
bench(const Operation *operation, int64_t n, const Arrays *sets, int nsets)
{
	EngineRequest request = {};
	float		ours[ROUNDS];
	float		copies[ROUNDS];
	float		us;

	/* A copy reads and writes together the bytes that the operation does. */
	size_t		copied = (size_t) (operation->bytes * n / 2);

	request.count = n;
	request.inputs = 1;
	request.kinds[0] = operation->kind;
	request.outputs[0].kind = operation->out;
	request.outputs[0].memory = sets[0].out;
	request.room = n;
	make_table(operation, &request);
	if (operation->set)
		operation->set(&request);
	for (int i = 0; i < nsets; i++)
	{
		if (kind_size(operation->kind) == 8)
			fill<<<1024, 256>>>((double *) sets[i].in, n,
								operation->increasing, i);
		else
			fill<<<1024, 256>>>((int *) sets[i].in, n,
								operation->increasing, i);
	}
	for (int round = -1; round < ROUNDS; round++)
	{
		float		our_us = measure(operation, &request, sets, nsets, 0);
		float		copy_us = measure(NULL, NULL, sets, nsets, copied);

		if (round >= 0)
		{
			ours[round] = our_us;
			copies[round] = copy_us;
		}
	}

	us = median(ours, ROUNDS);
	printf("%-18s %10lld %10.2f %6.3f %6.3f\n", operation->name,
		   (long long) n, us, median(copies, ROUNDS) / us,
		   (ours[ROUNDS - 1] - ours[0]) / us);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	static const int64_t sizes[] = {1 << 20, 1 << 24};
	const char *only = argc > 1 ? argv[1] : "";
	int64_t		only_size = argc > 2 ? (int64_t) 1 << atoi(argv[2]) : 0;

	CHECK(lookahead_open(&ahead));
	CHECK(cudaMalloc(&grid, sizeof(*grid)));
	CHECK(cudaMemset(grid, 0, sizeof(*grid)));
	CHECK(cudaMallocHost((void **) &results, sizeof(*results)));
	CHECK(cudaMallocHost((void **) &report, sizeof(*report)));
	CHECK(cudaMalloc(&summary, FIXED_BYTES));
	printf("%-18s %10s %10s %6s %6s\n", "operation", "n", "us", "copy",
		   "spread");
	for (int64_t n : sizes)
	{
		Arrays		sets[MAX_SETS];
		int			nsets = 0;

		if (only_size != 0 && n != only_size)
			continue;
		CHECK(cudaMalloc(&table, n * MAX_BYTES));
		CHECK(cudaMalloc(&scratch, n * SCRATCH_EACH + FIXED_BYTES));
		while (needs_set(nsets, MAX_SETS, n * 2 * MAX_BYTES))
		{
			CHECK(cudaMalloc(&sets[nsets].in, n * MAX_BYTES));
			CHECK(cudaMalloc(&sets[nsets++].out, n * MAX_BYTES));
		}
		for (const Operation &operation : operations)
		{
			if (strstr(operation.name, only))
				bench(&operation, n, sets, nsets);
		}
		for (int i = 0; i < nsets; i++)
		{
			CHECK(cudaFree(sets[i].in));
			CHECK(cudaFree(sets[i].out));
		}
		CHECK(cudaFree(table));
		CHECK(cudaFree(scratch));
	}
	return 0;
}
