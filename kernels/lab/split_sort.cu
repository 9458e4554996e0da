/*
 * split_sort.cu
 *	  A radix sort by one bit at a time; each step is a split: Blelloch (1990),
 *	  "Radix sort"; GPU Gems 3, chapter 39, section 39.3.3.
 *
 * A split moves the keys with a 0 in a bit, the false keys, before those with
 * a 1, the true keys, and is stable.  The exclusive scan of flags of the false
 * keys is the place of each false key.  A true key i has i - scan[i] true keys
 * before it, and all false keys, so its place is i - scan[i] + total_false:
 *
 *		keys, lowest bit	3	6	5	2	7	0	4	1
 *		flags				0	1	0	1	0	1	1	0
 *		scan				0	0	1	1	2	2	3	4	total_false: 4
 *		i - scan + total	4	5	5	6	6	7	7	7
 *		place				4	0	5	1	6	2	3	7
 *		result				6	2	0	4	3	5	7	1
 *
 * Splits from the lowest bit to the highest sort the keys, because they are
 * stable.
 *
 * Operations: for each of 32 bits those of the scan, and O(n).
 *
 * Memory: for each bit 2 passes to flag, the scan's passes (4 if
 * work-efficient, 2 * ceil(log2 n) + 2 if naive), and 3 to scatter.  So 288 if
 * work-efficient.
 */
#include "kernels/lab/lab.h"

#define KEY_BITS		32

__device__ static inline bool
is_false(int key, unsigned flip, int bit)
{
	return (((unsigned) key ^ flip) >> bit & 1) == 0;
}

__global__ void
flag_false(const int *keys, unsigned *flags, long long count, unsigned flip,
		   int bit)
{
	long long	i = LAB_INDEX;

	if (i < count)
		flags[i] = is_false(keys[i], flip, bit) ? 1 : 0;
}

__global__ void
scatter_split(const int *keys, const unsigned *scan, int *out,
			  long long count, unsigned flip, int bit)
{
	long long	i = LAB_INDEX;
	long long	last = count - 1;
	long long	total_false;

	if (i >= count)
		return;
	total_false = scan[last] + (is_false(keys[last], flip, bit) ? 1 : 0);
	if (is_false(keys[i], flip, bit))
		out[scan[i]] = keys[i];
	else
		out[i - scan[i] + total_false] = keys[i];
}

static cudaError_t
split(const LabScan *scan, cudaStream_t stream, const int *keys, int *out,
	  int64_t count, unsigned flip, int bit, const FlagMemory *memory)
{
	unsigned	blocks = lab_blocks(count);

	flag_false<<<blocks, LAB_THREADS, 0, stream>>>(keys, memory->flags, count,
												   flip, bit);
	TRY(cudaGetLastError());
	TRY(scan->flags(stream, memory->flags, memory->positions, count, true,
					memory->scan));
	scatter_split<<<blocks, LAB_THREADS, 0, stream>>>
		(keys, memory->positions, out, count, flip, bit);
	return cudaGetLastError();
}

/* The number of bits is even, so the last split moves to "keys". */
cudaError_t
split_sort(const LabScan *scan, cudaStream_t stream, int *keys, int *other,
		   int64_t count, unsigned flip, void *scratch)
{
	FlagMemory	memory = flag_memory(count, scratch);

	for (int bit = 0; bit < KEY_BITS; bit += 2)
	{
		TRY(split(scan, stream, keys, other, count, flip, bit, &memory));
		TRY(split(scan, stream, other, keys, count, flip, bit + 1, &memory));
	}
	return cudaSuccess;
}
