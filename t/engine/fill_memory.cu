/*
 * fill_memory.cu
 *	  Holds the memory of the first GPU, all that is free but so many MB, until
 *	  its standard input is closed.
 *
 *		make t/fill_memory
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

int
main(int argc, char **argv)
{
	size_t		left = (size_t) atoi(argc > 1 ? argv[1] : "0") << 20;

	/* In ever smaller parts, down to what the driver hands out at least. */
	for (size_t part = free_memory(); part >= 2 << 20; part /= 2)
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
