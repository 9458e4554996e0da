/*
 * kernels_statistics.cu
 *	  The kernels of histograms and selections alone, on arrays that are on the
 *	  device: ours, CUB's, and a read of the array, in turn.
 *
 * Prints a line for each operation, type, data and size:
 *
 *		operation type data n by us reads spread checked
 *
 * "us" is the median over rounds of the time of one call, of several queued
 * after another, each on an array of its own, together larger than the cache;
 * "reads" is that time divided by the time in which CUB adds up the array in
 * the same round; "spread" is the range of the rounds' times, over their
 * median; "checked" whether the result is right.
 *
 * CUB's histogram has even buckets; ours finds even buckets as any others,
 * among thresholds.  CUB's DeviceTopK, which newer versions have, returns the
 * greatest 100 keys; our selection finds the last of these, and the median,
 * two terciles or nine deciles, for which CUB has nothing but a sort.
 *
 *		make bench/kernels_statistics && bench/kernels_statistics > results.txt
 *
 * An argument is a part of the names of the operations to measure, and one
 * after that the only size, or its logarithm: for a profiler, say.
 */
#include <cub/cub.cuh>
#if CUB_VERSION >= 300200
#include <cub/device/device_topk.cuh>
#define HAS_TOPK
#endif

#include "contract/order.h"
#include "kernels/common/kernels.h"
#include "bench.h"

#define ROUNDS		9
#define MAX_SETS	16
#define BUCKETS		256
#define TOP			100
#define MAX_RANKS	9

/* The memory that all calls share. */
static void *scratch;
static size_t scratch_bytes;
static void *table;
static void *answer;			/* on the device */
static long long *answers;		/* mapped */

/* The numbers are from -RANGE to RANGE - 1, which CUB's histogram can do. */
#define RANGE		(1 << 22)

template <typename T>
static const ElementKind element_kind = (T) 0.5 == 0 ? KIND_INT4 : KIND_FLOAT8;

static uint32_t
threshold(int x)
{
	return (uint32_t) x ^ 0x80000000u;
}

static uint64_t
threshold(double x)
{
	uint64_t	bits;

	memcpy(&bits, &x, sizeof(bits));
	return float8_order(float8_canonicalize(bits));
}

/* ------------------------------------------------------------ contenders */

template <typename T>
static void
sum(const T *in, int64_t n)
{
	CHECK(cub::DeviceReduce::Sum(scratch, scratch_bytes, in, (T *) answer,
								 (int) n));
}

template <typename T>
static DeviceWork
work_on(EngineRequest *request, const T *in, int64_t n)
{
	DeviceWork	work = {};

	request->inputs = 1;
	request->kinds[0] = element_kind<T>;
	request->count = n;
	request->table = table;
	work.request = request;
	work.in[0] = (void *) in;
	work.out[0] = answer;
	work.count = n;
	work.table = table;
	work.scratch = scratch;
	work.summary = answer;
	work.results = answers;
	return work;
}

/* Buckets below and above the range are there, but are empty. */
template <typename T>
static void
ours_histogram(const T *in, int64_t n)
{
	EngineRequest request = {};
	DeviceWork	work;

	request.operation = ENGINE_HISTOGRAM;
	request.table_bytes = (BUCKETS + 1) * sizeof(T);
	request.summary_bytes = (BUCKETS + 2) * sizeof(int);
	work = work_on(&request, in, n);
	CHECK(cudaMemsetAsync(answer, 0, request.summary_bytes));
	CHECK(cuda_histogram.run(&work));
}

template <typename T>
static void
cub_histogram(const T *in, int64_t n)
{
	CHECK(cub::DeviceHistogram::HistogramEven(scratch, scratch_bytes, in,
											  (int *) answer + 1, BUCKETS + 1,
											  (T) -RANGE, (T) RANGE, (int) n));
}

template <typename T, int RANKS>
static void
ours_select(const T *in, int64_t n)
{
	EngineRequest request = {};
	DeviceWork	work;

	request.operation = ENGINE_SELECT;
	request.table_bytes = RANKS * sizeof(int64_t);
	request.outputs[0].kind = element_kind<T>;
	work = work_on(&request, in, n);
	CHECK(cuda_select.run(&work));
}

#ifdef HAS_TOPK
template <typename T>
static void
cub_top(const T *in, int64_t n)
{
	auto		requirements = cuda::execution::require(
		cuda::execution::determinism::not_guaranteed,
		cuda::execution::output_ordering::unsorted);
	cuda::stream_ref stream {cudaStream_t {0}};

	CHECK(cub::DeviceTopK::MaxKeys(scratch, scratch_bytes, in, (T *) answer,
								   (int) n, TOP, cuda::std::execution::env {
									   stream, requirements}));
}
#endif

/* ------------------------------------------------------------ operations */

template <typename T>
struct Operation
{
	typedef void (*Run) (const T *in, int64_t n);

	const char *name;
	Run			ours;
	Run			cub;			/* or NULL */
	int			ranks;			/* of a selection; 0: a histogram */
	bool		top;			/* the last of TOP's rank; else even ranks */
};

template <typename T>
static const Operation<T> operations[] = {
	{"histogram", ours_histogram<T>, cub_histogram<T>, 0, false},
#ifdef HAS_TOPK
	{"select_top", ours_select<T, 1>, cub_top<T>, 1, true},
#else
	{"select_top", ours_select<T, 1>, NULL, 1, true},
#endif
	{"select_median", ours_select<T, 1>, NULL, 1, false},
	{"select_terciles", ours_select<T, 2>, NULL, 2, false},
	{"select_deciles", ours_select<T, MAX_RANKS>, NULL, MAX_RANKS, false}
};

static const char *const data_names[] = {"random", "skewed", "constant"};

template <typename T>
__global__ void
fill(T *items, int64_t n, int data, unsigned salt)
{
	for EACH_ITEM(i, n)
	{
		unsigned long long x = random_bits(i, salt);
		int			random = (int) (x >> 41) - RANGE;

		if (data == 1)
			random >>= x % 23;
		items[i] = (T) (data == 2 ? 7 : random);
	}
}

/* Makes the thresholds of a histogram, and its counts. */
template <typename T>
static size_t
prepare_histogram(const T *in, int64_t n, void *expected)
{
	decltype(threshold(T())) thresholds[BUCKETS + 1];
	double		width = 2.0 * RANGE / BUCKETS;
	size_t		bytes = (BUCKETS + 2) * sizeof(int);

	for (int i = 0; i <= BUCKETS; i++)
		thresholds[i] = threshold((T) (-RANGE + i * width));
	CHECK(cudaMemcpy(table, thresholds, sizeof(thresholds),
					 cudaMemcpyHostToDevice));
	CHECK(cudaMemset(answer, 0, bytes));
	cub_histogram(in, n);
	CHECK(cudaMemcpy(expected, answer, bytes, cudaMemcpyDeviceToHost));
	return bytes;
}

/* Makes the ranks of a selection, and the elements there. */
template <typename T>
static size_t
prepare_selection(const Operation<T> *operation, const T *in, int64_t n,
				  void *expected)
{
	long long	ranks[MAX_RANKS];
	T		   *sorted;

	for (int i = 0; i < operation->ranks; i++)
		ranks[i] = operation->top ? n - TOP :
			(i + 1) * n / (operation->ranks + 1);
	CHECK(cudaMemcpy(table, ranks, sizeof(ranks), cudaMemcpyHostToDevice));
	CHECK(cudaMalloc(&sorted, n * sizeof(T)));
	CHECK(cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, in, sorted,
										 (int) n));
	for (int i = 0; i < operation->ranks; i++)
		CHECK(cudaMemcpy((T *) expected + i, sorted + ranks[i], sizeof(T),
						 cudaMemcpyDeviceToHost));
	CHECK(cudaFree(sorted));
	return operation->ranks * sizeof(T);
}

/*
 * Returns the us of a call.  There is one call on each array.  The arrays are
 * filled before, because a selection may change them.
 */
template <typename T>
static float
measure(typename Operation<T>::Run run, T *const *arrays, int narrays,
		int64_t n, int data)
{
	for (int i = 0; i < narrays; i++)
		fill<<<1024, 256>>>(arrays[i], n, data, i);
	return us_of_each(narrays, [&](int i) { run(arrays[i], n); });
}

template <typename T>
static void
bench(const Operation<T> *operation, int data, int64_t n, T *const *arrays,
	  int narrays)
{
	static const char *const names[] = {"ours", "cub", "read"};
	const typename Operation<T>::Run runs[] = {
		operation->ours, operation->cub, sum<T>
	};
	char		expected[(BUCKETS + 2) * sizeof(int)];
	char		got[sizeof(expected)];
	size_t		bytes;
	Times		times[3];
	bool		same;

	for (int i = 0; i < narrays; i++)
		fill<<<1024, 256>>>(arrays[i], n, data, i);
	bytes = operation->ranks == 0 ?
		prepare_histogram(arrays[0], n, expected) :
		prepare_selection(operation, arrays[0], n, expected);
	operation->ours(arrays[0], n);
	CHECK(cudaMemcpy(got, answer, bytes, cudaMemcpyDeviceToHost));
	same = memcmp(expected, got, bytes) == 0;

	take_turns<ROUNDS>(times, [&](int i) {
		return runs[i] ? measure<T>(runs[i], arrays, narrays, n, data) : 0;
	});
	for (int i = 0; i < 3; i++)
	{
		if (runs[i])
			printf("%-15s %-6s %-9s %10lld %-5s %10.2f %6.2f %6.3f %s\n",
				   operation->name,
				   element_kind<T> == KIND_INT4 ? "int4" : "float8",
				   data_names[data], (long long) n, names[i], times[i].us,
				   times[i].us / times[2].us, times[i].spread,
				   same ? "yes" : "NO");
	}
	fflush(stdout);
}

template <typename T>
static void
bench_all(const char *only, int64_t n)
{
	T		   *arrays[MAX_SETS];
	T		   *none = NULL;
	int			narrays = 0;
	EngineRequest request = {};
	DeviceSizes sizes = {};

	/* The greatest scratch memory that a contender needs. */
	request.operation = ENGINE_SELECT;
	request.inputs = 1;
	request.kinds[0] = request.outputs[0].kind = element_kind<T>;
	request.count = n;
	request.table_bytes = MAX_RANKS * sizeof(int64_t);
	CHECK(cuda_select.sizes(&request, &sizes));
	scratch = NULL;
	CHECK(cub::DeviceRadixSort::SortKeys(NULL, scratch_bytes, none, none,
										 (int) n));
	sizes.scratch = std::max(sizes.scratch, scratch_bytes);
	cub_histogram(none, n);
	scratch_bytes = std::max(sizes.scratch, scratch_bytes) + 64 * 1024 * 1024;
	take_memory(&scratch, scratch_bytes);
	while (needs_set(narrays, MAX_SETS, n * sizeof(T)))
		take_memory(&arrays[narrays++], n * sizeof(T));
	for (const Operation<T> &operation : operations<T>)
	{
		for (int data = 0; data < 3; data++)
		{
			if (strstr(operation.name, only))
				bench(&operation, data, n, arrays, narrays);
		}
	}
	free_memory();
}

int
main(int argc, char **argv)
{
	static const int64_t sizes[] = {
		1 << 16, 1 << 20, 1 << 24, 1 << 27
	};

	CHECK(cudaMallocHost((void **) &answers, sizeof(*answers)));
	CHECK(cudaMalloc(&answer, 64 * 1024));
	CHECK(cudaMalloc(&table, 64 * 1024));
	printf("CUB %d.%d.%d\n", CUB_NUMBERS);
	printf("%-15s %-6s %-9s %10s %-5s %10s %6s %6s %s\n", "operation", "type",
		   "data", "n", "by", "us", "reads", "spread", "checked");
	for_sizes(sizes, ARGUMENT(2), [&](int64_t n) {
		bench_all<int>(ARGUMENT(1), n);
		bench_all<double>(ARGUMENT(1), n);
	});
	return 0;
}
