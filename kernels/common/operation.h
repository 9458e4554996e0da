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

/* Leaves the calling function with the error if a CUDA call fails. */
#define TRY(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			return error_; \
	} while (0)

/*
 * What kernels report about a job, in mapped host memory that is zero at
 * first.
 */
typedef struct DeviceReport
{
	int			overflow[OVERFLOWS];	/* by EngineOverflow: it occurred */
	int			in_place;		/* the results are in the input buffers */
	int			not_unpacked;	/* a block cannot be unpacked */
	long long	results;		/* their number, if the operation counts and
								 * gathers */
	unsigned long long value;	/* of RESULT_ONE, in its first bytes */
	unsigned long long errors;	/* in UTF-8 */
	unsigned long long first_error;
} DeviceReport;

/*
 * What a kernel tells of its end, in mapped host memory.  To look there takes
 * less time than to ask the driver, whose lock all threads of a process share.
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

/* The work on a piece of an array, or on a whole array. */
typedef struct DeviceWork
{
	cudaStream_t stream;
	LookAhead  *ahead;
	GridState  *grid;
	const EngineRequest *request;
	void	   *in[ENGINE_INPUTS];	/* in[1] is the second of joined arrays */
	void	   *out[ENGINE_RESULTS];
	int64_t		count;			/* elements of the piece */
	int64_t		offset;			/* elements before them */
	int64_t		turn;			/* pieces before this one */
	void	   *state;			/* kept from piece to piece */
	const void *table;			/* the request's */
	void	   *summary;		/* the request's; zero at first */
	void	   *scratch;
	long long  *results;		/* mapped: their number, if it counts */
	DeviceReport *report;
	KernelTimer  *end;			/* or NULL */
	unsigned	timer_number;
} DeviceWork;

static inline bool
is_last_piece(const DeviceWork *work)
{
	return work->offset + work->count == work->request->count;
}

/* For facts that are true of all requests of an operation. */
static inline bool
device_always(const EngineRequest *request)
{
	return true;
}

/* The sizes of the device memory for a gathered array, in bytes. */
typedef struct DeviceSizes
{
	size_t		in[ENGINE_INPUTS];
	size_t		out[ENGINE_RESULTS];
	size_t		scratch;
} DeviceSizes;

typedef struct DeviceOperation
{
	bool		gathers;		/* it takes the whole array at once */
	bool		counts;			/* it counts its results, in *results */
	bool		summary_of_errors;	/* it has no summary without errors */

	/* Returns whether the request is supported.  NULL: every request is. */
	bool		(*supports) (const EngineRequest *request);

	/* Bytes of the state that must be zero at first. */
	size_t		state_bytes;

	/*
	 * The size of the scratch memory for pieces of "count" elements, or NULL;
	 * or, if the operation gathers, all sizes for the array.
	 */
	size_t		(*scratch_bytes) (const EngineRequest *request,
								  int64_t count);
	cudaError_t (*sizes) (const EngineRequest *request, DeviceSizes *sizes);

	/* Queues the work on a piece.  NULL if the operation gathers. */
	cudaError_t (*piece) (const DeviceWork *work);

	/*
	 * Returns whether a piece, or the work on a gathered array, is one kernel
	 * that tells of its end.  NULL: never.
	 */
	bool		(*times_itself) (const EngineRequest *request);

	/*
	 * Returns whether the work on a gathered array reads the array once, writes
	 * its results once, so that both may be in the host's memory, and uses
	 * nothing that lanes share.  NULL: never.
	 */
	bool		(*direct) (const EngineRequest *request);

	/*
	 * Returns whether the work on a gathered array does not write to in[], so
	 * that these may be cached values.  NULL: never.
	 */
	bool		(*reads_only) (const EngineRequest *request);

	/* Queues the work on a gathered array. */
	cudaError_t (*whole) (const DeviceWork *work);

	/* It does not look ahead, and uses nothing that lanes share. */
	bool		independent;
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

static inline bool
kind_is_number(ElementKind kind)
{
	return kind != KIND_UINT1 && kind != KIND_UINT4;
}

#endif							/* GPUCOMPACT_OPERATION_H */
