/*
 * each_vector.h
 *	  The kernel that makes a result of each element, vector by vector.
 *
 * What it does with a vector is a struct.  In and Out are the types of elements
 * and of results, and results() makes the results of the vector at index "at" of
 * "in": it returns whether one of the first "number", which the array has, is out
 * of range.
 */
#ifndef GPUCOMPACT_EACH_VECTOR_H
#define GPUCOMPACT_EACH_VECTOR_H

#include "kernels/common/launch.h"
#include "kernels/common/vector.h"

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

#endif							/* GPUCOMPACT_EACH_VECTOR_H */
