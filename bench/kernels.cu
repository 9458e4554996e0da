/*
 * kernels.cu
 *	  The kernels alone, on arrays that are on the device: ours, CUB's, and a
 *	  copy of the same number of bytes, in turn.
 *
 * Prints a line for each operation, data and size:
 *
 *		operation data n contender us GB/s of_copy spread checked
 *
 * "us" is the median over rounds of the time of one call, of several queued
 * after another, each on buffers of its own, together larger than the cache;
 * "of_copy" is the fraction of the bandwidth that a device copy has in the
 * same round; "spread" is the range of the rounds' times, over their median;
 * "checked" whether the result was CUB's.
 *
 *		make bench/kernels && bench/kernels > results.txt
 *
 * An argument is a part of the names of the operations to measure, and one
 * after that the only size, or its logarithm; 0 is all sizes.  A third one is a
 * part of the names of the data.
 */
#include "contract/operations/compact.h"
#include "sorts.h"

#define ROUNDS		9
#define MAX_SETS	64

static LookAhead ahead;
static long long *selected;
static DeviceReport *report;	/* on the device, as random sums do overflow */

/* ------------------------------------------------------------ contenders */

typedef void (*Run) (const Buffers *buffers, int64_t count);

template <ElementKind OUT>
static void
our_scan(const Buffers *b, int64_t n)
{
	DeviceWork	work = {};

	work.ahead = &ahead;
	work.report = report;
	CHECK(scan_add(&work, KIND_INT4, OUT, b->in, b->keys[1], n));
}

static void
cub_scan(const Buffers *b, int64_t n)
{
	CHECK(cub::DeviceScan::InclusiveSum(b->scratch, scratch_bytes,
										(int *) b->in, (int *) b->keys[1], n));
}

static void
cub_wide_scan(const Buffers *b, int64_t n)
{
	/* The sums' type is the initial value's. */
	CHECK(cub::DeviceScan::InclusiveScanInit(b->scratch, scratch_bytes,
											 (int *) b->in,
											 (long long *) b->keys[1],
											 cuda::std::plus<>{}, 0ll, n));
}

static void
our_compact(const Buffers *b, int64_t n)
{
	EngineRequest request = {};
	DeviceWork	work = {};

	request.inputs = 1;
	request.kinds[0] = KIND_INT4;
	PARAMETERS(&request, CompactParameters)->predicate.outside = true;
	work.ahead = &ahead;
	work.request = &request;
	work.in[0] = b->in;
	work.out[0] = b->keys[1];
	work.count = n;
	work.results = selected;
	CHECK(cuda_compact.run(&work));
}

struct NotZero
{
	__device__ bool
	operator() (int item) const
	{
		return item != 0;
	}
};

static void
cub_compact(const Buffers *b, int64_t n)
{
	CHECK(cub::DeviceSelect::If(b->scratch, scratch_bytes, (int *) b->in,
								(int *) b->keys[1], selected, n, NotZero()));
}

static void
copy(const Buffers *b, int64_t n)
{
	CHECK(cudaMemcpyAsync(b->keys[1], b->in, n * sizeof(int),
						  cudaMemcpyDeviceToDevice));
}

/* ---------------------------------------------------------------- data */

/*
 * The data.  Measurements are signed, and close to each other.  Counts of
 * words follow Zipf's law (with an exponent of 1, up to 10^6).  A sensor that
 * stops is a ramp, and then all values are equal.  Each customer has several
 * orders.  Three of four rows have a default value.
 */
#define ORDERS	16

typedef enum Data
{
	DATA_RANDOM,
	DATA_NARROW,
	DATA_CONSTANT,
	DATA_SORTED,
	DATA_UNEVEN,
	DATA_NORMAL,
	DATA_LOGNORMAL,
	DATA_ZIPF,
	DATA_RAMP,
	DATA_REPEATED,
	DATA_DEFAULT,
	DATA_WHOLE,
	DATA_UNIT,
	DATA_LAST = DATA_UNIT
} Data;

static const char *const data_names[] = {
	"random", "narrow", "constant", "sorted", "uneven", "normal", "lognormal",
	"zipf", "ramp", "repeated", "default", "whole", "unit"
};

#define DATA_BIT(data)	(1u << (data))
#define BITS			(DATA_BIT(DATA_NORMAL) - 1)
#define INTEGERS		(DATA_BIT(DATA_WHOLE) - 1)
#define FLOATS			(DATA_BIT(DATA_LAST + 1) - DATA_BIT(DATA_NORMAL))

/* The data that are numbers, and not bits. */
template <typename Item>
__device__ static inline Item
number(Data data, int64_t i, int64_t n, unsigned long long bits)
{
	const bool	is_float = (Item) 0.5 != 0;
	double		u = unit_number(bits);

	switch (data)
	{
		case DATA_NORMAL:
			return (Item) (normal_deviate(bits) *
						   (is_float ? 1 : sizeof(Item) == 4 ? 1e6 : 1e12));
		case DATA_LOGNORMAL:
			return (Item) exp(normal_deviate(bits) * 2 + (is_float ? 0 : 7));
		case DATA_ZIPF:
			return (Item) exp(u * log(1e6));
		case DATA_RAMP:
			return (Item) (i < n / 8 ? i : n / 8);
		case DATA_REPEATED:
			bits = random_bits(bits % (n / ORDERS), 0);
			if (is_float)
				return (Item) unit_number(bits);
			return (Item) (bits >> (64 - 8 * sizeof(Item)));
		case DATA_DEFAULT:
			return bits % 4 ? (Item) 0 :
				number<Item>(DATA_NORMAL, i, n, random_bits(bits, 0));
		case DATA_WHOLE:
			/* Without the negative zero, which equals zero. */
			return (Item) (rint(normal_deviate(bits) * 1e5) + 0.0);
		default:
			return (Item) u;
	}
}

/* If items of bits are wider than integers, several integers make an item. */
template <typename Item>
__global__ void
fill(void *items, int64_t n, Data data, bool halved, unsigned salt)
{
	bool		has_bits = BITS >> data & 1;
	int64_t		words = has_bits ? n * sizeof(Item) / sizeof(int) : n;

	for EACH_ITEM(i, words)
	{
		unsigned long long x = random_bits(i, salt);
		unsigned	random = (unsigned) (x >> 32);

		if (!has_bits)
			((Item *) items)[i] = number<Item>(data, i, n, x);
		else
			((int *) items)[i] = halved && (x & 1) ? 0 :
				data == DATA_RANDOM ? random :
				data == DATA_NARROW ? random & 0xFFFFF :
				data == DATA_CONSTANT ? 7 : data == DATA_SORTED ? (int) i :
				(int) (random >> x % 32);
	}
}

/* ---------------------------------------------------------- operations */

typedef void (*Fill) (void *items, int64_t n, Data data, bool halved,
					  unsigned salt);

typedef struct Operation
{
	const char *name;
	Run			ours;
	Run			cub;
	Fill		fill;
	unsigned	data;			/* a bit for each that it is measured on */
	double		bytes;			/* that must be moved, per item; 0 for a sort */
	size_t		in_size;		/* bytes of an item of the input */
	size_t		out_size;		/* bytes of an item of the result */
	bool		sorts;
	bool		halved;			/* half of the items are zeros */
} Operation;

static const Operation operations[] = {
	{"scan_int4_int4", our_scan<KIND_INT4>, cub_scan, fill<int>, BITS, 8, 4, 4,
	false, false},
	{"scan_int4_int8", our_scan<KIND_INT8>, cub_wide_scan, fill<int>, BITS, 12,
	4, 8, false, false},
	{"compact_half", our_compact, cub_compact, fill<int>, BITS, 6, 4, 4, false,
	true},
	{"sort", our_sort<KIND_INT4, false>, cub_sort<int, false>, fill<int>,
	INTEGERS, 8, 4, 4, true, false},
	{"sort_int8", our_sort<KIND_INT8, false>, cub_sort<long long, false>,
	fill<long long>, INTEGERS, 16, 8, 8, true, false},
	{"sort_float4", our_sort<KIND_FLOAT4, false>, cub_sort<float, false>,
	fill<float>, FLOATS, 8, 4, 4, true, false},
	{"sort_float8", our_sort<KIND_FLOAT8, false>, cub_sort<double, false>,
	fill<double>, FLOATS, 16, 8, 8, true, false}
};

/* Returns the us of a call.  There is one call for each set of buffers. */
static float
measure(const Operation *operation, Run run, const Buffers *sets, int nsets,
		int64_t n)
{
	for (int i = 0; operation->sorts && i < nsets; i++)
		CHECK(cudaMemcpyAsync(sets[i].keys[0], sets[i].in,
							  n * operation->in_size,
							  cudaMemcpyDeviceToDevice));
	return us_of_each(nsets, [&](int i) { run(&sets[i], n); });
}

/* The result of a contender on the first set, on the host. */
static char *
result_of(const Operation *operation, Run run, const Buffers *set, int64_t n,
		  size_t *bytes)
{
	char	   *result = (char *) malloc(n * operation->out_size);

	measure(operation, run, set, 1, n);
	*bytes = n * operation->out_size;
	if (operation->halved)
		*bytes = *selected * operation->out_size;
	CHECK(cudaMemcpy(result, set->keys[operation->sorts ? *selector : 1],
					 *bytes, cudaMemcpyDeviceToHost));
	return result;
}

static bool
same_result(const Operation *operation, const Buffers *set, int64_t n)
{
	size_t		bytes;
	size_t		cub_bytes;
	char	   *ours = result_of(operation, operation->ours, set, n, &bytes);
	char	   *cubs = result_of(operation, operation->cub, set, n, &cub_bytes);
	bool		same = bytes == cub_bytes && memcmp(ours, cubs, bytes) == 0;

	free(ours);
	free(cubs);
	return same;
}

static void
bench(const Operation *operation, Data data, int64_t n, Buffers *sets,
	  int nsets)
{
	static const char *const names[] = {"ours", "cub", "copy"};
	const Run	runs[] = {operation->ours, operation->cub, copy};
	Times		times[3];
	bool		same;

	for (int i = 0; i < nsets; i++)
		operation->fill<<<1024, 256>>>(sets[i].in, n, data,
									   operation->halved, i);
	same = same_result(operation, sets, n);

	take_turns<ROUNDS>(times, [&](int i) {
		return measure(operation, runs[i], sets, nsets, n);
	});
	for (int i = 0; i < 3; i++)
	{
		double		bytes = (i == 2 ? 8 : operation->bytes) * n;
		double		bandwidth = bytes / times[i].us / 1e3;
		double		copy_bandwidth = 8.0 * n / times[2].us / 1e3;

		printf("%-15s %-9s %10lld %-5s %10.2f %8.1f %6.3f %6.3f %s\n",
			   operation->name, data_names[data], (long long) n, names[i],
			   times[i].us, bandwidth, bandwidth / copy_bandwidth,
			   times[i].spread, same ? "yes" : "NO");
	}
	fflush(stdout);
}

/* Measures operations on n elements.  "only" is a part of their names. */
static void
bench_size(const char *only, const char *only_data, int64_t n)
{
	Buffers		sets[MAX_SETS];
	int			nsets = 0;
	Buffers		none = {};
	Sort		sort = sort_of(&none, KIND_INT8, false, n);
	size_t		scratch = sort_scratch_bytes(&sort);

	for (const Operation &operation : operations)
	{
		operation.cub(&none, n);
		scratch = scratch_bytes > scratch ? scratch_bytes : scratch;
	}
	scratch_bytes = scratch;
	while (needs_set(nsets, MAX_SETS, n * sizeof(int)))
	{
		Buffers    *set = &sets[nsets++];

		*set = {};
		take_memory(&set->in, n * sizeof(int64_t));
		take_memory(&set->keys[0], n * sizeof(int64_t));
		take_memory(&set->keys[1], n * sizeof(int64_t));
		take_memory(&set->scratch, scratch);
	}
	for (const Operation &operation : operations)
	{
		for (int data = 0; data <= DATA_LAST; data++)
		{
			if (strstr(operation.name, only) &&
				strstr(data_names[data], only_data) &&
				operation.data >> data & 1)
				bench(&operation, (Data) data, n, sets, nsets);
		}
	}
	free_memory();
}

int
main(int argc, char **argv)
{
	static const int64_t sizes[] = {
		1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 27
	};
	CHECK(lookahead_open(&ahead));
	CHECK(cudaMallocHost((void **) &selected, sizeof(*selected)));
	CHECK(cudaMallocHost((void **) &selector, sizeof(*selector)));
	CHECK(cudaMalloc((void **) &report, sizeof(*report)));
	printf("CUB %d.%d.%d\n", CUB_NUMBERS);
	printf("%-15s %-9s %10s %-5s %10s %8s %6s %6s %s\n", "operation", "data",
		   "n", "by", "us", "GB/s", "copy", "spread", "checked");
	for_sizes(sizes, ARGUMENT(2), [&](int64_t n) {
		bench_size(ARGUMENT(1), ARGUMENT(3), n);
	});
	return 0;
}
