/*
 * map.cu
 *	  Operators and functions of each element.
 */
#include <climits>

#include "contract/operations/map.h"
#include "kernels/common/number.h"
#include "kernels/common/operation.h"
#include "kernels/common/vector.h"

/* As core compares: NaN is greater than every number. */
template <typename T>
__device__ static inline bool
is_less(T a, T b)
{
	return a < b || (!is_nan(a) && is_nan(b));
}

/* The results of integers wrap. */
template <ElementOperator OP, typename T>
__device__ static inline T
combine_integers(T x, T y, bool *error)
{
	constexpr T	least = Number<T>::least;
	long long	wide;
	T			result;

	switch (OP)
	{
		case ELEMENT_ADD:
			result = (T) ((uint64_t) x + (uint64_t) y);
			*error = ((x ^ result) & (y ^ result)) < 0;
			return result;
		case ELEMENT_SUBTRACT:
			result = (T) ((uint64_t) x - (uint64_t) y);
			*error = ((x ^ y) & (x ^ result)) < 0;
			return result;
		case ELEMENT_MULTIPLY:
			wide = (long long) ((uint64_t) x * (uint64_t) y);
			result = (T) wide;
			*error = sizeof(T) < sizeof(wide) ? wide != result :
				__mul64hi(x, y) != wide >> 63;
			return result;
		case ELEMENT_DIVIDE:
			*error = y == 0 || (x == least && y == -1);
			return x / (*error ? (T) 1 : y);
		case ELEMENT_MODULO:
			*error = y == 0;
			return x % (*error || y == -1 ? (T) 1 : y);
		case ELEMENT_LEAST:
			return y < x ? y : x;
		case ELEMENT_GREATEST:
			return x < y ? y : x;
		case ELEMENT_ABS:
			*error = x == least;	/* nvcc takes abs of smallint as positive */
			return x < 0 ? (T) -(uint64_t) x : x;
		case ELEMENT_NEGATE:
			*error = x == least;
			return (T) -(uint64_t) x;
		case ELEMENT_SIGN:
			return (x > 0) - (x < 0);
		default:
			return x;
	}
}

/* Floats, with core's rules for what is an overflow and an underflow. */
template <ElementOperator OP, typename T>
__device__ static inline T
combine_floats(T x, T y, bool *error)
{
	T			result;

	switch (OP)
	{
		case ELEMENT_ADD:
		case ELEMENT_SUBTRACT:
			result = OP == ELEMENT_ADD ? x + y : x - y;
			*error = is_infinite(result) && !is_infinite(x) && !is_infinite(y);
			return result;
		case ELEMENT_MULTIPLY:
			result = x * y;
			*error = (is_infinite(result) && !is_infinite(x) &&
					  !is_infinite(y)) || (result == 0 && x != 0 && y != 0);
			return result;
		case ELEMENT_DIVIDE:
			result = x / y;
			*error = (y == 0 && !is_nan(x)) ||
				(is_infinite(result) && !is_infinite(x)) ||
				(result == 0 && x != 0 && !is_infinite(y));
			return result;
		case ELEMENT_LEAST:
			return is_less(y, x) ? y : x;
		case ELEMENT_GREATEST:
			return is_less(x, y) ? y : x;
		case ELEMENT_ABS:
			return fabs(x);
		case ELEMENT_NEGATE:
			return -x;
		case ELEMENT_SIGN:
			return (x > 0) - (x < 0);
		case ELEMENT_FLOOR:
			return floor(x);
		case ELEMENT_CEIL:
			return ceil(x);
		case ELEMENT_ROUND:
			return rint(x);
		case ELEMENT_TRUNC:
			return trunc(x);
		case ELEMENT_SQRT:
			*error = x < 0;
			return sqrt(x);
		default:
			return x;
	}
}

/* Combines the items of two vectors.  Returns whether there is an error. */
template <ElementOperator OP, typename T>
__device__ static inline bool
combine_vectors(const Vector<T> &first, const Vector<T> &second, int number,
				Vector<T> *results)
{
	bool		any = false;

#pragma unroll
	for (int i = 0; i < Vector<T>::count; i++)
	{
		bool		error = false;
		T			result;

		if constexpr (Number<T>::is_float)
			result = combine_floats<OP>(first.items[i], second.items[i],
										&error);
		else
			result = combine_integers<OP>(first.items[i], second.items[i],
										  &error);
		results->items[i] = is_nan(result) ? Number<T>::nan : result;
		any |= error && i < number;
	}
	return any;
}

/* Like combine_vectors, but the operator is an argument. */
template <typename T>
__device__ static inline bool
combine(ElementOperator op, const Vector<T> &first, const Vector<T> &second,
		int number, Vector<T> *results)
{
#define CASE(OP) \
	case OP: \
		return combine_vectors<OP>(first, second, number, results)

	switch (op)
	{
		CASE(ELEMENT_ADD);
		CASE(ELEMENT_SUBTRACT);
		CASE(ELEMENT_MULTIPLY);
		CASE(ELEMENT_DIVIDE);
		CASE(ELEMENT_MODULO);
		CASE(ELEMENT_LEAST);
		CASE(ELEMENT_GREATEST);
		CASE(ELEMENT_ABS);
		CASE(ELEMENT_NEGATE);
		CASE(ELEMENT_SIGN);
		CASE(ELEMENT_FLOOR);
		CASE(ELEMENT_CEIL);
		CASE(ELEMENT_ROUND);
		CASE(ELEMENT_TRUNC);
		CASE(ELEMENT_SQRT);
		case ELEMENT_BIN:
			break;
	}
	return false;
#undef CASE
}

template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
map_items(const T *in, T *out, long long count, ElementOperator op, T value,
		  bool value_first, int *overflow)
{
	Vector<T>	values;
	bool		error = false;

#pragma unroll
	for (int i = 0; i < Vector<T>::count; i++)
		values.items[i] = value;
	for_each_vector(in, count, [&] (const Vector<T> &own, int number,
									long long at) {
		Vector<T>	results;

		error |= combine(op, value_first ? values : own,
						 value_first ? own : values, number, &results);
		store_vector(out, at, results, number);
	});
	if (__syncthreads_or(error) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

template <typename T>
static unsigned
count_blocks(const DeviceWork *work)
{
	return count_vector_blocks<T>(work->count, ELEMENT_THREADS, UINT_MAX);
}

template <typename T>
static cudaError_t
map_of(const DeviceWork *work)
{
	const MapParameters *parameters = PARAMETERS(work->request, MapParameters);

	map_items<T>
		<<<count_blocks<T>(work), ELEMENT_THREADS, 0, work->stream>>>
		((const T *) work->in[0], (T *) work->out[0], work->count,
		 parameters->op, *(const T *) parameters->value,
		 parameters->value_first, work->report->overflow);
	return cudaGetLastError();
}

/* The beginning of each element's bin. */
template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
bin_items(const T *in, T *out, long long count, BinParameters bins,
		  int *overflow)
{
	bool		error = false;

	for_each_vector(in, count, [&] (const Vector<T> &own, int number,
									long long at) {
		Vector<T>	results;

#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			bool		out_of_range = false;

			results.items[i] = (T) bin_begin(&bins, own.items[i],
											 &out_of_range);
			error |= out_of_range && i < number;
		}
		store_vector(out, at, results, number);
	});
	if (__syncthreads_or(error) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

template <typename T>
static cudaError_t
bins_of(const DeviceWork *work)
{
	bin_items<T>
		<<<count_blocks<T>(work), ELEMENT_THREADS, 0, work->stream>>>
		((const T *) work->in[0], (T *) work->out[0], work->count,
		 map_bins(PARAMETERS(work->request, MapParameters)),
		 work->report->overflow);
	return cudaGetLastError();
}

static bool
map_supports(const EngineRequest *request)
{
	return has_element_operator(request->kinds[0],
								PARAMETERS(request, MapParameters)->op);
}

static cudaError_t
map_run(const DeviceWork *work)
{
	ElementKind kind = work->request->kinds[0];

	if (PARAMETERS(work->request, MapParameters)->op == ELEMENT_BIN)
		return kind == KIND_INT8 ? bins_of<int64_t>(work) :
			bins_of<int32_t>(work);
	RETURN_BY_NUMBER(kind, map_of, work);
}

const DeviceOperation cuda_map = {
	.supports = map_supports,
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = map_run
};

template <typename T>
__global__ void __launch_bounds__(ELEMENT_THREADS)
zip_items(const T *a, const T *b, T *out, long long count, ElementOperator op,
		  int *overflow)
{
	bool		error = false;

	for_each_vector(a, count, [&] (const Vector<T> &own, int number,
								   long long at) {
		Vector<T>	others = load_vector(b, at, number);
		Vector<T>	results;

		error |= combine(op, own, others, number, &results);
		store_vector(out, at, results, number);
	});
	if (__syncthreads_or(error) && threadIdx.x == 0)
		overflow[OVERFLOW_UP] = 1;
}

/* AND, the least, and OR, the greatest, of bytes of 0 and 1. */
__global__ void __launch_bounds__(ELEMENT_THREADS)
zip_bytes(const uint8_t *a, const uint8_t *b, uint8_t *out, long long count,
		  bool least)
{
	for_each_vector(a, count, [&] (const Vector<uint8_t> &own, int number,
								   long long at) {
		Vector<uint8_t> others = load_vector(b, at, number);
		Vector<uint8_t> results;

#pragma unroll
		for (int i = 0; i < Vector<uint8_t>::count; i++)
			results.items[i] = least ? own.items[i] & others.items[i] :
				own.items[i] | others.items[i];
		store_vector(out, at, results, number);
	});
}

template <typename T>
static cudaError_t
zip_of(const DeviceWork *work)
{
	zip_items<T>
		<<<count_blocks<T>(work), ELEMENT_THREADS, 0, work->stream>>>
		((const T *) work->in[0], (const T *) work->in[1], (T *) work->out[0],
		 work->count, PARAMETERS(work->request, ZipParameters)->op,
		 work->report->overflow);
	return cudaGetLastError();
}

static bool
zip_supports(const EngineRequest *request)
{
	ElementOperator op = PARAMETERS(request, ZipParameters)->op;

	return request->kinds[0] == KIND_UINT1 ?
		op == ELEMENT_LEAST || op == ELEMENT_GREATEST :
		op < ELEMENT_BINARY && has_element_operator(request->kinds[0], op);
}

static cudaError_t
zip_run(const DeviceWork *work)
{
	if (work->request->kinds[0] == KIND_UINT1)
	{
		zip_bytes
			<<<count_blocks<uint8_t>(work), ELEMENT_THREADS, 0,
			work->stream>>>
			((const uint8_t *) work->in[0], (const uint8_t *) work->in[1],
			 (uint8_t *) work->out[0], work->count,
			 PARAMETERS(work->request, ZipParameters)->op == ELEMENT_LEAST);
		return cudaGetLastError();
	}
	RETURN_BY_NUMBER(work->request->kinds[0], zip_of, work);
}

const DeviceOperation cuda_zip = {
	.supports = zip_supports,
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = zip_run
};
