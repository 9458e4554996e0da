/*
 * map.cu
 *	  Operators and functions of each element.
 */
#include "contract/operations/map.h"
#include "kernels/common/combine.h"
#include "kernels/common/vector.h"

/* The results of integers wrap. */
template <ElementOperator OP, typename T>
__device__ static inline T
combine_integers(T x, T y, bool *error)
{
	constexpr T least = Number<T>::least;

	switch (OP)
	{
		case ELEMENT_DIVIDE:
			*error = y == 0 || (x == least && y == -1);
			return x / (*error ? (T) 1 : y);
		case ELEMENT_MODULO:
			*error = y == 0;
			return x % (*error || y == -1 ? (T) 1 : y);
		case ELEMENT_ABS:
			*error = x == least;	/* nvcc takes abs of smallint as positive */
			return x < 0 ? (T) -(uint64_t) x : x;
		case ELEMENT_NEGATE:
			*error = x == least;
			return (T) -(uint64_t) x;
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
		case ELEMENT_DIVIDE:
			result = x / y;
			*error = (y == 0 && !is_nan(x)) ||
				(is_infinite(result) && !is_infinite(x)) ||
				(result == 0 && x != 0 && !is_infinite(y));
			return result;
		case ELEMENT_ABS:
			return fabs(x);
		case ELEMENT_NEGATE:
			return -x;
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

template <ElementOperator OP, typename T>
__device__ static inline T
combine_items(T x, T y, bool *error)
{
	Overflows	seen = 0;
	T			result;

	switch (OP)
	{
		case ELEMENT_ADD:
			result = combine_checked(SCAN_ADD, x, y, &seen);
			break;
		case ELEMENT_MULTIPLY:
			result = combine_checked(SCAN_MULTIPLY, x, y, &seen);
			break;
		case ELEMENT_SUBTRACT:
			return subtract_checked(x, y, error);
		case ELEMENT_LEAST:
			return combine(SCAN_MIN, y, x);
		case ELEMENT_GREATEST:
			return combine(SCAN_MAX, y, x);
		case ELEMENT_SIGN:
			return (x > 0) - (x < 0);
		default:
			if constexpr (Number<T>::is_float)
				return combine_floats<OP>(x, y, error);
			else
				return combine_integers<OP>(x, y, error);
	}
	*error = seen != 0;
	return result;
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
		T			result = combine_items<OP>(first.items[i], second.items[i],
											   &error);

		results->items[i] = is_nan(result) ? Number<T>::nan : result;
		any |= error && i < number;
	}
	return any;
}

/* Like combine_vectors, but the operator is an argument: OP or a later one. */
template <int OP = 0, typename T>
__device__ static inline bool
combine(ElementOperator op, const Vector<T> &first, const Vector<T> &second,
		int number, Vector<T> *results)
{
	if constexpr (OP < ELEMENT_OPERATORS)
		return op == OP ?
			combine_vectors<(ElementOperator) OP>(first, second, number,
												  results) :
			combine<OP + 1>(op, first, second, number, results);
	return false;
}

template <typename T>
struct WithValue
{
	typedef T	In;
	typedef T	Out;

	ElementOperator op;
	T			value;
	bool		value_first;

	__device__ bool results(const Vector<T> &own, int number, long long at,
							Vector<T> *results) const
	{
		Vector<T>	values;

#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
			values.items[i] = value;
		return combine(op, value_first ? values : own,
					   value_first ? own : values, number, results);
	}
};

template <typename T>
struct BinBegins
{
	typedef T	In;
	typedef T	Out;

	BinParameters bins;

	__device__ bool results(const Vector<T> &own, int number, long long at,
							Vector<T> *results) const
	{
		bool		any = false;

#pragma unroll
		for (int i = 0; i < Vector<T>::count; i++)
		{
			bool		over = false;

			results->items[i] = (T) bin_begin(&bins, own.items[i], &over);
			any |= over && i < number;
		}
		return any;
	}
};

template <typename T>
static cudaError_t
map_of(const DeviceWork *work)
{
	const MapParameters *parameters = PARAMETERS(work->request, MapParameters);

	return each_vector(work, 0, WithValue<T> {
		parameters->op, *(const T *) parameters->value, parameters->value_first
	});
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
	const MapParameters *parameters = PARAMETERS(work->request, MapParameters);
	ElementKind kind = work->request->kinds[0];

	if (parameters->op == ELEMENT_BIN && kind == KIND_INT8)
		return each_vector(work, 0, BinBegins<int64_t> {map_bins(parameters)});
	if (parameters->op == ELEMENT_BIN)
		return each_vector(work, 0, BinBegins<int32_t> {map_bins(parameters)});
	RETURN_BY_NUMBER(kind, map_of, work);
}

const DeviceOperation cuda_map = {
	.supports = map_supports,
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = map_run
};

/* An operator of the elements of two arrays. */
template <typename T>
struct OfPairs
{
	typedef T	In;
	typedef T	Out;

	ElementOperator op;
	const T    *b;

	__device__ bool results(const Vector<T> &own, int number, long long at,
							Vector<T> *results) const
	{
		return combine(op, own, load_vector(b, at, number), number, results);
	}
};

/* AND, the least, and OR, the greatest, of bytes of 0 and 1. */
template <>
__device__ bool
OfPairs<uint8_t>::results(const Vector<uint8_t> &own, int number, long long at,
						  Vector<uint8_t> *results) const
{
	Vector<uint8_t> others = load_vector(b, at, number);

#pragma unroll
	for (int i = 0; i < Vector<uint8_t>::count; i++)
		results->items[i] = op == ELEMENT_LEAST ?
			own.items[i] & others.items[i] : own.items[i] | others.items[i];
	return false;
}

template <typename T>
static cudaError_t
zip_of(const DeviceWork *work)
{
	return each_vector(work, 0, OfPairs<T> {
		PARAMETERS(work->request, ZipParameters)->op, (const T *) work->in[1]
	});
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
		return zip_of<uint8_t>(work);
	RETURN_BY_NUMBER(work->request->kinds[0], zip_of, work);
}

const DeviceOperation cuda_zip = {
	.supports = zip_supports,
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = zip_run
};
