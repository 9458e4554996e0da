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
 * after that the only size, or its logarithm: for a profiler, say.
 */
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
	double		bytes;			/* of an element, read and written */
	void		(*set) (EngineRequest *request);	/* or NULL */
	int			table;			/* integers of the table; negative: -table is
								 * the elements of the input for each */
	bool		increasing;		/* the elements, and the table's, increase */
	ElementKind out;			/* 0 if it is "kind" */
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

#define SET(assignment) [](EngineRequest *request) { assignment; }
#define SET_MAX		SET(PARAMETERS(request, ScanParameters)->op = SCAN_MAX)
#define SET_ADD		SET(PARAMETERS(request, ScanParameters)->op = SCAN_ADD)
#define SET_STATS	SET(request->summary_bytes = sizeof(EngineStats))
#define SET_BUCKET	SET(request->operation = ENGINE_BUCKET)

template <typename Summary>
static void
set_pairs(EngineRequest *request)
{
	request->inputs = 2;
	request->kinds[1] = request->kinds[0];
	request->summary_bytes = sizeof(Summary);
}

template <ScanOperator OP, bool AVERAGE>
static void
set_window(EngineRequest *request)
{
	request->operation = ENGINE_WINDOW;
	PARAMETERS(request, WindowParameters)->op = OP;
	PARAMETERS(request, WindowParameters)->average = AVERAGE;
	PARAMETERS(request, WindowParameters)->preceding = 99;
}

static void
set_union(EngineRequest *request)
{
	request->operation = ENGINE_SET;
	PARAMETERS(request, SetParameters)->op = SET_UNION;
	request->joined = request->count - request->count / 2;
}

static const Operation operations[] = {
	{"reduce_max", &cuda_reduce, KIND_INT4, 4, SET_MAX},
	{"reduce_add", &cuda_reduce, KIND_INT4, 4, SET_ADD},
	{"reduce_add_float8", &cuda_reduce, KIND_FLOAT8, 8, SET_ADD},
	{"scan_max", &cuda_scan, KIND_INT4, 8, SET_MAX},
	{"scan_add_float8", &cuda_scan, KIND_FLOAT8, 16, SET_ADD},
	{"delta", &cuda_delta, KIND_INT4, 8, NULL},
	{"delta_lagged", &cuda_delta, KIND_INT4, 8,
	SET(PARAMETERS(request, DeltaParameters)->lag = 7)},
	{"stats", &cuda_stats, KIND_INT4, 4, SET_STATS},
	{"stats_float8", &cuda_stats, KIND_FLOAT8, 8, SET_STATS},
	{"dot", &cuda_dot, KIND_INT4, 8, set_pairs<EngineDot>},
	{"dot_int8", &cuda_dot, KIND_INT8, 16, set_pairs<EngineDot>},
	{"dot_float4", &cuda_dot, KIND_FLOAT4, 8, set_pairs<EngineDot>},
	{"dot_float8", &cuda_dot, KIND_FLOAT8, 16, set_pairs<EngineDot>},
	{"regr", &cuda_regr, KIND_INT4, 8, set_pairs<EngineRegr>},
	{"regr_float8", &cuda_regr, KIND_FLOAT8, 16, set_pairs<EngineRegr>},
	{"bucket_3", &cuda_bucket, KIND_INT4, 8, SET_BUCKET, 3, true},
	{"bucket_1000", &cuda_bucket, KIND_INT4, 8, SET_BUCKET, 1000, true},
	{"take", &cuda_take, KIND_INT4, 12, NULL, -1},
	{"members_1000", &cuda_members, KIND_INT4, 8, NULL, 1000, true},
	{"members_100000", &cuda_members, KIND_INT4, 8, NULL, 100000, true},
	{"set_union", &cuda_set, KIND_INT4, 8, set_union, 0, true},
	{"group_of_1000", &cuda_group, KIND_INT4, 4, SET_MAX, -1000, true},
	{"groups_10", &cuda_group, KIND_INT4, 4, SET_MAX, 10, true},
	{"groups_10_sum", &cuda_group, KIND_FLOAT8, 8, NULL, 10, true},
	{"window_min", &cuda_window, KIND_INT4, 8, set_window<SCAN_MIN, false>},
	{"window_sum", &cuda_window, KIND_INT4, 12, set_window<SCAN_ADD, false>, 0,
	false, KIND_INT8},
	{"window_avg", &cuda_window, KIND_INT4, 12, set_window<SCAN_ADD, true>, 0,
	false, KIND_FLOAT8}
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
	for EACH_ITEM(i, n)
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
	for EACH_ITEM(i, count)
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
	request->table_bytes = count * sizeof(int);
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
bench(const Operation *operation, int64_t n, const Arrays *sets, int nsets)
{
	EngineRequest request = {};
	Times		times[2];		/* ours, and of a copy */

	/* A copy reads and writes together the bytes that the operation does. */
	size_t		copied = (size_t) (operation->bytes * n / 2);

	request.count = n;
	request.inputs = 1;
	request.kinds[0] = operation->kind;
	request.outputs[0].kind = operation->out ? operation->out :
		operation->kind;
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
	take_turns<ROUNDS>(times, [&](int copies) {
		return us_of_each(nsets, [&](int i) {
			if (copies)
				CHECK(cudaMemcpyAsync(sets[i].out, sets[i].in, copied,
									  cudaMemcpyDeviceToDevice));
			else
				run(operation, &request, &sets[i]);
		});
	});
	printf("%-18s %10lld %10.2f %6.3f %6.3f\n", operation->name,
		   (long long) n, times[0].us, times[1].us / times[0].us,
		   times[0].spread);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	static const int64_t sizes[] = {1 << 20, 1 << 24};
	CHECK(lookahead_open(&ahead));
	CHECK(cudaMalloc(&grid, sizeof(*grid)));
	CHECK(cudaMemset(grid, 0, sizeof(*grid)));
	CHECK(cudaMallocHost((void **) &results, sizeof(*results)));
	CHECK(cudaMallocHost((void **) &report, sizeof(*report)));
	CHECK(cudaMalloc(&summary, FIXED_BYTES));
	printf("%-18s %10s %10s %6s %6s\n", "operation", "n", "us", "copy",
		   "spread");
	for_sizes(sizes, ARGUMENT(2), [&](int64_t n) {
		Arrays		sets[MAX_SETS];
		int			nsets = 0;

		take_memory(&table, n * MAX_BYTES);
		take_memory(&scratch, n * SCRATCH_EACH + FIXED_BYTES);
		while (needs_set(nsets, MAX_SETS, n * 2 * MAX_BYTES))
		{
			take_memory(&sets[nsets].in, n * MAX_BYTES);
			take_memory(&sets[nsets++].out, n * MAX_BYTES);
		}
		for (const Operation &operation : operations)
		{
			if (strstr(operation.name, ARGUMENT(1)))
				bench(&operation, n, sets, nsets);
		}
		free_memory();
	});
	return 0;
}
