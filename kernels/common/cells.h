/*
 * cells.h
 *	  The bucket of an item among thresholds, by way of cells.
 *
 * A greater item is in the same cell or in a later one.  So an item is no less
 * than the thresholds of the cells before its own, less than those of later
 * cells, and is compared with the thresholds of its cell alone.  Even
 * thresholds need one comparison at most.  Thresholds are orders (number.h),
 * from which the order of the least item is subtracted.
 */
#ifndef GPUCOMPACT_CELLS_H
#define GPUCOMPACT_CELLS_H

#include <type_traits>

#include "kernels/common/launch.h"
#include "kernels/common/number.h"
#include "kernels/common/operation.h"
#include "kernels/common/vector.h"

template <typename T>
struct ThresholdOf
{
	typedef decltype(order_of(T())) Type;
};

/* A cell's first threshold, or any if it has none; loaded at once. */
template <typename Threshold>
struct __align__(sizeof(Threshold) < 8 ? 8 : 16) Cell
{
	Threshold	border;
	unsigned short before;		/* thresholds of the cells before it */
	unsigned short own;			/* thresholds of this cell */
};

/* The fewest cells, so that each float but NaN finds its cell. */
#define MIN_CELLS		4

/* A cell counts thresholds in 16 bits: shared memory has no room for more. */
static_assert(SHARED_BYTES < 1 << 16, "thresholds are counted in 16 bits");

/*
 * Returns the number of thresholds no greater than "threshold", by a search
 * without branches.
 */
template <typename Threshold>
__device__ static inline int
find_bucket(const Threshold *thresholds, int count, Threshold threshold)
{
	int			from = 0;

	while (count > 0)
	{
		int			half = (count + 1) / 2;

		from += thresholds[from + half - 1] <= threshold ? half : 0;
		count -= half;
	}
	return from;
}

/* Thresholds, and their cells in shared memory. */
template <typename T>
struct Cells
{
	typedef typename ThresholdOf<T>::Type Threshold;

	const Threshold *thresholds;	/* ascending */
	int			nthresholds;
	Threshold	least;			/* order of the least item */
	int			count;			/* a power of two; 0: there are no cells */
	Cell<Threshold> *cells;

	/* Of thresholds: */
	Threshold	low;
	int			shift;

	/* Or of floats by their value, if "scale" is not zero. */
	T			low_item;
	T			scale;

	__device__ Threshold threshold_of(T item) const
	{
		return order_of(item) - least;
	}

	__device__ T threshold_item(Threshold threshold) const
	{
		return item_of((Threshold) (threshold + least), T());
	}

	/*
	 * For a greater float, the rounded difference and product are the same or
	 * greater.  NaN is in the last cell, alone.
	 */
	__device__ inline int cell_of(T item, Threshold threshold) const
	{
		if constexpr (Number<T>::is_float)
		{
			T			cell = (item - low_item) * scale;

			if (scale != 0)
				return is_nan(item) ? count - 1 : cell < 0 ? 0 :
					cell < count - 2 ? (int) cell : count - 2;
		}
		threshold = (threshold > low ? threshold - low : 0) >> shift;
		return threshold < count - 1 ? (int) threshold : count - 1;
	}

	/*
	 * Returns the number of thresholds no greater than an item.  Sets *equal
	 * if the last of these thresholds equals the item.
	 */
	__device__ inline int bucket_of(T item, bool *equal) const
	{
		Threshold	threshold = threshold_of(item);
		Cell<Threshold> cell;
		int			bucket;

		if (count == 0)
		{
			bucket = find_bucket(thresholds, nthresholds, threshold);
			*equal = bucket > 0 && thresholds[bucket - 1] == threshold;
			return bucket;
		}
		cell = cells[cell_of(item, threshold)];
		bucket = cell.before + (cell.own > 0 && cell.border <= threshold);
		*equal = cell.own > 0 && cell.border == threshold;
		if (cell.own > 1 && bucket > cell.before)
		{
			bucket += find_bucket(thresholds + bucket, cell.own - 1, threshold);
			*equal = thresholds[bucket - 1] == threshold;
		}
		return bucket;
	}

	/* The first threshold of a cell or of a later one. */
	__device__ inline int first_threshold(int cell) const
	{
		return first_that(0, nthresholds, [&] (int i) {
			Threshold	threshold = thresholds[i];

			return cell_of(threshold_item(threshold), threshold) >= cell;
		});
	}

	/*
	 * Lays "count" cells over at least one threshold, and fewer than 1 << 16.
	 * All threads of a block call this, and have to synchronize before and
	 * after.
	 */
	__device__ inline void lay(void)
	{
		Threshold	span = thresholds[nthresholds - 1] - thresholds[0];

		low = thresholds[0];
		for (shift = 0; (uint64_t) span >> shift >= (unsigned) count;)
			shift++;
		if constexpr (Number<T>::is_float)
		{
			T			high = threshold_item(thresholds[nthresholds - 1]);

			/* NaN, the last of even thresholds, has a cell of its own. */
			if (is_nan(high) && nthresholds > 1)
				high = threshold_item(thresholds[nthresholds - 2]);
			low_item = threshold_item(low);
			scale = (count - 2) / (high - low_item);
			if (is_nan(scale) || is_infinite(scale))
				scale = 0;
		}
		for (int cell = threadIdx.x; cell < count; cell += blockDim.x)
		{
			int			first = first_threshold(cell);
			int			own = first_threshold(cell + 1) - first;

			cells[cell] = {thresholds[own > 0 ? first : 0],
				(unsigned short) first, (unsigned short) own};
		}
	}
};

/*
 * Thresholds at even distances, in shared memory, as items.  The threshold
 * nearest to an item is computed, by rounding, which never makes it an earlier
 * one for a greater item.  So if each threshold is nearest to itself, then an
 * item between two of them has one of these two as its nearest, and the bucket
 * is known from a comparison with that one.  "least" is subtracted from
 * integers.
 */
template <typename T>
struct EvenThresholds
{
	/* Distances are computed in this type. */
	typedef std::conditional_t<Number<T>::is_float, T, float> Real;

	const T    *thresholds;
	int			count;
	T			least;			/* the least integer */

	/* As are_even() finds them: */
	T			first;
	int			last;			/* the last threshold that is not NaN */
	Real		per_step;		/* thresholds in a distance of 1 */

	__device__ inline int nearest(T item) const
	{
		Real		place;

		if (is_nan(item))
			return count - 1;
		if constexpr (Number<T>::is_float)
			place = max((item - first) * per_step, (Real) 0);
		else
			place = (Real) (T) (item > first ? item - first : 0) * per_step;
		return place < last ? (int) (place + (Real) 0.5) : last;
	}

	/*
	 * Returns whether the distances of the thresholds that are not NaN are
	 * even.  For all threads of a block.
	 */
	__device__ inline bool are_even(void)
	{
		bool		even = true;

		first = thresholds[0];
		last = count - 1 - (is_nan(thresholds[count - 1]) && count > 1);
		per_step = last / (Real) (T) (thresholds[last] - first);
		for (int i = threadIdx.x; i < count; i += blockDim.x)
			even = even && nearest(thresholds[i]) == i;
		return __syncthreads_and(even);
	}

	/*
	 * Returns the number of thresholds no greater than an item.  Sets *equal
	 * if the last of these thresholds equals the item.
	 */
	__device__ inline int bucket_of(T item, bool *equal) const
	{
		T			own = Number<T>::is_float ? item : (T) (item - least);
		int			place = nearest(own);
		T			threshold = thresholds[place];

		*equal = own == threshold || (is_nan(own) && is_nan(threshold));

		/* NaN is greater than all else, and no less than itself. */
		return place + !(own < threshold);
	}
};

/* The thresholds of a request, without cells. */
template <typename T>
static Cells<T>
cells_of(const DeviceWork *work)
{
	typedef typename Cells<T>::Threshold Threshold;
	const EngineRequest *request = work->request;
	Cells<T>	cells = {};

	cells.thresholds = (const Threshold *) work->table;
	cells.nthresholds = (int) (request->table_bytes / sizeof(Threshold));
	cells.least = (Threshold) kind_least(request->kinds[0]);
	return cells;
}

/* The shared memory of thresholds and their cells, if they fit there. */
typedef struct CellMemory
{
	int			cells;			/* number of them */
	int			thresholds;		/* bytes; 0: they are not copied */
} CellMemory;

/*
 * Divides "room" bytes between thresholds of "table_bytes" bytes and cells.
 * Each threshold gets two or more cells, as long as there is room for them and
 * CELLS_MAX allows them.
 */
template <typename T>
static CellMemory
divide_cell_memory(int64_t table_bytes, int64_t room)
{
	typedef typename Cells<T>::Threshold Threshold;
	int64_t		count = table_bytes / sizeof(Threshold);
	CellMemory	memory = {};

	if (table_bytes > room)
		return memory;
	memory.thresholds = (int) ((table_bytes + 7) / 8 * 8);
	if (count < CELLS_MIN_THRESHOLDS)
		return memory;
	memory.cells = CELLS_MAX;
	while (memory.cells > 4 * count ||
		   memory.cells * (int64_t) sizeof(Cell<Threshold>) >
		   room - memory.thresholds)
		memory.cells /= 2;
	if (memory.cells < MIN_CELLS)
		memory.cells = 0;
	return memory;
}

template <typename T>
__host__ __device__ static inline int64_t
cell_memory_bytes(CellMemory memory)
{
	return memory.cells * sizeof(Cell<typename Cells<T>::Threshold>) +
		memory.thresholds;
}

/*
 * Copies thresholds to shared memory, and calls a function with an object that
 * finds the bucket of an item: EvenThresholds if the thresholds are even,
 * otherwise Cells.  All threads of a block call this.
 */
template <typename T, typename Function>
__device__ static inline void
with_thresholds(Cells<T> cells, CellMemory memory, char *shared,
				Function function)
{
	typedef typename Cells<T>::Threshold Threshold;
	char	   *behind = shared + memory.cells * sizeof(Cell<Threshold>);
	T		   *items = (T *) behind;
	Threshold  *copy = (Threshold *) behind;

	if (memory.cells > 0)
	{
		EvenThresholds<T> even = {items, cells.nthresholds, (T) cells.least};

		for (int i = threadIdx.x; i < cells.nthresholds; i += blockDim.x)
			items[i] = Number<T>::is_float ?
				cells.threshold_item(cells.thresholds[i]) :
				(T) cells.thresholds[i];
		__syncthreads();
		if (even.are_even())
		{
			function(even);
			return;
		}
	}
	cells.cells = (Cell<Threshold> *) shared;
	cells.count = memory.cells;
	if (memory.thresholds > 0)
	{
		for (int i = threadIdx.x; i < cells.nthresholds; i += blockDim.x)
			copy[i] = cells.thresholds[i];
		cells.thresholds = copy;
	}
	__syncthreads();
	if (cells.count > 0)
		cells.lay();
	__syncthreads();
	function(cells);
}

/*
 * Finds the bucket of each element, an int; or flags those that equal a
 * threshold or, if "outside", the others.
 */
template <typename T, typename Out>
__global__ void __launch_bounds__(CELLS_THREADS)
look_up(const T *in, Out *out, long long count, Cells<T> cells,
		CellMemory memory, bool outside)
{
	extern __shared__ __align__(16) char look_up_memory[];

	with_thresholds(cells, memory, look_up_memory,
					[=] (const auto &thresholds) {
		for_each_vector(in, count, [=] (const Vector<T> &own, int number,
										long long at) {
			Vector<Out, Vector<T>::count> results;

#pragma unroll
			for (int i = 0; i < Vector<T>::count; i++)
			{
				bool		equal;
				int			bucket = thresholds.bucket_of(own.items[i], &equal);

				results.items[i] = std::is_same_v<Out, int> ? bucket :
					equal != outside;
			}
			store_vector(out, at, results, number);
		});
	});
}

/*
 * Thread blocks for an array: few for few vectors, because each block lays
 * cells.
 */
template <typename T>
static int64_t
cells_blocks(int64_t count)
{
	return count_vector_blocks<T>(count, CELLS_THREADS * CELLS_VECTORS,
								  CELLS_BLOCKS_PER_SM);
}

template <typename T, typename Out>
static cudaError_t
launch_look_up(const DeviceWork *work, Cells<T> cells, Out *out, bool outside)
{
	CellMemory	memory = divide_cell_memory<T>(work->request->table_bytes,
											   SHARED_BYTES);

	return launch_kernel(work->stream, look_up<T, Out>,
						 cells_blocks<T>(work->count), CELLS_THREADS,
						 cell_memory_bytes<T>(memory), (const T *) work->in[0],
						 out, work->count, cells, memory, outside);
}

#endif							/* GPUCOMPACT_CELLS_H */
