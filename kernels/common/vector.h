/*
 * vector.h
 *	  The items of an array that a thread loads at once; and the kernel that
 *	  makes a result of each element, vector by vector.
 */
#ifndef GPUCOMPACT_VECTOR_H
#define GPUCOMPACT_VECTOR_H

#include <cstdint>

#include "kernels/common/launch.h"
#include "kernels/common/block.h"

/* N items; as many as a thread loads at once, unless N says otherwise. */
template <typename T, int N = VECTOR_BYTES / sizeof(T)>
struct __align__(N * sizeof(T) < VECTOR_BYTES ? N * sizeof(T) : VECTOR_BYTES)
Vector
{
	static const int count = N;
	T			items[N];
};

/* Returns the number of tiles of "size" items; the last one may have fewer. */
static inline int64_t
count_tiles(int64_t items, int64_t size)
{
	return (items + size - 1) / size;
}

/* Returns the number of thread blocks: as many, or "each" a multiprocessor. */
static inline int64_t
count_blocks(int64_t wanted, int each)
{
	int64_t		most = device_blocks(each);

	return wanted < most ? wanted : most;
}

/*
 * Returns the number of thread blocks that go through "items" items.  Each
 * block has "vectors" vectors or more; the last one may have fewer.
 */
template <typename T>
static inline int64_t
count_vector_blocks(int64_t items, int64_t vectors, int each)
{
	return count_blocks(count_tiles(items, vectors * Vector<T>::count), each);
}

/*
 * The vector at an index; only the last vector of an array may have fewer
 * items.
 */
template <typename T>
__device__ static inline Vector<T>
load_vector(const T *in, long long at, int number)
{
	Vector<T>	vector = {};

	if (number == Vector<T>::count)
		return *(const Vector<T> *) (in + at);
	for (int i = 0; i < Vector<T>::count; i++)
		vector.items[i] = i < number ? in[at + i] : 0;
	return vector;
}

/* Loads N vectors, each "apart" items after the previous one. */
template <int N, typename T>
__device__ static inline void
load_vectors(Vector<T> (&vectors)[N], const T *in, int apart)
{
#pragma unroll
	for (int i = 0; i < N; i++)
		vectors[i] = *(const Vector<T> *) (in + i * apart);
}

template <typename T, int N>
__device__ static inline void
store_vector(T *out, long long at, const Vector<T, N> &vector, int number)
{
	if (number == N)
	{
		*(Vector<T, N> *) (out + at) = vector;
		return;
	}
	for (int i = 0; i < N; i++)
	{
		if (i < number)
			out[at + i] = vector.items[i];
	}
}

/*
 * Goes through an array with all threads of a grid, vector by vector, and
 * loads each vector while it processes the previous one.  The function gets a
 * vector, the number of its items, and the index of the first; only the last
 * vector may have fewer items than it has room for.
 */
template <typename T, typename Function>
__device__ static inline void
for_each_vector(const T *in, long long count, Function function)
{
	const int	each = Vector<T>::count;
	const Vector<T> *vectors = (const Vector<T> *) in;
	long long	nvectors = count / each;
	int			rest = (int) (count % each);
	long long	stride = (long long) gridDim.x * blockDim.x;
	long long	thread = (long long) blockIdx.x * blockDim.x + threadIdx.x;
	Vector<T>	next;

	if (thread < nvectors)
		next = vectors[thread];
	for (long long i = thread; i < nvectors; i += stride)
	{
		Vector<T>	own = next;

		if (i + stride < nvectors)
			next = vectors[i + stride];
		function(own, each, i * each);
	}
	if (thread == 0 && rest > 0)
		function(load_vector(in, nvectors * each, rest), rest,
				 nvectors * each);
}

/*
 * Goes through the items from "at" to "end" with a warp.  "at" is aligned to a
 * vector.  Each lane loads N vectors at once, WARP vectors apart; then the
 * warp continues "stride" items further on.  The next vectors are loaded while
 * the function goes through the previous ones.  All lanes call the function
 * together, with the number of items from the lane's first one on, or more.
 */
template <int N, typename T, typename Function>
__device__ static __forceinline__ void
for_each_of_warp(const T *in, long long at, long long stride, long long end,
				 Function function)
{
	const int	each = Vector<T>::count;
	const int	step = N * WARP * each;
	int			lane = threadIdx.x % WARP;
	Vector<T>	next[N];

	in += lane * each;
	if (at + step <= end)
		load_vectors(next, in + at, WARP * each);
	for (; at + step <= end; at += stride)
	{
		Vector<T>	vectors[N];

#pragma unroll
		for (int i = 0; i < N; i++)
			vectors[i] = next[i];
		if (at + stride + step <= end)
			load_vectors(next, in + at + stride, WARP * each);
		function(vectors, step);
	}
	if (at < end)
	{
		int			left = (int) (end - at) - lane * each;

#pragma unroll
		for (int i = 0; i < N; i++)
			next[i] = load_vector(in, at + i * WARP * each,
								  min(max(left - i * WARP * each, 0), each));
		function(next, left);
	}
}

/*
 * What the kernel does with a vector is a struct.  In and Out are the types of
 * elements and of results, and results() makes the results of the vector at
 * index "at" of "in": it returns whether one of the first "number", which the
 * array has, is out of range.
 */
template <typename Op>
using Results = Vector<typename Op::Out, Vector<typename Op::In>::count>;

template <typename Op>
__global__ void __launch_bounds__(ELEMENT_THREADS)
make_results(Op op, const typename Op::In *in, typename Op::Out *out,
			 long long count, int *overflow)
{
	bool		over = false;

	for_each_vector(in, count, [&] (const Vector<typename Op::In> &own,
									int number, long long at) {
		Results<Op> results;

		over |= op.results(own, number, at, &results);
		store_vector(out, at, results, number);
	});
	if (__syncthreads_or(over) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

/* Queues the kernel over the input number "input". */
template <typename Op>
static cudaError_t
each_vector(const DeviceWork *work, int input, Op op)
{
	typedef typename Op::In In;

	return launch_kernel(work->stream, make_results<Op>,
						 count_tiles(work->count,
									 ELEMENT_THREADS * Vector<In>::count),
						 ELEMENT_THREADS, 0, op, (const In *) work->in[input],
						 (typename Op::Out *) work->out[0], work->count,
						 work->report->overflow);
}

#endif							/* GPUCOMPACT_VECTOR_H */
