/*
 * engine.h
 *	  What an engine is, and what it promises.
 *
 * An engine does one operation over raw memory.  It knows element kinds and
 * bytes, and nothing of PostgreSQL: no header of it, no palloc, no ereport,
 * and nothing ever longjmps across it.  This header is all that the two sides
 * share; a C and a CUDA C++ compiler both read it.
 *
 * A call is a job:
 *
 *	  begin(request, &job)				what to do
 *	  buffer(job, buffers, &capacity)	where the next piece is best put
 *	  push(job, data, count)			a piece of input
 *	  finish(job, &result)				the results are complete
 *	  end(job)							always, after an error too
 *
 * The host drives, so that it can look for interrupts between two calls; none
 * of them takes longer than a few milliseconds of its own work, whatever the
 * size of the array.  What would wait for longer says ENGINE_MORE, and is then
 * to be called again, with the same arguments, unless the host gives up.  One
 * job at a time runs in a process.
 */
#ifndef GPUCOMPACT_ENGINE_H
#define GPUCOMPACT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes whenever anything in this file does. */
#define ENGINE_API_VERSION	4

/* The name under which an engine's library exports its Engine. */
#define ENGINE_SYMBOL		"gpucompact_engine"

typedef enum EngineStatus
{
	ENGINE_OK,
	ENGINE_MORE,				/* not an error: to be called again */
	ENGINE_NOT_SUPPORTED,		/* by this algorithm; another one can */
	ENGINE_NO_DEVICE,			/* there is nothing to run on */
	ENGINE_OUT_OF_MEMORY,		/* of the host or of the device */
	ENGINE_DEVICE_FAILED		/* the device or its driver reported an error;
								 * no more than end, idle and message is to be
								 * called in this process */
} EngineStatus;

/*
 * What an engine has to know of an element: its bytes, and what they mean.
 */
typedef enum ElementKind
{
	KIND_UINT1,
	KIND_INT2,
	KIND_INT4,
	KIND_UINT4,
	KIND_INT8,
	KIND_FLOAT4,
	KIND_FLOAT8
} ElementKind;

#define ELEMENT_KINDS		7

static inline int
kind_size(ElementKind kind)
{
	return kind == KIND_UINT1 ? 1 : kind == KIND_INT2 ? 2 :
		kind == KIND_INT8 || kind == KIND_FLOAT8 ? 8 : 4;
}

static inline bool
kind_is_float(ElementKind kind)
{
	return kind == KIND_FLOAT4 || kind == KIND_FLOAT8;
}

typedef enum EngineOperation
{
	ENGINE_SCAN,				/* inclusive, by an operator */
	ENGINE_REDUCE,				/* the last element of a scan, alone */
	ENGINE_DELTA,				/* each element less the one before; the first
								 * as it is */
	ENGINE_COMPACT,				/* the elements that survive, or their
								 * positions */
	ENGINE_SORT,				/* keys, or positions by their keys */
	ENGINE_DISTINCT,			/* of the sorted keys, a run's first each */
	ENGINE_RUNS,				/* the first of each run of equal elements */
	ENGINE_COPY,				/* what there is, to measure others by */
	ENGINE_UTF8_DECODE,			/* bytes of UTF-8 to code points, as int4 */
	ENGINE_UTF8_REPAIR,			/* ... to bytes of UTF-8 without an error */
	ENGINE_UTF8_ERRORS,			/* ... to an EngineUtf8Error for each error */
	ENGINE_UTF8_VALIDATE,		/* ... to nothing: errors are only counted */
	ENGINE_UTF8_ENCODE			/* code points to bytes of UTF-8 */
} EngineOperation;

#define ENGINE_OPERATIONS	13

/* Does it read bytes of UTF-8, each of which needs its neighbours? */
static inline bool
reads_utf8(EngineOperation operation)
{
	return operation >= ENGINE_UTF8_DECODE &&
		operation <= ENGINE_UTF8_VALIDATE;
}

/*
 * How to do it.  None of this changes a result; "auto" is the engine's choice,
 * and an engine is not asked for what belongs to another.
 */
typedef enum EngineAlgorithm
{
	ALGORITHM_AUTO,
	ALGORITHM_SEQUENTIAL,		/* CPU: one thread */
	ALGORITHM_PARALLEL,			/* CPU: several, however small the array */
	ALGORITHM_NAIVE,			/* CUDA, this and those below */
	ALGORITHM_WORK_EFFICIENT,
	ALGORITHM_SINGLE_PASS,
	ALGORITHM_CUB
} EngineAlgorithm;

typedef enum ScanOperator
{
	SCAN_ADD,
	SCAN_MULTIPLY,
	SCAN_MIN,
	SCAN_MAX,
	SCAN_AND,					/* of integers only, this and those below */
	SCAN_OR,
	SCAN_XOR
} ScanOperator;

#define SCAN_OPERATORS		7

/*
 * Which elements survive: those x for which order(x) - low, unsigned and of
 * the element's width, is at most "span"; or, if "outside", all others.  The
 * order of an integer is its bits, as the difference is the same whether they
 * are signed or not; that of a float is in order.h, with what is equal unified.
 */
typedef struct EnginePredicate
{
	uint64_t	low;
	uint64_t	span;
	bool		outside;
} EnginePredicate;

/* What a sort moves in place of its keys. */
typedef enum SortPayload
{
	PAYLOAD_NONE,				/* the keys themselves */
	PAYLOAD_POSITIONS,			/* of the keys: 1, 2, 3, ... */
	PAYLOAD_INT4,				/* any 4 bytes, which come in with the keys */
	PAYLOAD_INT8				/* any 8 */
} SortPayload;

static inline int
payload_size(SortPayload payload)
{
	return payload == PAYLOAD_NONE ? 0 : payload == PAYLOAD_INT8 ? 8 : 4;
}

/*
 * A maximal subpart that is not a code point (Unicode 15, section 3.9): where
 * it begins, and its 1 to 3 bytes.
 */
typedef struct EngineUtf8Error
{
	int32_t		byte_offset;	/* from 0 on */
	int32_t		length;
} EngineUtf8Error;

/* All pieces but the last have a multiple of so many elements. */
#define PIECE_MULTIPLE		4096

/* Inputs that are pushed side by side. */
#define ENGINE_INPUTS		2

typedef struct EngineRequest
{
	EngineOperation operation;
	EngineAlgorithm algorithm;
	ElementKind kind;			/* of the elements that are pushed */
	int64_t		count;			/* of them, exactly */
	int			device;			/* index of the GPU */
	int64_t		memory_limit;	/* bytes on the GPU for this process; 0: none */
	int			threads;		/* CPU threads at work, this one included */

	/* scan, reduce */
	ScanOperator scan_operator;
	ElementKind sum_kind;		/* of the results: "kind", or int8 for sums of
								 * integers */

	/* compact */
	EnginePredicate predicate;
	bool		masked;			/* the second input says what survives, as a
								 * byte for each element: 0 or 1 */
	bool		positions;		/* of the survivors, from 1 on, are the result */

	/* sort, distinct */
	bool		descending;
	SortPayload payload;

	/*
	 * UTF-8: what is invalid is left out, rather than replaced by one U+FFFD
	 * each; and is the byte 0 invalid, too?
	 */
	bool		skip_errors;
	bool		zero_is_error;

	/*
	 * Aligned room for the largest result: of elements of "sum_kind" for a
	 * scan, of int4 for positions, of payloads, else of "kind"; one for a
	 * reduction, else "count" of them.  For UTF-8, of the elements that the
	 * operation says, and there is room for so many.  If there are more, those
	 * that are there mean nothing, but they are counted all the same.
	 */
	void	   *result;
	int64_t		room;

	/*
	 * Distinct and runs: room for as many int4, for where each run starts, as
	 * the position of its first element, from 1 on; or NULL.
	 */
	int32_t    *starts;
} EngineRequest;

/* The bytes of an element of the result. */
static inline int
result_size(const EngineRequest *request)
{
	if (request->operation == ENGINE_SCAN ||
		request->operation == ENGINE_REDUCE)
		return kind_size(request->sum_kind);
	if (request->operation == ENGINE_UTF8_ENCODE)
		return 1;
	if (request->operation == ENGINE_UTF8_DECODE)
		return (int) sizeof(int32_t);
	if (request->operation == ENGINE_UTF8_ERRORS)
		return (int) sizeof(EngineUtf8Error);
	if (request->payload != PAYLOAD_NONE)
		return payload_size(request->payload);
	return request->positions ? (int) sizeof(int32_t) :
		kind_size(request->kind);
}

/* The results that one element has, at most. */
static inline int
most_results(const EngineRequest *request)
{
	return request->operation == ENGINE_UTF8_ENCODE ? 4 :
		request->operation == ENGINE_UTF8_REPAIR ? 3 : 1;
}

/* The bytes that one element has in each input; zero where there is none. */
static inline void
input_sizes(const EngineRequest *request, int sizes[ENGINE_INPUTS])
{
	sizes[0] = kind_size(request->kind);
	sizes[1] = request->masked ? 1 :
		request->payload == PAYLOAD_POSITIONS ? 0 :
		payload_size(request->payload);
}

/* What can be wrong with a result that is there. */
typedef enum EngineOverflow
{
	OVERFLOW_NONE,
	OVERFLOW_UP,				/* a result is out of its type's range */
	OVERFLOW_DOWN				/* a product of floats that are not zero is */
} EngineOverflow;

#define OVERFLOWS		3

typedef struct EngineResult
{
	int64_t		count;			/* elements in the result */
	EngineOverflow overflow;
	int64_t		errors;			/* UTF-8: maximal subparts or integers that are
								 * no code point */
	int64_t		first_error;	/* elements before the first, if there is one */
	double		upload_ms;		/* zero where no device is involved */
	double		kernel_ms;
	double		download_ms;
	double		result_ms;		/* copying out of staging memory */
} EngineResult;

typedef struct EngineDevice
{
	int			index;
	char		name[256];
	int			major;			/* compute capability */
	int			minor;
	int64_t		memory_total;	/* bytes */
	int64_t		memory_free;	/* bytes, or -1 where unknown */
	int			driver_version; /* 1000 * major + 10 * minor */
	int			runtime_version;
	bool		open;			/* does this process hold a context there? */
} EngineDevice;

typedef struct EngineJob EngineJob;

typedef struct Engine
{
	uint32_t	api_version;
	const char *name;

	/*
	 * Starts a job.  Where this says ENGINE_MORE or fails there is no job, and
	 * nothing to end.
	 */
	EngineStatus (*begin) (const EngineRequest *request, EngineJob **job);

	/*
	 * Memory for the next piece, of each input, and how many elements the
	 * piece is to have, or fewer if it is the last.  Says ENGINE_MORE where
	 * none is free yet.
	 */
	EngineStatus (*buffer) (EngineJob *job, void *buffers[ENGINE_INPUTS],
							int64_t *capacity);

	/*
	 * Takes the next piece of each input, of the capacity that the preceding
	 * buffer() named, or of what is left; of UTF-8 it may also be less, so
	 * that tests can cut anywhere.  "data" are those buffers, or memory of the
	 * caller's, aligned to the element, which stays as it is until
	 * end(); a sort is done with it when push() returns.
	 */
	EngineStatus (*push) (EngineJob *job,
						  const void *const data[ENGINE_INPUTS],
						  int64_t count);

	/*
	 * To be called when all is pushed: moves the job on, says ENGINE_MORE, and
	 * ENGINE_OK once the result is complete.
	 */
	EngineStatus (*finish) (EngineJob *job, EngineResult *result);

	/*
	 * Gives back what the job held; from then on nothing of the host's memory
	 * is read or written.  What a device still has to do is waited for no
	 * longer than 50 ms; after that, by the next begin.
	 */
	void		(*end) (EngineJob *job);

	/*
	 * Fills in up to "capacity" devices and says how many there are.  Opens
	 * no context.  May say ENGINE_MORE.
	 */
	EngineStatus (*devices) (EngineDevice *devices, int capacity, int *count);

	/* What the last failure was, in words; valid until the next begin. */
	const char *(*message) (void);

	/*
	 * May the process exit in the usual way?  Not if a device has failed, or
	 * is at work still.
	 */
	bool		(*idle) (void);
} Engine;

extern const Engine cpu_engine;

#endif							/* GPUCOMPACT_ENGINE_H */
