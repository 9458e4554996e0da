/*
 * reduce.cu
 *	  Reductions.
 *
 * One kernel reduces an array: each warp has a share of it, whose elements it
 * combines in their order; and the last thread block to finish combines the
 * results of all ("Reduction in one pass", threadFenceReduction in the CUDA
 * samples).  Sums and products of floats, and products of integers, have
 * partial results that must be checked one by one: reduce_then_scan.cu.
 */
#include <type_traits>

#include "kernels/common/block.h"
#include "kernels/common/combine.h"
#include "kernels/common/launch.h"
#include "kernels/common/kernels.h"
#include "kernels/common/vector.h"

#define REDUCE_WARPS	(REDUCE_THREADS / WARP)

/* A warp's chunk: each lane has adjacent vectors of it. */
template <typename T>
struct Chunk
{
	static const int lane_items = REDUCE_VECTORS * Vector<T>::count;
	static const int items = WARP * lane_items;
};

/*
 * A kind of reduction is a struct.  Item is the type of an element, and Part
 * the type of what it makes of several elements.  It has functions that make a
 * Part of one element, add the next element, and merge two Parts; the first
 * Part precedes the other. finish() makes the result of all Parts.
 */

/* Minima, maxima and bits. */
template <typename T, ScanOperator OP>
struct Selecting
{
	typedef T	Item;
	typedef T	Part;

	__device__ static Part of(T item)
	{
		return item;
	}

	__device__ static void add(Part *part, T item)
	{
		*part = combine(OP, *part, item);
	}

	__device__ Part operator()(Part a, Part b) const
	{
		return combine(OP, a, b);
	}

	__device__ static T finish(Part part, int *overflow)
	{
		return part;
	}
};

/* A sum, and the least and the greatest partial sum, or zero. */
template <typename Wide>
struct SumPart
{
	Wide		sum;
	Wide		least;
	Wide		greatest;
};

/* Sums of integers, in a type in which they do not overflow. */
template <typename T, typename Out, typename Wide>
struct Summing
{
	typedef T	Item;
	typedef SumPart<Wide> Part;

	static const bool checked = sizeof(T) == sizeof(Out);

	__device__ static Part of(T item)
	{
		Part		part = {};

		add(&part, item);
		return part;
	}

	__device__ static void add(Part *part, T item)
	{
		part->sum += item;
		if (!checked)
			return;
		if (part->sum < part->least)
			part->least = part->sum;
		if (part->greatest < part->sum)
			part->greatest = part->sum;
	}

	__device__ Part operator()(const Part &a, const Part &b) const
	{
		Part		both = {a.sum + b.sum};

		if (checked)
		{
			both.least = a.sum + b.least;
			both.greatest = a.sum + b.greatest;
			if (!(both.least < a.least))
				both.least = a.least;
			if (!(a.greatest < both.greatest))
				both.greatest = a.greatest;
		}
		return both;
	}

	__device__ static Out finish(const Part &part, int *overflow)
	{
		if (checked && (part.least < Number<Out>::least ||
						part.greatest > Number<Out>::greatest))
			overflow[OVERFLOW_UP] = 1;
		return (Out) part.sum;
	}
};

/*
 * Reduces "number" elements of a lane.  The lanes of the last chunk may have
 * few.
 */
template <typename Kind>
__device__ static inline typename Kind::Part
reduce_lane(const typename Kind::Item *in, int number)
{
	typedef typename Kind::Item T;
	const int	each = Vector<T>::count;
	Vector<T>	vectors[REDUCE_VECTORS];
	typename Kind::Part part = {};

	if (number < REDUCE_VECTORS * each)
	{
		for (int i = 0; i < number; i++)
		{
			if (i == 0)
				part = Kind::of(in[0]);
			else
				Kind::add(&part, in[i]);
		}
		return part;
	}
	load_vectors(vectors, in, each);
	part = Kind::of(vectors[0].items[0]);
#pragma unroll
	for (int i = 1; i < REDUCE_VECTORS * each; i++)
		Kind::add(&part, vectors[i / each].items[i % each]);
	return part;
}

/*
 * Reduces a warp's share: the chunks from "first" on.  The first lane has the
 * result.
 */
template <typename Kind>
__device__ static inline typename Kind::Part
reduce_share(const typename Kind::Item *in, long long count, long long first,
			 long long end)
{
	typedef Chunk<typename Kind::Item> OwnChunk;
	int			before = threadIdx.x % WARP * OwnChunk::lane_items;
	typename Kind::Part share = {};

	for (long long chunk = first; chunk < end; chunk++)
	{
		long long	at = chunk * OwnChunk::items;
		int			items = (int) min((long long) OwnChunk::items, count - at);
		int			lanes = (items + OwnChunk::lane_items - 1) /
			OwnChunk::lane_items;
		int			own = max(0, min(OwnChunk::lane_items, items - before));
		typename Kind::Part part;

		part = warp_reduce_in_order(reduce_lane<Kind>(in + at + before, own),
									Kind(), lanes);
		share = chunk == first ? part : Kind()(share, part);
	}
	return share;
}

/* "share" is the number of chunks of a warp. */
template <typename Kind, typename Out>
__global__ void __launch_bounds__(REDUCE_THREADS)
reduce_kernel(const typename Kind::Item *in, long long count, int share,
			  typename Kind::Part *parts, GridState *grid, Out *value,
			  int *overflow, KernelTimer *timer, unsigned number)
{
	__shared__ typename Kind::Part warps[REDUCE_WARPS];
	long long	chunks = (count + Chunk<typename Kind::Item>::items - 1) /
		Chunk<typename Kind::Item>::items;
	long long	block = (long long) blockIdx.x * REDUCE_WARPS * share;
	int			nwarps = (int) min((long long) REDUCE_WARPS,
								   (chunks - block + share - 1) / share);
	int			warp = threadIdx.x / WARP;
	typename Kind::Part part;

	let_next_start();
	wait_for_preceding();
	if (blockIdx.x == 0 && threadIdx.x == 0)
		grid->begun_ns = now_ns();
	if (warp < nwarps)
	{
		long long	first = block + warp * share;

		part = reduce_share<Kind>(in, count, first,
								  min(first + share, chunks));
		if (threadIdx.x % WARP == 0)
			warps[warp] = part;
	}
	__syncthreads();
	if (threadIdx.x == 0)
	{
		for (int i = 1; i < nwarps; i++)
			part = Kind()(part, warps[i]);
	}
	if (!merge_blocks<REDUCE_THREADS>(&part, parts, &grid->done, Kind()))
		return;
	*value = Kind::finish(part, overflow);
	if (timer)
		timer_stop(*(volatile unsigned long long *) &grid->begun_ns, timer,
				   number);
}

/* The largest Part. */
typedef SumPart<__int128> LargestPart;

template <typename Kind, typename Out>
static cudaError_t
reduce_array(const DeviceWork *work)
{
	typedef typename Kind::Item T;
	typedef typename Kind::Part Part;
	int64_t		chunks = count_tiles(work->count, Chunk<T>::items);
	int64_t		most = device_blocks(REDUCE_BLOCKS_PER_SM) * REDUCE_WARPS;
	int			share = (int) count_tiles(chunks, most);
	int64_t		blocks = count_tiles(chunks, share * REDUCE_WARPS);

	static_assert(sizeof(Part) <= sizeof(LargestPart), "the scratch memory");
	return launch_dependent(work->stream, reduce_kernel<Kind, Out>,
							blocks, REDUCE_THREADS, 0,
							(const T *) work->in[0], work->count, share,
							(Part *) work->scratch, work->grid,
							(Out *) &work->report->value,
							work->report->overflow, work->end,
							work->timer_number);
}

template <typename T>
static cudaError_t
sum_integers(const DeviceWork *work)
{
	if (work->request->outputs[0].kind != work->request->kinds[0])
		return reduce_array<Summing<T, int64_t, int64_t>, int64_t>(work);
	if constexpr (sizeof(T) < sizeof(int64_t))
		return reduce_array<Summing<T, T, int64_t>, T>(work);
	else
		return reduce_array<Summing<T, T, __int128>, T>(work);
}

template <typename T>
static cudaError_t
reduce_in_one_pass(const DeviceWork *work)
{
	ScanOperator op = PARAMETERS(work->request, ScanParameters)->op;

	if (op == SCAN_MIN)
		return reduce_array<Selecting<T, SCAN_MIN>, T>(work);
	if (op == SCAN_MAX)
		return reduce_array<Selecting<T, SCAN_MAX>, T>(work);
	if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
	{
		if (op == SCAN_ADD)
			return sum_integers<T>(work);
		if (op == SCAN_AND)
			return reduce_array<Selecting<T, SCAN_AND>, T>(work);
		if (op == SCAN_OR)
			return reduce_array<Selecting<T, SCAN_OR>, T>(work);
		if (op == SCAN_XOR)
			return reduce_array<Selecting<T, SCAN_XOR>, T>(work);
	}
	return cudaErrorInvalidValue;
}

static bool
takes_one_pass(const EngineRequest *request)
{
	ScanOperator op = PARAMETERS(request, ScanParameters)->op;

	return !can_overflow(op) ||
		(op == SCAN_ADD && !kind_is_float(request->kinds[0]));
}

static unsigned
reduce_traits(const EngineRequest *request)
{
	return takes_one_pass(request) ? TRAIT_TELLS : 0;
}

static cudaError_t
reduce_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	sizes->scratch = takes_one_pass(request) ?
		device_blocks(REDUCE_BLOCKS_PER_SM) * sizeof(LargestPart) :
		reduce_then_scan_scratch_bytes(request->count);
	return cudaSuccess;
}

static cudaError_t
reduce_run(const DeviceWork *work)
{
	if (takes_one_pass(work->request))
		RETURN_BY_ORDER(work->request->kinds[0], reduce_in_one_pass, work);
	return reduce_then_scan(work, true);
}

const DeviceOperation cuda_reduce = {
	.supports = reduce_then_scan_supports,
	.sizes = reduce_sizes,
	.traits = TRAIT_DIRECT | TRAIT_ALONE,
	.traits_of = reduce_traits,
	.run = reduce_run
};
