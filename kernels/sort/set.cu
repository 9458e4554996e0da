/*
 * set.cu
 *	  Union, intersection and difference of two sorted arrays, by a merge.
 *
 * The merge takes equal elements of the first array before those of the second
 * array.  It is divided into tiles of equal numbers of elements, and a tile
 * among threads, by binary searches (Odeh, Green, Mwassi, Shmueli and Birk,
 * "Merge path: parallel merging made simple", 2012).  Whether an element is a
 * result follows from its neighbours and from the next or the last element of
 * the other array.  Tiles are merged twice: to count the results, and to write
 * them.
 */
#include "contract/operations/set.h"
#include "kernels/common/vector.h"
#include "kernels/compact/compact.h"
#include "kernels/sort/sort.h"

#define SET_TILE	(SET_THREADS * SET_ITEMS)
#define SET_WARPS	(SET_THREADS / WARP)

/* Both arrays; an element's key is its place in the order of its kind. */
template <typename T>
struct SetArrays
{
	typedef decltype(order_of(T())) Key;

	const T    *a;
	const T    *b;
	long long	na;
	long long	nb;
	Key			least;

	__device__ Key key(T item) const
	{
		return (Key) (order_of(item) - least);
	}
};

static int64_t
tiles_of(const EngineRequest *request)
{
	return count_tiles(request->count, SET_TILE);
}

/* The room for a number of each tile, which begins where vectors may. */
static int64_t
room_of(const EngineRequest *request)
{
	return count_tiles(tiles_of(request), VECTOR_BYTES) * VECTOR_BYTES;
}

/* Returns how many of the "first" first elements of a merge are of "a". */
template <typename T, typename Count>
__device__ static inline Count
merge_split(const SetArrays<T> &arrays, const T *a, Count na, const T *b,
			Count nb, Count first)
{
	return first_that(first > nb ? first - nb : 0, first < na ? first : na,
					  [&] (Count i) {
		return arrays.key(a[i]) > arrays.key(b[first - 1 - i]);
	});
}

/*
 * Finds the number of elements of the first array before each tile.  Notes
 * which of the arrays are not in order.
 */
template <typename T>
__global__ void __launch_bounds__(SET_THREADS)
split_arrays(SetArrays<T> arrays, DeviceErrors *errors, unsigned *splits,
			 unsigned tiles)
{
	long long	count = arrays.na + arrays.nb;
	long long	stride = (long long) gridDim.x * SET_THREADS;
	long long	thread = (long long) blockIdx.x * SET_THREADS + threadIdx.x;
	int			unordered = 0;

	for (long long i = thread + 1; i < count; i += stride)
	{
		bool		of_a = i < arrays.na;
		const T    *item = of_a ? arrays.a + i : arrays.b + (i - arrays.na);

		if (i != arrays.na && arrays.key(item[-1]) > arrays.key(*item))
			unordered |= of_a ? 1 : 2;
	}
	for (int array = 1; array <= 2; array++)
	{
		if (__syncthreads_or(unordered & array) && threadIdx.x == 0)
			atomicOr(&errors->count, (unsigned long long) array);
	}
	for (long long tile = thread; tile < tiles; tile += stride)
		splits[tile] = (unsigned) merge_split(arrays, arrays.a, arrays.na,
											  arrays.b, arrays.nb,
											  tile * SET_TILE);
}

/* A tile's elements of one array, with one element before and one behind. */
template <typename T>
struct SetSide
{
	T		   *items;			/* in shared memory */
	int			count;
	bool		has_before;		/* at items[-1] */
	bool		has_behind;		/* at items[count] */

	__device__ void load(const T *array, long long length, long long from)
	{
		has_before = from > 0;
		has_behind = from + count < length;
		for (int i = (int) threadIdx.x - (has_before ? 1 : 0);
			 i < count + (has_behind ? 1 : 0); i += SET_THREADS)
			items[i] = array[from + i];
	}

	__device__ bool has(int i) const
	{
		return i < 0 ? has_before : i < count || has_behind;
	}
};

/*
 * Returns whether the next element of the merge is a result.  The merge is at i
 * in the first array and at j in the second one.  If "of_a" is true, the next
 * element is of the first array; else of the second.
 */
template <typename T>
__device__ static inline bool
is_result(SetOperator op, const SetArrays<T> &arrays, const SetSide<T> &a,
		  int i, const SetSide<T> &b, int j, bool of_a)
{
	typename SetArrays<T>::Key key = arrays.key(of_a ? a.items[i] : b.items[j]);
	const SetSide<T> &own = of_a ? a : b;
	int			at = of_a ? i : j;

	if (own.has(at - 1) && arrays.key(own.items[at - 1]) == key)
		return false;
	if (!of_a)
		return op == SET_UNION &&
			!(a.has(i - 1) && arrays.key(a.items[i - 1]) == key);
	if (op == SET_UNION)
		return true;
	return (b.has(j) && arrays.key(b.items[j]) == key) ==
		(op == SET_INTERSECT);
}

template <typename T>
struct SetTile
{
	SetSide<T>	a;
	SetSide<T>	b;
};

/* Loads a tile of "count" elements.  Ends with a barrier. */
template <typename T>
__device__ static inline SetTile<T>
load_tile(const SetArrays<T> &arrays, const unsigned *splits, long long first,
		  int count, T *shared)
{
	long long	a_from = splits[blockIdx.x];
	long long	a_to = blockIdx.x + 1 < gridDim.x ? splits[blockIdx.x + 1] :
		arrays.na;
	SetTile<T>	tile;

	tile.a.count = (int) (a_to - a_from);
	tile.b.count = count - tile.a.count;
	tile.a.items = shared + 1;
	tile.b.items = tile.a.items + tile.a.count + 2;
	tile.a.load(arrays.a, arrays.na, a_from);
	tile.b.load(arrays.b, arrays.nb, first - a_from);
	__syncthreads();
	return tile;
}

/*
 * Merges the thread's elements of a tile of "count" elements.  Returns which of
 * them are results, by bits.
 */
template <typename T>
__device__ static inline unsigned
merge_own(SetOperator op, const SetArrays<T> &arrays, const SetTile<T> &tile,
		  int count, T (&merged)[SET_ITEMS])
{
	const SetSide<T> &a = tile.a;
	const SetSide<T> &b = tile.b;
	int			from = min((int) threadIdx.x * SET_ITEMS, count);
	int			to = min(from + SET_ITEMS, count);
	int			i = merge_split(arrays, (const T *) a.items, a.count,
								(const T *) b.items, b.count, from);
	int			j = from - i;
	unsigned	found = 0;

#pragma unroll
	for (int item = 0; item < SET_ITEMS; item++)
	{
		bool		of_a;
		bool		result;

		if (from + item >= to)
			break;
		of_a = i < a.count &&
			(j == b.count || arrays.key(a.items[i]) <= arrays.key(b.items[j]));
		result = is_result(op, arrays, a, i, b, j, of_a);
		merged[item] = of_a ? a.items[i] : b.items[j];
		found |= (unsigned) result << item;
		i += of_a;
		j += !of_a;
	}
	return found;
}

/*
 * Counts the results of a tile or, if there is memory for them, writes them to
 * their place: "counts" has those of each tile, or of all tiles up to it.
 */
template <typename T>
__global__ void __launch_bounds__(SET_THREADS)
merge_tiles(SetOperator op, SetArrays<T> arrays, const DeviceErrors *errors,
			const unsigned *splits, unsigned *counts, T *out, long long room)
{
	__shared__ T shared[SET_TILE + 4];
	__shared__ unsigned warps[SET_WARPS];
	long long	first = (long long) blockIdx.x * SET_TILE;
	long long	left = arrays.na + arrays.nb - first;
	int			count = left < SET_TILE ? (int) left : SET_TILE;
	T			merged[SET_ITEMS];
	unsigned	found;
	unsigned	before;
	unsigned	total;

	if (errors->count)
		return;
	found = merge_own(op, arrays,
					  load_tile(arrays, splits, first, count, shared), count,
					  merged);
	before = block_exclusive_scan<SET_WARPS>((unsigned) __popc(found), warps);
	total = block_sum<SET_WARPS>(warps);
	if (out == NULL)
	{
		if (threadIdx.x == 0)
			counts[blockIdx.x] = total;
		return;
	}
#pragma unroll
	for (int item = 0; item < SET_ITEMS; item++)
	{
		if (found >> item & 1)
			shared[before++] = merged[item];
	}
	__syncthreads();
	for (unsigned at = threadIdx.x; at < total; at += SET_THREADS)
	{
		long long	place = (long long)
			(blockIdx.x > 0 ? counts[blockIdx.x - 1] : 0) + at;

		if (place < room)
			out[place] = shared[at];
	}
}

/*
 * The scratch memory has the errors, whose "count" has a bit for the first
 * array and one for the second if these are not in order; and then, for each
 * tile, the number of its results, of all results up to it, and of the elements
 * of the first array before it.
 */
template <typename T>
static cudaError_t
set_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	SetOperator op = PARAMETERS(request, SetParameters)->op;
	DeviceErrors *errors = (DeviceErrors *) work->scratch;
	unsigned	tiles = (unsigned) tiles_of(request);
	unsigned   *counts = (unsigned *) (errors + 1);
	unsigned   *sums = counts + room_of(request);
	unsigned   *splits = sums + room_of(request);
	T		   *out = request->outputs[0].memory ? (T *) work->out[0] : NULL;
	SetArrays<T> arrays = {
		(const T *) work->in[0], (const T *) work->in[1],
		request->count - request->joined, request->joined,
		(typename SetArrays<T>::Key) kind_least(request->kinds[0])
	};

	TRY(errors_begin(work));
	TRY(cudaMemsetAsync(counts, 0, tiles * sizeof(*counts), work->stream));
	TRY(launch_kernel(work->stream, split_arrays<T>,
					  count_blocks(tiles, REDUCE_BLOCKS_PER_SM), SET_THREADS, 0,
					  arrays, errors, splits, tiles));
	TRY(launch_kernel(work->stream, merge_tiles<T>, tiles, SET_THREADS, 0, op,
					  arrays, errors, splits, counts, (T *) NULL, 0));
	TRY(scan_add(work, KIND_INT4, KIND_INT4, counts, sums, tiles));
	TRY(cudaMemcpyAsync(work->results, &sums[tiles - 1], sizeof(*sums),
						cudaMemcpyDeviceToHost, work->stream));
	if (out != NULL)
		TRY(launch_kernel(work->stream, merge_tiles<T>, tiles, SET_THREADS, 0,
						  op, arrays, errors, splits, sums, out,
						  request->room));
	return errors_report(work);
}

static cudaError_t
set_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	int			size = input_size(request, 0);
	int64_t		room = request->room < request->count ?
		request->room : request->count;

	sizes->in[0] = request->count * size;
	sizes->out[0] = request->outputs[0].memory ? room * size : 0;
	sizes->scratch = sizeof(DeviceErrors) +
		3 * room_of(request) * sizeof(unsigned);
	return cudaSuccess;
}

const DeviceOperation cuda_set = {
	.sizes = set_sizes,
	.run = RUN_BY(RETURN_BY_KIND, set_of)
};
