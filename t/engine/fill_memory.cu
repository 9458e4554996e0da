/*
 * fill_memory.cu
 *	  Allocates the free memory of the first GPU, except for the MB that its
 *	  argument says, until standard input is closed.
 *
 *		make t/engine/fill_memory
 */
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static size_t
free_memory(void)
{
	size_t		free;
	size_t		total;

	if (cudaMemGetInfo(&free, &total) != cudaSuccess)
	{
		fprintf(stderr, "no GPU\n");
		exit(1);
	}
	return free;
}

/* The driver allocates at least 2 MB. */
#define MIN_PART		((size_t) 2 << 20)

int
main(int argc, char **argv)
{
	size_t		left = (size_t) atoi(argc > 1 ? argv[1] : "0") << 20;

	/* In smaller and smaller parts. */
	for (size_t part = free_memory(); part >= MIN_PART; part /= 2)
	{
		void	   *memory;

		while (free_memory() >= left + part &&
			   cudaMalloc(&memory, part) == cudaSuccess)
			;
		(void) cudaGetLastError();
	}
	printf("%zu MB are free\n", free_memory() >> 20);
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
