/*
 * lab.h
 *	  The laboratory: scan, compaction and sort as the textbooks have them, to
 *	  be read, and to be measured side by side.
 *
 *	  naive_scan.cu				Hillis and Steele's scan
 *	  work_efficient_scan.cu	Blelloch's scan
 *	  lab_compact.cu			compaction by map, scan, scatter
 *	  split_sort.cu				a sort by one bit at a time
 *	  reduce.cu					the reduction that tells it which bits
 *	  lab_cub.cu				NVIDIA's library, the mark to beat
 *	  lab.cu					the table of them
 *
 * What is said here of one holds for all.  Arrays are on the device, aligned
 * to 16 bytes, of 1 to 2^27 elements, a power of two or not, and none of them
 * overlaps another.  Scratch memory is the caller's, aligned to 256 bytes;
 * the function named ..._scratch says how many bytes of it are needed.  Work
 * is queued on the stream; only a sort waits for it, once, at its beginning.
 *
 * In the comments n is the number of elements, and a pass is one reading or
 * one writing of n of them.
 */
#ifndef GPUCOMPACT_LAB_H
#define GPUCOMPACT_LAB_H

#include "operation.h"

typedef struct LabAlgorithm LabAlgorithm;

struct LabAlgorithm
{
	const char *name;

	/* Scratch memory for a scan whose sums have "sum_bytes" bytes each. */
	cudaError_t (*scan_scratch) (int64_t count, size_t sum_bytes,
								  size_t *bytes);

	/* Running sums: each with its own element, or exclusive, without. */
	cudaError_t (*scan) (cudaStream_t stream, const int *in, long long *out,
						  int64_t count, bool exclusive, void *scratch);

	/*
	 * The scan on which compaction and sort rest; NULL where these are not
	 * made of one.
	 */
	cudaError_t (*scan_flags) (cudaStream_t stream, const unsigned *in,
								unsigned *out, int64_t count, bool exclusive,
								void *scratch);

	/*
	 * The elements that are not zero, side by side.  How many they are goes to
	 * *selected: memory of the device, or of the host, mapped.
	 */
	cudaError_t (*compact_scratch) (const LabAlgorithm *algorithm,
									 int64_t count, size_t *bytes);
	cudaError_t (*compact) (const LabAlgorithm *algorithm,
							 cudaStream_t stream, const int *in, int *out,
							 int64_t count, long long *selected,
							 void *scratch);

	/*
	 * Sorts the keys in "keys" by way of "other", which is as long; *sorted
	 * says which of the two has them in the end.  "flip" is what makes their
	 * order that of unsigned numbers: LAB_ASCENDING or LAB_DESCENDING.
	 */
	cudaError_t (*sort_scratch) (const LabAlgorithm *algorithm,
								  int64_t count, size_t *bytes);
	cudaError_t (*sort) (const LabAlgorithm *algorithm, cudaStream_t stream,
						  int *keys, int *other, int64_t count, unsigned flip,
						  void *scratch, int **sorted);
};

#define LAB_ASCENDING	0x80000000u
#define LAB_DESCENDING	0x7FFFFFFFu

/* Threads of a block, where an algorithm does not care. */
#define LAB_THREADS		256

/* The element that a thread is to look after. */
#define LAB_INDEX \
	((long long) blockIdx.x * blockDim.x + threadIdx.x)

/* Blocks for so many threads. */
static inline unsigned
lab_blocks(int64_t threads)
{
	return (unsigned) ((threads + LAB_THREADS - 1) / LAB_THREADS);
}

/* Bytes, so many that what follows them in scratch memory is aligned. */
static inline size_t
lab_align(size_t bytes)
{
	return (bytes + 255) / 256 * 256;
}

/* The scratch memory of what rests on a scan of flags, in parts. */
typedef struct FlagMemory
{
	unsigned   *flags;			/* 0 or 1 for each element */
	unsigned   *positions;		/* how many flags are 1 before it */
	void	   *scan;			/* scratch memory of the scan */
} FlagMemory;

/* lab.cu */
extern const LabAlgorithm lab_algorithms[];
extern const LabAlgorithm *lab_find(const char *name);
extern const LabAlgorithm *lab_requested(const EngineRequest *request);
extern const DeviceOperation gpu_lab;
extern const DeviceOperation gpu_lab_compact;	/* of a compaction */

/* naive_scan.cu */
extern cudaError_t naive_scan_scratch(int64_t count, size_t sum_bytes,
									   size_t *bytes);
template <typename In, typename Out>
extern cudaError_t naive_scan(cudaStream_t stream, const In *in, Out *out,
							   int64_t count, bool exclusive, void *scratch);

/* work_efficient_scan.cu */
extern cudaError_t work_efficient_scan_scratch(int64_t count,
												size_t sum_bytes,
												size_t *bytes);
template <typename In, typename Out>
extern cudaError_t work_efficient_scan(cudaStream_t stream, const In *in,
										Out *out, int64_t count,
										bool exclusive, void *scratch);

/* lab_compact.cu */
extern cudaError_t flag_scratch(const LabAlgorithm *algorithm,
								 int64_t count, size_t *bytes);
extern FlagMemory flag_memory(int64_t count, void *scratch);
extern cudaError_t flag_compact(const LabAlgorithm *algorithm,
								 cudaStream_t stream, const int *in,
								 int *out, int64_t count,
								 long long *selected, void *scratch);

/* split_sort.cu */
extern cudaError_t split_sort_scratch(const LabAlgorithm *algorithm,
									   int64_t count, size_t *bytes);
extern cudaError_t split_sort(const LabAlgorithm *algorithm,
							   cudaStream_t stream, int *keys, int *other,
							   int64_t count, unsigned flip, void *scratch,
							   int **sorted);

/* reduce.cu */
extern size_t live_bits_scratch(int64_t count);
extern cudaError_t live_bits(cudaStream_t stream, const int *keys,
							  int64_t count, void *scratch, unsigned *bits);

/* lab_cub.cu */
extern cudaError_t cub_scan_scratch(int64_t count, size_t sum_bytes,
									 size_t *bytes);
extern cudaError_t cub_scan(cudaStream_t stream, const int *in,
							 long long *out, int64_t count, bool exclusive,
							 void *scratch);
extern cudaError_t cub_compact_scratch(const LabAlgorithm *algorithm,
										int64_t count, size_t *bytes);
extern cudaError_t cub_compact(const LabAlgorithm *algorithm,
								cudaStream_t stream, const int *in, int *out,
								int64_t count, long long *selected,
								void *scratch);
extern cudaError_t cub_sort_scratch(const LabAlgorithm *algorithm,
									 int64_t count, size_t *bytes);
extern cudaError_t cub_sort(const LabAlgorithm *algorithm,
							 cudaStream_t stream, int *keys, int *other,
							 int64_t count, unsigned flip, void *scratch,
							 int **sorted);

#endif							/* GPUCOMPACT_LAB_H */
