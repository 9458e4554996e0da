/*
 * sort.cu
 *	  Radix sort, from the least significant digit, 8 bits at a time.
 *
 * All digits are counted in one read of the keys.  Then each digit in which
 * any two keys differ takes one read and one write: a tile ranks its keys in
 * shared memory, learns from a look-back over the tiles before it how many
 * keys with the same digit those have, and moves its own to their places
 * (Adinets and Merrill, "Onesweep: a faster least significant digit radix
 * sort for GPUs", 2022).
 */
#include "device.h"
#include "kernels.h"
#include "warp.h"

#define SORT_THREADS	384
#define SORT_WARPS		(SORT_THREADS / WARP)
#define SORT_ITEMS		22		/* of a thread */
#define SORT_TILE		(SORT_THREADS * SORT_ITEMS)
#define COUNT_THREADS	256

/* Blocks that are to fit on a multiprocessor; 7.5's has 1024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SORT_BLOCKS		2
#else
#define SORT_BLOCKS		3
#endif

/*
 * What a tile has published for a bin: a count of keys, and of which it is,
 * in which pass: so nothing has to be cleared between two passes.
 */
#define TAG_BITS		4
#define TAG_OF(word)	((word) & ((1u << TAG_BITS) - 1))
#define TAG_TILE(digit)	(2 * (digit) + 1)	/* of the tile */
#define TAG_PREFIX(digit) (2 * (digit) + 2)	/* of all tiles up to it */

/* What the device itself finds out about a sort, from the counts. */
typedef struct SortPlan
{
	unsigned	starts[SORT_DIGITS][SORT_BINS]; /* of each bin, in the output */
	int			live[SORT_DIGITS];	/* do any two keys differ in it? */
	int			source[SORT_DIGITS + 1];	/* which buffer has the keys then */
	unsigned	tickets[SORT_DIGITS];	/* tiles taken */
} SortPlan;

typedef struct SortMemory
{
	unsigned	bins[SORT_WARPS][SORT_BINS];
	union
	{
		unsigned	peers[SORT_WARPS][SORT_BINS];
		int			keys[SORT_TILE];
	};
	unsigned	places[SORT_BINS];
	unsigned	warps[SORT_WARPS];
	unsigned	tile;
} SortMemory;

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

/* Counts a digit; keys that are all alike would wait for each other. */
__device__ static inline void
count_digit(unsigned *bins, unsigned bin, unsigned lanes)
{
	int			leader = __ffs(lanes) - 1;

	if (__all_sync(lanes, bin == __shfl_sync(lanes, bin, leader)))
	{
		if ((int) (threadIdx.x % WARP) == leader)
			atomicAdd(&bins[bin], __popc(lanes));
	}
	else
		atomicAdd(&bins[bin], 1);
}

/* Adds the counts of all digits of the keys to the histogram. */
__global__ void __launch_bounds__(COUNT_THREADS)
count_all_digits(const int *keys, long long count, unsigned flip,
				 unsigned *histogram)
{
	__shared__ unsigned bins[SORT_DIGITS][SORT_BINS];
	const int	lead = (int) ((size_t) keys % sizeof(int4) / sizeof(int));
	long long	end = lead + count;
	long long	stride = (long long) gridDim.x * COUNT_THREADS;

	for (int digit = 0; digit < SORT_DIGITS; digit++)
		bins[digit][threadIdx.x] = 0;
	__syncthreads();

	/* Four at a time, from where they are aligned. */
	keys -= lead;
	for (long long i = (long long) blockIdx.x * COUNT_THREADS + threadIdx.x;
		 i * 4 < end; i += stride)
	{
		unsigned	lanes = __activemask();

		if (__all_sync(lanes, i * 4 >= lead && i * 4 + 4 <= end))
		{
			int4		vector = ((const int4 *) keys)[i];
			const int	own[4] = {vector.x, vector.y, vector.z, vector.w};

			for (int j = 0; j < 4; j++)
			{
				for (int digit = 0; digit < SORT_DIGITS; digit++)
					count_digit(bins[digit], digit_of(own[j], flip, digit),
								lanes);
			}
		}
		else
		{
			for (long long j = i * 4; j < i * 4 + 4; j++)
			{
				for (int digit = 0; digit < SORT_DIGITS; digit++)
				{
					if (j >= lead && j < end)
						atomicAdd(&bins[digit][digit_of(keys[j], flip, digit)],
								  1);
				}
			}
		}
	}
	__syncthreads();
	for (int digit = 0; digit < SORT_DIGITS; digit++)
	{
		unsigned	found = bins[digit][threadIdx.x];

		if (found > 0)
			atomicAdd(&histogram[digit * SORT_BINS + threadIdx.x], found);
	}
}

/*
 * The sum over the threads before this one; only the first "warps" warps need
 * have anything to add.
 */
template <int WARPS>
__device__ static inline unsigned
block_exclusive_scan(unsigned value, unsigned *warps)
{
	int			warp = threadIdx.x / WARP;
	unsigned	inclusive = warp_inclusive_scan(value);
	unsigned	before = 0;

	if (threadIdx.x % WARP == WARP - 1)
		warps[warp] = inclusive;
	__syncthreads();
	for (int i = 0; i < WARPS; i++)
		before += i < warp ? warps[i] : 0;
	__syncthreads();
	return before + inclusive - value;
}

/* Makes the plan from the histogram.  One block, a thread for each bin. */
__global__ void __launch_bounds__(SORT_BINS)
make_plan(const unsigned *histogram, unsigned count, SortPlan *plan)
{
	__shared__ unsigned warps[SORT_BINS / WARP];
	int			source = 0;

	for (int digit = 0; digit < SORT_DIGITS; digit++)
	{
		unsigned	found = histogram[digit * SORT_BINS + threadIdx.x];
		int			live = !__syncthreads_or(found == count);

		plan->starts[digit][threadIdx.x] =
			block_exclusive_scan<SORT_BINS / WARP>(found, warps);
		if (threadIdx.x == 0)
		{
			plan->live[digit] = live;
			plan->source[digit] = source;
			plan->tickets[digit] = 0;
		}
		source ^= live;
	}
	if (threadIdx.x == 0)
		plan->source[SORT_DIGITS] = source;
}

/*
 * Ranks this thread's keys among those of the tile, in the order in which
 * they stand: a warp's rows one after another, and within a row, lane after
 * lane.  "bins" tells where the warp's next key for each bin belongs; "peers"
 * is zero, and zero again afterwards.
 */
__device__ static inline void
rank_keys(const int *keys, unsigned flip, int digit, unsigned *bins,
		  unsigned *peers, unsigned short *ranks)
{
	int			lane = threadIdx.x % WARP;
	unsigned	own = 1u << lane;

	for (int j = 0; j < SORT_ITEMS; j++)
	{
		unsigned	bin = digit_of(keys[j], flip, digit);
		unsigned	same;
		unsigned	before = 0;
		int			leader;

		atomicOr(&peers[bin], own);
		__syncwarp();
		same = peers[bin];
		leader = WARP - 1 - __clz(same);
		__syncwarp();
		if (lane == leader)
		{
			peers[bin] = 0;
			before = bins[bin];
			bins[bin] = before + __popc(same);
		}
		before = __shfl_sync(ALL_LANES, before, leader);
		__syncwarp();
		ranks[j] = (unsigned short) (before + __popc(same & (own - 1)));
	}
}

/*
 * How many keys for a bin the tiles before this one have; publishes that, with
 * the tile's own, for the tiles behind.
 */
__device__ static inline unsigned
look_back(unsigned *words, unsigned tile, unsigned own, int digit)
{
	unsigned	before = 0;

	for (int at = (int) tile - 1; at >= 0; at--)
	{
		const volatile unsigned *word = &words[at * SORT_BINS];
		unsigned	seen;

		do
			seen = *word;
		while (TAG_OF(seen) != TAG_TILE(digit) &&
			   TAG_OF(seen) != TAG_PREFIX(digit));
		before += seen >> TAG_BITS;
		if (TAG_OF(seen) == TAG_PREFIX(digit))
			break;
	}
	*(volatile unsigned *) &words[tile * SORT_BINS] =
		(before + own) << TAG_BITS | TAG_PREFIX(digit);
	return before;
}

/*
 * Moves each tile's keys to their places.  They are first put into order in
 * shared memory, where the keys for a bin stand side by side, and so they are
 * written.  Tiles are taken in the order in which blocks begin, so that none
 * waits for one that has not begun.
 */
__global__ void __launch_bounds__(SORT_THREADS, SORT_BLOCKS)
move_keys(int *keys, int *other, long long count, unsigned flip, int digit,
		  SortPlan *plan, unsigned *words)
{
	extern __shared__ __align__(128) char shared[];
	SortMemory *memory = (SortMemory *) shared;
	int			warp = threadIdx.x / WARP;
	int			lane = threadIdx.x % WARP;
	const int  *in = plan->source[digit] ? other : keys;
	int		   *out = plan->source[digit] ? keys : other;
	int			own[SORT_ITEMS];
	unsigned short ranks[SORT_ITEMS];
	unsigned	bin_count = 0;
	unsigned	key_count = 0;
	unsigned	bin_start;

	if (!plan->live[digit])
		return;
	if (threadIdx.x == 0)
		memory->tile = atomicAdd(&plan->tickets[digit], 1);
	for (int i = threadIdx.x; i < SORT_WARPS * SORT_BINS; i += SORT_THREADS)
	{
		memory->bins[0][i] = 0;
		memory->peers[0][i] = 0;
	}
	__syncthreads();

	unsigned	tile = memory->tile;
	long long	first = (long long) tile * SORT_TILE;
	int			tile_count = (int) min((long long) SORT_TILE, count - first);
	int			at = warp * SORT_ITEMS * WARP + lane;

	/* What is past the end counts as the greatest key, and comes last. */
	for (int j = 0; j < SORT_ITEMS; j++)
		own[j] = at + j * WARP < tile_count ?
			in[first + at + j * WARP] : (int) ~flip;
	for (int j = 0; j < SORT_ITEMS; j++)
		atomicAdd(&memory->bins[warp][digit_of(own[j], flip, digit)], 1);
	__syncthreads();

	/* A thread for each bin: publishes its count, for each warp its start. */
	if (threadIdx.x < SORT_BINS)
	{
		for (int i = 0; i < SORT_WARPS; i++)
			bin_count += memory->bins[i][threadIdx.x];

		/* What is past the end is in the last bin, but not to be counted. */
		key_count = bin_count;
		if (threadIdx.x == SORT_BINS - 1)
			key_count -= SORT_TILE - tile_count;
		*(volatile unsigned *) &words[tile * SORT_BINS + threadIdx.x] =
			key_count << TAG_BITS | TAG_TILE(digit);
	}
	bin_start = block_exclusive_scan<SORT_WARPS>(bin_count, memory->warps);
	if (threadIdx.x < SORT_BINS)
	{
		unsigned	next = bin_start;

		for (int i = 0; i < SORT_WARPS; i++)
		{
			unsigned	warp_count = memory->bins[i][threadIdx.x];

			memory->bins[i][threadIdx.x] = next;
			next += warp_count;
		}
	}
	__syncthreads();

	rank_keys(own, flip, digit, memory->bins[warp], memory->peers[warp],
			  ranks);
	__syncthreads();
	for (int j = 0; j < SORT_ITEMS; j++)
		memory->keys[ranks[j]] = own[j];
	if (threadIdx.x < SORT_BINS)
		memory->places[threadIdx.x] = plan->starts[digit][threadIdx.x] -
			bin_start + look_back(words + threadIdx.x, tile, key_count, digit);
	__syncthreads();

	for (int j = 0; j < SORT_ITEMS; j++)
	{
		int			i = threadIdx.x + j * SORT_THREADS;

		if (i < tile_count)
		{
			int			key = memory->keys[i];

			out[memory->places[digit_of(key, flip, digit)] + i] = key;
		}
	}
}

static int64_t
sort_tiles(int64_t count)
{
	return (count + SORT_TILE - 1) / SORT_TILE;
}

/* Scratch memory: the histogram, the plan, and what the tiles publish. */
size_t
sort_scratch_bytes(int64_t count)
{
	return HISTOGRAM_BYTES + sizeof(SortPlan) +
		sort_tiles(count) * SORT_BINS * sizeof(unsigned);
}

EngineStatus
sort_clear_counts(cudaStream_t stream, void *scratch)
{
	TRY_CUDA(cudaMemsetAsync(scratch, 0, HISTOGRAM_BYTES, stream));
	return ENGINE_OK;
}

/* Counts the digits of some of the keys. */
EngineStatus
sort_count_keys(cudaStream_t stream, const int *keys, int64_t count,
				unsigned flip, void *scratch)
{
	int64_t		blocks = (count + COUNT_THREADS * 16 - 1) /
		(COUNT_THREADS * 16);

	if (blocks > 1056)
		blocks = 1056;
	count_all_digits<<<(unsigned) blocks, COUNT_THREADS, 0, stream>>>
		(keys, count, flip, (unsigned *) scratch);
	TRY_CUDA(cudaGetLastError());
	return ENGINE_OK;
}

/*
 * Sorts the keys, whose digits are counted, by way of another buffer of the
 * same size.  *in_other, in mapped memory, will say which of them has them.
 */
EngineStatus
sort_moves(cudaStream_t stream, int *keys, int *other, int64_t count,
		   unsigned flip, void *scratch, int *in_other)
{
	SortPlan   *plan = (SortPlan *) ((char *) scratch + HISTOGRAM_BYTES);
	unsigned   *words = (unsigned *) (plan + 1);
	unsigned	tiles = (unsigned) sort_tiles(count);

	TRY_CUDA(cudaFuncSetAttribute((const void *) move_keys,
								  cudaFuncAttributeMaxDynamicSharedMemorySize,
								  (int) sizeof(SortMemory)));
	TRY_CUDA(cudaMemsetAsync(words, 0, (size_t) tiles * SORT_BINS *
							 sizeof(unsigned), stream));
	make_plan<<<1, SORT_BINS, 0, stream>>>((unsigned *) scratch,
										   (unsigned) count, plan);
	for (int digit = 0; digit < SORT_DIGITS; digit++)
		move_keys<<<tiles, SORT_THREADS, sizeof(SortMemory), stream>>>
			(keys, other, count, flip, digit, plan, words);
	TRY_CUDA(cudaGetLastError());
	TRY_CUDA(cudaMemcpyAsync(in_other, &plan->source[SORT_DIGITS],
							 sizeof(int), cudaMemcpyDeviceToHost, stream));
	return ENGINE_OK;
}

static unsigned
sort_flip(const EngineJob *job)
{
	return job->request.descending ? 0x7FFFFFFFu : 0x80000000u;
}

static EngineStatus
sort_sizes(const EngineJob *job, size_t *sizes)
{
	sizes[BUFFER_GATHERED] = job->request.count * sizeof(int);
	sizes[BUFFER_OTHER] = sizes[BUFFER_GATHERED];
	sizes[BUFFER_SCRATCH] = sort_scratch_bytes(job->request.count);
	return ENGINE_OK;
}

static EngineStatus
sort_begin(EngineJob *job)
{
	return sort_clear_counts(job->session->compute,
							 job->session->buffers[BUFFER_SCRATCH].memory);
}

/* Queues the counting of a piece's digits. */
static EngineStatus
sort_piece(EngineJob *job, Slot *slot, int64_t count)
{
	Session    *session = job->session;
	const int  *keys = (const int *) session->buffers[BUFFER_GATHERED].memory;

	return sort_count_keys(session->compute, keys + job->pushed, count,
						   sort_flip(job),
						   session->buffers[BUFFER_SCRATCH].memory);
}

/* Queues the sort of the keys, all of which have arrived. */
static EngineStatus
sort_start(EngineJob *job)
{
	Session    *session = job->session;

	return sort_moves(session->compute,
					  (int *) session->buffers[BUFFER_GATHERED].memory,
					  (int *) session->buffers[BUFFER_OTHER].memory,
					  job->request.count, sort_flip(job),
					  session->buffers[BUFFER_SCRATCH].memory,
					  session->in_other);
}

/* Notes where the sorted keys are. */
static EngineStatus
sort_finish(EngineJob *job)
{
	Session    *session = job->session;
	SessionBuffer buffer = *session->in_other ? BUFFER_OTHER : BUFFER_GATHERED;

	job->results[0].from = session->buffers[buffer].memory;
	job->results[0].to = job->request.result;
	job->results[0].bytes = job->request.count * (int64_t) sizeof(int);
	return ENGINE_OK;
}

const DeviceOperation device_sort = {
	true, sort_sizes, sort_begin, sort_piece, sort_start, sort_finish
};
