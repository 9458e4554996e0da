/*
 * packed_codec.c
 *	  How fast one thread packs and unpacks the elements of a file, in turn
 *	  with a copy of them; for bench/packed.
 *
 *		make NVCC= bench/packed_codec
 *		bench/packed_codec KIND FILE ROUNDS
 *
 * KIND is an ElementKind.  Prints a line: the bytes of the packed array; the
 * medians of the rounds, in GB/s of elements, of packing, unpacking and
 * copying; and the blocks of each scheme.  The time is the thread's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "packed/packed.h"

#define MOST_ROUNDS		101

typedef enum Step
{
	STEP_PACK,
	STEP_UNPACK,
	STEP_COPY
} Step;

#define STEPS			(STEP_COPY + 1)

static const char *const mapping_names[PACKED_MAPPINGS] = {
	"", " rotated", " divided", " multiplied"
};

typedef struct Run
{
	PackedArray packed;
	int64_t		bytes;			/* of the elements */
	char	   *elements;
	char	   *copy;
	char	   *array;
	PackedBlock *blocks;
	double		seconds[STEPS][MOST_ROUNDS];
} Run;

static void
fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void
read_elements(Run *run, const char *name)
{
	FILE	   *file = fopen(name, "rb");
	int64_t		present;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		fail("cannot read the file");
	run->bytes = ftell(file);
	rewind(file);
	present = run->bytes / kind_size(run->packed.kind);
	run->packed.count = present;
	run->elements = malloc(run->bytes);
	run->copy = malloc(run->bytes);
	run->array = malloc(packed_most(&run->packed));
	run->blocks = malloc((packed_blocks(present) + 1) * sizeof(PackedBlock));
	if (fread(run->elements, 1, run->bytes, file) != (size_t) run->bytes)
		fail("cannot read the file");
	fclose(file);
}

static void
do_step(Run *run, Step step)
{
	PackedArray *packed = &run->packed;

	switch (step)
	{
		case STEP_PACK:
			(void) packed_pack(packed->kind, run->elements, packed->count,
							   run->array + packed_front(packed), run->blocks);
			packed_write_front(packed, NULL, run->blocks, run->array);
			break;
		case STEP_UNPACK:
			for (int64_t i = 0; i < packed_blocks(packed->count); i++)
			{
				if (packed_unpack_block(packed, &run->blocks[i],
										run->array + run->blocks[i].offset,
										run->copy + i * PACKED_BLOCK *
										kind_size(packed->kind)) != PACKED_OK)
					fail("cannot unpack");
			}
			break;
		case STEP_COPY:
			memcpy(run->copy, run->elements, run->bytes);
			break;
	}
}

static int
compare(const void *a, const void *b)
{
	double		difference = *(const double *) a - *(const double *) b;

	return (difference > 0) - (difference < 0);
}

static void
print_run(Run *run, int rounds)
{
	int64_t		counts[PACKED_SCHEMES][PACKED_MAPPINGS] = {{0}};

	printf("%lld", (long long) run->packed.length);
	for (int step = 0; step < STEPS; step++)
	{
		qsort(run->seconds[step], rounds, sizeof(double), compare);
		printf("\t%.2f", run->bytes / run->seconds[step][rounds / 2] / 1e9);
	}
	for (int64_t i = 0; i < packed_blocks(run->packed.count); i++)
		counts[run->blocks[i].scheme][run->blocks[i].mapping]++;
	for (int i = 0; i < PACKED_SCHEMES * PACKED_MAPPINGS; i++)
	{
		int64_t		count = counts[i / PACKED_MAPPINGS][i % PACKED_MAPPINGS];

		if (count > 0)
			printf("\t%s%s: %lld",
				   packed_scheme_names[i / PACKED_MAPPINGS],
				   mapping_names[i % PACKED_MAPPINGS], (long long) count);
	}
	printf("\n");
}

int
main(int argc, char **argv)
{
	static Run	run;
	int			rounds = argc == 4 ? atoi(argv[3]) : 0;

	if (rounds < 1 || rounds > MOST_ROUNDS || atoi(argv[1]) < 0 ||
		atoi(argv[1]) >= ELEMENT_KINDS)
		fail("usage: packed_codec KIND FILE ROUNDS");
	run.packed.kind = (ElementKind) atoi(argv[1]);
	read_elements(&run, argv[2]);
	for (int round = -1; round < rounds; round++)
	{
		for (int step = 0; step < STEPS; step++)
		{
			double		before = now();

			do_step(&run, (Step) step);
			if (round >= 0)
				run.seconds[step][round] = now() - before;
			if (round < 0 && step == STEP_UNPACK &&
				memcmp(run.copy, run.elements, run.bytes) != 0)
				fail("unpacked elements differ");
		}
	}
	print_run(&run, rounds);
	return 0;
}
