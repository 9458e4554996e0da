/*
 * kernels.h
 *	  Launchers that other operations and the kernels' benchmarks call.
 */
#ifndef GPUCOMPACT_KERNELS_H
#define GPUCOMPACT_KERNELS_H

#include "contract/operations/scan.h"
#include "kernels/common/operation.h"

/* The sizes for one input and one output. */
extern cudaError_t whole_array_sizes(const EngineRequest *request,
									 DeviceSizes *sizes);

/* Scan and compaction of a whole array at once. */
extern const DeviceOperation gpu_whole_scan;
extern const DeviceOperation gpu_whole_compact;

/* Differences with a lag greater than one. */
extern const DeviceOperation gpu_lagged_delta;

/*
 * scan.cu, reduce.cu: where the result of the pieces before this one is, or
 * NULL; and where the result of the pieces up to this one goes.  Both are in a
 * double buffer.
 */
static inline const long long *
carry_before(const DeviceWork *work)
{
	return work->turn > 0 ?
		(const long long *) work->state + work->turn % 2 : NULL;
}

static inline long long *
carry_after(const DeviceWork *work)
{
	return (long long *) work->state + 1 - work->turn % 2;
}

/*
 * scan.cu: the inclusive scan of integers, with sums as wide as the elements
 * or 8 bytes wide.  It starts from *start, or from zero if "start" is NULL.
 * The last sum goes to *end, unless "end" is NULL.  If any sum is out of
 * range, overflow[OVERFLOW_UP] is set.
 */
extern cudaError_t scan_add(cudaStream_t stream, LookAhead *ahead,
							ElementKind kind, ElementKind sum_kind,
							const void *in, void *out, int64_t count,
							const long long *start, long long *end,
							int *overflow);

/*
 * reduce_then_scan.cu: the scan by any operator that the kind supports, in the
 * order of float_order.h; the first element is the first of a tile.  *start
 * and *end are of "sum_kind"; if "start" is NULL, the first result is the
 * first element.  If "reduces", only *end is set, and "out" is ignored; the
 * operator is one that can overflow.
 */
extern bool reduce_then_scan_supports(const EngineRequest *request);
extern size_t reduce_then_scan_scratch_bytes(int64_t count);
extern cudaError_t reduce_then_scan(cudaStream_t stream, ScanOperator op,
									bool reduces, ElementKind kind,
									ElementKind sum_kind, const void *in,
									void *out, int64_t count,
									const void *start, void *end,
									void *scratch, int *overflow);

/*
 * compact.cu: compacts work->in to work->out.  The number of selected elements
 * goes to *work->results.
 */
extern cudaError_t compact(const DeviceWork *work);

/*
 * Compacts by a mask on the device: a byte of 0 or 1 for each element of
 * work->in[0], aligned to 16 bytes.
 */
extern cudaError_t compact_by_mask(const DeviceWork *work,
								   const uint8_t *mask);

/*
 * runs.cu: the head of each run of equal elements goes to "out"; its position,
 * from 1 on, to "starts", unless that is NULL; and the number of runs to
 * *found.  selector is NULL or on the device.  If *selector is not zero, the
 * array is in "out", and the heads go to "in".
 */
extern cudaError_t find_runs(cudaStream_t stream, LookAhead *ahead,
							 ElementKind kind, void *in, void *out,
							 int *starts, int64_t count,
							 const int *selector, long long *found);

/* The state of decoding or encoding UTF-8, on the device. */
typedef struct Utf8State
{
	unsigned	carry[2];		/* a piece's last bytes, in a double buffer */
	unsigned long long errors;
	unsigned long long first_error; /* its complement; 0 without errors */
} Utf8State;

/* utf8.cu: "in" must have room for one more byte */
extern cudaError_t utf8_decode(cudaStream_t stream, LookAhead *ahead,
							   unsigned char *in, int *out, int64_t count,
							   Utf8State *state, long long *results);

/*
 * A sort, and its memory on the device: double buffers of keys and of
 * payloads.  The input is in the first buffers.  Only the device knows which
 * buffers have the result.
 */
typedef struct Sort
{
	ElementKind kind;			/* of the keys */
	bool		descending;
	int			payload_size;	/* bytes, or 0 */
	bool		positions;		/* the payloads are the keys' positions */
	int64_t		count;
	void	   *keys[2];
	void	   *payloads[2];	/* NULL without a payload */
	void	   *scratch;		/* of sort_scratch_bytes() */
	KernelTimer  *end;			/* that a sort in one launch tells; or NULL */
	unsigned	timer_number;
} Sort;

/*
 * sort.cu: sorts the array.  *selector, in the scratch memory, tells whether
 * the second buffers have the result.
 */
extern size_t sort_scratch_bytes(const Sort *sort);
extern cudaError_t sort_array(cudaStream_t stream, const Sort *sort);
extern const int *sort_selector(const Sort *sort);

/*
 * sort_cluster.cu, sort.cu: return whether the array is small enough for a
 * cluster, and for one launch.  If it is, the second buffers have the result.
 */
extern bool sort_fits_cluster(const Sort *sort);
extern bool sort_takes_one_launch(const Sort *sort);

#endif							/* GPUCOMPACT_KERNELS_H */
