/*
 * engines.c
 *	  Compares an engine with plain loops, without a server.
 *
 * It is for sanitizers, which a server would hamper:
 *
 *		make t/engine/engines
 *		t/engine/engines cpu
 *		t/engine/engines ./gpucompact_gpu
 *
 * A program is started as a GPU process, and the engine whose jobs run there is
 * tested.  The second argument is the largest number of elements to test, or a
 * range such as 8447-8449; ranges from 1 on test threads, too.  The third one
 * is an EngineAlgorithm, and the fourth one the only family to test.  The
 * environment's GPUCOMPACT_TEST_CPU chooses code of the CPU engine: plain, avx2
 * or avx512.  With GPUCOMPACT_TEST_KERNEL=old, a kernel makes no pages ahead.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "contract/cpu_clones.h"
#include "gpuclient/gpu_engine.h"
#include "contract/order.h"
#include "engines.h"

/*
 * Fewer lanes than test_threads.c has threads, and slots so small that arrays
 * fill them.
 */
#define PROCESS_LANES		"5"
#define PROCESS_SLOT_BYTES	"262144"

const int64_t test_counts[] = {
	1, 2, 3, 31, 32, 33, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023,
	1024, 1025, 1535, 1536, 1537, 2047, 2048, 3071, 3072, 3073, 4095, 4096,
	4097, 6144, 6145, 8447, 8448, 8449, 9215, 9216, 9217, 10751, 10752, 10753,
	16897, 18433, 21845, 21846, 32768, 32769, 65535, 65536, 65537, 131071,
	131072, 131073, 135169, 262144, 393217, 396287, 396288, 396289, 405504,
	405505, 408575, 408576, 408577, 524287, 524288, 524289, 1048577, 1050624,
	1050625, 1081344, 1081345, 3000001, 5242881, 7299072, 7299073, 33554433, 0
};

const char *const data_names[TEST_DATA] = {
	"random", "narrow", "constant", "sorted", "extreme", "uneven"
};

/* Larger arrays have to be asked for. */
Options		options = {.least = 1, .most = 5242881};

const ElementKind number_kinds[NUMBER_KINDS] = {
	KIND_INT2, KIND_INT4, KIND_INT8, KIND_FLOAT4, KIND_FLOAT8
};

static TestFamily *families = NULL;
static int	tests = 0;
static int	failures = 0;

/*
 * The process that keeps the GPU process.  It ends when our end of a pipe is
 * closed.
 */
static pid_t keeper;
static int	keeper_lifeline;

uint64_t
next_bits(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t random_seed = 88172645463325252;

uint64_t
random_bits(void)
{
	return next_bits(&random_seed);
}

/*
 * Tests a family.  Its random numbers do not depend on what was tested before,
 * so that a failure is seen again when the family is tested alone.
 */
static void
run_family(const TestFamily *family, int64_t count, int data)
{
	random_seed = 88172645463325252;
	for (const char *c = family->name; *c; c++)
		random_seed = random_seed * 31 + *c;
	random_seed ^= (uint64_t) count << 8 ^ (uint64_t) data;
	if (family->test != NULL)
		family->test(count, data);
	for (int i = 0; i < family->kinds; i++)
	{
		ElementKind kind = family->kinds == NUMBER_KINDS ? number_kinds[i] :
			(ElementKind) i;
		OWNED void *in = malloc(count * sizeof(int64_t));

		make_data(kind, data, in, count);
		family->test_kind(kind, in, count, data);
	}
}

/*
 * Any number; in one case of 64 it is less than 4,096, and in one of 1,024
 * less than 16.
 */
static int64_t
uneven_bits(void)
{
	uint64_t	bits = random_bits();

	if (bits % 1024 == 1)
		return bits >> 60;
	return bits % 64 == 0 ? bits >> 52 : bits;
}

static int64_t
integer_datum(int data, int64_t i, int bits)
{
	int64_t		greatest = (int64_t) (UINT64_MAX >> (65 - bits));
	const int64_t extremes[] = {-greatest - 1, greatest, 0, -1, 1};

	switch (data)
	{
		case 0:
			return (int64_t) random_bits();
		case 1:
			return (int64_t) (random_bits() % 100) *
				(int64_t) (random_bits() & 1);
		case 2:
			return -7;
		case 3:
			return i - 1000;
		case 4:
			return extremes[random_bits() % 5];
		default:
			return uneven_bits();
	}
}

/* A float; the extremes include infinities, NaNs and -0. */
static double
float_datum(int data, int64_t i, bool wide)
{
	const double extremes[] = {
		-INFINITY, INFINITY, NAN, -NAN, 0.0, -0.0, 1.0, -1.0,
		wide ? DBL_MAX : FLT_MAX, wide ? -DBL_MAX : -FLT_MAX,
		wide ? DBL_MIN : FLT_MIN
	};

	if (data == 0)
		return ((double) (int64_t) random_bits()) / (1 << 30);
	if (data == 4)
		return extremes[random_bits() % 11];
	if (data == 5)
		return 3 + (double) uneven_bits() / (1 << 22);
	return (double) integer_datum(data, i, 32);
}

/* Fills an array with elements of a kind. */
void
make_data(ElementKind kind, int data, void *elements, int64_t count)
{
	bool		is_float = kind_is_float(kind);
	int			bits = 8 * kind_size(kind);

	for (int64_t i = 0; i < count; i++)
		put_value(kind, elements, i, (TestValue) {
			is_float ? 0 : integer_datum(data, i, bits),
			is_float ? float_datum(data, i, bits == 64) : 0
		});
}

void
expect(bool condition, const EngineRequest *request, const char *what,
	   int data)
{
	tests++;
	if (condition)
		return;
	failures++;
	printf("FAILED: %s: %s, kind %d, %lld %s elements, %d threads\n",
		   options.engine->name, what, request->kinds[0],
		   (long long) request->count, data_names[data], request->threads);
}

/*
 * The bytes of an element, on a little-endian machine.  A copy of a constant
 * number of bytes needs no call.
 */
static inline uint64_t
bits_at(ElementKind kind, const void *elements, int64_t i)
{
	int			size = kind_size(kind);
	const char *element = (const char *) elements + i * size;
	uint64_t	bits = 0;

	if (size == 8)
		memcpy(&bits, element, 8);
	else if (size == 4)
		memcpy(&bits, element, 4);
	else
		memcpy(&bits, element, size);
	return bits;
}

/* A load for each kind, as much of the tests' time goes here. */
TestValue
test_value(ElementKind kind, const void *elements, int64_t i)
{
	switch (kind)
	{
		case KIND_UINT1:
			return (TestValue) {((const uint8_t *) elements)[i], 0};
		case KIND_INT2:
			return (TestValue) {((const int16_t *) elements)[i], 0};
		case KIND_INT4:
			return (TestValue) {((const int32_t *) elements)[i], 0};
		case KIND_UINT4:
			return (TestValue) {((const uint32_t *) elements)[i], 0};
		case KIND_INT8:
			return (TestValue) {((const int64_t *) elements)[i], 0};
		case KIND_FLOAT4:
			return (TestValue) {0, ((const float *) elements)[i]};
		case KIND_FLOAT8:
			break;
	}
	return (TestValue) {0, ((const double *) elements)[i]};
}

/* On a little-endian machine; of a wider integer, the last bits. */
void
put_value(ElementKind kind, void *elements, int64_t i, TestValue value)
{
	int			size = kind_size(kind);
	float		narrow = (float) value.real;
	const void *from = kind == KIND_FLOAT4 ? (const void *) &narrow :
		kind == KIND_FLOAT8 ? (const void *) &value.real : &value.integer;

	memcpy((char *) elements + i * size, from, size);
}

/* The same as a double, whatever the kind. */
double
number_at(ElementKind kind, const void *elements, int64_t i)
{
	TestValue	value = test_value(kind, elements, i);

	return kind_is_float(kind) ? value.real : (double) value.integer;
}

void
put_number(ElementKind kind, void *elements, int64_t i, double number)
{
	bool		is_float = kind_is_float(kind);

	put_value(kind, elements, i, (TestValue) {
		is_float ? 0 : (int64_t) number, is_float ? number : 0
	});
}

/* An element's place in the order of its kind. */
uint64_t
index_of(ElementKind kind, const void *elements, int64_t i)
{
	switch (kind)
	{
		case KIND_FLOAT4:
			return float4_order(float4_canonicalize(
									((const uint32_t *) elements)[i]));
		case KIND_FLOAT8:
			return float8_order(float8_canonicalize(
									((const uint64_t *) elements)[i]));
		default:
			return (uint64_t) test_value(kind, elements, i).integer +
				kind_least(kind);
	}
}

/* The order of an element, as EnginePredicate has it. */
uint64_t
order_at(ElementKind kind, const void *elements, int64_t i)
{
	return index_of(kind, elements, i) + kind_least(kind);
}

/* An element by its place in the order; its bytes are the first of "bits". */
typedef struct Sorted
{
	uint64_t	index;
	uint64_t	bits;
} Sorted;

void
sort_elements(ElementKind kind, void *elements, int64_t count)
{
	int			size = kind_size(kind);
	char	   *bytes = elements;
	OWNED Sorted *sorted = malloc(count * sizeof(Sorted));

	for (int64_t i = 0; i < count; i++)
	{
		sorted[i].index = index_of(kind, elements, i);
		sorted[i].bits = bits_at(kind, elements, i);
	}
	qsort(sorted, count, sizeof(Sorted), compare_uint64);
	for (int64_t i = 0; i < count; i++)
		memcpy(bytes + i * size, &sorted[i].bits, size);
}

/* How many indexes, in order, are no greater than one. */
int64_t
count_up_to(const uint64_t *indexes, int64_t count, uint64_t index)
{
	int64_t		from = 0;

	while (from < count)
	{
		int64_t		middle = (from + count) / 2;

		if (indexes[middle] <= index)
			from = middle + 1;
		else
			count = middle;
	}
	return from;
}

int
compare_uint64(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return x < y ? -1 : x > y;
}

static void
check(EngineContext *context, EngineStatus status)
{
	if (status == ENGINE_OK)
		return;
	fprintf(stderr, "status %d: %s\n", status,
			context->engine->message(context));
	exit(1);
}

/*
 * Returns whether a request is run at once, not in steps: half of the requests
 * that can be.
 */
static bool
runs_at_once(const Engine *engine, const EngineRequest *request,
			 const void *const inputs[ENGINE_INPUTS])
{
	return engine->run != NULL && options.piece == 0 && inputs[0] != NULL &&
		request->nstages == 0 && request->count > 0 &&
		request_is_short(request) &&
		(request->count + request->threads) % 2 == 0;
}

/*
 * Runs a request in a context, at once or with some of the pieces put into the
 * engine's buffers, and some filled in by the engine.  An input that is NULL is
 * on the device.  Returns false if the algorithm does not support it.
 */
bool
run_request_in(EngineContext *context, const EngineRequest *request,
			   const void *const inputs[ENGINE_INPUTS], EngineResult *result)
{
	const Engine *engine = context->engine;
	EngineRequest paged = *request;
	Pages		pages = {
		.seed = request->count, .unpacks = input_size(request, 0) > 1
	};
	EngineStatus status;
	int			piece = request->count % 3;

	memset(result, 0, sizeof(*result));
	if (runs_at_once(engine, request, inputs))
	{
		status = engine->run(context, request, inputs, result);
		if (status != ENGINE_NOT_SUPPORTED)
			check(context, status);
		return status == ENGINE_OK;
	}
	paged.paged = engine->fill != NULL && request->count % 5 > 0;
	while ((status = engine->begin(context, &paged)) == ENGINE_MORE)
		;
	for (int64_t done = inputs[0] == NULL ? request->count : 0;
		 status == ENGINE_OK && done < request->count; piece++)
	{
		void	   *buffers[ENGINE_INPUTS];
		const void *data[ENGINE_INPUTS] = {NULL, NULL};
		int64_t		count;

		while ((status = engine->buffer(context, buffers,
										&count)) == ENGINE_MORE)
			;
		if (status != ENGINE_OK)
			break;
		if (options.piece > 0 && count > options.piece)
			count = options.piece;
		if (count > request->count - done)
			count = request->count - done;
		for (int i = 0; i < request->inputs; i++)
		{
			int			size = input_size(request, i);

			if (engine_has_piece(context, request, i, done, &count))
				continue;
			data[i] = (const char *) inputs[i] + done * size;
			if (piece % 3 == 1)
				data[i] = memcpy(buffers[i], data[i], count * size);
			if (piece % 3 == 2 && engine->fill)
				data[i] = fill_from_pages(&pages, context, i, buffers[i],
										  data[i], count * size);
		}
		check(context, engine->push(context, data, count));
		done += count;
	}
	free_pages(&pages, context);
	if (status == ENGINE_OK)
	{
		while ((status = engine->finish(context, result)) == ENGINE_MORE)
			;
	}
	if (status != ENGINE_NOT_SUPPORTED)
		check(context, status);
	engine->end(context);
	return status == ENGINE_OK;
}

/* A request of one input. */
EngineRequest
make_request(EngineOperation operation, ElementKind from, ElementKind to,
			 int64_t count)
{
	return (EngineRequest) {
		.operation = operation,
		.algorithm = options.algorithm,
		.inputs = 1,
		.kinds[0] = from,
		.outputs[0].kind = to,
		.count = count
	};
}

/*
 * Runs a request in the context of tests that run one job at a time, with room
 * for all results.  The caller must set request->inputs if there is a second
 * input.
 */
bool
run_request(EngineRequest *request, const void *first, const void *second,
			EngineResult *result)
{
	const void *inputs[ENGINE_INPUTS] = {first, second};

	request->algorithm = options.algorithm;
	if (request->inputs == 0)
		request->inputs = 1;
	request->room = most_results(request);
	return run_request_in(options.context, request, inputs, result);
}

static bool
same_results(ElementKind kind, const char *got, const Expected *expected)
{
	int			size = kind_size(kind);

	if (!expected->any_nan && expected->undefined == NULL)
		return memcmp(got, expected->results, expected->count * size) == 0;
	for (int64_t i = 0; i < expected->count; i++)
	{
		double		a = test_value(kind, got, i).real;
		double		b = test_value(kind, expected->results, i).real;

		if (!(expected->any_nan && isnan(a) && isnan(b)) &&
			!(expected->undefined != NULL && expected->undefined[i]) &&
			memcmp(got + i * size, (const char *) expected->results + i * size,
				   size) != 0)
			return false;
	}
	return true;
}

static bool
same_summary(const void *got, const Expected *expected, int64_t bytes)
{
	if (expected->summary == NULL)
		return true;
	return expected->same_summary != NULL ?
		expected->same_summary(got, expected->summary) :
		memcmp(got, expected->summary, bytes) == 0;
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE		23	/* of Linux 5.14 */
#endif

/* The kernel is as before that. */
static bool old_kernel = false;

/* The linker has madvise() call this. */
extern int	__wrap_madvise(void *start, size_t bytes, int advice);
extern int	__real_madvise(void *start, size_t bytes, int advice);

int
__wrap_madvise(void *start, size_t bytes, int advice)
{
	if (old_kernel && advice == MADV_POPULATE_WRITE)
	{
		errno = EINVAL;
		return -1;
	}
	return __real_madvise(start, bytes, advice);
}

/* Returns whether memory is as it was filled before a job. */
static bool
is_untouched(const char *memory, size_t bytes)
{
	return memory[0] == 0x55 && memcmp(memory, memory + 1, bytes - 1) == 0;
}

/*
 * Runs a request with one thread and with several, in memory for its results
 * and their summary, and compares what it returns.  Results begin at different
 * places in a cache line.
 */
void
expect_results(EngineRequest *request,
			   const void *const inputs[ENGINE_INPUTS],
			   const Expected *expected, const char *what, int data)
{
	int			size = output_size(request, 0);
	OWNED char *summary = malloc(request->summary_bytes + 1);
	OWNED char *memory;
	OWNED char *second;
	size_t		bytes;
	size_t		behind = request->absent * size + 1;
	EngineResult result;

	request->algorithm = options.algorithm;
	request->inputs = request->inputs == 0 ? 1 : request->inputs;
	request->room = most_results(request);
	bytes = request->room * size;
	memory = malloc(bytes + 3 * size + behind);
	second = malloc(request->room * output_size(request, 1));
	request->outputs[1].memory = expected->second != NULL ? second : NULL;
	request->summary = summary;
	for (request->threads = 1; request->threads <= 4; request->threads += 3)
	{
		char	   *got = memory + tests % 4 * size;

		request->outputs[0].memory = got;
		memset(got, 0x55, bytes + behind);
		memset(second, 0x55, request->room * output_size(request, 1));
		memset(summary, 0x55, request->summary_bytes);
		if (run_request_in(options.context, request, inputs, &result))
			expect(result.count == expected->count &&
				   (expected->errors == NULL ||
					result.errors == *expected->errors) &&
				   (result.overflow == expected->overflow ||
					(expected->any_overflow && result.overflow &&
					 expected->overflow)) &&
				   (expected->results == NULL ||
					same_results(request->outputs[0].kind, got, expected)) &&
				   (expected->second == NULL ||
					memcmp(second, expected->second, expected->count *
						   output_size(request, 1)) == 0) &&
				   same_summary(summary, expected, request->summary_bytes) &&
				   is_untouched(got + bytes, behind), request, what, data);
	}
}

/*
 * Runs a GPU process in the current directory until the other end of its
 * standard input is closed; then removes the directory, and exits.  Ignores
 * Ctrl-C and similar signals.
 */
static void
keep_process(const char *path, int lifeline, const char *directory)
{
	const int	signals[] = {SIGHUP, SIGINT, SIGTERM};
	char		socket[sizeof(GPU_SOCKET) + 10];
	pid_t		process;

	snprintf(socket, sizeof(socket), GPU_SOCKET, 0);
	for (int i = 0; i < 3; i++)
		(void) signal(signals[i], SIG_IGN);
	process = fork();
	if (process == 0)
	{
		for (int i = 0; i < 3; i++)
			(void) signal(signals[i], SIG_DFL);
		(void) dup2(lifeline, STDIN_FILENO);
		(void) execl(path, "gpucompact_gpu", "0", PROCESS_LANES,
					 PROCESS_SLOT_BYTES, socket, NULL);
		perror(path);
		_exit(1);
	}
	(void) waitpid(process, NULL, 0);
	(void) unlink(socket);
	(void) rmdir(directory);
	_exit(0);
}

/*
 * Starts a GPU process in a new directory.  Both go away when this process
 * ends, however it does.
 */
static void
start_process(const char *program)
{
	const char *parent = getenv("TMPDIR");
	char		directory[1024];
	char	   *path = realpath(program, NULL);
	int			lifeline[2];

	snprintf(directory, sizeof(directory), "%s/engines-XXXXXX",
			 parent != NULL ? parent : "/tmp");
	if (path == NULL || mkdtemp(directory) == NULL || chdir(directory) != 0 ||
		pipe(lifeline) != 0)
	{
		perror(program);
		exit(1);
	}
	keeper = fork();
	if (keeper == 0)
	{
		(void) close(lifeline[1]);
		keep_process(path, lifeline[0], directory);
	}
	(void) close(lifeline[0]);
	keeper_lifeline = lifeline[1];
	free(path);
}

/* Waits until it has ended. */
static void
end_process(void)
{
	(void) close(keeper_lifeline);
	(void) waitpid(keeper, NULL, 0);
}

/*
 * A context of the engine, connected to its process if it has one, which
 * starts in more than ten seconds under compute-sanitizer.
 */
EngineContext *
open_context(void)
{
	EngineContext *context = options.engine->open();
	const struct timespec moment = {0, 10000000};

	for (int i = 0; options.engine == &gpu_engine; i++)
	{
		GpuConnectStatus status = gpu_engine_connect(context, 0);

		if (status == GPU_CONNECTED)
			break;
		if (status == GPU_REFUSED || i > 10000)
		{
			fprintf(stderr, "%s\n", options.engine->message(context));
			exit(1);
		}
		(void) nanosleep(&moment, NULL);
	}
	return context;
}

static const Engine *
open_engine(const char *name)
{
	if (strcmp(name, "cpu") == 0)
		return &cpu_engine;
	start_process(name);
	return &gpu_engine;
}

/* Reads the range of counts: MOST or LEAST-MOST. */
static void
choose_counts(const char *argument)
{
	const char *dash = strchr(argument, '-');

	options.most = atoll(dash ? dash + 1 : argument);
	if (dash)
		options.least = atoll(argument);
}

static void
choose_cpu(const char *name)
{
	const char *const names[] = {"plain", "avx2", "avx512"};

	for (int i = 0; i < LENGTH(names); i++)
	{
		if (strcmp(name, names[i]) == 0 && cpu_has((CpuLevel) i) &&
			cpu_choose((CpuLevel) i))
			return;
	}
	fprintf(stderr, "there is no %s on this processor\n", name);
	exit(1);
}

/* Before main(). */
void
add_test_family(TestFamily *family)
{
	family->next = families;
	families = family;
}

int
main(int argc, char **argv)
{
	const char *only = argc > 4 ? argv[4] : "";

	if (getenv("GPUCOMPACT_TEST_CPU"))
		choose_cpu(getenv("GPUCOMPACT_TEST_CPU"));
	old_kernel = getenv("GPUCOMPACT_TEST_KERNEL") != NULL;
	options.engine = open_engine(argc > 1 ? argv[1] : "cpu");
	options.context = open_context();
	if (argc > 2)
		choose_counts(argv[2]);
	if (argc > 3)
		options.algorithm = (EngineAlgorithm) atoi(argv[3]);
	for (int i = 0; test_counts[i] > 0 && test_counts[i] <= options.most; i++)
	{
		if (test_counts[i] < options.least)
			continue;
		for (int data = 0; data < TEST_DATA; data++)
		{
			for (TestFamily *family = families; family; family = family->next)
			{
				if (strstr(family->name, only))
					run_family(family, test_counts[i], data);
			}
		}
	}
	if (strstr("utf8", only) && options.least == 1 && options.most > 4096)
		test_utf8_once();
	if (strstr("threads", only) && options.least == 1)
		test_threads();
	options.engine->close(options.context);
	if (options.engine == &gpu_engine)
		end_process();
	printf("%s: %d tests, %d failures\n", options.engine->name, tests,
		   failures);
	if (tests == 0)
		fprintf(stderr, "No family of this name has tests of this many elements.\n");
	return failures != 0 || tests == 0;
}
