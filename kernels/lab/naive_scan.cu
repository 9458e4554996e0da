/*
 * naive_scan.cu
 *	  The scan of Hillis and Steele, "Data parallel algorithms", CACM 29
 *	  (1986); in GPU Gems 3, chapter 39, it is section 39.2.1, "A naive
 *	  parallel scan".
 *
 * Step d = 1, 2, 3, ... adds to every element the element 2^(d-1) places before
 * it.  After step d, each is the sum of the 2^d elements that end with it, or
 * of all elements up to it if they are fewer:
 *
 *		elements	3	1	7	0	4	1	6	3
 *		d = 1		3	4	8	7	4	5	7	9		1 place before
 *		d = 2		3	4	11	11	12	12	11	14		2 places
 *		d = 3		3	4	11	11	15	16	22	25		4 places
 *
 * So ceil(log2 n) steps are enough, whether or not n is a power of two.  The
 * threads of a step do not wait for each other, and must not overwrite what
 * others have yet to read.  So each step reads one half of a double buffer and
 * writes the other.
 *
 * Operations: n * ceil(log2 n) - 2^ceil(log2 n) + 1 additions.  One thread
 * needs n - 1, so for n = 2^24 this is 23 times the work.
 *
 * Memory: a step reads and writes all elements: 2 * ceil(log2 n) + 2 passes,
 * with those that load the elements.  (A step also reads what it adds, but
 * mostly from the cache, because another thread reads it too.)
 */
#include "kernels/lab/lab.h"

/*
 * Copies the elements into the buffer that the first step reads, as sums of
 * one element each.  For an exclusive scan, they are shifted by one place, and
 * the first place is zero.
 */
template <typename In, typename Out>
__global__ void
naive_load(const In *in, Out *out, long long count, bool exclusive)
{
	long long	i = LAB_INDEX;

	if (i >= count)
		return;
	if (exclusive)
		out[i] = i > 0 ? in[i - 1] : 0;
	else
		out[i] = in[i];
}

/* A step: adds to each sum the sum "distance" places before it. */
template <typename T>
__global__ void
naive_step(const T *in, T *out, long long count, long long distance)
{
	long long	i = LAB_INDEX;

	if (i >= count)
		return;
	if (i >= distance)
		out[i] = in[i - distance] + in[i];
	else
		out[i] = in[i];
}

/* The other half of the double buffer. */
size_t
naive_scan_scratch(int64_t count, size_t sum_bytes)
{
	return count * sum_bytes;
}

template <typename In, typename Out>
cudaError_t
naive_scan(cudaStream_t stream, const In *in, Out *out, int64_t count,
		   bool exclusive, void *scratch)
{
	unsigned	blocks = lab_blocks(count);
	Out		   *sums = out;
	Out		   *next = (Out *) scratch;
	bool		odd = false;

	/* The buffers change roles in each step.  The last step writes "out". */
	for (int64_t distance = 1; distance < count; distance *= 2)
		odd = !odd;
	if (odd)
	{
		sums = (Out *) scratch;
		next = out;
	}

	naive_load<<<blocks, LAB_THREADS, 0, stream>>>(in, sums, count,
												   exclusive);
	TRY(cudaGetLastError());
	for (int64_t distance = 1; distance < count; distance *= 2)
	{
		Out		   *read = sums;

		naive_step<<<blocks, LAB_THREADS, 0, stream>>>(read, next, count,
													   distance);
		TRY(cudaGetLastError());
		sums = next;
		next = read;
	}
	return cudaSuccess;
}

template cudaError_t naive_scan(cudaStream_t stream, const int *in,
								 long long *out, int64_t count,
								 bool exclusive, void *scratch);
template cudaError_t naive_scan(cudaStream_t stream, const unsigned *in,
								 unsigned *out, int64_t count,
								 bool exclusive, void *scratch);
