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
 * needs.  Each wrapper below is called for both purposes.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>

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

/*
 * The operator has the type of the sums, because int would overflow.  CUB is
 * fastest with a count of 32 bits.
 */
static cudaError_t
call_scan(void *scratch, size_t *bytes, const int *in, long long *out,
		  int64_t count, bool exclusive, cudaStream_t stream)
{
	cuda::std::plus<long long> add;

	if (exclusive)
		return cub::DeviceScan::ExclusiveScan(scratch, *bytes, in, out, add,
											  0ll, (int) count, stream);
	return cub::DeviceScan::InclusiveScan(scratch, *bytes, in, out, add,
										  (int) count, stream);
}

static cudaError_t
call_select(void *scratch, size_t *bytes, const int *in, int *out,
			long long *selected, int64_t count, cudaStream_t stream)
{
	return cub::DeviceSelect::If(scratch, *bytes, in, out, selected,
								 (int) count, IsNotZero(), stream);
}

static cudaError_t
call_sort(void *scratch, size_t *bytes, cub::DoubleBuffer<int> *keys,
		  int64_t count, bool descending, cudaStream_t stream)
{
	int			bits = 8 * sizeof(int);

	if (descending)
		return cub::DeviceRadixSort::SortKeysDescending(scratch, *bytes,
														*keys, (int) count, 0,
														bits, stream);
	return cub::DeviceRadixSort::SortKeys(scratch, *bytes, *keys, (int) count,
										  0, bits, stream);
}

/* The sums have 8 bytes. */
cudaError_t
cub_scan_scratch(int64_t count, size_t sum_bytes, size_t *bytes)
{
	size_t		inclusive;
	size_t		exclusive;

	(void) sum_bytes;
	TRY(call_scan(NULL, &inclusive, NULL, NULL, count, false, 0));
	TRY(call_scan(NULL, &exclusive, NULL, NULL, count, true, 0));
	*bytes = inclusive > exclusive ? inclusive : exclusive;
	return cudaSuccess;
}

cudaError_t
cub_scan(cudaStream_t stream, const int *in, long long *out, int64_t count,
		 bool exclusive, void *scratch)
{
	size_t		bytes;

	TRY(call_scan(NULL, &bytes, in, out, count, exclusive, stream));
	TRY(call_scan(scratch, &bytes, in, out, count, exclusive, stream));
	return cudaSuccess;
}

cudaError_t
cub_compact_scratch(const LabAlgorithm *algorithm, int64_t count,
					size_t *bytes)
{
	(void) algorithm;
	TRY(call_select(NULL, bytes, NULL, NULL, NULL, count, 0));
	return cudaSuccess;
}

cudaError_t
cub_compact(const LabAlgorithm *algorithm, cudaStream_t stream, const int *in,
			int *out, int64_t count, long long *selected, void *scratch)
{
	size_t		bytes;

	(void) algorithm;
	TRY(call_select(NULL, &bytes, in, out, selected, count, stream));
	TRY(call_select(scratch, &bytes, in, out, selected, count, stream));
	return cudaSuccess;
}

cudaError_t
cub_sort_scratch(const LabAlgorithm *algorithm, int64_t count, size_t *bytes)
{
	cub::DoubleBuffer<int> buffers;
	size_t		ascending;
	size_t		descending;

	(void) algorithm;
	TRY(call_sort(NULL, &ascending, &buffers, count, false, 0));
	TRY(call_sort(NULL, &descending, &buffers, count, true, 0));
	*bytes = ascending > descending ? ascending : descending;
	return cudaSuccess;
}

cudaError_t
cub_sort(const LabAlgorithm *algorithm, cudaStream_t stream, int *keys,
		 int *other, int64_t count, unsigned flip, void *scratch, int **sorted)
{
	cub::DoubleBuffer<int> buffers(keys, other);
	bool		descending = flip == LAB_DESCENDING;
	size_t		bytes;

	(void) algorithm;
	TRY(call_sort(NULL, &bytes, &buffers, count, descending, stream));
	TRY(call_sort(scratch, &bytes, &buffers, count, descending, stream));
	*sorted = buffers.Current();
	return cudaSuccess;
}
