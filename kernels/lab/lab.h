/*
 * lab.h
 *	  The laboratory: scan, compaction and sort as in the textbooks, to read
 *	  and to compare.
 *
 *	  naive_scan.cu				Hillis and Steele's scan
 *	  work_efficient_scan.cu	Blelloch's scan
 *	  lab_compact.cu			compaction by map, scan, scatter
 *	  split_sort.cu				a radix sort, one bit at a time
 *	  lab_cub.cu				NVIDIA's library, the baseline
 *	  lab.cu					the choice of an algorithm
 *	  lab_library.h				the library that they are in
 *
 * The same holds for all algorithms.  Arrays are on the device, aligned to 16
 * bytes, and do not overlap.  They have 1 to 2^27 elements, which need not be
 * a power of two.  Scratch memory is the caller's, aligned to 256 bytes; the
 * function named ..._scratch returns its bytes.  Work is queued on the stream.
 *
 * In the comments, n is the number of elements, and a pass is one read or one
 * write of n elements.
 */
#ifndef GPUCOMPACT_LAB_H
#define GPUCOMPACT_LAB_H

#include "kernels/common/operation.h"
#include "kernels/common/vector.h"

/* A scan of the textbooks, on which compaction and sort are based. */
typedef struct LabScan
{
	/* Bytes of scratch memory, if the sums have "sum_bytes" each. */
	size_t		(*scratch) (int64_t count, size_t sum_bytes);

	/* With sums of 8 bytes, and of flags. */
	cudaError_t (*sums) (cudaStream_t stream, const int *in, long long *out,
						 int64_t count, bool exclusive, void *scratch);
	cudaError_t (*flags) (cudaStream_t stream, const unsigned *in,
						  unsigned *out, int64_t count, bool exclusive,
						  void *scratch);
} LabScan;

/* The bits to invert for an unsigned comparison. */
#define LAB_ASCENDING	0x80000000u
#define LAB_DESCENDING	0x7FFFFFFFu

/* Threads of a thread block, unless an algorithm needs another number. */
#define LAB_THREADS		256

#define LAB_ALIGNMENT	256

/* The index of a thread's element. */
#define LAB_INDEX \
	((long long) blockIdx.x * blockDim.x + threadIdx.x)

/* The number of thread blocks for "threads" threads. */
static inline unsigned
lab_blocks(int64_t threads)
{
	return (unsigned) count_tiles(threads, LAB_THREADS);
}

/* Rounds up a size, to align the next part of scratch memory. */
static inline size_t
lab_align(size_t bytes)
{
	return count_tiles(bytes, LAB_ALIGNMENT) * LAB_ALIGNMENT;
}

/* The scratch memory of an algorithm that scans flags, in parts. */
typedef struct FlagMemory
{
	unsigned   *flags;			/* 0 or 1 for each element */
	unsigned   *positions;		/* the exclusive scan of the flags */
	void	   *scan;			/* scratch memory of the scan */
} FlagMemory;

/* naive_scan.cu */
extern size_t naive_scan_scratch(int64_t count, size_t sum_bytes);
template <typename In, typename Out>
extern cudaError_t naive_scan(cudaStream_t stream, const In *in, Out *out,
							  int64_t count, bool exclusive, void *scratch);

/* work_efficient_scan.cu */
extern size_t work_efficient_scan_scratch(int64_t count, size_t sum_bytes);
template <typename In, typename Out>
extern cudaError_t work_efficient_scan(cudaStream_t stream, const In *in,
									   Out *out, int64_t count,
									   bool exclusive, void *scratch);

/*
 * lab_compact.cu: compacts the elements that are not zero.  Their number goes
 * to *selected, in device memory or in mapped host memory.  The scratch memory
 * is that of a sort, too.
 */
extern size_t flag_scratch(const LabScan *scan, int64_t count);
extern FlagMemory flag_memory(int64_t count, void *scratch);
extern cudaError_t flag_compact(const LabScan *scan, cudaStream_t stream,
								const int *in, int *out, int64_t count,
								long long *selected, void *scratch);

/* split_sort.cu: sorts the keys in "keys" by way of "other". */
extern cudaError_t split_sort(const LabScan *scan, cudaStream_t stream,
							  int *keys, int *other, int64_t count,
							  unsigned flip, void *scratch);

/* lab_cub.cu: without scratch memory, only tells its bytes. */
extern cudaError_t cub_run(const DeviceWork *work, void *scratch,
						   size_t *bytes);

#endif							/* GPUCOMPACT_LAB_H */
