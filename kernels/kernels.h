/*
 * kernels.h
 *	  Launchers that others than the engine call, too: other operations, and the
 *	  benchmarks of the kernels alone.
 */
#ifndef GPUCOMPACT_KERNELS_H
#define GPUCOMPACT_KERNELS_H

#include "operation.h"

/* What several operations that gather an array need: one input, one output. */
extern cudaError_t whole_array_sizes(const EngineRequest *request,
									 DeviceSizes *sizes);

/* The same operations on a whole array at once. */
extern const DeviceOperation gpu_whole_scan;
extern const DeviceOperation gpu_whole_compact;

/*
 * scan.cu: the sums of integers, as wide as the elements or 8 bytes wide, from
 * *start on, or from zero if that is NULL.  The last one goes to *end, unless
 * that is NULL.  If any sum is out of range, overflow[OVERFLOW_UP] is set.
 */
extern cudaError_t scan_add(cudaStream_t stream, LookAhead *ahead,
							ElementKind kind, ElementKind sum_kind,
							const void *in, void *out, int64_t count,
							const long long *start, long long *end,
							int *overflow);

/*
 * scan_blocks.cu: the same by any operator that the kind has, or the last
 * result alone, if "out" is NULL.  *start and *end are of "sum_kind", and
 * without a *start the first result is the first element.  In the order of
 * float_order.h, the first element being the first of a block.
 */
extern bool scan_blocks_supports(ScanOperator op, ElementKind kind,
								 ElementKind sum_kind);
extern size_t scan_blocks_scratch_bytes(int64_t count);
extern cudaError_t scan_blocks(cudaStream_t stream, ScanOperator op,
							   ElementKind kind, ElementKind sum_kind,
							   const void *in, void *out, int64_t count,
							   const void *start, void *end, void *scratch,
							   int *overflow);

/*
 * compact.cu: from work->in to work->out; how many are selected goes to
 * *work->results.
 */
extern cudaError_t compact(const DeviceWork *work);

/*
 * runs.cu: the head of each run of equal elements goes to "out", and its
 * position, from 1 on, to "starts", unless that is NULL; how many there are to
 * *found.  If in_other is not NULL and *in_other is not zero, on the device, the
 * array is in "out", and its heads go to "in".
 */
extern cudaError_t find_runs(cudaStream_t stream, LookAhead *ahead,
							 ElementKind kind, void *in, void *out,
							 int *starts, int64_t count,
							 const int *in_other, long long *found);

/*
 * What is kept on the device about an array of UTF-8, or of code points.
 */
typedef struct Utf8State
{
	unsigned	carry[2];		/* a piece's last bytes: two, used in turn */
	unsigned long long errors;
	unsigned long long first_error; /* its complement; 0 without errors */
} Utf8State;

/* utf8.cu: there has to be room for a byte more behind the array */
extern cudaError_t utf8_decode(cudaStream_t stream, LookAhead *ahead,
							   unsigned char *in, int *out, int64_t count,
							   Utf8State *state, long long *results);

/*
 * A sort, and its memory on the device: double buffers of keys and of payloads.
 * The keys, and payloads that are given, are in the first buffers at first; in
 * which buffers the result is only the device knows.
 */
typedef struct Sort
{
	ElementKind kind;			/* of the keys */
	bool		descending;
	int			payload_size;	/* bytes, or 0 */
	bool		positions;		/* are payloads made: 1, 2, 3, ...? */
	int64_t		count;
	void	   *keys[2];
	void	   *payloads[2];	/* NULL without a payload */
	void	   *scratch;		/* sort_scratch_bytes() of it */
} Sort;

/*
 * sort.cu: clear, count all keys, move them.  *in_other will say whether the
 * second buffers have the result; it is on the device, in the scratch memory.
 */
extern size_t sort_scratch_bytes(const Sort *sort);
extern cudaError_t sort_clear(cudaStream_t stream, const Sort *sort);
extern cudaError_t sort_count_keys(cudaStream_t stream, const Sort *sort,
								   const void *keys, int64_t count);
extern cudaError_t sort_move_keys(cudaStream_t stream, const Sort *sort);
extern const int *sort_in_other(const Sort *sort);

#endif							/* GPUCOMPACT_KERNELS_H */
