/*
 * lab_cub.cu
 *	  Scan, compaction and sort of CUB, the library that comes with CUDA: the
 *	  mark to beat.
 *
 * Its scan and its compaction look back over tiles, as tile.h does (Merrill
 * and Garland, 2016).  Its sort takes several bits at a time (Adinets and
 * Merrill, "Onesweep", 2022).
 *
 * Operations: O(n), and O(n) for each digit of a sort.
 *
 * Memory: a scan takes 2 passes; a compaction 1, and the selected; a sort 1
 * to count all digits, and 2 for each of them, whichever bits are in use.
 *
 * A function of CUB that is given no scratch memory does nothing but say how
 * much it needs.  Each is wrapped once, for both.
 */
#include <cub/cub.cuh>
#include <cuda/std/functional>

#include "lab.h"

/* A class, because CUB takes its operators so. */
struct IsNotZero
{
	__device__ bool
	operator()(int item) const
	{
		return item != 0;
	}
};

/*
 * The type of the operator is that of the sums: int4 would overflow.  A count
 * of 32 bits is what CUB is fastest with.
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

/* The sums are of 8 bytes. */
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
