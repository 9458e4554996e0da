/*
 * sort.cu
 *	  Radix sort, from the least significant digit, 8 bits at a time.
 *
 * All digits are counted while the keys arrive; one in which no two keys
 * differ is skipped.  For each of the others: every tile counts its keys by
 * digit; a scan over the counts, digit by digit and within a digit tile by
 * tile, makes positions of them; every tile ranks its keys, stably, and moves
 * them there (Zagha and Blelloch, 1991; Satish, Harris and Garland, "Designing
 * efficient sorting algorithms for manycore GPUs", 2009).
 */
#include "device.h"
#include "tile.h"

#define SORT_ITEMS		16		/* of a thread */
#define SORT_TILE		(TILE_THREADS * SORT_ITEMS)
#define SORT_WARPS		(TILE_THREADS / WARP)

static_assert(TILE_THREADS == SORT_BINS, "a thread looks after a bin");

/*
 * A digit of a key; "flip" is what makes the order of the keys that of
 * unsigned numbers.
 */
__device__ static inline unsigned
digit_of(int key, unsigned flip, int digit)
{
	return ((unsigned) key ^ flip) >> (digit * SORT_DIGIT_BITS) &
		(SORT_BINS - 1);
}

/* Adds the counts of all digits of the keys to the histogram. */
__global__ void __launch_bounds__(TILE_THREADS)
count_all_digits(const int *keys, long long count, unsigned flip,
				 unsigned *histogram)
{
	__shared__ unsigned bins[SORT_DIGITS][SORT_BINS];

	for (int digit = 0; digit < SORT_DIGITS; digit++)
		bins[digit][threadIdx.x] = 0;
	__syncthreads();
	for (long long i = (long long) blockIdx.x * TILE_THREADS + threadIdx.x;
		 i < count; i += (long long) gridDim.x * TILE_THREADS)
	{
		for (int digit = 0; digit < SORT_DIGITS; digit++)
			atomicAdd(&bins[digit][digit_of(keys[i], flip, digit)], 1);
	}
	__syncthreads();
	for (int digit = 0; digit < SORT_DIGITS; digit++)
		atomicAdd(&histogram[digit * SORT_BINS + threadIdx.x],
				  bins[digit][threadIdx.x]);
}

/* Counts a digit in each tile: counts[bin][tile]. */
__global__ void __launch_bounds__(TILE_THREADS)
count_digit(const int *keys, long long count, unsigned flip, int digit,
			unsigned *counts)
{
	__shared__ unsigned bins[SORT_BINS];
	long long	first = (long long) blockIdx.x * SORT_TILE;
	long long	last = min(first + SORT_TILE, count);

	bins[threadIdx.x] = 0;
	__syncthreads();
	for (long long i = first + threadIdx.x; i < last; i += TILE_THREADS)
		atomicAdd(&bins[digit_of(keys[i], flip, digit)], 1);
	__syncthreads();
	counts[(long long) threadIdx.x * gridDim.x + blockIdx.x] =
		bins[threadIdx.x];
}

/*
 * Ranks this thread's keys among those of its warp with the same digit, in
 * the order in which they stand: the warp's j-th row of keys after the row
 * before it, and within a row, lane after lane.  Leaves the warp's counts in
 * "bins", which are zero before.
 */
__device__ static inline void
rank_in_warp(const unsigned *digits, unsigned *bins, unsigned *ranks)
{
	unsigned	lanes_before = (1u << (threadIdx.x % WARP)) - 1;

	for (int j = 0; j < SORT_ITEMS; j++)
	{
		unsigned	peers = __match_any_sync(ALL_LANES, digits[j]);
		unsigned	before = bins[digits[j]];

		__syncwarp();
		ranks[j] = before + __popc(peers & lanes_before);
		if ((peers & lanes_before) == 0)
			bins[digits[j]] = before + __popc(peers);
		__syncwarp();
	}
}

/*
 * Moves each tile's keys to their places.  They are first put into order in
 * shared memory, where the keys for a bin stand side by side, and so they are
 * written.
 */
__global__ void __launch_bounds__(TILE_THREADS)
move_keys(const int *keys, int *out, long long count, unsigned flip,
		  int digit, const unsigned *positions)
{
	__shared__ unsigned bins[SORT_WARPS][SORT_BINS];
	__shared__ int ordered[SORT_TILE];
	__shared__ unsigned places[SORT_BINS];
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	long long	first = (long long) blockIdx.x * SORT_TILE;
	int			tile_count = (int) min((long long) SORT_TILE, count - first);
	int			own[SORT_ITEMS];
	unsigned	digits[SORT_ITEMS];
	unsigned	ranks[SORT_ITEMS];
	unsigned	bin_count = 0;
	unsigned	bin_start;
	unsigned	total;

	for (int i = 0; i < SORT_WARPS; i++)
		bins[i][threadIdx.x] = 0;
	__syncthreads();

	/* What is past the end counts as the greatest key, and comes last. */
	for (int j = 0; j < SORT_ITEMS; j++)
	{
		int			i = warp * (SORT_TILE / SORT_WARPS) + j * WARP + lane;

		own[j] = i < tile_count ? keys[first + i] : (int) ~flip;
		digits[j] = digit_of(own[j], flip, digit);
	}
	rank_in_warp(digits, bins[warp], ranks);
	__syncthreads();

	/* Each thread: where its bin starts in the tile, for each warp. */
	for (int i = 0; i < SORT_WARPS; i++)
		bin_count += bins[i][threadIdx.x];
	bin_start = block_exclusive_scan(bin_count, &total);
	places[threadIdx.x] =
		positions[(long long) threadIdx.x * gridDim.x + blockIdx.x] - bin_start;
	for (int i = 0; i < SORT_WARPS; i++)
	{
		unsigned	warp_count = bins[i][threadIdx.x];

		bins[i][threadIdx.x] = bin_start;
		bin_start += warp_count;
	}
	__syncthreads();

	for (int j = 0; j < SORT_ITEMS; j++)
		ordered[bins[warp][digits[j]] + ranks[j]] = own[j];
	__syncthreads();
	for (int i = threadIdx.x; i < tile_count; i += TILE_THREADS)
	{
		int			key = ordered[i];

		out[places[digit_of(key, flip, digit)] + i] = key;
	}
}

static unsigned
sort_flip(const EngineJob *job)
{
	return job->request.descending ? 0x7FFFFFFFu : 0x80000000u;
}

static int64_t
sort_tiles(const EngineJob *job)
{
	return (job->request.count + SORT_TILE - 1) / SORT_TILE;
}

/* The device memory that a sort needs. */
void
sort_sizes(const EngineJob *job, size_t *sizes)
{
	int64_t		counts = sort_tiles(job) * SORT_BINS;

	sizes[BUFFER_KEYS] = job->request.count * sizeof(int);
	sizes[BUFFER_OTHER_KEYS] = sizes[BUFFER_KEYS];
	sizes[BUFFER_COUNTS] = counts * sizeof(unsigned);
	sizes[BUFFER_TILES] = scan_tiles_bytes(counts);
}

EngineStatus
sort_begin(EngineJob *job)
{
	TRY_CUDA(cudaMemsetAsync(job->session->histogram, 0, HISTOGRAM_BYTES,
							 job->session->compute));
	return ENGINE_OK;
}

/* Queues the counting of a piece's digits. */
EngineStatus
sort_piece(EngineJob *job, Slot *slot, int64_t first, int64_t count)
{
	Session    *session = job->session;
	const int  *keys = (const int *) session->buffers[BUFFER_KEYS].memory;
	int64_t		blocks = (count + SORT_TILE - 1) / SORT_TILE;

	TRY_CUDA(cudaEventRecord(slot->kernel.begin, session->compute));
	count_all_digits<<<(unsigned) blocks, TILE_THREADS, 0, session->compute>>>
		(keys + first, count, sort_flip(job), session->histogram);
	TRY_CUDA(cudaGetLastError());
	TRY_CUDA(cudaEventRecord(slot->kernel.end, session->compute));
	slot->state = SLOT_UPLOADING;
	return ENGINE_OK;
}

/* Do any two keys differ in this digit?  If not, one bin has them all. */
static bool
is_live(const EngineJob *job, int digit)
{
	const unsigned *bins = job->session->host_histogram + digit * SORT_BINS;

	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		if (bins[bin] == job->request.count)
			return false;
	}
	return true;
}

static EngineStatus
sort_by_digit(EngineJob *job, int digit, const int *keys, int *out)
{
	Session    *session = job->session;
	cudaStream_t stream = session->compute;
	unsigned   *counts = (unsigned *) session->buffers[BUFFER_COUNTS].memory;
	int64_t		count = job->request.count;
	unsigned	tiles = (unsigned) sort_tiles(job);

	count_digit<<<tiles, TILE_THREADS, 0, stream>>>(keys, count,
													sort_flip(job), digit,
													counts);
	TRY_CUDA(cudaGetLastError());
	TRY(scan_counts(session, (int64_t) tiles * SORT_BINS));
	move_keys<<<tiles, TILE_THREADS, 0, stream>>>(keys, out, count,
												  sort_flip(job), digit,
												  counts);
	TRY_CUDA(cudaGetLastError());
	return ENGINE_OK;
}

/* Sorts the keys, all of which have arrived, and waits until it is done. */
EngineStatus
sort_keys(EngineJob *job)
{
	Session    *session = job->session;
	Span	   *span = &session->slots[0].kernel;
	int		   *keys = (int *) session->buffers[BUFFER_KEYS].memory;
	int		   *other = (int *) session->buffers[BUFFER_OTHER_KEYS].memory;
	float		elapsed;

	TRY_CUDA(cudaMemcpyAsync(session->host_histogram, session->histogram,
							 HISTOGRAM_BYTES, cudaMemcpyDeviceToHost,
							 session->compute));
	TRY_CUDA(cudaStreamSynchronize(session->compute));

	TRY_CUDA(cudaEventRecord(span->begin, session->compute));
	for (int digit = 0; digit < SORT_DIGITS; digit++)
	{
		int		   *from = keys;

		if (!is_live(job, digit))
			continue;
		TRY(sort_by_digit(job, digit, from, other));
		keys = other;
		other = from;
	}
	TRY_CUDA(cudaEventRecord(span->end, session->compute));
	TRY_CUDA(cudaEventSynchronize(span->end));
	TRY_CUDA(cudaEventElapsedTime(&elapsed, span->begin, span->end));
	job->kernel_ms += elapsed;
	job->keys = keys;
	return ENGINE_OK;
}
