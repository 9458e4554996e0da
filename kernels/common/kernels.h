/*
 * kernels.h
 *	  What several operations and the kernels' benchmarks call.
 */
#ifndef GPUCOMPACT_KERNELS_H
#define GPUCOMPACT_KERNELS_H

#include "contract/operations/scan.h"
#include "kernels/common/operation.h"

/*
 * scan.cu: the inclusive scan of integers, with sums as wide as the elements
 * or 8 bytes wide, behind out[-1] if elements are before them.  If any sum is
 * out of range, the report says so.
 */
extern cudaError_t scan_add(const DeviceWork *work, ElementKind kind,
							ElementKind sum_kind, const void *in, void *out,
							int64_t count);

/*
 * reduce_then_scan.cu: the scan by any operator that the kind supports, in the
 * order of float_order.h.  The results go to "out", and the last one to
 * report->value.  If "reduces", only that is there; the operator is one that
 * can overflow.
 */
extern bool reduce_then_scan_supports(const EngineRequest *request);
extern size_t reduce_then_scan_scratch_bytes(int64_t count);
extern cudaError_t reduce_then_scan(const DeviceWork *work, bool reduces);

/*
 * compact.cu: compacts work->in[0] to work->out[0] by a mask on the device: a
 * byte of 0 or 1 for each element, aligned to 16 bytes; or by the request's
 * bitmap, if that is NULL.  The number of selected elements goes to
 * *work->results.
 */
extern cudaError_t compact_by_mask(const DeviceWork *work,
								   const uint8_t *mask);

/*
 * runs.cu: the head of each run of equal elements goes to work->out[0]; its
 * position, from 1 on, to work->out[1], unless that is NULL; and the number of
 * runs to *work->results.  selector is NULL or on the device.  If *selector is
 * not zero, the array is in work->out[0], and the heads go to work->in[0].
 */
extern cudaError_t find_runs(const DeviceWork *work, const int *selector);

/*
 * The "sizes" of the operations that count errors; what they do first, and at
 * last.
 */
static inline cudaError_t
errors_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->scratch = sizeof(DeviceErrors);
	return cudaSuccess;
}

static inline cudaError_t
errors_begin(const DeviceWork *work)
{
	return work->first > 0 ? cudaSuccess :
		cudaMemsetAsync(work->scratch, 0, sizeof(DeviceErrors), work->stream);
}

static inline cudaError_t
errors_report(const DeviceWork *work)
{
	return cudaMemcpyAsync(&work->report->errors, work->scratch,
						   sizeof(DeviceErrors), cudaMemcpyDeviceToHost,
						   work->stream);
}

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
	KernelTimer  *end;			/* a sort in one launch reports its end there;
								 * or NULL */
	unsigned	timer_number;
} Sort;

/*
 * sort.cu: sorts the array.  *selector, in the scratch memory, is 1 if the
 * second buffers have the result.
 */
extern size_t sort_scratch_bytes(const Sort *sort);
extern cudaError_t sort_array(cudaStream_t stream, const Sort *sort);
extern const int *sort_selector(const Sort *sort);

/*
 * sort.cu: returns whether the array is small enough for one launch.  If it is,
 * the second buffers have the result.
 */
extern bool sort_takes_one_launch(const Sort *sort);

#endif							/* GPUCOMPACT_KERNELS_H */
