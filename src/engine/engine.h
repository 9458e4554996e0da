/*
 * engine.h
 *	  What an engine is, and what it promises.
 *
 * An engine does one operation over raw memory.  It knows element kinds and
 * bytes, and nothing of PostgreSQL: no header of it, no palloc, no ereport,
 * and nothing ever longjmps across it.  This header is all that the two sides
 * share; a C and a CUDA C++ compiler both read it.
 *
 * A job runs in a context, which does one at a time:
 *
 *	  begin(context, request)				what to do
 *	  buffer(context, buffers, &capacity)	where the next piece is best put
 *	  push(context, data, count)			a piece of input
 *	  finish(context, &result)				the results are complete
 *	  end(context)							always, after an error too
 *
 * The host drives, so that it can look for interrupts between two calls.  None
 * of them takes longer than a few milliseconds, whatever the size of the array:
 * instead of waiting for longer it returns ENGINE_MORE, and is called again
 * with the same arguments, unless the host gives up.  Threads may each use a
 * context of their own at the same time.
 */
#ifndef GPUCOMPACT_ENGINE_H
#define GPUCOMPACT_ENGINE_H

#include "engine/kinds.h"

/* Changes whenever anything in this file or in operations.h does. */
#define ENGINE_API_VERSION	6

/* The name under which an engine's library exports its Engine. */
#define ENGINE_SYMBOL		"gpucompact_engine"

typedef enum EngineStatus
{
	ENGINE_OK,
	ENGINE_MORE,				/* not an error: call again */
	ENGINE_NOT_SUPPORTED,		/* by the algorithm; another one may do it */
	ENGINE_NO_DEVICE,			/* no device to run on */
	ENGINE_OUT_OF_MEMORY,		/* of the host or of the device */
	ENGINE_DEVICE_FAILED		/* the device or its driver reported an error;
								 * only end, idle and message may be called in
								 * this process from now on */
} EngineStatus;

typedef enum EngineOperation
{
#define OPERATION(NAME, ...) ENGINE_##NAME,
#include "engine/operations.h"
} EngineOperation;

enum
{
	ENGINE_OPERATIONS = 0
#define OPERATION(NAME, ...) + 1
#include "engine/operations.h"
};

#ifdef __cplusplus
extern "C"
{
#endif

/* The engines, by number. */
#define ENGINE_CPU			0
#define ENGINE_CUDA			1
#define ENGINES				2

/* How many results an operation has. */
typedef enum ResultShape
{
	RESULT_NONE,				/* none; it only counts */
	RESULT_ONE,
	RESULT_EACH,				/* one for each element */
	RESULT_SOME					/* at most "most" for each element */
} ResultShape;

/*
 * What a call costs: us for the call, ns for an element in the thread that
 * reads them, and ns for an element in work that all threads share, if there
 * are enough elements for a team.
 */
typedef struct EngineCost
{
	double		call_us;
	double		own_ns;
	double		shared_ns;
	int64_t		team_count;
} EngineCost;

/* What is known of an operation, by operations.h. */
typedef struct OperationFacts
{
	const char *name;
	ResultShape shape;
	int			most;
	bool		gathers;
	EngineCost	costs[ENGINES];	/* less than zero where it cannot run */
} OperationFacts;

extern const OperationFacts operation_facts[ENGINE_OPERATIONS];

/*
 * How to do it.  None of this changes a result; "auto" is the engine's choice,
 * and an engine is not asked for an algorithm of another one.
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

#define SCAN_OPERATORS		(SCAN_XOR + 1)

/*
 * Which elements are selected: those x for which order(x) - low, unsigned and
 * of the element's width, is at most "span"; or, if "outside", all others.  The
 * order of an integer is its bits, as the difference is the same whether they
 * are signed or not; that of a float is in order.h, after equal floats are made
 * the same.
 */
typedef struct EnginePredicate
{
	uint64_t	low;
	uint64_t	span;
	bool		outside;
} EnginePredicate;

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

/* Arrays that are pushed side by side, and arrays that are made of them. */
#define ENGINE_INPUTS		2
#define ENGINE_RESULTS		2

/*
 * Aligned room for results; no memory where they are not wanted.  DISTINCT and
 * RUNS have a second output of int4: the position of each run's first element,
 * from 1 on.
 */
typedef struct EngineOutput
{
	void	   *memory;
	ElementKind kind;
} EngineOutput;

typedef struct EngineRequest
{
	EngineOperation operation;
	EngineAlgorithm algorithm;
	int64_t		count;			/* elements of each input, exactly */
	int			inputs;			/* arrays */
	ElementKind kinds[ENGINE_INPUTS];
	EngineOutput outputs[ENGINE_RESULTS];

	/*
	 * What some operations need besides, and what they answer besides: plain
	 * memory, which stays until end().  STATS: the summary is an EngineStats.
	 * BUCKET, HISTOGRAM: the table has thresholds, ascending, as unsigned
	 * integers of an element's width: order(x) - kind_least(), as below.
	 * HISTOGRAM: the summary has int4 counts of the elements that are no less
	 * than none of them, than the first alone, ..., than all.  TAKE: the table
	 * has the elements, of the kind of the output, and the input positions among
	 * these, from 1 on; for others the results are zero, and "errors" counts
	 * them.
	 */
	const void *table;
	int64_t		table_bytes;
	void	   *summary;
	int64_t		summary_bytes;

	/*
	 * There is room for so many results.  An operation may have more: then the
	 * results mean nothing, but they are counted all the same.
	 */
	int64_t		room;

	int			threads;		/* CPU threads at work, this one included */
	int			device;			/* index of the GPU */
	int64_t		memory_limit;	/* bytes on the GPU for this process; 0: none */

	union
	{
		/* SCAN, inclusive, and REDUCE, a scan's last result alone */
		struct
		{
			ScanOperator op;
		}			scan;

		/* COMPACT: the elements that are selected, or their positions */
		struct
		{
			bool		masked; /* by the second input, as bytes of 0 or 1 */
			bool		positions;	/* from 1 on */
			EnginePredicate predicate;	/* unless masked */
		}			compact;

		/*
		 * SORT: the keys themselves; or the second input, or the keys'
		 * positions from 1 on, in the order of the keys.  DISTINCT: the keys.
		 */
		struct
		{
			bool		descending;
			bool		positions;
		}			sort;

		/*
		 * UTF8_*: invalid bytes or integers are left out, rather than replaced
		 * by one U+FFFD each; and the byte 0 is invalid, too.
		 */
		struct
		{
			bool		skip_errors;
			bool		zero_is_error;
		}			utf8;
	}			parameters;
} EngineRequest;

/* Bytes of an element of an input; zero where there is no such input. */
static inline int
input_size(const EngineRequest *request, int input)
{
	return input < request->inputs ? kind_size(request->kinds[input]) : 0;
}

/* And of an output. */
static inline int
output_size(const EngineRequest *request, int output)
{
	return kind_size(request->outputs[output].kind);
}

/* The bytes of what a sort moves along with its keys, or zero. */
static inline int
payload_size(const EngineRequest *request)
{
	return request->inputs > 1 ? input_size(request, 1) :
		request->operation == ENGINE_SORT &&
		request->parameters.sort.positions ? (int) sizeof(int32_t) : 0;
}

/*
 * What a request costs on an engine by that number, in us, once it can run at
 * once; less than zero where it cannot run there.
 */
extern double request_cost_us(const EngineRequest *request, int engine);

/* The most results that a request can have. */
static inline int64_t
most_results(const EngineRequest *request)
{
	const OperationFacts *facts = &operation_facts[request->operation];

	return facts->shape == RESULT_ONE ? 1 : facts->most * request->count;
}

/* A result that is not in the range of its kind. */
typedef enum EngineOverflow
{
	OVERFLOW_NONE,
	OVERFLOW_UP,				/* too large, or too far below zero */
	OVERFLOW_DOWN				/* a product of floats other than zero is zero */
} EngineOverflow;

#define OVERFLOWS			(OVERFLOW_DOWN + 1)

typedef struct EngineResult
{
	int64_t		count;			/* results */
	EngineOverflow overflow;
	int64_t		errors;			/* UTF-8: maximal subparts, or integers that
								 * are no code point; TAKE: no positions */
	int64_t		first_error;	/* elements before the first one */
	bool		on_device;		/* are these times known? */
	double		upload_ms;
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

typedef struct Engine Engine;

/* Where a job runs; an engine's own begins with this. */
typedef struct EngineContext
{
	const Engine *engine;
} EngineContext;

struct Engine
{
	uint32_t	api_version;
	const char *name;

	/* Makes a context, or returns NULL for want of memory. */
	EngineContext *(*open) (void);

	/* Gives back all that a context holds; none of its jobs may be running. */
	void		(*close) (EngineContext *context);

	/* What a request would cost, as request_cost_us. */
	double		(*cost_us) (EngineContext *context,
							const EngineRequest *request);

	/*
	 * Starts a job.  If this returns ENGINE_MORE or fails there is no job, and
	 * nothing to end.
	 */
	EngineStatus (*begin) (EngineContext *context,
						   const EngineRequest *request);

	/*
	 * Memory for the next piece of each input, and how many elements the piece
	 * must have; the last piece may have fewer.
	 */
	EngineStatus (*buffer) (EngineContext *context,
							void *buffers[ENGINE_INPUTS], int64_t *capacity);

	/*
	 * Takes the next piece of each input, of the capacity that the preceding
	 * buffer() named, or the last one; of UTF-8 it may have fewer elements, so
	 * that tests can cut anywhere.  "data" are those buffers, or memory of the
	 * caller's, aligned to the element, which stays as it is until end(); an
	 * operation that gathers is done with it when push() returns.
	 */
	EngineStatus (*push) (EngineContext *context,
						  const void *const data[ENGINE_INPUTS],
						  int64_t count);

	/*
	 * Called when all is pushed: moves the job on and returns ENGINE_MORE, or
	 * ENGINE_OK once the results are complete.
	 */
	EngineStatus (*finish) (EngineContext *context, EngineResult *result);

	/*
	 * Gives back what the job held; from then on none of the host's memory is
	 * read or written.  It waits for a device no longer than 50 ms, and leaves
	 * the rest to the next begin.
	 */
	void		(*end) (EngineContext *context);

	/*
	 * Fills in up to "capacity" devices and says how many there are.  Opens
	 * none.  May return ENGINE_MORE.
	 */
	EngineStatus (*devices) (EngineContext *context, EngineDevice *devices,
							 int capacity, int *count);

	/* The last failure in words; valid until the next begin. */
	const char *(*message) (EngineContext *context);

	/*
	 * May the process exit in the usual way?  Not after a device has failed,
	 * nor while one is at work.
	 */
	bool		(*idle) (EngineContext *context);
};

extern const Engine cpu_engine;

#ifdef __cplusplus
}
#endif

#endif							/* GPUCOMPACT_ENGINE_H */
