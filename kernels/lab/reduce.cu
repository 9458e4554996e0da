/*
 * reduce.cu
 *	  A reduction: the bits in which any two keys differ.
 *
 * This is the up-sweep of a scan (GPU Gems 3, chapter 39, section 39.2.2)
 * without the tree, so a node may have any place.  Each step combines the
 * second half of the words with the first half, so the active threads and
 * their words are adjacent (Harris, "Optimizing parallel reduction in CUDA",
 * 2007).
 *
 * Each thread first reduces a share of the keys.  Then a thread block reduces
 * its threads' words in shared memory, and adds one word to the result by an
 * atomic operation.  The reduction is the OR of each
 * key's differences from the first key: a bit of the result is 1 if some key
 * differs from the first key in it, that is, if any two keys differ in it.
 * (Inverting bits of all keys does not change the result.)
 *
 * Operations: n differences and n - 1 ORs, in n / threads + 2 * log2 threads
 * steps.
 *
 * Memory: 1 pass.
 */
#include "kernels/lab/lab.h"

/* Thread blocks that keep the memory of any device busy. */
#define MAX_BLOCKS	1024

/* The OR over the thread block; only thread 0 has the result. */
__device__ static inline unsigned
block_or(unsigned word)
{
	__shared__ unsigned words[LAB_THREADS];

	words[threadIdx.x] = word;
	for (unsigned half = LAB_THREADS / 2; half > 0; half /= 2)
	{
		__syncthreads();
		if (threadIdx.x < half)
			words[threadIdx.x] |= words[threadIdx.x + half];
	}
	return words[threadIdx.x];
}

/* Adds the bits in which a thread block's keys differ from the first key. */
__global__ void __launch_bounds__(LAB_THREADS)
reduce_keys(const int *keys, long long count, unsigned *result)
{
	long long	threads = (long long) gridDim.x * LAB_THREADS;
	unsigned	bits = 0;

	for (long long i = LAB_INDEX; i < count; i += threads)
		bits |= (unsigned) (keys[i] ^ keys[0]);
	bits = block_or(bits);
	if (threadIdx.x == 0)
		atomicOr(result, bits);
}

/*
 * Waits for the stream, and returns the result to the host.  The scratch memory
 * is one word.
 */
cudaError_t
live_bits(cudaStream_t stream, const int *keys, int64_t count, void *scratch,
		  unsigned *bits)
{
	unsigned	blocks = lab_blocks(count);
	unsigned   *result = (unsigned *) scratch;

	TRY(cudaMemsetAsync(result, 0, sizeof(*result), stream));
	reduce_keys<<<blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS, LAB_THREADS, 0,
		stream>>>(keys, count, result);
	TRY(cudaGetLastError());
	TRY(cudaMemcpyAsync(bits, result, sizeof(*bits), cudaMemcpyDeviceToHost,
						stream));
	return cudaStreamSynchronize(stream);
}
