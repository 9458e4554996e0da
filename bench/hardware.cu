/*
 * hardware.cu
 *	  The bandwidth of the machine for each part of a call, to compare with.
 *
 * Prints, as lines "name<TAB>GB/s", the median of several runs of: the bus,
 * from and to pinned memory, in pieces as the CUDA engine's; a copy on the
 * device, counting bytes read and bytes written; and a copy in the host's
 * memory by one thread, and by four, to memory that is there and to memory
 * that is fresh, in huge pages.
 *
 *		make bench/hardware && bench/hardware
 */
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sys/mman.h>

#include "bench.h"

#define BYTES		((size_t) 256 * 1024 * 1024)
#define PIECE		((size_t) 4 * 1024 * 1024)
#define RUNS		9

static void
print_median(const char *name, float *seconds, double bytes)
{
	printf("%s\t%.1f\n", name, bytes / median(seconds, RUNS) / 1e9);
}

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* Measures copies: on the bus, piece after piece; on the device, at once. */
static void
measure_device(const char *name, char *to, const char *from, size_t piece,
			   cudaMemcpyKind kind, int counted)
{
	float		seconds[RUNS];
	cudaEvent_t begin;
	cudaEvent_t end;

	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	for (int run = -1; run < RUNS; run++)
	{
		float		ms;

		CHECK(cudaEventRecord(begin));
		for (size_t at = 0; at < BYTES; at += piece)
			CHECK(cudaMemcpyAsync(to + at, from + at, piece, kind));
		CHECK(cudaEventRecord(end));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&ms, begin, end));
		if (run >= 0)
			seconds[run] = ms / 1e3;
	}
	print_median(name, seconds, (double) counted * BYTES);
}

typedef struct Share
{
	char	   *to;
	const char *from;
	size_t		bytes;
} Share;

static void *
copy_share(void *argument)
{
	Share	   *share = (Share *) argument;

	memcpy(share->to, share->from, share->bytes);
	return NULL;
}

static void
copy(char *to, const char *from, int threads)
{
	pthread_t	ids[16];
	Share		shares[16];

	for (int i = 0; i < threads; i++)
	{
		shares[i].to = to + BYTES / threads * i;
		shares[i].from = from + BYTES / threads * i;
		shares[i].bytes = BYTES / threads;
		pthread_create(&ids[i], NULL, copy_share, &shares[i]);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
}

static char *
fresh_memory(void)
{
	void	   *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
							  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void) madvise(memory, BYTES, MADV_HUGEPAGE);
	return (char *) memory;
}

static void
measure_host(const char *name, bool fresh, int threads)
{
	float		seconds[RUNS];
	char	   *from = fresh_memory();
	char	   *to = fresh_memory();

	memset(from, 1, BYTES);
	memset(to, 1, BYTES);
	for (int run = 0; run < RUNS; run++)
	{
		double		start;

		if (fresh)
		{
			munmap(to, BYTES);
			to = fresh_memory();
		}
		start = now();
		copy(to, from, threads);
		seconds[run] = now() - start;
	}
	munmap(from, BYTES);
	munmap(to, BYTES);
	print_median(name, seconds, BYTES);
}

int
main(void)
{
	char	   *host;
	char	   *device;
	char	   *other;

	measure_host("copy in host memory, 1 thread", false, 1);
	measure_host("copy in host memory, 4 threads", false, 4);
	measure_host("copy to fresh host memory, 1 thread", true, 1);
	measure_host("copy to fresh host memory, 4 threads", true, 4);

	CHECK(cudaMallocHost((void **) &host, BYTES));
	CHECK(cudaMalloc((void **) &device, BYTES));
	CHECK(cudaMalloc((void **) &other, BYTES));
	memset(host, 1, BYTES);
	measure_device("upload", device, host, PIECE, cudaMemcpyHostToDevice, 1);
	measure_device("download", host, device, PIECE, cudaMemcpyDeviceToHost, 1);
	measure_device("copy on the device", other, device, BYTES,
				   cudaMemcpyDeviceToDevice, 2);
	return 0;
}
