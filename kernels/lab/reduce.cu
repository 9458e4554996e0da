/*
 * reduce.cu
 *	  A reduction over blocks: in which bits do keys differ?
 *
 * This is the up-sweep of a scan alone (GPU Gems 3, chapter 39, section
 * 39.2.2), and since no tree has to be left behind, a node may live where the
 * threads like it: in each step the first half of the words has the second
 * half merged into it, so that those at work are side by side, and so are the
 * words (Harris, "Optimizing parallel reduction in CUDA", 2007).
 *
 * Each thread first merges a share of the keys on its own, a block then
 * merges its threads in shared memory, and writes one word; a second launch,
 * of one block, does the same with those.  What is merged are the differences
 * to the first key, and merging is OR: a bit of the result is 1 if some key
 * differs in it from the first, so if any two differ in it.  (An order of the
 * keys that flips bits makes no difference.)
 *
 * Operations: n differences and n - 1 ORs, in n / threads + 2 * log2 threads
 * steps.
 *
 * Memory: 1 pass.
 */
#include "lab.h"

/* The threads of these blocks are enough to keep any device's memory busy. */
#define REDUCE_BLOCKS	1024

/* The OR over the block's threads, for thread 0. */
__device__ static inline unsigned
or_over_block(unsigned word)
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

/* A word for each block: the bits in which its keys differ from the first. */
__global__ void __launch_bounds__(LAB_THREADS)
reduce_keys(const int *keys, long long count, unsigned *words)
{
	long long	threads = (long long) gridDim.x * LAB_THREADS;
	unsigned	bits = 0;

	for (long long i = LAB_INDEX; i < count; i += threads)
		bits |= (unsigned) (keys[i] ^ keys[0]);
	bits = or_over_block(bits);
	if (threadIdx.x == 0)
		words[blockIdx.x] = bits;
}

/* One word for all blocks. */
__global__ void __launch_bounds__(LAB_THREADS)
reduce_words(const unsigned *words, int count, unsigned *result)
{
	unsigned	bits = 0;

	for (int i = threadIdx.x; i < count; i += LAB_THREADS)
		bits |= words[i];
	bits = or_over_block(bits);
	if (threadIdx.x == 0)
		*result = bits;
}

static unsigned
reduce_blocks(int64_t count)
{
	unsigned	blocks = lab_blocks(count);

	return blocks < REDUCE_BLOCKS ? blocks : REDUCE_BLOCKS;
}

/* A word for each block, and one for the result. */
size_t
live_bits_scratch(int64_t count)
{
	return lab_align((reduce_blocks(count) + 1) * sizeof(unsigned));
}

/* Waits for the stream: it is the host that is told the result. */
cudaError_t
live_bits(cudaStream_t stream, const int *keys, int64_t count, void *scratch,
		  unsigned *bits)
{
	unsigned	blocks = reduce_blocks(count);
	unsigned   *words = (unsigned *) scratch;
	unsigned   *result = words + blocks;

	reduce_keys<<<blocks, LAB_THREADS, 0, stream>>>(keys, count, words);
	TRY(cudaGetLastError());
	reduce_words<<<1, LAB_THREADS, 0, stream>>>(words, (int) blocks, result);
	TRY(cudaGetLastError());
	TRY(cudaMemcpyAsync(bits, result, sizeof(*bits),
							 cudaMemcpyDeviceToHost, stream));
	TRY(cudaStreamSynchronize(stream));
	return cudaSuccess;
}
