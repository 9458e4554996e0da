/*
 * operation.h
 *	  An operation on a device.
 *
 * An operation's file has its kernels and their launchers, and ends with a
 * DeviceOperation.  All they need, a stream and pointers, is in a DeviceWork,
 * so they can be linked without the engine.  Launchers queue work on the
 * stream, and return an error if that fails.  Arrays on the device are aligned
 * to 16 bytes.
 */
#ifndef GPUCOMPACT_OPERATION_H
#define GPUCOMPACT_OPERATION_H

#include <cuda_runtime.h>

#include "contract/engine.h"
#include "kernels/common/lookahead.h"
#include "kernels/common/tuning.h"

/* Leaves the calling function with the error if a CUDA call fails. */
#define TRY(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			return error_; \
	} while (0)

/* The errors of a job: the scratch memory of the operations that count them. */
typedef struct DeviceErrors
{
	unsigned long long count;
	unsigned long long first;	/* its complement; 0 without errors */
} DeviceErrors;

/*
 * What kernels report about a job, in mapped host memory that is zero at
 * first.
 */
typedef struct DeviceReport
{
	int			overflow[OVERFLOWS];	/* by EngineOverflow: it occurred */
	int			in_place;		/* the results are in the input buffers */
	int			not_unpacked;	/* a block cannot be unpacked */
	long long	results;		/* their number, if it is not known before */
	unsigned long long value;	/* of RESULT_ONE, in its first bytes */
	DeviceErrors errors;
} DeviceReport;

/*
 * What a kernel reports at its end, in mapped host memory.  A look there takes
 * less time than a call of the driver, whose lock all threads of a process
 * share.
 */
typedef struct KernelTimer
{
	unsigned long long ns;		/* that the kernel took */
	unsigned	number;			/* the launch's timer number; set last */
} KernelTimer;

/* What the thread blocks of a kernel have in common, on the device. */
typedef struct GridState
{
	unsigned long long begun_ns;	/* when the first one began */
	unsigned	done;			/* thread blocks; 0 before and after a kernel */
} GridState;

/* The work on an array. */
typedef struct DeviceWork
{
	cudaStream_t stream;
	LookAhead  *ahead;
	GridState  *grid;
	const EngineRequest *request;
	void	   *in[ENGINE_INPUTS];	/* in[1] is the second of joined arrays */
	void	   *out[ENGINE_RESULTS];
	int64_t		count;			/* elements */
	const void *table;			/* the request's */
	void	   *summary;		/* the request's; zero at first */
	void	   *scratch;
	long long  *results;		/* mapped: their number, if it counts */
	DeviceReport *report;
	KernelTimer  *end;			/* or NULL */
	unsigned	timer_number;
	int64_t		first;			/* elements before, whose results are there */
} DeviceWork;

/*
 * The sizes of the device memory for the work, in bytes.  By default they are
 * the sizes of the inputs, and of the most results of the first output.
 */
typedef struct DeviceSizes
{
	size_t		in[ENGINE_INPUTS];
	size_t		out[ENGINE_RESULTS];
	size_t		scratch;
} DeviceSizes;

/* What is true of an operation, or of a request: a set of these. */
typedef enum DeviceTrait
{
	TRAIT_DIRECT = 1 << 0,		/* a small job's inputs and results may be in
								 * the host's memory */
	TRAIT_ALONE = 1 << 1,		/* it does not look ahead, and uses nothing that
								 * lanes share */
	TRAIT_TELLS = 1 << 2,		/* it is one kernel, which reports its end */
	TRAIT_CHANGES = 1 << 3,		/* it writes to the inputs, unless it is
								 * direct */
	TRAIT_ERRORS = 1 << 4,		/* it has no summary without errors */
	TRAIT_PARTS = 1 << 5		/* a result needs nothing that is behind its
								 * element: it can run on a part, and then on
								 * the next one */
} DeviceTrait;

typedef struct DeviceOperation
{
	/* Returns whether the request is supported.  NULL: every request is. */
	bool		(*supports) (const EngineRequest *request);

	/* Changes what is not as DeviceSizes says.  NULL: nothing. */
	cudaError_t (*sizes) (const EngineRequest *request, DeviceSizes *sizes);

	unsigned	traits;			/* of all requests */

	/* Returns further ones of a request.  NULL: none. */
	unsigned	(*traits_of) (const EngineRequest *request);

	/* Queues the work. */
	cudaError_t (*run) (const DeviceWork *work);
} DeviceOperation;

/* The operations, by the names of their rows. */
#define OPERATION_BOTH(name)		extern const DeviceOperation cuda_##name;
#define OPERATION_CPU_ALONE(name)
#define OPERATION(NAME, name, engines, ...) OPERATION_##engines(name)
#include "contract/operations.h"
#undef OPERATION_BOTH
#undef OPERATION_CPU_ALONE

/*
 * Returns the result of a function template for the type of a kind.  Integers
 * are unsigned; by size, floats are unsigned integers too.
 */
#define RETURN_BY_KIND(kind, function, ...) \
	do { \
		switch (kind) \
		{ \
			case KIND_UINT1: return function<uint8_t>(__VA_ARGS__); \
			case KIND_INT2: return function<uint16_t>(__VA_ARGS__); \
			case KIND_INT4: \
			case KIND_UINT4: return function<uint32_t>(__VA_ARGS__); \
			case KIND_INT8: return function<uint64_t>(__VA_ARGS__); \
			case KIND_FLOAT4: return function<float>(__VA_ARGS__); \
			case KIND_FLOAT8: return function<double>(__VA_ARGS__); \
		} \
		return cudaErrorInvalidValue; \
	} while (0)

#define RETURN_BY_SIZE(kind, function, ...) \
	do { \
		switch (kind_size(kind)) \
		{ \
			case 1: return function<uint8_t>(__VA_ARGS__); \
			case 2: return function<uint16_t>(__VA_ARGS__); \
			case 4: return function<uint32_t>(__VA_ARGS__); \
			case 8: return function<uint64_t>(__VA_ARGS__); \
		} \
		return cudaErrorInvalidValue; \
	} while (0)

/* Like RETURN_BY_KIND, for numbers: their integers are signed. */
#define RETURN_BY_NUMBER(kind, function, ...) \
	do { \
		switch (kind) \
		{ \
			case KIND_INT2: return function<int16_t>(__VA_ARGS__); \
			case KIND_INT4: return function<int32_t>(__VA_ARGS__); \
			case KIND_INT8: return function<int64_t>(__VA_ARGS__); \
			case KIND_FLOAT4: return function<float>(__VA_ARGS__); \
			case KIND_FLOAT8: return function<double>(__VA_ARGS__); \
			default: return cudaErrorInvalidValue; \
		} \
	} while (0)

/* Like RETURN_BY_NUMBER, also for elements that are no numbers. */
#define RETURN_BY_ORDER(kind, function, ...) \
	do { \
		if ((kind) == KIND_UINT1) \
			return function<uint8_t>(__VA_ARGS__); \
		if ((kind) == KIND_UINT4) \
			return function<uint32_t>(__VA_ARGS__); \
		RETURN_BY_NUMBER(kind, function, __VA_ARGS__); \
	} while (0)

/*
 * The "run" of an operation: a function template for the type of an input or of
 * an output, the first input's by default.
 */
#define RUN_BY_KIND_OF(array, RETURN_BY, function) \
	[] (const DeviceWork *work) -> cudaError_t { \
		RETURN_BY(work->request->array, function, work); \
	}
#define RUN_BY(RETURN_BY, function) \
	RUN_BY_KIND_OF(kinds[0], RETURN_BY, function)

static inline bool
kind_is_number(ElementKind kind)
{
	return kind != KIND_UINT1 && kind != KIND_UINT4;
}

static inline bool
supports_numbers(const EngineRequest *request)
{
	return kind_is_number(request->kinds[0]);
}

#endif							/* GPUCOMPACT_OPERATION_H */
