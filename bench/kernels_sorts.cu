/*
 * kernels_sorts.cu
 *	  Our sorts and CUB's, on keys of random kinds.
 *
 * A kind is a seed.  It decides how many parts the keys are a mixture of, how
 * the keys of each part are spread, and whether they are rounded or few.  So
 * the worst kind is one that nobody had in mind.  Kind 0 is random keys.
 *
 * Prints a line for each type and size:
 *
 *		type payload n random median worst kind ours cub spread wrong
 *
 * The first three are how many times as long as ours CUB's sort takes: for
 * random keys, and the median and the least over the other kinds.  "kind" is
 * the worst one; "ours" and "cub" are its times in us.  "spread" is the
 * greatest range of a contender's rounds over their median, and "wrong" the
 * number of kinds whose result was not CUB's.  With a payload, that is the
 * positions.
 *
 *		make bench/kernels_sorts && bench/kernels_sorts > results.txt
 *
 * Arguments are the number of kinds, a part of the types' names, the only size,
 * or its logarithm, where 0 is all sizes, and a first kind: "1 float4 200000 17"
 * measures random keys and kind 17.  If "kinds" is in the environment, each kind
 * has a line, too.
 */
#include "sorts.h"

#define ROUNDS		3
#define MOST_CALLS	12			/* queued in a round, each on own buffers */
#define CALLS_ITEMS	((int64_t) 1 << 23)	/* of all calls of a round */
#define MOST_PARTS	4

/* ---------------------------------------------------------------- data */

typedef enum Shape
{
	SHAPE_ONE,					/* a heavy key */
	SHAPE_UNIFORM,
	SHAPE_NORMAL,
	SHAPE_LOGNORMAL,
	SHAPE_EXPONENTS,			/* all are as frequent */
	SHAPE_RAMP,
	SHAPE_STEPS,
	SHAPE_SAW,
	SHAPES
} Shape;

typedef struct Part
{
	double		share;			/* of this part and those before it */
	Shape		shape;
	double		centre;
	double		width;
	double		parameter;		/* sigma, exponents, steps or teeth */
} Part;

typedef struct Kind
{
	unsigned	seed;
	int			nparts;
	Part		parts[MOST_PARTS];
	double		unit;			/* keys are multiples of it, or 0 */
	unsigned long long different;	/* random numbers, or 0: any */
} Kind;

/* The i-th random number of a kind, from 0 to 1. */
static double
choice(unsigned seed, int i)
{
	return unit_number(random_bits(i, seed * 0x9E3779B9u));
}

/* Makes a kind of keys of a type whose numbers have up to "digits" digits. */
static Kind
make_kind(unsigned seed, double digits, int64_t n)
{
	Kind		kind = {seed, 1 + (int) (choice(seed, 0) * MOST_PARTS)};
	double		widest = 0;
	double		share = 0;

	for (int i = 0; i < kind.nparts; i++)
	{
		Part	   *part = &kind.parts[i];
		int			first = 8 + 8 * i;
		double		sign = choice(seed, first) < 0.5 ? -1 : 1;

		share += 0.05 + choice(seed, first + 1);
		*part = {
			share, (Shape) (choice(seed, first + 2) * SHAPES),
			sign * pow(10, digits * choice(seed, first + 3)),
			pow(10, digits * (0.3 + 0.7 * choice(seed, first + 4))),
			choice(seed, first + 5)
		};
		widest = fmax(widest, part->width);
	}
	for (int i = 0; i < kind.nparts; i++)
		kind.parts[i].share /= share;
	if (choice(seed, 1) < 0.4)
		kind.unit = widest * pow(10, -1 - 5 * choice(seed, 2));
	if (choice(seed, 3) < 0.3)
		kind.different = 2 + (unsigned long long)
			pow((double) n, 0.1 + 0.9 * choice(seed, 4));
	return kind;
}

__device__ static double
spread_number(Part part, double at, unsigned long long bits)
{
	double		u = unit_number(bits);
	double		many = floor(exp2(1 + 15 * part.parameter));

	switch (part.shape)
	{
		case SHAPE_ONE:
			return 0;
		case SHAPE_UNIFORM:
			return u;
		case SHAPE_NORMAL:
			return normal_deviate(bits);
		case SHAPE_LOGNORMAL:
			return exp(normal_deviate(bits) * 3 * part.parameter) * 1e-2;
		case SHAPE_EXPONENTS:
			return exp(-u * 30 * part.parameter);
		case SHAPE_RAMP:
			return at;
		case SHAPE_STEPS:
			return floor(at * many) / many;
		default:
			return at * many - floor(at * many);
	}
}

/*
 * Adding 0 makes a negative zero positive: CUB does not order the two zeros.
 */
template <typename Item>
__global__ void
fill(Item *items, int64_t n, Kind kind)
{
	const bool	is_float = (Item) 0.5 != 0;
	const double end = is_float ? 1e300 : sizeof(Item) == 4 ? 0x1p31 - 1 :
		0x1p63 - 1024;

	for EACH_ITEM(i, n)
	{
		unsigned long long bits = random_bits(i, kind.seed + 1);
		double		at = (double) i / n;
		double		share = unit_number(random_bits(i, ~kind.seed));
		double		number;
		int			part = 0;

		if (kind.seed == 0)
		{
			items[i] = is_float ? (Item) unit_number(bits) :
				(Item) (bits >> (64 - 8 * sizeof(Item)));
			continue;
		}
		if (kind.different > 0)
			bits = random_bits((bits >> 20) % kind.different, kind.seed);
		while (part + 1 < kind.nparts && share >= kind.parts[part].share)
			part++;
		number = kind.parts[part].centre +
			kind.parts[part].width * spread_number(kind.parts[part], at, bits);
		if (kind.unit > 0)
			number = rint(number / kind.unit) * kind.unit;
		items[i] = (Item) (fmin(fmax(number, -end), end) + 0.0);
	}
}

__global__ void
number_items(int *items, int64_t n)
{
	for EACH_ITEM(i, n)
		items[i] = (int) i + 1;
}

__global__ void
compare_words(const int *a, const int *b, int64_t n, int *differ)
{
	for EACH_ITEM(i, n)
	{
		if (a[i] != b[i])
			*differ = 1;
	}
}

/* ------------------------------------------------------------ measuring */

static int *differ;

typedef struct Figures
{
	float		ours;
	float		cub;
	float		spread;
	bool		wrong;
} Figures;

/* Copies the input, and runs a contender on each of the buffers. */
template <typename Item, typename Run>
static float
measure(Run run, const Buffers *calls, int ncalls, int64_t n, bool payload)
{
	for (int i = 0; i < ncalls; i++)
	{
		CHECK(cudaMemcpyAsync(calls[i].keys[0], calls[i].in, n * sizeof(Item),
							  cudaMemcpyDeviceToDevice));
		if (payload)
			number_items<<<1024, 256>>>(calls[i].payloads[0], n);
	}
	return us_of_each(ncalls, [&](int i) { run(&calls[i], n); });
}

/* Compares the results of both: of the second and of the third call. */
template <typename Item, ElementKind KIND, bool PAYLOAD>
static bool
is_wrong(const Buffers *calls, int64_t n)
{
	const void *results[2];
	int			is_different;

	for (int i = 0; i < 2; i++)
	{
		if (i == 0)
			measure<Item>(our_sort<KIND, PAYLOAD>, &calls[i], 1, n, PAYLOAD);
		else
			measure<Item>(cub_sort<Item, PAYLOAD>, &calls[i], 1, n, PAYLOAD);
		results[i] = PAYLOAD ? calls[i].payloads[*selector] :
			calls[i].keys[*selector];
	}
	CHECK(cudaMemset(differ, 0, sizeof(int)));
	compare_words<<<1024, 256>>>((const int *) results[0],
								 (const int *) results[1],
								 PAYLOAD ? n : n * (int64_t) sizeof(Item) / 4,
								 differ);
	CHECK(cudaMemcpy(&is_different, differ, sizeof(int),
					 cudaMemcpyDeviceToHost));
	return is_different != 0;
}

template <typename Item, ElementKind KIND, bool PAYLOAD>
static Figures
bench_kind(const Kind *kind, const Buffers *calls, int ncalls, int64_t n)
{
	bool		wrong;
	Times		times[2];

	fill<<<1024, 256>>>((Item *) calls[0].in, n, *kind);
	wrong = is_wrong<Item, KIND, PAYLOAD>(calls, n);
	take_turns<ROUNDS>(times, [&](int i) {
		return measure<Item>(i == 0 ? our_sort<KIND, PAYLOAD> :
							 cub_sort<Item, PAYLOAD>, calls, ncalls, n,
							 PAYLOAD);
	}, 0);
	return {times[0].us, times[1].us, fmaxf(times[0].spread, times[1].spread),
			wrong};
}

/* Kind 0, and "kinds" more from "first" on. */
template <typename Item, ElementKind KIND, bool PAYLOAD>
static void
bench(const char *name, double digits, int64_t n, int kinds, int first)
{
	Buffers		calls[MOST_CALLS];
	int			ncalls = 2;
	std::vector<float> ratios;
	float		spread = 0;
	float		random = 0;
	Figures		worst = {1, 1e30f};
	int			worst_kind = 0;
	int			wrong = 0;
	Buffers		none = {};
	Sort		sort = sort_of(&none, KIND, PAYLOAD, n);
	Item	   *in;

	cub_sort<Item, PAYLOAD>(&none, n);
	if (sort_scratch_bytes(&sort) > scratch_bytes)
		scratch_bytes = sort_scratch_bytes(&sort);
	while (ncalls < MOST_CALLS && (ncalls + 1) * n <= CALLS_ITEMS)
		ncalls++;
	take_memory(&in, n * sizeof(Item));
	for (int i = 0; i < ncalls; i++)
	{
		calls[i] = {in};
		for (int j = 0; j < 2; j++)
		{
			take_memory(&calls[i].keys[j], n * sizeof(Item));
			if (PAYLOAD)
				take_memory(&calls[i].payloads[j], n * sizeof(int));
		}
		take_memory(&calls[i].scratch, scratch_bytes);
	}
	for (int i = 0; i <= kinds; i++)
	{
		Kind		kind = make_kind(i == 0 ? 0 : first + i - 1, digits, n);
		Figures		figures = bench_kind<Item, KIND, PAYLOAD>(&kind, calls,
															  ncalls, n);
		float		ratio = figures.cub / figures.ours;

		wrong += figures.wrong;
		spread = fmaxf(spread, figures.spread);
		if (i == 0)
			random = ratio;
		else
			ratios.push_back(ratio);
		if (i > 0 && ratio < worst.cub / worst.ours)
		{
			worst = figures;
			worst_kind = kind.seed;
		}
		if (getenv("kinds") != NULL)
			printf("kind %s %d %lld %u %.2f %.2f %.2f%s\n", name, PAYLOAD,
				   (long long) n, kind.seed, ratio, figures.ours, figures.cub,
				   figures.wrong ? " WRONG" : "");
	}
	if (kinds == 0)
		worst = {};
	printf("%-7s %-9s %9lld %7.2f %7.2f %7.2f %5d %9.2f %9.2f %6.3f %5d\n",
		   name, PAYLOAD ? "positions" : "-", (long long) n, random,
		   kinds > 0 ? median(ratios.data(), kinds) : 0, worst.cub / worst.ours,
		   worst_kind, worst.ours, worst.cub, spread, wrong);
	fflush(stdout);
	free_memory();
}

typedef void (*Bench) (const char *name, double digits, int64_t n, int kinds,
					   int first);

int
main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		double		digits;		/* of the greatest numbers */
		Bench		benches[2];
	}			types[] = {
		{"int4", 9, {bench<int, KIND_INT4, false>,
		 bench<int, KIND_INT4, true>}},
		{"int8", 18, {bench<long long, KIND_INT8, false>,
		 bench<long long, KIND_INT8, true>}},
		{"float4", 9, {bench<float, KIND_FLOAT4, false>,
		 bench<float, KIND_FLOAT4, true>}},
		{"float8", 18, {bench<double, KIND_FLOAT8, false>,
		 bench<double, KIND_FLOAT8, true>}}
	};
	static const int64_t sizes[] = {
		1 << 13, 1 << 15, 1 << 17, 200000, 1 << 19, 1 << 20, 1 << 22, 1 << 24,
		1 << 26
	};
	int			kinds = argc > 1 ? atoi(argv[1]) : 40;
	int			first = argc > 4 ? atoi(argv[4]) : 1;

	CHECK(cudaMallocHost((void **) &selector, sizeof(*selector)));
	CHECK(cudaMalloc((void **) &differ, sizeof(*differ)));
	printf("CUB %d.%d.%d, %d kinds\n", CUB_NUMBERS, kinds);
	printf("%-7s %-9s %9s %7s %7s %7s %5s %9s %9s %6s %5s\n", "type",
		   "payload", "n", "random", "median", "worst", "kind", "ours", "cub",
		   "spread", "wrong");
	for_sizes(sizes, ARGUMENT(3), [&](int64_t n) {
		for (const auto &type : types)
		{
			for (int i = 0; i < 2 && strstr(type.name, ARGUMENT(2)); i++)
				type.benches[i](type.name, type.digits, n, kinds, first);
		}
	});
	return 0;
}
