/*
 * lab_cub.cu
 *	  Scan, compaction and sort of CUB, the library that comes with CUDA: the
 *	  baseline.
 *
 * Its scan and its compaction have a single pass with a decoupled look-back
 * (Merrill and Garland, 2016).  Its sort is Onesweep (Adinets and Merrill,
 * 2022).
 *
 * Operations: O(n), and O(n) for each digit of a sort.
 *
 * Memory: a scan takes 2 passes; a compaction 1, and a write of the selected
 * elements; a sort 1 for the histograms of all digits, and 2 for each digit,
 * whether or not keys differ in it.
 *
 * Without scratch memory, a function of CUB only returns the size that it
 * needs.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>

#include "contract/operations/sort.h"
#include "kernels/lab/lab.h"

/* The select op. */
struct IsNotZero
{
	__device__ bool
	operator()(int item) const
	{
		return item != 0;
	}
};

static cudaError_t
sort_keys(const DeviceWork *work, void *scratch, size_t *bytes)
{
	cub::DoubleBuffer<int> keys((int *) work->in[0], (int *) work->out[0]);
	const int	bits = 8 * sizeof(int);
	int			count = (int) work->count;

	if (PARAMETERS(work->request, SortParameters)->descending)
		TRY(cub::DeviceRadixSort::SortKeysDescending(scratch, *bytes, keys,
													 count, 0, bits,
													 work->stream));
	else
		TRY(cub::DeviceRadixSort::SortKeys(scratch, *bytes, keys, count, 0,
										   bits, work->stream));
	if (scratch != NULL)
		work->report->in_place = keys.selector == 0;
	return cudaSuccess;
}

/* CUB is fastest with a count of 32 bits. */
cudaError_t
cub_run(const DeviceWork *work, void *scratch, size_t *bytes)
{
	const int  *in = (const int *) work->in[0];
	int			count = (int) work->count;

	switch (work->request->operation)
	{
		case ENGINE_SCAN:
			/* The operator has the type of the sums: int would overflow. */
			return cub::DeviceScan::InclusiveScan
				(scratch, *bytes, in, (long long *) work->out[0],
				 cuda::std::plus<long long>(), count, work->stream);
		case ENGINE_COMPACT:
			return cub::DeviceSelect::If(scratch, *bytes, in,
										 (int *) work->out[0], work->results,
										 count, IsNotZero(), work->stream);
		default:
			return sort_keys(work, scratch, bytes);
	}
}
