/*
 * kernels_utf8.cu
 *	  The decoding of UTF-8 alone, on bytes that are on the device, and a copy,
 *	  in turn.
 *
 * Prints a line for each kind of text and size:
 *
 *		text bytes by us GB/s of_copy spread checked
 *
 * "us" is the median over rounds of the time of one call, of several queued
 * after another, each on buffers of its own, together larger than the cache;
 * "GB/s" counts the bytes read and the bytes of the code points written, which
 * are also the bytes of a copy; "spread" is the range of the rounds' times,
 * over their median; "checked" whether all code points are right.
 *
 *		make bench/kernels_utf8 && bench/kernels_utf8 > results.txt
 *
 * An argument is a part of the names of the texts to measure, and one after
 * that the only size, or its logarithm: for a profiler, say.
 */
#include "kernels/common/kernels.h"
#include "bench.h"

#define ROUNDS		9
#define MAX_SETS	64

/* One set of buffers. */
typedef struct Buffers
{
	unsigned char *in;
	int		   *out;
	DeviceErrors *errors;
} Buffers;

/*
 * A text: its code points are drawn from a range, and some are "other".  A
 * value that is not a code point stands for the byte FF.
 */
typedef struct Text
{
	const char *name;
	unsigned	least;
	unsigned	most;
	unsigned	other;			/* one of seventeen, unless it is zero */
} Text;

static const Text texts[] = {
	{"ascii", 0x20, 0x7E, 0},
	{"cyrillic", 0x410, 0x44F, ' '},
	{"cjk", 0x4E00, 0x9FFF, 0},
	{"emoji", 0x1F300, 0x1F5FF, 0},
	{"noise", 0x20, 0x7E, 0xFFFFFFFF}
};

static LookAhead ahead;
static DeviceReport *report;

static int
put_code_point(unsigned char *to, unsigned value)
{
	static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
	int			length = value < 0x80 ? 1 : value < 0x800 ? 2 :
		value < 0x10000 ? 3 : 4;

	if (value > 0x10FFFF)
	{
		to[0] = 0xFF;
		return 1;
	}
	for (int i = length - 1; i > 0; i--, value >>= 6)
		to[i] = 0x80 | (value & 0x3F);
	to[0] = leads[length] | value;
	return length;
}

/*
 * Fills "count" bytes; the last ones are spaces.  Returns the number of code
 * points.
 */
static int64_t
fill(const Text *text, unsigned char *bytes, int64_t count, int *code_points)
{
	unsigned long long random = 88172645463325252;
	int64_t		at = 0;
	int64_t		made = 0;

	while (at < count)
	{
		unsigned	value;

		random = random * 6364136223846793005 + 1442695040888963407;
		value = text->least +
			(unsigned) (random >> 33) % (text->most - text->least + 1);
		if (text->other != 0 && (random >> 20) % 17 == 0)
			value = text->other;
		if (count - at < 4)
			value = ' ';
		at += put_code_point(bytes + at, value);
		code_points[made++] = value > 0x10FFFF ? 0xFFFD : (int) value;
	}
	return made;
}

static void
decode(const Buffers *set, int64_t count)
{
	EngineRequest request = {};
	DeviceWork	work = {};

	request.count = work.count = count;
	work.ahead = &ahead;
	work.request = &request;
	work.in[0] = set->in;
	work.out[0] = set->out;
	work.scratch = set->errors;
	work.results = &report->results;
	work.report = report;
	CHECK(cuda_utf8_decode.run(&work));
}

static bool
is_right(const Buffers *set, int64_t count, const int *code_points,
		 int64_t made)
{
	int		   *got = (int *) malloc(made * sizeof(int));
	bool		right;

	decode(set, count);
	CHECK(cudaMemcpy(got, set->out, made * sizeof(int),
					 cudaMemcpyDeviceToHost));
	right = report->results == made &&
		memcmp(got, code_points, made * sizeof(int)) == 0;
	free(got);
	return right;
}

static void
bench(const Text *text, int64_t count, const Buffers *sets, int nsets)
{
	static const char *const names[] = {"ours", "copy"};
	unsigned char *bytes = (unsigned char *) malloc(count);
	int		   *code_points = (int *) malloc(count * sizeof(int));
	int64_t		made = fill(text, bytes, count, code_points);
	double		moved = count + made * (double) sizeof(int);
	/* The bytes that a copy moves to the other half of the output, aligned. */
	int64_t		copied = (int64_t) (moved / 2) / 256 * 256;
	Times		times[2];
	bool		right;

	for (int i = 0; i < nsets; i++)
		CHECK(cudaMemcpy(sets[i].in, bytes, count, cudaMemcpyHostToDevice));
	right = is_right(&sets[0], count, code_points, made);
	take_turns<ROUNDS>(times, [&](int copies) {
		return us_of_each(nsets, [&](int i) {
			if (copies)
				CHECK(cudaMemcpyAsync((char *) sets[i].out + copied,
									  sets[i].out, copied,
									  cudaMemcpyDeviceToDevice));
			else
				decode(&sets[i], count);
		});
	});
	for (int i = 0; i < 2; i++)
		printf("%-10s %10lld %-5s %10.2f %8.1f %6.3f %6.3f %s\n", text->name,
			   (long long) count, names[i], times[i].us,
			   moved / times[i].us / 1e3, times[1].us / times[i].us,
			   times[i].spread, right ? "yes" : "NO");
	fflush(stdout);
	free(bytes);
	free(code_points);
}

int
main(int argc, char **argv)
{
	static const int64_t sizes[] = {1 << 16, 1 << 20, 1 << 24, 1 << 28};
	CHECK(lookahead_open(&ahead));
	CHECK(cudaMallocHost((void **) &report, sizeof(*report)));
	printf("%-10s %10s %-5s %10s %8s %6s %6s %s\n", "text", "bytes", "by",
		   "us", "GB/s", "copy", "spread", "checked");
	for_sizes(sizes, ARGUMENT(2), [&](int64_t count) {
		Buffers		sets[MAX_SETS];
		int			nsets = 0;

		while (needs_set(nsets, MAX_SETS, count))
		{
			Buffers    *set = &sets[nsets++];

			take_memory(&set->in, count + 1);
			take_memory(&set->out, 5 * count);
			take_memory(&set->errors, sizeof(DeviceErrors));
		}
		for (const Text &text : texts)
		{
			if (strstr(text.name, ARGUMENT(1)))
				bench(&text, count, sets, nsets);
		}
		free_memory();
	});
	return 0;
}
